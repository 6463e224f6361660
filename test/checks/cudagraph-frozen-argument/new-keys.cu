// A function adds an element under the next number of a counter. Graphs that use other
// elements keep their contents, unless the counter is reset, or the element is replaced.

// RUN: %check %s cudagraph-frozen-argument --real-std
// REQUIRES: gxx

#include <unordered_map>

__global__ void kernel(float *x, int offset);

template <int Kind> class Manager {
public:
  int create(int slot) {
    const int id = ++last;
    slots[id] = {slot};
    return id;
  }
  int createLater(int slot) {
    slots[next++] = {slot};
    return next - 1;
  }
  int createWithoutReset(int slot) {
    slots[unique++] = {slot};
    return unique - 1;
  }
  int createAndReplace(int slot) {
    ++last;
    slots[last - 2] = {slot};
    return last;
  }
  void reset() { next = 0; }
  void replace(int id, int slot) { slots[id] = {slot}; }
  int slotOf(int id) const { return slots.at(id).slot; }

private:
  struct Slot {
    int slot = 0;
  };
  std::unordered_map<int, Slot> slots;
  int last = 0, next = 0, unique = 0;
};

template <int Kind> class Renderer {
public:
  Renderer(Manager<Kind> &manager, int scene) : manager(manager), scene(scene) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&x, 4096);
  }
  Manager<Kind> &manager;
  int scene;
  float *x = nullptr;
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

struct Created : Renderer<0> {
  using Renderer<0>::Renderer;
  void draw() {
    if (!exec) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      kernel<<<1, 1, 0, s>>>(x, manager.slotOf(scene));
      if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
        return;
    }
    cudaGraphLaunch(exec, s);
  }
};

struct Replaced : Renderer<1> {
  using Renderer<1>::Renderer;
  void draw() {
    if (!exec) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      kernel<<<1, 1, 0, s>>>(x, manager.slotOf(scene));
// CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'manager.slotOf(scene)' of kernel 'kernel' is set by 'Manager::replace' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
        return;
    }
    cudaGraphLaunch(exec, s);
  }
};

struct Reset : Renderer<2> {
  using Renderer<2>::Renderer;
  void draw() {
    if (!exec) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      kernel<<<1, 1, 0, s>>>(x, manager.slotOf(scene));
// CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'manager.slotOf(scene)' of kernel 'kernel' is set by 'Manager::createLater' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
        return;
    }
    cudaGraphLaunch(exec, s);
  }
};

struct Earlier : Renderer<3> {
  using Renderer<3>::Renderer;
  void draw() {
    if (!exec) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
        return;
      kernel<<<1, 1, 0, s>>>(x, manager.slotOf(scene));
// CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'manager.slotOf(scene)' of kernel 'kernel' is set by 'Manager::createAndReplace' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
        return;
    }
    cudaGraphLaunch(exec, s);
  }
};

int main() {
  Manager<3> earlier;
  Earlier d(earlier, earlier.create(0));
  Manager<0> created;
  Created a(created, created.create(0));
  Manager<1> replaced;
  Replaced b(replaced, replaced.create(0));
  Manager<2> reset;
  Reset c(reset, reset.createLater(0));
  for (int frame = 0; frame < 6; ++frame) {
    if (frame == 3) {
      created.create(frame);
      created.createWithoutReset(frame);
      earlier.createAndReplace(frame);
      replaced.replace(b.scene, frame);
      reset.reset();
      reset.createLater(frame);
    }
    a.draw();
    b.draw();
    c.draw();
    d.draw();
  }
}
