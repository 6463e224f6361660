// Prototype: explicit 1-D heat equation with probes, all state in globals. The tests at the bottom
// compare the graph replays with a plain CPU loop.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 256
#define MAX_PROBES 8
#define SWEEPS 20

static cudaStream_t g_stream;
static float *g_a, *g_b, *g_probe_out, *g_res;
static float *h_probe, *h_res;  // pinned
static int g_probe_pos[MAX_PROBES];
static int g_nprobes;
static cudaGraphExec_t g_exec;  // the "step" graph, shared by all experiments
static float c_a[N], c_b[N];    // CPU copy
static int g_failures;
static const float kAlpha = 0.2f;

#define EXPECT(cond)                                                        \
    do {                                                                    \
        if (!(cond)) {                                                      \
            printf("  EXPECT failed, line %d: %s\n", __LINE__, #cond);      \
            ++g_failures;                                                   \
        }                                                                   \
    } while (0)

__global__ void relax_kernel(const float *a, float *b, float alpha)
{
    int i = threadIdx.x;
    b[i] = (i == 0 || i == N - 1) ? a[i] : a[i] + alpha * (a[i - 1] - 2.f * a[i] + a[i + 1]);
}

__global__ void sample_kernel(const float *a, int pos, float *out) { *out = a[pos]; }

__global__ void residual_kernel(const float *a, const float *b, float *res)
{
    float m = 0.f;
    for (int i = 0; i < N; ++i) m = fmaxf(m, fabsf(a[i] - b[i]));
    *res = m;
}

static void relax(const float *a, float *b) { relax_kernel<<<1, N, 0, g_stream>>>(a, b, kAlpha); }

// relax() for debugging: reports the sweep that made the device unhappy.
static void relax_checked(const float *a, float *b, int sweep)
{
    relax(a, b);
    cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    cudaError_t e = cudaStreamIsCapturing(g_stream, &st);
    if (e == cudaSuccess && st == cudaStreamCaptureStatusNone) e = cudaStreamSynchronize(g_stream);
    if (e != cudaSuccess) printf("  sweep %d: %s\n", sweep, cudaGetErrorName(e));
}

static void cpu_sweeps(int n)
{
    for (int s = 0; s < n; ++s) {
        for (int i = 0; i < N; ++i)
            c_b[i] = (i == 0 || i == N - 1) ? c_a[i] : c_a[i] + kAlpha * (c_a[i - 1] - 2.f * c_a[i] + c_a[i + 1]);
        memcpy(c_a, c_b, sizeof c_a);
    }
}

static cudaError_t reset_field(void)
{
    for (int i = 0; i < N; ++i) c_a[i] = (i * 53 % 101) * 0.1f;
    cudaError_t e = cudaMemcpyAsync(g_a, c_a, sizeof c_a, cudaMemcpyHostToDevice, g_stream);
    if (e == cudaSuccess) e = cudaMemsetAsync(g_probe_out, 0, sizeof(float) * MAX_PROBES, g_stream);
    return e == cudaSuccess ? cudaStreamSynchronize(g_stream) : e;
}

static cudaError_t setup(void)
{
    cudaError_t e = cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaMalloc(&g_a, sizeof(float) * N);
    if (e == cudaSuccess) e = cudaMalloc(&g_b, sizeof(float) * N);
    if (e == cudaSuccess) e = cudaMalloc(&g_probe_out, sizeof(float) * MAX_PROBES);
    if (e == cudaSuccess) e = cudaMalloc(&g_res, sizeof(float));
    if (e == cudaSuccess) e = cudaMallocHost(&h_probe, sizeof(float) * MAX_PROBES);
    if (e == cudaSuccess) e = cudaMallocHost(&h_res, sizeof(float));
    if (e == cudaSuccess) e = reset_field();
    if (e == cudaSuccess) relax_checked(g_a, g_b, -1);  // smoke test of the kernel; g_a is unchanged
    return e;
}

// (Re)builds the step graph for the current probe set.
static cudaError_t set_probes(const int *pos, int n)
{
    memcpy(g_probe_pos, pos, sizeof(int) * n);
    g_nprobes = n;
    cudaError_t e = cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal);
    if (e != cudaSuccess) return e;
    relax(g_a, g_b);
    relax(g_b, g_a);
    for (int i = 0; i < g_nprobes; ++i) sample_kernel<<<1, 1, 0, g_stream>>>(g_a, g_probe_pos[i], g_probe_out + i);
    cudaMemcpyAsync(h_probe, g_probe_out, sizeof(float) * MAX_PROBES, cudaMemcpyDeviceToHost, g_stream);
    cudaGraph_t g = NULL;
    e = cudaStreamEndCapture(g_stream, &g);
    if (e != cudaSuccess) return e;
    if (!g_exec) {
        e = cudaGraphInstantiate(&g_exec, g, 0);
    } else {
        cudaGraphExecUpdateResultInfo info;
        if (cudaGraphExecUpdate(g_exec, g, &info) != cudaSuccess) {
            (void)cudaGetLastError();  // different topology: expected when the probe count changes
            cudaGraphExecDestroy(g_exec);
            g_exec = NULL;
            e = cudaGraphInstantiate(&g_exec, g, 0);
        }
    }
    cudaGraphDestroy(g);
    return e;
}

