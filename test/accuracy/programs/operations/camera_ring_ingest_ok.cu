// Camera front end of a pick-and-place cell: frames arrive in a ring of pinned slots, the ISP pass is a replayed graph.
#include <cuda_runtime.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cell {

static void check(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\nLABEL UNOBSERVED\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define CHECK(x) ::cell::check((x), __LINE__)

constexpr int kW = 64, kH = 40, kPixels = kW * kH;

__global__ void histogram16(const uint8_t* img, int n, unsigned* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[img[i] >> 4], 1u);
}

class FrameRing {
 public:
  FrameRing() {
    for (auto& s : slots_) CHECK(cudaMallocHost(&s, kPixels));
  }
  ~FrameRing() {
    for (auto* s : slots_) cudaFreeHost(s);
  }
  uint8_t* acquire() { return slots_[head_]; }
  const uint8_t* latest() const { return slots_[tail_]; }
  void publish() {
    tail_ = head_;
    head_ = (head_ + 1) % slots_.size();
  }

 private:
  std::array<uint8_t*, 3> slots_{};
  size_t head_ = 0, tail_ = 0;
};

enum class CamState { Idle, Armed, Streaming, Fault };

class Ingest {
 public:
  explicit Ingest(FrameRing& ring) : ring_(ring) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&d_img_, kPixels));
    CHECK(cudaMalloc(&d_bins_, 16 * sizeof(unsigned)));
    CHECK(cudaMallocHost(&h_bins_, 16 * sizeof(unsigned)));
  }
  ~Ingest() {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    cudaFree(d_img_); cudaFree(d_bins_); cudaFreeHost(h_bins_);
    cudaStreamDestroy(stream_);
  }

  CamState state() const { return state_; }
  const unsigned* bins() const { return h_bins_; }

  void onFrame() {
    switch (state_) {
      case CamState::Idle:
        state_ = CamState::Armed;
        [[fallthrough]];
      case CamState::Armed:
        arm();
        state_ = CamState::Streaming;
        [[fallthrough]];
      case CamState::Streaming:
        stream();
        break;
      case CamState::Fault:
        break;
    }
  }

 private:
  void arm() {
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(d_bins_, 0, 16 * sizeof(unsigned), stream_));
    CHECK(cudaMemcpyAsync(d_img_, ring_.latest(), kPixels, cudaMemcpyHostToDevice, stream_));
    cudaStreamCaptureStatus st;
    const cudaGraphNode_t* tip = nullptr;
    size_t tips = 0;
#if CUDART_VERSION >= 13000
    CHECK(cudaStreamGetCaptureInfo(stream_, &st, nullptr, nullptr, &tip, nullptr, &tips));
#else
    CHECK(cudaStreamGetCaptureInfo_v2(stream_, &st, nullptr, nullptr, &tip, &tips));
#endif
    if (st != cudaStreamCaptureStatusActive || tips != 1) CHECK(cudaErrorUnknown);
    upload_ = tip[0];
    histogram16<<<(kPixels + 127) / 128, 128, 0, stream_>>>(d_img_, kPixels, d_bins_);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(h_bins_, d_bins_, 16 * sizeof(unsigned), cudaMemcpyDeviceToHost, stream_));
    CHECK(cudaStreamEndCapture(stream_, &graph_));
    CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
  }

  void stream() {
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec_, upload_, d_img_, ring_.latest(), kPixels, cudaMemcpyHostToDevice));
    cudaError_t e = cudaGraphLaunch(exec_, stream_);
    if (e == cudaSuccess) e = cudaStreamSynchronize(stream_);
    if (e != cudaSuccess) state_ = CamState::Fault;
  }

  FrameRing& ring_;
  CamState state_ = CamState::Idle;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  cudaGraphNode_t upload_ = nullptr;
  uint8_t* d_img_ = nullptr;
  unsigned *d_bins_ = nullptr, *h_bins_ = nullptr;
};

// Stand-in for the sensor: frame f is a ramp shifted by f.
static void expose(uint8_t* dst, int f) {
  for (int i = 0; i < kPixels; ++i) dst[i] = uint8_t((i * (f + 1) / 7) % (40 + 30 * f));
}

}  // namespace cell

int main() {
  using namespace cell;
  FrameRing ring;
  Ingest ingest(ring);
  const int frames = 6;
  int wrong = 0;
  bool first_ok = false;
  for (int f = 0; f < frames; ++f) {
    uint8_t* slot = ring.acquire();
    expose(slot, f);
    unsigned want[16] = {};
    for (int i = 0; i < kPixels; ++i) ++want[slot[i] >> 4];
    ring.publish();
    ingest.onFrame();
    if (ingest.state() != CamState::Streaming) { std::printf("fault at frame %d\nLABEL UNOBSERVED\n", f); return 1; }
    bool same = std::memcmp(want, ingest.bins(), sizeof want) == 0;
    if (f == 0) first_ok = same;
    if (!same) { ++wrong; std::printf("frame %d: histogram differs\n", f); }
  }
  const bool seen = first_ok && wrong == 0;
  std::printf("%d of %d frames wrong\n", wrong, frames);
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
