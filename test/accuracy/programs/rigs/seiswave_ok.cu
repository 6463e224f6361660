// 2-D acoustic wave propagation with one shot and a line of receivers, second order in time.
// Single-file research code: grid and fields are globals, the time loop replays a graph.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(call)                                                                    \
  do {                                                                              \
    cudaError_t e_ = (call);                                                        \
    if (e_ != cudaSuccess) {                                                        \
      std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));        \
      std::printf("LABEL WRONG\n");                                                 \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (0)

const int NX = 96, NZ = 80, NT = 60, NREC = 16;
const int SRC_X = 40, SRC_Z = 12, REC_Z = 20;
const float DT_OVER_H = 0.4f;

float *d_um, *d_u, *d_up;      // fields at t-1, t, t+1
float *d_c2;                   // (v * dt / h)^2
float *d_wavelet, *d_trace;    // NT, NT * NREC
int *d_it;
std::vector<float> h_c2(NX * NZ), h_wavelet(NT);

cudaStream_t stream;
cudaGraphExec_t cycle_exec;    // one full cycle of the three time levels
const int LEVELS = 3;
static_assert(NT % LEVELS == 0, "the shot is a whole number of cycles");

__global__ void advance(const float *um, const float *u, float *up, const float *c2)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int z = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= NX || z >= NZ) return;
  const int k = z * NX + x;
  if (x == 0 || z == 0 || x == NX - 1 || z == NZ - 1) {
    up[k] = 0.f;
    return;
  }
  const float lap = u[k - 1] + u[k + 1] + u[k - NX] + u[k + NX] - 4.f * u[k];
  up[k] = 2.f * u[k] - um[k] + c2[k] * lap;
}

__global__ void inject(float *up, const float *wavelet, const int *it)
{
  up[SRC_Z * NX + SRC_X] += wavelet[*it];
}

__global__ void record_line(const float *up, float *trace, const int *it)
{
  const int r = threadIdx.x;
  trace[*it * NREC + r] = up[REC_Z * NX + 6 + 5 * r];
}

__global__ void next_sample(int *it)
{
  if (*it < NT - 1) *it += 1;
}

void setup_model()
{
  for (int z = 0; z < NZ; ++z)
    for (int x = 0; x < NX; ++x) {
      const float v = z < 30 ? 1.0f : (z < 55 ? 1.3f : 1.6f);
      h_c2[z * NX + x] = v * v * DT_OVER_H * DT_OVER_H;
    }
  for (int t = 0; t < NT; ++t) {
    const float a = 0.12f * (t - 18);
    h_wavelet[t] = (1.f - 2.f * a * a) * std::exp(-a * a);
  }
  const size_t field = NX * NZ * sizeof(float);
  float **fields[] = {&d_um, &d_u, &d_up, &d_c2};
  for (float **f : fields) {
    CU(cudaMalloc(f, field));
    CU(cudaMemset(*f, 0, field));
  }
  CU(cudaMalloc(&d_wavelet, NT * sizeof(float)));
  CU(cudaMalloc(&d_trace, NT * NREC * sizeof(float)));
  CU(cudaMemset(d_trace, 0, NT * NREC * sizeof(float)));
  CU(cudaMalloc(&d_it, sizeof(int)));
  CU(cudaMemset(d_it, 0, sizeof(int)));
  CU(cudaMemcpy(d_c2, h_c2.data(), field, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(d_wavelet, h_wavelet.data(), NT * sizeof(float), cudaMemcpyHostToDevice));
  CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CU(cudaDeviceSynchronize());
}

void time_step()
{
  const dim3 block(16, 8), grid((NX + 15) / 16, (NZ + 7) / 8);
  advance<<<grid, block, 0, stream>>>(d_um, d_u, d_up, d_c2);
  inject<<<1, 1, 0, stream>>>(d_up, d_wavelet, d_it);
  record_line<<<1, NREC, 0, stream>>>(d_up, d_trace, d_it);
  next_sample<<<1, 1, 0, stream>>>(d_it);
  CU(cudaGetLastError());
}

void rotate_levels()
{
  float *oldest = d_um;
  d_um = d_u;
  d_u = d_up;
  d_up = oldest;
}

void build_cycle_graph()
{
  cudaGraph_t graph;
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int l = 0; l < LEVELS; ++l) {
    time_step();
    rotate_levels();
  }
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&cycle_exec, graph, 0));
  CU(cudaGraphDestroy(graph));
}

void run_shot()
{
  for (int t = 0; t < NT; t += LEVELS) CU(cudaGraphLaunch(cycle_exec, stream));
  CU(cudaStreamSynchronize(stream));
}

void reference_shot(std::vector<float> &field, std::vector<float> &trace)
{
  std::vector<float> um(NX * NZ, 0.f), u(NX * NZ, 0.f), up(NX * NZ, 0.f);
  trace.assign(NT * NREC, 0.f);
  for (int t = 0; t < NT; ++t) {
    for (int z = 1; z < NZ - 1; ++z)
      for (int x = 1; x < NX - 1; ++x) {
        const int k = z * NX + x;
        const float lap = u[k - 1] + u[k + 1] + u[k - NX] + u[k + NX] - 4.f * u[k];
        up[k] = 2.f * u[k] - um[k] + h_c2[k] * lap;
      }
    up[SRC_Z * NX + SRC_X] += h_wavelet[t];
    for (int r = 0; r < NREC; ++r) trace[t * NREC + r] = up[REC_Z * NX + 6 + 5 * r];
    std::swap(um, u);
    std::swap(u, up);
  }
  field = u;
}

double misfit(const std::vector<float> &got, const std::vector<float> &want)
{
  double worst = 0., scale = 1e-12;
  for (size_t i = 0; i < want.size(); ++i) {
    worst = std::max(worst, (double)std::fabs(got[i] - want[i]));
    scale = std::max(scale, (double)std::fabs(want[i]));
  }
  return worst / scale;
}

int main()
{
  setup_model();
  build_cycle_graph();
  run_shot();

  std::vector<float> field(NX * NZ), trace(NT * NREC), field_ref, trace_ref;
  CU(cudaMemcpy(field.data(), d_u, field.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CU(cudaMemcpy(trace.data(), d_trace, trace.size() * sizeof(float), cudaMemcpyDeviceToHost));
  reference_shot(field_ref, trace_ref);
  const double ef = misfit(field, field_ref), et = misfit(trace, trace_ref);
  std::printf("relative misfit: wavefield %.3e, traces %.3e\n", ef, et);

  CU(cudaGraphExecDestroy(cycle_exec));
  CU(cudaStreamDestroy(stream));
  for (float *p : {d_um, d_u, d_up, d_c2, d_wavelet, d_trace}) CU(cudaFree(p));
  CU(cudaFree(d_it));
  std::printf(ef < 1e-3 && et < 1e-3 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return 0;
}
