// Signal enrichment service: stages are created by factories that are looked up in a registry, a compiler turns the
// stage list of a desk into a graph, and an executor falls back to the eager path where no graph is available.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace signals {

// ---- status -------------------------------------------------------------------------------------------------------
class Status {
 public:
  static Status Ok() { return Status(); }
  static Status Error(std::string message) { return Status(std::move(message)); }
  static Status FromCuda(cudaError_t error, const char* what) {
    return error == cudaSuccess ? Ok() : Error(std::string(what) + ": " + cudaGetErrorString(error));
  }
  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }

 private:
  Status() = default;
  explicit Status(std::string message) : message_(std::move(message)) {}
  std::string message_;
};

#define RETURN_IF_ERROR(expr)           \
  do {                                  \
    ::signals::Status status_ = (expr); \
    if (!status_.ok()) return status_;  \
  } while (0)

#define RETURN_IF_CUDA(expr) RETURN_IF_ERROR(::signals::Status::FromCuda((expr), #expr))

// ---- kernels ------------------------------------------------------------------------------------------------------
__global__ void ScaleKernel(float* data, int n, float gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= gain;
}

__global__ void ClampKernel(float* data, int n, const float* limits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = fminf(fmaxf(data[i], limits[0]), limits[1]);
}

// ---- interfaces ---------------------------------------------------------------------------------------------------
struct Frame {
  float* data = nullptr;
  const float* limits = nullptr;
  int count = 0;
};

class IStage {
 public:
  virtual ~IStage() = default;
  virtual Status Enqueue(const Frame& frame, cudaStream_t stream) = 0;
};

using StageFactory = std::function<std::unique_ptr<IStage>(float)>;

class StageRegistry {
 public:
  void Register(const std::string& name, StageFactory factory) { factories_[name] = std::move(factory); }
  std::unique_ptr<IStage> Create(const std::string& name, float argument) const {
    auto it = factories_.find(name);
    return it == factories_.end() ? nullptr : it->second(argument);
  }

 private:
  std::map<std::string, StageFactory> factories_;
};

// ---- stages -------------------------------------------------------------------------------------------------------
class GainStage final : public IStage {
 public:
  explicit GainStage(float gain) : gain_(gain) {}
  Status Enqueue(const Frame& frame, cudaStream_t stream) override {
    ScaleKernel<<<(frame.count + 255) / 256, 256, 0, stream>>>(frame.data, frame.count, gain_);
    return Status::FromCuda(cudaGetLastError(), "gain");
  }

 private:
  const float gain_;
};

// Clamps to the limits of the desk; the width of the band is checked against the license of the desk.
class LimitStage final : public IStage {
 public:
  explicit LimitStage(float licensed_width) : licensed_width_(licensed_width) {}
  Status Enqueue(const Frame& frame, cudaStream_t stream) override {
    if (frame.limits == nullptr || licensed_width_ <= 0.0f) return Status::Error("limits are not licensed for this desk");
    ClampKernel<<<(frame.count + 255) / 256, 256, 0, stream>>>(frame.data, frame.count, frame.limits);
    return Status::FromCuda(cudaGetLastError(), "limit");
  }

 private:
  const float licensed_width_;
};

struct StageConfig {
  std::string name;
  float argument;
  bool optional;
};

struct Pipeline {
  std::vector<std::unique_ptr<IStage>> stages;
  std::vector<bool> optional;
};

class PipelineBuilder {
 public:
  explicit PipelineBuilder(const StageRegistry& registry) : registry_(registry) {}
  Pipeline Build(const std::vector<StageConfig>& config) const {
    Pipeline pipeline;
    for (const StageConfig& entry : config) {
      if (auto stage = registry_.Create(entry.name, entry.argument)) {
        pipeline.stages.push_back(std::move(stage));
        pipeline.optional.push_back(entry.optional);
      }
    }
    return pipeline;
  }

 private:
  const StageRegistry& registry_;
};

// ---- compiler and executor ----------------------------------------------------------------------------------------
struct ExecDeleter {
  void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using UniqueExec = std::unique_ptr<std::remove_pointer<cudaGraphExec_t>::type, ExecDeleter>;

// Owns the capture of one stream from construction to Finish().
class CaptureSession {
 public:
  explicit CaptureSession(cudaStream_t stream) : stream_(stream) {}
  ~CaptureSession() {
    if (!open_) return;
    cudaGraph_t partial = nullptr;
    if (cudaStreamEndCapture(stream_, &partial) == cudaSuccess && partial != nullptr) cudaGraphDestroy(partial);
  }
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

  Status Open() {
    RETURN_IF_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    open_ = true;
    return Status::Ok();
  }
  Status Finish(cudaGraph_t* graph) {
    open_ = false;
    return Status::FromCuda(cudaStreamEndCapture(stream_, graph), "finish capture");
  }

