#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace robotics {

enum class ErrorCode { kOk, kCuda, kNotCalibrated };

template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(ErrorCode code) : code_(code) {}
  bool HasValue() const { return code_ == ErrorCode::kOk; }
  T& Value() { return value_; }
  ErrorCode Error() const { return code_; }

 private:
  T value_{};
  ErrorCode code_ = ErrorCode::kOk;
};

#define RETURN_IF_FAILED(expr)                                         \
  do {                                                                 \
    if (const ErrorCode ec_ = (expr); ec_ != ErrorCode::kOk) return ec_; \
  } while (0)

inline ErrorCode ToError(cudaError_t e) {
  if (e == cudaSuccess) return ErrorCode::kOk;
  std::fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e));
  return ErrorCode::kCuda;
}

__global__ void Undistort(float* px, float k1, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) px[i] = px[i] * (1.0f + k1);
}

class CalibrationStore {
 public:
  void Put(const std::string& camera, float k1) { k1_[camera] = k1; }
  Expected<float> Find(const std::string& camera) const {
    const auto it = k1_.find(camera);
    if (it == k1_.end()) return ErrorCode::kNotCalibrated;
    return it->second;
  }

 private:
  std::map<std::string, float> k1_;
};

class IStage {
 public:
  virtual ~IStage() = default;
  virtual ErrorCode Record(cudaStream_t stream) = 0;
};

class UndistortStage final : public IStage {
 public:
  UndistortStage(const CalibrationStore& store, std::string camera, float* px, int n)
      : store_(store), camera_(std::move(camera)), px_(px), n_(n) {}
  ErrorCode Record(cudaStream_t stream) override {
    Expected<float> k1 = store_.Find(camera_);
    if (!k1.HasValue()) return k1.Error();
    Undistort<<<(n_ + 255) / 256, 256, 0, stream>>>(px_, k1.Value(), n_);
    return ToError(cudaGetLastError());
  }

 private:
  const CalibrationStore& store_;
  std::string camera_;
  float* px_;
  int n_;
};

class CaptureSession {
 public:
  explicit CaptureSession(cudaStream_t stream) : stream_(stream) {}
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;
  ~CaptureSession() {
    if (!open_) return;
    cudaGraph_t discarded = nullptr;
    if (cudaStreamEndCapture(stream_, &discarded) != cudaSuccess) {
      std::fprintf(stderr, "capture abandoned: %s\n", cudaGetErrorString(cudaGetLastError()));
    }
    if (discarded != nullptr) cudaGraphDestroy(discarded);
  }
  ErrorCode Open() {
    const ErrorCode ec = ToError(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    open_ = ec == ErrorCode::kOk;
    return ec;
  }
  ErrorCode Finish(cudaGraphExec_t* exec) {
    open_ = false;
    cudaGraph_t graph = nullptr;
    RETURN_IF_FAILED(ToError(cudaStreamEndCapture(stream_, &graph)));
    const ErrorCode ec = ToError(cudaGraphInstantiate(exec, graph, 0));
    RETURN_IF_FAILED(ToError(cudaGraphDestroy(graph)));
    return ec;
  }

 private:
  cudaStream_t stream_;
  bool open_ = false;
};

class PoseService {
 public:
  ~PoseService() {
    if (exec_) cudaGraphExecDestroy(exec_);
    stages_.clear();
    cudaFree(px_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  ErrorCode Init(const CalibrationStore& store, const std::vector<std::string>& cameras) {
    RETURN_IF_FAILED(ToError(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)));
    RETURN_IF_FAILED(ToError(cudaMalloc(&px_, kPixels * sizeof(float))));
    for (const auto& c : cameras) stages_.push_back(std::make_unique<UndistortStage>(store, c, px_, kPixels));
    return ErrorCode::kOk;
  }
  ErrorCode Prepare() {
    CaptureSession session(stream_);
    RETURN_IF_FAILED(session.Open());
    for (const auto& stage : stages_) RETURN_IF_FAILED(stage->Record(stream_));
    return session.Finish(&exec_);
  }
  Expected<float> Estimate(float observed) {
    std::vector<float> host(kPixels, observed);
    RETURN_IF_FAILED(ToError(cudaMemcpyAsync(px_, host.data(), kPixels * sizeof(float), cudaMemcpyHostToDevice, stream_)));
    RETURN_IF_FAILED(ToError(cudaGraphLaunch(exec_, stream_)));
    RETURN_IF_FAILED(ToError(cudaMemcpyAsync(host.data(), px_, kPixels * sizeof(float), cudaMemcpyDeviceToHost, stream_)));
    RETURN_IF_FAILED(ToError(cudaStreamSynchronize(stream_)));
    return host.front();
  }

 private:
  static constexpr int kPixels = 1024;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* px_ = nullptr;
  std::vector<std::unique_ptr<IStage>> stages_;
};

}  // namespace robotics

int main() {
  using namespace robotics;
  CalibrationStore store;
  store.Put("left", 1.0f);
  PoseService service;
  bool good = service.Init(store, {"left", "right"}) == ErrorCode::kOk;
  good = good && service.Prepare() == ErrorCode::kNotCalibrated;
  store.Put("right", 0.5f);
  const bool recovered = good && service.Prepare() == ErrorCode::kOk;
  bool right = recovered;
  for (int i = 1; right && i < 4; ++i) {
    Expected<float> r = service.Estimate(static_cast<float>(i));
    right = r.HasValue() && r.Value() == 3.0f * i;
  }
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
