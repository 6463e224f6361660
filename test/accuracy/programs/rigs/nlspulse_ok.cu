// Split-step Fourier integration of the 1-D nonlinear Schroedinger equation with an intensity-spectrum diagnostic.
#include <cuda_runtime.h>
#include <cufft.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x) check((int)(x), #x)
static void check(int status, const char *what)
{
  if (status == 0) return;
  std::printf("%s returned %d\nLABEL WRONG\n", what, status);
  std::exit(1);
}

typedef std::complex<double> cplx;

static const int N = 128, NK = N / 2 + 1, NBANDS = 4, NSTEP = 12;
static const double PI = 3.14159265358979323846;
static const double LENGTH = 20.0, DT = 0.01;

static cufftDoubleComplex *psi, *spec;   // N, NK
static double *rho, *bands;              // N, NBANDS: intensity; accumulated band power
static cufftHandle plan_field, plan_intensity;
static cudaStream_t st;

__global__ void nonlinear_phase(cufftDoubleComplex *p, double dt)
{
  const int i = threadIdx.x;
  const cufftDoubleComplex v = p[i];
  const double a = (v.x * v.x + v.y * v.y) * dt, c = cos(a), s = sin(a);
  p[i].x = v.x * c - v.y * s;
  p[i].y = v.x * s + v.y * c;
}

__global__ void linear_phase(cufftDoubleComplex *p, double dt, double dk)
{
  const int i = threadIdx.x;
  const double k = dk * (i < N / 2 ? i : i - N), a = -0.5 * k * k * dt;
  const double c = cos(a) / N, s = sin(a) / N;
  const cufftDoubleComplex v = p[i];
  p[i].x = v.x * c - v.y * s;
  p[i].y = v.x * s + v.y * c;
}

__global__ void intensity(const cufftDoubleComplex *p, double *r)
{
  const int i = threadIdx.x;
  r[i] = p[i].x * p[i].x + p[i].y * p[i].y;
}

__global__ void accumulate_bands(const cufftDoubleComplex *s, double *b)
{
  const int width = (NK - 1) / NBANDS, lo = 1 + threadIdx.x * width;
  double sum = 0.0;
  for (int k = lo; k < lo + width; ++k) sum += s[k].x * s[k].x + s[k].y * s[k].y;
  b[threadIdx.x] += sum;
}

static void initial_pulse(std::vector<cplx> &f)
{
  f.resize(N);
  for (int i = 0; i < N; ++i) {
    const double x = LENGTH * (double(i) / N - 0.5);
    f[i] = cplx(1.6 / std::cosh(1.6 * x), 0.0) * std::exp(cplx(0.0, 0.7 * x)) + 0.3 / std::cosh(x - 4.0);
  }
}

