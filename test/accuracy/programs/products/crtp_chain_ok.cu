// Header-style stage chain: CRTP stages in a tuple, policies for gain and dither, recorded by one function template.
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace chain {

constexpr int kN = 256;

inline void check(cudaError_t rc) {
  if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorName(rc));
}

__global__ void mulKernel(const float* in, float* out, float k) { out[threadIdx.x] = in[threadIdx.x] * k; }
__global__ void clampKernel(float* v, float lo, float hi) { v[threadIdx.x] = fminf(fmaxf(v[threadIdx.x], lo), hi); }
__global__ void ditherKernel(float* d, unsigned* counter) {
  const unsigned seed = *counter;
  unsigned x = (threadIdx.x + 1) * 2654435761u ^ seed * 2246822519u;
  x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;
  d[threadIdx.x] = float(x & 0xffffu);
  __syncthreads();
  if (threadIdx.x == 0) *counter = seed + 1;
}

struct Frame {
  cudaStream_t stream;
  float *in, *out, *noise;
  unsigned* counter;
};

template <class Derived>
struct Stage {
  void operator()(Frame& f) { static_cast<Derived*>(this)->run(f); }
};

struct LinearGain {
  float value = 1.0f;
  float factor() const { return value; }
};

struct SequenceSeed {
  unsigned next_ = 7;
  unsigned next() { return next_++; }
};

template <class Policy>
struct Gain : Stage<Gain<Policy>> {
  Policy policy;
  void run(Frame& f) { mulKernel<<<1, kN, 0, f.stream>>>(f.in, f.out, policy.factor()); }
};

struct Clamp : Stage<Clamp> {
  float lo = -1000.0f, hi = 1000.0f;
  void run(Frame& f) {
    if (lo > hi) throw std::domain_error("empty clamp range");
    clampKernel<<<1, kN, 0, f.stream>>>(f.out, lo, hi);
  }
};

template <class Policy>
struct Dither : Stage<Dither<Policy>> {
  Policy policy;
  void run(Frame& f) { ditherKernel<<<1, kN, 0, f.stream>>>(f.noise, f.counter); }
};

template <class... Stages>
class Chain {
 public:
  template <class S>
  S& get() { return std::get<S>(stages_); }
  void operator()(Frame& f) {
    std::apply([&f](auto&... stage) { (stage(f), ...); }, stages_);
  }

 private:
  std::tuple<Stages...> stages_;
};

class Recording {
 public:
  explicit Recording(cudaStream_t s) : stream_(s) { check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); }
  Recording(const Recording&) = delete;
  ~Recording() {
    cudaGraph_t g = nullptr;
    if (open_ && cudaStreamEndCapture(stream_, &g) == cudaSuccess) cudaGraphDestroy(g);
  }
  cudaGraph_t finish() {
    cudaGraph_t g = nullptr;
    open_ = false;
    check(cudaStreamEndCapture(stream_, &g));
    return g;
  }

 private:
  cudaStream_t stream_;
  bool open_ = true;
};

template <class Body>
cudaGraphExec_t record(Frame& f, Body& body) {
  cudaGraphExec_t exec = nullptr;
  Recording recording(f.stream);
  body(f);
  cudaGraph_t graph = recording.finish();
  cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  check(rc);
  return exec;
}

}  // namespace chain

static float fetch(const chain::Frame& f, const float* p) {
  float v = 0;
  cudaMemcpyAsync(&v, p, sizeof v, cudaMemcpyDeviceToHost, f.stream);
  chain::check(cudaStreamSynchronize(f.stream));
  return v;
}

int main() {
  using namespace chain;
  Frame f{};
  float ones[kN];
  for (float& v : ones) v = 1.0f;
  cudaStreamCreateWithFlags(&f.stream, cudaStreamNonBlocking);
  for (float** p : {&f.in, &f.out, &f.noise}) cudaMalloc(p, sizeof ones);
  cudaMalloc(&f.counter, sizeof(unsigned));
  cudaMemset(f.counter, 0, sizeof(unsigned));
  cudaMemcpy(f.in, ones, sizeof ones, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  Chain<Gain<LinearGain>, Clamp, Dither<SequenceSeed>> graphChain;
  auto& gain = graphChain.get<Gain<LinearGain>>().policy;
  gain.value = 2.0f;
  cudaGraphExec_t exec = record(f, graphChain);
  check(cudaGraphLaunch(exec, f.stream));
  float g1 = fetch(f, f.out + 3), n1 = fetch(f, f.noise + 5);
  gain.value = 6.0f;
  check(cudaGraphExecDestroy(exec));
  exec = record(f, graphChain);
  check(cudaGraphLaunch(exec, f.stream));
  float g2 = fetch(f, f.out + 3), n2 = fetch(f, f.noise + 5);
  graphChain.get<Clamp>().lo = 2000.0f;
  bool threw = false;
  try { cudaGraphExecDestroy(record(f, graphChain)); } catch (const std::domain_error&) { threw = true; }
  cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(f.stream, &st);
  bool hit = g1 == 2.0f && g2 == 6.0f && n1 != n2 && threw && st == cudaStreamCaptureStatusNone;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED gain %g %g noise %g %g status %d\n", g1, g2, n1, n2, int(st));
  cudaGraphExecDestroy(exec);
  return 0;
}
