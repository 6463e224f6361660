// Visual SLAM front end: tracker, map with growing landmark storage, fusion with the mapper, pose refinement.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <memory>
constexpr int kTracked = 32;
__global__ void setLandmarks(float* lm, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) lm[i] = v;
}
__global__ void project(const float* lm, float* px) { px[threadIdx.x] = 2.0f * lm[threadIdx.x]; }
__global__ void fuse(const float* keyframe, float* depth) { depth[threadIdx.x] += keyframe[threadIdx.x]; }
__global__ void gaussNewton(float* pose, float* residual) {
  *pose += 0.5f * (8.0f - *pose);
  *residual = 8.0f - *pose;
}
class Replay {
 public:
  ~Replay() { reset(); }
  template <class Body>
  cudaError_t capture(cudaStream_t s, Body&& body) {
    reset();
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    cudaError_t inner = body(s);
    cudaGraph_t g = nullptr;
    rc = cudaStreamEndCapture(s, &g);
    if (rc == cudaSuccess && inner == cudaSuccess) rc = cudaGraphInstantiate(&exec_, g, 0);
    if (g) cudaGraphDestroy(g);
    return inner != cudaSuccess ? inner : rc;
  }
  cudaError_t run(cudaStream_t s) { return cudaGraphLaunch(exec_, s); }
  explicit operator bool() const { return exec_ != nullptr; }
 private:
  void reset() { if (exec_) cudaGraphExecDestroy(exec_); exec_ = nullptr; }
  cudaGraphExec_t exec_ = nullptr;
};
class LandmarkMap {
 public:
  explicit LandmarkMap(cudaStream_t s) : stream_(s) { reserve(64); }
  ~LandmarkMap() { cudaFreeAsync(data_, stream_); cudaStreamSynchronize(stream_); }
  void insert(int n, float depth) {
    if ((size_ += n) > capacity_) reserve(2 * size_);
    setLandmarks<<<(size_ + 127) / 128, 128, 0, stream_>>>(data_, depth, size_);
    cudaStreamSynchronize(stream_);
  }
  const float* data() const { return data_; }
 private:
  void reserve(int n) {
    float* bigger = nullptr;
    cudaMallocAsync(&bigger, n * sizeof(float), stream_);
    cudaMemsetAsync(bigger, 0, n * sizeof(float), stream_);
    if (data_) {
      cudaMemcpyAsync(bigger, data_, capacity_ * sizeof(float), cudaMemcpyDeviceToDevice, stream_);
      cudaFreeAsync(data_, stream_);
    }
    cudaStreamSynchronize(stream_);
    data_ = bigger, capacity_ = n;
  }
  cudaStream_t stream_;
  float* data_ = nullptr;
  int size_ = 0, capacity_ = 0;
};
class Mapper {
 public:
  Mapper() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming);
    cudaMalloc(&keyframe_, kTracked * sizeof(float));
    map_ = std::make_unique<LandmarkMap>(stream_);
  }
  ~Mapper() { map_.reset(); cudaFree(keyframe_); cudaEventDestroy(ready_); cudaStreamDestroy(stream_); }
  void publishKeyframe(float v) {
    setLandmarks<<<1, kTracked, 0, stream_>>>(keyframe_, v, kTracked);
    cudaEventRecord(ready_, stream_);
  }
  LandmarkMap& map() { return *map_; }
  cudaEvent_t ready() const { return ready_; }
  const float* keyframe() const { return keyframe_; }
 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  float* keyframe_ = nullptr;
  std::unique_ptr<LandmarkMap> map_;
};
class Tracker {
 public:
  explicit Tracker(Mapper& m) : mapper_(m) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&buf_, (2 * kTracked + 2) * sizeof(float));
    cudaMemset(buf_, 0, (2 * kTracked + 2) * sizeof(float));
    cudaDeviceSynchronize();
  }
  ~Tracker() { cudaFree(buf_); cudaStreamDestroy(stream_); }
  cudaError_t track() {
    const float* lm = mapper_.map().data();
    if (!track_ || lm != trackedMap_) {
      cudaError_t rc = track_.capture(stream_, [&](cudaStream_t s) {
        project<<<1, kTracked, 0, s>>>(lm, buf_);
        return cudaGetLastError();
      });
      if (rc != cudaSuccess) return rc;
      trackedMap_ = lm;
    }
    return track_.run(stream_);
  }
  cudaError_t prepareFusion() {
    return fusion_.capture(stream_, [&](cudaStream_t s) {
      fuse<<<1, kTracked, 0, s>>>(mapper_.keyframe(), buf_ + kTracked);
      return cudaGetLastError();
    });
  }
  cudaError_t fuseKeyframe() {
    cudaError_t rc = cudaStreamWaitEvent(stream_, mapper_.ready(), 0);
    return rc != cudaSuccess ? rc : fusion_.run(stream_);
  }
  cudaError_t prepareRefinement() {
    float* pose = buf_ + 2 * kTracked;
    return refine_.capture(stream_, [&](cudaStream_t s) {
      for (int it = 0; it < 6; ++it) {
        gaussNewton<<<1, 1, 0, s>>>(pose, pose + 1);
      }
      return cudaGetLastError();
    });
  }
  cudaError_t refine() { return refine_.run(stream_); }
  float read(int i) {
    float v = -1;
    cudaMemcpyAsync(&v, buf_ + i, sizeof v, cudaMemcpyDeviceToHost, stream_);
    cudaStreamSynchronize(stream_);
    return v;
  }
 private:
  Mapper& mapper_;
  cudaStream_t stream_ = nullptr;
  float* buf_ = nullptr;
  Replay track_, fusion_, refine_;
  const float* trackedMap_ = nullptr;
};
int main() {
  cudaMemPool_t pool; uint64_t keep = UINT64_MAX;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  Mapper mapper; Tracker tracker(mapper);
  mapper.map().insert(40, 1.0f);
  cudaError_t t1 = tracker.track();
  float first = tracker.read(0);
  mapper.map().insert(100, 5.0f);
  cudaError_t t2 = tracker.track();
  float second = tracker.read(0);
  mapper.publishKeyframe(3.0f);
  cudaError_t fusion = tracker.prepareFusion(), refinement = tracker.prepareRefinement();
  bool hit = t1 == cudaSuccess && t2 == cudaSuccess && first == 2.0f;
  cudaError_t f1 = tracker.fuseKeyframe(), f2 = tracker.fuseKeyframe(), r1 = tracker.refine();
  float pose = tracker.read(2 * kTracked), depth = tracker.read(kTracked);
  hit = hit && second == 10.0f && fusion == cudaSuccess && refinement == cudaSuccess && f1 == cudaSuccess &&
        f2 == cudaSuccess && r1 == cudaSuccess && depth == 6.0f && pose == 7.875f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED %g %g fusion %d refine %d\n", first, second, fusion, refinement);
  return 0;
}
