// Spray droplets: an injector adds droplets, the solver heats them and sums the vapour mass.
#include <cuda_runtime.h>

#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>

#define GPU(x)                                                                              \
  do {                                                                                      \
    const cudaError_t rc_ = (x);                                                            \
    if (rc_ != cudaSuccess) {                                                               \
      std::fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(rc_));                 \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

namespace spray {

constexpr int kCapacity = 8192;
constexpr int kThreads = 128;

struct DropletsView {
  float* mass;      // zero beyond the live count
  int* live;        // device-side count
};

__global__ void inject(DropletsView d, int count) {
  const int i = threadIdx.x;
  __shared__ int base;
  if (i == 0) base = atomicAdd(d.live, count);
  __syncthreads();
  for (int k = i; k < count; k += blockDim.x)
    if (base + k < kCapacity) d.mass[base + k] = 1.f;
}

__global__ void evaporate(DropletsView d, float* vapour) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCapacity) return;
  vapour[i] = i < *d.live ? 0.5f * d.mass[i] : 0.f;
}

class Cloud {
 public:
  Cloud() {
    GPU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GPU(cudaMalloc(&d_.mass, kCapacity * sizeof(float)));
    GPU(cudaMalloc(&d_.live, sizeof(int)));
    GPU(cudaMalloc(&vapour_, kCapacity * sizeof(float)));
    GPU(cudaMalloc(&total_, sizeof(float)));
    GPU(cudaMallocHost(&h_live_, sizeof(int)));
    GPU(cub::DeviceReduce::Sum(nullptr, temp_bytes_, vapour_, total_, kCapacity, stream_));
    GPU(cudaMalloc(&temp_, temp_bytes_));
    GPU(cudaMemsetAsync(d_.mass, 0, kCapacity * sizeof(float), stream_));
    GPU(cudaMemsetAsync(d_.live, 0, sizeof(int), stream_));
    GPU(cudaMemsetAsync(vapour_, 0, kCapacity * sizeof(float), stream_));
    GPU(cudaStreamSynchronize(stream_));
    *h_live_ = 0;
  }
  ~Cloud() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(d_.mass);
    cudaFree(d_.live);
    cudaFree(vapour_);
    cudaFree(total_);
    cudaFree(temp_);
    cudaFreeHost(h_live_);
    cudaStreamDestroy(stream_);
  }
  Cloud(const Cloud&) = delete;
  Cloud& operator=(const Cloud&) = delete;

  int spawn(int count) {
    inject<<<1, kThreads, 0, stream_>>>(d_, count);
    GPU(cudaGetLastError());
    GPU(cudaMemcpyAsync(h_live_, d_.live, sizeof(int), cudaMemcpyDeviceToHost, stream_));
    GPU(cudaStreamSynchronize(stream_));
    return *h_live_;
  }

  float advance() {
    if (exec_ == nullptr) prepare();
    GPU(cudaGraphLaunch(exec_, stream_));
    float vapour = 0.f;
    GPU(cudaMemcpyAsync(&vapour, total_, sizeof vapour, cudaMemcpyDeviceToHost, stream_));
    GPU(cudaStreamSynchronize(stream_));
    return vapour;
  }

 private:
  int extent() const { return *h_live_; }

  void substep() {
    const int n = extent();
    evaporate<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream_>>>(d_, vapour_);  // HAZARD dynamic_shape
    GPU(cudaGetLastError());
    GPU(cub::DeviceReduce::Sum(temp_, temp_bytes_, vapour_, total_, n, stream_));  // HAZARD dynamic_shape
  }

  void prepare() {
    cudaGraph_t g = nullptr;
    GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    substep();
    GPU(cudaStreamEndCapture(stream_, &g));
    GPU(cudaGraphInstantiate(&exec_, g, 0));
    GPU(cudaGraphDestroy(g));
  }

  DropletsView d_{};
  float* vapour_ = nullptr;
  float* total_ = nullptr;
  void* temp_ = nullptr;
  size_t temp_bytes_ = 0;
  int* h_live_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace spray

int main() {
  spray::Cloud cloud;
  bool right = true;
  for (int pulse = 0; pulse < 4; ++pulse) {
    const int live = cloud.spawn(500);
    const float vapour = cloud.advance();
    std::printf("pulse %d live %d vapour %.1f\n", pulse, live, vapour);
    right = right && vapour == 0.5f * static_cast<float>(live);
  }
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
}
