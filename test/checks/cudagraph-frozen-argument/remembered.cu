// A launch uses the current values if the values are compared with those of the
// last update, or if the graph is found by a key or captured again when a
// version changes.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape,cudagraph-dangling-memory

#include <cstdlib>
#include <unordered_map>
#include <utility>

__global__ void k(const float *in, float *out, int n);

// The address is updated whenever it changes.
class Processor {
public:
  void process(const float *frame) {
    if (!exec_)
      build(frame);
    else if (frame != src_)
      cudaGraphExecMemcpyNodeSetParams1D(exec_, upload_, raw_, frame, 64,
                                         cudaMemcpyHostToDevice);
    src_ = frame;
    cudaGraphLaunch(exec_, s_);
  }
  void build(const float *src) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(raw_, src, 64, cudaMemcpyHostToDevice, s_);
    cudaStreamEndCapture(s_, &graph_);
    cudaGraphInstantiate(&exec_, graph_, 0);
  }

private:
  cudaStream_t s_;
  float *raw_;
  const float *src_ = nullptr;
  cudaGraph_t graph_;
  cudaGraphExec_t exec_ = nullptr;
  cudaGraphNode_t upload_;
};

// The value of a memset is retained like any argument.
class Canvas {
public:
  void setBackground(int luma) { background_ = (unsigned char)luma; }
  void render() {
    if (!exec_) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      cudaMemsetAsync(target_, background_, 64, s_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'background_' of 'cudaMemsetAsync' is set by 'Canvas::setBackground' while the graph exists
      cudaMemset2DAsync(target_, 64, background_, 8, rows_, s_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'background_' of 'cudaMemset2DAsync' is set by 'Canvas::setBackground' while the graph exists
      // CHECK-MESSAGES: :[[@LINE-2]]:7: warning: the size given to 'cudaMemset2DAsync' is computed from a value that 'Canvas::setRows' sets while the graph exists
      cudaStreamEndCapture(s_, &g);
      cudaGraphInstantiate(&exec_, g, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }
  void setRows(int rows) { rows_ = rows; }

private:
  cudaStream_t s_;
  unsigned char background_ = 0;
  unsigned char *target_;
  int rows_ = 8;
  cudaGraphExec_t exec_ = nullptr;
};

// One graph per number of blocks.
class Plans {
public:
  void consume(const float *in, int n) {
    cudaGraphLaunch(planFor((n + 31) / 32), s_);
    (void)in;
  }

private:
  cudaGraphExec_t planFor(unsigned blocks) {
    auto it = plans_.find(blocks);
    if (it == plans_.end())
      it = plans_.emplace(blocks, compile(blocks)).first;
    return it->second;
  }
  cudaGraphExec_t compile(unsigned blocks) {
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<blocks, 32, 0, s_>>>(in_, out_, 4096);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec, g, 0);
    return exec;
  }
  cudaStream_t s_;
  float *in_, *out_;
  std::unordered_map<unsigned, cudaGraphExec_t> plans_;
};

// Memory that is replaced together with a version that is part of the key.
class Scratch {
public:
  void ensure(size_t bytes) {
    if (bytes <= size_)
      return;
    cudaFree(base_);
    cudaMalloc(&base_, bytes);
    size_ = bytes;
    ++generation_;
  }
  float *base_ = nullptr;
  unsigned generation() const { return generation_; }

private:
  size_t size_ = 0;
  unsigned generation_ = 0;
};
class Pyramid {
public:
  void process(int w, int h) {
    scratch_.ensure(w * h * sizeof(float));
    Key key{w, h, scratch_.generation()};
    if (!exec_ || !(key == key_))
      record(key);
    cudaGraphLaunch(exec_, s_);
  }

private:
  struct Key {
    int w, h;
    unsigned generation;
    bool operator==(const Key &o) const {
      return w == o.w && h == o.h && generation == o.generation;
    }
  };
  void record(const Key &key) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    k<<<key.w, 32, 0, s_>>>(scratch_.base_, scratch_.base_, key.h);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
    key_ = key;
  }
  cudaStream_t s_;
  Scratch scratch_;
  Key key_{};
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  Processor processor;
  float frames[3][16];
  for (int i = 0; i < 3; ++i)
    processor.process(frames[std::rand() % 3]);
  Canvas canvas;
  for (int i = 0; i < 3; ++i) {
    canvas.setBackground(i);
    canvas.setRows(i);
    canvas.render();
  }
  Plans plans;
  for (int i = 1; i < 3; ++i)
    plans.consume(frames[0], i * 1000);
  Pyramid pyramid;
  for (int i = 1; i < 3; ++i)
    pyramid.process(i, i);
}
