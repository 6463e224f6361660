// Patterns in which real projects capture: ggml, layer lists, singletons,
// warm-up runs of the same function, and begin calls that may fail.

// RUN: %check %s

#include <cstdio>
#include <vector>
#include <map>
#include <memory>
#include <mutex>
#include <cstdlib>
__global__ void k(float *x);
#define CK(x)                                                                          \
  do {                                                                                 \
    cudaError_t e_ = (x);                                                              \
    if (e_ != cudaSuccess) {                                                           \
      fprintf(stderr, "%s\n", cudaGetErrorString(e_));                                 \
      abort();                                                                         \
    }                                                                                  \
  } while (0)

// ggml style
struct GraphState {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t inst = nullptr;
  bool disable = false;
  int updates = 0;
};
struct Ctx {
  cudaStream_t streams[8] = {};
  std::unique_ptr<GraphState> gs;
  int device = 0;
  cudaStream_t stream(int i) {
    if (streams[i] == nullptr) {
      CK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    return streams[i];
  }
  cudaStream_t stream() { return stream(0); }
};
static bool supports(const float *x) { return x != nullptr; }
static void compute_node(Ctx *c, float *x, int op) {
  switch (op) {
  case 0:
    k<<<1, 1, 0, c->stream()>>>(x);
    break;
  case 1:
    CK(cudaMemcpyAsync(x, x, 4, cudaMemcpyDeviceToDevice, c->stream()));
    break;
  case 2:
    CK(cudaStreamSynchronize(c->stream()));
  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: 'cudaStreamSynchronize'
    break;
  default:
    fprintf(stderr, "bad op\n");
    abort();
  }
}
static void evaluate(Ctx *c, float *x, int n, bool &updated, bool &useGraph,
                     bool &update) {
  while (!updated) {
    if (!useGraph || update) {
      for (int i = 0; i < n; i++)
        compute_node(c, x, i);
    }
    if (useGraph && update) {
      if (c->gs->graph != nullptr) {
        CK(cudaGraphDestroy(c->gs->graph));
        c->gs->graph = nullptr;
      }
      CK(cudaStreamEndCapture(c->stream(), &c->gs->graph));
      updated = true;
    } else
      updated = true;
  }
  if (useGraph) {
    if (c->gs->inst == nullptr)
      CK(cudaGraphInstantiate(&c->gs->inst, c->gs->graph, 0));
    CK(cudaGraphLaunch(c->gs->inst, c->stream()));
  }
}
int graph_compute(Ctx *c, float *x, int n) {
  bool useGraph = supports(x), update = false;
  if (useGraph)
    update = c->gs->updates == 0;
  if (useGraph && update)
    CK(cudaStreamBeginCapture(c->stream(), cudaStreamCaptureModeRelaxed));
  bool updated = false;
  evaluate(c, x, n, updated, useGraph, update);
  cudaStreamSynchronize(c->stream());
  return 0;
}
// Memoization: the same callee, captured and not captured.
void both(float *x, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' uses 'x', which 'both' frees
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
}
void warm(float *x, cudaStream_t s, cudaGraph_t *g) {
  both(x, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  both(x, s);
  cudaStreamEndCapture(s, g);
  both(x, s);
}
// One lambda for the warm-up and the capture.
void warm2(float *x, cudaStream_t s, cudaGraph_t *g) {
  auto body = [&](bool capturing) {
    k<<<1, 1, 0, s>>>(x);
    if (!capturing)
      cudaStreamSynchronize(s);
  };
  body(false);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body(true);
  cudaStreamEndCapture(s, g);
  body(false);
}
// IILE, nested lambdas
void iile(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  [&] {
    [&] {
      cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFree'
    }();
  }();
  const int r = [&] { return x ? 1 : 2; }();
  (void)r;
  cudaStreamEndCapture(s, g);
}
// A loop over layers with a virtual method.
struct Layer {
  virtual ~Layer() = default;
  virtual void forward(float *x, cudaStream_t s) = 0;
};
struct Lin : Layer {
  void forward(float *x, cudaStream_t s) override { k<<<1, 1, 0, s>>>(x); }
};
struct Drop : Layer {
  void *ws = nullptr;
  void forward(float *x, cudaStream_t s) override {
    if (!ws)
      cudaMalloc(&ws, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc'
    k<<<1, 1, 0, s>>>(x);
  }
};
struct Net {
  std::vector<std::unique_ptr<Layer>> layers;
  cudaStream_t s;
  void forward(float *x) {
    for (auto &l : layers)
      l->forward(x, s);
  }
  void capture(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    forward(x);
    cudaStreamEndCapture(s, g);
    forward(x);
    cudaStreamSynchronize(s);
  }
};
// Singletons with stream members.
struct Single {
  static Single &get() {
    static Single s;
    return s;
  }
  cudaStream_t st;
  void sync() { cudaStreamSynchronize(st); }
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'cudaStreamSynchronize'
  cudaStream_t stream() { return st; }
};
void singleton(float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(Single::get().stream(), cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, Single::get().st>>>(x);
  Single::get().sync();
  cudaStreamEndCapture(Single::get().stream(), g);
  Single::get().sync();
}
// Streams in a map, in an array, and behind a pointer to a structure.
struct SP {
  cudaStream_t s;
};
void mapst(std::map<int, cudaStream_t> &m, float *x, cudaGraph_t *g, SP **pp, int i) {
  cudaStreamBeginCapture(m[3], cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, m[3]>>>(x);
  cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
  cudaStreamEndCapture(m[3], g);
  cudaMalloc(&x, 1);
  cudaStreamBeginCapture(pp[i]->s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(pp[i]->s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  cudaStreamEndCapture(pp[i]->s, g);
  cudaStreamSynchronize(pp[i]->s);
}
// alias
void alias(cudaStream_t s, cudaGraph_t *g) {
  cudaStream_t t = s;
  cudaStream_t &r = t;
  const cudaStream_t *p = &r;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamSynchronize(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}which is capturing
  cudaStreamSynchronize(r);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}which is capturing
  cudaStreamSynchronize(*p);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}which is capturing
  cudaStreamEndCapture(t, g);
  cudaStreamSynchronize(*p);
}
// The begin call's success in an out-parameter and in an optional.
bool tryBegin(cudaStream_t s) {
  return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess;
}
bool tryEnd(cudaStream_t s, cudaGraph_t *g) {
  return cudaStreamEndCapture(s, g) == cudaSuccess && *g != nullptr;
}
void trying(cudaStream_t s, float *x, cudaGraph_t *g) {
  if (tryBegin(s)) {
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    if (!tryEnd(s, g)) {
      cudaDeviceSynchronize();
      return;
    }
    cudaFree(x);
  } else {
    cudaStreamSynchronize(s);
  }
  cudaStreamSynchronize(s);
}
void tryFlag(cudaStream_t s, float *x, cudaGraph_t *g, bool use) {
  bool capturing = false;
  if (use)
    capturing = tryBegin(s);
  if (!capturing)
    cudaFree(x);
  k<<<1, 1, 0, s>>>(x);
  if (capturing) {
    tryEnd(s, g);
  }
  cudaStreamSynchronize(s);
}
void statusKept(cudaStream_t s, float *x, cudaGraph_t *g) {
  cudaError_t st = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (st == cudaSuccess) {
    k<<<1, 1, 0, s>>>(x);
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    st = cudaStreamEndCapture(s, g);
  }
  if (st != cudaSuccess) {
    cudaDeviceSynchronize();
    return;
  }
  cudaStreamSynchronize(s);
}