static void upload_initial_state()
{
  std::vector<cplx> f;
  initial_pulse(f);
  CHECK(cudaMemcpy(psi, f.data(), N * sizeof(cplx), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(spec, 0, NK * sizeof(cufftDoubleComplex)));
  CHECK(cudaMemset(rho, 0, N * sizeof(double)));
  CHECK(cudaMemset(bands, 0, NBANDS * sizeof(double)));
  CHECK(cudaDeviceSynchronize());
}

static void create_field_solver()
{
  CHECK(cudaMalloc(&psi, N * sizeof(cufftDoubleComplex)));
  CHECK(cufftPlan1d(&plan_field, N, CUFFT_Z2Z, 1));
  CHECK(cufftSetStream(plan_field, st));
}

static void create_diagnostics()
{
  CHECK(cudaMalloc(&rho, N * sizeof(double)));
  CHECK(cudaMalloc(&spec, NK * sizeof(cufftDoubleComplex)));
  CHECK(cudaMalloc(&bands, NBANDS * sizeof(double)));
  CHECK(cufftPlan1d(&plan_intensity, N, CUFFT_D2Z, 1));
  CHECK(cufftSetStream(plan_intensity, st));
}

static void enqueue_step()
{
  nonlinear_phase<<<1, N, 0, st>>>(psi, DT);
  CHECK(cufftExecZ2Z(plan_field, psi, psi, CUFFT_FORWARD));
  linear_phase<<<1, N, 0, st>>>(psi, DT, 2.0 * PI / LENGTH);
  CHECK(cufftExecZ2Z(plan_field, psi, psi, CUFFT_INVERSE));
}

static void enqueue_diagnostics()
{
  intensity<<<1, N, 0, st>>>(psi, rho);
  CHECK(cufftExecD2Z(plan_intensity, rho, spec));
  accumulate_bands<<<1, NBANDS, 0, st>>>(spec, bands);
  CHECK(cudaGetLastError());
}

static cudaGraphExec_t record()
{
  cudaGraph_t g;
  cudaGraphExec_t e;
  CHECK(cudaStreamBeginCapture(st, cudaStreamCaptureModeRelaxed));
  enqueue_step();
  enqueue_diagnostics();
  CHECK(cudaStreamEndCapture(st, &g));
  CHECK(cudaGraphInstantiate(&e, g, 0));
  CHECK(cudaGraphDestroy(g));
  return e;
}

static std::vector<cplx> dft(const std::vector<cplx> &f, int sign)
{
  std::vector<cplx> out(N);
  for (int k = 0; k < N; ++k) {
    cplx sum(0.0, 0.0);
    for (int i = 0; i < N; ++i) sum += f[i] * std::polar(1.0, sign * 2.0 * PI * double((k * i) % N) / N);
    out[k] = sum;
  }
  return out;
}

struct Solution {
  std::vector<cplx> field;
  std::vector<double> band;
};

static Solution integrate_on_host()
{
  Solution s;
  initial_pulse(s.field);
  s.band.assign(NBANDS, 0.0);
  for (int t = 0; t < NSTEP; ++t) {
    for (cplx &v : s.field) v *= std::polar(1.0, std::norm(v) * DT);
    std::vector<cplx> h = dft(s.field, -1);
    for (int i = 0; i < N; ++i) {
      const double k = 2.0 * PI / LENGTH * (i < N / 2 ? i : i - N);
      h[i] *= std::polar(1.0 / N, -0.5 * k * k * DT);
    }
    s.field = dft(h, +1);
    std::vector<cplx> r(N);
    for (int i = 0; i < N; ++i) r[i] = std::norm(s.field[i]);
    const std::vector<cplx> p = dft(r, -1);
    const int width = (NK - 1) / NBANDS;
    for (int b = 0; b < NBANDS; ++b)
      for (int k = 1 + b * width; k < 1 + (b + 1) * width; ++k) s.band[b] += std::norm(p[k]);
  }
  return s;
}

static Solution download()
{
  Solution s{std::vector<cplx>(N), std::vector<double>(NBANDS)};
  CHECK(cudaMemcpy(s.field.data(), psi, N * sizeof(cplx), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(s.band.data(), bands, NBANDS * sizeof(double), cudaMemcpyDeviceToHost));
  return s;
}

int main()
{
  CHECK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
  create_field_solver();
  create_diagnostics();
  upload_initial_state();
  enqueue_step();
  CHECK(cudaDeviceSynchronize());
  enqueue_diagnostics();
  CHECK(cudaDeviceSynchronize());

  upload_initial_state();
  const cudaGraphExec_t exec = record();
  CHECK(cudaDeviceSynchronize());
  for (int t = 0; t < NSTEP; ++t) CHECK(cudaGraphLaunch(exec, st));
  CHECK(cudaStreamSynchronize(st));

  const Solution got = download(), want = integrate_on_host();
  double field_error = 0.0, band_error = 0.0;
  for (int i = 0; i < N; ++i) field_error = std::fmax(field_error, std::abs(got.field[i] - want.field[i]));
  band_error = std::fabs(got.band[0] - want.band[0]) / want.band[0];
  std::printf("field error %.3e, band error %.3e\n", field_error, band_error);

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cufftDestroy(plan_field));
  CHECK(cufftDestroy(plan_intensity));
  CHECK(cudaStreamDestroy(st));
  CHECK(cudaFree(psi));
  CHECK(cudaFree(rho));
  CHECK(cudaFree(spec));
  CHECK(cudaFree(bands));
  std::puts(field_error < 1e-8 && band_error < 1e-8 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
