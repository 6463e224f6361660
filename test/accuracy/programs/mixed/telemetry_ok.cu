// Satellite telemetry conditioning. The pipeline is recompiled on configuration reload; a rejected
// configuration must leave the running one in service.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tlm {

class [[nodiscard]] Status {
 public:
  Status() = default;
  explicit Status(std::string message) : message_(std::move(message)) {}
  static Status from(cudaError_t rc) { return rc == cudaSuccess ? Status() : Status(cudaGetErrorString(rc)); }
  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::move(value)) {}
  Expected(Status status) : state_(std::move(status)) {}
  bool ok() const { return std::holds_alternative<T>(state_); }
  T& value() { return std::get<T>(state_); }
  const Status& status() const { return std::get<Status>(state_); }

 private:
  std::variant<T, Status> state_;
};

#define TM_RETURN_IF_ERROR(expr)               \
  do {                                         \
    ::tlm::Status tmStatus = (expr);            \
    if (!tmStatus.ok()) return tmStatus;       \
  } while (0)
#define TM_CUDA(expr) TM_RETURN_IF_ERROR(::tlm::Status::from(expr))

struct Config {
  float slope = 1.0f;
  int window = 1;
};

struct Channels {
  float* raw = nullptr;
  float* calibrated = nullptr;
  float* smooth = nullptr;
  int samples = 0;
};

__global__ void calibrateKernel(const float* raw, float* out, int n, float slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = raw[i] * slope;
}

__global__ void smoothKernel(const float* in, float* out, int n, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -half; d <= half; ++d) sum += in[(i + d + n) % n];
  out[i] = sum / float(2 * half + 1);
}

class IStage {
 public:
  virtual ~IStage() = default;
  virtual Status enqueue(const Config& config, const Channels& ch, cudaStream_t stream) const = 0;
};

class Calibration final : public IStage {
 public:
  Status enqueue(const Config& config, const Channels& ch, cudaStream_t stream) const override {
    calibrateKernel<<<(ch.samples + 127) / 128, 128, 0, stream>>>(ch.raw, ch.calibrated, ch.samples, config.slope);
    return Status::from(cudaGetLastError());
  }
};

class Smoothing final : public IStage {
 public:
  Status enqueue(const Config& config, const Channels& ch, cudaStream_t stream) const override {
    if (config.window % 2 == 0) return Status("smoothing window must be odd");
    smoothKernel<<<(ch.samples + 127) / 128, 128, 0, stream>>>(ch.calibrated, ch.smooth, ch.samples, config.window / 2);
    return Status::from(cudaGetLastError());
  }
};

class Program {
 public:
  explicit Program(cudaGraphExec_t exec) : exec_(exec) {}
  Program(Program&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
  Program& operator=(Program&& other) noexcept {
    std::swap(exec_, other.exec_);
    return *this;
  }
  ~Program() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  Status run(cudaStream_t stream) const { return Status::from(cudaGraphLaunch(exec_, stream)); }

 private:
  cudaGraphExec_t exec_;
};

class CaptureLease {
 public:
  explicit CaptureLease(cudaStream_t stream) : stream_(stream) {}
  CaptureLease(const CaptureLease&) = delete;
  CaptureLease& operator=(const CaptureLease&) = delete;
  ~CaptureLease() {
    cudaGraph_t abandoned = nullptr;
    if (stream_ && cudaStreamEndCapture(stream_, &abandoned) == cudaSuccess) cudaGraphDestroy(abandoned);
  }
  cudaError_t end(cudaGraph_t* graph) { return cudaStreamEndCapture(std::exchange(stream_, nullptr), graph); }

 private:
  cudaStream_t stream_;
};

class Service {
 public:
  Service(const Channels& channels, cudaStream_t stream) : channels_(channels), stream_(stream) {
    stages_.push_back(std::make_unique<Calibration>());
    stages_.push_back(std::make_unique<Smoothing>());
  }

  Status reload(const Config& config) {
    Expected<Program> program = compile(config);
    if (!program.ok()) return program.status();
    program_ = std::make_unique<Program>(std::move(program.value()));
    return {};
  }

  Status process(const std::vector<float>& raw, std::vector<float>& out) const {
    if (!program_) return Status("no program");
    TM_CUDA(cudaMemcpyAsync(channels_.raw, raw.data(), raw.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    TM_RETURN_IF_ERROR(program_->run(stream_));
    TM_CUDA(cudaMemcpyAsync(out.data(), channels_.smooth, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    return Status::from(cudaStreamSynchronize(stream_));
  }

 private:
  Expected<Program> compile(const Config& config) const {
    TM_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    CaptureLease lease(stream_);
    for (const auto& stage : stages_) TM_RETURN_IF_ERROR(stage->enqueue(config, channels_, stream_));
    cudaGraph_t graph = nullptr;
    TM_CUDA(lease.end(&graph));
    cudaGraphExec_t exec = nullptr;
    const cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    TM_CUDA(cudaGraphDestroy(graph));
    TM_CUDA(rc);
    return Program(exec);
  }

  const Channels channels_;
  cudaStream_t stream_;
  std::vector<std::unique_ptr<IStage>> stages_;
  std::unique_ptr<Program> program_;
};

}  // namespace tlm

static bool serves(const tlm::Service& service, const tlm::Config& c) {
  const int n = 256;
  std::vector<float> raw(n), out(n);
  for (int i = 0; i < n; ++i) raw[i] = float(i % 10);
  const tlm::Status status = service.process(raw, out);
  if (!status.ok()) std::fprintf(stderr, "process: %s\n", status.message().c_str());
  float sum = 0.0f;
  for (int d = -(c.window / 2); d <= c.window / 2; ++d) sum += raw[25 + d] * c.slope;
  return status.ok() && std::fabs(out[25] - sum / float(c.window)) < 1e-4f;
}

int main() {
  const int n = 256;
  cudaStream_t stream = nullptr;
  float* mem = nullptr;
  bool ready = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
  ready = ready && cudaMalloc(&mem, 3 * n * sizeof(float)) == cudaSuccess;
  bool right = ready;
  if (ready) {
    tlm::Service service(tlm::Channels{mem, mem + n, mem + 2 * n, n}, stream);
    const tlm::Config first{2.0f, 3}, broken{2.0f, 4}, second{0.5f, 5};
    ready = service.reload(first).ok() && serves(service, first) && !service.reload(broken).ok();
    right = ready && serves(service, first) && service.reload(second).ok() && serves(service, second);
  }
  const bool freed = cudaFree(mem) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
  std::puts(ready && right && freed ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
