// RUN: %check %s cudagraph-dangling-memory
//
// An object is destroyed with the last of several smart pointers to it.

#include <cuda_runtime.h>
#include <memory>

struct Buffer {
  Buffer() { cudaMalloc(reinterpret_cast<void **>(&data), 4096); }
  ~Buffer() { cudaFree(data); }
  float *data = nullptr;
};

__global__ void scale(float *x);

struct Model {
  std::shared_ptr<Buffer> keep;
  cudaStream_t s;
  cudaGraphExec_t exec;
};

static bool capture(Model &m, float *data) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(m.s, cudaStreamCaptureModeGlobal))
    return false;
  scale<<<1, 32, 0, m.s>>>(data);
  if (cudaStreamEndCapture(m.s, &graph))
    return false;
  return !cudaGraphInstantiate(&m.exec, graph, 0);
}

// Legal: the owner of the graph retains the buffer.
void kept(Model &m) {
  auto buffer = std::make_shared<Buffer>();
  m.keep = buffer;
  capture(m, buffer->data);
}

// Legal: a copy and a non-owning reference go out of scope.
static float *dataOf(std::shared_ptr<Buffer> copy) { return copy->data; }
void copies(Model &m) {
  m.keep = std::make_shared<Buffer>();
  {
    std::shared_ptr<Buffer> copy = m.keep;
    std::weak_ptr<Buffer> weak = copy;
    capture(m, dataOf(copy));
  }
  cudaGraphLaunch(m.exec, m.s);
}

// Legal: the caller of a function may retain its argument.
void passed(Model &m, std::shared_ptr<Buffer> buffer) {
  capture(m, buffer->data);
}
void passes(Model &m) {
  auto buffer = std::make_shared<Buffer>();
  float *data = buffer->data;
  dataOf(buffer);
  passed(m, buffer);
  capture(m, data);
  cudaGraphLaunch(m.exec, m.s);
  cudaGraphExecDestroy(m.exec);
}

// No pointer owns the buffer any longer.
void last(Model &m) {
  {
    auto buffer = std::make_shared<Buffer>();
    auto copy = buffer;
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(m.s, cudaStreamCaptureModeGlobal))
      return;
    scale<<<1, 32, 0, m.s>>>(copy->data);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' uses 'copy->data', which 'Buffer::~Buffer' frees
    if (cudaStreamEndCapture(m.s, &graph))
      return;
    cudaGraphInstantiate(&m.exec, graph, 0);
  }
  cudaGraphLaunch(m.exec, m.s);
}

void resets(Model &m) {
  auto buffer = std::make_shared<Buffer>();
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(m.s, cudaStreamCaptureModeGlobal))
    return;
  scale<<<1, 32, 0, m.s>>>(buffer->data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'scale' uses 'buffer->data', which 'Buffer::~Buffer' frees
  if (cudaStreamEndCapture(m.s, &graph))
    return;
  cudaGraphInstantiate(&m.exec, graph, 0);
  buffer.reset();
  cudaGraphLaunch(m.exec, m.s);
}

// Legal: the capturing function stores a copy in a member that is unknown to
// the function that replaces the original.
class Store {
public:
  std::shared_ptr<Buffer> get() { return current_; }
  void put(std::shared_ptr<Buffer> next) { current_ = std::move(next); }

private:
  std::shared_ptr<Buffer> current_ = std::make_shared<Buffer>();
};

class Engine {
public:
  void build(Store &store, bool keep) {
    auto buffer = store.get();
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
      return;
    scale<<<1, 32, 0, s_>>>(buffer->data);
    if (cudaStreamEndCapture(s_, &graph))
      return;
    cudaGraphInstantiate(&exec_, graph, 0);
    pinned_ = buffer;
  }
  void run() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  cudaGraphExec_t exec_;
  std::shared_ptr<Buffer> pinned_;
};
void pins() {
  Store store;
  Engine engine;
  engine.build(store, true);
  store.put(std::make_shared<Buffer>());
  engine.run();
}

// Legal: a local variable of a caller stores the copy.
static void replace(std::shared_ptr<Buffer> &buffer) {
  buffer = std::make_shared<Buffer>();
}
void held(Model &m) {
  auto buffer = std::make_shared<Buffer>();
  auto copy = buffer;
  capture(m, buffer->data);
  replace(buffer);
  cudaGraphLaunch(m.exec, m.s);
  cudaGraphExecDestroy(m.exec);
}

// No pointer does.
void replaced(Model &m) {
  auto buffer = std::make_shared<Buffer>();
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(m.s, cudaStreamCaptureModeGlobal))
    return;
  scale<<<1, 32, 0, m.s>>>(buffer->data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'scale' uses 'buffer->data', which 'Buffer::~Buffer' frees
  if (cudaStreamEndCapture(m.s, &graph))
    return;
  cudaGraphInstantiate(&m.exec, graph, 0);
  replace(buffer);
  cudaGraphLaunch(m.exec, m.s);
}

// Legal: a function without source may retain another smart pointer.
std::shared_ptr<Buffer> acquire();
void keep(std::shared_ptr<Buffer> copy);
void unseen(Model &m) {
  {
    auto buffer = acquire();
    capture(m, buffer->data);
  }
  cudaGraphLaunch(m.exec, m.s);
}
void given(Model &m) {
  {
    auto buffer = std::make_shared<Buffer>();
    capture(m, buffer->data);
    keep(buffer);
  }
  cudaGraphLaunch(m.exec, m.s);
}
