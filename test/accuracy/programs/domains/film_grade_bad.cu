#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#define GRADE_CHECK(call)                                                     \
  do {                                                                        \
    cudaError_t err_ = (call);                                                \
    if (err_ != cudaSuccess) throw std::runtime_error(cudaGetErrorName(err_)); \
  } while (0)

__global__ void primaries(const float* in, float* out, int n, float gain, float lift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * gain + lift;
}

__global__ void legalize(float* px, int n, float ceiling) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) px[i] = fminf(px[i], ceiling);
}

struct Look {
  float gain = 1.0f;
  float lift = 0.0f;
};

class Reel {
 public:
  using Command = std::function<void(cudaStream_t)>;

  explicit Reel(int pixels) : n_(pixels) {
    GRADE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GRADE_CHECK(cudaMalloc(&in_, n_ * sizeof(float)));
    GRADE_CHECK(cudaMalloc(&out_, n_ * sizeof(float)));
    std::vector<float> plate(n_, 1.0f);
    GRADE_CHECK(cudaMemcpy(in_, plate.data(), n_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~Reel() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(in_);
    cudaFree(out_);
    cudaStreamDestroy(stream_);
  }

  void append(Command c) { commands_.push_back(std::move(c)); }

  void lock() {
    cudaGraph_t g = nullptr;
    GRADE_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (const auto& c : commands_) c(stream_);
    GRADE_CHECK(cudaStreamEndCapture(stream_, &g));
    GRADE_CHECK(cudaGraphInstantiate(&exec_, g, 0));
    GRADE_CHECK(cudaGraphDestroy(g));
  }

  float play() {
    if (!exec_) lock();
    GRADE_CHECK(cudaGraphLaunch(exec_, stream_));
    GRADE_CHECK(cudaStreamSynchronize(stream_));
    float px = 0.0f;
    GRADE_CHECK(cudaMemcpy(&px, out_ + n_ / 2, sizeof(px), cudaMemcpyDeviceToHost));
    return px;
  }

  const Look* look = nullptr;
  long framesGraded = 0;

 private:
  friend class ReelBuilder;
  int n_;
  float *in_ = nullptr, *out_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::vector<Command> commands_;
};

class ReelBuilder {
 public:
  explicit ReelBuilder(int pixels) : reel_(std::make_unique<Reel>(pixels)) {}

  ReelBuilder& primary(const Look& look) {
    Reel* r = reel_.get();
    r->look = &look;
    r->append([r](cudaStream_t s) {
      primaries<<<(r->n_ + 255) / 256, 256, 0, s>>>(r->in_, r->out_, r->n_, r->look->gain, r->look->lift);  // HAZARD frozen
    });
    return *this;
  }
  ReelBuilder& broadcastSafe(float ceiling) {
    Reel* r = reel_.get();
    r->append([r, ceiling](cudaStream_t s) { legalize<<<(r->n_ + 255) / 256, 256, 0, s>>>(r->out_, r->n_, ceiling); });
    return *this;
  }
  ReelBuilder& countFrames() {
    Reel* r = reel_.get();
    r->append([r](cudaStream_t) {
      ++r->framesGraded;  // HAZARD host_logic
    });
    return *this;
  }
  std::unique_ptr<Reel> build() { return std::move(reel_); }

 private:
  std::unique_ptr<Reel> reel_;
};

int main() {
  try {
    Look look;
    look.gain = 2.0f;
    auto reel = ReelBuilder(4096).primary(look).broadcastSafe(16.0f).countFrames().build();
    float a = reel->play();
    look.gain = 3.0f;
    look.lift = 0.5f;
    float b = reel->play();
    float c = reel->play();
    bool ok = std::fabs(a - 2.0f) < 1e-5f && std::fabs(b - 2.0f) < 1e-5f && std::fabs(c - 2.0f) < 1e-5f && reel->framesGraded == 1;
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED %f %f %f frames=%ld\n", a, b, c, reel->framesGraded);
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
