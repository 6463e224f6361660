// Gradient bucketing for a recorded training step: backward runs on the compute stream, filled
// buckets are averaged with the peer's gradients on a communication stream from the pool.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#define DL_CHECK(EXPR)                                                        \
  do {                                                                        \
    const cudaError_t rc__ = (EXPR);                                          \
    if (rc__ != cudaSuccess) {                                                \
      std::printf("%s: %s\nLABEL WRONG\n", #EXPR, cudaGetErrorString(rc__));  \
      std::exit(EXIT_FAILURE);                                                \
    }                                                                         \
  } while (false)

namespace dl {

constexpr int kLayers = 4;
constexpr int kParams = 256;
constexpr float kLr = 0.125f;

// ------------------------------------------------------------ kernels

// depth models the cost of the layer (attention blocks are much slower than projections)
__global__ void layer_backward(const float* w, const float* target, float* grad, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float g = w[i] - target[i], one = 1.0f + 0.0f * g;
  for (int k = 0; k < depth; ++k) one = fmaf(one, 0.5f, 0.5f);
  grad[i] = g * one;
}

__global__ void average_with_peer(float* reduced, const float* grad, const float* peer, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) reduced[i] = 0.5f * (grad[i] + peer[i]);
}

__global__ void sgd(float* w, const float* reduced, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] = fmaf(-kLr, reduced[i], w[i]);
}

// ------------------------------------------------------------ resources

class StreamPool {
 public:
  explicit StreamPool(int size) : streams_(size) {
    for (auto& s : streams_) DL_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  }
  ~StreamPool() {
    for (auto s : streams_) cudaStreamDestroy(s);
  }
  StreamPool(const StreamPool&) = delete;
  cudaStream_t get() { return streams_[next_++ % streams_.size()]; }

 private:
  std::vector<cudaStream_t> streams_;
  size_t next_ = 0;
};

class Event {
 public:
  Event() { DL_CHECK(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(e_); }
  Event(const Event&) = delete;
  void record(cudaStream_t s) { DL_CHECK(cudaEventRecord(e_, s)); }
  void block(cudaStream_t s) { DL_CHECK(cudaStreamWaitEvent(s, e_, 0)); }

 private:
  cudaEvent_t e_ = nullptr;
};

// One slab for parameters, gradients and optimizer inputs.
class Slab {
 public:
  explicit Slab(size_t floats) { DL_CHECK(cudaMalloc(&base_, floats * sizeof(float))); }
  ~Slab() { cudaFree(base_); }
  Slab(const Slab&) = delete;
  float* carve(size_t floats) {
    float* p = base_ + used_;
    used_ += floats;
    return p;
  }

 private:
  float* base_ = nullptr;
  size_t used_ = 0;
};

// ------------------------------------------------------------ reducer

struct Bucket {
  int first_layer = 0;
  int layers = 0;
  int arrived = 0;
  Event ready;
  Event done;
};

class Reducer {
 public:
  Reducer(float* grads, float* reduced, const float* peer, StreamPool& pool)
      : grads_(grads), reduced_(reduced), peer_(peer), comm_(pool.get()) {
    for (int b = 0; b < 2; ++b) {
      auto bucket = std::make_unique<Bucket>();
      bucket->first_layer = 2 * b;
      bucket->layers = 2;
      buckets_[b] = std::move(bucket);
    }
  }

  // Post-accumulate hook, called in the order in which the gradients are produced.
  void on_gradient(int layer, cudaStream_t compute) {
    Bucket& bucket = *buckets_[layer / 2];
    if (bucket.arrived++ == 0) {
      bucket.ready.record(compute);  // HAZARD dependency #ready
    }
    if (bucket.arrived == bucket.layers) flush(bucket);
  }

  void finalize(cudaStream_t compute) {
    for (auto& bucket : buckets_) {
      bucket->done.block(compute);
      bucket->arrived = 0;
    }
  }

 private:
  void flush(Bucket& bucket) {
    const int n = bucket.layers * kParams;
    const size_t at = size_t(bucket.first_layer) * kParams;
    bucket.ready.block(comm_);  // HAZARD dependency #ready
    average_with_peer<<<(n + 127) / 128, 128, 0, comm_>>>(reduced_ + at, grads_ + at, peer_ + at, n);
    bucket.done.record(comm_);
  }

