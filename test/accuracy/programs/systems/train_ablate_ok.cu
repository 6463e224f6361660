// tiny training loop with ablation flags: learning rate schedule, dropout, plain SGD
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>

constexpr int D = 4096;
constexpr int ITERS = 4;

struct Cfg {
    unsigned seed = 1234;
    float base_lr = 0.1f;
    bool no_decay = false;
    bool no_dropout = false;
};

struct Trainer {
    Cfg cfg;
    float* w = nullptr;
    int* kept = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
    unsigned* step = nullptr;
    float* lr_table = nullptr;
};

static void die(const char* what, cudaError_t e) {
    if (e != cudaSuccess) printf("%s: %s\n", what, cudaGetErrorString(e));
}

__host__ __device__ inline unsigned mix(unsigned a, unsigned b) {
    unsigned h = a * 0x9E3779B9u ^ (b + 0x7F4A7C15u) * 0x85EBCA6Bu;
    h ^= h >> 16;
    h *= 0xC2B2AE35u;
    return h ^ (h >> 13);
}

static float lr_at(const Cfg& c, unsigned step) { return c.no_decay ? c.base_lr : c.base_lr / (float)(1u << (step - 1)); }

__global__ void advance(unsigned* step) { *step += 1; }
__global__ void dropout_mask(int* kept, unsigned seed, const unsigned* step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < D && (mix(seed + *step, i) & 1u)) atomicAdd(kept, i);
}
__global__ void sgd(float* w, const float* lr_table, const unsigned* step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < D) w[i] -= lr_table[*step];
}

static void train_step(Trainer& t) {
    advance<<<1, 1, 0, t.stream>>>(t.step);
    die("memset", cudaMemsetAsync(t.kept, 0, sizeof(int), t.stream));
    if (!t.cfg.no_dropout)
        dropout_mask<<<D / 256, 256, 0, t.stream>>>(t.kept, t.cfg.seed, t.step);
    sgd<<<D / 256, 256, 0, t.stream>>>(t.w, t.lr_table, t.step);
}

static void setup(Trainer& t) {
    die("stream", cudaStreamCreateWithFlags(&t.stream, cudaStreamNonBlocking));
    die("w", cudaMalloc(&t.w, D * sizeof(float)));
    die("kept", cudaMalloc(&t.kept, sizeof(int)));
    die("zero", cudaMemset(t.w, 0, D * sizeof(float)));
    float table[ITERS + 1] = {0.0f};
    for (int i = 1; i <= ITERS; ++i) table[i] = lr_at(t.cfg, i);
    die("step", cudaMalloc(&t.step, sizeof(unsigned)));
    die("lr", cudaMalloc(&t.lr_table, sizeof table));
    die("zero", cudaMemset(t.step, 0, sizeof(unsigned)));
    die("table", cudaMemcpy(t.lr_table, table, sizeof table, cudaMemcpyHostToDevice));
    die("sync", cudaDeviceSynchronize());

    cudaGraph_t g;
    die("begin", cudaStreamBeginCapture(t.stream, cudaStreamCaptureModeThreadLocal));
    train_step(t);
    die("end", cudaStreamEndCapture(t.stream, &g));
    die("instantiate", cudaGraphInstantiate(&t.exec, g, 0));
    cudaGraphDestroy(g);
}

static int host_mask(unsigned seed) {
    int sum = 0;
    for (int i = 0; i < D; ++i)
        if (mix(seed, i) & 1u) sum += i;
    return sum;
}

int main(int argc, char** argv) {
    Trainer t;
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--no-decay")) t.cfg.no_decay = true;
        if (!strcmp(argv[i], "--no-dropout")) t.cfg.no_dropout = true;
    }
    setup(t);
    int masks[ITERS];
    float w = 0.0f, ref = 0.0f;
    for (int it = 0; it < ITERS; ++it) {
        die("launch", cudaGraphLaunch(t.exec, t.stream));
        die("sync", cudaStreamSynchronize(t.stream));
        die("mask", cudaMemcpy(&masks[it], t.kept, sizeof(int), cudaMemcpyDeviceToHost));
        ref -= lr_at(t.cfg, it + 1);
    }
    die("weights", cudaMemcpy(&w, t.w + D - 1, sizeof w, cudaMemcpyDeviceToHost));
    bool fine = cudaGetLastError() == cudaSuccess;
    bool masks_match = true, masks_same = true;
    for (int it = 0; it < ITERS; ++it) {
        masks_match = masks_match && masks[it] == host_mask(t.cfg.seed + it + 1);
        masks_same = masks_same && masks[it] == masks[0];
    }
    bool confirmed = fine && masks_match && !masks_same && fabsf(w - ref) < 1e-5f;
    printf("%s: w=%g ref=%g masks %d %d %d %d\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", w, ref, masks[0],
           masks[1], masks[2], masks[3]);
    return 0;
}
