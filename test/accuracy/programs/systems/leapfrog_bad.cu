// leapfrog toy: N particles under constant pull, shrinking time step, two position buffers
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <utility>

#define N 2048
#define STEPS 6

static int g_err = 0;
static void ck(cudaError_t e, int line) {
    if (e != cudaSuccess && !g_err) {
        g_err = (int)e;
        printf("line %d: %s\n", line, cudaGetErrorString(e));
    }
}
#define CK(x) ck((x), __LINE__)

struct Params {
    float dt0 = 0.5f;
    float shrink = 0.5f;
    float pull = -2.0f;
    bool ablate_shrink = false;
};

struct State {
    float *x_cur, *x_nxt, *v;
};

__global__ void kick(float* v, float pull, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) v[i] += pull * dt;
}
__global__ void drift(const float* x, float* x_out, const float* v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) x_out[i] = x[i] + v[i];
}

// reference trajectory of one particle
static void reference(const Params& p, float* x, float* v) {
    float dt = p.dt0;
    *x = 0.0f;
    *v = 1.0f;
    for (int s = 0; s < STEPS; ++s) {
        *v += p.pull * dt;
        *x += *v;
        if (!p.ablate_shrink) dt *= p.shrink;
    }
}

int main() {
    Params p;
    State st;
    CK(cudaMalloc(&st.x_cur, N * sizeof(float)));
    CK(cudaMalloc(&st.x_nxt, N * sizeof(float)));
    CK(cudaMalloc(&st.v, N * sizeof(float)));

    float* host;
    CK(cudaMallocHost(&host, N * sizeof(float)));
    for (int i = 0; i < N; ++i) host[i] = 1.0f;
    CK(cudaMemcpy(st.v, host, N * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(st.x_cur, 0, N * sizeof(float)));
    CK(cudaMemset(st.x_nxt, 0, N * sizeof(float)));
    CK(cudaDeviceSynchronize());

    cudaStream_t s;
    CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));

    float dt = p.dt0;
    cudaGraph_t graph;
    cudaGraphExec_t step;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    kick<<<N / 256, 256, 0, s>>>(st.v, p.pull, dt); // HAZARD frozen
    drift<<<N / 256, 256, 0, s>>>(st.x_cur, st.x_nxt, st.v); // HAZARD frozen
    CK(cudaStreamEndCapture(s, &graph));
    CK(cudaGraphInstantiate(&step, graph, 0));
    CK(cudaGraphDestroy(graph));

    for (int k = 0; k < STEPS; ++k) {
        CK(cudaGraphLaunch(step, s));
        std::swap(st.x_cur, st.x_nxt);
        if (!p.ablate_shrink) dt *= p.shrink;
    }
    CK(cudaStreamSynchronize(s));

    float v_end, x_end, v_ref, x_ref;
    CK(cudaMemcpy(&x_end, st.x_cur + N - 1, sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&v_end, st.v + N - 1, sizeof(float), cudaMemcpyDeviceToHost));
    reference(p, &x_ref, &v_ref);

    float v_const_dt = 1.0f + STEPS * p.pull * p.dt0;
    bool confirmed = !g_err && x_end == 0.0f && std::fabs(v_end - v_const_dt) < 1e-5f && std::fabs(v_ref - v_end) > 0.1f;
    printf("%s: x=%g (ref %g) v=%g (ref %g)\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", x_end, x_ref, v_end, v_ref);

    cudaGraphExecDestroy(step);
    cudaFreeHost(host);
    cudaFree(st.v);
    cudaFree(st.x_cur);
    cudaFree(st.x_nxt);
    cudaStreamDestroy(s);
    return 0;
}
