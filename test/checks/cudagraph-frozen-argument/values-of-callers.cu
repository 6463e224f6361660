// A lambda captures the parameters and variables of the function that creates
// it. Their values come from the callers of that function.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <map>
#include <vector>

__global__ void apply(float *p, float a, int n);

template <typename Fn> cudaGraphExec_t record(cudaStream_t s, Fn Body) {
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  Body(s);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&x, g, 0);
  return x;
}

struct Request {
  int n;
  float a;
  std::vector<float> v;
};
Request read(int i);
bool pop(Request &r);

struct ByReference {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  void run(int n) {
    if (!x)
      x = record(s, [&](cudaStream_t t) { apply<<<1, 32, 0, t>>>(d, 1, n); });
    // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: argument 'n' of kernel 'apply' has a different value when the graph is launched
    cudaGraphLaunch(x, s);
  }
};
void each(ByReference &r, const std::vector<int> &Sizes) {
  for (int n : Sizes)
    r.run(n);
}

struct ByValue {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  void run(int n) {
    if (!x)
      x = record(s, [=](cudaStream_t t) { apply<<<1, 32, 0, t>>>(d, 1, n); });
    // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: argument 'n' of kernel 'apply' has a different value when the graph is launched
    cudaGraphLaunch(x, s);
  }
};
void each(ByValue &r, const std::vector<int> &Sizes) {
  for (int n : Sizes)
    r.run(n);
}

// The size of a vector in an object that each iteration creates.
struct Sized {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  void run(const Request &r) {
    const int n = (int)r.v.size();
    if (!x)
      x = record(s, [&](cudaStream_t t) { apply<<<1, 32, 0, t>>>(d, 1, n); });
    // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: argument 'n' of kernel 'apply'
    cudaGraphLaunch(x, s);
  }
};
void each(Sized &z, int Count) {
  for (int i = 0; i < Count; ++i) {
    Request r = read(i);
    z.run(r);
  }
}

// A function without source fills the object.
struct Polled {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  void run(const Request &r) {
    if (!x)
      x = record(s, [&](cudaStream_t t) { apply<<<1, 32, 0, t>>>(d, 1, r.n); });
    // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: argument 'r.n' of kernel 'apply' has a different value when the graph is launched
    cudaGraphLaunch(x, s);
  }
};
void poll(Polled &p) {
  Request r;
  while (pop(r))
    p.run(r);
}

// The key lacks the factor.
struct Keyed {
  cudaStream_t s;
  float *d;
  std::map<int, cudaGraphExec_t> Graphs;
  void run(const Request &r) {
    auto It = Graphs.find(r.n);
    if (It == Graphs.end())
      It = Graphs
               .emplace(r.n, record(s,
                                    [&](cudaStream_t t) {
                                      apply<<<1, 32, 0, t>>>(d, r.a, r.n);
                                    }))
               .first;
    // CHECK-MESSAGES: :[[@LINE-3]]:39: warning: argument 'r.a' of kernel 'apply'
    cudaGraphLaunch(It->second, s);
  }
};
void each(Keyed &k, int Count) {
  for (int i = 0; i < Count; ++i) {
    Request r = read(i);
    k.run(r);
  }
}

// One graph for each value.
struct Complete {
  cudaStream_t s;
  float *d;
  std::map<int, cudaGraphExec_t> Graphs;
  void run(const Request &r) {
    auto It = Graphs.find(r.n);
    if (It == Graphs.end())
      It = Graphs
               .emplace(r.n, record(s,
                                    [&](cudaStream_t t) {
                                      apply<<<1, 32, 0, t>>>(d, 1, r.n);
                                    }))
               .first;
    cudaGraphLaunch(It->second, s);
  }
};
void each(Complete &k, int Count) {
  for (int i = 0; i < Count; ++i) {
    Request r = read(i);
    k.run(r);
  }
}

// The graph is captured again for a different value.
struct Again {
  cudaStream_t s;
  float *d;
  cudaGraphExec_t x = nullptr;
  int Last = -1;
  void run(const Request &r) {
    const int n = (int)r.v.size();
    if (!x || n != Last) {
      if (x)
        cudaGraphExecDestroy(x);
      x = record(s, [&](cudaStream_t t) { apply<<<1, 32, 0, t>>>(d, 1, n); });
      Last = n;
    }
    cudaGraphLaunch(x, s);
  }
};
void each(Again &a, int Count) {
  for (int i = 0; i < Count; ++i) {
    Request r = read(i);
    a.run(r);
  }
}
