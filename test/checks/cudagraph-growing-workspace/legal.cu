// Buffers that never grow, that no graph uses, or whose growth invalidates the
// graph. No check reports a finding.

// RUN: %check %s

#include <vector>

__global__ void kernel(const float *in, float *out);

// The buffer is allocated once, for the largest size.
class Fixed {
public:
  Fixed(cudaStream_t s, size_t bytes) : stream_(s) { cudaMalloc(&scratch_, bytes); }
  ~Fixed() {
    cudaGraphExecDestroy(exec_);
    cudaFree(scratch_);
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *scratch_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// Only eager code uses the buffer that grows; the graph has its own.
class Separate {
public:
  explicit Separate(cudaStream_t s) : stream_(s) { cudaMalloc(&fixed_, 4096); }
  void prefill(float *out, size_t bytes) {
    if (bytes > capacity_) {
      cudaFree(growing_);
      cudaMalloc(&growing_, bytes);
      capacity_ = bytes;
    }
    kernel<<<64, 256, 0, stream_>>>(growing_, out);
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 256, 0, stream_>>>(fixed_, out);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *fixed_ = nullptr, *growing_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// Growth invalidates the graph.
class Dropped {
public:
  explicit Dropped(cudaStream_t s) : stream_(s) {}
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    drop();
    cudaFree(scratch_);
    cudaMalloc(&scratch_, bytes);
    capacity_ = bytes;
  }
  void run(float *out) {
    if (!exec_)
      record(out);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void drop() {
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void record(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }

  cudaStream_t stream_;
  float *scratch_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// Outgrown buffers are retained until the end.
class Retired {
public:
  explicit Retired(cudaStream_t s) : stream_(s) {}
  ~Retired() {
    cudaGraphExecDestroy(exec_);
    for (float *p : retired_)
      cudaFree(p);
    cudaFree(scratch_);
  }
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    retired_.push_back(scratch_);
    cudaMalloc(&scratch_, bytes);
    capacity_ = bytes;
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *scratch_ = nullptr;
  std::vector<float *> retired_;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// Each call has a separate graph.
class Transient {
public:
  explicit Transient(cudaStream_t s) : stream_(s) {}
  void smooth(float *x, size_t bytes, int sweeps) {
    reserve(bytes);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 256, 0, stream_>>>(x, scratch_);
    kernel<<<1, 256, 0, stream_>>>(scratch_, x);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < sweeps; ++i)
      cudaGraphLaunch(exec, stream_);
    cudaStreamSynchronize(stream_);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }

private:
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    cudaFree(scratch_);
    cudaMalloc(&scratch_, bytes);
    capacity_ = bytes;
  }

  cudaStream_t stream_;
  float *scratch_ = nullptr;
  size_t capacity_ = 0;
};

// No graph at all.
class Eager {
public:
  void run(float *out, size_t bytes, cudaStream_t s) {
    if (bytes > capacity_) {
      cudaFree(scratch_);
      cudaMalloc(&scratch_, bytes);
      capacity_ = bytes;
    }
    kernel<<<64, 256, 0, s>>>(scratch_, out);
  }

private:
  float *scratch_ = nullptr;
  size_t capacity_ = 0;
};

// If a vector grows, the addresses in its elements move along: each view has
// its own graph and target.
class Views {
public:
  void add(float *target, cudaStream_t queue) {
    views_.push_back({target, queue, nullptr});
  }
  void compile() {
    for (View &v : views_) {
      cudaGraph_t g;
      (void)cudaStreamBeginCapture(v.queue, cudaStreamCaptureModeThreadLocal);
      kernel<<<1, 32, 0, v.queue>>>(v.target, v.target);
      (void)cudaStreamEndCapture(v.queue, &g);
      cudaGraphInstantiate(&v.exec, g, 0);
    }
  }
  void render() {
    for (View &v : views_)
      cudaGraphLaunch(v.exec, v.queue);
  }

private:
  struct View {
    float *target;
    cudaStream_t queue;
    cudaGraphExec_t exec;
  };
  std::vector<View> views_;
};

// If memory is allocated, used, and freed in turn, it is freed last; the memory
// of a different object is separate.
class Passing {
public:
  explicit Passing(cudaStream_t s) : stream_(s) {}
  void obtain(size_t bytes) { cudaMalloc(&scratch_, bytes); }
  void drop() {
    cudaFree(scratch_);
    scratch_ = nullptr;
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *scratch_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};
void whole_life(Passing &p, int n) {
  p.obtain(1024);
  for (int i = 0; i < n; ++i)
    p.run();
  p.drop();
}
void next_one(Passing &old, Passing &young) {
  old.drop();
  young.obtain(1024);
}
