// Lidar preprocessing node: range correction under a calibration model that operators may replace while driving.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lidar {

inline void must(cudaError_t rc, const char* step) {
  if (rc != cudaSuccess) throw std::runtime_error(std::string(step) + " failed, " + cudaGetErrorString(rc));
}

struct Offset { float metres; };
struct Affine { float gain, bias; };
struct Quadratic { float a, b, c; };
using RangeModel = std::variant<Offset, Affine, Quadratic>;

__global__ void applyOffset(const float* in, float* out, int n, Offset m) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] + m.metres;
}
__global__ void applyAffine(const float* in, float* out, int n, Affine m) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * m.gain + m.bias;
}
__global__ void applyQuadratic(const float* in, float* out, int n, Quadratic m) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = (m.a * in[i] + m.b) * in[i] + m.c;
}
__global__ void rejectNear(float* r, int n, float least) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (r[i] < least) r[i] = 0.0f;
}

template <class... F>
struct overload : F... {
  using F::operator()...;
};
template <class... F>
overload(F...) -> overload<F...>;

class ScanNode {
 public:
  ScanNode(int beams, RangeModel model) : beams_(beams), model_(std::move(model)) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    must(cudaMalloc(&raw_, beams * sizeof(float)), "raw");
    must(cudaMalloc(&corrected_, beams * sizeof(float)), "corrected");
  }
  ScanNode(const ScanNode&) = delete;
  ScanNode& operator=(const ScanNode&) = delete;
  ~ScanNode() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(raw_);
    cudaFree(corrected_);
    cudaStreamDestroy(stream_);
  }

  void onCalibration(const RangeModel& model) {
    model_ = model;
    stale_ = true;
  }

  void onScan(const std::vector<float>& ranges, const std::function<void(const std::vector<float>&)>& publish) {
    must(cudaMemcpyAsync(raw_, ranges.data(), beams_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
    if (!exec_ || std::exchange(stale_, false)) compile();
    must(cudaGraphLaunch(exec_, stream_), "launch");
    std::vector<float> out(beams_);
    must(cudaMemcpyAsync(out.data(), corrected_, beams_ * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
    must(cudaStreamSynchronize(stream_), "scan");
    publish(out);
  }

 private:
  void enqueue() {
    std::visit(overload{
                   [this](const Offset& m) { applyOffset<<<8, 128, 0, stream_>>>(raw_, corrected_, beams_, m); },
                   [this](const Affine& m) { applyAffine<<<8, 128, 0, stream_>>>(raw_, corrected_, beams_, m); },
                   [this](const Quadratic& m) { applyQuadratic<<<8, 128, 0, stream_>>>(raw_, corrected_, beams_, m); },
               },
               model_);
    rejectNear<<<8, 128, 0, stream_>>>(corrected_, beams_, 0.25f);
    must(cudaGetLastError(), "kernels");
  }

  void compile() {
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    enqueue();
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream_, &graph), "end");
    if (exec_) {
      cudaGraphExecUpdateResultInfo info{};
      if (cudaGraphExecUpdate(exec_, graph, &info) == cudaSuccess) {
        must(cudaGraphDestroy(graph), "graph");
        return;
      }
      cudaGetLastError();
      must(cudaGraphExecDestroy(std::exchange(exec_, nullptr)), "old graph");
    }
    must(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    must(cudaGraphDestroy(graph), "graph");
  }

  int beams_;
  RangeModel model_;
  bool stale_ = false;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *raw_ = nullptr, *corrected_ = nullptr;
};

}  // namespace lidar

int main() try {
  lidar::ScanNode node(720, lidar::Offset{0.5f});
  const std::vector<float> scan(720, 4.0f);
  float got = 0.0f;
  const auto sink = [&got](const std::vector<float>& r) { got = r[300]; };
  node.onScan(scan, sink);
  if (std::fabs(got - 4.5f) > 1e-4f) throw std::runtime_error("first scan");
  node.onCalibration(lidar::Affine{2.0f, 1.0f});
  node.onScan(scan, sink);
  bool right = std::fabs(got - 9.0f) < 1e-4f;
  node.onCalibration(lidar::Quadratic{1.0f, 0.0f, -2.0f});
  node.onScan(scan, sink);
  right = right && std::fabs(got - 14.0f) < 1e-4f;
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  std::puts("LABEL REFUTED");
  return 0;
}
