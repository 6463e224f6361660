// A table of graphs has a key that is computed from the input. The captured code computes
// its values from that key, in a member function of an object that contains it.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std

#include <map>
#include <memory>
#include <vector>

__global__ void relu(float *y, int n);

struct Shape {
  int Batch, Hidden, Limit;
  int numel() const { return Batch * Hidden; }
  int limit() const { return Limit; }
};

class Op {
public:
  virtual ~Op() = default;
  virtual void enqueue(const Shape &S, float *Out, cudaStream_t Stream) = 0;
};
class Relu final : public Op {
public:
  void enqueue(const Shape &S, float *Out, cudaStream_t Stream) override {
    relu<<<(S.numel() + 255) / 256, 256, 0, Stream>>>(Out, S.numel());
  }
};
class Clamp final : public Op {
public:
  void enqueue(const Shape &S, float *Out, cudaStream_t Stream) override {
    relu<<<1, 256, 0, Stream>>>(Out, S.limit());
// CHECK-MESSAGES: [[@LINE-1]]:5: warning: argument 'S.limit()' of kernel 'relu' is set by 'Runner::run' while the graph exists
  }
};

template <typename Kind> class Runner {
public:
  Runner(int Hidden) : Hidden(Hidden) {
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    cudaMalloc(&Out, 1 << 20);
    Ops.push_back(std::make_unique<Kind>());
  }
  void run(const std::vector<float> &X, int Limit) {
    const Shape S{int(X.size()) / Hidden, Hidden, Limit};
    auto It = Graphs.find(S.Batch);
    if (It == Graphs.end())
      It = Graphs.emplace(S.Batch, record(S)).first;
    cudaGraphLaunch(It->second, Stream);
  }

private:
  cudaGraphExec_t record(const Shape &S) {
    cudaGraph_t Graph = nullptr;
    cudaGraphExec_t Exec = nullptr;
    cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal);
    for (auto &Each : Ops)
      Each->enqueue(S, Out, Stream);
    cudaStreamEndCapture(Stream, &Graph);
    cudaGraphInstantiate(&Exec, Graph, 0);
    cudaGraphDestroy(Graph);
    return Exec;
  }

  int Hidden;
  std::vector<std::unique_ptr<Op>> Ops;
  std::map<int, cudaGraphExec_t> Graphs;
  cudaStream_t Stream = nullptr;
  float *Out = nullptr;
};

static std::vector<float> request(int Batch, int Hidden) {
  std::vector<float> X(size_t(Batch) * Hidden);
  for (size_t I = 0; I < X.size(); ++I)
    X[I] = float(I);
  return X;
}

void legal() {
  Runner<Relu> R(256);
  for (int Batch : {4, 32, 4}) {
    auto X = request(Batch, 256);
    R.run(X, 3);
  }
}

void other(int Limit) {
  Runner<Clamp> R(256);
  for (int Batch : {4, 32, 4}) {
    auto X = request(Batch, 256);
    R.run(X, Limit++);
  }
}
