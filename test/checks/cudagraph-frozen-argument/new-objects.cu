// A function that creates an object and sets its members does not change the
// object that a graph uses.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>

__global__ void apply(float *p, int n);

struct Mesh {
  int Count;
};

template <typename Owner> struct List {
  Owner Of;
  float *Data;
  cudaStream_t s;
  cudaGraphExec_t x;
  void bake() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, s>>>(Data, Of->Count);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
  }
  void run() { cudaGraphLaunch(x, s); }
};

struct Shared {
  std::map<int, std::shared_ptr<Mesh>> All;
  std::shared_ptr<Mesh> load(int n) {
    auto m = std::make_shared<Mesh>();
    m->Count = n;
    return m;
  }
  void add(int n) { All[n] = load(n); }
};
void go(Shared &c, List<std::shared_ptr<Mesh>> &l) {
  c.add(1);
  l.Of = c.All[1];
  l.bake();
  l.run();
  c.add(2);
  l.run();
}

struct Plain {
  std::map<int, Mesh *> All;
  Mesh *load(int n) {
    Mesh *m = new Mesh;
    m->Count = n;
    return m;
  }
  void add(int n) { All[n] = load(n); }
};
struct Baked {
  Mesh *Of;
  float *Data;
  cudaStream_t s;
  cudaGraphExec_t x;
  void bake() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, s>>>(Data, Of->Count);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
  }
  void run() { cudaGraphLaunch(x, s); }
};
void go(Plain &c, Baked &l) {
  c.add(1);
  l.Of = c.All[1];
  l.bake();
  l.run();
  c.add(2);
  l.run();
}

// This function changes the object itself.
void change(Baked &l, int n) { l.Of->Count = n; }
struct Changed : Baked {};
cudaGraph_t bake(Changed &l) {
  cudaGraph_t g;
  cudaStreamBeginCapture(l.s, cudaStreamCaptureModeGlobal);
  apply<<<1, 32, 0, l.s>>>(l.Data, l.Of->Count);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'l.Of->Count' of kernel 'apply'
  cudaStreamEndCapture(l.s, &g);
  cudaGraphInstantiate(&l.x, g, 0);
  return g;
}
void go(Changed &l) {
  bake(l);
  l.run();
  change(l, 5);
  l.run();
}
