// Pools that keep memory by size, that grow on demand, or that return a status.

// RUN: %check %s cudagraph-dangling-memory,cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <utility>
#include <vector>

__global__ void apply(const float *p, float *out) { *out = *p; }

static cudaGraphExec_t finish(cudaStream_t S) {
  cudaGraph_t G;
  cudaGraphExec_t E;
  cudaStreamEndCapture(S, &G);
  cudaGraphInstantiate(&E, G, 0);
  return E;
}

// Grows when it is empty.
struct Record {
  int N = 0;
};
static void count(void *P) { ++static_cast<Record *>(P)->N; }

struct Records {
  std::vector<std::unique_ptr<Record>> All;
  std::vector<Record *> Idle;
  Record *take() {
    if (Idle.empty()) {
      All.push_back(std::make_unique<Record>());
      Idle.push_back(All.back().get());
    }
    Record *R = Idle.back();
    Idle.pop_back();
    return R;
  }
  void give(Record *R) { Idle.push_back(R); }
};

void grows(Records &All, cudaStream_t S) {
  Record *R = All.take();
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  cudaLaunchHostFunc(S, count, R);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function of 'cudaLaunchHostFunc' uses 'R', which 'Records::give' returns to a pool
  cudaGraphExec_t E = finish(S);
  All.give(R);
  cudaGraphLaunch(E, S);
}

// Removes the element at an iterator, or allocates.
struct Sized {
  std::multimap<size_t, float *> Free;
  float *take(size_t N) {
    auto It = Free.lower_bound(N);
    if (It != Free.end()) {
      float *P = It->second;
      Free.erase(It);
      return P;
    }
    float *P = nullptr;
    cudaMalloc(&P, N);
    return P;
  }
  void give(float *P, size_t N) { Free.emplace(N, P); }
};

void sized(Sized &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take(100);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'apply' uses 'P', which 'Sized::give' returns to a pool; every replay will use it, although it may have another user
  cudaGraphExec_t E = finish(S);
  Blocks.give(P, 100);
  // CHECK-NOTES: :[[@LINE-10]]:35: note: it returns to the pool here
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
}

struct Exact {
  std::map<size_t, float *> Free;
  float *take(size_t N) {
    if (auto It = Free.find(N); It != Free.end()) {
      float *P = It->second;
      Free.erase(It);
      return P;
    }
    float *P = nullptr;
    cudaMalloc(&P, N);
    return P;
  }
  void give(float *P, size_t N) { Free[N] = P; }
};

void exact(Exact &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take(100);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'apply' uses 'P', which 'Exact::give' returns to a pool
  cudaGraphExec_t E = finish(S);
  Blocks.give(P, 100);
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
}

// Lists by size, and a status.
struct Lists {
  std::map<size_t, std::vector<void *>> Free;
  std::pair<void *, cudaError_t> take(size_t N) {
    auto &L = Free[N];
    if (!L.empty()) {
      void *P = L.back();
      L.pop_back();
      return {P, cudaSuccess};
    }
    void *P = nullptr;
    cudaError_t E = cudaMalloc(&P, N);
    return {P, E};
  }
  void give(void *P, size_t N) { Free[N].push_back(P); }
};

void lists(Lists &Blocks, cudaStream_t S, float *Out) {
  auto R = Blocks.take(100);
  float *P = static_cast<float *>(R.first);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'apply' uses 'P', which 'Lists::give' returns to a pool
  cudaGraphExec_t E = finish(S);
  Blocks.give(P, 100);
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
}

// Legal: other memory of the same pool returns.
void otherMemory(Sized &Blocks, cudaStream_t S, float *Out) {
  float *P = Blocks.take(100);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  float *Other = Blocks.take(100);
  Blocks.give(Other, 100);
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
}

// Legal: returned after the graph is destroyed.
void returnedLast(Lists &Blocks, cudaStream_t S, float *Out) {
  auto R = Blocks.take(100);
  float *P = static_cast<float *>(R.first);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  cudaGraphLaunch(E, S);
  cudaGraphExecDestroy(E);
  Blocks.give(P, 100);
}

// Legal: a registry removes elements, but nothing takes memory out of it.
struct Registry {
  std::map<int, float *> All;
  void add(int Id, float *P) { All.emplace(Id, P); }
  bool remove(int Id) {
    auto It = All.find(Id);
    if (It == All.end())
      return false;
    All.erase(It);
    return true;
  }
};

void registered(Registry &R, float *Given, cudaStream_t S, float *Out) {
  float *P = nullptr;
  cudaMalloc(&P, 100);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  R.add(1, P);
  cudaGraphLaunch(E, S);
  R.remove(2);
}

// Legal: a list that only changes its order.
struct Recent {
  std::vector<float *> Order;
  float *touch() {
    float *P = Order.back();
    Order.pop_back();
    Order.insert(Order.begin(), P);
    return P;
  }
  void add(float *P) { Order.push_back(P); }
};

void reordered(Recent &R, cudaStream_t S, float *Out) {
  float *P = nullptr;
  cudaMalloc(&P, 100);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  R.add(P);
  R.touch();
  cudaGraphLaunch(E, S);
}

// Legal: while a graph is captured, memory comes from a pool of its own, to
// which it also returns.
struct Private {
  std::map<int, std::multimap<size_t, float *>> Free;
  std::map<float *, std::pair<int, size_t>> Owner;
  int Active = 0, Last = 0;
  float *take(size_t N) {
    auto &Cache = Free[Active];
    if (auto It = Cache.find(N); It != Cache.end()) {
      float *P = It->second;
      Cache.erase(It);
      return P;
    }
    float *P = nullptr;
    cudaMalloc(&P, N);
    Owner[P] = {Active, N};
    return P;
  }
  void give(float *P) {
    const auto [Pool, Bytes] = Owner.at(P);
    Free[Pool].emplace(Bytes, P);
  }
  int use(int Pool) { return std::exchange(Active, Pool); }
};

void ownPool(Private &Blocks, cudaStream_t S, float *Out) {
  int Before = Blocks.use(++Blocks.Last);
  float *P = Blocks.take(100);
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  apply<<<1, 1, 0, S>>>(P, Out);
  cudaGraphExec_t E = finish(S);
  Blocks.give(P);
  Blocks.use(Before);
  float *Other = Blocks.take(100);
  apply<<<1, 1, 0, S>>>(Other, Out);
  cudaGraphLaunch(E, S);
  cudaStreamSynchronize(S);
}
