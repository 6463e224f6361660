#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace quotes {

class Status {
 public:
  static Status Ok() { return Status(cudaSuccess, ""); }
  static Status Wrap(cudaError_t code, const char* where) { return Status(code, where); }
  explicit operator bool() const { return code_ == cudaSuccess; }
  std::string ToString() const { return where_ + ": " + cudaGetErrorString(code_); }

 private:
  Status(cudaError_t code, std::string where) : code_(code), where_(std::move(where)) {}
  cudaError_t code_;
  std::string where_;
};

#define RETURN_NOT_OK(expr)              \
  do {                                   \
    ::quotes::Status st_ = (expr);       \
    if (!st_) return st_;                \
  } while (false)
#define RETURN_CUDA(expr) RETURN_NOT_OK(::quotes::Status::Wrap((expr), #expr))

struct ExecutionContext {
  cudaStream_t stream = nullptr;
  cudaStream_t copy_stream = nullptr;
};

constexpr int kSymbols = 1024;

__global__ void AccumulateKernel(const float* px, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] += px[i];
}

class IOperator {
 public:
  virtual ~IOperator() = default;
  virtual Status Execute(const ExecutionContext& ctx) = 0;
};

class ResetOperator final : public IOperator {
 public:
  explicit ResetOperator(float* sum) : sum_(sum) {}
  Status Execute(const ExecutionContext& ctx) override {
    (void)ctx;
    RETURN_CUDA(cudaMemsetAsync(sum_, 0, kSymbols * sizeof(float)));  // HAZARD escape
    return Status::Ok();
  }

 private:
  float* sum_;
};

class AccumulateOperator final : public IOperator {
 public:
  AccumulateOperator(const float* px, float* sum) : px_(px), sum_(sum) {}
  Status Execute(const ExecutionContext& ctx) override {
    AccumulateKernel<<<kSymbols / 256, 256, 0, ctx.stream>>>(px_, sum_, kSymbols);
    RETURN_CUDA(cudaGetLastError());
    return Status::Ok();
  }

 private:
  const float* px_;
  float* sum_;
};

class PublishOperator final : public IOperator {
 public:
  PublishOperator(const float* sum, float* book) : sum_(sum), book_(book) {}
  Status Execute(const ExecutionContext& ctx) override {
    RETURN_CUDA(cudaMemcpyAsync(book_, sum_, kSymbols * sizeof(float), cudaMemcpyDeviceToDevice, ctx.copy_stream));  // HAZARD escape
    return Status::Ok();
  }

 private:
  const float* sum_;
  float* book_;
};

class OperatorFactory {
 public:
  OperatorFactory(const float* px, float* sum, float* book) : px_(px), sum_(sum), book_(book) {}
  std::unique_ptr<IOperator> Create(const std::string& kind) const {
    if (kind == "reset") return std::make_unique<ResetOperator>(sum_);
    if (kind == "accumulate") return std::make_unique<AccumulateOperator>(px_, sum_);
    if (kind == "publish") return std::make_unique<PublishOperator>(sum_, book_);
    return nullptr;
  }

 private:
  const float* px_;
  float* sum_;
  float* book_;
};

class QuoteEngine {
 public:
  ~QuoteEngine() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* p : {px_, sum_, book_}) cudaFree(p);
    if (ctx_.stream) cudaStreamDestroy(ctx_.stream);
    if (ctx_.copy_stream) cudaStreamDestroy(ctx_.copy_stream);
  }

  Status Init(const std::vector<std::string>& plan) {
    RETURN_CUDA(cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking));
    RETURN_CUDA(cudaStreamCreateWithFlags(&ctx_.copy_stream, cudaStreamNonBlocking));
    for (float** p : {&px_, &sum_, &book_}) {
      RETURN_CUDA(cudaMalloc(p, kSymbols * sizeof(float)));
      RETURN_CUDA(cudaMemset(*p, 0, kSymbols * sizeof(float)));
    }
    RETURN_CUDA(cudaDeviceSynchronize());
    const OperatorFactory factory(px_, sum_, book_);
    for (const std::string& kind : plan) ops_.push_back(factory.Create(kind));
    return Compile();
  }

  Status OnTicks(const std::vector<float>& px, float* best) {
    RETURN_CUDA(cudaMemcpyAsync(px_, px.data(), kSymbols * sizeof(float), cudaMemcpyHostToDevice, ctx_.stream));
    RETURN_CUDA(cudaGraphLaunch(exec_, ctx_.stream));
    RETURN_CUDA(cudaMemcpyAsync(best, book_ + 1, sizeof(float), cudaMemcpyDeviceToHost, ctx_.stream));
    RETURN_CUDA(cudaStreamSynchronize(ctx_.stream));
    return Status::Ok();
  }

 private:
  Status Compile() {
    RETURN_CUDA(cudaStreamBeginCapture(ctx_.stream, cudaStreamCaptureModeThreadLocal));
    Status recorded = Status::Ok();
    for (const auto& op : ops_) {
      recorded = op->Execute(ctx_);
      if (!recorded) break;
    }
    cudaGraph_t graph = nullptr;
    RETURN_CUDA(cudaStreamEndCapture(ctx_.stream, &graph));
    const cudaError_t made = recorded ? cudaGraphInstantiate(&exec_, graph, 0) : cudaSuccess;
    RETURN_CUDA(cudaGraphDestroy(graph));
    RETURN_NOT_OK(recorded);
    RETURN_CUDA(made);
    return Status::Ok();
  }

  ExecutionContext ctx_;
  cudaGraphExec_t exec_ = nullptr;
  float *px_ = nullptr, *sum_ = nullptr, *book_ = nullptr;
  std::vector<std::unique_ptr<IOperator>> ops_;
};

}  // namespace quotes

int main() {
  quotes::QuoteEngine engine;
  quotes::Status st = engine.Init({"reset", "accumulate", "publish"});
  const bool up = static_cast<bool>(st);
  bool good = up;
  for (int i = 1; st && i <= 3; ++i) {
    float best = -1.0f;
    st = engine.OnTicks(std::vector<float>(quotes::kSymbols, static_cast<float>(i)), &best);
    good = good && st && best == static_cast<float>(i);
  }
  if (!st) std::fprintf(stderr, "%s\n", st.ToString().c_str());
  std::puts(up && !good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
