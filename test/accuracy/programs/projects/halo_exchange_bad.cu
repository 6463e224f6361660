/* halo_exchange: one dimensional weather stencil on a periodic ring of cells. The interior runs on the main stream while
 * the halo cells are filled on a second stream. Two time steps are recorded into a graph. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 4096, STEPS_PER_GRAPH = 2, NTHREADS = 128 };

typedef struct {
    int *u;          /* NX + 2 cells, [0] and [NX + 1] are halos */
    int *unew;
    long long *flux; /* what has crossed the seam of the ring so far */
} wx_field;

typedef struct {
    cudaStream_t main_stream;
    cudaStream_t halo_stream;
    cudaEvent_t state_ready; /* u of this step is complete */
    cudaEvent_t halo_ready;  /* halos of u are filled */
    cudaGraphExec_t exec;
    wx_field f;
    cudaError_t err; /* first error */
} wx_model;

static void wx_note(wx_model *m, cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    printf("wx: %s: %s\n", what, cudaGetErrorString(e));
    if (m->err == cudaSuccess) m->err = e;
}
#define WX(m, call) wx_note((m), (call), #call)

__host__ __device__ static int wx_cell(int left, int mid, int right) { return (left + 2 * mid + right + 1) % 1009; }

__global__ void fill_halo(int *u) {
    if (threadIdx.x == 0) u[0] = u[NX];
    if (threadIdx.x == 1) u[NX + 1] = u[1];
}

__global__ void seam_flux(const int *u, long long *flux) { *flux += u[0] - u[NX + 1]; }

__global__ void interior(const int *u, int *unew) {
    int i = 2 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < NX) unew[i] = wx_cell(u[i - 1], u[i], u[i + 1]);
}

__global__ void boundary(const int *u, int *unew) {
    int i = threadIdx.x == 0 ? 1 : NX;
    unew[i] = wx_cell(u[i - 1], u[i], u[i + 1]);
}

__global__ void commit(int *u, const int *unew) {
    int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= NX) u[i] = unew[i];
}

static void wx_init(wx_model *m, const int *initial) {
    memset(m, 0, sizeof *m);
    WX(m, cudaStreamCreateWithFlags(&m->main_stream, cudaStreamNonBlocking));
    WX(m, cudaStreamCreateWithFlags(&m->halo_stream, cudaStreamNonBlocking));
    WX(m, cudaEventCreateWithFlags(&m->state_ready, cudaEventDisableTiming));
    WX(m, cudaEventCreateWithFlags(&m->halo_ready, cudaEventDisableTiming));
    WX(m, cudaMalloc((void **)&m->f.u, (NX + 2) * sizeof(int)));
    WX(m, cudaMalloc((void **)&m->f.unew, (NX + 2) * sizeof(int)));
    WX(m, cudaMalloc((void **)&m->f.flux, sizeof(long long)));
    WX(m, cudaMemcpyAsync(m->f.u, initial, (NX + 2) * sizeof(int), cudaMemcpyHostToDevice, m->main_stream));
    WX(m, cudaMemsetAsync(m->f.flux, 0, sizeof(long long), m->main_stream));
    WX(m, cudaStreamSynchronize(m->main_stream));
}

static void wx_finish(wx_model *m) {
    if (m->exec) cudaGraphExecDestroy(m->exec);
    cudaFree(m->f.u);
    cudaFree(m->f.unew);
    cudaFree(m->f.flux);
    cudaEventDestroy(m->state_ready);
    cudaEventDestroy(m->halo_ready);
    cudaStreamDestroy(m->halo_stream);
    cudaStreamDestroy(m->main_stream);
}

/* One time step. The seam diagnostics only need the halos, so they may overlap with the boundary cells. */
static void wx_step(wx_model *m) {
    wx_field *f = &m->f;
    WX(m, cudaEventRecord(m->state_ready, m->main_stream));
    WX(m, cudaStreamWaitEvent(m->halo_stream, m->state_ready, 0));

    fill_halo<<<1, 32, 0, m->halo_stream>>>(f->u);
    WX(m, cudaGetLastError());
    WX(m, cudaEventRecord(m->halo_ready, m->halo_stream));
    seam_flux<<<1, 1, 0, m->halo_stream>>>(f->u, f->flux); // HAZARD dependency #flux
    WX(m, cudaGetLastError());

    interior<<<(NX + NTHREADS - 1) / NTHREADS, NTHREADS, 0, m->main_stream>>>(f->u, f->unew);
    WX(m, cudaGetLastError());
    WX(m, cudaStreamWaitEvent(m->main_stream, m->halo_ready, 0));
    boundary<<<1, 2, 0, m->main_stream>>>(f->u, f->unew);
    WX(m, cudaGetLastError());
    commit<<<(NX + NTHREADS - 1) / NTHREADS, NTHREADS, 0, m->main_stream>>>(f->u, f->unew);
    WX(m, cudaGetLastError());
}

static void wx_record(wx_model *m) {
    cudaGraph_t graph = NULL;
    int s;
    WX(m, cudaStreamBeginCapture(m->main_stream, cudaStreamCaptureModeGlobal));
    for (s = 0; s < STEPS_PER_GRAPH; s++) wx_step(m);
    WX(m, cudaStreamEndCapture(m->main_stream, &graph)); // HAZARD dependency #flux
    if (graph == NULL) return;
    WX(m, cudaGraphInstantiate(&m->exec, graph, 0));
    WX(m, cudaGraphDestroy(graph));
}

static void reference_step(int *u, int *tmp, long long *flux) {
    int i;
    u[0] = u[NX];
    u[NX + 1] = u[1];
    *flux += u[0] - u[NX + 1];
    for (i = 1; i <= NX; i++) tmp[i] = wx_cell(u[i - 1], u[i], u[i + 1]);
    memcpy(u + 1, tmp + 1, NX * sizeof(int));
}

int main(void) {
    static int u[NX + 2], tmp[NX + 2], got[NX + 2];
    long long flux = 0, got_flux = 0;
    int replay, s, i, wrong = 0;
    wx_model m;

    for (i = 0; i < NX + 2; i++) u[i] = (i * i + 7 * i) % 1009;
    wx_init(&m, u);
    wx_record(&m);
    for (replay = 0; replay < 8 && m.err == cudaSuccess; replay++) {
        WX(&m, cudaGraphLaunch(m.exec, m.main_stream));
        WX(&m, cudaMemcpyAsync(got, m.f.u, sizeof got, cudaMemcpyDeviceToHost, m.main_stream));
        WX(&m, cudaMemcpyAsync(&got_flux, m.f.flux, sizeof got_flux, cudaMemcpyDeviceToHost, m.main_stream));
        WX(&m, cudaStreamSynchronize(m.main_stream));
        for (s = 0; s < STEPS_PER_GRAPH; s++) reference_step(u, tmp, &flux);
        for (i = 1; i <= NX; i++) wrong += got[i] != u[i];
        wrong += got_flux != flux;
    }
    printf("replays %d, wrong values %d, status %s\n", replay, wrong, cudaGetErrorName(m.err));
    {
        const int seen = m.err != cudaSuccess || wrong > 0;
        wx_finish(&m);
        puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    }
    return 0;
}