  float* grads_;
  float* reduced_;
  const float* peer_;
  cudaStream_t comm_;
  std::array<std::unique_ptr<Bucket>, 2> buckets_;
};

// ------------------------------------------------------------ step

class Engine {
 public:
  Engine(const std::vector<float>& w, const std::vector<float>& target, const std::vector<float>& peer)
      : slab_(5 * kTotal), pool_(3), compute_(pool_.get()) {
    w_ = upload(w);
    target_ = upload(target);
    float* peer_grad = upload(peer);
    grads_ = slab_.carve(kTotal);
    reduced_ = slab_.carve(kTotal);
    reducer_ = std::make_unique<Reducer>(grads_, reduced_, peer_grad, pool_);
  }
  ~Engine() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  // Runs forward and backward without touching the weights.
  void warmup(int rounds) {
    for (int r = 0; r < rounds; ++r) {
      backward();
      reducer_->finalize(compute_);
      DL_CHECK(cudaStreamSynchronize(compute_));
    }
  }

  void record() {
    cudaGraph_t graph = nullptr;
    DL_CHECK(cudaStreamBeginCapture(compute_, cudaStreamCaptureModeThreadLocal));
    backward();
    reducer_->finalize(compute_);
    sgd<<<(kTotal + 127) / 128, 128, 0, compute_>>>(w_, reduced_, kTotal);
    DL_CHECK(cudaStreamEndCapture(compute_, &graph));
    DL_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    DL_CHECK(cudaGraphDestroy(graph));
  }

  std::vector<float> step() {
    std::vector<float> w(kTotal);
    DL_CHECK(cudaGraphLaunch(exec_, compute_));
    DL_CHECK(cudaMemcpyAsync(w.data(), w_, kTotal * sizeof(float), cudaMemcpyDeviceToHost, compute_));
    DL_CHECK(cudaStreamSynchronize(compute_));
    return w;
  }

  static constexpr int kTotal = kLayers * kParams;

 private:
  void backward() {
    for (int layer = kLayers - 1; layer >= 0; --layer) {
      const int depth = layer % 2 == 0 ? 2000000 : 8;
      const size_t at = size_t(layer) * kParams;
      layer_backward<<<kParams / 64, 64, 0, compute_>>>(w_ + at, target_ + at, grads_ + at, depth);
      DL_CHECK(cudaGetLastError());
      reducer_->on_gradient(layer, compute_);
    }
  }

  float* upload(const std::vector<float>& host) {
    float* p = slab_.carve(host.size());
    DL_CHECK(cudaMemcpy(p, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    return p;
  }

  Slab slab_;
  StreamPool pool_;
  cudaStream_t compute_;
  float *w_, *target_, *grads_, *reduced_;
  std::unique_ptr<Reducer> reducer_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace dl

int main() {
  const int n = dl::Engine::kTotal;
  std::vector<float> w(n), target(n), peer(n);
  for (int i = 0; i < n; ++i) {
    w[i] = 0.01f * float(i % 37);
    target[i] = 1.0f + 0.02f * float(i % 53);
    peer[i] = -0.3f + 0.001f * float(i % 91);
  }

  dl::Engine engine(w, target, peer);
  engine.warmup(2);
  engine.record();

  bool first = false;
  int wrong = 0;
  const int steps = 6;
  for (int s = 0; s < steps; ++s) {
    std::vector<float> got = engine.step();
    float worst = 0.0f;
    for (int i = 0; i < n; ++i) {
      w[i] = std::fmaf(-dl::kLr, 0.5f * ((w[i] - target[i]) + peer[i]), w[i]);
      worst = std::fmax(worst, std::fabs(w[i] - got[i]));
    }
    if (s == 0) first = worst < 1e-5f;
    if (worst > 1e-3f) ++wrong;
    std::printf("step %d max deviation %.6f\n", s, worst);
  }
  std::puts(first && wrong >= steps - 2 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
