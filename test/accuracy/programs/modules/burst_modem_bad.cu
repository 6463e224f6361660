// burst_modem: receive and transmit chains put together from stage templates. A chain is recorded
// for one block length at a time; stages may reject lengths that they cannot process.
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

namespace dsp {

enum class Status { kOk, kBadBlock, kCuda };

constexpr int kMaxBlock = 4096;
constexpr int grid(int n) { return (n + 127) / 128; }

inline bool good(cudaError_t e) {
  if (e != cudaSuccess) std::fprintf(stderr, "dsp: %s\n", cudaGetErrorString(e));
  return e == cudaSuccess;
}

template <std::size_t N>
struct Taps {
  float h[N];
};

template <std::size_t N>
__global__ void fir_kernel(const float* in, float* out, int n, Taps<N> taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float acc = 0.0f;
  for (int k = 0; k < int(N) && k <= i; ++k) acc += taps.h[k] * in[i - k];
  out[i] = acc;
}

template <int M>
__global__ void decimate_kernel(const float* in, float* out, int n_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n_out) out[i] = in[i * M];
}

static __global__ void gain_kernel(const float* in, float* out, int n, float g) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = g * in[i];
}

// Ping-pong buffers that travel along the chain while it is being enqueued.
struct Signal {
  float* cur;
  float* alt;
  int n;
  void flip() { std::swap(cur, alt); }
};

template <std::size_t N>
struct Fir {
  Taps<N> taps;
  bool enqueue(Signal& s, cudaStream_t stream) const {
    fir_kernel<N><<<grid(s.n), 128, 0, stream>>>(s.cur, s.alt, s.n, taps);
    s.flip();
    return true;
  }
  std::vector<float> host(const std::vector<float>& x) const {
    std::vector<float> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < N && k <= i; ++k) y[i] += taps.h[k] * x[i - k];
    return y;
  }
};

template <int M>
struct Decimate {
  bool enqueue(Signal& s, cudaStream_t stream) const {
    if (s.n % M != 0) return false;
    s.n /= M;
    decimate_kernel<M><<<grid(s.n), 128, 0, stream>>>(s.cur, s.alt, s.n);
    s.flip();
    return true;
  }
  std::vector<float> host(const std::vector<float>& x) const {
    std::vector<float> y(x.size() / M);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i * M];
    return y;
  }
};

struct Gain {
  float g;
  bool enqueue(Signal& s, cudaStream_t) const {
    gain_kernel<<<grid(s.n), 128>>>(s.cur, s.alt, s.n, g);  // HAZARD default_stream
    s.flip();
    return true;
  }
  std::vector<float> host(std::vector<float> x) const {
    for (float& v : x) v *= g;
    return x;
  }
};

template <typename... Stages>
class Chain {
 public:
  explicit Chain(Stages... stages) : stages_(stages...) {
    ready_ = good(cudaStreamCreate(&stream_)) && good(cudaMalloc(&a_, kMaxBlock * sizeof(float))) &&
             good(cudaMalloc(&b_, kMaxBlock * sizeof(float)));
  }
  ~Chain() {
    if (exec_) good(cudaGraphExecDestroy(exec_));
    good(cudaFree(a_));
    good(cudaFree(b_));
    good(cudaStreamDestroy(stream_));
  }
  Chain(const Chain&) = delete;

  Status record(int block) {
    if (!ready_) return Status::kCuda;
    if (!good(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal))) return Status::kCuda;
    Signal sig{a_, b_, block};
    const bool accepted = std::apply([&](const auto&... st) { return (st.enqueue(sig, stream_) && ...); }, stages_);
    if (!accepted) return Status::kBadBlock;  // HAZARD scope
    cudaGraph_t graph = nullptr;
    if (!good(cudaStreamEndCapture(stream_, &graph))) return Status::kCuda;
    const bool made = good(cudaGraphInstantiate(&exec_, graph, 0));
    if (!good(cudaGraphDestroy(graph)) || !made) return Status::kCuda;
    block_ = block;
    result_ = sig;
    return Status::kOk;
  }

  bool run(const std::vector<float>& in, std::vector<float>& out) {
    if (!exec_ || int(in.size()) != block_) return false;
    out.resize(result_.n);
    return good(cudaMemcpyAsync(a_, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice, stream_)) &&
           good(cudaGraphLaunch(exec_, stream_)) &&
           good(cudaMemcpyAsync(out.data(), result_.cur, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_)) &&
           good(cudaStreamSynchronize(stream_));
  }

  std::vector<float> host(std::vector<float> x) const {
    std::apply([&](const auto&... st) { ((x = st.host(x)), ...); }, stages_);
    return x;
  }

 private:
  std::tuple<Stages...> stages_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *a_ = nullptr, *b_ = nullptr;
  bool ready_ = false;
  int block_ = 0;
  Signal result_{};
};

}  // namespace dsp

// Runs several bursts and counts those that differ from the host model.
template <typename C>
static int wrong_bursts(C& chain, int block) {
  int wrong = 0;
  for (int burst = 0; burst < 4; ++burst) {
    std::vector<float> in(block), out;
    for (int i = 0; i < block; ++i) in[i] = float((i * 5 + burst * 29) % 64 - 32);
    wrong += !chain.run(in, out) || out != chain.host(in);
  }
  return wrong;
}

int main() {
  using namespace dsp;
  Chain tx(Gain{0.5f}, Fir<4>{{{1.0f, 2.0f, 2.0f, 1.0f}}});
  Chain rx(Fir<3>{{{1.0f, -2.0f, 1.0f}}}, Decimate<3>{});

  const Status tx_status = tx.record(1024);
  // Prefer long blocks; fall back to one that every stage accepts.
  int rx_block = 1000;
  Status rx_status = rx.record(rx_block);
  if (rx_status == Status::kBadBlock) {
    rx_block = 999;
    rx_status = rx.record(rx_block);
  }
  const int tx_wrong = wrong_bursts(tx, 1024), rx_wrong = wrong_bursts(rx, rx_block);
  std::printf("tx status %d, wrong %d; rx status %d, block %d, wrong %d\n", int(tx_status), tx_wrong, int(rx_status), rx_block, rx_wrong);
  const bool seen = (tx_status == Status::kCuda || tx_wrong > 0) && rx_status == Status::kCuda;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