 private:
  cudaStream_t stream_;
  bool open_ = false;
};

class GraphCompiler {
 public:
  Status Compile(const Pipeline& pipeline, const Frame& frame, cudaStream_t stream, UniqueExec* out) const {
    CaptureSession session(stream);
    RETURN_IF_ERROR(session.Open());
    for (const auto& stage : pipeline.stages) {
      RETURN_IF_ERROR(stage->Enqueue(frame, stream));
    }
    cudaGraph_t graph = nullptr;
    RETURN_IF_ERROR(session.Finish(&graph));
    cudaGraphExec_t exec = nullptr;
    const cudaError_t instantiated = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    RETURN_IF_CUDA(instantiated);
    out->reset(exec);
    return Status::Ok();
  }
};

class Executor {
 public:
  Executor(const GraphCompiler& compiler, int count) : compiler_(compiler) {
    frame_.count = count;
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&frame_.data, count * sizeof(float));
    cudaMalloc(&limits_, 2 * sizeof(float));
    const float limits[2] = {-4.0f, 4.0f};
    cudaMemcpy(limits_, limits, sizeof(limits), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    frame_.limits = limits_;
  }
  ~Executor() {
    execs_.clear();
    cudaStreamDestroy(stream_);
    cudaFree(limits_);
    cudaFree(frame_.data);
  }
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Status Process(const std::string& desk, const Pipeline& pipeline, std::vector<float>* samples) {
    if (execs_.count(desk) == 0) {
      UniqueExec exec;
      Status compiled = compiler_.Compile(pipeline, frame_, stream_, &exec);
      if (!compiled.ok()) std::printf("[%s] no graph, eager path: %s\n", desk.c_str(), compiled.message().c_str());
      execs_[desk] = std::move(exec);
    }
    const size_t bytes = samples->size() * sizeof(float);
    RETURN_IF_CUDA(cudaMemcpyAsync(frame_.data, samples->data(), bytes, cudaMemcpyHostToDevice, stream_));
    if (const UniqueExec& exec = execs_[desk]) {
      RETURN_IF_CUDA(cudaGraphLaunch(exec.get(), stream_));
    } else {
      RETURN_IF_ERROR(RunEager(pipeline));
    }
    RETURN_IF_CUDA(cudaMemcpyAsync(samples->data(), frame_.data, bytes, cudaMemcpyDeviceToHost, stream_));
    RETURN_IF_CUDA(cudaStreamSynchronize(stream_));
    return Status::Ok();
  }

 private:
  Status RunEager(const Pipeline& pipeline) {
    for (size_t i = 0; i < pipeline.stages.size(); ++i) {
      Status status = pipeline.stages[i]->Enqueue(frame_, stream_);
      if (!status.ok() && !pipeline.optional[i]) return status;
    }
    return Status::Ok();
  }

  const GraphCompiler& compiler_;
  cudaStream_t stream_ = nullptr;
  Frame frame_;
  float* limits_ = nullptr;
  std::map<std::string, UniqueExec> execs_;
};

}  // namespace signals

namespace {

std::vector<float> MakeSamples(int count, int tick) {
  std::vector<float> samples(count);
  for (int i = 0; i < count; ++i) samples[i] = 0.25f * static_cast<float>((i + 7 * tick) % 40 - 20);
  return samples;
}

bool Matches(const std::vector<float>& input, const std::vector<float>& output, float gain, bool clamp) {
  for (size_t i = 0; i < input.size(); ++i) {
    float expected = input[i] * gain;
    if (clamp) expected = std::fmin(std::fmax(expected, -4.0f), 4.0f);
    if (std::fabs(output[i] - expected) > 1e-5f) return false;
  }
  return true;
}

}  // namespace

int main() {
  constexpr int kCount = 4096;
  signals::StageRegistry registry;
  registry.Register("gain", [](float gain) { return std::make_unique<signals::GainStage>(gain); });
  registry.Register("limit", [](float width) { return std::make_unique<signals::LimitStage>(width); });

  signals::PipelineBuilder builder(registry);
  signals::GraphCompiler compiler;
  signals::Executor executor(compiler, kCount);

  const signals::Pipeline rates = builder.Build({{"gain", 1.5f, false}, {"limit", 8.0f, true}});
  const signals::Pipeline credit = builder.Build({{"gain", 2.0f, false}, {"limit", 0.0f, true}});

  bool rates_ok = true;
  for (int tick = 0; tick < 4; ++tick) {
    const std::vector<float> input = MakeSamples(kCount, tick);
    std::vector<float> output = input;
    rates_ok = rates_ok && executor.Process("rates", rates, &output).ok() && Matches(input, output, 1.5f, true);
  }

  bool credit_ok = true;
  for (int tick = 0; tick < 3; ++tick) {
    const std::vector<float> input = MakeSamples(kCount, tick);
    std::vector<float> output = input;
    const signals::Status status = executor.Process("credit", credit, &output);
    if (!status.ok()) std::printf("[credit] %s\n", status.message().c_str());
    credit_ok = credit_ok && status.ok() && Matches(input, output, 2.0f, false);
  }

  const bool passed = rates_ok && credit_ok;
  std::printf(passed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return passed ? 0 : 1;
}
