// Two-stage pipeline over a ring of slots. Every stage acts as one "device": a stream and a graph per slot.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace pipe {

constexpr int kSlots = 2;
constexpr int kPixels = 256;
constexpr int kFrames = 12;

static void die(const std::string& where, cudaError_t e) {
  std::printf("%s: %s\nLABEL UNOBSERVED\n", where.c_str(), cudaGetErrorString(e));
  std::exit(0);
}
static void must(cudaError_t e, const char* where) {
  if (e != cudaSuccess) die(where, e);
}

// Takes the next frame from the resident clip; the cursor lives on the device.
__global__ void decode(const float* clip, int* cursor, float* slot) {
  int frame = *cursor;
  slot[threadIdx.x] = clip[frame * kPixels + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) *cursor = frame + 1;
}

// Iterates the attention weights to their fixed point before the frame itself is looked at.
__global__ void settle_weights(float* weights, int iterations) {
  float w = 0.5f;
  for (int i = 0; i < iterations; ++i) w = 0.25f * w * w + 0.75f * w + 0.0625f * (1.f - w);
  weights[threadIdx.x] = w;
}

__global__ void classify(const float* slot, const float* weights, int* cursor, float* scores, float* weight_log) {
  __shared__ float part[kPixels];
  part[threadIdx.x] = slot[threadIdx.x];
  __syncthreads();
  for (int w = kPixels / 2; w > 0; w >>= 1) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    int frame = *cursor;
    scores[frame] = part[0] / kPixels;
    weight_log[frame] = weights[0];
    *cursor = frame + 1;
  }
}

struct Stage {
  std::string name;
  cudaStream_t stream = nullptr;
  int* cursor = nullptr;
  std::array<cudaGraphExec_t, kSlots> exec{};
  std::array<cudaEvent_t, kSlots> done{};

  explicit Stage(std::string n) : name(std::move(n)) {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    must(cudaMalloc(&cursor, sizeof(int)), "cursor");
    must(cudaMemsetAsync(cursor, 0, sizeof(int), stream), "cursor");
    for (auto& e : done) must(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "event");
  }
  ~Stage() {
    for (auto e : exec) cudaGraphExecDestroy(e);
    for (auto e : done) cudaEventDestroy(e);
    cudaFree(cursor);
    cudaStreamDestroy(stream);
  }
  template <class Body>
  void record(int slot, Body&& body) {
    cudaGraph_t graph = nullptr;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), name.c_str());
    body(stream);
    must(cudaGetLastError(), name.c_str());
    must(cudaStreamEndCapture(stream, &graph), name.c_str());
    must(cudaGraphInstantiate(&exec[slot], graph, 0), name.c_str());
    must(cudaGraphDestroy(graph), name.c_str());
    must(cudaGraphUpload(exec[slot], stream), name.c_str());
  }
};

class Pipeline {
 public:
  explicit Pipeline(const std::vector<float>& clip) : decode_("decode"), infer_("infer") {
    for (auto& s : slot_) must(cudaMalloc(&s, kPixels * sizeof(float)), "slot");
    must(cudaMalloc(&clip_, clip.size() * sizeof(float)), "clip");
    must(cudaMalloc(&weights_, 32 * sizeof(float)), "weights");
    must(cudaMalloc(&scores_, kFrames * sizeof(float)), "scores");
    must(cudaMalloc(&weight_log_, kFrames * sizeof(float)), "weights");
    must(cudaMemcpyAsync(clip_, clip.data(), clip.size() * sizeof(float), cudaMemcpyHostToDevice, decode_.stream), "clip");
    for (int s = 0; s < kSlots; ++s) {
      decode_.record(s, [&](cudaStream_t st) { decode<<<1, kPixels, 0, st>>>(clip_, decode_.cursor, slot_[s]); });
      infer_.record(s, [&](cudaStream_t st) {
        settle_weights<<<1, 32, 0, st>>>(weights_, 400000);
        classify<<<1, kPixels, 0, st>>>(slot_[s], weights_, infer_.cursor, scores_, weight_log_);
      });
    }
    must(cudaStreamSynchronize(decode_.stream), "setup");
    must(cudaStreamSynchronize(infer_.stream), "setup");
  }
  ~Pipeline() {
    for (auto s : slot_) cudaFree(s);
    cudaFree(clip_);
    cudaFree(weights_);
    cudaFree(scores_);
    cudaFree(weight_log_);
  }

  void submit(int frame) {
    const int s = frame % kSlots;
    must(cudaGraphLaunch(decode_.exec[s], decode_.stream), "decode");  // HAZARD concurrent #slot
    must(cudaEventRecord(decode_.done[s], decode_.stream), "decode done");
    must(cudaStreamWaitEvent(infer_.stream, decode_.done[s], 0), "wait decode");
    must(cudaGraphLaunch(infer_.exec[s], infer_.stream), "infer");  // HAZARD concurrent #slot
    must(cudaEventRecord(infer_.done[s], infer_.stream), "infer done");
  }

  std::vector<float> drain() {
    std::vector<float> out(kFrames);
    must(cudaMemcpyAsync(out.data(), scores_, kFrames * sizeof(float), cudaMemcpyDeviceToHost, infer_.stream), "scores");
    must(cudaStreamSynchronize(infer_.stream), "drain");
    must(cudaStreamSynchronize(decode_.stream), "drain");
    return out;
  }

 private:
  Stage decode_, infer_;
  std::array<float*, kSlots> slot_{};
  float *clip_ = nullptr, *weights_ = nullptr, *scores_ = nullptr, *weight_log_ = nullptr;
};

}  // namespace pipe

int main() {
  using namespace pipe;
  std::vector<float> clip(kFrames * kPixels);
  for (int f = 0; f < kFrames; ++f)
    for (int i = 0; i < kPixels; ++i) clip[f * kPixels + i] = float(f + 1);

  Pipeline p(clip);
  for (int f = 0; f < kFrames; ++f) p.submit(f);
  std::vector<float> scores = p.drain();

  int wrong = 0;
  for (int f = 0; f < kFrames; ++f) {
    std::printf("frame %2d score %.2f\n", f, scores[f]);
    wrong += std::fabs(scores[f] - float(f + 1)) > 1e-4f;
  }
  std::puts(wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
