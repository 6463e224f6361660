#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#define CHECK_CUDA(expr)                                                                       \
  do {                                                                                         \
    const cudaError_t status_ = (expr);                                                        \
    if (status_ != cudaSuccess) {                                                              \
      std::fprintf(stderr, "F %s:%d] %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));  \
      std::abort();                                                                            \
    }                                                                                          \
  } while (0)

namespace ranking {

class TicketPool;

struct Ticket {
  void Ref() { refs.fetch_add(1, std::memory_order_relaxed); }
  void Unref();
  void Signal() { served->fetch_add(1, std::memory_order_release); }

  std::atomic<int> refs{0};
  std::atomic<long>* served = nullptr;
  TicketPool* home = nullptr;
};

template <class T>
class Handle {
 public:
  Handle() = default;
  static Handle Adopt(T* p) { return Handle(p); }
  static Handle Borrow(T* p) {
    p->Ref();
    return Handle(p);
  }
  Handle(Handle&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Handle() {
    if (p_) p_->Unref();
  }
  T* operator->() const { return p_; }
  T* get() const { return p_; }
  T* Detach() { return std::exchange(p_, nullptr); }

 private:
  explicit Handle(T* p) : p_(p) {}
  T* p_ = nullptr;
};

class TicketPool {
 public:
  explicit TicketPool(int n) : storage_(n) {
    for (Ticket& t : storage_) free_.push_back(&t);
  }
  Handle<Ticket> Make(std::atomic<long>* served) {
    std::lock_guard<std::mutex> lock(mu_);
    if (free_.empty()) std::abort();
    Ticket* t = free_.back();
    free_.pop_back();
    t->refs.store(1);
    t->served = served;
    t->home = this;
    return Handle<Ticket>::Adopt(t);
  }
  void Recycle(Ticket* t) {
    std::lock_guard<std::mutex> lock(mu_);
    free_.push_back(t);
  }

 private:
  std::mutex mu_;
  std::vector<Ticket> storage_;
  std::vector<Ticket*> free_;
};

void Ticket::Unref() {
  if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) home->Recycle(this);  // HAZARD callback #1
}

__global__ void ScoreAds(const float* features, float* scores, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) scores[i] = 1.0f / (1.0f + __expf(-features[i]));
}

static void CUDART_CB OnBatchDone(void* user) {
  Handle<Ticket> ticket = Handle<Ticket>::Adopt(static_cast<Ticket*>(user));  // HAZARD callback #1
  ticket->Signal();
}  // HAZARD callback #1

class BatchSlot {
 public:
  BatchSlot(TicketPool& pool, cudaStream_t stream, int ads) : pool_(pool), stream_(stream), ads_(ads) {
    CHECK_CUDA(cudaMalloc(&features_, ads * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&scores_, ads * sizeof(float)));
    CHECK_CUDA(cudaMemsetAsync(features_, 0, ads * sizeof(float), stream_));
  }
  ~BatchSlot() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(features_);
    cudaFree(scores_);
  }
  BatchSlot(const BatchSlot&) = delete;
  BatchSlot& operator=(const BatchSlot&) = delete;

  void Compile() {
    Ticket* ticket = pool_.Make(&served_).Detach();
    exec_ = Trace([&](cudaStream_t s) {
      ScoreAds<<<(ads_ + 255) / 256, 256, 0, s>>>(features_, scores_, ads_);
      CHECK_CUDA(cudaGetLastError());
      CHECK_CUDA(cudaLaunchHostFunc(s, OnBatchDone, ticket));  // HAZARD callback #1
    });
  }

  void Execute() {
    CHECK_CUDA(cudaGraphLaunch(exec_, stream_));
    CHECK_CUDA(cudaStreamSynchronize(stream_));
  }

  long served() const { return served_.load(std::memory_order_acquire); }

 private:
  template <class Fn>
  cudaGraphExec_t Trace(Fn&& fn) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    fn(stream_);
    CHECK_CUDA(cudaStreamEndCapture(stream_, &graph));
    CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    return exec;
  }

  TicketPool& pool_;
  cudaStream_t stream_;
  int ads_;
  float* features_ = nullptr;
  float* scores_ = nullptr;
  std::atomic<long> served_{0};
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace ranking

int main() {
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  bool right = false;
  {
    ranking::TicketPool pool(8);
    ranking::BatchSlot small(pool, stream, 256), large(pool, stream, 4096);
    small.Compile();
    small.Execute();
    large.Compile();
    small.Execute();
    small.Execute();
    large.Execute();
    right = small.served() == 3 && large.served() == 1;
  }
  CHECK_CUDA(cudaStreamDestroy(stream));
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
