#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace pic {

constexpr int MAXP = 2048;
constexpr int THREADS = 128;
constexpr int NSTREAM = 2;

int nlive = 0;
float *x = nullptr;
float *v = nullptr;
float *momentum = nullptr;
int *nlive_dev = nullptr;
cudaStream_t st[NSTREAM];
cudaEvent_t forked, joined;
cudaGraphExec_t cycle_exec = nullptr;

void ck(cudaError_t e, const char *where) {
    if (e == cudaSuccess) return;
    std::printf("LABEL REFUTED %s: %s\n", where, cudaGetErrorName(e));
    std::exit(0);
}

__global__ void push(float *x, const float *v, const int *live) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *live) x[i] += v[i];
}

__global__ void damp(float *v, int cap) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cap) v[i] *= 1.0f;
}

__global__ void sum_momentum(const float *v, const int *live, float *out) {
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int i = 0; i < *live; ++i) s += v[i];
        *out += s;
    }
}

__global__ void seed_particles(float *x, float *v, int first, int last) {
    for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
        x[i] = 0.0f;
        v[i] = 1.0f;
    }
}

void allocate() {
    for (auto &s : st) ck(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    ck(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming), "event");
    ck(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming), "event");
    ck(cudaMalloc(&x, MAXP * sizeof(float)), "x");
    ck(cudaMalloc(&v, MAXP * sizeof(float)), "v");
    ck(cudaMalloc(&momentum, sizeof(float)), "momentum");
    ck(cudaMalloc(&nlive_dev, sizeof(int)), "nlive");
    ck(cudaMemset(x, 0, MAXP * sizeof(float)), "x");
    ck(cudaMemset(v, 0, MAXP * sizeof(float)), "v");
    ck(cudaMemset(momentum, 0, sizeof(float)), "momentum");
    ck(cudaDeviceSynchronize(), "allocate");
}

void inject(int count) {
    const int last = std::min(MAXP, nlive + count);
    seed_particles<<<1, THREADS, 0, st[0]>>>(x, v, nlive, last);
    nlive = last;
    ck(cudaMemcpyAsync(nlive_dev, &nlive, sizeof(int), cudaMemcpyHostToDevice, st[0]), "inject");
    ck(cudaStreamSynchronize(st[0]), "inject");
}

void tally() {
    sum_momentum<<<1, 32, 0, st[0]>>>(v, nlive_dev, momentum);
}

float probe_position(int i) {
    float value = 0.0f;
    ck(cudaDeviceSynchronize(), "probe");
    damp<<<MAXP / THREADS, THREADS>>>(v, MAXP);
    ck(cudaMemcpy(&value, x + i, sizeof value, cudaMemcpyDeviceToHost), "probe");
    return value;
}

void build_cycle() {
    cudaGraph_t g = nullptr;
    ck(cudaStreamBeginCapture(st[0], cudaStreamCaptureModeGlobal), "begin");
    push<<<MAXP / THREADS, THREADS, 0, st[0]>>>(x, v, nlive_dev);
    tally();
    ck(cudaEventRecord(forked, st[0]), "fork");
    ck(cudaStreamWaitEvent(st[1], forked, 0), "fork");
    damp<<<MAXP / THREADS, THREADS, 0, st[1]>>>(v, MAXP);
    ck(cudaEventRecord(joined, st[1]), "join");
    ck(cudaStreamWaitEvent(st[0], joined, 0), "join");
    ck(cudaStreamEndCapture(st[0], &g), "end");
    ck(cudaGraphInstantiate(&cycle_exec, g, 0), "instantiate");
    ck(cudaGraphDestroy(g), "destroy");
}

void cycle(int n) {
    for (int k = 0; k < n; ++k) ck(cudaGraphLaunch(cycle_exec, st[0]), "launch");
    ck(cudaStreamSynchronize(st[0]), "cycle");
}

}  // namespace pic

int main() {
    using namespace pic;
    allocate();
    inject(256);
    build_cycle();
    ck(cudaDeviceSynchronize(), "built");
    cycle(2);
    inject(512);
    cycle(3);
    const float old_particle = probe_position(10);
    const float new_particle = probe_position(600);
    float p = 0.0f;
    ck(cudaMemcpy(&p, momentum, sizeof p, cudaMemcpyDeviceToHost), "momentum");
    const bool hit = old_particle == 5.0f && new_particle == 3.0f && p == 2.0f * 256.0f + 3.0f * 768.0f;
    if (hit) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED old %g new %g p %g\n", old_particle, new_particle, p);
    return 0;
}
