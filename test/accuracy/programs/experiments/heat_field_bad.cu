// CRTP grid simulation used by the terrain editor (heat spreading over a height field).
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

inline void must(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\nLABEL UNOBSERVED\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define MUST(x) must((x), __LINE__)

namespace sim {

struct Diffuse {
  float k;
  __device__ float operator()(float c, float l, float r, float u, float d) const {
    return c + k * (l + r + u + d - 4.f * c);
  }
};

template <class Rule>
__global__ void relax(const float* src, float* dst, int w, int h, Rule rule) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  auto at = [&](int i, int j) { return (i < 0 || j < 0 || i >= w || j >= h) ? 0.f : src[j * w + i]; };
  dst[y * w + x] = rule(at(x, y), at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1));
}

template <class Derived>
class Field {
 public:
  Field(int w, int h) : w_(w), h_(h) {
    MUST(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    MUST(cudaMalloc(&front_, bytes()));
    MUST(cudaMalloc(&back_, bytes()));
    MUST(cudaMemset(front_, 0, bytes()));
    MUST(cudaMemset(back_, 0, bytes()));
    MUST(cudaDeviceSynchronize());
  }
  ~Field() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(front_);
    cudaFree(back_);
    cudaStreamDestroy(stream_);
  }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  void advance() {
    if (!exec_) exec_ = record();
    MUST(cudaGraphLaunch(exec_, stream_));
    std::swap(front_, back_);  // HAZARD frozen #swap
    ++frame_;
  }

  void upload(const std::vector<float>& v) {
    MUST(cudaMemcpyAsync(front_, v.data(), bytes(), cudaMemcpyHostToDevice, stream_));
    MUST(cudaStreamSynchronize(stream_));
  }
  std::vector<float> snapshot() {
    std::vector<float> v(w_ * h_);
    MUST(cudaMemcpyAsync(v.data(), front_, bytes(), cudaMemcpyDeviceToHost, stream_));
    MUST(cudaStreamSynchronize(stream_));
    return v;
  }
  unsigned frames() const { return frame_; }

 protected:
  cudaGraphExec_t record() {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    MUST(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    static_cast<Derived*>(this)->step(front_, back_, stream_);
    MUST(cudaGetLastError());
    MUST(cudaStreamEndCapture(stream_, &g));
    MUST(cudaGraphInstantiateWithFlags(&e, g, 0));
    MUST(cudaGraphDestroy(g));
    return e;
  }
  size_t bytes() const { return size_t(w_) * h_ * sizeof(float); }

  int w_, h_;
  unsigned frame_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *front_ = nullptr, *back_ = nullptr;
};

class HeatField : public Field<HeatField> {
 public:
  HeatField(int w, int h, float k) : Field(w, h), rule_{k} {}
  void step(const float* src, float* dst, cudaStream_t s) {
    dim3 b(16, 8), g((w_ + 15) / 16, (h_ + 7) / 8);
    relax<<<g, b, 0, s>>>(src, dst, w_, h_, rule_);  // HAZARD frozen #swap
  }

 private:
  const Diffuse rule_;
};

}  // namespace sim

static void cpu_step(std::vector<float>& f, int w, int h, float k) {
  std::vector<float> o(f.size());
  auto at = [&](int i, int j) { return (i < 0 || j < 0 || i >= w || j >= h) ? 0.f : f[j * w + i]; };
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      o[y * w + x] = at(x, y) + k * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4.f * at(x, y));
  f.swap(o);
}

int main() {
  const int w = 48, h = 40, steps = 6;
  std::vector<float> init(w * h, 0.f);
  for (int y = 15; y < 25; ++y)
    for (int x = 18; x < 30; ++x) init[y * w + x] = 10.f + x - y;

  sim::HeatField field(w, h, 0.2f);
  field.upload(init);
  for (int i = 0; i < steps; ++i) field.advance();
  auto got = field.snapshot();

  auto want = init;
  for (int i = 0; i < steps; ++i) cpu_step(want, w, h, 0.2f);
  float err = 0, stale = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    err = std::fmax(err, std::fabs(got[i] - want[i]));
    stale = std::fmax(stale, std::fabs(got[i] - init[i]));
  }
  if (err > 0.1f && stale == 0.f) { std::printf("LABEL CONFIRMED\n"); return 0; }
  std::printf("err %g stale %g after %u frames\nLABEL UNOBSERVED\n", err, stale, field.frames());
  return 1;
}
