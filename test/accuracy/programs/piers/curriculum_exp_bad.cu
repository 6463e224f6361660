// curriculum_exp.cu
// exp 14: student/teacher regression with a growing set of active coordinates.
//   - the teacher is a hard copy of the student every SYNC_EVERY iterations
//   - the curriculum doubles the active prefix from time to time
// usage: ./curriculum_exp     (prints a table, compares with a plain cpu loop)
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); g_errors++; } } while (0)

static int g_errors = 0;
static int g_iter = 0;        // number of iterations so far
static int g_active = 1024;   // size of the active prefix

static const int N = 16384;
static const int SYNC_EVERY = 4;
static const int GROW_EVERY = 3;
static constexpr float LR = 0.15f, PULL = 0.08f;

static std::map<std::string, float*> B;                    // device buffers by name
static std::map<std::string, std::vector<double>> LOGS;    // curves

__global__ void k_grad(const float* w, const float* teacher, const float* x, float* g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] = (x[i] - w[i]) + PULL / LR * (teacher[i] - w[i]);
}

__global__ void k_apply(float* w, const float* g, float lr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] += lr * g[i];
}

__global__ void k_copy(const float* src, float* dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = src[i];
}

// |src| summed per block, then over the blocks
__global__ void k_abs_sum(const float* src, float* part, int n)
{
    __shared__ float s[128];
    float a = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) a += fabsf(src[i]);
    s[threadIdx.x] = a;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

static int blocks(int n) { return (n + 127) / 128; }

static float* buf(const std::string& name, size_t n = N)
{
    float*& p = B[name];
    if (!p) { CK(cudaMalloc(&p, n * sizeof(float))); CK(cudaMemset(p, 0, n * sizeof(float))); }
    return p;
}

static std::vector<float> fetch(const std::string& name, int n = N)
{
    std::vector<float> h(n);
    CK(cudaMemcpy(h.data(), B[name], n * sizeof(float), cudaMemcpyDeviceToHost));
    return h;
}

static std::vector<float> batch(int it)
{
    std::vector<float> x(N);
    for (int i = 0; i < N; i++) x[i] = std::sin(0.003f * i + 0.7f * it) + 0.2f * ((i * 31 + it * 17) % 10);
    return x;
}

// ------------------------------------------------------------------ cpu version, with switches for ablations
struct Cpu {
    bool grow, sync;
    std::vector<float> w = std::vector<float>(N), teacher = std::vector<float>(N);
    int iter = 0, active = 1024;

    void step(const std::vector<float>& x)
    {
        for (int i = 0; i < active; i++) w[i] += LR * ((x[i] - w[i]) + PULL / LR * (teacher[i] - w[i]));
        if (++iter % SYNC_EVERY == 0 && sync) teacher = w;
    }
    void maybe_grow() { if (grow && iter % GROW_EVERY == 0) active = std::min(N, active * 2); }
    float err(const std::vector<float>& other) const
    {
        float m = 0;
        for (int i = 0; i < N; i++) m = std::max(m, std::fabs(other[i] - w[i]));
        return m;
    }
};

int main()
{
    cudaStream_t st;
    CK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    for (const char* name : {"w", "teacher", "x", "g", "part"}) buf(name);
    float* loss = buf("loss", 1);
    CK(cudaDeviceSynchronize());

    // ---- pieces of one iteration
    auto feed = [&](const std::vector<float>& x) {
        CK(cudaMemcpyAsync(buf("x"), x.data(), N * sizeof(float), cudaMemcpyHostToDevice, st));
        CK(cudaStreamSynchronize(st));
    };
    auto sync_teacher = [&] { k_copy<<<blocks(N), 128, 0, st>>>(buf("w"), buf("teacher"), N); };
    auto measure = [&] {
        k_abs_sum<<<32, 128, 0, st>>>(buf("g"), buf("part"), N);
        k_abs_sum<<<1, 128, 0, st>>>(buf("part"), loss, 32);
    };
    auto descend = [&](float lr) {
        k_grad<<<blocks(g_active), 128, 0, st>>>(buf("w"), buf("teacher"), buf("x"), buf("g"), g_active); // HAZARD dynamic_shape #active
        k_apply<<<blocks(g_active), 128, 0, st>>>(buf("w"), buf("g"), lr, g_active); // HAZARD dynamic_shape #active
    };
    auto iteration = [&] {
        descend(LR);
        measure();
        if (++g_iter % SYNC_EVERY == 0) sync_teacher(); // HAZARD host_logic
    };
    auto record = [&](auto&& body) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
        body();
        CK(cudaStreamEndCapture(st, &graph));
        CK(cudaGraphInstantiate(&exec, graph, 0));
        CK(cudaGraphDestroy(graph));
        return exec;
    };
    auto maybe_grow = [&](int it) {
        if (it % GROW_EVERY == 0) g_active = std::min(N, g_active * 2); // HAZARD dynamic_shape #active
    };

    // ---- ablations on the cpu: index bit 0 = curriculum off, bit 1 = no teacher updates
    std::vector<Cpu> cpu(4);
    for (int k = 0; k < 4; k++) { cpu[k].grow = !(k & 1); cpu[k].sync = !(k & 2); }
    auto cpu_step = [&](const std::vector<float>& x) { for (Cpu& c : cpu) { c.step(x); c.maybe_grow(); } };

    // ---- iteration 1 without a graph, then record and replay the others
    feed(batch(1));
    iteration();
    CK(cudaStreamSynchronize(st));
    cpu_step(batch(1));

    cudaGraphExec_t exec = record(iteration);
    bool first_ok = false;
    float e[4] = {};
    const int iters = 14;
    for (int it = 2; it <= iters; it++) {
        std::vector<float> x = batch(it);
        feed(x);
        CK(cudaGraphLaunch(exec, st));
        CK(cudaStreamSynchronize(st));
        maybe_grow(it);
        cpu_step(x);

        std::vector<float> w = fetch("w");
        for (int k = 0; k < 4; k++) e[k] = cpu[k].err(w);
        LOGS["loss"].push_back(fetch("loss", 1)[0]);
        LOGS["err"].push_back(e[0]);
        printf("it %2d  active %5d  loss %10.3f  err %.2e (no curriculum %.2e, no teacher %.2e, neither %.2e)\n", it, g_active,
               LOGS["loss"].back(), e[0], e[1], e[2], e[3]);
        if (it == 2) first_ok = e[0] < 1e-4f;
    }
    printf("%zu points, iterations counted: %d of %d\n", LOGS["loss"].size(), g_iter, iters);

    bool both = first_ok && g_errors == 0 && g_iter != iters && e[3] < 1e-3f && e[0] > 1e-2f && e[1] > 1e-2f && e[2] > 1e-2f;
    CK(cudaGraphExecDestroy(exec));
    for (auto& kv : B) cudaFree(kv.second);
    cudaStreamDestroy(st);
    printf(both ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return both ? 0 : 1;
}
