// op_fallback: small inference runtime. Models are lists of ops; a model is captured into a graph if all of its ops
// allow it, otherwise it runs op by op.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rt {

struct CudaError : std::runtime_error {
  CudaError(cudaError_t e, const char* what) : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e)) {}
};
struct UnsupportedInCapture : std::logic_error {
  using std::logic_error::logic_error;
};
inline void Must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw CudaError(e, what);
}

struct OpContext {
  cudaStream_t stream;
  bool capturing;
  float* values;  // ops work in place
  int count;
};

class Op {
 public:
  virtual ~Op() = default;
  virtual const char* Name() const = 0;
  virtual void Enqueue(const OpContext& ctx) = 0;
  virtual void Host(std::vector<float>& v) const = 0;  // reference
};

__global__ void AffineKernel(float* v, int n, float a, float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] = a * v[i] + b;
}
__global__ void SiluKernel(float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] = v[i] / (1.f + expf(-v[i]));
}
__global__ void CutKernel(float* v, int n, float threshold) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && v[i] < threshold) v[i] = 0.f;
}
inline int Grid(int n) { return (n + 127) / 128; }

class Affine : public Op {
 public:
  Affine(float a, float b) : a_(a), b_(b) {}
  const char* Name() const override { return "affine"; }
  void Enqueue(const OpContext& c) override { AffineKernel<<<Grid(c.count), 128, 0, c.stream>>>(c.values, c.count, a_, b_); }
  void Host(std::vector<float>& v) const override {
    for (float& x : v) x = a_ * x + b_;
  }

 private:
  float a_, b_;
};

class Silu : public Op {
 public:
  const char* Name() const override { return "silu"; }
  void Enqueue(const OpContext& c) override { SiluKernel<<<Grid(c.count), 128, 0, c.stream>>>(c.values, c.count); }
  void Host(std::vector<float>& v) const override {
    for (float& x : v) x = x / (1.f + std::exp(-x));
  }
};

// Zeroes everything but the k largest values. The threshold is found on the host.
class KeepTopK : public Op {
 public:
  explicit KeepTopK(int k) : k_(k) {}
  const char* Name() const override { return "keep_top_k"; }
  void Enqueue(const OpContext& c) override {
    if (c.capturing) throw UnsupportedInCapture("keep_top_k selects on the host");
    std::vector<float> v(c.count);
    Must(cudaMemcpyAsync(v.data(), c.values, c.count * sizeof(float), cudaMemcpyDeviceToHost, c.stream), "top-k read");
    Must(cudaStreamSynchronize(c.stream), "top-k wait");
    CutKernel<<<Grid(c.count), 128, 0, c.stream>>>(c.values, c.count, Threshold(v));
  }
  void Host(std::vector<float>& v) const override {
    float t = Threshold(v);
    for (float& x : v) x = x < t ? 0.f : x;
  }

 private:
  float Threshold(std::vector<float> v) const {
    std::nth_element(v.begin(), v.begin() + (k_ - 1), v.end(), std::greater<float>());
    return v[k_ - 1];
  }
  int k_;
};

using Model = std::vector<std::unique_ptr<Op>>;

// Ends the capture on every way out; a capture that was not taken over is thrown away.
class CaptureScope {
 public:
  explicit CaptureScope(cudaStream_t s) : stream_(s) {
    Must(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin capture");
  }
  cudaGraph_t Finish() {
    cudaGraph_t graph = nullptr;
    open_ = false;
    Must(cudaStreamEndCapture(stream_, &graph), "end capture");
    return graph;
  }
  ~CaptureScope() {
    cudaGraph_t discarded = nullptr;
    if (open_) cudaStreamEndCapture(stream_, &discarded);
    if (discarded) cudaGraphDestroy(discarded);
  }

 private:
  cudaStream_t stream_;
  bool open_ = true;
};

class Session {
 public:
  Session(const Model& model, int count) : model_(model), count_(count) {
    Must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    Must(cudaMalloc(&values_, count * sizeof(float)), "values");
  }
  ~Session() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
    cudaFree(values_);
  }

  bool UsesGraph() const { return exec_ != nullptr; }

  void Prepare() {
    try {
      Capture();
    } catch (const UnsupportedInCapture& e) {
      std::printf("running eagerly: %s\n", e.what());
    }
  }

  std::vector<float> Run(const std::vector<float>& in) {
    std::vector<float> out(count_);
    Must(cudaMemcpyAsync(values_, in.data(), count_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "input");
    if (exec_) {
      Must(cudaGraphLaunch(exec_, stream_), "graph");
    } else {
      EnqueueAll(false);
    }
    Must(cudaMemcpyAsync(out.data(), values_, count_ * sizeof(float), cudaMemcpyDeviceToHost, stream_), "output");
    Must(cudaStreamSynchronize(stream_), "run");
    return out;
  }

 private:
  void EnqueueAll(bool capturing) {
    OpContext ctx{stream_, capturing, values_, count_};
    for (const auto& op : model_) {
      op->Enqueue(ctx);
      Must(cudaGetLastError(), op->Name());
    }
  }

  void Capture() {
    CaptureScope scope(stream_);
    EnqueueAll(true);
    cudaGraph_t graph = scope.Finish();
    Must(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    Must(cudaGraphDestroy(graph), "destroy graph");
  }

  const Model& model_;
  int count_;
  cudaStream_t stream_ = nullptr;
  float* values_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace rt

static int Exercise(const char* name, const rt::Model& model, bool expect_graph) {
  const int n = 1000;
  rt::Session session(model, n);
  session.Prepare();
  int wrong = session.UsesGraph() != expect_graph;
  for (int run = 0; run < 4; ++run) {
    std::vector<float> v(n);
    for (int i = 0; i < n; ++i) v[i] = static_cast<float>((i * 37 + run * 11) % n) * 0.01f - 5.f;
    std::vector<float> got = session.Run(v);
    for (const auto& op : model) op->Host(v);
    for (int i = 0; i < n; ++i) wrong += !(std::fabs(got[i] - v[i]) < 1e-3f);
  }
  std::printf("%s: graph %d, %d wrong values\n", name, session.UsesGraph(), wrong);
  return wrong;
}

int main() {
  bool broken = false;
  try {
    rt::Model tower, sparse;
    tower.push_back(std::make_unique<rt::Affine>(1.5f, 0.25f));
    tower.push_back(std::make_unique<rt::Silu>());
    tower.push_back(std::make_unique<rt::Affine>(-0.5f, 1.f));
    sparse.push_back(std::make_unique<rt::Affine>(2.f, 3.f));
    sparse.push_back(std::make_unique<rt::KeepTopK>(50));
    sparse.push_back(std::make_unique<rt::Affine>(0.5f, 0.f));
    broken = Exercise("tower", tower, true) + Exercise("sparse", sparse, false) != 0;
  } catch (const std::exception& e) {
    std::printf("exception: %s\n", e.what());
    broken = true;
  }
  std::puts(!broken ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
