// Film scan grading: a tone curve is sampled on the host and shipped to the device with every frame.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace scan {

inline void must(cudaError_t rc) {
  if (rc != cudaSuccess) {
    std::fprintf(stderr, "scan: %s\n", cudaGetErrorString(rc));
    std::abort();
  }
}

constexpr int kEntries = 256;

__global__ void applyCurve(const std::uint8_t* raw, const float* lut, float* graded, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) graded[i] = lut[raw[i]];
}

class ToneCurve {
 public:
  ToneCurve() : samples_(kEntries) { setGamma(1.0f); }

  void setGamma(float gamma) {
    int code = 0;
    std::generate(samples_.begin(), samples_.end(), [&] { return at(code++, gamma); });
  }

  static float at(int code, float gamma) { return std::pow(float(code) / float(kEntries - 1), gamma); }

  const std::vector<float>& samples() const { return samples_; }

 private:
  std::vector<float> samples_;
};

template <class Commands>
cudaGraphExec_t recordGraph(cudaStream_t stream, const Commands& commands) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  commands();
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&exec, graph, 0));
  must(cudaGraphDestroy(graph));
  return exec;
}

class Grader {
 public:
  Grader(const std::uint8_t* raw, float* graded, int pixels, cudaStream_t stream)
      : raw_(raw), graded_(graded), pixels_(pixels), stream_(stream) {
    must(cudaMalloc(&lut_, kEntries * sizeof(float)));
  }
  Grader(const Grader&) = delete;
  Grader& operator=(const Grader&) = delete;
  ~Grader() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(lut_);
  }

  ToneCurve& curve() { return curve_; }

  void gradeFrame() {
    if (!exec_) exec_ = recordGraph(stream_, [this] { record(); });
    must(cudaGraphLaunch(exec_, stream_));
  }

 private:
  void record() const {
    const auto& samples = curve_.samples();
    must(cudaMemcpyAsync(lut_, samples.data(), samples.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    applyCurve<<<(pixels_ + 255) / 256, 256, 0, stream_>>>(raw_, lut_, graded_, pixels_);
    must(cudaGetLastError());
  }

  const std::uint8_t* const raw_;
  float* const graded_;
  const int pixels_;
  cudaStream_t stream_;
  ToneCurve curve_;
  float* lut_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace scan

int main() {
  using namespace scan;
  constexpr int kPixels = 4096;
  std::vector<std::uint8_t> raw(kPixels);
  std::vector<float> graded(kPixels);
  for (int i = 0; i < kPixels; ++i) raw[i] = std::uint8_t(i * 7);
  cudaStream_t stream;
  std::uint8_t* dRaw;
  float* dGraded;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  must(cudaMalloc(&dRaw, kPixels));
  must(cudaMalloc(&dGraded, kPixels * sizeof(float)));
  must(cudaMemcpyAsync(dRaw, raw.data(), kPixels, cudaMemcpyHostToDevice, stream));
  bool right = true;
  {
    Grader grader(dRaw, dGraded, kPixels, stream);
    for (float gamma : {1.0f, 2.2f, 0.45f}) {
      grader.curve().setGamma(gamma);
      grader.gradeFrame();
      must(cudaMemcpyAsync(graded.data(), dGraded, kPixels * sizeof(float), cudaMemcpyDeviceToHost, stream));
      must(cudaStreamSynchronize(stream));
      for (int i = 0; i < kPixels; ++i) {
        const float error = std::fabs(graded[i] - ToneCurve::at(raw[i], gamma));
        right = right && error < 1e-5f;
      }
    }
  }
  must(cudaFree(dGraded));
  must(cudaFree(dRaw));
  must(cudaStreamDestroy(stream));
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
