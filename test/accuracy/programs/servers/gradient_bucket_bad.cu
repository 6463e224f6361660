// Gradient post-processing of a small trainer. Parameters are packed into buckets; each bucket is unscaled and
// clipped. A plan for a set of buckets is captured when possible, otherwise the trainer runs the same work eagerly.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

enum class DType { kF32, kF16 };

struct Bucket {
  std::string name;
  DType dtype;
  int count;
  float* grad;
};

class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t c, const std::string& m) : std::runtime_error(m + ": " + cudaGetErrorString(c)), code(c) {}
  const cudaError_t code;
};

static void ok(cudaError_t e, const char* m) {
  if (e != cudaSuccess) throw CudaError(e, m);
}

__global__ void unscale(float* g, int n, float inv_scale) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) g[i] *= inv_scale;
}

__global__ void clip(float* g, int n, float limit) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    g[i] = fminf(fmaxf(g[i], -limit), limit);
}

struct ExecDeleter {
  void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

class GradientPipeline {
 public:
  explicit GradientPipeline(float scale) : inv_scale_(1.0f / scale) {
    ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  }
  ~GradientPipeline() { cudaStreamDestroy(stream_); }
  cudaStream_t stream() const { return stream_; }

  Exec compile(const std::vector<Bucket>& buckets) {
    cudaGraph_t graph = nullptr;
    ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    for (const Bucket& b : buckets) {
      if (b.dtype != DType::kF32)
        throw PlanError("bucket " + b.name + " has no captured kernel for its type");  // HAZARD scope
      enqueue(b);
    }
    ok(cudaStreamEndCapture(stream_, &graph), "end capture");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t e = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    ok(e, "instantiate");
    return Exec(exec);
  }

  void run(const Exec& exec) {
    ok(cudaGraphLaunch(exec.get(), stream_), "launch");
    ok(cudaStreamSynchronize(stream_), "step");
  }

  void run_eager(const std::vector<Bucket>& buckets) {
    for (const Bucket& b : buckets) enqueue(b);
    ok(cudaGetLastError(), "eager kernels");
    ok(cudaStreamSynchronize(stream_), "eager step");
  }

 private:
  void enqueue(const Bucket& b) {  // half gradients were widened to float by the loss scaler
    unscale<<<4, 128, 0, stream_>>>(b.grad, b.count, inv_scale_);
    clip<<<4, 128, 0, stream_>>>(b.grad, b.count, 1.0f);
  }

  float inv_scale_;
  cudaStream_t stream_ = nullptr;
};

static bool step_right(const std::vector<Bucket>& buckets, int step, float scale, const std::function<void()>& run) {
  for (const Bucket& b : buckets) {
    std::vector<float> g(b.count);
    for (int i = 0; i < b.count; ++i) g[i] = scale * 0.01f * float((i + step) % 300 - 150);
    ok(cudaMemcpy(b.grad, g.data(), g.size() * sizeof(float), cudaMemcpyHostToDevice), "gradients");
  }
  ok(cudaDeviceSynchronize(), "gradients");
  run();
  bool good = true;
  for (const Bucket& b : buckets) {
    std::vector<float> g(b.count);
    ok(cudaMemcpy(g.data(), b.grad, g.size() * sizeof(float), cudaMemcpyDeviceToHost), "read");
    for (int i = 0; i < b.count; ++i) {
      const float want = std::fmin(std::fmax(0.01f * float((i + step) % 300 - 150), -1.0f), 1.0f);
      good = good && std::fabs(g[i] - want) < 1e-4f;
    }
  }
  return good;
}

int main() {
  const float scale = 1024.0f;
  int right = 0, fallbacks = 0;
  cudaError_t seen = cudaSuccess;
  float* memory = nullptr;
  try {
    ok(cudaMalloc(&memory, 4096 * sizeof(float)), "cudaMalloc");
    const std::vector<std::vector<Bucket>> plans = {
        {{"embed", DType::kF32, 1000, memory}, {"head", DType::kF32, 500, memory + 1024}},
        {{"embed", DType::kF32, 1000, memory}, {"experts", DType::kF16, 700, memory + 2048}},
        {{"head", DType::kF32, 500, memory + 1024}}};
    GradientPipeline pipe(scale);
    for (const auto& plan : plans) {
      Exec exec;
      try {
        exec = pipe.compile(plan);
      } catch (const PlanError& e) {
        std::printf("no graph, %s\n", e.what());
        ++fallbacks;
      }
      for (int step = 0; step < 3; ++step)
        right += step_right(plan, step, scale, [&] { exec ? pipe.run(exec) : pipe.run_eager(plan); });
    }
  } catch (const CudaError& e) {
    std::printf("training stopped: %s\n", e.what());
    seen = e.code;
  }
  cudaFree(memory);
  std::printf("%d steps right, %d plans without a graph\n", right, fallbacks);
  std::puts(right == 3 && fallbacks == 1 && seen != cudaSuccess ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
