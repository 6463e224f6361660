// Offline channel strip: an intrusive list of DSP nodes, launched through an untyped back end.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void require(cudaError_t rc, int line) {
  if (rc == cudaSuccess) return;
  std::fprintf(stderr, "cuda error %d (%s) at line %d\n", int(rc), cudaGetErrorName(rc), line);
  std::abort();
}
#define REQUIRE(x) require((x), __LINE__)

__global__ void k_loadBus(const float* source, float* bus, int frames) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < frames) bus[i] = source[i];
}

__global__ void k_gain(float* bus, int frames, const volatile float* linear) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < frames) bus[i] *= *linear;
}

__global__ void k_clip(float* bus, int frames, float ceiling) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < frames) bus[i] = fminf(ceiling, fmaxf(-ceiling, bus[i]));
}

struct ArgPack {
  static constexpr int kMax = 6;
  void* slots[kMax] = {};
  int used = 0;
  template <class T>
  ArgPack& operator<<(T& v) {
    slots[used++] = const_cast<void*>(static_cast<const void*>(&v));
    return *this;
  }
};

class DspNode {
 public:
  explicit DspNode(const void* entry) : entry_(entry) {}
  virtual ~DspNode() = default;
  virtual void bind(ArgPack& args) = 0;
  const void* entry() const { return entry_; }
  DspNode* next = nullptr;

 private:
  const void* entry_;
};

class LoadNode final : public DspNode {
 public:
  LoadNode(const float* src, float* bus, int frames)
      : DspNode((const void*)k_loadBus), src_(src), bus_(bus), frames_(frames) {}
  void bind(ArgPack& args) override { args << src_ << bus_ << frames_; }

 private:
  const float* src_;
  float* bus_;
  int frames_;
};

class GainNode final : public DspNode {
 public:
  GainNode(float* bus, int frames) : DspNode((const void*)k_gain), bus_(bus), frames_(frames) {
    REQUIRE(cudaHostAlloc(&fader_, sizeof(float), cudaHostAllocMapped));
    *fader_ = 1.0f;
    REQUIRE(cudaHostGetDevicePointer(&linear_, fader_, 0));
  }
  GainNode(const GainNode&) = delete;
  ~GainNode() override { cudaFreeHost(fader_); }
  void setDecibel(float db) { *fader_ = std::pow(10.0f, db / 20.0f); }
  void bind(ArgPack& args) override { args << bus_ << frames_ << linear_; }

 private:
  float* bus_;
  int frames_;
  float* fader_ = nullptr;
  float* linear_ = nullptr;
};

class ClipNode final : public DspNode {
 public:
  ClipNode(float* bus, int frames, float ceiling)
      : DspNode((const void*)k_clip), bus_(bus), frames_(frames), ceiling_(ceiling) {}
  void bind(ArgPack& args) override { args << bus_ << frames_ << ceiling_; }

 private:
  float* bus_;
  int frames_;
  float ceiling_;
};

struct Strip {
  DspNode* head = nullptr;
  DspNode** tail = &head;
  void append(DspNode& n) {
    *tail = &n;
    tail = &n.next;
  }
};

struct BackendOps {
  void (*open)(cudaStream_t);
  void (*submit)(cudaStream_t, DspNode&, int frames);
  cudaGraphExec_t (*close)(cudaStream_t);
};

static void graphOpen(cudaStream_t s) { REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); }

static void graphSubmit(cudaStream_t s, DspNode& n, int frames) {
  ArgPack args;
  n.bind(args);
  REQUIRE(cudaLaunchKernel(n.entry(), dim3((frames + 255) / 256), dim3(256), args.slots, 0, s));
}

static cudaGraphExec_t graphClose(cudaStream_t s) {
  cudaGraph_t g = nullptr;
  cudaGraphExec_t x = nullptr;
  REQUIRE(cudaStreamEndCapture(s, &g));
  REQUIRE(cudaGraphInstantiate(&x, g, 0));
  REQUIRE(cudaGraphDestroy(g));
  return x;
}

static const BackendOps kGraphBackend = {graphOpen, graphSubmit, graphClose};

static cudaGraphExec_t bake(const BackendOps& ops, const Strip& strip, int frames, cudaStream_t s) {
  ops.open(s);
  for (DspNode* n = strip.head; n; n = n->next) ops.submit(s, *n, frames);
  return ops.close(s);
}

int main() {
  const int frames = 480;
  std::vector<float> in(frames), out(frames);
  for (int i = 0; i < frames; ++i) in[i] = std::sin(0.05f * float(i));
  cudaStream_t s;
  float *src, *bus;
  REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  REQUIRE(cudaMalloc(&src, frames * sizeof(float)));
  REQUIRE(cudaMalloc(&bus, frames * sizeof(float)));
  REQUIRE(cudaMemcpyAsync(src, in.data(), frames * sizeof(float), cudaMemcpyHostToDevice, s));

  bool right = true;
  {
    LoadNode load(src, bus, frames);
    GainNode fader(bus, frames);
    ClipNode clip(bus, frames, 0.8f);
    Strip strip;
    strip.append(load);
    strip.append(fader);
    strip.append(clip);
    cudaGraphExec_t block = bake(kGraphBackend, strip, frames, s);
    for (float db : {0.0f, -6.0f, 3.0f}) {
      fader.setDecibel(db);
      REQUIRE(cudaGraphLaunch(block, s));
      REQUIRE(cudaMemcpyAsync(out.data(), bus, frames * sizeof(float), cudaMemcpyDeviceToHost, s));
      REQUIRE(cudaStreamSynchronize(s));
      const float g = std::pow(10.0f, db / 20.0f);
      for (int i = 0; i < frames; ++i)
        right = right && std::fabs(out[i] - std::fmin(0.8f, std::fmax(-0.8f, in[i] * g))) < 1e-4f;
    }
    REQUIRE(cudaGraphExecDestroy(block));
  }
  REQUIRE(cudaFree(bus));
  REQUIRE(cudaFree(src));
  REQUIRE(cudaStreamDestroy(s));
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
