// halo_diffusion.cu: explicit diffusion on a periodic ring of subdomains, one compute and one comm stream for each.
// The exchange overlaps with the update of the interior cells. A whole time step is one graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(call)                                                              \
  do {                                                                             \
    cudaError_t e_ = (call);                                                       \
    if (e_ != cudaSuccess) {                                                       \
      std::printf("%s:%d %s\nLABEL WRONG\n", __FILE__, __LINE__, cudaGetErrorName(e_)); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)

namespace kernels {

__global__ void pack(const float* u, float* send, int n) {
  if (threadIdx.x == 0) send[0] = u[1];
  if (threadIdx.x == 1) send[1] = u[n];
}

// The time on the wire between two sockets is modelled on the receiving side.
__global__ void receive(float* u, const float* from_left, const float* from_right, int n, long long wire_cycles) {
  const long long start = clock64();
  while (clock64() - start < wire_cycles) {
  }
  if (threadIdx.x == 0) u[0] = from_left[1];
  if (threadIdx.x == 1) u[n + 1] = from_right[0];
}

__global__ void diffuse(const float* u, float* out, int first, int last, float kappa) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= last) out[i] = u[i] + kappa * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
}

__global__ void diffuse_edges(const float* u, float* out, int n, float kappa) {
  int i = threadIdx.x == 0 ? 1 : n;
  out[i] = u[i] + kappa * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
}

__global__ void commit(float* u, const float* out, int n) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) u[i] = out[i];
}

}  // namespace kernels

