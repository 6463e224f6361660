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

__global__ void k_grad(const float* w, const float* teacher, const float* x, float* g, const int* n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *n) g[i] = (x[i] - w[i]) + PULL / LR * (teacher[i] - w[i]);
}

__global__ void k_apply(float* w, const float* g, float lr, const int* n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *n) w[i] += lr * g[i];
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

// ------------------------------------------------------------------ cpu version
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

static bool teacher_ok(const Cpu& cpu)
{
    std::vector<float> t = fetch("teacher");
    for (int i = 0; i < N; i++) if (std::fabs(t[i] - cpu.teacher[i]) > 1e-4f) return false;
    return true;
}

int main()
{
    cudaStream_t st;
    CK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    for (const char* name : {"w", "teacher", "x", "g", "part"}) buf(name);
    float* loss = buf("loss", 1);
    int* d_active = nullptr;
    CK(cudaMalloc(&d_active, sizeof(int)));
    CK(cudaMemcpy(d_active, &g_active, sizeof(int), cudaMemcpyHostToDevice));
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
        k_grad<<<blocks(N), 128, 0, st>>>(buf("w"), buf("teacher"), buf("x"), buf("g"), d_active);
        k_apply<<<blocks(N), 128, 0, st>>>(buf("w"), buf("g"), lr, d_active);
    };
    auto iteration = [&] {
        descend(LR);
        measure();
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
        if (it % GROW_EVERY != 0) return;
        g_active = std::min(N, g_active * 2);
        CK(cudaMemcpyAsync(d_active, &g_active, sizeof(int), cudaMemcpyHostToDevice, st));
        CK(cudaStreamSynchronize(st));
    };

    // ---- the same on the cpu
    Cpu cpu{true, true};
    auto cpu_step = [&](const std::vector<float>& x) { cpu.step(x); cpu.maybe_grow(); };

    // ---- iteration 1 without a graph, then record and replay the others
    feed(batch(1));
    iteration();
    g_iter++;
    CK(cudaStreamSynchronize(st));
    cpu_step(batch(1));

    std::map<std::string, cudaGraphExec_t> G;
    G["iteration"] = record(iteration);
    G["sync_teacher"] = record(sync_teacher);
    bool all_ok = true;
    const int iters = 14;
    for (int it = 2; it <= iters; it++) {
        std::vector<float> x = batch(it);
        feed(x);
        CK(cudaGraphLaunch(G["iteration"], st));
        if (++g_iter % SYNC_EVERY == 0) CK(cudaGraphLaunch(G["sync_teacher"], st));
        CK(cudaStreamSynchronize(st));
        maybe_grow(it);
        cpu_step(x);

        std::vector<float> w = fetch("w");
        float e = cpu.err(w);
        LOGS["loss"].push_back(fetch("loss", 1)[0]);
        LOGS["err"].push_back(e);
        printf("it %2d  active %5d  loss %10.3f  err %.2e\n", it, g_active, LOGS["loss"].back(), e);
        all_ok = all_ok && e < 1e-4f;
    }
    printf("%zu points, iterations counted: %d of %d\n", LOGS["loss"].size(), g_iter, iters);

    all_ok = all_ok && g_iter == iters && teacher_ok(cpu);
    for (auto& kv : G) CK(cudaGraphExecDestroy(kv.second));
    CK(cudaFree(d_active));
    all_ok = all_ok && g_errors == 0;
    for (auto& kv : B) cudaFree(kv.second);
    cudaStreamDestroy(st);
    printf(all_ok ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return all_ok ? 0 : 1;
}
