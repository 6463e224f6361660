// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std -- -DOBJECT
// RUN: %check %s cudagraph-dangling-memory --real-std -- -DOBJECT -DVIRTUAL
// RUN: %check %s cudagraph-dangling-memory --real-std -- -DOWNER
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LEGAL -- -DKEPT
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LEGAL -- -DKEPT -DOBJECT
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LEGAL -- -DKEPT -DOBJECT -DVIRTUAL
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=LEGAL -- -DKEPT -DOWNER

// A pool returns the address of a slot through a parameter. The graph still
// uses the slot after its return to the pool. (OBJECT: the destructor of an
// object returns it; VIRTUAL: the pool is known by its interface; OWNER: the
// deleter of a shared pointer returns it; KEPT: the slot is not returned.)

#include "cuda_runtime.h"
#include <memory>
#include <vector>

__global__ void weigh(const float *Weights, float *Sums) {
  Sums[threadIdx.x] += Weights[threadIdx.x];
}
__global__ void fill(float *To) { To[threadIdx.x] = 1; }

class Slots {
public:
  virtual ~Slots() = default;
  virtual int acquire(void **Slot) = 0;
  virtual void release(void *Slot) = 0;
};

class Pool final : public Slots {
public:
  explicit Pool(int Count) {
    cudaMalloc(&Slab, Count * 1024);
    for (int I = 0; I < Count; ++I)
      Free.push_back(static_cast<char *>(Slab) + I * 1024);
  }
  int acquire(void **Slot) override {
    if (Free.empty())
      return 1;
    *Slot = Free.back();
    Free.pop_back();
    return 0;
  }
  void release(void *Slot) override { Free.push_back(Slot); }
  std::shared_ptr<void> lend() {
    void *Slot = nullptr;
    if (acquire(&Slot))
      return nullptr;
    return std::shared_ptr<void>(Slot, [this](void *Old) { release(Old); });
  }

private:
  void *Slab = nullptr;
  std::vector<void *> Free;
};

#ifdef VIRTUAL
using Source = Slots;
#else
using Source = Pool;
#endif

class Lease {
public:
  explicit Lease(Source &From) : From(From) { Status = From.acquire(&Slot); }
  ~Lease() {
    if (Slot)
      From.release(Slot);
  }
  Source &From;
  void *Slot = nullptr;
  int Status;
};

class Tally {
public:
  explicit Tally(Source &From) : From(From) {
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    cudaMalloc(&Sums, 1024);
  }
  int prepare() {
#if defined(OWNER) && defined(KEPT)
    Owned = From.lend();
    void *Slot = Owned.get();
#elif defined(OWNER)
    std::shared_ptr<void> Local = From.lend();
    void *Slot = Local.get();
#elif defined(OBJECT) && defined(KEPT)
    Kept = std::make_unique<Lease>(From);
    void *Slot = Kept->Slot;
#elif defined(OBJECT)
    Lease Local(From);
    void *Slot = Local.Slot;
#else
    void *Slot = nullptr;
    From.acquire(&Slot);
#endif
    float *Weights = static_cast<float *>(Slot);
    if (!Weights || cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
      return 1;
    weigh<<<1, 256, 0, Stream>>>(Weights, Sums);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'weigh' uses 'Weights', which 'Pool::release' returns to a pool; every replay will use it, although it may have another user
    if (cudaStreamEndCapture(Stream, &Graph) ||
        cudaGraphInstantiate(&Exec, Graph, 0))
      return 1;
#if !defined(OWNER) && !defined(OBJECT) && !defined(KEPT)
    From.release(Slot);
#endif
    return 0;
  }
  int run() {
    return cudaGraphLaunch(Exec, Stream) || cudaStreamSynchronize(Stream);
  }

private:
  Source &From;
  std::shared_ptr<void> Owned;
  std::unique_ptr<Lease> Kept;
  cudaStream_t Stream = nullptr;
  float *Sums = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Pool All(4);
  Tally First(All);
  if (First.prepare())
    return 1;
  Lease Other(All);
  fill<<<1, 256>>>(static_cast<float *>(Other.Slot));
  if (cudaDeviceSynchronize())
    return 1;
  return First.run() || First.run();
}
