/*
 * cg_pair.cu - implicit diffusion of the two velocity components (u, v)
 *
 * Each component owns a conjugate gradient solver. One CG iteration is a
 * graph; the driver launches it NITER times per time step without looking at
 * the residual on the host.
 */
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { NX = 1024, NTHR = 128, NBLK = NX / NTHR, NCOMP = 2, NITER = 16 };

static void cuchk(cudaError_t ierr, const char *where)
{
    if (ierr != cudaSuccess) {
        printf("%s: %s\nLABEL WRONG\n", where, cudaGetErrorString(ierr));
        exit(1);
    }
}

struct cg_config {
    double shift;               /* diagonal shift, 1/dt */
    int niter;
    long long link_cycles;      /* latency of the simulated interconnect */
};

/* vectors of one component, structure of arrays */
struct cg_fields { double *x, *r, *p, *ap; };

/* scalars of the recurrence, device memory */
struct cg_scal { double *rz, *pap, *alpha, *beta; };

/* reduction workspace, one slab carved by the solvers; the energy monitor is
 * common to all components */
struct cg_work {
    double *partial;
    double *energy;
    int npartial, nused;
};

struct cg_solver {
    cg_fields f;
    cg_scal s;
    double *partial;
    cudaStream_t strm;
    cudaGraphExec_t iter;
    cudaEvent_t done;
};

__global__ void k_spmv(const double *p, double *ap, double shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double lo = i > 0 ? p[i - 1] : 0.0, hi = i < NX - 1 ? p[i + 1] : 0.0;
    ap[i] = (2.0 + shift) * p[i] - lo - hi;
}

__global__ void k_dot(const double *a, const double *b, double *partial)
{
    __shared__ double sh[NTHR];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sh[threadIdx.x] = a[i] * b[i];
    __syncthreads();
    for (int h = NTHR / 2; h > 0; h /= 2, __syncthreads())
        if (threadIdx.x < h)
            sh[threadIdx.x] += sh[threadIdx.x + h];
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sh[0];
}

/* stands for the allreduce between ranks */
__global__ void k_link(long long cycles)
{
    long long t0 = clock64();
    while (clock64() - t0 < cycles)
        ;
}

__global__ void k_alpha(const double *partial, int n, cg_scal s)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += partial[k];
    *s.pap = sum;
    *s.alpha = *s.rz / sum;
}

__global__ void k_beta(const double *partial, int n, cg_scal s)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += partial[k];
    *s.beta = sum / *s.rz;
    *s.rz = sum;
}

__global__ void k_update_xr(cg_fields f, cg_scal s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    f.x[i] += *s.alpha * f.p[i];
    f.r[i] -= *s.alpha * f.ap[i];
}

__global__ void k_update_p(cg_fields f, cg_scal s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    f.p[i] = f.r[i] + *s.beta * f.p[i];
}

__global__ void k_energy(const double *x, double *energy)
{
    for (int i = 0; i < NX; i++)
        *energy += x[i] * x[i];
}

static double *dalloc(int n)
{
    double *d = NULL;
    cuchk(cudaMalloc(&d, n * sizeof(double)), "dalloc");
    return d;
}

static void work_create(cg_work *w)
{
    w->npartial = NCOMP * NBLK;
    w->nused = 0;
    w->partial = dalloc(w->npartial);
    w->energy = dalloc(1);
}

static double *work_take(cg_work *w, int n)
{
    double *p = w->partial + w->nused;
    w->nused += n;
    if (w->nused > w->npartial)
        cuchk(cudaErrorMemoryAllocation, "workspace");
    return p;
}

static void cg_create(cg_solver *cg, cg_work *w)
{
    double *v = dalloc(4 * NX);
    cg->f = {v, v + NX, v + 2 * NX, v + 3 * NX};
    double *s = dalloc(4);
    cg->s = {s, s + 1, s + 2, s + 3};
    cg->partial = work_take(w, NBLK);
    cg->iter = NULL;
    cuchk(cudaStreamCreateWithFlags(&cg->strm, cudaStreamNonBlocking), "strm");
    cuchk(cudaEventCreateWithFlags(&cg->done, cudaEventDisableTiming), "event");
}

static void cg_allreduce_dot(cg_solver *cg, const double *a, const double *b,
                             const cg_config *cfg)
{
    k_dot<<<NBLK, NTHR, 0, cg->strm>>>(a, b, cg->partial);
    k_link<<<1, 1, 0, cg->strm>>>(cfg->link_cycles);
}

static void cg_iteration(cg_solver *cg, const cg_config *cfg)
{
    cudaStream_t q = cg->strm;
    k_spmv<<<NBLK, NTHR, 0, q>>>(cg->f.p, cg->f.ap, cfg->shift);
    cg_allreduce_dot(cg, cg->f.p, cg->f.ap, cfg);
    k_alpha<<<1, 1, 0, q>>>(cg->partial, NBLK, cg->s);
    k_update_xr<<<NBLK, NTHR, 0, q>>>(cg->f, cg->s);
    cg_allreduce_dot(cg, cg->f.r, cg->f.r, cfg);
    k_beta<<<1, 1, 0, q>>>(cg->partial, NBLK, cg->s);
    k_update_p<<<NBLK, NTHR, 0, q>>>(cg->f, cg->s);
}

