// A small inference library with layer plans on top of cuBLAS, and a ranking service that uses it.
// The service replays the forward pass of each batch size as a graph.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

// ---- library ----------------------------------------------------------------------------------------
namespace dense {

enum class Status { kOk, kNotPrepared, kCudaError, kBlasError };

struct Shape {
  int outputs, inputs, batch;
  bool operator<(const Shape& o) const { return std::tie(outputs, inputs, batch) < std::tie(o.outputs, o.inputs, o.batch); }
};

__global__ void bias_relu(float* y, const float* bias, int outputs, int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) y[i] = fmaxf(y[i] + bias[i % outputs], 0.f);
}

class Plan;

class Context {
 public:
  ~Context() {
    plans_.clear();
    if (blas_) cublasDestroy(blas_);
  }
  Status open() { return cublasCreate(&blas_) == CUBLAS_STATUS_SUCCESS ? Status::kOk : Status::kBlasError; }
  Plan& plan(const Shape& shape);
  cublasHandle_t blas() const { return blas_; }
  Status fail(cudaError_t error) {
    last_error_ = error;
    return Status::kCudaError;
  }
  cudaError_t last_error() const { return last_error_; }

 private:
  cublasHandle_t blas_ = nullptr;
  cudaError_t last_error_ = cudaSuccess;
  std::map<Shape, std::unique_ptr<Plan>> plans_;
};

class Plan {
 public:
  Plan(Context& context, const Shape& shape) : context_(context), shape_(shape) {}
  ~Plan() { cudaFree(workspace_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // Acquires what run() needs.
  Status prepare() {
    if (workspace_) return Status::kOk;
    const cudaError_t error = cudaMalloc(&workspace_, kWorkspaceBytes);
    return error == cudaSuccess ? Status::kOk : context_.fail(error);
  }

  // y = relu(w * x + bias), column major.
  Status run(const float* w, const float* bias, const float* x, float* y, cudaStream_t stream) {
    if (!workspace_) return Status::kNotPrepared;
    const float one = 1.f, zero = 0.f;
    const int m = shape_.outputs, n = shape_.batch, k = shape_.inputs;
    cublasHandle_t blas = context_.blas();
    if (cublasSetStream(blas, stream) != CUBLAS_STATUS_SUCCESS) return Status::kBlasError;
    if (cublasSetWorkspace(blas, workspace_, kWorkspaceBytes) != CUBLAS_STATUS_SUCCESS) return Status::kBlasError;
    if (cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, w, m, x, k, &zero, y, m) != CUBLAS_STATUS_SUCCESS) {
      return Status::kBlasError;
    }
    bias_relu<<<(m * n + 127) / 128, 128, 0, stream>>>(y, bias, m, m * n);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? Status::kOk : context_.fail(error);
  }

 private:
  static constexpr size_t kWorkspaceBytes = size_t{32} << 20;

  Context& context_;
  Shape shape_;
  void* workspace_ = nullptr;
};

Plan& Context::plan(const Shape& shape) {
  std::unique_ptr<Plan>& slot = plans_[shape];
  if (!slot) slot = std::make_unique<Plan>(*this, shape);
  return *slot;
}

}  // namespace dense

