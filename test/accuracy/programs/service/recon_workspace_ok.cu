#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mri {

class Status {
 public:
  Status() = default;
  explicit Status(std::string message) : ok_(false), message_(std::move(message)) {}
  static Status FromCuda(cudaError_t e, const char* where) {
    return e == cudaSuccess ? Status() : Status(std::string(where) + ": " + cudaGetErrorString(e));
  }
  bool ok() const { return ok_; }
  const std::string& message() const { return message_; }

 private:
  bool ok_ = true;
  std::string message_;
};

#define RETURN_IF_ERROR(expr)          \
  do {                                 \
    ::mri::Status status_ = (expr);    \
    if (!status_.ok()) return status_; \
  } while (0)
#define RETURN_IF_CUDA(expr) RETURN_IF_ERROR(::mri::Status::FromCuda((expr), #expr))

class IWorkspace {
 public:
  virtual ~IWorkspace() = default;
  virtual Status Reserve(std::size_t bytes) = 0;
  virtual float* Data() const = 0;
  virtual std::uint64_t Generation() const = 0;
};

class DeviceWorkspace final : public IWorkspace {
 public:
  ~DeviceWorkspace() override { cudaFree(data_); }
  Status Reserve(std::size_t bytes) override {
    if (bytes <= capacity_) return Status();
    RETURN_IF_CUDA(cudaFree(data_));
    data_ = nullptr;
    capacity_ = 0;
    RETURN_IF_CUDA(cudaMalloc(&data_, bytes));
    capacity_ = bytes;
    ++generation_;
    return Status();
  }
  float* Data() const override { return data_; }
  std::uint64_t Generation() const override { return generation_; }

 private:
  float* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t generation_ = 0;
};

__global__ void FilterRows(const float* in, float* ws, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ws[i] = in[i] * 2.0f;
}
__global__ void Backproject(const float* ws, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ws[i] + 1.0f;
}

struct ReconPlan {
  cudaGraphExec_t exec = nullptr;
  std::uint64_t generation = 0;
  ~ReconPlan() {
    if (exec) cudaGraphExecDestroy(exec);
  }
};

class ReconService {
 public:
  ReconService(std::unique_ptr<IWorkspace> ws, int max_samples) : ws_(std::move(ws)), max_samples_(max_samples) {}
  ~ReconService() {
    plans_.clear();
    cudaFree(in_);
    cudaFree(out_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  Status Start() {
    RETURN_IF_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    RETURN_IF_CUDA(cudaMalloc(&in_, max_samples_ * sizeof(float)));
    RETURN_IF_CUDA(cudaMalloc(&out_, max_samples_ * sizeof(float)));
    return Status();
  }

  Status Reconstruct(const std::vector<float>& samples, std::vector<float>* image) {
    const int n = static_cast<int>(samples.size());
    RETURN_IF_ERROR(ws_->Reserve(n * sizeof(float)));
    auto& plan = plans_[n];
    if (!plan || plan->generation != ws_->Generation()) {
      plan = std::make_unique<ReconPlan>();
      const Status built = BuildPlan(n, plan.get());
      if (!built.ok()) {
        plan.reset();
        return built;
      }
    }
    image->resize(n);
    RETURN_IF_CUDA(cudaMemcpyAsync(in_, samples.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream_));
    RETURN_IF_CUDA(cudaGraphLaunch(plan->exec, stream_));
    RETURN_IF_CUDA(cudaMemcpyAsync(image->data(), out_, n * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    RETURN_IF_CUDA(cudaStreamSynchronize(stream_));
    return Status();
  }

 private:
  Status BuildPlan(int n, ReconPlan* plan) {
    const dim3 block(128), grid((n + 127) / 128);
    RETURN_IF_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    FilterRows<<<grid, block, 0, stream_>>>(in_, ws_->Data(), n);
    Backproject<<<grid, block, 0, stream_>>>(ws_->Data(), out_, n);
    const cudaError_t launch = cudaGetLastError();
    cudaGraph_t graph = nullptr;
    RETURN_IF_CUDA(cudaStreamEndCapture(stream_, &graph));
    std::unique_ptr<CUgraph_st, decltype(&cudaGraphDestroy)> owned(graph, &cudaGraphDestroy);
    RETURN_IF_CUDA(launch);
    RETURN_IF_CUDA(cudaGraphInstantiate(&plan->exec, owned.get(), 0));
    plan->generation = ws_->Generation();
    return Status();
  }

  std::unique_ptr<IWorkspace> ws_;
  int max_samples_;
  cudaStream_t stream_ = nullptr;
  float* in_ = nullptr;
  float* out_ = nullptr;
  std::map<int, std::unique_ptr<ReconPlan>> plans_;
};

}  // namespace mri

int main() {
  mri::ReconService service(std::make_unique<mri::DeviceWorkspace>(), 1 << 22);
  mri::Status status = service.Start();
  bool good = status.ok();
  for (const int n : {4096, 1 << 22, 4096, 1 << 22}) {
    std::vector<float> image;
    if (status.ok()) status = service.Reconstruct(std::vector<float>(n, 3.0f), &image);
    good = good && status.ok() && image.back() == 7.0f;
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  std::puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
