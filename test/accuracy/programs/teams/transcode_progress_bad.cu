// Transcoder core: a scaling graph with progress notification and a packaging graph with segment accounting.
#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  virtual void onFrame(int total) = 0;
  virtual void onSegment(int index) = 0;
};

class Transcoder {
 public:
  Transcoder();
  ~Transcoder();
  void addListener(ProgressListener* listener);
  cudaError_t prepareScaling();
  cudaError_t preparePackaging();
  cudaError_t scale(int frames);
  cudaError_t package(int segments);
  float firstSample() const;
  float payloadTotal() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

namespace {
constexpr int kSamples = 4096;

__global__ void scaleFrame(float* luma, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) luma[i] = luma[i] * 0.5f + 1.f;
}

__global__ void packSegment(const float* luma, float* payload) {
  if (threadIdx.x == 0) *payload += luma[0] > -1e6f ? 1.f : 0.f;
}
}  // namespace

struct Transcoder::Impl {
  cudaStream_t stream = nullptr;
  cudaGraphExec_t scaling = nullptr, packaging = nullptr;
  float *luma = nullptr, *payload = nullptr;
  std::vector<ProgressListener*> listeners;
  std::atomic<int> frames{0};
  std::atomic<int> segments{0};

  static void CUDART_CB frameDone(cudaStream_t, cudaError_t status, void* self) {
    if (status == cudaSuccess) static_cast<Impl*>(self)->announceFrame();
  }
  void announceFrame() {
    const int total = ++frames;
    for (ProgressListener* l : listeners) l->onFrame(total);
  }
  void announceSegment() {
    const int index = ++segments;
    for (ProgressListener* l : listeners) l->onSegment(index);
  }

  cudaError_t enqueueScaling() {
    scaleFrame<<<kSamples / 256, 256, 0, stream>>>(luma, kSamples);
    return cudaStreamAddCallback(stream, &Impl::frameDone, this, 0);  // HAZARD unsupported_operation
  }

  cudaError_t enqueuePackaging() {
    packSegment<<<1, 32, 0, stream>>>(luma, payload);
    announceSegment();  // HAZARD host_logic
    return cudaGetLastError();
  }

  cudaError_t build(cudaError_t (Impl::*enqueue)(), cudaGraphExec_t& exec) {
    cudaGraph_t graph = nullptr;
    cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status != cudaSuccess) return status;
    const cudaError_t body = (this->*enqueue)();
    status = cudaStreamEndCapture(stream, &graph);
    if (body != cudaSuccess) status = body;
    if (status == cudaSuccess) status = cudaGraphInstantiate(&exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    return status;
  }

  cudaError_t replay(cudaGraphExec_t exec, int count) {
    for (int i = 0; i < count; ++i) {
      cudaError_t status = cudaGraphLaunch(exec, stream);
      if (status != cudaSuccess) return status;
    }
    return cudaStreamSynchronize(stream);
  }
};

Transcoder::Transcoder() : impl_(std::make_unique<Impl>()) {
  cudaStreamCreateWithFlags(&impl_->stream, cudaStreamNonBlocking);
  cudaMalloc(&impl_->luma, kSamples * sizeof(float));
  cudaMalloc(&impl_->payload, sizeof(float));
  cudaMemset(impl_->luma, 0, kSamples * sizeof(float));
  cudaMemset(impl_->payload, 0, sizeof(float));
  cudaDeviceSynchronize();
}

Transcoder::~Transcoder() {
  for (cudaGraphExec_t e : {impl_->scaling, impl_->packaging})
    if (e) cudaGraphExecDestroy(e);
  cudaFree(impl_->luma);
  cudaFree(impl_->payload);
  cudaStreamDestroy(impl_->stream);
}

void Transcoder::addListener(ProgressListener* listener) { impl_->listeners.push_back(listener); }
cudaError_t Transcoder::prepareScaling() { return impl_->build(&Impl::enqueueScaling, impl_->scaling); }
cudaError_t Transcoder::preparePackaging() { return impl_->build(&Impl::enqueuePackaging, impl_->packaging); }
cudaError_t Transcoder::scale(int frames) { return impl_->replay(impl_->scaling, frames); }
cudaError_t Transcoder::package(int segments) { return impl_->replay(impl_->packaging, segments); }

float Transcoder::firstSample() const {
  float v = -1.f;
  cudaMemcpy(&v, impl_->luma, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}
float Transcoder::payloadTotal() const {
  float v = -1.f;
  cudaMemcpy(&v, impl_->payload, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}

class ConsoleListener : public ProgressListener {
 public:
  void onFrame(int total) override { lastFrame = total; }
  void onSegment(int index) override { lastSegment = index; }
  std::atomic<int> lastFrame{0}, lastSegment{0};
};

int main() {
  ConsoleListener console;
  Transcoder transcoder;
  transcoder.addListener(&console);
  const cudaError_t scaling = transcoder.prepareScaling(), packaging = transcoder.preparePackaging();
  const cudaError_t scaled = scaling == cudaSuccess ? transcoder.scale(2) : scaling;
  const cudaError_t packed = packaging == cudaSuccess ? transcoder.package(4) : packaging;
  std::printf("scaling %s, packaging %s, frames %d, segments %d, payload %.0f\n", cudaGetErrorName(scaled),
              cudaGetErrorName(packed), console.lastFrame.load(), console.lastSegment.load(), transcoder.payloadTotal());
  const bool agreed = scaled == cudaErrorStreamCaptureUnsupported && packed == cudaSuccess && console.lastSegment == 1 &&
                      transcoder.payloadTotal() == 4.f;
  std::puts(agreed ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
