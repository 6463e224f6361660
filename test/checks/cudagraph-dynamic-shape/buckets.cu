// Graphs in a table whose key is the same for several values: a graph that was
// captured with one of these values is launched for a different value.

// RUN: %check %s cudagraph-dynamic-shape,cudagraph-frozen-argument --real-std

#include <map>

__global__ void rows(const float *x, float *y, int n);

static int padded(int n) {
  int p = 4;
  while (p < n)
    p *= 2;
  return p;
}
static int bucketOf(int n) {
  for (int b : {4, 8, 16})
    if (n <= b)
      return b;
  return 32;
}

struct Scorer {
  cudaStream_t s;
  float *x, *y;
  std::map<int, cudaGraphExec_t> cache;

  cudaGraphExec_t record(int n) {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    rows<<<n, 32, 0, s>>>(x, y, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'rows' is computed from 'n', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void score(int n) {
    auto it = cache.find(padded(n));
    if (it == cache.end())
      it = cache.emplace(padded(n), record(n)).first;
    cudaGraphLaunch(it->second, s);
  }
};

struct Ranker {
  cudaStream_t s;
  float *x, *y;
  std::map<int, cudaGraphExec_t> cache;

  cudaGraphExec_t record(int n) {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    rows<<<1, 32, 0, s>>>(x, y, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'n' of kernel 'rows' has a different value when the graph is launched; the replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void rank(int n) {
    cudaGraphExec_t &e = cache[bucketOf(n)];
    if (!e)
      e = record(n);
    cudaGraphLaunch(e, s);
  }
};

// Legal: the captured value belongs to the bucket, or the key determines it.
template <int Way> struct Padded {
  cudaStream_t s;
  float *x, *y;
  std::map<int, cudaGraphExec_t> cache;

  cudaGraphExec_t record(int n) {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    rows<<<n, 32, 0, s>>>(x, y, n);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void score(int n) {
    if (Way == 0) {
      const int p = padded(n);
      cudaGraphExec_t &e = cache[p];
      if (!e)
        e = record(p);
      cudaGraphLaunch(e, s);
    } else if (Way == 1) {
      cudaGraphExec_t &e = cache[bucketOf(n)];
      if (!e)
        e = record(bucketOf(n));
      cudaGraphLaunch(e, s);
    } else if (Way == 2) {
      cudaGraphExec_t &e = cache[(n * 31) ^ (n >> 3)];
      if (!e)
        e = record(n);
      cudaGraphLaunch(e, s);
    } else {
      n = padded(n);
      auto it = cache.find(n);
      if (it == cache.end())
        it = cache.insert({n, record(n)}).first;
      cudaGraphLaunch(it->second, s);
    }
  }
};

template <class T> void serve(cudaStream_t s) {
  T each{s, nullptr, nullptr, {}};
  for (int n : {5, 8, 3, 4, 6})
    each.score(n);
}
int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Scorer scorer{s, nullptr, nullptr, {}};
  Ranker ranker{s, nullptr, nullptr, {}};
  for (int n : {5, 8, 3, 4, 6}) {
    scorer.score(n);
    ranker.rank(n);
  }
  serve<Padded<0>>(s);
  serve<Padded<1>>(s);
  serve<Padded<2>>(s);
  serve<Padded<3>>(s);
}
