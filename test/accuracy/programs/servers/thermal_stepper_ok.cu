// Explicit heat equation on a plate. The solver is a template over the scalar type; time stepping uses two
// fields in turn, and the inner step is replayed as a graph to save launch overhead on small plates.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

class CudaFault : public std::runtime_error {
 public:
  CudaFault(cudaError_t c, const char* where) : std::runtime_error(where), code(c) {}
  cudaError_t code;
};

static void must(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw CudaFault(e, where);
}

struct PlateSpec {
  int nx = 96;
  int ny = 64;
  double diffusivity = 0.2;
};

template <typename Real>
__global__ void heat_step(const Real* __restrict__ src, Real* __restrict__ dst, int nx, int ny, Real k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int i = y * nx + x;
  if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
    dst[i] = src[i];
    return;
  }
  dst[i] = src[i] + k * (src[i - 1] + src[i + 1] + src[i - nx] + src[i + nx] - Real(4) * src[i]);
}

template <typename Real>
class HeatSolver {
 public:
  // An even number of steps leaves the roles of the two fields as they were, so the graph can be replayed as is.
  static constexpr int kStepsPerGraph = 2;
  static_assert(kStepsPerGraph % 2 == 0, "the fields must be back in place at the end of the graph");

  explicit HeatSolver(const PlateSpec& spec) : spec_(spec) {
    must(cudaStreamCreate(&stream_), "stream");
    for (Real*& f : fields_) must(cudaMalloc(&f, bytes()), "field");
    current_ = fields_[0];
    next_ = fields_[1];
  }
  ~HeatSolver() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (Real* f : fields_) cudaFree(f);
    cudaStreamDestroy(stream_);
  }
  HeatSolver(const HeatSolver&) = delete;
  HeatSolver& operator=(const HeatSolver&) = delete;

  void set_state(const std::vector<Real>& t) {
    must(cudaMemcpyAsync(current_, t.data(), bytes(), cudaMemcpyHostToDevice, stream_), "set_state");
    must(cudaStreamSynchronize(stream_), "set_state");
  }

  void capture() {
    cudaGraph_t graph = nullptr;
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
    cudaError_t enqueued = cudaSuccess;
    for (int s = 0; s < kStepsPerGraph && enqueued == cudaSuccess; ++s) {
      enqueued = enqueue_step();
      std::swap(current_, next_);
    }
    must(cudaStreamEndCapture(stream_, &graph), "end");
    if (enqueued != cudaSuccess) cudaGraphDestroy(graph);
    must(enqueued, "heat_step");
    const cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    must(e, "instantiate");
  }

  void advance(int steps) {
    if (steps % kStepsPerGraph) throw std::invalid_argument("steps must be a multiple of kStepsPerGraph");
    for (int s = 0; s < steps; s += kStepsPerGraph) must(cudaGraphLaunch(exec_, stream_), "launch");
    must(cudaStreamSynchronize(stream_), "advance");
    time_steps_ += steps;
  }

  std::vector<Real> state() const {
    std::vector<Real> t(size_t(spec_.nx) * spec_.ny);
    must(cudaMemcpyAsync(t.data(), current_, bytes(), cudaMemcpyDeviceToHost, stream_), "state");
    must(cudaStreamSynchronize(stream_), "state");
    return t;
  }
  long time_steps() const { return time_steps_; }

 private:
  size_t bytes() const { return sizeof(Real) * spec_.nx * spec_.ny; }

  cudaError_t enqueue_step() {
    const dim3 block(32, 4);
    const dim3 grid((spec_.nx + block.x - 1) / block.x, (spec_.ny + block.y - 1) / block.y);
    heat_step<Real><<<grid, block, 0, stream_>>>(current_, next_, spec_.nx, spec_.ny, Real(spec_.diffusivity));
    return cudaGetLastError();
  }

  PlateSpec spec_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::array<Real*, 2> fields_{};
  Real* current_ = nullptr;
  Real* next_ = nullptr;
  long time_steps_ = 0;
};

template <typename Real>
static std::vector<Real> host_steps(std::vector<Real> a, const PlateSpec& p, int steps) {
  std::vector<Real> b = a;
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y < p.ny - 1; ++y)
      for (int x = 1; x < p.nx - 1; ++x) {
        const int i = y * p.nx + x;
        b[i] = a[i] + Real(p.diffusivity) * (a[i - 1] + a[i + 1] + a[i - p.nx] + a[i + p.nx] - 4 * a[i]);
      }
    std::swap(a, b);
  }
  return a;
}

template <typename Real>
static int deviating_runs(const PlateSpec& spec, double tolerance) {
  std::vector<Real> init(size_t(spec.nx) * spec.ny, Real(20));
  for (int y = 20; y < 30; ++y)
    for (int x = spec.nx / 3; x < spec.nx / 2; ++x) init[size_t(y) * spec.nx + x] = Real(400);

  HeatSolver<Real> solver(spec);
  solver.set_state(init);
  solver.capture();
  std::vector<Real> expect = init;
  int bad = 0;
  for (int run = 0; run < 4; ++run) {
    solver.advance(10);
    expect = host_steps(expect, spec, 10);
    const std::vector<Real> got = solver.state();
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) worst = std::fmax(worst, std::fabs(double(got[i]) - double(expect[i])));
    std::printf("%ld steps: worst deviation %.6g\n", solver.time_steps(), worst);
    if (!(worst <= tolerance)) ++bad;
  }
  return bad;
}

int main() {
  try {
    const int bad = deviating_runs<float>(PlateSpec{}, 0.05) + deviating_runs<double>(PlateSpec{48, 80, 0.15}, 1e-6);
    std::puts(bad == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  } catch (const CudaFault& f) {
    std::printf("%s: %s\nLABEL UNOBSERVED\n", f.what(), cudaGetErrorString(f.code));
    return 1;
  }
  return 0;
}
