// D2Q5 lattice Boltzmann solver for advection-diffusion of a passive scalar on a periodic grid.
// Time loop driven by a CUDA graph to get rid of launch latency on small lattices.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define NX 96
#define NY 64
#define NSITE (NX * NY)
#define Q 5

static const int NSTEPS = 60;
static const int NOUT = 20;  // output interval

static double TAU = 0.8;   // relaxation time
static double UX = 0.08;   // advection velocity
static double UY = -0.03;

static int nerr = 0;

static void ck(cudaError_t e, const char* where) {
    if (e != cudaSuccess) {
        printf("CUDA error in %s: %s\n", where, cudaGetErrorString(e));
        nerr++;
    }
}

__host__ __device__ static inline double feq(int q, double rho, double ux, double uy) {
    const double w = (q == 0) ? 1.0 / 3.0 : 1.0 / 6.0;
    double cu = 0.0;
    if (q == 1) cu = ux;
    if (q == 2) cu = -ux;
    if (q == 3) cu = uy;
    if (q == 4) cu = -uy;
    return w * rho * (1.0 + 3.0 * cu);
}

// pull scheme: gather from the neighbours, collide, write to the other lattice
__host__ __device__ static inline void site_update(const double* fin, double* fout, int x, int y, double tau, double ux,
                                                   double uy) {
    const int xm = (x + NX - 1) % NX, xp = (x + 1) % NX;
    const int ym = (y + NY - 1) % NY, yp = (y + 1) % NY;
    double f[Q];
    f[0] = fin[0 * NSITE + y * NX + x];
    f[1] = fin[1 * NSITE + y * NX + xm];
    f[2] = fin[2 * NSITE + y * NX + xp];
    f[3] = fin[3 * NSITE + ym * NX + x];
    f[4] = fin[4 * NSITE + yp * NX + x];
    const double rho = f[0] + f[1] + f[2] + f[3] + f[4];
    for (int q = 0; q < Q; q++) fout[q * NSITE + y * NX + x] = f[q] - (f[q] - feq(q, rho, ux, uy)) / tau;
}

__global__ void collide_stream(const double* fin, double* fout, double tau, double ux, double uy) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < NX && y < NY) site_update(fin, fout, x, y, tau, ux, uy);
}

__global__ void density(const double* f, double* rho) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NSITE) return;
    double s = 0.0;
    for (int q = 0; q < Q; q++) s += f[q * NSITE + i];
    rho[i] = s;
}

static void init_lattice(std::vector<double>& f) {
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const double dx = x - 0.25 * NX, dy = y - 0.5 * NY;
            const double rho = 1.0 + 2.0 * exp(-(dx * dx + dy * dy) / 40.0);
            for (int q = 0; q < Q; q++) f[q * NSITE + y * NX + x] = feq(q, rho, UX, UY);
        }
}

int main(void) {
    std::vector<double> h(Q * NSITE), href(Q * NSITE), htmp(Q * NSITE), hrho(NSITE);
    init_lattice(h);
    href = h;

    double *f_old, *f_new, *d_rho;
    ck(cudaMalloc(&f_old, Q * NSITE * sizeof(double)), "malloc f_old");
    ck(cudaMalloc(&f_new, Q * NSITE * sizeof(double)), "malloc f_new");
    ck(cudaMalloc(&d_rho, NSITE * sizeof(double)), "malloc rho");
    ck(cudaMemcpy(f_old, h.data(), Q * NSITE * sizeof(double), cudaMemcpyHostToDevice), "upload");
    ck(cudaMemset(f_new, 0, Q * NSITE * sizeof(double)), "clear");

    cudaStream_t stream;
    ck(cudaStreamCreate(&stream), "stream");

    const dim3 block(32, 8);
    const dim3 grid((NX + 31) / 32, (NY + 7) / 8);

    cudaGraph_t graph;
    cudaGraphExec_t step_graph;
    ck(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
    collide_stream<<<grid, block, 0, stream>>>(f_old, f_new, TAU, UX, UY);  // HAZARD host_logic #swap
    std::swap(f_old, f_new);                                         // HAZARD host_logic #swap
    ck(cudaStreamEndCapture(stream, &graph), "end capture");
    ck(cudaGraphInstantiate(&step_graph, graph, 0), "instantiate");

    const int steps_per_launch = 1;
    int wrong = 0;
    for (int t = 0; t < NSTEPS; t += steps_per_launch) {
        ck(cudaGraphLaunch(step_graph, stream), "launch");

        // reference on the host
        for (int s = 0; s < steps_per_launch; s++) {
            for (int y = 0; y < NY; y++)
                for (int x = 0; x < NX; x++) site_update(href.data(), htmp.data(), x, y, TAU, UX, UY);
            href.swap(htmp);
        }

        const int done = t + steps_per_launch;
        if (done % NOUT == 0) {
            density<<<(NSITE + 127) / 128, 128, 0, stream>>>(f_old, d_rho);
            ck(cudaStreamSynchronize(stream), "sync");
            ck(cudaMemcpy(hrho.data(), d_rho, NSITE * sizeof(double), cudaMemcpyDeviceToHost), "download");
            double mass = 0.0, err = 0.0;
            for (int i = 0; i < NSITE; i++) {
                double r = 0.0;
                for (int q = 0; q < Q; q++) r += href[q * NSITE + i];
                mass += hrho[i];
                err = fmax(err, fabs(r - hrho[i]));
            }
            printf("t = %3d  mass = %.10f  max error = %.3e\n", done, mass, err);
            if (err > 1e-9) wrong++;
        }
    }

    cudaGraphExecDestroy(step_graph);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(f_old);
    cudaFree(f_new);
    cudaFree(d_rho);

    printf("%s\n", (wrong > 0 || nerr > 0) ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
