// Level-2 quote engine: double-buffered book on the device, one published header per tick.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <utility>

#define CUDA_OR_DIE(call)                                                              \
  do {                                                                                 \
    cudaError_t rc_ = (call);                                                          \
    if (rc_ != cudaSuccess) {                                                          \
      std::printf("LABEL REFUTED %s -> %s\n", #call, cudaGetErrorString(rc_));         \
      std::exit(0);                                                                    \
    }                                                                                  \
  } while (0)

struct MarketHeader {
  unsigned long long sequence;
  unsigned venue;
  unsigned levels;
};

__global__ void applyDeltas(const double* before, const double* delta, double* after, int levels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < levels) after[i] = before[i] + delta[i];
}

__global__ void publish(const double* book, const MarketHeader* header, MarketHeader* wire, double* top) {
  *wire = *header;
  *top = book[0];
}

class QuoteEngine {
 public:
  explicit QuoteEngine(int levels) : levels_(levels) {
    CUDA_OR_DIE(cudaStreamCreateWithFlags(&feed_, cudaStreamNonBlocking));
    const size_t bytes = sizeof(double) * levels_;
    CUDA_OR_DIE(cudaMalloc(&current_, bytes));
    CUDA_OR_DIE(cudaMalloc(&next_, bytes));
    CUDA_OR_DIE(cudaMalloc(&deltas_, bytes));
    CUDA_OR_DIE(cudaMalloc(&header_, sizeof(MarketHeader)));
    CUDA_OR_DIE(cudaMalloc(&wire_, sizeof(MarketHeader)));
    CUDA_OR_DIE(cudaMalloc(&top_, sizeof(double)));
    CUDA_OR_DIE(cudaMallocHost(&hostHeader_, sizeof(MarketHeader)));
    *hostHeader_ = MarketHeader{0, 17, static_cast<unsigned>(levels)};
    CUDA_OR_DIE(cudaMemsetAsync(current_, 0, bytes, feed_));
    CUDA_OR_DIE(cudaMemsetAsync(next_, 0, bytes, feed_));
    CUDA_OR_DIE(cudaStreamSynchronize(feed_));
  }

  ~QuoteEngine() {
    for (auto e : tick_) cudaGraphExecDestroy(e);
    for (void* p : {(void*)current_, (void*)next_, (void*)deltas_, (void*)header_, (void*)wire_, (void*)top_}) cudaFree(p);
    cudaFreeHost(hostHeader_);
    cudaStreamDestroy(feed_);
  }

  void loadDeltas(double value) {
    double* staging = new double[levels_];
    for (int i = 0; i < levels_; ++i) staging[i] = value;
    CUDA_OR_DIE(cudaMemcpy(deltas_, staging, sizeof(double) * levels_, cudaMemcpyHostToDevice));
    CUDA_OR_DIE(cudaDeviceSynchronize());
    delete[] staging;
  }

  void prepare() {
    for (auto& exec : tick_) {
      exec = recordTick();
      std::swap(current_, next_);
    }
  }

  void onTick() {
    hostHeader_->sequence += 1;
    CUDA_OR_DIE(cudaGraphLaunch(tick_[parity_], feed_));
    CUDA_OR_DIE(cudaStreamSynchronize(feed_));
    std::swap(current_, next_);
    parity_ ^= 1;
  }

  double best() const {
    double v = 0;
    CUDA_OR_DIE(cudaMemcpy(&v, current_, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

  double publishedTop() const {
    double v = 0;
    CUDA_OR_DIE(cudaMemcpy(&v, top_, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

  unsigned long long publishedSequence() const {
    MarketHeader h{};
    CUDA_OR_DIE(cudaMemcpy(&h, wire_, sizeof h, cudaMemcpyDeviceToHost));
    return h.sequence;
  }

 private:
  cudaGraphExec_t recordTick() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_OR_DIE(cudaStreamBeginCapture(feed_, cudaStreamCaptureModeGlobal));
    CUDA_OR_DIE(cudaMemcpyAsync(header_, hostHeader_, sizeof(MarketHeader), cudaMemcpyHostToDevice, feed_));
    applyDeltas<<<(levels_ + 127) / 128, 128, 0, feed_>>>(current_, deltas_, next_, levels_);
    publish<<<1, 1, 0, feed_>>>(next_, header_, wire_, top_);
    CUDA_OR_DIE(cudaStreamEndCapture(feed_, &graph));
    CUDA_OR_DIE(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OR_DIE(cudaGraphDestroy(graph));
    return exec;
  }

  int levels_;
  cudaStream_t feed_{};
  cudaGraphExec_t tick_[2]{};
  int parity_ = 0;
  double *current_{}, *next_{}, *deltas_{}, *top_{};
  MarketHeader *header_{}, *wire_{}, *hostHeader_{};
};

int main() {
  QuoteEngine engine(512);
  engine.loadDeltas(0.25);
  engine.prepare();
  for (int i = 0; i < 5; ++i) engine.onTick();
  const double best = engine.best(), top = engine.publishedTop();
  const unsigned long long seq = engine.publishedSequence();
  std::printf("best %.2f top %.2f sequence %llu\n", best, top, seq);
  const bool as_labelled = best == 1.25 && top == 1.25 && seq == 5;
  std::puts(as_labelled ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
