// A function that creates an object and sets its members does not change the
// object that a graph uses.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>

__global__ void apply(float *p, int n);

struct Mesh {
  float *Vertices = nullptr;
  int Count = 0;
};

template <typename Owner> struct List {
  Owner Of;
  cudaStream_t s;
  cudaGraphExec_t x;
  void bake() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, s>>>(Of->Vertices, Of->Count);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'Of->Count' of kernel 'apply' is set by 'change' while the graph exists
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
    cudaMalloc(&m->Vertices, n * sizeof(float));
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
    cudaMalloc(&m->Vertices, n * sizeof(float));
    return m;
  }
  void add(int n) { All[n] = load(n); }
};
struct Baked {
  Mesh *Of;
  cudaStream_t s;
  cudaGraphExec_t x;
  void bake() {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    apply<<<1, 32, 0, s>>>(Of->Vertices, Of->Count);
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

// This changes the object itself.
void change(List<std::unique_ptr<Mesh>> &l, int n) { l.Of->Count = n; }
void go(List<std::unique_ptr<Mesh>> &l) {
  l.Of = std::make_unique<Mesh>();
  l.bake();
  l.run();
  change(l, 5);
  l.run();
}
