#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ct {

template <typename T>
class Result {
 public:
  Result(T v) : value_(std::move(v)) {}
  static Result Fail(std::string why) {
    Result r;
    r.error_ = std::move(why);
    return r;
  }
  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const { return *value_; }
  const std::string& error() const { return error_; }

 private:
  Result() = default;
  std::optional<T> value_;
  std::string error_;
};
struct Unit {};

#define CT_TRY(T, expr)                                                       \
  do {                                                                        \
    if (const cudaError_t rc_ = (expr); rc_ != cudaSuccess)                   \
      return Result<T>::Fail(std::string(#expr " -> ") + cudaGetErrorName(rc_)); \
  } while (0)

class IStageTimer {
 public:
  virtual ~IStageTimer() = default;
  virtual Result<Unit> Start(cudaStream_t stream) = 0;
  virtual Result<Unit> Stop(cudaStream_t stream) = 0;
  virtual Result<float> Milliseconds() const = 0;
};

class EventStageTimer final : public IStageTimer {
 public:
  static std::unique_ptr<IStageTimer> Create() {
    auto t = std::unique_ptr<EventStageTimer>(new EventStageTimer);
    if (cudaEventCreate(&t->begin_) != cudaSuccess || cudaEventCreate(&t->end_) != cudaSuccess) return nullptr;
    return t;
  }
  ~EventStageTimer() override {
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
  }
  Result<Unit> Start(cudaStream_t stream) override {
    CT_TRY(Unit, cudaEventRecord(begin_, stream));  // HAZARD dependency #1
    return Unit{};
  }
  Result<Unit> Stop(cudaStream_t stream) override {
    CT_TRY(Unit, cudaEventRecord(end_, stream));  // HAZARD dependency #1
    return Unit{};
  }
  Result<float> Milliseconds() const override {
    float ms = 0.f;
    CT_TRY(float, cudaEventElapsedTime(&ms, begin_, end_));  // HAZARD dependency #1
    return ms;
  }

 private:
  EventStageTimer() = default;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

__global__ void Denoise(float* slice, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slice[i] = slice[i] * 0.5f + 1.0f;
}

class ScanPipeline {
 public:
  explicit ScanPipeline(std::unique_ptr<IStageTimer> timer) : timer_(std::move(timer)) {}
  ~ScanPipeline() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(slice_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  Result<Unit> Init() {
    CT_TRY(Unit, cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CT_TRY(Unit, cudaMalloc(&slice_, kSlice * sizeof(float)));
    CT_TRY(Unit, cudaMemsetAsync(slice_, 0, kSlice * sizeof(float), stream_));
    CT_TRY(Unit, cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    const Result<Unit> recorded = RecordStages();
    cudaGraph_t graph = nullptr;
    CT_TRY(Unit, cudaStreamEndCapture(stream_, &graph));
    const cudaError_t rc = recorded ? cudaGraphInstantiate(&exec_, graph, 0) : cudaSuccess;
    CT_TRY(Unit, cudaGraphDestroy(graph));
    CT_TRY(Unit, rc);
    return recorded;
  }

  // Returns one voxel of the slice.
  Result<float> Process() {
    float v = 0.f;
    CT_TRY(float, cudaGraphLaunch(exec_, stream_));
    CT_TRY(float, cudaMemcpyAsync(&v, slice_ + 11, sizeof v, cudaMemcpyDeviceToHost, stream_));
    CT_TRY(float, cudaStreamSynchronize(stream_));
    return v;
  }
  Result<float> StageTime() const { return timer_->Milliseconds(); }

 private:
  Result<Unit> RecordStages() {
    if (auto r = timer_->Start(stream_); !r) return r;
    Denoise<<<kSlice / 256, 256, 0, stream_>>>(slice_, kSlice);
    CT_TRY(Unit, cudaGetLastError());
    return timer_->Stop(stream_);
  }

  static constexpr int kSlice = 1 << 20;
  std::unique_ptr<IStageTimer> timer_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* slice_ = nullptr;
};

}  // namespace ct

int main() {
  auto timer = ct::EventStageTimer::Create();
  bool good = timer != nullptr, timed = false;
  if (good) {
    ct::ScanPipeline pipeline(std::move(timer));
    const auto init = pipeline.Init();
    good = static_cast<bool>(init);
    if (!good) std::fprintf(stderr, "%s\n", init.error().c_str());
    float want = 0.f;
    for (int i = 0; good && i < 3; ++i) {
      const auto voxel = pipeline.Process();
      want = want * 0.5f + 1.0f;
      good = voxel && *voxel == want;
      const auto ms = pipeline.StageTime();
      timed = ms && *ms > 0.f;
      if (!ms) std::fprintf(stderr, "%s\n", ms.error().c_str());
    }
  }
  std::puts(good && !timed ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
