// Resource-allocating radial basis network: centres are added round by round, weights follow the gradient.
// Weights live on the device; one gradient step is a recorded cuBLAS sequence.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(x)  do { cudaError_t s_ = (x); if (s_ != cudaSuccess) fail(#x, (int)s_); } while (0)
#define BLAS(x) do { cublasStatus_t s_ = (x); if (s_ != CUBLAS_STATUS_SUCCESS) fail(#x, (int)s_); } while (0)

static void fail(const char *what, int code)
{
  std::printf("%s: status %d\nLABEL WRONG\n", what, code);
  std::exit(1);
}

const int Q = 64;            // training points
const int MAX_CENTRES = 24;
const int GROWTH = 6;
const int ROUNDS = 4, STEPS_PER_ROUND = 10;
const float WIDTH = 0.15f, ETA = 0.004f;

float *d_x, *d_target, *d_centre, *d_K, *d_out, *d_res, *d_alpha;
void *d_workspace;
const size_t WORKSPACE = 32u << 20;
int g_m = 0;                 // centres in use

cublasHandle_t g_blas;
cudaStream_t g_stream;
cudaGraphExec_t g_exec = nullptr;

std::vector<float> x(Q), target(Q), centre(MAX_CENTRES);

__global__ void design_matrix(const float *px, const float *pc, float *K, int m, float width)
{
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= Q * m) return;
  const float d = (px[t % Q] - pc[t / Q]) / width;
  K[t] = expf(-0.5f * d * d);
}

__global__ void residual(const float *want, const float *out, float *res)
{
  res[threadIdx.x] = want[threadIdx.x] - out[threadIdx.x];
}

void make_problem()
{
  for (int i = 0; i < Q; ++i) {
    x[i] = (i + 0.5f) / Q;
    target[i] = std::sin(6.2831853f * x[i]) + 0.4f * std::cos(18.f * x[i]);
  }
  for (int c = 0; c < MAX_CENTRES; ++c) centre[c] = std::fmod(0.11f + 0.6180340f * c, 1.0f);
}

void allocate()
{
  CU(cudaMalloc(&d_x, Q * sizeof(float)));
  CU(cudaMalloc(&d_target, Q * sizeof(float)));
  CU(cudaMalloc(&d_centre, MAX_CENTRES * sizeof(float)));
  CU(cudaMalloc(&d_K, Q * MAX_CENTRES * sizeof(float)));
  CU(cudaMalloc(&d_out, Q * sizeof(float)));
  CU(cudaMalloc(&d_res, Q * sizeof(float)));
  CU(cudaMalloc(&d_alpha, MAX_CENTRES * sizeof(float)));
  CU(cudaMalloc(&d_workspace, WORKSPACE));
  CU(cudaMemset(d_K, 0, Q * MAX_CENTRES * sizeof(float)));
  CU(cudaMemset(d_alpha, 0, MAX_CENTRES * sizeof(float)));
  CU(cudaMemcpy(d_x, x.data(), Q * sizeof(float), cudaMemcpyHostToDevice));
  CU(cudaMemcpy(d_target, target.data(), Q * sizeof(float), cudaMemcpyHostToDevice));
  CU(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
  BLAS(cublasCreate(&g_blas));
  BLAS(cublasSetStream(g_blas, g_stream));
  BLAS(cublasSetWorkspace(g_blas, d_workspace, WORKSPACE));
  CU(cudaDeviceSynchronize());
}

void predict()
{
  const float one = 1.f, zero = 0.f;
  const int threads = 128, blocks = (Q * g_m + threads - 1) / threads;
  design_matrix<<<blocks, threads, 0, g_stream>>>(d_x, d_centre, d_K, g_m, WIDTH); // HAZARD dynamic_shape #centres
  CU(cudaGetLastError());
  BLAS(cublasSgemv(g_blas, CUBLAS_OP_N, Q, g_m, &one, d_K, Q, d_alpha, 1, &zero, d_out, 1)); // HAZARD dynamic_shape #centres
}

void correct()
{
  const float one = 1.f;
  residual<<<1, Q, 0, g_stream>>>(d_target, d_out, d_res);
  CU(cudaGetLastError());
  BLAS(cublasSgemv(g_blas, CUBLAS_OP_T, Q, g_m, &ETA, d_K, Q, d_res, 1, &one, d_alpha, 1)); // HAZARD dynamic_shape #centres
}

void record_step()
{
  cudaGraph_t graph;
  CU(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeThreadLocal));
  predict();
  correct();
  CU(cudaStreamEndCapture(g_stream, &graph));
  CU(cudaGraphInstantiate(&g_exec, graph, 0));
  CU(cudaGraphDestroy(graph));
}

void grow()
{
  CU(cudaMemcpyAsync(d_centre + g_m, centre.data() + g_m, GROWTH * sizeof(float), cudaMemcpyHostToDevice, g_stream));
  g_m += GROWTH; // HAZARD dynamic_shape #centres
}

void train_round()
{
  grow();
  if (!g_exec) record_step();
  for (int s = 0; s < STEPS_PER_ROUND; ++s) CU(cudaGraphLaunch(g_exec, g_stream));
  CU(cudaStreamSynchronize(g_stream));
}

struct HostNetwork {
  std::vector<double> alpha = std::vector<double>(MAX_CENTRES, 0.0);
  int m = 0;

  static double basis(int q, int c)
  {
    const double d = ((double)x[q] - centre[c]) / WIDTH;
    return std::exp(-0.5 * d * d);
  }
  void round()
  {
    m += GROWTH;
    for (int s = 0; s < STEPS_PER_ROUND; ++s) {
      std::vector<double> r(Q);
      for (int q = 0; q < Q; ++q) {
        double y = 0.0;
        for (int c = 0; c < m; ++c) y += basis(q, c) * alpha[c];
        r[q] = target[q] - y;
      }
      for (int c = 0; c < m; ++c)
        for (int q = 0; q < Q; ++q) alpha[c] += ETA * basis(q, c) * r[q];
    }
  }
};

double weight_error(const HostNetwork &host)
{
  std::vector<float> alpha(MAX_CENTRES);
  CU(cudaMemcpy(alpha.data(), d_alpha, MAX_CENTRES * sizeof(float), cudaMemcpyDeviceToHost));
  double worst = 0.0;
  for (int c = 0; c < MAX_CENTRES; ++c) worst = std::fmax(worst, std::fabs(alpha[c] - host.alpha[c]));
  return worst;
}

void warm_up()
{
  g_m = GROWTH;
  predict();
  correct();
  CU(cudaStreamSynchronize(g_stream));
  CU(cudaMemset(d_alpha, 0, MAX_CENTRES * sizeof(float)));
  CU(cudaDeviceSynchronize());
  g_m = 0;
}

int main()
{
  make_problem();
  allocate();
  warm_up();
  HostNetwork host;
  double errors[ROUNDS];
  for (int r = 0; r < ROUNDS; ++r) {
    train_round();
    host.round();
    errors[r] = weight_error(host);
    std::printf("round %d: %d centres, weight error %.3e\n", r, g_m, errors[r]);
  }
  CU(cudaGraphExecDestroy(g_exec));
  BLAS(cublasDestroy(g_blas));
  CU(cudaStreamDestroy(g_stream));
  for (float *p : {d_x, d_target, d_centre, d_K, d_out, d_res, d_alpha}) CU(cudaFree(p));
  CU(cudaFree(d_workspace));
  const bool seen = errors[0] < 1e-3 && errors[1] > 1e-2 && errors[ROUNDS - 1] > 1e-2;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
