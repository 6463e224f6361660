// Integration test of a worker farm: every worker owns a stream and a recorded two-stage job.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#define ASSERT_CUDA(x)                                                                   \
  do {                                                                                   \
    cudaError_t a_ = (x);                                                                \
    if (a_ != cudaSuccess) {                                                             \
      std::printf("line %d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(a_));  \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

constexpr int kItems = 1024;

__global__ void produce(int* ws, int id, long long spin) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long t0 = clock64();
  while (clock64() - t0 < spin) {
  }
  if (i < kItems) ws[i] = id * 1000 + i % 7;
}
__global__ void consume(const int* ws, int* out, long long spin) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long t0 = clock64();
  while (clock64() - t0 < spin) {
  }
  if (i < kItems) out[i] = ws[i] + 1;
}

struct Workspace {
  Workspace() { ASSERT_CUDA(cudaMalloc(&ptr, kItems * sizeof(int))); }
  Workspace(const Workspace&) = delete;
  ~Workspace() { cudaFree(ptr); }
  int* ptr = nullptr;
};

class Worker {
 public:
  Worker(int id, std::shared_ptr<Workspace> ws) : id_(id), ws_(std::move(ws)) {
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_CUDA(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
    ASSERT_CUDA(cudaMalloc(&out_, kItems * sizeof(int)));
  }
  Worker(const Worker&) = delete;
  ~Worker() {
    cudaStreamSynchronize(stream_);
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(out_);
    cudaEventDestroy(done_);
    cudaStreamDestroy(stream_);
  }

  void record(long long spin) {
    if (exec_) ASSERT_CUDA(cudaGraphExecDestroy(exec_));
    exec_ = nullptr;
    cudaGraph_t g = nullptr;
    ASSERT_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    produce<<<4, 256, 0, stream_>>>(ws_->ptr, id_, spin);
    consume<<<4, 256, 0, stream_>>>(ws_->ptr, out_, spin);
    ASSERT_CUDA(cudaStreamEndCapture(stream_, &g));
    ASSERT_CUDA(cudaGraphInstantiate(&exec_, g, 0));
    ASSERT_CUDA(cudaGraphDestroy(g));
    ASSERT_CUDA(cudaGraphUpload(exec_, stream_));
    ASSERT_CUDA(cudaStreamSynchronize(stream_));
  }

  void submit() { ASSERT_CUDA(cudaGraphLaunch(exec_, stream_)); }
  void after(const Worker& prev) { ASSERT_CUDA(cudaStreamWaitEvent(stream_, prev.done_, 0)); }
  void mark() { ASSERT_CUDA(cudaEventRecord(done_, stream_)); }
  void wait() { ASSERT_CUDA(cudaStreamSynchronize(stream_)); }

  int errors() const {
    std::vector<int> h(kItems);
    ASSERT_CUDA(cudaMemcpy(h.data(), out_, kItems * sizeof(int), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < kItems; ++i)
      if (h[i] != id_ * 1000 + i % 7 + 1) ++bad;
    return bad;
  }

 private:
  int id_;
  std::shared_ptr<Workspace> ws_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
  int* out_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

static std::vector<std::unique_ptr<Worker>> make_farm(int count) {
  std::vector<std::unique_ptr<Worker>> farm;
  auto ws = std::make_shared<Workspace>();
  for (int i = 0; i < count; ++i) farm.push_back(std::make_unique<Worker>(i + 1, ws));
  return farm;
}

int main() {
  struct Case {
    const char* name;
    int workers;
    long long spin;
    bool serial;
  };
  const Case cases[] = {
      {"single", 1, 20000, false}, {"serial x3", 3, 20000, true}, {"farm x2", 2, 200000, false}, {"farm x4", 4, 400000, false}};
  int base_bad = 0, farm_bad = 0;
  for (const Case& c : cases) {
    auto farm = make_farm(c.workers);
    int bad = 0;
    for (long long spin : {c.spin, c.spin * 2}) {
      for (auto& w : farm) w->record(spin);
      for (int round = 0; round < 5; ++round) {
        if (c.serial) {
          for (auto& w : farm) {
            w->submit();
            w->wait();
          }
        } else {
          for (size_t i = 0; i < farm.size(); ++i) {
            if (i > 0) farm[i]->after(*farm[i - 1]);
            farm[i]->submit();
            farm[i]->mark();
          }
          for (auto& w : farm) w->wait();
        }
        for (auto& w : farm) bad += w->errors();
      }
    }
    std::printf("%-10s mismatches %d\n", c.name, bad);
    (c.serial || c.workers == 1 ? base_bad : farm_bad) += bad;
  }
  if (base_bad == 0 && farm_bad == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("base %d farm %d\nLABEL UNOBSERVED\n", base_bad, farm_bad);
  return 1;
}
