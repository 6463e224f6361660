// Recurrent draft decoder. The hidden state is re-anchored to the prompt state every few steps.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#define DRAFT_CHECK(expr)                                                                   \
  do {                                                                                      \
    const cudaError_t status_ = (expr);                                                     \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "draft: %s (%s:%d)\n", cudaGetErrorString(status_), __FILE__, __LINE__); \
      std::abort();                                                                         \
    }                                                                                       \
  } while (0)

namespace draft {

__global__ void decay_state(float* hidden, const float* gate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) hidden[i] = hidden[i] * 0.5f + gate[i];
}

__global__ void anchor_state(float* hidden, const float* prompt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) hidden[i] = prompt[i];
}

template <class T>
struct dev_deleter {
  void operator()(T* p) const noexcept { cudaFree(p); }
};
template <class T>
using dev_ptr = std::unique_ptr<T[], dev_deleter<T>>;

inline dev_ptr<float> dev_floats(const std::vector<float>& init, cudaStream_t s) {
  float* p = nullptr;
  DRAFT_CHECK(cudaMalloc(&p, init.size() * sizeof(float)));
  DRAFT_CHECK(cudaMemcpyAsync(p, init.data(), init.size() * sizeof(float), cudaMemcpyHostToDevice, s));
  return dev_ptr<float>(p);
}

struct exec_deleter {
  void operator()(cudaGraphExec_t x) const noexcept { cudaGraphExecDestroy(x); }
};
using exec_ptr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, exec_deleter>;

template <class Fn, class... Args>
exec_ptr trace(cudaStream_t s, Fn&& fn, Args&&... args) {
  cudaGraph_t g = nullptr;
  cudaGraphExec_t x = nullptr;
  DRAFT_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  std::forward<Fn>(fn)(std::forward<Args>(args)..., s);
  DRAFT_CHECK(cudaStreamEndCapture(s, &g));
  DRAFT_CHECK(cudaGraphInstantiate(&x, g, 0));
  DRAFT_CHECK(cudaGraphDestroy(g));
  return exec_ptr(x);
}

class decoder {
 public:
  static constexpr unsigned anchor_period = 4;

  decoder(const std::vector<float>& prompt, const std::vector<float>& gate, cudaStream_t s)
      : n_(static_cast<int>(prompt.size())),
        stream_(s),
        prompt_(dev_floats(prompt, s)),
        gate_(dev_floats(gate, s)),
        hidden_(dev_floats(std::vector<float>(prompt.size(), 0.0f), s)) {}

  void step() {
    if (!exec_) exec_ = trace(stream_, [](decoder& d, cudaStream_t s) { d.forward(s); }, *this);
    DRAFT_CHECK(cudaGraphLaunch(exec_.get(), stream_));
  }

  void read(std::vector<float>& out) const {
    DRAFT_CHECK(cudaMemcpyAsync(out.data(), hidden_.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    DRAFT_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  static bool anchor_due() {
    static unsigned ticks = 0;
    return ticks++ % anchor_period == 0;  // HAZARD host_logic #1
  }

  void anchor(cudaStream_t s) {
    anchor_state<<<(n_ + 63) / 64, 64, 0, s>>>(hidden_.get(), prompt_.get(), n_);
    DRAFT_CHECK(cudaGetLastError());
  }

  void forward(cudaStream_t s) {
    if (anchor_due()) anchor(s);  // HAZARD host_logic #1
    decay_state<<<(n_ + 63) / 64, 64, 0, s>>>(hidden_.get(), gate_.get(), n_);
    DRAFT_CHECK(cudaGetLastError());
  }

  const int n_;
  cudaStream_t stream_;
  dev_ptr<float> prompt_, gate_, hidden_;
  exec_ptr exec_;
};

}  // namespace draft

int main() {
  constexpr int kWidth = 200, kSteps = 10;
  cudaStream_t s;
  DRAFT_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  bool right = true;
  {
    std::vector<float> prompt(kWidth), gate(kWidth), want(kWidth, 0.0f), got(kWidth);
    for (int i = 0; i < kWidth; ++i) prompt[i] = float(i), gate[i] = 1.0f / float(1 + i);
    draft::decoder dec(prompt, gate, s);
    for (unsigned t = 0; t < kSteps; ++t) {
      if (t % draft::decoder::anchor_period == 0) want = prompt;
      for (int i = 0; i < kWidth; ++i) want[i] = want[i] * 0.5f + gate[i];
      dec.step();
      dec.read(got);
      for (int i = 0; i < kWidth; ++i) right = right && std::fabs(got[i] - want[i]) < 1e-3f;
    }
  }
  DRAFT_CHECK(cudaStreamDestroy(s));
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
