// The elements of an array that an initializer does not name are zero, or are
// created by the constructor of their class.

// RUN: %check %s cudagraph-host-logic --real-std

#include <array>
#include <cuda_runtime.h>

__global__ void first(float *p);
__global__ void second(float *p);
bool decide();

struct Slot {
  cudaGraphExec_t exec = nullptr;
  int uses = 0;
};

template <class Slots> struct Renderer {
  Slots slots{};
  bool bloom = false;
  cudaStream_t s;
  float *p;
  cudaGraphExec_t record() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    first<<<1, 1, 0, s>>>(p);
    if (bloom)
// CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'fromList' sets a value that the branch depends on
      second<<<1, 1, 0, s>>>(p);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void frame() {
    if (!slots[1].exec)
      slots[1].exec = record();
    cudaGraphLaunch(slots[1].exec, s);
  }
};

void fromList() {
  Renderer<std::array<Slot, 4>> r;
  r.frame();
  if (decide())
    decide();
  r.bloom = true;
  r.frame();
}

struct Plain {
  cudaGraphExec_t execs[3] = {};
  bool bloom = false;
  cudaStream_t s;
  float *p;
  cudaGraphExec_t record() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    first<<<1, 1, 0, s>>>(p);
    if (bloom)
// CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'fromZero' sets a value that the branch depends on
      second<<<1, 1, 0, s>>>(p);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void frame() {
    if (!execs[2])
      execs[2] = record();
    cudaGraphLaunch(execs[2], s);
  }
};

void fromZero() {
  Plain r;
  r.frame();
  if (decide())
    decide();
  r.bloom = true;
  r.frame();
}

struct Made {
  Slot slots[4];
  bool bloom = false;
  cudaStream_t s;
  float *p;
  cudaGraphExec_t record() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    first<<<1, 1, 0, s>>>(p);
    if (bloom)
// CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'fromConstructor' sets a value that the branch depends on
      second<<<1, 1, 0, s>>>(p);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void frame(bool key) {
    if (!slots[key].exec)
      slots[key].exec = record();
    cudaGraphLaunch(slots[key].exec, s);
  }
};

void fromConstructor() {
  Made r;
  r.frame(false);
  if (decide())
    decide();
  r.bloom = true;
  r.frame(false);
}

// Legal: the setting selects the element.
struct Keyed {
  Slot slots[2];
  bool bloom = false;
  cudaStream_t s;
  float *p;
  cudaGraphExec_t record() {
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    first<<<1, 1, 0, s>>>(p);
    if (bloom)
      second<<<1, 1, 0, s>>>(p);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    return e;
  }
  void frame() {
    Slot &slot = slots[bloom];
    if (!slot.exec)
      slot.exec = record();
    cudaGraphLaunch(slot.exec, s);
  }
};

void fromKey() {
  Keyed r;
  r.frame();
  if (decide())
    decide();
  r.bloom = true;
  r.frame();
}
