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

__global__ void kick(float* v, float pull, const float* dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) v[i] += pull * *dt;
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

    float* dt_dev;
    float* dt_host;
    CK(cudaMalloc(&dt_dev, sizeof(float)));
    CK(cudaMallocHost(&dt_host, STEPS * sizeof(float)));
    float dt = p.dt0;
    for (int k = 0; k < STEPS; ++k) {
        dt_host[k] = dt;
        if (!p.ablate_shrink) dt *= p.shrink;
    }

    cudaGraphExec_t step[2];
    for (int parity = 0; parity < 2; ++parity) {
        cudaGraph_t graph;
        CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        kick<<<N / 256, 256, 0, s>>>(st.v, p.pull, dt_dev);
        drift<<<N / 256, 256, 0, s>>>(st.x_cur, st.x_nxt, st.v);
        CK(cudaStreamEndCapture(s, &graph));
        CK(cudaGraphInstantiate(&step[parity], graph, 0));
        CK(cudaGraphDestroy(graph));
        std::swap(st.x_cur, st.x_nxt);
    }

    for (int k = 0; k < STEPS; ++k) {
        CK(cudaMemcpyAsync(dt_dev, dt_host + k, sizeof(float), cudaMemcpyHostToDevice, s));
        CK(cudaGraphLaunch(step[k % 2], s));
        std::swap(st.x_cur, st.x_nxt);
    }
    CK(cudaStreamSynchronize(s));

    float v_end, x_end, v_ref, x_ref;
    CK(cudaMemcpy(&x_end, st.x_cur + N - 1, sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&v_end, st.v + N - 1, sizeof(float), cudaMemcpyDeviceToHost));
    reference(p, &x_ref, &v_ref);

    bool confirmed = !g_err && std::fabs(x_end - x_ref) < 1e-4f && std::fabs(v_end - v_ref) < 1e-5f;
    printf("%s: x=%g (ref %g) v=%g (ref %g)\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", x_end, x_ref, v_end, v_ref);

    cudaGraphExecDestroy(step[0]);
    cudaGraphExecDestroy(step[1]);
    cudaFree(dt_dev);
    cudaFreeHost(dt_host);
    cudaFreeHost(host);
    cudaFree(st.v);
    cudaFree(st.x_cur);
    cudaFree(st.x_nxt);
    cudaStreamDestroy(s);
    return 0;
}
