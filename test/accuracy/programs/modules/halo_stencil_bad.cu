// halo_stencil: two neighbouring subdomains of a one-dimensional shallow test problem, each with
// its own stream, and lateral boundary values that arrive from a loader stream. Converted from
// Fortran; routines report through ierr like the original.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

enum { NX = 1024, NHALO = 1, NTOT = NX + 2 * NHALO, NSTEP = 6, NTHR = 128 };

struct Domain {
    long long *field;       // NTOT values, halo cell on each side
    long long *next;
    cudaStream_t stream;
};

struct Model {
    Domain west, east;
    long long *lateral;     // two values on the device: western and eastern edge
    long long *h_lateral;   // pinned
    cudaStream_t loader;
    cudaEvent_t exchanged, east_done, lateral_ready;
    cudaGraphExec_t dynamics, relaxation;
};

static void note(cudaError_t e, const char *routine, int *ierr)
{
    if (e != cudaSuccess) {
        fprintf(stderr, " *** %s: %s\n", routine, cudaGetErrorString(e));
        if (*ierr == 0) *ierr = (int)e;
    }
}

__global__ void swap_halos(long long *w, long long *e)
{
    w[NX + NHALO] = e[NHALO];
    e[0] = w[NX];
}

__global__ void diffuse(const long long *f, long long *out)
{
    int i = NHALO + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NX + NHALO) out[i] = (f[i - 1] + 2 * f[i] + f[i + 1]) / 4;
}

__global__ void commit(long long *f, const long long *in)
{
    int i = NHALO + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NX + NHALO) f[i] = in[i];
}

__global__ void relax_edges(long long *w, long long *e, const long long *lateral)
{
    w[0] = (w[0] + lateral[0]) / 2;
    e[NX + NHALO] = (e[NX + NHALO] + lateral[1]) / 2;
}

static void init_domain(Domain *d, const long long *start, int *ierr)
{
    note(cudaStreamCreate(&d->stream), "init_domain", ierr);
    note(cudaMalloc((void **)&d->field, NTOT * sizeof(long long)), "init_domain", ierr);
    note(cudaMalloc((void **)&d->next, NTOT * sizeof(long long)), "init_domain", ierr);
    note(cudaMemcpy(d->field, start, NTOT * sizeof(long long), cudaMemcpyHostToDevice), "init_domain", ierr);
}

static void free_domain(Domain *d, int *ierr)
{
    note(cudaFree(d->field), "free_domain", ierr);
    note(cudaFree(d->next), "free_domain", ierr);
    note(cudaStreamDestroy(d->stream), "free_domain", ierr);
}

static void close_capture(cudaStream_t s, cudaGraphExec_t *exec, const char *routine, int *ierr)
{
    cudaGraph_t graph = NULL;
    *exec = NULL;
    note(cudaStreamEndCapture(s, &graph), routine, ierr);
    if (*ierr == 0) note(cudaGraphInstantiate(exec, graph, 0), routine, ierr);
    if (graph) note(cudaGraphDestroy(graph), routine, ierr);
}

/* Exchange, then both subdomains at the same time. */
static void build_dynamics(Model *m, int *ierr)
{
    cudaStream_t sw = m->west.stream, se = m->east.stream;
    const int nblk = (NX + NTHR - 1) / NTHR;

    note(cudaStreamBeginCapture(sw, cudaStreamCaptureModeGlobal), "build_dynamics", ierr);
    if (*ierr) return;
    swap_halos<<<1, 1, 0, sw>>>(m->west.field, m->east.field);
    note(cudaEventRecord(m->exchanged, sw), "build_dynamics", ierr);
    note(cudaStreamWaitEvent(se, m->exchanged, 0), "build_dynamics", ierr);

    diffuse<<<nblk, NTHR, 0, sw>>>(m->west.field, m->west.next);
    commit<<<nblk, NTHR, 0, sw>>>(m->west.field, m->west.next);

    diffuse<<<nblk, NTHR, 0, se>>>(m->east.field, m->east.next);
    commit<<<nblk, NTHR, 0, se>>>(m->east.field, m->east.next);
    note(cudaEventRecord(m->east_done, se), "build_dynamics", ierr);  // HAZARD dependency #east
    close_capture(sw, &m->dynamics, "build_dynamics", ierr);  // HAZARD dependency #east
}

/* Boundary values come from the loader. */
static void build_relaxation(Model *m, int *ierr)
{
    cudaStream_t s = m->west.stream;

    note(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "build_relaxation", ierr);
    if (*ierr) return;
    note(cudaStreamWaitEvent(s, m->lateral_ready, 0), "build_relaxation", ierr);  // HAZARD dependency #lateral
    relax_edges<<<1, 1, 0, s>>>(m->west.field, m->east.field, m->lateral);
    close_capture(s, &m->relaxation, "build_relaxation", ierr);
}

