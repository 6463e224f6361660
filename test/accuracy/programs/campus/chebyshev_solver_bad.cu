// Chebyshev semi-iteration for (s I + laplacian) x = b, scan over the shift s.
// No inner products, so one iteration is a fixed chain of cuBLAS-1 calls and a stencil: record it once, replay it.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static const int N = 2048, ITERS = 50;

static int errors = 0;
static cudaStream_t st;
static cublasHandle_t blas;
static double *d_x, *d_b, *d_r, *d_d, *d_q;
static double c1, c2;                       // d <- c1 d + c2 r
static const double one = 1.0, minus_one = -1.0;

static void cu(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    ++errors;
    fprintf(stderr, "cuda error at %d: %s\n", line, cudaGetErrorString(e));
}
static void cb(cublasStatus_t s, int line)
{
    if (s == CUBLAS_STATUS_SUCCESS) return;
    ++errors;
    fprintf(stderr, "cublas error at %d: %d\n", line, (int)s);
}
#define CU(x) cu((x), __LINE__)
#define CB(x) cb((x), __LINE__)

__global__ void stencil(const double* in, double* out, double diag, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double left = i > 0 ? in[i - 1] : 0.0, right = i < n - 1 ? in[i + 1] : 0.0;
    out[i] = diag * in[i] - left - right;
}

struct Coefs { std::vector<double> c1, c2; double theta; };

static Coefs chebyshev_coefs(double shift)
{
    double lmin = shift, lmax = shift + 4.0;
    Coefs c;
    c.theta = 0.5 * (lmax + lmin);
    double delta = 0.5 * (lmax - lmin), sigma = c.theta / delta, rho = 1.0 / sigma;
    for (int k = 0; k < ITERS; ++k) {
        double next = 1.0 / (2.0 * sigma - rho);
        c.c1.push_back(next * rho);
        c.c2.push_back(2.0 * next / delta);
        rho = next;
    }
    return c;
}

// x += d; r -= A d; d = c1 d + c2 r
static void iteration(double diag)
{
    CB(cublasDaxpy(blas, N, &one, d_d, 1, d_x, 1));
    stencil<<<(N + 255) / 256, 256, 0, st>>>(d_d, d_q, diag, N);
    CU(cudaGetLastError());
    CB(cublasDaxpy(blas, N, &minus_one, d_q, 1, d_r, 1));
    CB(cublasDscal(blas, N, &c1, d_d, 1)); // HAZARD frozen #coef
    CB(cublasDaxpy(blas, N, &c2, d_r, 1, d_d, 1)); // HAZARD frozen #coef
}

static double residual_norm()
{
    double norm = 0.0;
    CB(cublasDnrm2(blas, N, d_r, 1, &norm));
    return norm;
}

static void cpu_solve(double diag, const Coefs& c, const std::vector<double>& b, std::vector<double>& x)
{
    std::vector<double> r = b, d(N), q(N);
    x.assign(N, 0.0);
    for (int i = 0; i < N; ++i) d[i] = r[i] / c.theta;
    for (int k = 0; k < ITERS; ++k) {
        for (int i = 0; i < N; ++i)
            q[i] = diag * d[i] - (i ? d[i - 1] : 0.0) - (i < N - 1 ? d[i + 1] : 0.0);
        for (int i = 0; i < N; ++i) {
            x[i] += d[i];
            r[i] -= q[i];
            d[i] = c.c1[k] * d[i] + c.c2[k] * r[i];
        }
    }
}

int main()
{
    CU(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    double** vecs[] = { &d_x, &d_b, &d_r, &d_d, &d_q };
    for (double** v : vecs) CU(cudaMalloc(v, N * sizeof(double)));
    void* ws;
    size_t ws_bytes = 4 << 20;
    CU(cudaMalloc(&ws, ws_bytes));
    CB(cublasCreate(&blas));
    CB(cublasSetStream(blas, st));
    CB(cublasSetWorkspace(blas, ws, ws_bytes));
    if (errors) { printf("LABEL UNOBSERVED\n"); return 1; }

    std::vector<double> b(N);
    for (int i = 0; i < N; ++i) b[i] = sin(0.01 * i) + 0.3 * cos(0.37 * i) + (i % 97 == 0);
    CU(cudaMemcpyAsync(d_b, b.data(), N * sizeof(double), cudaMemcpyHostToDevice, st));

    bool all_right = true;
    for (double shift : { 0.1, 0.4, 1.5 }) {
        double diag = 2.0 + shift;
        Coefs coefs = chebyshev_coefs(shift);
        CU(cudaMemsetAsync(d_x, 0, N * sizeof(double), st));
        CB(cublasDcopy(blas, N, d_b, 1, d_r, 1));
        CB(cublasDcopy(blas, N, d_b, 1, d_d, 1));
        double scale = 1.0 / coefs.theta;
        CB(cublasDscal(blas, N, &scale, d_d, 1));

        // iteration 0 runs directly (cuBLAS loads its kernels here), the others replay
        c1 = coefs.c1[0];
        c2 = coefs.c2[0];
        iteration(diag);
        CU(cudaStreamSynchronize(st));

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        c1 = coefs.c1[1];
        c2 = coefs.c2[1];
        CU(cudaStreamBeginCapture(st, cudaStreamCaptureModeThreadLocal));
        iteration(diag);
        CU(cudaStreamEndCapture(st, &graph));
        CU(cudaGraphInstantiate(&exec, graph, 0));
        if (errors) break;

        for (int k = 1; k < ITERS; ++k) {
            c1 = coefs.c1[k];
            c2 = coefs.c2[k];
            CU(cudaGraphLaunch(exec, st));
        }
        double norm = residual_norm();
        std::vector<double> x(N), ref;
        CU(cudaMemcpyAsync(x.data(), d_x, N * sizeof(double), cudaMemcpyDeviceToHost, st));
        CU(cudaStreamSynchronize(st));
        CU(cudaGraphExecDestroy(exec));
        CU(cudaGraphDestroy(graph));

        cpu_solve(diag, coefs, b, ref);
        double worst = 0.0, size = 0.0;
        for (int i = 0; i < N; ++i) {
            worst = std::max(worst, fabs(x[i] - ref[i]));
            size = std::max(size, fabs(ref[i]));
        }
        bool right = worst < 1e-9 * size;
        printf("shift %.2f: |r| = %.3e, relative difference to the CPU run %.2e\n", shift, norm, worst / size);
        all_right = all_right && right;
    }
    cublasDestroy(blas);
    for (double** v : vecs) cudaFree(*v);
    cudaFree(ws);
    cudaStreamDestroy(st);
    printf(errors || !all_right ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
