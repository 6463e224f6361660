// Asset tool: bakes ambient terms for mesh chunks; every job is recorded once and replayed per light set.
#include <cuda_runtime.h>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

enum class Phase { Idle, Recording, Ready, Failed };

struct Chunk {
  std::string name;
  std::vector<float> heights;
};

__global__ void ambient(const float* heights, float* result, const float* light, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) result[i] = heights[i] * light[0];
}

__global__ void accumulate(const float* result, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, result[i]);
}

#define BAKE_TRY(expr)              \
  if (cudaError_t e_ = (expr); e_) { \
    lastError_ = e_;                \
    phase_ = Phase::Failed;         \
    return false;                   \
  }

class Baker {
 public:
  static constexpr int kCapacity = 1024;

  Baker() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&heights_, kCapacity * sizeof(float));
    cudaMalloc(&result_, kCapacity * sizeof(float));
    cudaMalloc(&light_, sizeof(float));
    cudaMalloc(&total_, sizeof(float));
  }
  ~Baker() {
    discard();
    for (float* p : {heights_, result_, light_, total_}) cudaFree(p);
    cudaStreamDestroy(stream_);
  }

  bool load(const Chunk& chunk) {
    discard();
    size_ = static_cast<int>(chunk.heights.size());
    const size_t bytes = size_ * sizeof(float);
    BAKE_TRY(cudaMemcpyAsync(heights_, chunk.heights.data(), bytes, cudaMemcpyHostToDevice, stream_));
    BAKE_TRY(cudaStreamSynchronize(stream_));
    return record();
  }

  bool relight(float intensity) {
    if (phase_ != Phase::Ready) return false;
    BAKE_TRY(cudaMemcpyAsync(light_, &intensity, sizeof intensity, cudaMemcpyHostToDevice, stream_));
    BAKE_TRY(cudaGraphLaunch(exec_, stream_));
    BAKE_TRY(cudaStreamSynchronize(stream_));
    return true;
  }

  float total() const {
    float v = -1.f;
    cudaMemcpy(&v, total_, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }
  cudaError_t lastError() const { return lastError_; }
  Phase phase() const { return phase_; }

  void drain() {
    cudaGraph_t open = nullptr;
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream_, &state);
    if (state == cudaStreamCaptureStatusNone) return;
    cudaStreamEndCapture(stream_, &open);
    if (open) cudaGraphDestroy(open);
    cudaGetLastError();
  }

 private:
  bool record() {
    cudaGraph_t graph = nullptr;
    BAKE_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));  // HAZARD capture_scope
    phase_ = Phase::Recording;
    BAKE_TRY(cudaMemsetAsync(total_, 0, sizeof(float), stream_));
    if (size_ < 3) {
      phase_ = Phase::Idle;
      return false;
    }
    ambient<<<(size_ + 127) / 128, 128, 0, stream_>>>(heights_, result_, light_, size_);
    accumulate<<<(size_ + 127) / 128, 128, 0, stream_>>>(result_, total_, size_);
    BAKE_TRY(cudaStreamEndCapture(stream_, &graph));
    cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    BAKE_TRY(made);
    phase_ = Phase::Ready;
    return true;
  }

  void discard() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
    phase_ = Phase::Idle;
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  Phase phase_ = Phase::Idle;
  cudaError_t lastError_ = cudaSuccess;
  int size_ = 0;
  float *heights_ = nullptr, *result_ = nullptr, *light_ = nullptr, *total_ = nullptr;
};

int main() {
  std::deque<Chunk> queue{{"terrain", std::vector<float>(512, 1.f)},
                          {"decal", {1.f, 2.f}},
                          {"cliff", std::vector<float>(256, 2.f)}};
  Baker baker;
  int baked = 0;
  float last = 0;
  for (; !queue.empty(); queue.pop_front()) {
    if (!baker.load(queue.front())) continue;
    for (float light : {0.5f, 2.0f, 4.0f}) baker.relight(light);
    last = baker.total();
    ++baked;
  }
  std::printf("baked %d total %.1f error %s\n", baked, last, cudaGetErrorName(baker.lastError()));
  const bool shown = baked == 1 && last == 2048.f && baker.lastError() == cudaErrorStreamCaptureUnsupported;
  std::puts(shown ? "LABEL CONFIRMED" : "LABEL REFUTED");
  baker.drain();
  return 0;
}
