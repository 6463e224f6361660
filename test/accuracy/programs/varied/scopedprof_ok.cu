// Valuation platform: operators derive from a template method that times every execution for the dashboards.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace platform {

class CudaException : public std::runtime_error {
 public:
  CudaException(cudaError_t code, const std::string& where)
      : std::runtime_error(where + ": " + cudaGetErrorString(code)), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};
inline void Verify(cudaError_t rc, const std::string& where) {
  if (rc != cudaSuccess) throw CudaException(rc, where);
}

class Metrics {
 public:
  void Report(const std::string& name, float ms) { totals_[name] += ms; }
  bool Has(const std::string& name) const { return totals_.count(name) != 0; }

 private:
  std::map<std::string, float> totals_;
};

class OperatorTimer {
 public:
  explicit OperatorTimer(cudaStream_t stream) : stream_(stream) {
    Verify(cudaEventCreate(&start_), "start event");
    Verify(cudaEventCreate(&stop_), "stop event");
  }
  ~OperatorTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  void Start() {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    Verify(cudaStreamIsCapturing(stream_, &status), "status");
    active_ = status == cudaStreamCaptureStatusNone;
    if (active_) Verify(cudaEventRecord(start_, stream_), "start");
  }
  float Stop() {
    if (!active_) return 0.0f;
    Verify(cudaEventRecord(stop_, stream_), "stop");
    Verify(cudaEventSynchronize(stop_), "wait");
    float ms = 0.0f;
    Verify(cudaEventElapsedTime(&ms, start_, stop_), "elapsed");
    return ms;
  }

 private:
  cudaStream_t stream_;
  bool active_ = false;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

class Operator {
 public:
  explicit Operator(std::string name) : name_(std::move(name)) {}
  virtual ~Operator() = default;
  void Execute(OperatorTimer& timer, Metrics& metrics, cudaStream_t stream) {
    timer.Start();
    DoExecute(stream);
    metrics.Report(name_, timer.Stop());
  }

 protected:
  virtual void DoExecute(cudaStream_t stream) = 0;

 private:
  std::string name_;
};

__global__ void DiscountKernel(const float* flows, float* pv, int n, float rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pv[i] = flows[i] / (1.0f + rate);
}
__global__ void FeeKernel(float* pv, int n, float fee) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pv[i] -= fee;
}

class Discount final : public Operator {
 public:
  Discount(const float* flows, float* pv, int n) : Operator("discount"), flows_(flows), pv_(pv), n_(n) {}

 protected:
  void DoExecute(cudaStream_t s) override { DiscountKernel<<<(n_ + 127) / 128, 128, 0, s>>>(flows_, pv_, n_, 0.25f); }

 private:
  const float* flows_;
  float* pv_;
  const int n_;
};

class Fee final : public Operator {
 public:
  Fee(float* pv, int n) : Operator("fee"), pv_(pv), n_(n) {}

 protected:
  void DoExecute(cudaStream_t s) override { FeeKernel<<<(n_ + 127) / 128, 128, 0, s>>>(pv_, n_, 1.0f); }

 private:
  float* pv_;
  const int n_;
};

class Valuation {
 public:
  explicit Valuation(int n) : n_(n) {
    Verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    Verify(cudaMalloc(&flows_, n * sizeof(float)), "flows");
    Verify(cudaMalloc(&pv_, n * sizeof(float)), "pv");
    timer_ = std::make_unique<OperatorTimer>(stream_);
    operators_.push_back(std::make_unique<Discount>(flows_, pv_, n));
    operators_.push_back(std::make_unique<Fee>(pv_, n));
  }
  ~Valuation() {
    if (exec_) cudaGraphExecDestroy(exec_);
    timer_.reset();
    cudaFree(flows_);
    cudaFree(pv_);
    cudaStreamDestroy(stream_);
  }
  void RunOperators() {
    for (auto& op : operators_) op->Execute(*timer_, metrics_, stream_);
    Verify(cudaGetLastError(), "operators");
  }
  void Compile() {
    RunOperators();  // warm-up, timed
    Verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    RunOperators();
    cudaGraph_t graph = nullptr;
    Verify(cudaStreamEndCapture(stream_, &graph), "end");
    Verify(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    Verify(cudaGraphDestroy(graph), "destroy");
  }
  float Value(const std::vector<float>& flows) {
    float pv = 0.0f;
    Verify(cudaMemcpyAsync(flows_, flows.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "flows");
    Verify(cudaGraphLaunch(exec_, stream_), "launch");
    Verify(cudaMemcpyAsync(&pv, pv_ + 1, sizeof pv, cudaMemcpyDeviceToHost, stream_), "pv");
    Verify(cudaStreamSynchronize(stream_), "value");
    return pv;
  }
  bool Timed() const { return metrics_.Has("discount") && metrics_.Has("fee"); }

 private:
  int n_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *flows_ = nullptr, *pv_ = nullptr;
  Metrics metrics_;
  std::unique_ptr<OperatorTimer> timer_;
  std::vector<std::unique_ptr<Operator>> operators_;
};

}  // namespace platform

int main() {
  bool timed = false, refused = false, right = false;
  try {
    platform::Valuation valuation(300);
    valuation.RunOperators();
    timed = valuation.Timed();
    valuation.Compile();
    right = true;
    for (int k = 1; k <= 3; ++k) {
      const std::vector<float> flows(300, 10.0f * float(k));
      right = right && std::fabs(valuation.Value(flows) - (8.0f * float(k) - 1.0f)) < 1e-4f;
    }
  } catch (const platform::CudaException& e) {
    std::fprintf(stderr, "%s\n", e.what());
    refused = e.code() == cudaErrorStreamCaptureUnsupported || e.code() == cudaErrorCapturedEvent;
  }
  std::puts(timed && right && !refused ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
