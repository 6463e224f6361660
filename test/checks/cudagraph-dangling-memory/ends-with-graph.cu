// Memory that is freed with its graph, or replaced while there is no graph.

// RUN: %if gxx %{ %check %s cudagraph-dangling-memory,cudagraph-growing-workspace --real-std %}

#include <memory>
#include <optional>

__global__ void blur(float *x);

struct Buffer {
  explicit Buffer(int n) { cudaMalloc(&data, n); }
  ~Buffer() { cudaFree(data); }
  float *data;
};
struct Graph {
  explicit Graph(cudaGraph_t graph) { cudaGraphInstantiate(&exec, graph, 0); }
  ~Graph() { cudaGraphExecDestroy(exec); }
  void launch(cudaStream_t s) { cudaGraphLaunch(exec, s); }
  cudaGraphExec_t exec;
};

// The graph is destroyed before the buffer is replaced.
class Filter {
public:
  void resize(int n) {
    graph_.reset();
    buffer_.reset();
    buffer_.emplace(n);
  }
  void run(cudaStream_t s) {
    if (!graph_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      blur<<<1, 1, 0, s>>>(buffer_->data);
      cudaStreamEndCapture(s, &graph);
      graph_.emplace(graph);
      cudaGraphDestroy(graph);
    }
    graph_->launch(s);
  }

private:
  std::optional<Buffer> buffer_;
  std::optional<Graph> graph_;
};

void twice(cudaStream_t s) {
  Filter f;
  f.resize(64);
  f.run(s);
  f.resize(128);
  f.run(s);
}

// The same with raw memory and a smart pointer to the graph.
class Workspace {
public:
  void resize(int n) {
    graph_.reset();
    cudaFree(data_);
    cudaMalloc(&data_, n);
  }
  void run(cudaStream_t s) {
    if (!graph_)
      record(s);
    graph_->launch(s);
  }

private:
  void record(cudaStream_t s) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    blur<<<1, 1, 0, s>>>(data_);
    cudaStreamEndCapture(s, &graph);
    graph_ = std::make_unique<Graph>(graph);
    cudaGraphDestroy(graph);
  }
  float *data_ = nullptr;
  std::unique_ptr<Graph> graph_;
};

// Bad: the graph continues to exist.
class Kept {
public:
  void resize(int n) {
    cudaFree(data_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Kept::resize' frees and reallocates 'data_' {{.*}} [cudagraph-growing-workspace]
    cudaMalloc(&data_, n);
  }
  void run(cudaStream_t s) {
    if (!graph_)
      record(s);
    graph_->launch(s);
  }

private:
  void record(cudaStream_t s) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    blur<<<1, 1, 0, s>>>(data_);
    cudaStreamEndCapture(s, &graph);
    graph_ = std::make_unique<Graph>(graph);
    cudaGraphDestroy(graph);
  }
  float *data_ = nullptr;
  std::unique_ptr<Graph> graph_;
};

// Helpers that free memory before other functions destroy the graph.
struct Engine {
  cudaStream_t s;
  float *data;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
};
static void freeBuffers(Engine &e) { cudaFree(e.data); }
static void dropGraph(Engine &e) {
  cudaGraphExecDestroy(e.exec);
  cudaGraphDestroy(e.graph);
}
static void record(Engine &e) {
  cudaMalloc(&e.data, 64);
  cudaStreamBeginCapture(e.s, cudaStreamCaptureModeGlobal);
  blur<<<1, 1, 0, e.s>>>(e.data);
  cudaStreamEndCapture(e.s, &e.graph);
  cudaGraphInstantiate(&e.exec, e.graph, 0);
}
void shut_down(Engine &e) {
  record(e);
  cudaGraphLaunch(e.exec, e.s);
  freeBuffers(e);
  dropGraph(e);
}

static void recordToo(Engine &e) {
  cudaMalloc(&e.data, 64);
  cudaStreamBeginCapture(e.s, cudaStreamCaptureModeGlobal);
  blur<<<1, 1, 0, e.s>>>(e.data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'blur' uses 'e.data', which 'freeBuffers' frees; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(e.s, &e.graph);
  cudaGraphInstantiate(&e.exec, e.graph, 0);
}
void trim(Engine &e) {
  recordToo(e);
  freeBuffers(e);
}
