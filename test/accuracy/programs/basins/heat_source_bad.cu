// 1-D heat equation with a volume source, explicit Euler.
// Ten substeps are recorded as a CUDA graph; the driver changes the time step
// half way. Results are compared with a plain CPU loop.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define N 1024
#define SUBSTEPS 10
#define TPB 128

static float *g_u, *g_du, *g_q;
static float g_dt = 0.4f;
static cudaStream_t g_stream;
static cudaGraphExec_t g_exec;
static std::vector<float> h_u0(N), h_q(N);

#define DIE_ON(x)                                                                 \
    do {                                                                          \
        cudaError_t err = (x);                                                    \
        if (err != cudaSuccess) {                                                 \
            printf("%s failed at %d: %s\n", #x, __LINE__, cudaGetErrorString(err)); \
            printf("LABEL WRONG\n");                                              \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

__global__ void laplacian(const float *u, float *du)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float l = i > 0 ? u[i - 1] : 0.f;
    float r = i < N - 1 ? u[i + 1] : 0.f;
    du[i] = l - 2.f * u[i] + r;
}

__global__ void add_source(float *u, const float *q, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u[i] += dt * q[i];
}

__global__ void update(float *u, const float *du, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u[i] += dt * du[i];
}

static void init_problem(void)
{
    for (int i = 0; i < N; i++) {
        h_u0[i] = sinf(3.14159265f * (i + 1) / (N + 1));
        h_q[i] = (i > 400 && i < 600) ? 0.05f : 0.01f;
    }
    DIE_ON(cudaMalloc(&g_u, N * sizeof(float)));
    DIE_ON(cudaMalloc(&g_du, N * sizeof(float)));
    DIE_ON(cudaMalloc(&g_q, N * sizeof(float)));
    DIE_ON(cudaMemcpy(g_u, h_u0.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    DIE_ON(cudaMemcpy(g_q, h_q.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    DIE_ON(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
    DIE_ON(cudaDeviceSynchronize());
}

static void substep(void)
{
    laplacian<<<N / TPB, TPB, 0, g_stream>>>(g_u, g_du);
    update<<<N / TPB, TPB, 0, g_stream>>>(g_u, g_du, g_dt); // HAZARD frozen
    add_source<<<N / TPB, TPB>>>(g_u, g_q, g_dt); // HAZARD default_stream
}

static void build_graph(void)
{
    cudaGraph_t graph;
    size_t nodes = 0;
    DIE_ON(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < SUBSTEPS; k++)
        substep();
    DIE_ON(cudaGetLastError());
    DIE_ON(cudaStreamEndCapture(g_stream, &graph));
    DIE_ON(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("recorded %zu nodes\n", nodes);
    DIE_ON(cudaGraphInstantiate(&g_exec, graph, 0));
    DIE_ON(cudaGraphDestroy(graph));
    DIE_ON(cudaDeviceSynchronize());
}

static void advance(int launches)
{
    for (int k = 0; k < launches; k++)
        DIE_ON(cudaGraphLaunch(g_exec, g_stream));
    DIE_ON(cudaStreamSynchronize(g_stream));
}

/* CPU loop; source_steps < 0 means that the source acts in every substep,
   otherwise it acts source_steps times before the first one. */
static std::vector<float> cpu_run(const float *dts, int launches, int source_steps)
{
    std::vector<float> u = h_u0, du(N);
    for (int s = 0; s < source_steps; s++)
        for (int i = 0; i < N; i++)
            u[i] += dts[0] * h_q[i];
    for (int l = 0; l < launches; l++)
        for (int k = 0; k < SUBSTEPS; k++) {
            for (int i = 0; i < N; i++)
                du[i] = (i ? u[i - 1] : 0.f) - 2.f * u[i] + (i < N - 1 ? u[i + 1] : 0.f);
            for (int i = 0; i < N; i++)
                u[i] += dts[l] * du[i] + (source_steps < 0 ? dts[l] * h_q[i] : 0.f);
        }
    return u;
}

static float max_diff(const std::vector<float> &a, const std::vector<float> &b)
{
    float m = 0.f;
    for (int i = 0; i < N; i++)
        m = fmaxf(m, fabsf(a[i] - b[i]));
    return m;
}

int main(void)
{
    const float dts[6] = {0.4f, 0.4f, 0.4f, 0.1f, 0.1f, 0.1f};
    const float flat[6] = {0.4f, 0.4f, 0.4f, 0.4f, 0.4f, 0.4f};
    std::vector<float> u(N);

    init_problem();
    build_graph();
    advance(3);
    g_dt = 0.1f; /* finer steps for the second phase */
    advance(3);
    DIE_ON(cudaMemcpy(u.data(), g_u, N * sizeof(float), cudaMemcpyDeviceToHost));

    float d = max_diff(u, cpu_run(dts, 6, -1));
    printf("difference to the CPU run: %g\n", d);
    float f = max_diff(u, cpu_run(flat, 6, SUBSTEPS));
    float s = max_diff(u, cpu_run(dts, 6, SUBSTEPS));
    printf("other models: %g %g\n", f, s);
    printf("%s\n", d > 0.05f && f < 1e-3f && s > 2.f * f ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
