// The elements of an array that an initializer does not name are zero, or are
// created by the constructor of their class.

// RUN: %check %s cudagraph-host-logic --real-std -- -DZERO
// RUN: %check %s cudagraph-host-logic --real-std -- -DLIST
// RUN: %check %s cudagraph-host-logic --real-std -- -DMADE
// RUN: %check %s cudagraph-host-logic --real-std -- -DPART

#include <array>
#include <cuda_runtime.h>

__global__ void first(float *p);
__global__ void second(float *p);
bool decide();

struct Slot {
  cudaGraphExec_t exec = nullptr;
  int uses = 0;
};

struct Renderer {
#if defined(ZERO)
  struct Plain {
    cudaGraphExec_t exec;
  } slots[3] = {};
#elif defined(LIST)
  std::array<Slot, 3> slots{};
#elif defined(MADE)
  Slot slots[3];
#elif defined(PART)
  Slot slots[3] = {{nullptr, 1}};
#endif
  bool bloom = false;
  bool glow = false;
  cudaStream_t s;
  float *p;
  cudaGraphExec_t record() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    first<<<1, 1, 0, s>>>(p);
    if (bloom)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'change' sets a value that the branch depends on
      second<<<1, 1, 0, s>>>(p);
    // Legal: it selects the element.
    if (glow)
      second<<<1, 1, 0, s>>>(p);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void frame() {
    auto &slot = slots[glow ? 2 : 1];
    if (!slot.exec)
      slot.exec = record();
    cudaGraphLaunch(slot.exec, s);
  }
};

void change() {
  Renderer r;
  r.frame();
  if (decide())
    decide();
  r.bloom = true;
  r.frame();
}

void select() {
  Renderer r;
  r.frame();
  if (decide())
    decide();
  r.glow = true;
  r.frame();
}
