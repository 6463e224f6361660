/* Audio engine: one graph renders a block; the device can switch sample rate and block size while running. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_BLOCK 2048

#define AE_CHECK(call)                                                      \
  do {                                                                      \
    cudaError_t ae_rc = (call);                                             \
    if (ae_rc != cudaSuccess) {                                             \
      printf("LABEL REFUTED %s: %s\n", #call, cudaGetErrorName(ae_rc));     \
      exit(0);                                                              \
    }                                                                       \
  } while (0)

struct ShelfCoef {
  float gain, offset;
};

struct DeviceConfig {
  int sampleRate, block;
};

struct Transport {
  long long samples = 0;
};

__global__ void source(float* mix, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mix[i] = 1.0f;
}
__global__ void shelf(float* mix, ShelfCoef c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mix[i] = mix[i] * c.gain + c.offset;
}
__global__ void limiter(const float* mix, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fminf(mix[i], 64.0f);
}

class Filter {
 public:
  void design(int sampleRate) { coef_ = {sampleRate / 24000.0f, 0.5f}; }
  const ShelfCoef& coef() const { return coef_; }

 private:
  ShelfCoef coef_{1.0f, 0.0f};
};

class AudioEngine {
 public:
  explicit AudioEngine(DeviceConfig cfg) {
    AE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    AE_CHECK(cudaMalloc(&mix_, MAX_BLOCK * sizeof(float)));
    AE_CHECK(cudaMalloc(&out_, MAX_BLOCK * sizeof(float)));
    AE_CHECK(cudaMemset(out_, 0, MAX_BLOCK * sizeof(float)));
    AE_CHECK(cudaDeviceSynchronize());
    onDeviceChanged(cfg);
  }
  ~AudioEngine() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(mix_);
    cudaFree(out_);
    cudaStreamDestroy(stream_);
  }

  void onDeviceChanged(DeviceConfig cfg) {
    block_ = cfg.block;
    filter_.design(cfg.sampleRate);
    dirty_ = true;
  }

  void render() {
    if (dirty_) rebuild();
    AE_CHECK(cudaGraphLaunch(exec_, stream_));
    AE_CHECK(cudaStreamSynchronize(stream_));
    transport_.samples += block_;
  }

  float sample(int i) const {
    float v = -1.0f;
    AE_CHECK(cudaMemcpy(&v, out_ + i, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }
  const Transport& transport() const { return transport_; }

 private:
  void rebuild() {
    cudaGraph_t graph = nullptr;
    AE_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    renderBlock();
    AE_CHECK(cudaStreamEndCapture(stream_, &graph));
    if (exec_) {
      cudaGraphExecUpdateResultInfo info;
      if (cudaGraphExecUpdate(exec_, graph, &info) != cudaSuccess) {
        cudaGetLastError();
        AE_CHECK(cudaGraphExecDestroy(exec_));
        exec_ = nullptr;
      }
    }
    if (!exec_) AE_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    dirty_ = false;
    AE_CHECK(cudaGraphDestroy(graph));
  }

  void renderBlock() {
    const int grid = (block_ + 127) / 128;
    source<<<MAX_BLOCK / 256, 256, 0, stream_>>>(mix_, MAX_BLOCK);
    shelf<<<MAX_BLOCK / 256, 256, 0, stream_>>>(mix_, filter_.coef(), MAX_BLOCK);
    limiter<<<grid, 128, 0, stream_>>>(mix_, out_, block_);
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *mix_ = nullptr, *out_ = nullptr;
  int block_ = 0;
  Filter filter_;
  Transport transport_;
  bool dirty_ = true;
};

int main() {
  AudioEngine engine({48000, 256});
  engine.render();
  float before = engine.sample(0);
  engine.onDeviceChanged({96000, 512});
  engine.render();
  engine.render();
  float after = engine.sample(0), tail = engine.sample(511);
  long long pos = engine.transport().samples;
  bool hit = before == 2.5f && after == 4.5f && tail == 4.5f && pos == 1280;
  if (hit)
    printf("LABEL CONFIRMED\n");
  else
    printf("LABEL REFUTED %g %g tail %g pos %lld\n", before, after, tail, pos);
  return 0;
}
