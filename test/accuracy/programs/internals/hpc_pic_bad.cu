// nvcc -std=c++17 -arch=sm_90 hpc_pic_bad.cu -lcurand
#include <cuda_runtime.h>
#include <curand.h>
#include <cstdio>
#include <string>
#include <vector>

struct Result {
  cudaError_t code = cudaSuccess;
  std::string where;
  explicit operator bool() const { return code == cudaSuccess; }
};
static Result fail(cudaError_t e, const char* where) { return {e, where}; }

__global__ void push(float* x, float v, int np) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < np) x[i] += v;
}
__global__ void deposit_kernel(const float* x, float* rho, int capacity) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < capacity && x[i] > 0.0f) atomicAdd(rho, 1.0f);
}
__global__ void scatter(const float* u, float* x, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) x[i] = 1.0f + u[i];
}

class Particles {
 public:
  explicit Particles(int capacity) : capacity_(capacity) {
    cudaMalloc(&x_, capacity * sizeof(float)), cudaMemset(x_, 0, capacity * sizeof(float));
  }
  ~Particles() { cudaFree(x_); }
  float* x() const { return x_; }
  int count() const { return count_; }
  int capacity() const { return capacity_; }
  void inject(int n) { count_ = count_ + n < capacity_ ? count_ + n : capacity_; }
 private:
  float* x_ = nullptr;
  int count_ = 0, capacity_;
};

class ChargeGrid {
 public:
  ChargeGrid() {
    cudaMalloc(&rho_, sizeof(float)), cudaMemset(rho_, 0, sizeof(float));
  }
  ~ChargeGrid() { cudaFree(rho_); }
  void set_stream(cudaStream_t s) { stream_ = s; }
  void clear(cudaStream_t s) { cudaMemsetAsync(rho_, 0, sizeof(float), s); }
  void deposit(const Particles& p) {
    deposit_kernel<<<(p.capacity() + 127) / 128, 128, 0, stream_>>>(p.x(), rho_, p.capacity());  // HAZARD default_stream
  }
  float total() const {
    float v = 0;
    cudaMemcpy(&v, rho_, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }
 private:
  float* rho_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

class Injector {
 public:
  explicit Injector(int batch) : batch_(batch) { cudaMalloc(&u_, batch * sizeof(float)); }
  ~Injector() {
    if (gen_ && status == CURAND_STATUS_SUCCESS) curandDestroyGenerator(gen_);
    cudaFree(u_);
  }
  void enqueue(Particles& p, cudaStream_t s) {
    if (!gen_) status = curandCreateGenerator(&gen_, CURAND_RNG_PSEUDO_PHILOX4_32_10);  // HAZARD library_handle
    if (status == CURAND_STATUS_SUCCESS) status = curandSetStream(gen_, s);
    if (status == CURAND_STATUS_SUCCESS) status = curandGenerateUniform(gen_, u_, batch_);
    scatter<<<(batch_ + 127) / 128, 128, 0, s>>>(u_, p.x(), batch_);
  }
  curandStatus_t status = CURAND_STATUS_SUCCESS;
 private:
  int batch_;
  float* u_ = nullptr;
  curandGenerator_t gen_ = nullptr;
};

class Simulation {
 public:
  Simulation() : particles(1024), injector(256) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
  }
  ~Simulation() {
    for (auto g : {step_, source_})
      if (g) cudaGraphExecDestroy(g);
    cudaStreamDestroy(stream_);
  }
  template <class Body> Result build(cudaGraphExec_t* exec, Body body) {
    cudaGraph_t graph = nullptr;
    if (auto e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal)) return fail(e, "begin");
    body();
    auto e = cudaStreamEndCapture(stream_, &graph);
    cudaGetLastError();
    if (e != cudaSuccess) return fail(e, "end");
    e = cudaGraphInstantiate(exec, graph, 0);
    cudaGraphDestroy(graph);
    return fail(e, "instantiate");
  }
  Result advance() {
    if (!step_) {
      Result r = build(&step_, [this] {
        grid.clear(stream_);
        push<<<(particles.count() + 127) / 128, 128, 0, stream_>>>(particles.x(), 1.0f, particles.count());  // HAZARD dynamic_shape
        grid.deposit(particles);
      });
      if (!r) return r;
    }
    if (auto e = cudaGraphLaunch(step_, stream_)) return fail(e, "launch");
    return fail(cudaStreamSynchronize(stream_), "sync");
  }
  Result prepare_source() {
    return build(&source_, [this] { injector.enqueue(particles, stream_); });
  }
  Particles particles;
  ChargeGrid grid;
  Injector injector;
 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t step_ = nullptr, source_ = nullptr;
};

int main() {
  Simulation sim;
  sim.particles.inject(256);
  Result a = sim.advance();
  sim.particles.inject(512);
  Result b = sim.advance();
  cudaDeviceSynchronize();
  std::vector<float> x(1024);
  cudaMemcpy(x.data(), sim.particles.x(), x.size() * sizeof(float), cudaMemcpyDeviceToHost);
  Result source = sim.prepare_source();
  bool narrow = x[0] == 2.0f && x[700] == 0.0f;
  bool no_charge = sim.grid.total() == 0.0f;
  bool no_handle = sim.injector.status != CURAND_STATUS_SUCCESS && !source;
  if (a && b && narrow && no_charge && no_handle) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED x %f %f rho %f curand %d source %d\n", x[0], x[700], sim.grid.total(), int(sim.injector.status), int(source.code));
  return 0;
}
