// Target tracker: a bank of one-dimensional Kalman filters, predicted every cycle and corrected when radar reports.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace track {

inline void expects(cudaError_t rc, const char* step) {
  if (rc != cudaSuccess) throw std::runtime_error(std::string(step) + " -> " + cudaGetErrorName(rc));
}

struct Plot {
  std::vector<float> range;
};

__global__ void predict(float* x, float v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += v;
}
__global__ void correct(float* x, const float* z, int n, float gain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += gain * (z[i] - x[i]);
}

class FilterBank {
 public:
  explicit FilterBank(int targets) : n_(targets) {
    expects(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    expects(cudaMalloc(&x_, n_ * sizeof(float)), "state");
    expects(cudaMalloc(&z_, n_ * sizeof(float)), "plots");
    expects(cudaMemset(x_, 0, n_ * sizeof(float)), "state");
    expects(cudaDeviceSynchronize(), "setup");
  }
  FilterBank(const FilterBank&) = delete;
  FilterBank& operator=(const FilterBank&) = delete;
  ~FilterBank() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(x_);
    cudaFree(z_);
    cudaStreamDestroy(stream_);
  }

  void onPlot(Plot plot) { pending_ = std::move(plot); }

  void cycle() {
    if (pending_)
      expects(cudaMemcpyAsync(z_, pending_->range.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "plot");
    if (!exec_) record();
    expects(cudaGraphLaunch(exec_, stream_), "launch");
    expects(cudaStreamSynchronize(stream_), "cycle");
    pending_.reset();
  }

  float estimate(int target) const {
    float v = 0.0f;
    expects(cudaMemcpyAsync(&v, x_ + target, sizeof v, cudaMemcpyDeviceToHost, stream_), "estimate");
    expects(cudaStreamSynchronize(stream_), "estimate");
    return v;
  }

 private:
  void record() {
    expects(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    predict<<<(n_ + 63) / 64, 64, 0, stream_>>>(x_, 1.0f, n_);
    if (pending_) correct<<<(n_ + 63) / 64, 64, 0, stream_>>>(x_, z_, n_, 0.5f);  // HAZARD host_logic #1
    const cudaError_t launched = cudaGetLastError();
    cudaGraph_t graph = nullptr;
    expects(cudaStreamEndCapture(stream_, &graph), "end");
    expects(launched, "kernels");
    expects(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    expects(cudaGraphDestroy(graph), "graph");
  }

  int n_;
  std::optional<Plot> pending_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *x_ = nullptr, *z_ = nullptr;
};

}  // namespace track

int main() try {
  track::FilterBank bank(200);
  float want = 0.0f;
  bool right = true;
  for (int t = 0; t < 6; ++t) {
    want += 1.0f;
    if (t % 3 == 0) {
      const float z = 10.0f * float(t + 1);
      bank.onPlot({std::vector<float>(200, z)});
      want += 0.5f * (z - want);
    }
    bank.cycle();
    right = right && std::fabs(bank.estimate(150) - want) < 1e-4f;
  }
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  std::puts("LABEL REFUTED");
  return 0;
}
