// hist_scratch.hpp - header-only histogram for the slide scanner, partial counts live in a policy's scratch.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace hist {

constexpr int kBins = 64;
constexpr int kBlocks = 16;

class lazy_scratch {
 public:
  lazy_scratch() = default;
  lazy_scratch(const lazy_scratch&) = delete;
  ~lazy_scratch() {
    if (p_) cudaFree(p_);
  }
  cudaError_t get(unsigned** out) {
    if (!p_) {
      const cudaError_t e = cudaMalloc(&p_, kBins * kBlocks * sizeof(unsigned));  // HAZARD refused
      if (e != cudaSuccess) {
        p_ = nullptr;
        return e;
      }
    }
    *out = p_;
    return cudaSuccess;
  }

 private:
  unsigned* p_ = nullptr;
};

template <class Pixel> __global__ void count_partial(const Pixel* px, int n, unsigned* partial) {
  __shared__ unsigned bins[kBins];
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[px[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) partial[blockIdx.x * kBins + threadIdx.x] = bins[threadIdx.x];
}

template <int Bins> __global__ void fold(const unsigned* partial, unsigned* out) {
  unsigned acc = 0;
  for (int b = 0; b < kBlocks; ++b) acc += partial[b * Bins + threadIdx.x];
  out[threadIdx.x] = acc;
}

template <class Derived> class recordable {
 public:
  ~recordable() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  cudaError_t record(cudaStream_t s) {
    cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    const cudaError_t body = self().emit(s);
    cudaGraph_t g = nullptr;
    e = cudaStreamEndCapture(s, &g);
    if (body == cudaSuccess && e == cudaSuccess) e = cudaGraphInstantiate(&exec_, g, 0);
    if (g) cudaGraphDestroy(g);
    return body != cudaSuccess ? body : e;
  }
  cudaError_t replay(cudaStream_t s) { return exec_ ? cudaGraphLaunch(exec_, s) : cudaErrorNotReady; }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  cudaGraphExec_t exec_ = nullptr;
};

template <class Pixel, class Scratch = lazy_scratch>
class histogram : public recordable<histogram<Pixel, Scratch>> {
 public:
  histogram(const Pixel* px, int n, unsigned* out) : px_(px), n_(n), out_(out) {}
  cudaError_t emit(cudaStream_t s) {
    unsigned* partial = nullptr;
    if (const cudaError_t e = scratch_.get(&partial); e != cudaSuccess) return e;
    count_partial<<<kBlocks, 128, 0, s>>>(px_, n_, partial);
    fold<kBins><<<1, kBins, 0, s>>>(partial, out_);
    return cudaGetLastError();
  }

 private:
  const Pixel* px_;
  const int n_;
  unsigned* out_;
  Scratch scratch_;
};

}  // namespace hist

int main() {
  constexpr int n = 1 << 14;
  std::vector<unsigned short> host(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<unsigned short>(i);
  unsigned short* px = nullptr;
  unsigned* out = nullptr;
  cudaStream_t s = nullptr;
  if (cudaMalloc(&px, n * sizeof *px) != cudaSuccess || cudaMalloc(&out, hist::kBins * sizeof *out) != cudaSuccess ||
      cudaMemcpy(px, host.data(), n * sizeof *px, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess || cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess)
    return 2;
  cudaError_t rc;
  bool right = true;
  {
    hist::histogram<unsigned short> h(px, n, out);
    rc = h.record(s);
    for (int k = 0; k < 3 && rc == cudaSuccess; ++k) {
      unsigned bins[hist::kBins] = {};
      rc = h.replay(s);
      if (rc == cudaSuccess) rc = cudaMemcpyAsync(bins, out, sizeof bins, cudaMemcpyDeviceToHost, s);
      if (rc == cudaSuccess) rc = cudaStreamSynchronize(s);
      for (unsigned b : bins) right = right && b == n / hist::kBins;
    }
  }
  std::printf("histogram: %s\n", cudaGetErrorString(rc));
  cudaFree(px);
  cudaFree(out);
  cudaStreamDestroy(s);
  std::puts(rc == cudaErrorStreamCaptureUnsupported ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
