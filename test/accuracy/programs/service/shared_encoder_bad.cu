#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mm {

void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(e));
}

__global__ void encode_image(const float* img, float* feat, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) feat[i] = img[i] * 3.f;
}
__global__ void attend(const float* feat, float* logits, float w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) logits[i] = feat[i] * w;
}

constexpr int kDim = 512;

struct Buffer {
  float* p = nullptr;
  Buffer() { must(cudaMalloc(&p, kDim * sizeof(float)), "alloc"); }
  ~Buffer() { cudaFree(p); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

// The vision tower lives on a stream of its own so that text-only requests can overlap it.
class VisionTower {
 public:
  VisionTower() {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "vision stream");
    must(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "vision event");
  }
  ~VisionTower() {
    cudaEventDestroy(ready_);
    cudaStreamDestroy(stream_);
  }
  cudaEvent_t encode(cudaEvent_t after) {
    must(cudaStreamWaitEvent(stream_, after, 0), "vision fork");
    encode_image<<<kDim / 128, 128, 0, stream_>>>(image.p, features.p, kDim);
    must(cudaGetLastError(), "encode_image");
    must(cudaEventRecord(ready_, stream_), "vision ready");
    return ready_;
  }
  Buffer image, features;

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;
};

class TenantSession {
 public:
  TenantSession(VisionTower& tower, float weight) : tower_(tower), weight_(weight) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "tenant stream");
    must(cudaEventCreateWithFlags(&start_, cudaEventDisableTiming), "tenant event");
  }
  ~TenantSession() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaEventDestroy(start_);
    cudaStreamDestroy(stream_);
  }
  void open() {
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
    open_ = true;
  }
  cudaEvent_t mark() {
    must(cudaEventRecord(start_, stream_), "mark");
    return start_;
  }
  void decode(cudaEvent_t features_ready) {
    must(cudaStreamWaitEvent(stream_, features_ready, 0), "features");  // HAZARD dependency #1
    attend<<<kDim / 128, 128, 0, stream_>>>(tower_.features.p, logits_.p, weight_, kDim);
    must(cudaGetLastError(), "attend");
  }
  void close() {
    if (!open_) return;
    open_ = false;
    cudaGraph_t g = nullptr;
    must(cudaStreamEndCapture(stream_, &g), "end");
    const cudaError_t rc = cudaGraphInstantiate(&exec_, g, 0);
    cudaGraphDestroy(g);
    must(rc, "instantiate");
  }
  float run() {
    float v = 0.f;
    must(cudaGraphLaunch(exec_, stream_), "launch");
    must(cudaMemcpyAsync(&v, logits_.p + 9, sizeof v, cudaMemcpyDeviceToHost, stream_), "d2h");
    must(cudaStreamSynchronize(stream_), "sync");
    return v;
  }

 private:
  VisionTower& tower_;
  const float weight_;
  Buffer logits_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  bool open_ = false;
};

using Tenants = std::vector<std::unique_ptr<TenantSession>>;

// RAII: whatever happens while warming up, no tenant stream stays in capture.
struct CloseAll {
  Tenants& tenants;
  ~CloseAll() {
    for (auto& t : tenants) {
      try {
        t->close();
      } catch (const std::exception& e) {
        std::fprintf(stderr, "close: %s\n", e.what());
      }
    }
  }
};

void warm_up(VisionTower& tower, Tenants& tenants) {
  CloseAll guard{tenants};
  for (auto& t : tenants) t->open();
  const cudaEvent_t ready = tower.encode(tenants.front()->mark());
  for (auto& t : tenants) t->decode(ready);  // HAZARD dependency #1
  for (auto& t : tenants) t->close();
}

}  // namespace mm

int main() {
  bool good = false, warming = false;
  try {
    mm::VisionTower tower;
    std::vector<float> img(mm::kDim, 2.f);
    mm::must(cudaMemcpy(tower.image.p, img.data(), mm::kDim * sizeof(float), cudaMemcpyHostToDevice), "image");
    mm::Tenants tenants;
    tenants.push_back(std::make_unique<mm::TenantSession>(tower, 1.f));
    tenants.push_back(std::make_unique<mm::TenantSession>(tower, 10.f));
    warming = true;
    mm::warm_up(tower, tenants);
    warming = false;
    good = tenants[0]->run() == 6.f && tenants[1]->run() == 60.f && tenants[0]->run() == 6.f;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  std::puts(warming && !good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
