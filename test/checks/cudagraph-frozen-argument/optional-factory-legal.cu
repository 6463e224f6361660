// A function records a graph and returns it in an optional: the optional in
// which the caller keeps it is empty after each step.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <optional>
#include <utility>

__global__ void update(float rate);

class Graph {
public:
  template <class Body>
  static std::optional<Graph> record(cudaStream_t s, Body &&body) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
      return std::nullopt;
    std::forward<Body>(body)(s);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    if (cudaStreamEndCapture(s, &graph) != cudaSuccess ||
        cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
      return std::nullopt;
    return Graph(exec);
  }
  Graph(Graph &&o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
  Graph &operator=(Graph &&o) noexcept {
    std::swap(exec_, o.exec_);
    return *this;
  }
  ~Graph() {
    if (exec_)
      cudaGraphExecDestroy(exec_);
  }
  void launch(cudaStream_t s) const { cudaGraphLaunch(exec_, s); }

private:
  explicit Graph(cudaGraphExec_t e) : exec_(e) {}
  cudaGraphExec_t exec_;
};

class Renewing {
public:
  Renewing() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void step() {
    if (!graph_)
      graph_ = Graph::record(stream_, [this](cudaStream_t s) {
        update<<<1, 32, 0, s>>>(0.25f / (1 + step_));
      });
    graph_->launch(stream_);
    ++step_;
    graph_.reset();
  }

private:
  int step_ = 0;
  cudaStream_t stream_;
  std::optional<Graph> graph_;
};

int main() {
  Renewing r;
  for (int i = 0; i < 8; ++i)
    r.step();
}
