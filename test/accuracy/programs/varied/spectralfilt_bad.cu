// Pseudo-spectral low-pass filter of a periodic field; the filter step is replayed for every time level.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace spectral {

constexpr int N = 512;
constexpr int kModes = N / 2 + 1;

inline void ok(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(e));
}
inline void ok(cufftResult e, const char* what) {
  if (e != CUFFT_SUCCESS) throw std::runtime_error(std::string(what) + ": cufft " + std::to_string(int(e)));
}

__global__ void truncate_modes(cufftComplex* hat, int cutoff) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= kModes) return;
  const float w = k < cutoff ? 1.0f / N : 0.0f;
  hat[k].x *= w;
  hat[k].y *= w;
}

struct Transforms {
  cufftHandle forward = 0;
  cufftHandle inverse = 0;

  Transforms() {
    ok(cufftPlan1d(&forward, N, CUFFT_R2C, 1), "forward plan");
    ok(cufftPlan1d(&inverse, N, CUFFT_C2R, 1), "inverse plan");
  }
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;
  ~Transforms() {
    cufftDestroy(forward);
    cufftDestroy(inverse);
  }
};

class LowPass {
 public:
  LowPass(cudaStream_t stream, int cutoff) : stream_(stream), cutoff_(cutoff) {
    ok(cudaMalloc(&field_, N * sizeof(float)), "field");
    ok(cudaMalloc(&hat_, kModes * sizeof(cufftComplex)), "hat");
    ok(cudaMemset(field_, 0, N * sizeof(float)), "zero");
    ok(cudaMemset(hat_, 0, kModes * sizeof(cufftComplex)), "zero");
    ok(cudaDeviceSynchronize(), "setup");
  }
  LowPass(const LowPass&) = delete;
  LowPass& operator=(const LowPass&) = delete;
  ~LowPass() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(field_);
    cudaFree(hat_);
  }

  void compile() {
    ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    ok(cufftExecR2C(fft_.forward, field_, hat_), "forward");  // HAZARD escape #1
    truncate_modes<<<(kModes + 127) / 128, 128, 0, stream_>>>(hat_, cutoff_);
    ok(cufftExecC2R(fft_.inverse, hat_, field_), "inverse");  // HAZARD escape #2
    cudaGraph_t graph = nullptr;
    ok(cudaStreamEndCapture(stream_, &graph), "end");
    ok(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    ok(cudaGraphDestroy(graph), "destroy");
  }

  std::vector<float> apply(const std::vector<float>& in) {
    std::vector<float> out(N);
    ok(cudaMemcpyAsync(field_, in.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream_), "in");
    ok(cudaGraphLaunch(exec_, stream_), "launch");
    ok(cudaMemcpyAsync(out.data(), field_, N * sizeof(float), cudaMemcpyDeviceToHost, stream_), "out");
    ok(cudaStreamSynchronize(stream_), "sync");
    return out;
  }

 private:
  cudaStream_t stream_;
  Transforms fft_;
  int cutoff_;
  float* field_ = nullptr;
  cufftComplex* hat_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace spectral

int main() {
  using namespace spectral;
  try {
    cudaStream_t stream = nullptr;
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    bool right = true;
    {
      LowPass filter(stream, 16);
      filter.compile();
      for (int level = 1; level <= 3; ++level) {
        std::vector<float> u(N);
        for (int i = 0; i < N; ++i) {
          const float x = 6.2831853f * float(i) / N;
          u[i] = float(level) * std::sin(3.0f * x) + 0.5f * std::sin(100.0f * x);
        }
        const std::vector<float> v = filter.apply(u);
        for (int i = 0; i < N; ++i) {
          const float want = float(level) * std::sin(3.0f * 6.2831853f * float(i) / N);
          right = right && std::fabs(v[i] - want) < 1e-2f;
        }
      }
    }
    ok(cudaStreamDestroy(stream), "stream");
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
