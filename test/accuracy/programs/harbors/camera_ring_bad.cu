// Temporal denoiser of a camera server. Every camera owns a stream and a ring of device frames;
// a graph uploads a frame, blends it with its predecessor and returns the filtered picture.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 48;
constexpr int kPixels = kWidth * kHeight;
constexpr int kRingDepth = 3;

struct CudaFailure : std::runtime_error {
  explicit CudaFailure(cudaError_t status) : std::runtime_error(cudaGetErrorString(status)), code(status) {}
  cudaError_t code;
};

void must(cudaError_t status) {
  if (status != cudaSuccess) throw CudaFailure(status);
}

__host__ __device__ inline uint8_t blend(uint8_t now, uint8_t before) {
  const int diff = now > before ? now - before : before - now;
  return diff < 24 ? static_cast<uint8_t>((now + before + 1) / 2) : now;
}

__global__ void denoise(const uint8_t* now, const uint8_t* before, uint8_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = blend(now[i], before[i]);
}

__global__ void count_motion(const uint8_t* now, const uint8_t* before, unsigned* moving, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && abs(int(now[i]) - int(before[i])) >= 24) atomicAdd(moving, 1u);
}

class CaptureScope {
 public:
  explicit CaptureScope(cudaStream_t stream) : stream_(stream) {
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    open_ = true;
  }
  ~CaptureScope() {
    if (open_ && cudaStreamEndCapture(stream_, &graph_) != cudaSuccess) graph_ = nullptr;
    if (graph_) cudaGraphDestroy(graph_);
  }
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;

  cudaGraphExec_t instantiate() {
    open_ = false;
    must(cudaStreamEndCapture(stream_, &graph_));
    cudaGraphExec_t exec = nullptr;
    must(cudaGraphInstantiate(&exec, graph_, 0));
    return exec;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool open_ = false;
};

class FrameRing {
 public:
  FrameRing() : slots_(kRingDepth, nullptr) {
    for (auto& slot : slots_) {
      must(cudaMalloc(&slot, kPixels));
      must(cudaMemset(slot, 0, kPixels));
    }
    must(cudaDeviceSynchronize());
  }
  ~FrameRing() {
    for (auto* slot : slots_) cudaFree(slot);
  }
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;

  uint8_t* current() const { return slots_[head_]; }
  const uint8_t* previous() const { return slots_[(head_ + kRingDepth - 1) % kRingDepth]; }
  int position() const { return head_; }
  void advance() { head_ = (head_ + 1) % kRingDepth; }  // HAZARD frozen #slot

 private:
  std::vector<uint8_t*> slots_;
  int head_ = 0;
};

struct Picture {
  const uint8_t* pixels;
  unsigned moving;
};

class Camera {
 public:
  explicit Camera(int id) : id_(id) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    must(cudaMalloc(&filtered_, kPixels));
    must(cudaMalloc(&moving_, sizeof(unsigned)));
    must(cudaMallocHost(&staging_, kPixels));
    must(cudaMallocHost(&result_, kPixels));
    must(cudaMallocHost(&moving_host_, sizeof(unsigned)));
  }
  ~Camera() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(filtered_);
    cudaFree(moving_);
    cudaFreeHost(staging_);
    cudaFreeHost(result_);
    cudaFreeHost(moving_host_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  Camera(const Camera&) = delete;
  Camera& operator=(const Camera&) = delete;

  void submit(const std::vector<uint8_t>& frame) {
    std::copy(frame.begin(), frame.end(), staging_);
    if (!exec_) exec_ = build();
    must(cudaGraphLaunch(exec_, stream_));
  }

  Picture collect() {
    must(cudaStreamSynchronize(stream_));
    ring_.advance();  // HAZARD frozen #slot
    return {result_, *moving_host_};
  }

  int id() const { return id_; }

 private:
  cudaGraphExec_t build() {
    CaptureScope scope(stream_);
    upload();
    filter();
    download();
    return scope.instantiate();
  }

  void upload() {
    must(cudaMemcpyAsync(ring_.current(), staging_, kPixels, cudaMemcpyHostToDevice, stream_));  // HAZARD frozen #slot
    must(cudaMemsetAsync(moving_, 0, sizeof(unsigned), stream_));
  }

  void filter() {
    const int blocks = (kPixels + 255) / 256;
    denoise<<<blocks, 256, 0, stream_>>>(ring_.current(), ring_.previous(), filtered_, kPixels);  // HAZARD frozen #slot
    must(cudaGetLastError());
    count_motion<<<blocks, 256, 0, stream_>>>(ring_.current(), ring_.previous(), moving_, kPixels);  // HAZARD frozen #slot
    must(cudaGetLastError());
  }

  void download() {
    must(cudaMemcpyAsync(result_, filtered_, kPixels, cudaMemcpyDeviceToHost, stream_));
    must(cudaMemcpyAsync(moving_host_, moving_, sizeof(unsigned), cudaMemcpyDeviceToHost, stream_));
  }

  int id_;
  FrameRing ring_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  uint8_t* filtered_ = nullptr;
  unsigned* moving_ = nullptr;
  uint8_t* staging_ = nullptr;
  uint8_t* result_ = nullptr;
  unsigned* moving_host_ = nullptr;
};

std::vector<uint8_t> synthesize(int camera, int tick) {
  std::vector<uint8_t> frame(kPixels);
  for (int i = 0; i < kPixels; ++i) {
    const int noise = (i * 37 + tick * 11 + camera * 5) % 13;
    const bool object = (i % kWidth) / 8 == (tick + camera) % 8;
    frame[i] = static_cast<uint8_t>(60 + noise + (object ? 90 : 0));
  }
  return frame;
}

int verify(const Picture& picture, const std::vector<uint8_t>& now, const std::vector<uint8_t>& before) {
  int wrong = 0;
  unsigned moving = 0;
  for (int i = 0; i < kPixels; ++i) {
    wrong += picture.pixels[i] != blend(now[i], before[i]);
    moving += std::abs(int(now[i]) - int(before[i])) >= 24;
  }
  return wrong + (moving != picture.moving);
}

int serve(int ticks) {
  std::vector<std::unique_ptr<Camera>> cameras;
  for (int id = 0; id < 2; ++id) cameras.push_back(std::make_unique<Camera>(id));
  std::vector<std::vector<uint8_t>> before(cameras.size(), std::vector<uint8_t>(kPixels, 0));
  int wrong = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    std::vector<std::vector<uint8_t>> now;
    for (auto& camera : cameras) {
      now.push_back(synthesize(camera->id(), tick));
      camera->submit(now.back());
    }
    for (size_t c = 0; c < cameras.size(); ++c) {
      wrong += verify(cameras[c]->collect(), now[c], before[c]);
      before[c] = now[c];
    }
  }
  return wrong;
}

}  // namespace

int main() {
  bool confirmed = false;
  try {
    const int wrong = serve(9);
    std::printf("%d wrong values\n", wrong);
    confirmed = wrong > 0;
  } catch (const CudaFailure& failure) {
    std::printf("CUDA error %d: %s\n", int(failure.code), failure.what());
  }
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
