/* burgers equation on a ring, adaptive time step, scheme chosen from a table at start */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solver solver;

typedef struct scheme {
    const char *name;
    float cfl;
    int (*step)(solver *sv);
} scheme;

struct solver {
    const scheme *sch;
    int n;
    float dx, nu;
    float dt;
    double t;
    float *u, *tmp;
    float *d_dt;
    float *h_u;
    cudaStream_t st;
    cudaGraphExec_t exec;
};

#define CHK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); goto fail; } } while (0)

__global__ void upwind_kernel(const float *u, float *out, int n, float dx, const float *dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int l = i ? i - 1 : n - 1;
    out[i] = u[i] - *dt / dx * 0.5f * (u[i] * u[i] - u[l] * u[l]);
}

__global__ void diffuse_kernel(const float *u, float *out, int n, float dx, float nu, const float *dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int l = i ? i - 1 : n - 1, r = i < n - 1 ? i + 1 : 0;
    out[i] = u[i] + nu * *dt / (dx * dx) * (u[l] - 2.0f * u[i] + u[r]);
}

static int upwind_step(solver *sv)
{
    int nb = (sv->n + 127) / 128;
    upwind_kernel<<<nb, 128, 0, sv->st>>>(sv->u, sv->tmp, sv->n, sv->dx, sv->d_dt);
    CHK(cudaGetLastError());
    diffuse_kernel<<<nb, 128, 0, sv->st>>>(sv->tmp, sv->u, sv->n, sv->dx, sv->nu, sv->d_dt);
    CHK(cudaGetLastError());
    return 0;
fail:
    return -1;
}

static const scheme schemes[] = {
    { "upwind", 0.4f, upwind_step },
    { NULL, 0.0f, NULL },
};

static int solver_init(solver *sv, const char *name, int n)
{
    const scheme *s;
    int i;
    memset(sv, 0, sizeof *sv);
    for (s = schemes; s->name; s++)
        if (!strcmp(s->name, name)) sv->sch = s;
    if (!sv->sch) return -1;
    sv->n = n;
    sv->dx = 1.0f / n;
    sv->nu = 1e-4f;
    sv->h_u = (float *)malloc(n * sizeof(float));
    if (!sv->h_u) return -1;
    for (i = 0; i < n; i++) sv->h_u[i] = 1.0f + 2.0f * expf(-200.0f * (i * sv->dx - 0.3f) * (i * sv->dx - 0.3f));
    CHK(cudaStreamCreateWithFlags(&sv->st, cudaStreamNonBlocking));
    CHK(cudaMalloc((void **)&sv->u, n * sizeof(float)));
    CHK(cudaMalloc((void **)&sv->tmp, n * sizeof(float)));
    CHK(cudaMalloc((void **)&sv->d_dt, sizeof(float)));
    CHK(cudaMemcpyAsync(sv->u, sv->h_u, n * sizeof(float), cudaMemcpyHostToDevice, sv->st));
    CHK(cudaStreamSynchronize(sv->st));
    return 0;
fail:
    return -1;
}

/* dt from the fastest characteristic */
static int solver_choose_dt(solver *sv)
{
    float vmax = 1e-6f;
    int i;
    CHK(cudaMemcpyAsync(sv->h_u, sv->u, sv->n * sizeof(float), cudaMemcpyDeviceToHost, sv->st));
    CHK(cudaStreamSynchronize(sv->st));
    for (i = 0; i < sv->n; i++) vmax = fmaxf(vmax, fabsf(sv->h_u[i]));
    sv->dt = sv->sch->cfl * sv->dx / vmax;
    CHK(cudaMemcpyAsync(sv->d_dt, &sv->dt, sizeof(float), cudaMemcpyHostToDevice, sv->st));
    return 0;
fail:
    return -1;
}

static int solver_record(solver *sv)
{
    cudaGraph_t g = NULL;
    int rc;
    CHK(cudaStreamBeginCapture(sv->st, cudaStreamCaptureModeThreadLocal));
    rc = sv->sch->step(sv);
    CHK(cudaStreamEndCapture(sv->st, &g));
    if (rc) goto fail;
    CHK(cudaGraphInstantiate(&sv->exec, g, 0));
    cudaGraphDestroy(g);
    return 0;
fail:
    if (g) cudaGraphDestroy(g);
    return -1;
}

static int solver_advance(solver *sv)
{
    if (solver_choose_dt(sv)) return -1;
    if (!sv->exec && solver_record(sv)) return -1;
    CHK(cudaGraphLaunch(sv->exec, sv->st));
    sv->t += sv->dt;
    return 0;
fail:
    return -1;
}

static void solver_free(solver *sv)
{
    if (sv->st) cudaStreamSynchronize(sv->st);
    if (sv->exec) cudaGraphExecDestroy(sv->exec);
    cudaFree(sv->u);
    cudaFree(sv->tmp);
    cudaFree(sv->d_dt);
    if (sv->st) cudaStreamDestroy(sv->st);
    free(sv->h_u);
}

int main(void)
{
    enum { N = 512, STEPS = 400 };
    static float ref[N], tmp[N];
    solver sv;
    double tref = 0.0, err = 0.0;
    int i, k, rc = solver_init(&sv, "upwind", N);
    if (!rc) memcpy(ref, sv.h_u, sizeof ref);
    for (k = 0; k < STEPS && !rc; k++) rc = solver_advance(&sv);
    if (!rc) rc = solver_choose_dt(&sv); /* fetches u */
    if (rc) { puts("LABEL REFUTED"); return 0; }

    for (k = 0; k < STEPS; k++) {
        float vmax = 1e-6f, dt;
        for (i = 0; i < N; i++) vmax = fmaxf(vmax, fabsf(ref[i]));
        dt = 0.4f * sv.dx / vmax;
        for (i = 0; i < N; i++) { int l = i ? i - 1 : N - 1; tmp[i] = ref[i] - dt / sv.dx * 0.5f * (ref[i] * ref[i] - ref[l] * ref[l]); }
        for (i = 0; i < N; i++) { int l = i ? i - 1 : N - 1, r = i < N - 1 ? i + 1 : 0; ref[i] = tmp[i] + sv.nu * dt / (sv.dx * sv.dx) * (tmp[l] - 2.0f * tmp[i] + tmp[r]); }
        tref += dt;
    }
    for (i = 0; i < N; i++) err = fmax(err, fabs(ref[i] - sv.h_u[i]));
    printf("t %.6f (reference %.6f), max difference %g\n", sv.t, tref, err);
    puts(err < 1e-2 && fabs(sv.t - tref) < 1e-3 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    solver_free(&sv);
    return 0;
}
