// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=NULLOPT -- -DNULLOPT
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=INPLACE -- -DINPLACE
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=MAKE -- -DMAKE
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=MOVED -- -DMOVED
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=PUSHED -- -DPUSHED
// RUN: %check %s cudagraph-dangling-memory --real-std --suffix=KEPT -- -DKEPT

// A graph copies from memory that a local object returns to a pool. However
// the object is created, it ends with the function: the result of a factory
// that may fail, an optional, or an element of a container. (KEPT: a member
// owns the memory as long as the graph exists.)

#include "cuda_runtime.h"
#include <map>
#include <optional>
#include <utility>
#include <vector>

class Pool {
public:
  void *take(size_t Bytes) {
    auto &List = Idle[Bytes];
    if (!List.empty()) {
      void *Block = List.back();
      List.pop_back();
      return Block;
    }
    if (All.size() >= 16)
      return nullptr;
    void *Block = nullptr;
    cudaMallocHost(&Block, Bytes);
    All.push_back(Block);
    return Block;
  }
  void give(void *Block, size_t Bytes) { Idle[Bytes].push_back(Block); }

private:
  std::map<size_t, std::vector<void *>> Idle;
  std::vector<void *> All;
};

class Lease {
public:
  Lease(Pool &P, void *B, size_t N) : From(&P), Block(B), Bytes(N) {}
  Lease(Lease &&O) noexcept
      : From(O.From), Block(std::exchange(O.Block, nullptr)), Bytes(O.Bytes) {}
  Lease &operator=(Lease &&O) noexcept {
    std::swap(From, O.From);
    std::swap(Block, O.Block);
    std::swap(Bytes, O.Bytes);
    return *this;
  }
  ~Lease() {
    if (Block)
      From->give(Block, Bytes);
  }
  static Lease of(Pool &P, size_t N) {
    void *B = P.take(N);
    if (!B)
      return Lease(P, nullptr, 0);
    return Lease(P, B, N);
  }
  static std::optional<Lease> maybe(Pool &P, size_t N) {
    void *B = P.take(N);
    if (!B)
      return std::nullopt;
    return Lease(P, B, N);
  }
  float *data() const { return static_cast<float *>(Block); }
  size_t size() const { return Bytes; }

private:
  Pool *From;
  void *Block;
  size_t Bytes;
};

class Grader {
public:
  explicit Grader(Pool &P) : Blocks(P) {
    cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
    cudaMalloc(&Table, 256);
  }
  void frame() {
    if (!Exec)
      record();
#ifdef KEPT // other memory of the pool, for this frame only
    std::optional<Lease> Bounce = Lease::maybe(Blocks, 256);
#endif
    cudaGraphLaunch(Exec, S);
  }

private:
  void record() {
#if defined(NULLOPT)
    std::optional<Lease> Owner = Lease::maybe(Blocks, 256);
    if (!Owner)
      return;
    Lease &Curve = *Owner;
#elif defined(INPLACE)
    std::optional<Lease> Owner(std::in_place, Blocks, Blocks.take(256), 256);
    Lease &Curve = *Owner;
#elif defined(MAKE)
    auto Owner = std::make_optional<Lease>(Blocks, Blocks.take(256), 256);
    Lease &Curve = *Owner;
#elif defined(MOVED)
    auto Owner = std::make_optional(Lease::of(Blocks, 256));
    Lease &Curve = *Owner;
#elif defined(PUSHED)
    std::vector<Lease> Owners;
    Owners.push_back(Lease::of(Blocks, 256));
    Lease &Curve = Owners.back();
#elif defined(KEPT)
    Kept = Lease::maybe(Blocks, 256);
    if (!Kept)
      return;
    Lease &Curve = *Kept;
#else
    Lease Curve = Lease::of(Blocks, 256);
#endif
    for (int I = 0; I < 64; ++I)
      Curve.data()[I] = static_cast<float>(I);
    cudaGraph_t G = nullptr;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    upload(Curve);
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
    cudaGraphDestroy(G);
  }
  void upload(const Lease &From) {
    cudaMemcpyAsync(Table, From.data(), From.size(), cudaMemcpyHostToDevice, S);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'From.data()', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  // CHECK-MESSAGES-NULLOPT: :[[@LINE-2]]:5: warning: 'cudaMemcpyAsync' copies from 'From.data()', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  // CHECK-MESSAGES-INPLACE: :[[@LINE-3]]:5: warning: 'cudaMemcpyAsync' copies from 'From.data()', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  // CHECK-MESSAGES-MAKE: :[[@LINE-4]]:5: warning: 'cudaMemcpyAsync' copies from 'From.data()', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  // CHECK-MESSAGES-MOVED: :[[@LINE-5]]:5: warning: 'cudaMemcpyAsync' copies from 'From.data()', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  // CHECK-MESSAGES-PUSHED: :[[@LINE-6]]:5: warning: 'cudaMemcpyAsync' copies from 'From.data()', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user
  }

  Pool &Blocks;
  std::optional<Lease> Kept;
  cudaStream_t S = nullptr;
  cudaGraphExec_t Exec = nullptr;
  float *Table = nullptr;
};

int main() {
  Pool P;
  Grader A(P), B(P);
  for (int I = 0; I < 3; ++I) {
    A.frame();
    B.frame();
  }
}
