// Fraud scoring: two worker threads serve requests against one compiled model.
#include <cuda_runtime.h>
#include <cstdio>
#include <future>
#include <memory>
#include <thread>
#include <vector>

constexpr int kFeatures = 256;

__global__ void normalizeFeatures(const float* in, float* hidden) {
  const long long until = clock64() + 30000000;
  while (clock64() < until) {
  }
  const volatile float* features = in;
  hidden[threadIdx.x] = features[threadIdx.x] * 0.5f;
}

__global__ void score(const float* hidden, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0.f;
  __syncthreads();
  atomicAdd(&sum, hidden[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

struct Request {
  float value;
  float result = 0.f;
  cudaError_t status = cudaErrorUnknown;
};

class CompiledModel {
 public:
  CompiledModel() {
    cudaMalloc(&input, kFeatures * sizeof(float));
    cudaMalloc(&hidden_, kFeatures * sizeof(float));
    cudaMalloc(&output, sizeof(float));
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaGraph_t graph = nullptr;
    status = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (status == cudaSuccess) {
      normalizeFeatures<<<1, kFeatures, 0, s>>>(input, hidden_);
      score<<<1, kFeatures, 0, s>>>(hidden_, output);
      status = cudaStreamEndCapture(s, &graph);
    }
    if (status == cudaSuccess) status = cudaGraphInstantiate(&exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
  }
  CompiledModel(const CompiledModel&) = delete;
  ~CompiledModel() {
    if (exec) cudaGraphExecDestroy(exec);
    cudaFree(input);
    cudaFree(hidden_);
    cudaFree(output);
  }

  float* input = nullptr;
  float* output = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaError_t status = cudaSuccess;

 private:
  float* hidden_ = nullptr;
};

class Worker {
 public:
  Worker() : model_(std::make_unique<CompiledModel>()) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMallocHost(&features_, kFeatures * sizeof(float));
    cudaMallocHost(&answer_, sizeof(float));
  }
  ~Worker() {
    cudaFreeHost(features_);
    cudaFreeHost(answer_);
    cudaStreamDestroy(stream_);
  }

  void submit(Request& request) {
    if (model_->status != cudaSuccess) {
      request.status = model_->status;
      return;
    }
    for (int i = 0; i < kFeatures; ++i) features_[i] = request.value;
    cudaMemcpyAsync(model_->input, features_, kFeatures * sizeof(float), cudaMemcpyHostToDevice, stream_);
    request.status = cudaGraphLaunch(model_->exec, stream_);
  }

  void collect(Request& request) {
    if (request.status != cudaSuccess) return;
    cudaMemcpyAsync(answer_, model_->output, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    request.status = cudaStreamSynchronize(stream_);
    request.result = *answer_;
  }

 private:
  std::unique_ptr<CompiledModel> model_;
  cudaStream_t stream_ = nullptr;
  float *features_ = nullptr, *answer_ = nullptr;
};

int main() {
  std::vector<std::unique_ptr<Worker>> pool;
  for (int i = 0; i < 2; ++i) pool.push_back(std::make_unique<Worker>());
  Request warm{1.f};
  for (auto& w : pool) {
    w->submit(warm);
    w->collect(warm);
  }

  Request a{2.f}, b{8.f};
  std::promise<void> firstIn, secondIn;
  std::thread ta([&] {
    pool[0]->submit(a);
    firstIn.set_value();
    secondIn.get_future().wait();
    pool[0]->collect(a);
  });
  std::thread tb([&] {
    firstIn.get_future().wait();
    pool[1]->submit(b);
    secondIn.set_value();
    pool[1]->collect(b);
  });
  ta.join();
  tb.join();

  const float wantA = 2.f * 0.5f * kFeatures, wantB = 8.f * 0.5f * kFeatures;
  std::printf("a %.1f (%.1f) b %.1f (%.1f) status %d %d\n", a.result, wantA, b.result, wantB, a.status, b.status);
  const bool statuses = a.status == cudaSuccess && b.status == cudaSuccess;
  std::puts(statuses && a.result == wantA && b.result == wantB ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
