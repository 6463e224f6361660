// pressure solve of the reservoir toy model: Chebyshev semi-iteration, no inner products
//   usage: chebyshev_reservoir [grid] [iterations]
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x)                                                                              \
    do {                                                                                   \
        cudaError_t e_ = (x);                                                              \
        if (e_ != cudaSuccess) {                                                           \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));     \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)
#define CB(x)                                                                              \
    do {                                                                                   \
        cublasStatus_t s_ = (x);                                                           \
        if (s_ != CUBLAS_STATUS_SUCCESS) {                                                 \
            fprintf(stderr, "%s:%d cublas %d\n", __FILE__, __LINE__, (int)s_);             \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

static int m = 96, N;
static double *d_p, *d_r, *d_d;           // pressure, residual, direction
static cublasHandle_t blas;
static cudaStream_t strm;
static void *blas_ws;
static const double ONE = 1.0;

struct Cheb {
    double theta, delta, sigma1, rho;
    double cd, cr;                        // d = cd * d + cr * r
};
static Cheb ch;

static void cheb_init() {
    double s = sin(M_PI / (2.0 * (m + 1)));
    double lmin = 8.0 * s * s, lmax = 8.0 * (1.0 - s * s);
    ch.theta = 0.5 * (lmax + lmin);
    ch.delta = 0.5 * (lmax - lmin);
    ch.sigma1 = ch.theta / ch.delta;
    ch.rho = 1.0 / ch.sigma1;
}

static void cheb_next() {
    double rho1 = 1.0 / (2.0 * ch.sigma1 - ch.rho);
    ch.cd = rho1 * ch.rho;
    ch.cr = 2.0 * rho1 / ch.delta;
    ch.rho = rho1;
}

__global__ void residual_update(const double *d, double *r, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= m) return;
    int k = j * m + i;
    double a = 4.0 * d[k];
    if (i > 0) a -= d[k - 1];
    if (i < m - 1) a -= d[k + 1];
    if (j > 0) a -= d[k - m];
    if (j < m - 1) a -= d[k + m];
    r[k] -= a;
}

// one sweep: p += d;  r -= A d;  d = cd d + cr r
static void sweep() {
    dim3 b(16, 16), g((m + 15) / 16, (m + 15) / 16);
    CB(cublasDaxpy(blas, N, &ONE, d_d, 1, d_p, 1));
    residual_update<<<g, b, 0, strm>>>(d_d, d_r, m);
    CK(cudaGetLastError());
    CB(cublasDscal(blas, N, &ch.cd, d_d, 1));             // HAZARD frozen
    CB(cublasDaxpy(blas, N, &ch.cr, d_r, 1, d_d, 1));     // HAZARD frozen
}

static void reset() {
    std::vector<double> b(N);
    for (int k = 0; k < N; k++) b[k] = 1e-3 * ((k * 37) % 101) - 0.03;
    cheb_init();
    CK(cudaMemcpy(d_r, b.data(), N * sizeof(double), cudaMemcpyHostToDevice));
    for (double &v : b) v /= ch.theta;
    CK(cudaMemcpy(d_d, b.data(), N * sizeof(double), cudaMemcpyHostToDevice));
    CK(cudaMemset(d_p, 0, N * sizeof(double)));
    CK(cudaDeviceSynchronize());
}

static double solve(int iters, bool graphs) {
    cudaGraphExec_t exec = nullptr;
    reset();
    for (int it = 0; it < iters; it++) {
        cheb_next();
        if (!graphs) {
            sweep();
            continue;
        }
        if (!exec) {
            cudaGraph_t g;
            CK(cudaStreamBeginCapture(strm, cudaStreamCaptureModeThreadLocal));
            sweep();
            CK(cudaStreamEndCapture(strm, &g));
            CK(cudaGraphInstantiate(&exec, g, 0));
            CK(cudaGraphDestroy(g));
        }
        CK(cudaGraphLaunch(exec, strm));
    }
    double nrm = 0;
    CB(cublasDnrm2(blas, N, d_r, 1, &nrm));
    CK(cudaStreamSynchronize(strm));
    if (exec) CK(cudaGraphExecDestroy(exec));
    return nrm;
}

int main(int argc, char **argv) {
    int iters = 300;
    if (argc > 1) m = atoi(argv[1]);
    if (argc > 2) iters = atoi(argv[2]);
    N = m * m;
    CK(cudaMalloc(&d_p, N * sizeof(double)));
    CK(cudaMalloc(&d_r, N * sizeof(double)));
    CK(cudaMalloc(&d_d, N * sizeof(double)));
    CK(cudaMalloc(&blas_ws, 32 << 20));
    CK(cudaStreamCreateWithFlags(&strm, cudaStreamNonBlocking));
    CB(cublasCreate(&blas));
    CB(cublasSetStream(blas, strm));
    CB(cublasSetWorkspace(blas, blas_ws, 32 << 20));

    double ref = solve(iters, false);
    double got = solve(iters, true);
    printf("|r| eager %.6e  graph %.6e\n", ref, got);
    CB(cublasDestroy(blas));
    bool same = fabs(ref - got) <= 1e-9 * (1.0 + fabs(ref)) && fabs(ref - got) <= 1e-6 * fabs(ref);
    printf("%s\n", same ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