// ---- application ------------------------------------------------------------------------------------
namespace {

constexpr int kFeatures = 24, kHidden = 32, kScores = 4, kMaxBatch = 64;

float weight1(int o, int i) { return float((o * 5 + i * 3) % 7 - 3); }
float weight2(int o, int i) { return float((o * 3 + i * 11) % 5 - 2); }
float bias1(int o) { return float(o % 4 - 1); }
float bias2(int o) { return float(o + 1); }

struct Trace {
  cudaError_t body = cudaSuccess;
  cudaError_t end = cudaSuccess;
};

class RankingService {
 public:
  ~RankingService() {
    for (auto& graph : graphs_) cudaGraphExecDestroy(graph.second);
    for (float* p : {w1_, w2_, b1_, b2_, x_, h_, y_}) cudaFree(p);
    cudaFreeHost(host_x_);
    cudaFreeHost(host_y_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  bool open() {
    std::vector<float> w1(kHidden * kFeatures), w2(kScores * kHidden), b1(kHidden), b2(kScores);
    for (int i = 0; i < kFeatures; ++i) for (int o = 0; o < kHidden; ++o) w1[i * kHidden + o] = weight1(o, i);
    for (int i = 0; i < kHidden; ++i) for (int o = 0; o < kScores; ++o) w2[i * kScores + o] = weight2(o, i);
    for (int o = 0; o < kHidden; ++o) b1[o] = bias1(o);
    for (int o = 0; o < kScores; ++o) b2[o] = bias2(o);
    return context_.open() == dense::Status::kOk && cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess &&
           upload(&w1_, w1) && upload(&w2_, w2) && upload(&b1_, b1) && upload(&b2_, b2) &&
           cudaMalloc(&x_, sizeof(float) * kFeatures * kMaxBatch) == cudaSuccess &&
           cudaMalloc(&h_, sizeof(float) * kHidden * kMaxBatch) == cudaSuccess &&
           cudaMalloc(&y_, sizeof(float) * kScores * kMaxBatch) == cudaSuccess &&
           cudaMallocHost(&host_x_, sizeof(float) * kFeatures * kMaxBatch) == cudaSuccess &&
           cudaMallocHost(&host_y_, sizeof(float) * kScores * kMaxBatch) == cudaSuccess &&
           cudaMemset(x_, 0, sizeof(float) * kFeatures * kMaxBatch) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
  }

  // Acquires the plans of a batch size and runs it without a graph, so that cuBLAS has its kernels loaded.
  bool warm_up(int batch) {
    if (context_.plan({kHidden, kFeatures, batch}).prepare() != dense::Status::kOk) return false;
    if (context_.plan({kScores, kHidden, batch}).prepare() != dense::Status::kOk) return false;
    return forward(batch) == dense::Status::kOk && cudaStreamSynchronize(stream_) == cudaSuccess;
  }

  bool infer(int batch, const std::vector<float>& features, Trace* trace) {
    auto found = graphs_.find(batch);
    if (found == graphs_.end()) {
      cudaGraphExec_t exec = nullptr;
      if (!build(batch, &exec, trace)) return false;
      found = graphs_.emplace(batch, exec).first;
    }
    for (int i = 0; i < batch * kFeatures; ++i) host_x_[i] = features[i];
    return cudaGraphLaunch(found->second, stream_) == cudaSuccess && cudaStreamSynchronize(stream_) == cudaSuccess;
  }

  const float* scores() const { return host_y_; }

 private:
  static bool upload(float** device, const std::vector<float>& host) {
    return cudaMalloc(device, host.size() * sizeof(float)) == cudaSuccess &&
           cudaMemcpy(*device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  }

  dense::Status forward(int batch) {
    dense::Plan& first = context_.plan({kHidden, kFeatures, batch});
    dense::Plan& second = context_.plan({kScores, kHidden, batch});
    cudaError_t error = cudaMemcpyAsync(x_, host_x_, sizeof(float) * batch * kFeatures, cudaMemcpyHostToDevice, stream_);
    if (error != cudaSuccess) return context_.fail(error);
    dense::Status status = first.run(w1_, b1_, x_, h_, stream_);
    if (status == dense::Status::kOk) status = second.run(w2_, b2_, h_, y_, stream_);
    if (status != dense::Status::kOk) return status;
    error = cudaMemcpyAsync(host_y_, y_, sizeof(float) * batch * kScores, cudaMemcpyDeviceToHost, stream_);
    return error == cudaSuccess ? dense::Status::kOk : context_.fail(error);
  }

  bool build(int batch, cudaGraphExec_t* exec, Trace* trace) {
    if (!warm_up(batch)) return false;
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal) != cudaSuccess) return false;
    const dense::Status body = forward(batch);
    cudaGraph_t graph = nullptr;
    trace->end = cudaStreamEndCapture(stream_, &graph);
    trace->body = body == dense::Status::kCudaError ? context_.last_error() : cudaSuccess;
    const bool ok = body == dense::Status::kOk && trace->end == cudaSuccess && cudaGraphInstantiate(exec, graph, 0) == cudaSuccess;
    if (graph) cudaGraphDestroy(graph);
    return ok;
  }

  dense::Context context_;
  cudaStream_t stream_ = nullptr;
  std::map<int, cudaGraphExec_t> graphs_;
  float *w1_ = nullptr, *w2_ = nullptr, *b1_ = nullptr, *b2_ = nullptr;
  float *x_ = nullptr, *h_ = nullptr, *y_ = nullptr, *host_x_ = nullptr, *host_y_ = nullptr;
};

int verify(const std::vector<float>& x, const float* y, int batch) {
  int wrong = 0;
  for (int s = 0; s < batch; ++s) {
    float hidden[kHidden];
    for (int o = 0; o < kHidden; ++o) {
      float sum = bias1(o);
      for (int i = 0; i < kFeatures; ++i) sum += weight1(o, i) * x[s * kFeatures + i];
      hidden[o] = sum > 0.f ? sum : 0.f;
    }
    for (int o = 0; o < kScores; ++o) {
      float sum = bias2(o);
      for (int i = 0; i < kHidden; ++i) sum += weight2(o, i) * hidden[i];
      wrong += y[s * kScores + o] != (sum > 0.f ? sum : 0.f);
    }
  }
  return wrong;
}

}  // namespace

int main() {
  RankingService service;
  bool ready = service.open() && service.warm_up(8);
  int served[2] = {0, 0}, refused[2] = {0, 0}, wrong = 0;
  Trace first_refusal;
  for (int request = 0; ready && request < 10; ++request) {
    const int kind = request >= 4 && request % 2;
    const int batch = kind ? 32 : 8;
    std::vector<float> x(batch * kFeatures);
    for (size_t i = 0; i < x.size(); ++i) x[i] = float((i * 7 + request) % 5) - 2.f;
    Trace trace;
    if (service.infer(batch, x, &trace)) {
      ++served[kind];
      wrong += verify(x, service.scores(), batch);
    } else if (refused[kind]++ == 0) {
      first_refusal = trace;
    }
  }
  std::printf("ready %d, served %d+%d, refused %d+%d, %d wrong; first refusal: body %d, end %d\n", ready, served[0], served[1],
              refused[0], refused[1], wrong, int(first_refusal.body), int(first_refusal.end));
  const bool confirmed = ready && served[0] == 7 && served[1] == 3 && refused[0] + refused[1] == 0 && wrong == 0;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
