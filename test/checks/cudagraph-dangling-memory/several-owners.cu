// One function makes plans for several others. The memory of a plan ends with
// its graph, and does not concern the plans that are made later.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <cuda_runtime.h>
#include <map>
#include <utility>

__global__ void k(float *p);

struct Buffer {
  float *p = nullptr;
  Buffer() = default;
  explicit Buffer(size_t n) { cudaMalloc(&p, n); }
  Buffer(Buffer &&o) noexcept : p(std::exchange(o.p, nullptr)) {}
  Buffer &operator=(Buffer &&o) noexcept {
    std::swap(p, o.p);
    return *this;
  }
  ~Buffer() {
    if (p)
      cudaFree(p);
  }
};

struct Exec {
  cudaGraphExec_t e = nullptr;
  Exec() = default;
  explicit Exec(cudaGraphExec_t e) : e(e) {}
  Exec(Exec &&o) noexcept : e(std::exchange(o.e, nullptr)) {}
  Exec &operator=(Exec &&o) noexcept {
    std::swap(e, o.e);
    return *this;
  }
  ~Exec() {
    if (e)
      cudaGraphExecDestroy(e);
  }
};

Exec capture(cudaStream_t s, float *p) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, s>>>(p);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return Exec(exec);
}

// Legal.
struct Plan {
  Buffer a;
  Exec x;
};
Plan makePlan(cudaStream_t s) {
  Plan p{Buffer(7), {}};
  p.x = capture(s, p.a.p);
  return p;
}

class Cache {
public:
  void run(cudaStream_t s, int n) {
    auto it = plans.find(n);
    if (it == plans.end())
      it = plans.emplace(n, makePlan(s)).first;
    cudaGraphLaunch(it->second.x.e, s);
  }

private:
  std::map<int, Plan> plans;
};

void once(cudaStream_t s) {
  Plan p = makePlan(s);
  cudaGraphLaunch(p.x.e, s);
}
void cached(cudaStream_t s) {
  Cache cache;
  for (int n : {1, 2, 1})
    cache.run(s, n);
}

// The memory of each plan ends before its graph is launched.
Exec makeLoose(cudaStream_t s) {
  Buffer b(7);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  k<<<1, 1, 0, s>>>(b.p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' uses 'b.p', which 'Buffer::~Buffer' frees; every replay will use freed memory that may have been reallocated [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return Exec(exec);
}
void loose(cudaStream_t s) {
  Exec x = makeLoose(s);
  cudaGraphLaunch(x.e, s);
}
void looseAgain(cudaStream_t s) {
  Exec x = makeLoose(s);
  for (int i = 0; i < 3; ++i)
    cudaGraphLaunch(x.e, s);
}

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  once(s);
  cached(s);
  once(s);
  loose(s);
  looseAgain(s);
}
