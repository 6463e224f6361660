// An argument that a function reads through a pointer or a reference depends on
// the part that is read, and on the identity of the object, but not on the
// other parts.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void step(float *x, int n);
__global__ void scale(float *x, float by);

struct Group {
  float rate = 1;
  int n = 0;
  float *x = nullptr;
};

class Optimizer {
public:
  std::vector<Group> &groups() { return members; }

private:
  std::vector<Group> members;
};

/// Binds a reference by aggregate initialization, without a constructor.
struct Schedule {
  Optimizer &optimizer;
  void update() {
    for (Group &g : optimizer.groups())
      g.rate *= 0.5f;
  }
};

struct Trainer {
  Optimizer &optimizer;
  cudaStream_t s;
  cudaGraphExec_t exec;
  void record() {
    (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (Group &g : optimizer.groups()) {
      step<<<(g.n + 127) / 128, 128, 0, s>>>(g.x, g.n);
      scale<<<1, 128, 0, s>>>(g.x, g.rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'g.rate' of kernel 'scale'
    }
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(s, &graph);
    (void)cudaGraphInstantiate(&exec, graph, 0);
  }
};

/// A list of commands, each of which is executed through a pointer.
struct Command {
  int n;
  float by;
  float *x;
};

static void execute(cudaStream_t s, const Command *command) {
  step<<<1, 32, 0, s>>>(command->x, command->n);
  scale<<<1, 32, 0, s>>>(command->x, command->by);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'command->by' of kernel 'scale'
}

struct List {
  Command commands[8];
  int count;
};

static void setScale(Command *command, float by) { command->by = by; }

int main() {
  cudaStream_t s;
  (void)cudaStreamCreate(&s);
  float *x = nullptr;
  (void)cudaMalloc(&x, 1024);

  Optimizer optimizer;
  optimizer.groups().push_back({1, 256, x});
  Schedule schedule{optimizer};
  Trainer trainer{optimizer, s, nullptr};
  trainer.record();
  for (int i = 0; i < 3; ++i) {
    (void)cudaGraphLaunch(trainer.exec, s);
    schedule.update();
  }

  List list = {};
  Command *last = &list.commands[list.count++];
  last->x = x;
  last->n = 8;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < list.count; ++i)
    execute(s, &list.commands[i]);
  (void)cudaStreamEndCapture(s, &graph);
  (void)cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) {
    setScale(last, i);
    (void)cudaGraphLaunch(exec, s);
  }
  return 0;
}
