// RUN: %check %s cudagraph-frozen-argument
// RUN: %check %s cudagraph-frozen-argument -- -DCALLED
// RUN: %check %s cudagraph-frozen-argument -- -DMAIN
//
// Callers make more of the program visible. The findings in a class without
// callers are also found with callers.

#include <cuda_runtime.h>

__global__ void update(float *weights, float rate);

class Sgd {
public:
  explicit Sgd(float *weights) : weights_(weights) { cudaStreamCreate(&s_); }
  void setRate(float rate) { rate_ = rate; }
  void step() {
    if (!exec_) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
        return;
      update<<<1, 32, 0, s_>>>(weights_, rate_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate_' of kernel 'update'
      if (cudaStreamEndCapture(s_, &graph))
        return;
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *weights_;
  float rate_ = .1f;
};

#ifdef CALLED
void train(Sgd &o) {
  for (int i = 0; i < 10; ++i) {
    if (i == 5)
      o.setRate(.5f);
    o.step();
  }
}

void once(Sgd *o) { o->step(); }
#endif

// The graph is stored next to the part that changes.
struct Settings {
  float rate = .1f;
  int bytes = 0;
  void decay() { rate *= .5f; }
};
struct Trainer {
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  Settings settings;
  float *weights;
};

void stepOf(Trainer *t) {
  if (!t->exec) {
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(t->s, cudaStreamCaptureModeGlobal))
      return;
    update<<<1, 32, 0, t->s>>>(t->weights, t->settings.rate);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 't->settings.rate' of kernel 'update'
    if (cudaStreamEndCapture(t->s, &graph))
      return;
    cudaGraphInstantiate(&t->exec, graph, 0);
  }
  cudaGraphLaunch(t->exec, t->s);
}

void trainOf(Trainer *t) {
  stepOf(t);
  t->settings.decay();
  stepOf(t);
}

// Legal: each step captures again, so it reads the current settings.
struct Fresh {
  cudaStream_t s;
  float rate;
  float *weights;
  void set(float r) { rate = r; }
};
void fresh(Fresh &f) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  if (cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal))
    return;
  update<<<1, 32, 0, f.s>>>(f.weights, f.rate);
  if (cudaStreamEndCapture(f.s, &graph))
    return;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, f.s);
  cudaGraphExecDestroy(exec);
}
void freshTwice(Fresh &f) {
  fresh(f);
  f.set(.5f);
  fresh(f);
}

#ifdef MAIN
// A program that receives objects from other code is not completely visible.
Sgd &sharedSgd();
Trainer *sharedTrainer();
Fresh &sharedFresh();
int main() {
  sharedSgd().setRate(.5f);
  sharedSgd().step();
  trainOf(sharedTrainer());
  freshTwice(sharedFresh());
}
#endif