/* The previous step has completed on the device when this is called. */
static void load_lateral(Model *m, int step, int *ierr)
{
    m->h_lateral[0] = 40000 + 1700 * step;
    m->h_lateral[1] = 90000 - 2300 * step;
    note(cudaMemcpyAsync(m->lateral, m->h_lateral, 2 * sizeof(long long), cudaMemcpyHostToDevice, m->loader),
         "load_lateral", ierr);
    note(cudaEventRecord(m->lateral_ready, m->loader), "load_lateral", ierr);
}

static void reference_step(long long *w, long long *e, int step)
{
    static long long t[NTOT];
    long long *both[2] = {w, e};
    w[0] = (w[0] + 40000 + 1700 * step) / 2;
    e[NX + NHALO] = (e[NX + NHALO] + 90000 - 2300 * step) / 2;
    w[NX + NHALO] = e[NHALO];
    e[0] = w[NX];
    for (long long *f : both) {
        for (int i = NHALO; i < NX + NHALO; i++) t[i] = (f[i - 1] + 2 * f[i] + f[i + 1]) / 4;
        for (int i = NHALO; i < NX + NHALO; i++) f[i] = t[i];
    }
}

int main()
{
    static long long w[NTOT], e[NTOT], got[2][NTOT];
    Model m;
    int ierr = 0, ierr_dyn = 0, ierr_rel = 0, nwrong = 0;

    memset(&m, 0, sizeof m);
    for (int i = 0; i < NTOT; i++) {
        w[i] = 50000 + (i * 977) % 6000;
        e[i] = 70000 - (i * 613) % 9000;
    }
    init_domain(&m.west, w, &ierr);
    init_domain(&m.east, e, &ierr);
    note(cudaMalloc((void **)&m.lateral, 2 * sizeof(long long)), "main", &ierr);
    note(cudaMallocHost((void **)&m.h_lateral, 2 * sizeof(long long)), "main", &ierr);
    note(cudaStreamCreate(&m.loader), "main", &ierr);
    note(cudaEventCreateWithFlags(&m.exchanged, cudaEventDisableTiming), "main", &ierr);
    note(cudaEventCreateWithFlags(&m.east_done, cudaEventDisableTiming), "main", &ierr);
    note(cudaEventCreateWithFlags(&m.lateral_ready, cudaEventDisableTiming), "main", &ierr);

    load_lateral(&m, 0, &ierr);
    build_relaxation(&m, &ierr_rel);
    build_dynamics(&m, &ierr_dyn);

    for (int step = 0; step < NSTEP && m.dynamics && m.relaxation; step++) {
        if (step > 0) load_lateral(&m, step, &ierr);
        note(cudaGraphLaunch(m.relaxation, m.west.stream), "main", &ierr);
        note(cudaGraphLaunch(m.dynamics, m.west.stream), "main", &ierr);
        note(cudaMemcpyAsync(got[0], m.west.field, sizeof got[0], cudaMemcpyDeviceToHost, m.west.stream), "main", &ierr);
        note(cudaMemcpyAsync(got[1], m.east.field, sizeof got[1], cudaMemcpyDeviceToHost, m.west.stream), "main", &ierr);
        note(cudaStreamSynchronize(m.west.stream), "main", &ierr);
        reference_step(w, e, step);
        nwrong += memcmp(got[0], w, sizeof w) != 0 || memcmp(got[1], e, sizeof e) != 0;
    }

    if (m.dynamics) note(cudaGraphExecDestroy(m.dynamics), "main", &ierr);
    if (m.relaxation) note(cudaGraphExecDestroy(m.relaxation), "main", &ierr);
    note(cudaEventDestroy(m.exchanged), "main", &ierr);
    note(cudaEventDestroy(m.east_done), "main", &ierr);
    note(cudaEventDestroy(m.lateral_ready), "main", &ierr);
    note(cudaStreamDestroy(m.loader), "main", &ierr);
    note(cudaFree(m.lateral), "main", &ierr);
    note(cudaFreeHost(m.h_lateral), "main", &ierr);
    free_domain(&m.west, &ierr);
    free_domain(&m.east, &ierr);

    printf(" ierr %d, dynamics %d, relaxation %d, wrong steps %d\n", ierr, ierr_dyn, ierr_rel, nwrong);
    puts(ierr_dyn && ierr_rel ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
