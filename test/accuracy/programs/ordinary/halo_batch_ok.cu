// 2D wave equation, periodic in y, ghost rows refreshed every step.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int NX = 256;            // row length
constexpr int NY = 64;             // interior rows
constexpr int ROWS = NY + 2;       // plus one ghost row on each side
constexpr float C2 = 0.2f;

#define CUDA_OK(call)                                                            \
    do {                                                                         \
        cudaError_t rc = (call);                                                 \
        if (rc != cudaSuccess) {                                                 \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(rc));  \
            printf("LABEL REFUTED\n");                                           \
            exit(0);                                                             \
        }                                                                        \
    } while (0)

__global__ void wave(const float* u, float* v, float* un) {
    int x = threadIdx.x;
    int y = blockIdx.x + 1;
    int i = y * NX + x;
    float lap = u[i - NX] + u[i + NX] - 2.0f * u[i];
    v[i] += C2 * lap;
    un[i] = u[i] + v[i];
}

__global__ void commit(const float* un, float* u) {
    int i = (blockIdx.x + 1) * NX + threadIdx.x;
    u[i] = un[i];
}

struct Sim {
    float *u, *v, *un;
    cudaStream_t stream;
};

// top ghost <- last interior row, bottom ghost <- first interior row
static void refresh_ghosts(Sim& s) {
    void* dst[] = {s.u, s.u + (ROWS - 1) * NX};
    const void* src[] = {s.u + NY * NX, s.u + NX};
    const size_t bytes = NX * sizeof(float);
    for (int k = 0; k < 2; ++k) CUDA_OK(cudaMemcpyAsync(dst[k], src[k], bytes, cudaMemcpyDeviceToDevice, s.stream));
}

static void step(Sim& s) {
    wave<<<NY, NX, 0, s.stream>>>(s.u, s.v, s.un);
    CUDA_OK(cudaGetLastError());
    commit<<<NY, NX, 0, s.stream>>>(s.un, s.u);
    CUDA_OK(cudaGetLastError());
    refresh_ghosts(s);
}

static std::vector<float> initial() {
    std::vector<float> u(ROWS * NX, 0.0f);
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < NX; ++x) u[y * NX + x] = std::sin(2.0f * 3.14159265f * (y - 1) / NY + 0.7f);
    return u;
}

static std::vector<float> reference(int steps) {
    std::vector<float> u = initial(), v(ROWS * NX, 0.0f), un(u);
    for (int t = 0; t < steps; ++t) {
        for (int i = NX; i < (ROWS - 1) * NX; ++i) {
            v[i] += C2 * (u[i - NX] + u[i + NX] - 2.0f * u[i]);
            un[i] = u[i] + v[i];
        }
        for (int i = NX; i < (ROWS - 1) * NX; ++i) u[i] = un[i];
        for (int x = 0; x < NX; ++x) {
            u[x] = u[NY * NX + x];
            u[(ROWS - 1) * NX + x] = u[NX + x];
        }
    }
    return u;
}

int main() {
    const int steps = 60;
    Sim s = {};
    const size_t bytes = ROWS * NX * sizeof(float);
    CUDA_OK(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    CUDA_OK(cudaMalloc(&s.u, bytes));
    CUDA_OK(cudaMalloc(&s.v, bytes));
    CUDA_OK(cudaMalloc(&s.un, bytes));
    std::vector<float> u0 = initial();
    CUDA_OK(cudaMemcpy(s.u, u0.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(s.v, 0, bytes));
    CUDA_OK(cudaDeviceSynchronize());

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_OK(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
    step(s);
    CUDA_OK(cudaStreamEndCapture(s.stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    size_t nodes = 0;
    CUDA_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CUDA_OK(cudaGraphDestroy(graph));

    for (int t = 0; t < steps; ++t) CUDA_OK(cudaGraphLaunch(exec, s.stream));
    CUDA_OK(cudaStreamSynchronize(s.stream));

    std::vector<float> got(ROWS * NX), want = reference(steps);
    CUDA_OK(cudaMemcpy(got.data(), s.u, bytes, cudaMemcpyDeviceToHost));
    float worst = 0.0f;
    for (int i = NX; i < (ROWS - 1) * NX; ++i) worst = std::fmax(worst, std::fabs(got[i] - want[i]));
    printf("%zu nodes, max error %g\n", nodes, worst);
    bool good = worst < 1e-3f;

    CUDA_OK(cudaGraphExecDestroy(exec));
    CUDA_OK(cudaFree(s.u));
    CUDA_OK(cudaFree(s.v));
    CUDA_OK(cudaFree(s.un));
    CUDA_OK(cudaStreamDestroy(s.stream));
    printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
