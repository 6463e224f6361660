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
    rng(curandCreateGenerator(&gen_, CURAND_RNG_PSEUDO_DEFAULT), "create");
    rng(curandSetStream(gen_, stream_), "stream");
    rng(curandSetPseudoRandomGeneratorSeed(gen_, 99ULL), "seed");
  }
  ~NoiseSource() {
    if (gen_) curandDestroyGenerator(gen_);
    cudaFree(noise_);
  }
  const float* refresh() {
    rng(curandGenerateUniform(gen_, noise_, n_), "uniform");
    return noise_;
  }
  const float* data() const { return noise_; }

 private:
  cudaStream_t stream_;
  int n_;
  curandGenerator_t gen_ = nullptr;
  float* noise_ = nullptr;
};

class Recording {
 public:
  explicit Recording(cudaStream_t s) : s_(s) {
    gpu(cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal), "begin");
  }
  ~Recording() {
    if (!open_) return;
    cudaGraph_t g = nullptr;
    if (cudaStreamEndCapture(s_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
  }
  cudaGraph_t finish() {
    cudaGraph_t g = nullptr;
    open_ = false;
    gpu(cudaStreamEndCapture(s_, &g), "end");
    return g;
  }

 private:
  cudaStream_t s_;
  bool open_ = true;
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
    noise_->refresh();
    gpu(cudaGraphLaunch(exec_, stream_), "launch");
    gpu(cudaStreamSynchronize(stream_), "step");
  }

  void compile() {
    Recording recording(stream_);
    const float* noise = noise_->data();
    attach<<<(n_ + 255) / 256, 256, 0, stream_>>>(radius_, noise, n_);
    gpu(cudaGetLastError(), "attach");
    diffuse<<<(n_ + 255) / 256, 256, 0, stream_>>>(field_, radius_, n_);
    gpu(cudaGetLastError(), "diffuse");
    cudaGraph_t g = recording.finish();
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
  float field(int i) const { return at(field_, i); }
  float noise(int i) const { return at(noise_->data(), i); }

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
    sim.step(0.5f);
    const float r1 = sim.radius(1000), n1 = sim.noise(1000);
    sim.step(1.0f);
    const float r2 = sim.radius(1000), n2 = sim.noise(1000), f2 = sim.field(1000);
    const bool ok = std::fabs(r1 - 0.5f) < 1e-5f && std::fabs(r2 - 1.5f) < 1e-5f && std::fabs(f2 - 0.85f) < 1e-5f && n1 != n2;
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED r=%f,%f field=%f noise=%f,%f\n", r1, r2, f2, n1, n2);
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
