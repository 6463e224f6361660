// Calibration service: two request lanes solve small relaxation problems; the work area is sized once for the session.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace calib {

class GpuError : public std::runtime_error {
 public:
  GpuError(cudaError_t e, int line) : std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorString(e)) {}
};
#define GPU_OK(x)                                                          \
  do {                                                                     \
    if (cudaError_t e_ = (x); e_ != cudaSuccess) throw calib::GpuError(e_, __LINE__); \
  } while (0)

constexpr int kUnknowns = 256;
constexpr int kSweeps = 20000;
constexpr float kDecay = 0.9995f, kDrive = 0.0005f;

__global__ void seed_work(const float* rhs, float* work) { work[threadIdx.x] = 0.5f * rhs[threadIdx.x]; }

__global__ void relax(const float* rhs, volatile float* work) {
  const float b = rhs[threadIdx.x];
  for (int s = 0; s < kSweeps; ++s) {
    work[threadIdx.x] = fmaf(kDecay, work[threadIdx.x], kDrive * b);
    __syncthreads();
  }
}

__global__ void extract(const float* work, float* x) { x[threadIdx.x] = 2.0f * work[threadIdx.x]; }

struct Pinned {
  float* p = nullptr;
  Pinned() { GPU_OK(cudaMallocHost(&p, kUnknowns * sizeof(float))); }
  ~Pinned() { cudaFreeHost(p); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
};
struct Device {
  float* p = nullptr;
  Device() { GPU_OK(cudaMalloc(&p, kUnknowns * sizeof(float))); }
  ~Device() { cudaFree(p); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

struct Lane {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  Pinned h_rhs, h_x;
  Device d_rhs, d_x;
  Lane() { GPU_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Lane() {
    if (exec) cudaGraphExecDestroy(exec);
    cudaStreamDestroy(stream);
  }
};

class Session {
 public:
  Session() {
    GPU_OK(cudaEventCreateWithFlags(&work_free_, cudaEventDisableTiming));
    for (auto& l : lanes_) {
      l = std::make_unique<Lane>();
      record(*l);
    }
  }
  ~Session() {
    for (auto& l : lanes_) cudaStreamSynchronize(l->stream);
    cudaEventDestroy(work_free_);
  }

  void submit(int lane, const std::vector<float>& rhs) {
    Lane& l = *lanes_[lane];
    for (int i = 0; i < kUnknowns; ++i) l.h_rhs.p[i] = rhs[i];
    GPU_OK(cudaStreamWaitEvent(l.stream, work_free_, 0));
    GPU_OK(cudaGraphLaunch(l.exec, l.stream));
    GPU_OK(cudaEventRecord(work_free_, l.stream));
  }
  std::vector<float> collect(int lane) {
    Lane& l = *lanes_[lane];
    GPU_OK(cudaStreamSynchronize(l.stream));
    return std::vector<float>(l.h_x.p, l.h_x.p + kUnknowns);
  }

 private:
  void record(Lane& l) {
    cudaGraph_t g = nullptr;
    GPU_OK(cudaStreamBeginCapture(l.stream, cudaStreamCaptureModeThreadLocal));
    GPU_OK(cudaMemcpyAsync(l.d_rhs.p, l.h_rhs.p, kUnknowns * sizeof(float), cudaMemcpyHostToDevice, l.stream));
    seed_work<<<1, kUnknowns, 0, l.stream>>>(l.d_rhs.p, work_.p);
    GPU_OK(cudaGetLastError());
    relax<<<1, kUnknowns, 0, l.stream>>>(l.d_rhs.p, work_.p);
    GPU_OK(cudaGetLastError());
    extract<<<1, kUnknowns, 0, l.stream>>>(work_.p, l.d_x.p);
    GPU_OK(cudaGetLastError());
    GPU_OK(cudaMemcpyAsync(l.h_x.p, l.d_x.p, kUnknowns * sizeof(float), cudaMemcpyDeviceToHost, l.stream));
    GPU_OK(cudaStreamEndCapture(l.stream, &g));
    GPU_OK(cudaGraphInstantiate(&l.exec, g, 0));
    GPU_OK(cudaGraphDestroy(g));
  }

  Device work_;
  std::array<std::unique_ptr<Lane>, 2> lanes_;
  cudaEvent_t work_free_ = nullptr;
};

static float worst(const std::vector<float>& rhs, const std::vector<float>& x) {
  float w = 0.f;
  for (int i = 0; i < kUnknowns; ++i) {
    float v = 0.5f * rhs[i];
    for (int s = 0; s < kSweeps; ++s) v = std::fmaf(kDecay, v, kDrive * rhs[i]);
    w = std::fmax(w, std::fabs(2.0f * v - x[i]));
  }
  return w;
}

}  // namespace calib

int main() {
  try {
    calib::Session session;
    std::vector<float> up(calib::kUnknowns), down(calib::kUnknowns);
    bool alone_ok = true, pairs_ok = true;
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < calib::kUnknowns; ++i) {
        up[i] = 100.f + float((i + round) % 17);
        down[i] = -80.f - float((i * 3 + round) % 13);
      }
      if (round == 0) {
        session.submit(0, up);
        alone_ok = calib::worst(up, session.collect(0)) < 0.1f;
        std::printf("single request: %s\n", alone_ok ? "ok" : "differs");
        continue;
      }
      session.submit(0, up);
      session.submit(1, down);
      float a = calib::worst(up, session.collect(0)), b = calib::worst(down, session.collect(1));
      std::printf("round %d: worst %g and %g\n", round, a, b);
      pairs_ok = pairs_ok && a < 0.1f && b < 0.1f;
    }
    const bool seen = alone_ok && pairs_ok;
    std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return seen ? 0 : 1;
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL UNOBSERVED\n", e.what());
    return 1;
  }
}
