// Video encoder front end: Y, U and V planes are transformed on their own queues.
#include <cuda_runtime.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

struct PlaneJob {
  uint8_t* src = nullptr;
  int16_t* coeff = nullptr;
  int pixels = 0;
  cudaStream_t queue = nullptr;
  cudaEvent_t finished = nullptr;
};

struct EncoderConfig {
  int width = 320;
  int height = 192;
  bool chroma = true;
};

struct EncodeResult {
  cudaError_t error;
  const char* stage;
};

static __global__ void transform(const uint8_t* src, int16_t* coeff, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) coeff[i] = static_cast<int16_t>(src[i]) * 2 - 128;
}

static __global__ void countNonZero(const int16_t* coeff, unsigned* bits, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels && coeff[i] != 0) atomicAdd(bits, 1u);
}

#define STAGE(name, call)                          \
  do {                                             \
    cudaError_t err__ = (call);                    \
    if (err__ != cudaSuccess) return {err__, name}; \
  } while (0)

class PlaneEncoder {
 public:
  EncodeResult open(const EncoderConfig& config) {
    config_ = config;
    STAGE("queue", cudaStreamCreateWithFlags(&control_, cudaStreamNonBlocking));
    STAGE("event", cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming));
    STAGE("bits", cudaMalloc(&bits_, sizeof(unsigned)));
    for (size_t i = 0; i < planes_.size(); ++i) {
      PlaneJob& job = planes_[i];
      job.pixels = config.width * config.height / (i == 0 ? 1 : 4);
      STAGE("src", cudaMalloc(&job.src, job.pixels));
      STAGE("coeff", cudaMalloc(&job.coeff, job.pixels * sizeof(int16_t)));
      STAGE("fill", cudaMemset(job.src, 65 + static_cast<int>(i), job.pixels));
      STAGE("queue", cudaStreamCreateWithFlags(&job.queue, cudaStreamNonBlocking));
      STAGE("event", cudaEventCreateWithFlags(&job.finished, cudaEventDisableTiming));
    }
    STAGE("init", cudaDeviceSynchronize());
    return compile();
  }

  EncodeResult encode(unsigned* bits) {
    STAGE("launch", cudaGraphLaunch(exec_, control_));
    STAGE("read", cudaMemcpyAsync(bits, bits_, sizeof *bits, cudaMemcpyDeviceToHost, control_));
    STAGE("wait", cudaStreamSynchronize(control_));
    return {cudaSuccess, "done"};
  }

  void close() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (PlaneJob& job : planes_) {
      cudaFree(job.src);
      cudaFree(job.coeff);
      cudaEventDestroy(job.finished);
      cudaStreamDestroy(job.queue);
    }
    cudaFree(bits_);
    cudaEventDestroy(begin_);
    cudaStreamDestroy(control_);
  }

  unsigned expectedBits() const {
    unsigned sum = 0;
    for (size_t i = 0; i < activePlanes(); ++i) sum += planes_[i].pixels;
    return sum;
  }

 private:
  size_t activePlanes() const { return config_.chroma ? planes_.size() : 1; }

  EncodeResult dispatch() {
    STAGE("zero", cudaMemsetAsync(bits_, 0, sizeof(unsigned), control_));
    STAGE("begin", cudaEventRecord(begin_, control_));
    for (size_t i = 0; i < activePlanes(); ++i) {
      PlaneJob& job = planes_[i];
      STAGE("fork", cudaStreamWaitEvent(job.queue, begin_, 0));
      const int grid = (job.pixels + 255) / 256;
      transform<<<grid, 256, 0, job.queue>>>(job.src, job.coeff, job.pixels);  // HAZARD stream_dependency #planes
      countNonZero<<<grid, 256, 0, job.queue>>>(job.coeff, bits_, job.pixels);  // HAZARD stream_dependency #planes
      STAGE("finish", cudaEventRecord(job.finished, job.queue));
    }
    return gather(planes_.size() - 1);
  }

  EncodeResult gather(size_t count) {
    for (size_t i = 0; i < count; ++i) STAGE("gather", cudaStreamWaitEvent(control_, planes_[i].finished, 0));
    return {cudaSuccess, "gather"};
  }

  EncodeResult compile() {
    STAGE("capture", cudaStreamBeginCapture(control_, cudaStreamCaptureModeThreadLocal));
    EncodeResult body = dispatch();
    cudaGraph_t graph = nullptr;
    cudaError_t ended = cudaStreamEndCapture(control_, &graph);  // HAZARD stream_dependency #planes
    if (body.error != cudaSuccess) return body;
    if (ended != cudaSuccess) {
      cudaGetLastError();
      return {ended, "end"};
    }
    cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    return {made, "instantiate"};
  }

  EncoderConfig config_;
  cudaStream_t control_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  unsigned* bits_ = nullptr;
  std::array<PlaneJob, 3> planes_{};
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  PlaneEncoder encoder;
  EncodeResult opened = encoder.open(EncoderConfig{});
  unsigned bits = 0;
  int frames = 0;
  for (; opened.error == cudaSuccess && frames < 5; ++frames) {
    if (encoder.encode(&bits).error != cudaSuccess || bits != encoder.expectedBits()) break;
  }
  std::printf("%s at %s, frames %d, bits %u\n", cudaGetErrorName(opened.error), opened.stage, frames, bits);
  const bool labelled = opened.error == cudaErrorStreamCaptureUnjoined && frames == 0;
  std::puts(labelled ? "LABEL CONFIRMED" : "LABEL REFUTED");
  encoder.close();
}
