#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace esm {

static void die(const char* expr, cudaError_t rc, int line) {
  std::fprintf(stderr, "esm_offload:%d %s: %s\n", line, expr, cudaGetErrorString(rc));
  std::abort();
}
#define ESM_CUDA(e)                                      \
  do {                                                   \
    cudaError_t rc_ = (e);                               \
    if (rc_ != cudaSuccess) ::esm::die(#e, rc_, __LINE__); \
  } while (0)

__global__ void block_kernel(float* x, const float* w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * w[0] + w[i];
}

class StreamPool {
 public:
  explicit StreamPool(int n) : streams_(n), events_(n) {
    for (int i = 0; i < n; ++i) {
      ESM_CUDA(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking));
      ESM_CUDA(cudaEventCreateWithFlags(&events_[i], cudaEventDisableTiming));
    }
  }
  ~StreamPool() {
    for (auto e : events_) cudaEventDestroy(e);
    for (auto s : streams_) cudaStreamDestroy(s);
  }
  cudaStream_t stream(int i) const { return streams_[i]; }
  cudaEvent_t event(int i) const { return events_[i]; }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
};

class OffloadedTrunk {
 public:
  OffloadedTrunk(int layers, int width) : layers_(layers), width_(width), pool_(2) {
    const size_t bytes = static_cast<size_t>(width) * sizeof(float);
    ESM_CUDA(cudaMallocHost(&host_, layers * bytes));
    ESM_CUDA(cudaMalloc(&act_, bytes));
    for (int s = 0; s < 2; ++s) {
      ESM_CUDA(cudaMalloc(&slot_[s], bytes));
      ESM_CUDA(cudaEventCreateWithFlags(&ready_[s], cudaEventDisableTiming));
    }
    for (int l = 0; l < layers; ++l)
      for (int i = 0; i < width; ++i) host_[l * width + i] = i == 0 ? 0.5f : 0.25f * (l + 1);
    ESM_CUDA(cudaMemcpyAsync(slot_[0], host_, bytes, cudaMemcpyHostToDevice, compute()));
    ESM_CUDA(cudaStreamSynchronize(compute()));
  }
  ~OffloadedTrunk() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (int s = 0; s < 2; ++s) {
      cudaEventDestroy(ready_[s]);
      cudaFree(slot_[s]);
    }
    cudaFree(act_);
    cudaFreeHost(host_);
  }

  cudaError_t build() {
    cudaGraph_t graph = nullptr;
    cudaError_t rc = cudaStreamBeginCapture(compute(), cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    enqueue();
    rc = cudaStreamEndCapture(compute(), &graph);  // HAZARD dependency #1
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
  }

  cudaError_t embed(const std::vector<float>& in, std::vector<float>& out) {
    const size_t bytes = static_cast<size_t>(width_) * sizeof(float);
    out.assign(in.size(), 0.0f);
    ESM_CUDA(cudaMemcpyAsync(act_, in.data(), bytes, cudaMemcpyHostToDevice, compute()));
    ESM_CUDA(cudaGraphLaunch(exec_, compute()));
    ESM_CUDA(cudaMemcpyAsync(out.data(), act_, bytes, cudaMemcpyDeviceToHost, compute()));
    return cudaStreamSynchronize(compute());
  }

 private:
  cudaStream_t compute() const { return pool_.stream(0); }
  cudaStream_t copy() const { return pool_.stream(1); }

  void prefetch(int layer) {
    const int s = layer & 1;
    ESM_CUDA(cudaEventRecord(pool_.event(0), compute()));
    ESM_CUDA(cudaStreamWaitEvent(copy(), pool_.event(0), 0));  // HAZARD dependency #1
    const float* src = host_ + static_cast<size_t>(layer) * width_;
    ESM_CUDA(cudaMemcpyAsync(slot_[s], src, width_ * sizeof(float), cudaMemcpyHostToDevice, copy()));  // HAZARD dependency #1
    ESM_CUDA(cudaEventRecord(ready_[s], copy()));  // HAZARD dependency #1
  }

  void enqueue() {
    for (int l = 0; l < layers_; ++l) {
      prefetch((l + 1) % layers_);  // HAZARD dependency #1
      if (l > 0) {
        ESM_CUDA(cudaStreamWaitEvent(compute(), ready_[l & 1], 0));
      }
      block_kernel<<<(width_ + 127) / 128, 128, 0, compute()>>>(act_, slot_[l & 1], width_);
      ESM_CUDA(cudaGetLastError());
    }
  }

  int layers_;
  int width_;
  StreamPool pool_;
  float* host_ = nullptr;
  float* act_ = nullptr;
  float* slot_[2] = {};
  cudaEvent_t ready_[2] = {};
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace esm

int main() {
  constexpr int kLayers = 6, kWidth = 1280;
  esm::OffloadedTrunk trunk(kLayers, kWidth);
  const cudaError_t rc = trunk.build();
  bool right = rc == cudaSuccess;
  for (int pass = 0; right && pass < 3; ++pass) {
    std::vector<float> out;
    right = trunk.embed(std::vector<float>(kWidth, 1.0f + pass), out) == cudaSuccess;
    float ref = 1.0f + pass;
    for (int l = 0; l < kLayers; ++l) ref = ref * 0.5f + 0.25f * (l + 1);
    for (int i = 1; right && i < kWidth; ++i) right = std::fabs(out[i] - ref) < 1e-4f;
  }
  std::puts(rc == cudaErrorStreamCaptureUnjoined ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
