// Explicit diffusion on a stack of AMR levels, subcycling left out.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CU(call)                                                                          \
  do {                                                                                    \
    cudaError_t err__ = (call);                                                           \
    if (err__ != cudaSuccess) {                                                           \
      fprintf(stderr, "CUDA error in %s: %s\n", #call, cudaGetErrorString(err__));        \
      exit(EXIT_FAILURE);                                                                 \
    }                                                                                     \
  } while (0)

constexpr int NCELL = 512;
constexpr int MAX_LEVEL = 6;

__global__ void advance_level(double* u, double source) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NCELL) u[i] += source;
}

struct Level {
  double* u;
  double dx;
};

class Hierarchy {
 public:
  explicit Hierarchy(double dx0) { push(dx0); }
  ~Hierarchy() {
    for (Level& l : levels_) cudaFree(l.u);
  }
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  bool refine() {
    if (static_cast<int>(levels_.size()) == MAX_LEVEL) return false;
    push(levels_.back().dx / 2);
    return true;
  }
  const std::vector<Level>& levels() const { return levels_; }
  int depth() const { return static_cast<int>(levels_.size()); }

 private:
  void push(double dx) {
    Level l{nullptr, dx};
    CU(cudaMalloc(&l.u, NCELL * sizeof(double)));
    CU(cudaMemset(l.u, 0, NCELL * sizeof(double)));
    CU(cudaDeviceSynchronize());
    levels_.push_back(l);
  }
  std::vector<Level> levels_;
};

class TimeIntegrator {
 public:
  TimeIntegrator(Hierarchy& h, double source) : h_(h), source_(source) {
    CU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~TimeIntegrator() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }

  void step(int nsteps) {
    if (exec_ == nullptr) compile();
    for (int n = 0; n < nsteps; ++n) CU(cudaGraphLaunch(exec_, stream_));
    CU(cudaStreamSynchronize(stream_));
  }

 private:
  void sweep() {
    for (const Level& lev : h_.levels()) {  // HAZARD dynamic_shape #1
      advance_level<<<NCELL / 128, 128, 0, stream_>>>(lev.u, source_);  // HAZARD dynamic_shape #1
      CU(cudaGetLastError());
    }
  }

  void compile() {
    cudaGraph_t graph;
    CU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    sweep();
    CU(cudaStreamEndCapture(stream_, &graph));
    CU(cudaGraphInstantiate(&exec_, graph, 0));
    CU(cudaGraphDestroy(graph));
  }

  Hierarchy& h_;
  const double source_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

static double cell_value(const Level& l, int i) {
  double v = 0;
  CU(cudaMemcpy(&v, l.u + i, sizeof v, cudaMemcpyDeviceToHost));
  return v;
}

int main() {
  Hierarchy amr(0.1);
  TimeIntegrator ti(amr, 0.25);
  std::vector<double> expected(1, 0.0);
  for (int epoch = 0; epoch < 3; ++epoch) {
    ti.step(4);
    for (double& e : expected) e += 4 * 0.25;
    if (epoch < 2 && amr.refine()) expected.push_back(0.0);
  }
  bool right = true;
  for (int k = 0; k < amr.depth(); ++k) {
    const double v = cell_value(amr.levels()[k], NCELL - 1);
    printf("level %d dx %.4f u %.3f (expected %.3f)\n", k, amr.levels()[k].dx, v, expected[k]);
    right = right && std::fabs(v - expected[k]) < 1e-12;
  }
  printf("%s\n", right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
