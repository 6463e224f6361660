// Pulse-Doppler style detector: per dwell, the magnitudes of NPULSE returns are integrated, the clutter
// map (a leaky average per range cell) is updated, and detections are cells that exceed the clutter.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace radar {

constexpr int kCells = 2048;
constexpr int kPulses = 8;
constexpr float kLeak = 0.75f;

__global__ void integrate(const float* pulses, float* mag) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= kCells) return;
  float s = 0.0f;
  for (int p = 0; p < kPulses; ++p) s += fabsf(pulses[p * kCells + c]);
  mag[c] = s / kPulses;
}
__global__ void updateClutter(const float* mag, float* clutter) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < kCells) clutter[c] = kLeak * clutter[c] + (1.0f - kLeak) * mag[c];
}
__global__ void rangeProfile(const float* mag, float* profile) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= kCells) return;
  float left = mag[max(c - 1, 0)], right = mag[min(c + 1, kCells - 1)];
  profile[c] = mag[c] - 0.5f * (left + right);
}
__global__ void excess(const float* mag, const float* clutter, const float* profile, float* out) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < kCells) out[c] = mag[c] - clutter[c] + 0.1f * profile[c];
}

class DwellProcessor {
 public:
  DwellProcessor() { ready_ = allocate() && record(); }
  ~DwellProcessor() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (cudaEvent_t e : {magReady_, clutterReady_})
      if (e) cudaEventDestroy(e);
    for (cudaStream_t s : {main_, control_})
      if (s) cudaStreamDestroy(s);
    for (float* p : {pulses_, mag_, clutter_, profile_, out_}) cudaFree(p);
    cudaFreeHost(hostPulses_);
    cudaFreeHost(hostOut_);
  }
  DwellProcessor(const DwellProcessor&) = delete;
  DwellProcessor& operator=(const DwellProcessor&) = delete;

  bool ready() const { return ready_; }
  float* dwellBuffer() { return hostPulses_; }

  const float* process() {
    bool ok = good(cudaGraphLaunch(exec_, main_)) && good(cudaStreamSynchronize(main_));
    return ok ? hostOut_ : nullptr;
  }

 private:
  static bool good(cudaError_t e) {
    if (e != cudaSuccess) std::printf("radar: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess;
  }

  bool allocate() {
    const size_t row = kCells * sizeof(float);
    bool ok = good(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking)) &&
              good(cudaStreamCreateWithFlags(&control_, cudaStreamNonBlocking)) &&
              good(cudaEventCreateWithFlags(&magReady_, cudaEventDisableTiming)) &&
              good(cudaEventCreateWithFlags(&clutterReady_, cudaEventDisableTiming)) &&
              good(cudaMallocHost(&hostPulses_, kPulses * row)) && good(cudaMallocHost(&hostOut_, row)) &&
              good(cudaMalloc(&pulses_, kPulses * row)) && good(cudaMalloc(&mag_, row)) &&
              good(cudaMalloc(&clutter_, row)) && good(cudaMalloc(&profile_, row)) && good(cudaMalloc(&out_, row));
    ok = ok && good(cudaMemset(mag_, 0, row)) && good(cudaMemset(clutter_, 0, row)) && good(cudaDeviceSynchronize());
    return ok;
  }

  // Clutter bookkeeping belongs to the control stream, as in the non-graph code path.
  void enqueueClutter() {
    updateClutter<<<kCells / 128, 128, 0, control_>>>(mag_, clutter_);  // HAZARD escape #clutter
  }

  bool record() {
    const size_t row = kCells * sizeof(float);
    if (!good(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal))) return false;
    bool ok = good(cudaMemcpyAsync(pulses_, hostPulses_, kPulses * row, cudaMemcpyHostToDevice, main_));
    integrate<<<kCells / 128, 128, 0, main_>>>(pulses_, mag_);
    ok = ok && good(cudaEventRecord(magReady_, main_));
    enqueueClutter();
    rangeProfile<<<kCells / 128, 128, 0, main_>>>(mag_, profile_);
    excess<<<kCells / 128, 128, 0, main_>>>(mag_, clutter_, profile_, out_);
    ok = ok && good(cudaMemcpyAsync(hostOut_, out_, row, cudaMemcpyDeviceToHost, main_));
    cudaGraph_t graph = nullptr;
    ok = good(cudaStreamEndCapture(main_, &graph)) && ok;
    ok = ok && good(cudaGraphInstantiate(&exec_, graph, 0));
    if (graph) cudaGraphDestroy(graph);
    return ok && good(cudaStreamSynchronize(control_));
  }

  bool ready_ = false;
  cudaStream_t main_ = nullptr, control_ = nullptr;
  cudaEvent_t magReady_ = nullptr, clutterReady_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *hostPulses_ = nullptr, *hostOut_ = nullptr;
  float *pulses_ = nullptr, *mag_ = nullptr, *clutter_ = nullptr, *profile_ = nullptr, *out_ = nullptr;
};

// Same chain on the host, state carried from dwell to dwell.
class HostModel {
 public:
  HostModel() : clutter_(kCells, 0.0) {}
  std::vector<double> process(const float* pulses) {
    std::vector<double> mag(kCells), out(kCells);
    for (int c = 0; c < kCells; ++c) {
      double s = 0.0;
      for (int p = 0; p < kPulses; ++p) s += std::fabs(pulses[p * kCells + c]);
      mag[c] = s / kPulses;
      clutter_[c] = kLeak * clutter_[c] + (1.0 - kLeak) * mag[c];
    }
    for (int c = 0; c < kCells; ++c) {
      double l = mag[std::max(c - 1, 0)], r = mag[std::min(c + 1, kCells - 1)];
      out[c] = mag[c] - clutter_[c] + 0.1 * (mag[c] - 0.5 * (l + r));
    }
    return out;
  }

 private:
  std::vector<double> clutter_;
};

}  // namespace radar

int main() {
  using namespace radar;
  int wrong = 0;
  bool failed = false;
  {
    DwellProcessor gpu;
    HostModel model;
    failed = !gpu.ready();
    for (int dwell = 0; !failed && dwell < 10; ++dwell) {
      float* buf = gpu.dwellBuffer();
      for (int p = 0; p < kPulses; ++p)
        for (int c = 0; c < kCells; ++c)
          buf[p * kCells + c] = 2.0f * std::sin(0.01f * c + 0.2f * p) + ((c == 300 + 40 * dwell) ? 5.0f : 0.0f);
      const float* got = gpu.process();
      std::vector<double> want = model.process(buf);
      failed = got == nullptr;
      for (int c = 0; !failed && c < kCells; ++c)
        if (std::fabs(got[c] - want[c]) > 1e-3) ++wrong;
    }
  }
  std::printf("wrong cells %d, failed %d\n", wrong, failed);
  std::puts(!failed && wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
