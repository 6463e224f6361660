// RUN: %check %s cudagraph-frozen-argument
//
// Stages that are called through pointers.

#include <cuda_runtime.h>

__global__ void update(float *x, float rate);

// Stages in a table take their data by reference: a call through a pointer
// passes the object as a direct call does.
struct Solver {
  cudaStream_t stream;
  float *x;
  float step = -1;
  float scale = 1;
};
using Stage = void (*)(Solver &);
void descend(Solver &p) {
  update<<<1, 32, 0, p.stream>>>(p.x, p.step);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'p.step' of kernel 'update'
  update<<<1, 32, 0, p.stream>>>(p.x, p.scale);
}
constexpr Stage Stages[] = {&descend};

// A call through a pointer to a member function does the same.
struct Relaxation {
  void sweep(Solver &p) {
    update<<<1, 32, 0, p.stream>>>(p.x, p.step);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'p.step' of kernel 'update'
  }
};

class Iteration {
public:
  Iteration() {
    cudaStreamCreateWithFlags(&p_.stream, cudaStreamNonBlocking);
    cudaMalloc(&p_.x, 32 * sizeof(float));
    trust(.5f);
    p_.scale = 2; // set before the capture only
    capture();
  }
  void trust(float radius) { p_.step = -radius; }
  void run() { cudaGraphLaunch(exec_, p_.stream); }

private:
  void capture() {
    cudaGraph_t graph;
    Relaxation relaxation;
    void (Relaxation::*sweep)(Solver &) = &Relaxation::sweep;
    if (cudaStreamBeginCapture(p_.stream, cudaStreamCaptureModeGlobal))
      return;
    for (Stage stage : Stages)
      stage(p_);
    (relaxation.*sweep)(p_);
    if (cudaStreamEndCapture(p_.stream, &graph))
      return;
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }

  Solver p_;
  cudaGraphExec_t exec_ = nullptr;
};

void iterate() {
  Iteration i;
  i.trust(.25f);
  i.run();
  i.trust(.75f);
  i.run();
}

// Legal twin: each step captures the current arguments of the stages.
struct Renewed {
  Solver p;
  void step(float radius) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    p.step = -radius;
    if (cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeGlobal))
      return;
    Stage stage = &renewedStage;
    stage(p);
    if (cudaStreamEndCapture(p.stream, &graph))
      return;
    if (cudaGraphInstantiate(&exec, graph, 0))
      return;
    cudaGraphLaunch(exec, p.stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
  static void renewedStage(Solver &p) {
    update<<<1, 32, 0, p.stream>>>(p.x, p.step);
  }
};
