// Lennard-Jones toy: cell lists are rebuilt every few steps, a Berendsen thermostat ramps the temperature.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(e)                                                          \
  do {                                                                    \
    cudaError_t r = (e);                                                  \
    if (r != cudaSuccess) {                                               \
      printf("%s (%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(r)); \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

struct Atoms {
  float* v;        // velocity
  int* builds;     // how often the list was built, device
  float* target;   // thermostat target, device
};

constexpr int N = 2048;

__global__ void build_list(Atoms a) {
  if (blockIdx.x == 0 && threadIdx.x == 0) ++*a.builds;
}

__global__ void thermostat(Atoms a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) a.v[i] = 0.5f * (a.v[i] + *a.target);
}

class Verlet {
 public:
  Verlet(int rebuild_every, float t0, float ramp) : every_(rebuild_every), target_(t0), ramp_(ramp) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&atoms_.v, N * sizeof(float)));
    CHECK(cudaMalloc(&atoms_.builds, sizeof(int)));
    CHECK(cudaMalloc(&atoms_.target, sizeof(float)));
    CHECK(cudaMemset(atoms_.v, 0, N * sizeof(float)));
    CHECK(cudaMemset(atoms_.builds, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
  }
  ~Verlet() {
    for (cudaGraphExec_t e : exec_)
      if (e) cudaGraphExecDestroy(e);
    cudaFree(atoms_.v);
    cudaFree(atoms_.builds);
    cudaFree(atoms_.target);
    cudaStreamDestroy(stream_);
  }
  Verlet(const Verlet&) = delete;
  Verlet& operator=(const Verlet&) = delete;

  void run(int nsteps) {
    for (int k = 0; k < nsteps; ++k) {
      const bool rebuild = due();
      if (!exec_[rebuild]) exec_[rebuild] = compile(rebuild);
      CHECK(cudaMemcpyAsync(atoms_.target, &target_, sizeof target_, cudaMemcpyHostToDevice, stream_));
      CHECK(cudaGraphLaunch(exec_[rebuild], stream_));
      ++step_;
      target_ += ramp_;
    }
    CHECK(cudaStreamSynchronize(stream_));
  }

  int builds() const {
    int b = 0;
    CHECK(cudaMemcpy(&b, atoms_.builds, sizeof b, cudaMemcpyDeviceToHost));
    return b;
  }
  float velocity(int i) const {
    float v = 0;
    CHECK(cudaMemcpy(&v, atoms_.v + i, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  bool due() const { return step_ % every_ == 0; }

  void one_step(bool rebuild) {
    if (rebuild) {
      build_list<<<1, 32, 0, stream_>>>(atoms_);
      CHECK(cudaGetLastError());
    }
    thermostat<<<N / 256, 256, 0, stream_>>>(atoms_);
    CHECK(cudaGetLastError());
  }

  cudaGraphExec_t compile(bool rebuild) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    one_step(rebuild);
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
  }

  Atoms atoms_{};
  const int every_;
  int step_ = 0;
  float target_;
  const float ramp_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_[2] = {nullptr, nullptr};
};

int main() {
  const int steps = 25, every = 10;
  Verlet md(every, 300.f, 4.f);
  md.run(steps);
  int builds = 0;
  float v = 0.f, target = 300.f;
  for (int k = 0; k < steps; ++k) {
    if (k % every == 0) ++builds;
    v = 0.5f * (v + target);
    target += 4.f;
  }
  const bool same_builds = md.builds() == builds;
  const bool same_v = std::fabs(md.velocity(N - 1) - v) < 1e-2f;
  printf("list builds %d (expected %d), v %.3f (expected %.3f)\n", md.builds(), builds, md.velocity(N - 1), v);
  printf("%s\n", same_builds && same_v ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
