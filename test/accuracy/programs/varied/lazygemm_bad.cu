// Inference worker: a two-layer perceptron head. Library contexts are created when a thread first needs one.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace serve {

struct Status {
  bool good = true;
  std::string text;
  explicit operator bool() const { return good; }
};
inline Status of(cudaError_t e) { return {e == cudaSuccess, cudaGetErrorName(e)}; }
inline Status of(cublasStatus_t s) { return {s == CUBLAS_STATUS_SUCCESS, cublasGetStatusName(s)}; }
#define SERVE_TRY(x)                                      \
  do {                                                    \
    if (::serve::Status st_ = ::serve::of(x); !st_) return st_; \
  } while (0)

class BlasContext {
 public:
  static BlasContext& current() {
    thread_local BlasContext context;
    return context;
  }
  Status handle(cudaStream_t stream, cublasHandle_t* out) {
    if (!handle_) {
      SERVE_TRY(cublasCreate(&handle_));  // HAZARD refused #1
      SERVE_TRY(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH));
    }
    SERVE_TRY(cublasSetStream(handle_, stream));
    *out = handle_;
    return {};
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

__global__ void relu(float* v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] = fmaxf(v[i], 0.0f);
}

struct Layer {
  int in, out;
  float* weight;
};

class Head {
 public:
  Status load(const std::vector<int>& widths) {
    SERVE_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      Layer l{widths[i], widths[i + 1], nullptr};
      std::vector<float> w(std::size_t(l.in) * l.out, 1.0f / float(l.in));
      SERVE_TRY(cudaMalloc(&l.weight, w.size() * sizeof(float)));
      SERVE_TRY(cudaMemcpy(l.weight, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice));
      layers_.push_back(l);
    }
    for (int w : widths) {
      float* a = nullptr;
      SERVE_TRY(cudaMalloc(&a, w * sizeof(float)));
      acts_.push_back(a);
    }
    return {};
  }

  Status build() {
    SERVE_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    const Status recorded = forward();
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (!recorded) return recorded;
    SERVE_TRY(ended);
    SERVE_TRY(cudaGraphInstantiate(&exec_, graph, 0));
    SERVE_TRY(cudaGraphDestroy(graph));
    return {};
  }

  Status infer(const std::vector<float>& x, std::vector<float>& y) {
    SERVE_TRY(cudaMemcpyAsync(acts_.front(), x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    SERVE_TRY(cudaGraphLaunch(exec_, stream_));
    SERVE_TRY(cudaMemcpyAsync(y.data(), acts_.back(), y.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    SERVE_TRY(cudaStreamSynchronize(stream_));
    return {};
  }

 private:
  Status forward() {
    const float one = 1.0f, zero = 0.0f;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Layer& l = layers_[i];
      cublasHandle_t blas = nullptr;
      if (Status s = BlasContext::current().handle(stream_, &blas); !s) return s;  // HAZARD refused #1
      SERVE_TRY(cublasSgemv(blas, CUBLAS_OP_N, l.out, l.in, &one, l.weight, l.out, acts_[i], 1, &zero, acts_[i + 1], 1));
      relu<<<(l.out + 127) / 128, 128, 0, stream_>>>(acts_[i + 1], l.out);
      SERVE_TRY(cudaGetLastError());
    }
    return {};
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::vector<Layer> layers_;
  std::vector<float*> acts_;
};

}  // namespace serve

int main() {
  serve::Head head;
  serve::Status loaded = head.load({256, 128, 64});
  if (!loaded) {
    std::puts("LABEL REFUTED");
    return 0;
  }
  const serve::Status built = head.build();
  bool right = built.good;
  if (!right) std::fprintf(stderr, "build: %s\n", built.text.c_str());
  for (int k = 1; right && k <= 3; ++k) {
    std::vector<float> x(256, float(k)), y(64);
    right = head.infer(x, y).good && std::fabs(y[5] - float(k)) < 1e-3f;
  }
  std::puts(!built.good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
