#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_OR_THROW(expr)                                                        \
  do {                                                                             \
    if (cudaError_t e_ = (expr); e_ != cudaSuccess)                                \
      throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(e_)); \
  } while (0)

__device__ __forceinline__ uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

__global__ void shockKernel(float* shock, uint32_t seed, uint32_t offset, int paths) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < paths) shock[i] = mix(seed ^ mix(offset + i)) * (1.0f / 4294967296.0f);
}

__global__ void exposureKernel(const float* weight, float* total, int positions) {
  extern __shared__ float w[];
  for (int i = threadIdx.x; i < positions; i += blockDim.x) w[i] = weight[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0.0f;
    for (int i = 0; i < positions; ++i) t += w[i];
    *total = t;
  }
}

class RiskEngine {
 public:
  static RiskEngine& instance() {
    static RiskEngine engine;
    return engine;
  }

  void addPosition(float weight) {
    if (weights_.size() == kMaxPositions) throw std::length_error("book is full");
    weights_.push_back(weight);
    CUDA_OR_THROW(cudaMemcpyAsync(weightDev_, weights_.data(), weights_.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    CUDA_OR_THROW(cudaStreamSynchronize(stream_));
  }

  struct Report {
    float exposure = 0.0f;
    float firstShock = 0.0f;
  };

  Report revalue() {
    if (!exec_) record();
    CUDA_OR_THROW(cudaGraphLaunch(exec_, stream_));
    CUDA_OR_THROW(cudaStreamSynchronize(stream_));
    offset_ += kPaths;
    return {result_[0], result_[1]};
  }

  void close() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
    for (float* p : {shock_, weightDev_, totalDev_}) cudaFree(p);
    cudaFreeHost(result_);
    cudaStreamDestroy(stream_);
  }

  RiskEngine(const RiskEngine&) = delete;
  RiskEngine& operator=(const RiskEngine&) = delete;

 private:
  static constexpr int kPaths = 4096;
  static constexpr std::size_t kMaxPositions = 1024;

  RiskEngine() {
    CUDA_OR_THROW(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CUDA_OR_THROW(cudaMalloc(&shock_, kPaths * sizeof(float)));
    CUDA_OR_THROW(cudaMalloc(&weightDev_, kMaxPositions * sizeof(float)));
    CUDA_OR_THROW(cudaMalloc(&totalDev_, sizeof(float)));
    CUDA_OR_THROW(cudaMallocHost(&result_, 2 * sizeof(float)));
  }

  void record() {
    cudaGraph_t graph = nullptr;
    const int positions = static_cast<int>(weights_.size());
    CUDA_OR_THROW(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    shockKernel<<<kPaths / 256, 256, 0, stream_>>>(shock_, seed_, offset_, kPaths);  // HAZARD random
    exposureKernel<<<1, 128, positions * sizeof(float), stream_>>>(weightDev_, totalDev_, positions);  // HAZARD dynamic_shape
    cudaMemcpyAsync(result_, totalDev_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    cudaMemcpyAsync(result_ + 1, shock_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    CUDA_OR_THROW(cudaStreamEndCapture(stream_, &graph));
    exec_ = nullptr;
    CUDA_OR_THROW(cudaGraphInstantiate(&exec_, graph, 0));
    CUDA_OR_THROW(cudaGraphDestroy(graph));
  }

  std::vector<float> weights_;
  uint32_t seed_ = 2024u, offset_ = 0;
  float *shock_ = nullptr, *weightDev_ = nullptr, *totalDev_ = nullptr, *result_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  try {
    RiskEngine& risk = RiskEngine::instance();
    for (int i = 0; i < 4; ++i) risk.addPosition(1.0f);
    const auto morning = risk.revalue();
    for (int i = 0; i < 3; ++i) risk.addPosition(2.0f);
    const auto noon = risk.revalue();
    const auto close = risk.revalue();
    risk.close();
    const bool ok = morning.exposure == 4.0f && noon.exposure == 4.0f && close.exposure == 4.0f &&
                    morning.firstShock == noon.firstShock && noon.firstShock == close.firstShock;
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED %f %f %f shocks %f %f %f\n", morning.exposure, noon.exposure, close.exposure,
                     morning.firstShock, noon.firstShock, close.firstShock);
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
