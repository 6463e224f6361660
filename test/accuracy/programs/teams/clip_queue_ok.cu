// Clip playout: an overlay stage and a motion stage, each recorded through a table of operations.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

constexpr int kWidth = 256, kHeight = 64, kPixels = kWidth * kHeight;

struct Staging {
  uint8_t* bytes = nullptr;
  size_t capacity = 0;

  cudaError_t atLeast(size_t wanted) {
    if (wanted <= capacity) return cudaSuccess;
    uint8_t* grown = nullptr;
    cudaError_t rc = cudaMallocHost(&grown, wanted);
    if (rc != cudaSuccess) return rc;
    if (bytes) {
      std::memcpy(grown, bytes, capacity);
      cudaFreeHost(bytes);
    }
    bytes = grown;
    capacity = wanted;
    return cudaSuccess;
  }
};

struct Clip {
  cudaStream_t stream = nullptr;
  uint8_t* frame = nullptr;
  uint8_t* caption = nullptr;
  float* motion = nullptr;
  Staging staging;
  size_t captionBytes = kPixels / 2;
};

struct StageOps {
  const char* name;
  cudaError_t (*prepare)(Clip&);
  cudaError_t (*record)(Clip&);
};

__global__ void blend(uint8_t* frame, const uint8_t* caption, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) frame[i] = (frame[i] + caption[i]) / 2;
}

__global__ void gradients(const uint8_t* frame, float* scratch, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) scratch[i] = i ? fabsf(float(frame[i]) - float(frame[i - 1])) : 1.f;
}

__global__ void sumMotion(const float* scratch, float* motion, int n) {
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += scratch[i];
  atomicAdd(motion, s);
}

cudaError_t prepareOverlay(Clip& clip) { return clip.staging.atLeast(clip.captionBytes); }
cudaError_t prepareMotion(Clip&) { return cudaSuccess; }

cudaError_t recordOverlay(Clip& clip) {
  if (cudaError_t rc = clip.staging.atLeast(clip.captionBytes)) return rc;
  cudaError_t rc =
      cudaMemcpyAsync(clip.caption, clip.staging.bytes, clip.captionBytes, cudaMemcpyHostToDevice, clip.stream);
  if (rc != cudaSuccess) return rc;
  const int n = static_cast<int>(clip.captionBytes);
  blend<<<(n + 255) / 256, 256, 0, clip.stream>>>(clip.frame, clip.caption, n);
  return cudaGetLastError();
}

cudaError_t recordMotion(Clip& clip) {
  float* scratch = nullptr;
  if (cudaError_t rc = cudaMallocAsync(&scratch, kPixels * sizeof(float), clip.stream)) return rc;
  if (cudaError_t rc = cudaMemsetAsync(clip.motion, 0, sizeof(float), clip.stream)) return rc;
  gradients<<<kPixels / 256, 256, 0, clip.stream>>>(clip.frame, scratch, kPixels);
  sumMotion<<<1, 256, 0, clip.stream>>>(scratch, clip.motion, kPixels);
  if (cudaError_t rc = cudaGetLastError()) return rc;
  return cudaFreeAsync(scratch, clip.stream);
}

const StageOps kStages[] = {{"overlay", prepareOverlay, recordOverlay}, {"motion", prepareMotion, recordMotion}};

cudaError_t compile(Clip& clip, const StageOps& ops, cudaGraphExec_t* exec) {
  cudaGraph_t graph = nullptr;
  if (cudaError_t rc = ops.prepare(clip)) return rc;
  if (cudaError_t rc = cudaStreamBeginCapture(clip.stream, cudaStreamCaptureModeGlobal)) return rc;
  const cudaError_t body = ops.record(clip);
  const cudaError_t ended = cudaStreamEndCapture(clip.stream, &graph);
  cudaError_t rc = body ? body : ended;
  if (rc == cudaSuccess) rc = cudaGraphInstantiate(exec, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();
  return rc;
}

cudaError_t play(Clip& clip, cudaGraphExec_t exec, int times, int* played) {
  for (*played = 0; *played < times; ++*played) {
    cudaError_t rc = cudaGraphLaunch(exec, clip.stream);
    if (rc != cudaSuccess) return rc;
    if ((rc = cudaStreamSynchronize(clip.stream)) != cudaSuccess) return rc;
  }
  return cudaSuccess;
}

}  // namespace

int main() {
  Clip clip;
  cudaStreamCreateWithFlags(&clip.stream, cudaStreamNonBlocking);
  cudaMalloc(&clip.frame, kPixels);
  cudaMalloc(&clip.caption, kPixels);
  cudaMalloc(&clip.motion, sizeof(float));
  cudaMemset(clip.frame, 64, kPixels);
  cudaDeviceSynchronize();

  cudaGraphExec_t exec[2] = {};
  cudaError_t built[2];
  for (int i = 0; i < 2; ++i) built[i] = compile(clip, kStages[i], &exec[i]);
  int played = 0, overlays = 0;
  cudaError_t motionStatus = built[1] ? built[1] : play(clip, exec[1], 3, &played);
  float motion = -1.f;
  uint8_t pixel = 0;
  cudaMemcpy(&motion, clip.motion, sizeof motion, cudaMemcpyDeviceToHost);
  if (built[0] == cudaSuccess) {
    std::memset(clip.staging.bytes, 192, clip.captionBytes);
    play(clip, exec[0], 2, &overlays);
  }
  cudaMemcpy(&pixel, clip.frame + 5, 1, cudaMemcpyDeviceToHost);
  std::printf("overlay %s x%d pixel %d, motion %s x%d value %.1f\n", cudaGetErrorName(built[0]), overlays, pixel,
              cudaGetErrorName(motionStatus), played, motion);
  bool agrees = !built[0] && !motionStatus && played == 3 && motion == 1.f && overlays == 2 && pixel == 160;
  std::puts(agrees ? "LABEL CONFIRMED" : "LABEL REFUTED");
  for (cudaGraphExec_t e : exec)
    if (e) cudaGraphExecDestroy(e);
  cudaFreeHost(clip.staging.bytes);
  return 0;
}
