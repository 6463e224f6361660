// Header-style expression templates for a small audio mixing bus.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define AUDIO_CHECK(x)                                                              \
  do {                                                                              \
    cudaError_t e_ = (x);                                                           \
    if (e_ != cudaSuccess) {                                                        \
      std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));        \
      std::printf("LABEL UNOBSERVED\n");                                            \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (0)

namespace dsp {

template <class E>
struct Expr {
  __host__ __device__ const E& self() const { return static_cast<const E&>(*this); }
};

struct Track : Expr<Track> {
  const float* samples;
  explicit Track(const float* p) : samples(p) {}
  __device__ float at(int i) const { return samples[i]; }
};

struct Level : Expr<Level> {
  const float* slot;
  explicit Level(const float* s) : slot(s) {}
  __device__ float at(int) const { return *slot; }
};

template <class A, class B>
struct Product : Expr<Product<A, B>> {
  A a;
  B b;
  Product(const A& x, const B& y) : a(x), b(y) {}
  __device__ float at(int i) const { return a.at(i) * b.at(i); }
};

template <class A, class B>
struct Sum : Expr<Sum<A, B>> {
  A a;
  B b;
  Sum(const A& x, const B& y) : a(x), b(y) {}
  __device__ float at(int i) const { return a.at(i) + b.at(i); }
};

template <class A, class B>
Product<A, B> operator*(const Expr<A>& a, const Expr<B>& b) { return {a.self(), b.self()}; }
template <class A, class B>
Sum<A, B> operator+(const Expr<A>& a, const Expr<B>& b) { return {a.self(), b.self()}; }

template <class E>
__global__ void render(float* out, E e, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = e.at(i);
}

class Fader {
 public:
  Fader(float gain, cudaStream_t s) : stream_(s) {
    AUDIO_CHECK(cudaMalloc(&slot_, sizeof(float)));
    move(gain);
  }
  ~Fader() { cudaFree(slot_); }
  Fader(const Fader&) = delete;
  Fader& operator=(const Fader&) = delete;
  void move(float gain) {
    AUDIO_CHECK(cudaMemcpyAsync(slot_, &gain, sizeof gain, cudaMemcpyHostToDevice, stream_));
    AUDIO_CHECK(cudaStreamSynchronize(stream_));
  }
  Level node() const { return Level(slot_); }

 private:
  cudaStream_t stream_;
  float* slot_ = nullptr;
};

class Bus {
 public:
  Bus(float* out, int frames, cudaStream_t s) : out_(out), frames_(frames), stream_(s) {}
  ~Bus() { if (exec_) cudaGraphExecDestroy(exec_); }

  template <class E>
  void compile(const Expr<E>& mix) {
    cudaGraph_t g = nullptr;
    AUDIO_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    render<<<(frames_ + 127) / 128, 128, 0, stream_>>>(out_, mix.self(), frames_);
    AUDIO_CHECK(cudaGetLastError());
    AUDIO_CHECK(cudaStreamEndCapture(stream_, &g));
    AUDIO_CHECK(cudaGraphInstantiateWithFlags(&exec_, g, 0));
    AUDIO_CHECK(cudaGraphDestroy(g));
  }
  void process() { AUDIO_CHECK(cudaGraphLaunch(exec_, stream_)); }

 private:
  float* out_;
  int frames_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace dsp

int main() {
  const int n = 480;
  cudaStream_t s;
  AUDIO_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  float *drums, *bass, *out;
  AUDIO_CHECK(cudaMalloc(&drums, n * sizeof(float)));
  AUDIO_CHECK(cudaMalloc(&bass, n * sizeof(float)));
  AUDIO_CHECK(cudaMalloc(&out, n * sizeof(float)));
  std::vector<float> hd(n), hb(n), ho(n);
  for (int i = 0; i < n; ++i) { hd[i] = std::sin(0.05f * i); hb[i] = std::cos(0.02f * i); }
  AUDIO_CHECK(cudaMemcpy(drums, hd.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  AUDIO_CHECK(cudaMemcpy(bass, hb.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  bool first_ok = true, later_ok = true, later_same = true;
  {
    dsp::Fader fd(1.0f, s), fb(0.5f, s);
    dsp::Bus bus(out, n, s);
    bus.compile(dsp::Track(drums) * fd.node() + dsp::Track(bass) * fb.node());
    const float moves[3][2] = {{1.0f, 0.5f}, {0.25f, 0.5f}, {0.25f, 2.0f}};
    for (int k = 0; k < 3; ++k) {
      if (k) { fd.move(moves[k][0]); fb.move(moves[k][1]); }
      bus.process();
      AUDIO_CHECK(cudaStreamSynchronize(s));
      AUDIO_CHECK(cudaMemcpy(ho.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
      for (int i = 0; i < n; ++i) {
        float want = hd[i] * moves[k][0] + hb[i] * moves[k][1];
        float old = hd[i] * moves[0][0] + hb[i] * moves[0][1];
        bool good = std::fabs(ho[i] - want) < 1e-4f;
        if (k == 0) first_ok = first_ok && good;
        else { later_ok = later_ok && good; later_same = later_same && std::fabs(ho[i] - old) < 1e-4f; }
      }
    }
  }
  AUDIO_CHECK(cudaFree(drums));
  AUDIO_CHECK(cudaFree(bass));
  AUDIO_CHECK(cudaFree(out));
  AUDIO_CHECK(cudaStreamDestroy(s));
  if (first_ok && later_ok) { std::printf("LABEL CONFIRMED\n"); return 0; }
  std::printf("first %d later %d same %d\nLABEL UNOBSERVED\n", first_ok, later_ok, later_same);
  return 1;
}
