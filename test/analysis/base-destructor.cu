// A destructor runs the destructors of its bases, but not those of other
// derived classes: a hierarchy of three hundred classes causes no recursion.

// RUN: %check %s
// RUN: not %driver --cuda-path=mock --no-cache %s -- 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: 1 translation unit, none incomplete

struct Base {
  virtual ~Base() {}
};

#define ONE(N)                                                                 \
  struct Derived##N : Base {                                                   \
    ~Derived##N() override {}                                                  \
  };
#define TEN(N)                                                                 \
  ONE(N##0)                                                                    \
  ONE(N##1) ONE(N##2) ONE(N##3) ONE(N##4) ONE(N##5) ONE(N##6) ONE(N##7)        \
      ONE(N##8) ONE(N##9)
#define HUNDRED(N)                                                             \
  TEN(N##0)                                                                    \
  TEN(N##1) TEN(N##2) TEN(N##3) TEN(N##4) TEN(N##5) TEN(N##6) TEN(N##7)        \
      TEN(N##8) TEN(N##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3)

struct Loud : Base {
  cudaStream_t stream;
  ~Loud() override {
    cudaStreamSynchronize(stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream
  }
};

void direct(cudaStream_t s, cudaGraph_t *graph, Base *any) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    Loud loud;
    loud.stream = s;
  }
  delete any;
  cudaStreamEndCapture(s, graph);
}

void legal(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Derived100 *quiet = new Derived100;
  delete quiet;
  cudaStreamEndCapture(s, graph);
}
