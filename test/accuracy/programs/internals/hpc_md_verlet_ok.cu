#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define GPU_OK(expr) report((expr), #expr)
static int failures = 0;
static void report(cudaError_t e, const char* what) {
  if (e != cudaSuccess) std::fprintf(stderr, "%s -> %s\n", what, cudaGetErrorString(e)), ++failures;
}

constexpr int kAtoms = 64;

__global__ void pair_force(const float* x, float* f, const float* cutoff) {
  int i = threadIdx.x, count = 0;
  for (int j = 0; j < kAtoms; ++j)
    if (j != i && fabsf(x[i] - x[j]) < *cutoff) ++count;
  f[i] = float(count);
}
__global__ void long_range(const float* x, float* f, long long cycles) {
  long long t0 = clock64();
  while (clock64() - t0 < cycles) {}
  f[threadIdx.x] = 1000.0f + 0.0f * x[threadIdx.x];
}
__global__ void integrate(float* v, const float* fp, const float* fl) {
  v[threadIdx.x] = fp[threadIdx.x] + fl[threadIdx.x];
}

struct ThermoParams {
  float target, coupling;
};
__global__ void rescale(const float* v, float* heat, const ThermoParams* p) {
  heat[threadIdx.x] = v[threadIdx.x] * p->coupling + p->target;
}

class ForceField {
 public:
  explicit ForceField(float cutoff) {
    GPU_OK(cudaMalloc(&cutoff_, sizeof(float)));
    set_cutoff(cutoff);
  }
  ~ForceField() { cudaFree(cutoff_); }
  void set_cutoff(float c) {
    GPU_OK(cudaMemcpy(cutoff_, &c, sizeof c, cudaMemcpyHostToDevice));
    GPU_OK(cudaDeviceSynchronize());
  }
  const float* cutoff() const { return cutoff_; }
 private:
  float* cutoff_ = nullptr;
};

class Thermostat {
 public:
  ThermoParams snapshot() const { return {target, 0.5f}; }
  float target = 300.0f;
};

struct DeviceState {
  float *x, *v, *f_pair, *f_long, *heat;
  ThermoParams* thermo;
  DeviceState() {
    for (float** a : {&x, &v, &f_pair, &f_long, &heat}) {
      GPU_OK(cudaMalloc(a, kAtoms * sizeof(float)));
      GPU_OK(cudaMemset(*a, 0, kAtoms * sizeof(float)));
    }
    GPU_OK(cudaMalloc(&thermo, sizeof(ThermoParams)));
    std::vector<float> pos(kAtoms);
    for (int i = 0; i < kAtoms; ++i) pos[i] = float(i);
    GPU_OK(cudaMemcpy(x, pos.data(), kAtoms * sizeof(float), cudaMemcpyHostToDevice));
    GPU_OK(cudaDeviceSynchronize());
  }
  ~DeviceState() {
    for (void* a : {(void*)x, (void*)v, (void*)f_pair, (void*)f_long, (void*)heat, (void*)thermo}) cudaFree(a);
  }
};

class ReciprocalSpace {
 public:
  ReciprocalSpace() {
    GPU_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (auto* e : {&start_, &done_}) GPU_OK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
  }
  ~ReciprocalSpace() {
    cudaEventDestroy(start_), cudaEventDestroy(done_), cudaStreamDestroy(stream_);
  }
  void launch(const DeviceState& d, cudaStream_t origin) {
    GPU_OK(cudaEventRecord(start_, origin));
    GPU_OK(cudaStreamWaitEvent(stream_, start_, 0));
    long_range<<<1, kAtoms, 0, stream_>>>(d.x, d.f_long, 30000000LL);
    GPU_OK(cudaEventRecord(done_, stream_));
  }
  void finish(cudaStream_t origin) { GPU_OK(cudaStreamWaitEvent(origin, done_, 0)); }
 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, done_ = nullptr;
};

class Integrator {
 public:
  Integrator(ForceField& ff, Thermostat& thermostat) : ff_(ff), thermostat_(thermostat) {
    GPU_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Integrator() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }
  void prepare() {
    cudaGraph_t graph = nullptr;
    GPU_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    upload_thermostat();
    recip_.launch(state, stream_);
    pair_force<<<1, kAtoms, 0, stream_>>>(state.x, state.f_pair, ff_.cutoff());
    recip_.finish(stream_);
    integrate<<<1, kAtoms, 0, stream_>>>(state.v, state.f_pair, state.f_long);
    rescale<<<1, kAtoms, 0, stream_>>>(state.v, state.heat, state.thermo);
    GPU_OK(cudaStreamEndCapture(stream_, &graph));
    GPU_OK(cudaGraphInstantiate(&exec_, graph, 0));
    GPU_OK(cudaGraphDestroy(graph));
  }
  void step() {
    params_ = thermostat_.snapshot();
    GPU_OK(cudaGraphLaunch(exec_, stream_));
    GPU_OK(cudaStreamSynchronize(stream_));
  }
  float read(const float* p) const {
    float out = 0;
    GPU_OK(cudaMemcpy(&out, p + kAtoms / 2, sizeof out, cudaMemcpyDeviceToHost));
    return out;
  }
  DeviceState state;
 private:
  void upload_thermostat() {
    GPU_OK(cudaMemcpyAsync(state.thermo, &params_, sizeof params_, cudaMemcpyHostToDevice, stream_));
  }
  ForceField& ff_;
  Thermostat& thermostat_;
  ThermoParams params_{};
  ReciprocalSpace recip_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  ForceField ff(2.5f);
  Thermostat thermostat;
  Integrator md(ff, thermostat);
  md.prepare();
  md.step();
  float v1 = md.read(md.state.v), f1 = md.read(md.state.f_pair);
  float h1 = md.read(md.state.heat);
  ff.set_cutoff(4.5f);
  thermostat.target = 350.0f;
  md.step();
  float f2 = md.read(md.state.f_pair);
  float h2 = md.read(md.state.heat);
  bool forces = f1 == 4.0f && f2 == 8.0f && v1 == 1004.0f;
  bool heat = h1 == 802.0f && h2 == 854.0f;
  if (failures == 0 && forces && heat) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED failures %d v %f f %f %f heat %f %f\n", failures, v1, f1, f2, h1, h2);
  return 0;
}
