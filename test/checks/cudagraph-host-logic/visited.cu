// The alternative in a std::variant selects the called function.

// RUN: %check %s cudagraph-host-logic --real-std

#include <utility>
#include <variant>
#include <vector>

struct Identity {
  __host__ __device__ float operator()(float x) const { return x; }
};
struct Relu {
  __host__ __device__ float operator()(float x) const { return x > 0 ? x : 0; }
};
using Activation = std::variant<Identity, Relu>;
template <class A> __global__ void apply(float *x, A a) { *x = a(*x); }

class Layer {
public:
  Layer(Activation a) : act_(a) {}
  void forward(cudaStream_t s, float *x) const {
    std::visit([&](auto a) { apply<<<1, 1, 0, s>>>(x, a); }, act_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Layer::rebind' sets a value that the called function depends on, while the graph exists
  }
  void rebind(Activation a) { act_ = a; }

private:
  Activation act_;
};
class Network {
public:
  explicit Network(std::vector<Layer> layers) : layers_(std::move(layers)) {}
  void set(int i, Activation a) { layers_.at(i).rebind(a); }
  void infer() {
    if (!exec_) {
      cudaGraph_t g = nullptr;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      for (const auto &l : layers_)
        l.forward(s_, x_);
      cudaStreamEndCapture(s_, &g);
      cudaGraphInstantiate(&exec_, g, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  std::vector<Layer> layers_;
  cudaStream_t s_;
  float *x_;
  cudaGraphExec_t exec_ = nullptr;
};

// The setter destroys the graph, which is then captured again. Members that
// only the constructor sets are constant.
class Dropping {
public:
  explicit Dropping(Activation last) : last_(last) {}
  void set(Activation a) {
    act_ = a;
    cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void infer() {
    if (!exec_) {
      cudaGraph_t g = nullptr;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      std::visit([&](auto a) { apply<<<1, 1, 0, s_>>>(x_, a); }, act_);
      std::visit([&](auto a) { apply<<<1, 1, 0, s_>>>(x_, a); }, last_);
      cudaStreamEndCapture(s_, &g);
      cudaGraphInstantiate(&exec_, g, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  Activation act_, last_;
  cudaStream_t s_;
  float *x_;
  cudaGraphExec_t exec_ = nullptr;
};
// A visit that only computes on the host selects no captured work.
class Reference {
public:
  void set(Activation a) { act_ = a; }
  float infer(float x) {
    if (!exec_) {
      cudaGraph_t g = nullptr;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      apply<<<1, 1, 0, s_>>>(x_, Relu{});
      x = std::visit([x](auto a) { return a(x); }, act_);
      cudaStreamEndCapture(s_, &g);
      cudaGraphInstantiate(&exec_, g, 0);
    }
    cudaGraphLaunch(exec_, s_);
    return x;
  }

private:
  Activation act_;
  cudaStream_t s_;
  float *x_;
  cudaGraphExec_t exec_ = nullptr;
};
