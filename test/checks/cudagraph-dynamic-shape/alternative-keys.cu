// The condition after `else` captures again, or updates the graph, if the size
// has changed. A condition that leads to other code is not a key.

// RUN: %check %s cudagraph-dynamic-shape
// RUN: %check %s cudagraph-dynamic-shape --suffix=AGAIN -- -DREPLACE=record
// RUN: %check %s cudagraph-dynamic-shape --suffix=UPDATED -- -DREPLACE=update

__global__ void k(int *p, const unsigned *n);

struct World {
  unsigned n = 1;
  int *p;
  unsigned *d;
  void spawn() { ++n; }
  unsigned size() const { return n; }
};
unsigned groupsFor(const World &w) { return (w.size() + 127) / 128; }

class Scheduler {
  World &world;
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t node;
  unsigned recorded = 0, changes = 0;

  void record() {
    if (exec)
      cudaGraphExecDestroy(exec);
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    k<<<groupsFor(world), 128, 0, s>>>(world.p, world.d);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'k' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
    if (cudaStreamEndCapture(s, &graph))
      return;
    if (cudaGraphInstantiate(&exec, graph, 0))
      return;
    recorded = groupsFor(world);
  }
  void update() {
    cudaKernelNodeParams params{};
    cudaGraphKernelNodeGetParams(node, &params);
    params.gridDim = dim3(groupsFor(world));
    cudaGraphExecKernelNodeSetParams(exec, node, &params);
    recorded = groupsFor(world);
  }
  void count() { ++changes; }

public:
  Scheduler(World &w, cudaStream_t s) : world(w), s(s) {}
  void tick() {
#ifndef REPLACE
#define REPLACE count
#endif
    if (!exec)
      record();
    else if (groupsFor(world) != recorded)
      REPLACE();
    cudaGraphLaunch(exec, s);
  }
};

void run(cudaStream_t s) {
  World w;
  cudaMalloc(&w.p, 1 << 20);
  cudaMalloc(&w.d, 4);
  Scheduler c(w, s);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 200; ++j)
      w.spawn();
    for (int t = 0; t < 4; ++t)
      c.tick();
  }
}