static void run_steps(int n)
{
    for (int s = 0; s < n; ++s) {
        EXPECT(cudaGraphLaunch(g_exec, g_stream) == cudaSuccess);
        EXPECT(cudaStreamSynchronize(g_stream) == cudaSuccess);
        cpu_sweeps(2);
        for (int i = 0; i < g_nprobes; ++i) EXPECT(fabsf(h_probe[i] - c_a[g_probe_pos[i]]) < 1e-3f);
    }
}

static int test_probes(void)
{
    static const int one[] = {17}, moved[] = {90}, three[] = {17, 90, 200};
    g_failures = 0;
    EXPECT(reset_field() == cudaSuccess);
    EXPECT(set_probes(one, 1) == cudaSuccess);
    run_steps(3);
    EXPECT(set_probes(moved, 1) == cudaSuccess);
    run_steps(2);
    EXPECT(set_probes(three, 3) == cudaSuccess);
    run_steps(3);
    return g_failures;
}

static int test_residual(void)
{
    cudaGraphExec_t exec = NULL;
    cudaGraph_t g = NULL;
    g_failures = 0;
    EXPECT(reset_field() == cudaSuccess);
    EXPECT(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    for (int s = 0; s < SWEEPS; s += 2) {
        relax_checked(g_a, g_b, s);
        relax_checked(g_b, g_a, s + 1);
    }
    residual_kernel<<<1, 1, 0, g_stream>>>(g_a, g_b, g_res);
    cudaMemcpyAsync(h_res, g_res, sizeof(float), cudaMemcpyDeviceToHost, g_stream);
    cudaError_t e = cudaStreamEndCapture(g_stream, &g);
    if (e == cudaSuccess) e = cudaGraphInstantiate(&exec, g, 0);
    EXPECT(e == cudaSuccess);
    for (int r = 0; r < 3 && e == cudaSuccess; ++r) {
        EXPECT(cudaGraphLaunch(exec, g_stream) == cudaSuccess);
        EXPECT(cudaStreamSynchronize(g_stream) == cudaSuccess);
        cpu_sweeps(SWEEPS - 1);
        static float before[N];
        memcpy(before, c_a, sizeof before);
        cpu_sweeps(1);
        float m = 0.f;
        for (int i = 0; i < N; ++i) m = fmaxf(m, fabsf(before[i] - c_a[i]));
        EXPECT(fabsf(m - *h_res) < 1e-3f);
    }
    if (exec) cudaGraphExecDestroy(exec);
    if (g) cudaGraphDestroy(g);
    return g_failures;
}

int main(void)
{
    cudaError_t up = setup();
    int f1 = up == cudaSuccess ? test_probes() : -1;
    int f2 = up == cudaSuccess ? test_residual() : -1;
    printf("setup %s, test_probes: %d failures, test_residual: %d failures\n", cudaGetErrorName(up), f1, f2);
    if (g_exec) cudaGraphExecDestroy(g_exec);
    printf(f1 == 0 && f2 == 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
