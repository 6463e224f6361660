// Kuramoto-Sivashinsky, pseudo-spectral, IMEX (implicit 4th order, explicit advection)
// first step Euler, then Adams-Bashforth 2
#include <cuda_runtime.h>
#include <cufft.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU(x) gpu_check((int)(x), __LINE__)
static void gpu_check(int rc, int line) {
    if (rc == 0) return;
    std::fprintf(stderr, "line %d: error %d\n", line, rc);
    std::exit(1);
}

typedef cufftDoubleComplex cplx;

struct KS {
    int n = 512, nk = 257;
    double L = 22.0 * 3.14159265358979, dt = 0.02;
    double *u = nullptr;
    cplx *uh = nullptr, *tmp = nullptr, *nl = nullptr, *nl_old = nullptr;
    cufftHandle fwd = 0, inv = 0;
    cudaStream_t st = nullptr;
    int steps_done = 0;
};

__global__ void k_copy_scaled(const cplx *a, cplx *b, int nk, double s) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < nk) { b[k].x = s * a[k].x; b[k].y = s * a[k].y; }
}
__global__ void k_square(double *u, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = u[i] * u[i];
}
__global__ void k_minus_half_ik(cplx *a, int nk, double k0) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nk) return;
    double q = -0.5 * k0 * k;
    if (3 * k > 2 * (nk - 1)) q = 0;
    cplx c = a[k];
    a[k].x = -q * c.y;
    a[k].y = q * c.x;
}
__global__ void k_imex(cplx *u, const cplx *nl, cplx *nl_old, int nk, double k0, double dt, double a, double b) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nk) return;
    double q = k0 * k, lin = q * q * q * q - q * q, d = 1.0 / (1.0 + dt * lin);
    u[k].x = (u[k].x + dt * (a * nl[k].x + b * nl_old[k].x)) * d;
    u[k].y = (u[k].y + dt * (a * nl[k].y + b * nl_old[k].y)) * d;
    nl_old[k] = nl[k];
}

static int blocks(int n) { return (n + 127) / 128; }
static double k0(const KS &s) { return 6.28318530717959 / s.L; }

static void scheme_euler(KS &s) {
    k_imex<<<blocks(s.nk), 128, 0, s.st>>>(s.uh, s.nl, s.nl_old, s.nk, k0(s), s.dt, 1.0, 0.0);
}
static void scheme_ab2(KS &s) {
    k_imex<<<blocks(s.nk), 128, 0, s.st>>>(s.uh, s.nl, s.nl_old, s.nk, k0(s), s.dt, 1.5, -0.5);
}
static void (*const schemes[])(KS &) = {scheme_euler, scheme_ab2};

static void nonlinear(KS &s) {
    k_copy_scaled<<<blocks(s.nk), 128, 0, s.st>>>(s.uh, s.tmp, s.nk, 1.0 / s.n);
    GPU(cufftExecZ2D(s.inv, s.tmp, s.u));
    k_square<<<blocks(s.n), 128, 0, s.st>>>(s.u, s.n);
    GPU(cufftExecD2Z(s.fwd, s.u, s.nl));
    k_minus_half_ik<<<blocks(s.nk), 128, 0, s.st>>>(s.nl, s.nk, k0(s));
}

static void time_step(KS &s) {
    nonlinear(s);
    const int order = std::min(s.steps_done, 1);
    schemes[order](s);
    GPU(cudaGetLastError());
}

struct Recorder {
    cudaStream_t st = nullptr;
    void start(cudaStream_t s) {
        st = s;
        GPU(cudaStreamBeginCapture(st, cudaStreamCaptureModeRelaxed));
    }
    cudaGraphExec_t stop() {
        cudaGraph_t g;
        cudaGraphExec_t e;
        GPU(cudaStreamEndCapture(st, &g));
        GPU(cudaGraphInstantiate(&e, g, 0));
        GPU(cudaGraphDestroy(g));
        return e;
    }
};

static void initial_condition(KS &s) {
    std::vector<double> h(s.n);
    for (int i = 0; i < s.n; i++) {
        double x = 6.28318530717959 * i / s.n;
        h[i] = std::cos(2 * x) * (1 + std::sin(x)) + 0.3 * std::sin(5 * x);
    }
    GPU(cudaMemcpyAsync(s.u, h.data(), s.n * sizeof(double), cudaMemcpyHostToDevice, s.st));
    GPU(cufftExecD2Z(s.fwd, s.u, s.uh));
    GPU(cudaMemsetAsync(s.nl_old, 0, s.nk * sizeof(cplx), s.st));
    GPU(cudaStreamSynchronize(s.st));
    s.steps_done = 0;
}

static void integrate_eager(KS &s, int nsteps) {
    for (int i = 0; i < nsteps; i++, s.steps_done++) time_step(s);
}

static void integrate(KS &s, int nsteps) {
    cudaGraphExec_t exec = nullptr;
    Recorder rec;
    for (int i = 0; i < nsteps; i++, s.steps_done++) {
        if (s.steps_done == 0) {
            time_step(s);
            continue;
        }
        if (!exec) {
            rec.start(s.st);
            time_step(s);
            exec = rec.stop();
        }
        GPU(cudaGraphLaunch(exec, s.st));
    }
    GPU(cudaStreamSynchronize(s.st));
    if (exec) GPU(cudaGraphExecDestroy(exec));
}

static std::vector<cplx> spectrum(KS &s) {
    std::vector<cplx> h(s.nk);
    GPU(cudaMemcpyAsync(h.data(), s.uh, s.nk * sizeof(cplx), cudaMemcpyDeviceToHost, s.st));
    GPU(cudaStreamSynchronize(s.st));
    return h;
}

int main(int argc, char **argv) {
    KS s;
    int nsteps = argc > 1 ? std::atoi(argv[1]) : 100;
    GPU(cudaStreamCreateWithFlags(&s.st, cudaStreamNonBlocking));
    GPU(cudaMalloc(&s.u, s.n * sizeof(double)));
    for (cplx **p : {&s.uh, &s.tmp, &s.nl, &s.nl_old}) GPU(cudaMalloc(p, s.nk * sizeof(cplx)));
    GPU(cufftPlan1d(&s.fwd, s.n, CUFFT_D2Z, 1));
    GPU(cufftPlan1d(&s.inv, s.n, CUFFT_Z2D, 1));
    GPU(cufftSetStream(s.fwd, s.st));
    GPU(cufftSetStream(s.inv, s.st));

    initial_condition(s);
    integrate_eager(s, nsteps);
    auto ref = spectrum(s);
    initial_condition(s);
    integrate(s, nsteps);
    auto got = spectrum(s);

    double err = 0, nrm = 0;
    for (int k = 0; k < s.nk; k++) {
        err = std::max(err, std::hypot(ref[k].x - got[k].x, ref[k].y - got[k].y));
        nrm = std::max(nrm, std::hypot(ref[k].x, ref[k].y));
    }
    std::printf("spectrum difference %.3e (max %.3e)\n", err, nrm);
    std::printf("%s\n", err > 1e-8 * nrm ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
