#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <utility>

namespace drone {

struct FrameState {
  int frame, box, overlay, published;
};

__global__ void nextFrame(FrameState* st) { st->frame += 1; }
__global__ void detect(FrameState* st, long long budget) {
  const long long start = clock64();
  while (clock64() - start < budget) continue;
  st->box = st->frame * 10;
}

__global__ void drawOverlay(FrameState* st) { st->overlay = st->box + st->frame; }
__global__ void publish(FrameState* st) { st->published = st->overlay; }
__global__ void smooth(float* history, float* pose, int taps) {
  float s = 0.0f;
  for (int i = 0; i < taps; ++i) s += history[i] = 1.0f;
  *pose = s;
}

template <class T>
T readBack(const T* p) {
  T v{};
  cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}

struct Branch {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
  Branch() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  ~Branch() {
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
  }
  void mark() const { cudaEventRecord(done, stream); }
  void after(const Branch& other) const { cudaStreamWaitEvent(stream, other.done, 0); }
};

class Stage {
 public:
  virtual ~Stage() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  cudaError_t compile() {
    cudaGraph_t g = nullptr;
    cudaError_t e = cudaStreamBeginCapture(main_.stream, cudaStreamCaptureModeGlobal);
    if (e != cudaSuccess) return e;
    const cudaError_t recorded = record();
    e = cudaStreamEndCapture(main_.stream, &g);
    if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, g, 0);
    if (g) {
      cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges_);
      cudaGraphDestroy(g);
    }
    return recorded != cudaSuccess ? recorded : e;
  }
  cudaError_t run() {
    const cudaError_t e = cudaGraphLaunch(exec_, main_.stream);
    return e != cudaSuccess ? e : cudaStreamSynchronize(main_.stream);
  }
  std::size_t edges() const { return edges_; }

 protected:
  virtual cudaError_t record() = 0;
  Branch main_;

 private:
  cudaGraphExec_t exec_ = nullptr;
  std::size_t edges_ = 0;
};

class TrackingStage final : public Stage {
 public:
  TrackingStage() {
    cudaMalloc(&state_, sizeof(FrameState));
    cudaMemsetAsync(state_, 0, sizeof(FrameState), main_.stream);
    cudaStreamSynchronize(main_.stream);
  }
  ~TrackingStage() override { cudaFree(state_); }
  int published() const { return readBack(state_).published; }

 private:
  cudaError_t record() override {
    nextFrame<<<1, 1, 0, main_.stream>>>(state_);
    main_.mark();
    detector_.after(main_);
    painter_.after(main_);
    detect<<<1, 1, 0, detector_.stream>>>(state_, 20000000LL);
    detector_.mark();
    painter_.after(detector_);
    drawOverlay<<<1, 1, 0, painter_.stream>>>(state_);
    painter_.mark();
    main_.after(detector_);
    main_.after(painter_);
    publish<<<1, 1, 0, main_.stream>>>(state_);
    return cudaPeekAtLastError();
  }
  Branch detector_, painter_;
  FrameState* state_ = nullptr;
};

class StabilizerStage final : public Stage {
 public:
  explicit StabilizerStage(int taps) : taps_(taps) {
    cudaMalloc(&pose_, sizeof(float));
    reserve(taps);
  }
  ~StabilizerStage() override {
    cudaFree(history_);
    cudaFree(pose_);
  }
  float pose() const { return readBack(pose_); }

 private:
  cudaError_t reserve(int taps) {
    if (capacity_ >= taps) return cudaSuccess;
    if (history_) cudaFree(std::exchange(history_, nullptr));
    const cudaError_t e = cudaMalloc(&history_, taps * sizeof(float));
    if (e == cudaSuccess) capacity_ = taps;
    return e;
  }
  cudaError_t record() override {
    if (cudaError_t e = reserve(taps_); e != cudaSuccess) return e;
    smooth<<<1, 1, 0, main_.stream>>>(history_, pose_, taps_);
    return cudaPeekAtLastError();
  }
  int taps_, capacity_ = 0;
  float *history_ = nullptr, *pose_ = nullptr;
};

}  // namespace drone

int main() {
  drone::TrackingStage tracking;
  drone::StabilizerStage stabilizer(8);
  const cudaError_t t = tracking.compile();
  const cudaError_t s = stabilizer.compile();
  (void)cudaGetLastError();
  bool ran = t == cudaSuccess;
  int wrong = 0;
  for (int f = 1; f <= 4 && ran; ++f) {
    ran = tracking.run() == cudaSuccess;
    wrong += tracking.published() != 11 * f;
  }
  const bool ok = ran && wrong == 0 && s == cudaSuccess && stabilizer.run() == cudaSuccess && stabilizer.pose() == 8.0f;
  if (ok) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED t=%d s=%d wrong=%d edges=%zu\n", t, s, wrong, tracking.edges());
  return 0;
}
