#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace mri {

__global__ void weightKernel(const float2* k, const float* dcf, float2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float2(k[i].x * dcf[i], k[i].y * dcf[i]);
}

__global__ void magnitudeKernel(const float2* img, float* mag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mag[i] = sqrtf(img[i].x * img[i].x + img[i].y * img[i].y) / n;
}

__global__ void combineKernel(const float* mag, float* coil, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  coil[i] = 2.0f * mag[i];
  out[i] = coil[i] + 1.0f;
}

class Reconstructor {
 public:
  explicit Reconstructor(int n);
  ~Reconstructor();
  bool prepare();
  cudaError_t reconstruct(const std::vector<float2>& kspace);
  cudaError_t combine();
  float magnitude(int i) const;
  float combined(int i) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> d;
};

struct Reconstructor::Impl {
  int n = 0;
  cudaStream_t stream = nullptr;
  cufftHandle plan = 0;
  cudaGraphExec_t recon = nullptr, coils = nullptr;
  float2 *k = nullptr, *weighted = nullptr, *img = nullptr;
  float *dcf = nullptr, *mag = nullptr, *out = nullptr;

  template <class Body>
  bool capture(cudaGraphExec_t& exec, Body body) {
    cudaGraph_t g = nullptr;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return false;
    const bool recorded = body();
    if (cudaStreamEndCapture(stream, &g) != cudaSuccess) return false;
    const bool ok = recorded && cudaGraphInstantiate(&exec, g, 0) == cudaSuccess;
    cudaGraphDestroy(g);
    return ok;
  }
};

Reconstructor::Reconstructor(int n) : d(std::make_unique<Impl>()) {
  d->n = n;
  cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking);
  for (float2** p : {&d->k, &d->weighted, &d->img}) {
    cudaMalloc(p, n * sizeof(float2));
    cudaMemset(*p, 0, n * sizeof(float2));
  }
  for (float** p : {&d->dcf, &d->mag, &d->out}) cudaMalloc(p, n * sizeof(float));
  std::vector<float> ones(n, 1.0f);
  cudaMemcpy(d->dcf, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cufftPlan1d(&d->plan, n, CUFFT_C2C, 1);
  cufftExecC2C(d->plan, d->weighted, d->img, CUFFT_INVERSE);
  cudaDeviceSynchronize();
}

Reconstructor::~Reconstructor() {
  if (d->recon) cudaGraphExecDestroy(d->recon);
  if (d->coils) cudaGraphExecDestroy(d->coils);
  cufftDestroy(d->plan);
  for (float2* p : {d->k, d->weighted, d->img}) cudaFree(p);
  for (float* p : {d->dcf, d->mag, d->out}) cudaFree(p);
  cudaStreamDestroy(d->stream);
}

bool Reconstructor::prepare() {
  Impl& m = *d;
  const int blocks = (m.n + 127) / 128;
  const bool recon = m.capture(m.recon, [&] {
    weightKernel<<<blocks, 128, 0, m.stream>>>(m.k, m.dcf, m.weighted, m.n);
    if (cufftExecC2C(m.plan, m.weighted, m.img, CUFFT_INVERSE) != CUFFT_SUCCESS) return false;  // HAZARD default_stream
    magnitudeKernel<<<blocks, 128, 0, m.stream>>>(m.img, m.mag, m.n);
    return true;
  });
  const bool coils = m.capture(m.coils, [&] {
    float* coil = nullptr;
    if (cudaMallocAsync(&coil, m.n * sizeof(float), m.stream) != cudaSuccess) return false;  // HAZARD memory_pool
    combineKernel<<<blocks, 128, 0, m.stream>>>(m.mag, coil, m.out, m.n);
    return true;
  });
  return recon && coils;
}

cudaError_t Reconstructor::reconstruct(const std::vector<float2>& kspace) {
  if (kspace.size() != static_cast<size_t>(d->n)) return cudaErrorInvalidValue;
  cudaMemcpyAsync(d->k, kspace.data(), d->n * sizeof(float2), cudaMemcpyHostToDevice, d->stream);
  if (cudaError_t e = cudaGraphLaunch(d->recon, d->stream); e != cudaSuccess) return e;
  return cudaStreamSynchronize(d->stream);
}

cudaError_t Reconstructor::combine() {
  const cudaError_t e = cudaGraphLaunch(d->coils, d->stream);
  const cudaError_t w = cudaStreamSynchronize(d->stream);
  return e != cudaSuccess ? e : w;
}

static float fetch(const float* p, int i) {
  float v = -1.0f;
  cudaMemcpy(&v, p + i, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}

float Reconstructor::magnitude(int i) const { return fetch(d->mag, i); }
float Reconstructor::combined(int i) const { return fetch(d->out, i); }

}  // namespace mri

int main() {
  const int n = 256;
  mri::Reconstructor rec(n);
  bool ok = rec.prepare();
  const bool prepared = ok;
  cudaError_t launch[2] = {cudaErrorUnknown, cudaErrorUnknown};
  float mag[2] = {-1.0f, -1.0f}, out = -1.0f;
  for (int pass = 0; pass < 2 && prepared; ++pass) {
    ok = ok && rec.reconstruct(std::vector<float2>(n, make_float2(1.0f + pass, 0.0f))) == cudaSuccess;
    mag[pass] = rec.magnitude(0);
    launch[pass] = rec.combine();
    out = rec.combined(0);
  }
  ok = ok && std::fabs(mag[0]) < 1e-4f && std::fabs(mag[1]) < 1e-4f && launch[0] == cudaSuccess && launch[1] == cudaErrorInvalidValue;
  if (ok) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED prepared=%d mag=%f,%f out=%f launch=%d,%d\n", prepared, mag[0], mag[1], out, launch[0], launch[1]);
  return 0;
}