static void cg_compile(cg_solver *cg, const cg_config *cfg)
{
    cudaGraph_t g;
    cuchk(cudaStreamBeginCapture(cg->strm, cudaStreamCaptureModeGlobal), "beg");
    cg_iteration(cg, cfg);
    cuchk(cudaStreamEndCapture(cg->strm, &g), "end");
    cuchk(cudaGraphInstantiate(&cg->iter, g, 0), "inst");
    cuchk(cudaGraphDestroy(g), "gdestroy");
    cuchk(cudaGraphUpload(cg->iter, cg->strm), "upload");
}

static void cg_set_rhs(cg_solver *cg, const std::vector<double> &b)
{
    double rz = 0.0;
    size_t nb = NX * sizeof(double);
    for (double v : b)
        rz += v * v;
    cuchk(cudaMemset(cg->f.x, 0, nb), "x0");
    cuchk(cudaMemcpy(cg->f.r, b.data(), nb, cudaMemcpyHostToDevice), "r0");
    cuchk(cudaMemcpy(cg->f.p, b.data(), nb, cudaMemcpyHostToDevice), "p0");
    cuchk(cudaMemcpy(cg->s.rz, &rz, sizeof rz, cudaMemcpyHostToDevice), "rz");
    cuchk(cudaDeviceSynchronize(), "rhs");
}

static void host_cg(const std::vector<double> &b, const cg_config &cfg,
                    std::vector<double> &x)
{
    std::vector<double> r = b, p = b, ap(NX);
    x.assign(NX, 0.0);
    double rz = 0.0;
    for (double v : b)
        rz += v * v;
    for (int it = 0; it < cfg.niter; it++) {
        double pap = 0.0, rr = 0.0;
        for (int i = 0; i < NX; i++) {
            double lo = i > 0 ? p[i - 1] : 0.0, hi = i < NX - 1 ? p[i + 1] : 0.0;
            ap[i] = (2.0 + cfg.shift) * p[i] - lo - hi;
            pap += p[i] * ap[i];
        }
        double alpha = rz / pap;
        for (int i = 0; i < NX; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
            rr += r[i] * r[i];
        }
        for (int i = 0; i < NX; i++)
            p[i] = r[i] + rr / rz * p[i];
        rz = rr;
    }
}

static bool solution_ok(const cg_solver *cg, const std::vector<double> &b,
                        const cg_config &cfg, double *energy)
{
    std::vector<double> x(NX), ref;
    cuchk(cudaMemcpy(x.data(), cg->f.x, NX * sizeof(double),
                     cudaMemcpyDeviceToHost), "get x");
    host_cg(b, cfg, ref);
    double err = 0.0;
    for (int i = 0; i < NX; i++) {
        err += fabs(x[i] - ref[i]);
        *energy += ref[i] * ref[i];
    }
    return err < 1e-6;
}

/* the components add to one accumulator in the order of their index */
static void monitor(cg_solver *cg, int ncomp, cg_work *w)
{
    for (int c = 0; c < ncomp; c++) {
        if (c > 0)
            cuchk(cudaStreamWaitEvent(cg[c].strm, cg[c - 1].done, 0), "wait");
        else
            cuchk(cudaMemsetAsync(w->energy, 0, sizeof(double), cg[c].strm),
                  "energy");
        k_energy<<<1, 1, 0, cg[c].strm>>>(cg[c].f.x, w->energy);
        cuchk(cudaEventRecord(cg[c].done, cg[c].strm), "record");
    }
}

static void step_velocity(cg_solver *cg, int ncomp, const cg_config *cfg,
                          cg_work *w)
{
    for (int it = 0; it < cfg->niter; it++)
        for (int c = 0; c < ncomp; c++)
            cuchk(cudaGraphLaunch(cg[c].iter, cg[c].strm), "launch");
    monitor(cg, ncomp, w);
    for (int c = 0; c < ncomp; c++)
        cuchk(cudaStreamSynchronize(cg[c].strm), "step");
}

int main()
{
    cg_config cfg = {0.1, NITER, 2000000LL};
    cg_work work;
    cg_solver cg[NCOMP];
    std::vector<double> rhs[NCOMP];
    work_create(&work);
    for (int c = 0; c < NCOMP; c++) {
        cg_create(&cg[c], &work);
        cg_compile(&cg[c], &cfg);
        rhs[c].resize(NX);
        for (int i = 0; i < NX; i++)
            rhs[c][i] = c == 0 ? 1.0 + (i * 37) % 11 : ((i * 53) % 23) - 7.5;
    }
    cuchk(cudaDeviceSynchronize(), "setup");

    cg_set_rhs(&cg[0], rhs[0]);
    step_velocity(cg, 1, &cfg, &work);
    double energy = 0.0, got;
    bool single = solution_ok(&cg[0], rhs[0], cfg, &energy);

    int nwrong = 0;
    for (int istep = 0; istep < 3; istep++) {
        for (int c = 0; c < NCOMP; c++)
            cg_set_rhs(&cg[c], rhs[c]);
        step_velocity(cg, NCOMP, &cfg, &work);
        energy = 0.0;
        for (int c = 0; c < NCOMP; c++)
            nwrong += !solution_ok(&cg[c], rhs[c], cfg, &energy);
        cuchk(cudaMemcpy(&got, work.energy, 8, cudaMemcpyDeviceToHost), "energy");
        nwrong += !(fabs(got - energy) < 1e-8 * energy);
    }
    printf("single=%d wrong=%d\n", single, nwrong);
    puts(single && nwrong == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