namespace decomp {

struct subdomain {
  int left = 0;
  int right = 0;
  float* u = nullptr;     // n cells and two halo cells
  float* next = nullptr;
  float* send = nullptr;  // first and last cell
  cudaStream_t compute = nullptr;
  cudaStream_t comm = nullptr;
};

struct layout {
  int cells = 0;
  std::vector<subdomain> parts;
};

layout make_layout(int num_parts, int cells) {
  layout l;
  l.cells = cells;
  l.parts.resize(num_parts);
  for (int p = 0; p < num_parts; ++p) {
    subdomain& d = l.parts[p];
    d.left = (p + num_parts - 1) % num_parts;
    d.right = (p + 1) % num_parts;
    CUDA_OK(cudaMalloc(&d.u, (cells + 2) * sizeof(float)));
    CUDA_OK(cudaMalloc(&d.next, (cells + 2) * sizeof(float)));
    CUDA_OK(cudaMalloc(&d.send, 2 * sizeof(float)));
    CUDA_OK(cudaStreamCreateWithFlags(&d.compute, cudaStreamNonBlocking));
    CUDA_OK(cudaStreamCreateWithFlags(&d.comm, cudaStreamNonBlocking));
  }
  return l;
}

void destroy(layout& l) {
  for (subdomain& d : l.parts) {
    cudaFree(d.u);
    cudaFree(d.next);
    cudaFree(d.send);
    cudaStreamDestroy(d.compute);
    cudaStreamDestroy(d.comm);
  }
  l.parts.clear();
}

// Scatters a global field, halos included.
void scatter(const layout& l, const std::vector<float>& field) {
  const int total = static_cast<int>(field.size());
  std::vector<float> local(l.cells + 2);
  for (size_t p = 0; p < l.parts.size(); ++p) {
    for (int i = 0; i < l.cells + 2; ++i)
      local[i] = field[(static_cast<int>(p) * l.cells + i - 1 + total) % total];
    CUDA_OK(cudaMemcpy(l.parts[p].u, local.data(), local.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
}

std::vector<float> gather(const layout& l) {
  std::vector<float> field(l.parts.size() * l.cells);
  for (size_t p = 0; p < l.parts.size(); ++p)
    CUDA_OK(cudaMemcpy(&field[p * l.cells], l.parts[p].u + 1, l.cells * sizeof(float), cudaMemcpyDeviceToHost));
  return field;
}

}  // namespace decomp

namespace halo {

struct plan {
  std::vector<cudaEvent_t> packed;
  std::vector<cudaEvent_t> ready;
  long long wire_cycles = 0;
};

plan make_plan(const decomp::layout& l, long long wire_cycles) {
  plan h;
  h.wire_cycles = wire_cycles;
  h.packed.resize(l.parts.size());
  h.ready.resize(l.parts.size());
  for (size_t p = 0; p < l.parts.size(); ++p) {
    CUDA_OK(cudaEventCreateWithFlags(&h.packed[p], cudaEventDisableTiming));
    CUDA_OK(cudaEventCreateWithFlags(&h.ready[p], cudaEventDisableTiming));
  }
  return h;
}

void destroy(plan& h) {
  for (cudaEvent_t e : h.packed) cudaEventDestroy(e);
  for (cudaEvent_t e : h.ready) cudaEventDestroy(e);
}

void begin_exchange(const decomp::layout& l, plan& h) {
  for (size_t p = 0; p < l.parts.size(); ++p) {
    const decomp::subdomain& d = l.parts[p];
    kernels::pack<<<1, 32, 0, d.comm>>>(d.u, d.send, l.cells);
    CUDA_OK(cudaEventRecord(h.packed[p], d.comm));
  }
  for (size_t p = 0; p < l.parts.size(); ++p) {
    const decomp::subdomain& d = l.parts[p];
    CUDA_OK(cudaStreamWaitEvent(d.comm, h.packed[d.left], 0));
    CUDA_OK(cudaStreamWaitEvent(d.comm, h.packed[d.right], 0));
    kernels::receive<<<1, 32, 0, d.comm>>>(d.u, l.parts[d.left].send, l.parts[d.right].send, l.cells, h.wire_cycles);
    CUDA_OK(cudaEventRecord(h.ready[p], d.comm));
  }
}

void finish_exchange(const decomp::layout& l, const plan& h, size_t p) {
  CUDA_OK(cudaStreamWaitEvent(l.parts[p].compute, h.ready[p], 0));
}

}  // namespace halo

namespace stepper {

struct plan {
  cudaStream_t root = nullptr;
  cudaEvent_t fork = nullptr;
  cudaEvent_t done = nullptr;
  cudaGraphExec_t exec = nullptr;
  float kappa = 0.25f;
};

void join(const decomp::layout& l, plan& s) {
  // The comm streams end in the ready events, which the compute streams wait for.
  for (const decomp::subdomain& d : l.parts) {
    CUDA_OK(cudaEventRecord(s.done, d.compute));
    CUDA_OK(cudaStreamWaitEvent(s.root, s.done, 0));
  }
}

void enqueue_step(const decomp::layout& l, halo::plan& h, plan& s) {
  CUDA_OK(cudaEventRecord(s.fork, s.root));
  for (const decomp::subdomain& d : l.parts) {
    CUDA_OK(cudaStreamWaitEvent(d.compute, s.fork, 0));
    CUDA_OK(cudaStreamWaitEvent(d.comm, s.fork, 0));
  }
  halo::begin_exchange(l, h);
  const int blocks = (l.cells + 127) / 128;
  for (const decomp::subdomain& d : l.parts)
    kernels::diffuse<<<blocks, 128, 0, d.compute>>>(d.u, d.next, 2, l.cells - 1, s.kappa);
  for (size_t p = 0; p < l.parts.size(); ++p) {
    const decomp::subdomain& d = l.parts[p];
    halo::finish_exchange(l, h, p);
    kernels::diffuse_edges<<<1, 2, 0, d.compute>>>(d.u, d.next, l.cells, s.kappa);
    kernels::commit<<<blocks, 128, 0, d.compute>>>(d.u, d.next, l.cells);
  }
  join(l, s);
}

plan make_plan(const decomp::layout& l, halo::plan& h) {
  plan s;
  CUDA_OK(cudaStreamCreateWithFlags(&s.root, cudaStreamNonBlocking));
  CUDA_OK(cudaEventCreateWithFlags(&s.fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&s.done, cudaEventDisableTiming));

  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamBeginCapture(s.root, cudaStreamCaptureModeThreadLocal));
  enqueue_step(l, h, s);
  CUDA_OK(cudaStreamEndCapture(s.root, &graph));
  CUDA_OK(cudaGraphInstantiate(&s.exec, graph, 0));
  CUDA_OK(cudaGraphDestroy(graph));
  return s;
}

void destroy(plan& s) {
  cudaGraphExecDestroy(s.exec);
  cudaEventDestroy(s.done);
  cudaEventDestroy(s.fork);
  cudaStreamDestroy(s.root);
}

}  // namespace stepper

static std::vector<float> reference_step(const std::vector<float>& u, float kappa) {
  const size_t n = u.size();
  std::vector<float> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = u[i] + kappa * (u[(i + n - 1) % n] - 2.0f * u[i] + u[(i + 1) % n]);
  return out;
}

int main() {
  decomp::layout grid = decomp::make_layout(2, 1024);
  halo::plan exchange = halo::make_plan(grid, 8000000LL);
  stepper::plan step = stepper::make_plan(grid, exchange);

  std::vector<float> field(2048);
  for (size_t i = 0; i < field.size(); ++i) field[i] = static_cast<float>((i * 37) % 101);
  decomp::scatter(grid, field);
  CUDA_OK(cudaDeviceSynchronize());

  double worst_error = 0.0;
  for (int t = 0; t < 10; ++t) {
    // Every third step is enqueued without the graph, as the restart path does.
    if (t % 3 == 2) {
      stepper::enqueue_step(grid, exchange, step);
    } else {
      CUDA_OK(cudaGraphLaunch(step.exec, step.root));
    }
    CUDA_OK(cudaStreamSynchronize(step.root));
    field = reference_step(field, step.kappa);
    std::vector<float> got = decomp::gather(grid);
    double error = 0.0;
    for (size_t i = 0; i < field.size(); ++i) error = std::fmax(error, std::fabs(got[i] - field[i]));
    worst_error = std::fmax(worst_error, error);
    std::printf("step %d max error %.3e\n", t, error);
  }

  stepper::destroy(step);
  halo::destroy(exchange);
  decomp::destroy(grid);
  const bool confirmed = worst_error < 1e-2;
  std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
