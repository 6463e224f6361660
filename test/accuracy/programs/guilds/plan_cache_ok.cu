// Small MLP inference engine: layers are recorded once per batch shape and replayed from a plan cache.
// Intermediate activations live in one workspace that grows to the largest batch seen.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

namespace rt {

struct Status {
  cudaError_t first = cudaSuccess;
  bool operator()(cudaError_t e) {
    if (e != cudaSuccess && first == cudaSuccess) {
      first = e;
      std::printf("engine: %s\n", cudaGetErrorString(e));
    }
    return e == cudaSuccess;
  }
  bool good() const { return first == cudaSuccess; }
};

constexpr int kFeatures = 131072;

__global__ void scaleBias(const float* in, float* out, float scale, float bias, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) out[i] = in[i] * scale + bias;
}
__global__ void reluResidual(const float* hidden, const float* skip, float* out, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) out[i] = fmaxf(hidden[i], 0.0f) + 0.5f * skip[i];
}
__global__ void fillBank(float* p, float v, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) p[i] = v;
}
__global__ void countDifferent(const float* p, float v, size_t n, unsigned* count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n && p[i] != v) atomicAdd(count, 1u);
}
inline unsigned blocksFor(size_t n) { return unsigned((n + 255) / 256); }

class Workspace {
 public:
  explicit Workspace(Status& st) : st_(st) {}
  ~Workspace() { cudaFree(base_); }
  float* base() const { return base_; }
  unsigned generation() const { return generation_; }
  bool reserve(size_t floats) {
    if (floats <= capacity_) return true;
    float* bigger = nullptr;
    if (!st_(cudaMalloc(&bigger, floats * sizeof(float)))) return false;
    if (base_ && !st_(cudaFree(base_))) return false;
    base_ = bigger;
    capacity_ = floats;
    ++generation_;
    return true;
  }

 private:
  Status& st_;
  float* base_ = nullptr;
  size_t capacity_ = 0;
  unsigned generation_ = 0;
};

struct Plan {
  cudaGraphExec_t exec = nullptr;
  unsigned generation = 0;
  ~Plan() {
    if (exec) cudaGraphExecDestroy(exec);
  }
};

class Engine {
 public:
  Engine(Status& st, int maxBatch) : st_(st), workspace_(st) {
    st_(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    st_(cudaMalloc(&input_, size_t(maxBatch) * kFeatures * sizeof(float)));
    st_(cudaMalloc(&output_, size_t(maxBatch) * kFeatures * sizeof(float)));
  }
  ~Engine() {
    plans_.clear();
    cudaStreamDestroy(stream_);
    cudaFree(input_);
    cudaFree(output_);
  }

  bool infer(int batch, float value) {
    const size_t n = size_t(batch) * kFeatures;
    fillBank<<<blocksFor(n), 256, 0, stream_>>>(input_, value, n);
    Plan* plan = planFor(batch);
    return plan && st_(cudaGraphLaunch(plan->exec, stream_)) && st_(cudaStreamSynchronize(stream_));
  }

  float outputAt(size_t index) {
    float v = -1.0f;
    st_(cudaMemcpy(&v, output_ + index, sizeof(v), cudaMemcpyDeviceToHost));
    return v;
  }
  cudaStream_t stream() const { return stream_; }

 private:
  Plan* planFor(int batch) {
    const size_t n = size_t(batch) * kFeatures;
    auto found = plans_.find(batch);
    if (found != plans_.end() && found->second->generation == workspace_.generation()) return found->second.get();

    if (!st_(cudaStreamSynchronize(stream_)) || !workspace_.reserve(n)) return nullptr;
    auto plan = std::make_unique<Plan>();
    plan->generation = workspace_.generation();
    float* hidden = workspace_.base();
    cudaGraph_t graph = nullptr;
    if (!st_(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal))) return nullptr;
    scaleBias<<<blocksFor(n), 256, 0, stream_>>>(input_, hidden, 2.0f, -1.0f, n);
    reluResidual<<<blocksFor(n), 256, 0, stream_>>>(hidden, input_, output_, n);
    if (!st_(cudaStreamEndCapture(stream_, &graph))) return nullptr;
    bool built = st_(cudaGraphInstantiate(&plan->exec, graph, 0));
    st_(cudaGraphDestroy(graph));
    if (!built) return nullptr;
    return (plans_[batch] = std::move(plan)).get();
  }

  Status& st_;
  Workspace workspace_;
  cudaStream_t stream_ = nullptr;
  float *input_ = nullptr, *output_ = nullptr;
  std::map<int, std::unique_ptr<Plan>> plans_;
};

}  // namespace rt

static bool nearly(float a, float b) { return std::fabs(a - b) < 1e-4f; }
static float expected(float x) { return std::fmax(2.0f * x - 1.0f, 0.0f) + 0.5f * x; }

int main() {
  using namespace rt;
  Status st;
  int served = 0, wrongOutputs = 0;
  unsigned damaged = 0;
  {
    Engine engine(st, 64);
    auto request = [&](int batch, float value) {
      if (!st.good()) return;
      if (!engine.infer(batch, value)) return;
      ++served;
      const size_t last = size_t(batch) * kFeatures - 1;
      for (size_t at : {size_t(0), last / 2, last})
        if (!nearly(engine.outputAt(at), expected(value))) ++wrongOutputs;
    };

    request(8, 1.0f);
    request(8, 2.0f);
    request(64, 3.0f);

    // A key/value bank loaded after warm-up; its contents must never change.
    const size_t bankFloats = size_t(8) * kFeatures;
    const float bankValue = 77.0f;
    float* bank = nullptr;
    unsigned* dCount = nullptr;
    st(cudaMalloc(&bank, bankFloats * sizeof(float)));
    st(cudaMalloc(&dCount, sizeof(unsigned)));
    if (st.good()) {
      st(cudaMemsetAsync(dCount, 0, sizeof(unsigned), engine.stream()));
      fillBank<<<blocksFor(bankFloats), 256, 0, engine.stream()>>>(bank, bankValue, bankFloats);
      st(cudaStreamSynchronize(engine.stream()));
    }

    request(8, 4.0f);
    request(64, 5.0f);
    request(8, 6.0f);

    if (st.good()) {
      countDifferent<<<blocksFor(bankFloats), 256, 0, engine.stream()>>>(bank, bankValue, bankFloats, dCount);
      st(cudaStreamSynchronize(engine.stream()));
      st(cudaMemcpy(&damaged, dCount, sizeof(damaged), cudaMemcpyDeviceToHost));
    }
    cudaFree(bank);
    cudaFree(dCount);
  }
  std::printf("served %d, wrong outputs %d, damaged bank entries %u, status %d\n", served, wrongOutputs, damaged, int(st.first));
  std::puts(served == 6 && !wrongOutputs && !damaged && st.good() ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
