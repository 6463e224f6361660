// `regions` lists each region once: where it starts, what opened it, the mode,
// the stream and its kind, and where it ends. The start of a wrapper is where
// the user enters it.

// RUN: %check %s
// RUN: %driver regions --quiet %s -- -std=c++17 -nostdinc++ -isystem %mock-std %mockflags -I %annotations > %t.regions
// RUN: %FileCheck %s --check-prefix=REGIONS < %t.regions
// REGIONS: begin{{ +}}root{{ +}}mode

#include <cudagraph/annotations.h>
#include <functional>
#include <memory>
__global__ void k(float *x);

void same_function(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}s{{ +}}unknown{{ +}}same_function{{ +}}[[#@LINE+2]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamEndCapture(s, g);
}

static void finish(cudaStream_t t, cudaGraph_t *g) {
  cudaStreamEndCapture(t, g);
}
void end_in_callee(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}relaxed{{ +}}s{{ +}}non-blocking{{ +}}end_in_callee{{ +}}[[#@LINE-6]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  finish(s, g);
}

void two_ends(cudaStream_t s, cudaGraph_t *g, int n) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}s{{ +}}unknown{{ +}}two_ends{{ +}}[[#@LINE+2]]:{{[0-9]+}}, [[#@LINE+6]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  if (n == 0) {
    cudaStreamEndCapture(s, g);
    return;
  }
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamEndCapture(s, g);
}

void conditional(cudaStream_t s, cudaGraph_t *g, bool use) {
  if (use)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}thread-local{{ +}}s{{ +}}unknown{{ +}}conditional{{ +}}[[#@LINE+3]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  if (use)
    cudaStreamEndCapture(s, g);
}

void in_loop(cudaGraph_t *g) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  for (int i = 0; i < 10; i++) {
    if (i == 0) {
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}s{{ +}}blocking{{ +}}in_loop{{ +}}[[#@LINE+2]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
      k<<<1, 1, 0, s>>>(nullptr);
      cudaStreamEndCapture(s, g);
    }
    cudaStreamSynchronize(s);
  }
}

class Capture {
  cudaStream_t s_;
  cudaGraph_t g_;

public:
  explicit Capture(cudaStream_t s) : s_(s) {}
  void begin() { cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed); }
  void end() { cudaStreamEndCapture(s_, &g_); }
};
void method_pair(cudaStream_t s) {
  Capture c(s);
  c.begin();
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}wrapper{{ +}}relaxed{{ +}}s_{{ +}}unknown{{ +}}method_pair{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  c.end();
}
void method_pair_again(Capture &c, cudaStream_t s) {
  c.begin();
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}wrapper{{ +}}relaxed{{ +}}s_{{ +}}unknown{{ +}}method_pair_again{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  c.end();
}

struct Scope {
  cudaStream_t s;
  cudaGraph_t *g;
  Scope(cudaStream_t s, cudaGraph_t *g) : s(s), g(g) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  ~Scope() { cudaStreamEndCapture(s, g); }
};
void raii(cudaGraph_t *g) {
  cudaStream_t mine;
  cudaStreamCreate(&mine);
  Scope scope(mine, g);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}wrapper{{ +}}global{{ +}}s{{ +}}blocking{{ +}}raii{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, mine>>>(nullptr);
}

template <class F> void record(cudaStream_t s, cudaGraph_t *g, F f) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f();
  cudaStreamEndCapture(s, g);
}
void record2(cudaStream_t s, cudaGraph_t *g,
             const std::function<void(cudaStream_t)> &f) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  f(s);
  cudaStreamEndCapture(s, g);
}
void callables(cudaStream_t s, cudaGraph_t *g) {
  record(s, g, [&] { k<<<1, 1, 0, s>>>(nullptr); });
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}wrapper{{ +}}global{{ +}}s{{ +}}unknown{{ +}}callables{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  record2(s, g, [&](cudaStream_t t) { k<<<1, 1, 0, t>>>(nullptr); });
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}wrapper{{ +}}thread-local{{ +}}s{{ +}}unknown{{ +}}callables{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
}

CUDAGRAPH_CAPTURE_REGION void annotated(cudaStream_t s) {
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}annotation{{ +}}unknown{{ +}}s{{ +}}unknown{{ +}}annotated{{ +}}not seen{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
}

void scoped(cudaStream_t s) {
  cudagraph::capture_region_scope scope(s);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}annotation{{ +}}unknown{{ +}}s{{ +}}unknown{{ +}}scoped{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
}

void commented(cudaStream_t s) {
  // cudagraph: begin-capture(s)
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}comment{{ +}}unknown{{ +}}s{{ +}}unknown{{ +}}commented{{ +}}{{[0-9]+:[0-9]+.*}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  // cudagraph: end-capture
}

void to_graph(cudaStream_t s, cudaGraph_t g) {
  cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0,
                                cudaStreamCaptureModeRelaxed);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-2]]:{{[0-9]+ +}}api-pair{{ +}}relaxed{{ +}}s{{ +}}unknown{{ +}}to_graph{{ +}}[[#@LINE+2]]:{{[0-9]+}}{{ +[0-9]+ +[0-9]+.*$}}
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamEndCapture(s, &g);
}

void never_ends(cudaStream_t s) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}s{{ +}}unknown{{ +}}never_ends{{ +}}not seen{{ +[0-9]+ +[0-9]+.*$}}
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cudaStreamBeginCapture' begins a capture in global mode for callers that are not visible
  k<<<1, 1, 0, s>>>(nullptr);
}

// A wrapper that is not entered here is a separate region.
void exported_begin(cudaStream_t s) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // REGIONS-NEXT: {{^ +}}[[#@LINE-1]]:{{[0-9]+ +}}api-pair{{ +}}global{{ +}}s{{ +}}unknown{{ +}}exported_begin{{ +}}not seen{{ +[0-9]+ +[0-9]+.*$}}
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cudaStreamBeginCapture' begins a capture in global mode for callers that are not visible
}

// REGIONS-NOT: {{[0-9]:[0-9]}}
