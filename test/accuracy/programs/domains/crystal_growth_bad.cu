#include <cuda_runtime.h>
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

__constant__ float c_undercooling;

inline void gpu(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorName(e));
}

inline void rng(curandStatus_t s, const char* where) {
  if (s != CURAND_STATUS_SUCCESS) throw std::runtime_error(std::string(where) + ": curand " + std::to_string(s));
}

__global__ void attach(float* radius, const float* noise, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && noise[i] > 0.0f) radius[i] += c_undercooling;
}

__global__ void diffuse(float* field, const float* radius, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) field[i] = 1.0f - 0.1f * radius[i];
}

class NoiseSource {
 public:
  NoiseSource(cudaStream_t s, int n) : stream_(s), n_(n) {
    gpu(cudaMalloc(&noise_, n_ * sizeof(float)), "noise");
  }
  ~NoiseSource() {
    if (gen_) curandDestroyGenerator(gen_);
    cudaFree(noise_);
  }
  const float* refresh() {
    if (!gen_) {
      rng(curandCreateGenerator(&gen_, CURAND_RNG_PSEUDO_DEFAULT), "create");  // HAZARD library_handle #noise
      rng(curandSetStream(gen_, stream_), "stream");
    }
    rng(curandGenerateUniform(gen_, noise_, n_), "uniform");
    return noise_;
  }

 private:
  cudaStream_t stream_;
  int n_;
  curandGenerator_t gen_ = nullptr;
  float* noise_ = nullptr;
};

class CrystalSim {
 public:
  explicit CrystalSim(int n) : n_(n) {
    gpu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    gpu(cudaMalloc(&radius_, n_ * sizeof(float)), "radius");
    gpu(cudaMalloc(&field_, n_ * sizeof(float)), "field");
    gpu(cudaMemsetAsync(radius_, 0, n_ * sizeof(float), stream_), "clear");
    gpu(cudaStreamSynchronize(stream_), "init");
    noise_ = new NoiseSource(stream_, n_);
  }
  ~CrystalSim() {
    delete noise_;
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(radius_);
    cudaFree(field_);
    cudaStreamDestroy(stream_);
  }

  void step(float undercooling) {
    undercooling_ = undercooling;
    if (!exec_) compile();
    gpu(cudaMemcpyToSymbolAsync(c_undercooling, &undercooling_, sizeof(float), 0, cudaMemcpyHostToDevice, stream_), "symbol");
    gpu(cudaGraphLaunch(exec_, stream_), "launch");
    gpu(cudaStreamSynchronize(stream_), "step");
  }

  void compile() {
    gpu(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");  // HAZARD capture_scope
    const float* noise = noise_->refresh();  // HAZARD library_handle #noise
    attach<<<(n_ + 255) / 256, 256, 0, stream_>>>(radius_, noise, n_);
    gpu(cudaGetLastError(), "attach");
    diffuse<<<(n_ + 255) / 256, 256, 0, stream_>>>(field_, radius_, n_);
    gpu(cudaGetLastError(), "diffuse");
    cudaGraph_t g = nullptr;
    gpu(cudaStreamEndCapture(stream_, &g), "end");
    gpu(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
    gpu(cudaGraphDestroy(g), "graph");
  }

  cudaStream_t stream() const { return stream_; }
  float at(const float* p, int i) const {
    float v = -1.0f;
    gpu(cudaMemcpy(&v, p + i, sizeof v, cudaMemcpyDeviceToHost), "read");
    return v;
  }
  float radius(int i) const { return at(radius_, i); }

 private:
  int n_;
  float undercooling_ = 0.0f;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  NoiseSource* noise_ = nullptr;
  float *radius_ = nullptr, *field_ = nullptr;
};

int main() {
  try {
    CrystalSim sim(2048);
    std::string thrown;
    try {
      sim.step(0.5f);
    } catch (const std::exception& e) {
      thrown = e.what();
    }
    cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(sim.stream(), &st);
    const bool ok = thrown.find("curand") != std::string::npos && st != cudaStreamCaptureStatusNone;
    cudaGraph_t g = nullptr;
    if (cudaStreamEndCapture(sim.stream(), &g) == cudaSuccess && g) cudaGraphDestroy(g);
    (void)cudaGetLastError();
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED thrown='%s' status=%d\n", thrown.c_str(), st);
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
