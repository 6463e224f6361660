// 1D acoustic wave with a Ricker source, explicit second order.  usage: ./ricker [nsteps]
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s line %d: %s\nLABEL REFUTED\n", #x, __LINE__, cudaGetErrorString(e)); exit(0); } } while (0)

const int NX = 2000;
const int ISRC = 700;
const float DT = 1e-3f, DX = 5.f, VEL = 2000.f, F0 = 12.f;

float ricker(float t) {
    float a = (float)M_PI * F0 * (t - 1.2f / F0);
    return (1 - 2 * a * a) * expf(-a * a);
}

__global__ void step(const float* u, const float* um, float* up, float c2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= NX - 1) return;
    up[i] = 2 * u[i] - um[i] + c2 * (u[i + 1] - 2 * u[i] + u[i - 1]);
}

__global__ void add_source(float* up, float amp) { up[ISRC] += amp; }

__global__ void rotate(float* u, float* um, const float* up) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NX) return;
    um[i] = u[i];
    u[i] = up[i];
}

// plain CPU version, for checking
std::vector<float> cpu(int nt) {
    std::vector<float> u(NX), um(NX), up(NX);
    float c2 = VEL * VEL * DT * DT / (DX * DX);
    for (int it = 0; it < nt; it++) {
        for (int i = 1; i < NX - 1; i++) up[i] = 2 * u[i] - um[i] + c2 * (u[i + 1] - 2 * u[i] + u[i - 1]);
        up[ISRC] += ricker(it * DT);
        um = u;
        u = up;
    }
    return u;
}

int main(int argc, char** argv) {
    int nt = argc > 1 ? atoi(argv[1]) : 300;
    float c2 = VEL * VEL * DT * DT / (DX * DX);
    float *u, *um, *up;
    CK(cudaMalloc(&u, NX * sizeof(float)));
    CK(cudaMalloc(&um, NX * sizeof(float)));
    CK(cudaMalloc(&up, NX * sizeof(float)));
    CK(cudaMemset(u, 0, NX * sizeof(float)));
    CK(cudaMemset(um, 0, NX * sizeof(float)));
    CK(cudaMemset(up, 0, NX * sizeof(float)));
    CK(cudaDeviceSynchronize());

    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;

    dim3 blk(256), grd((NX + 255) / 256);
    for (int it = 0; it < nt; it++) {
        float amp = ricker(it * DT);
        if (it == 0) {
            // launch overhead dominates at this size, record the time step once
            CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
            step<<<grd, blk, 0, s>>>(u, um, up, c2);
            add_source<<<1, 1, 0, s>>>(up, amp); // HAZARD frozen
            rotate<<<grd, blk, 0, s>>>(u, um, up);
            CK(cudaStreamEndCapture(s, &graph));
            CK(cudaGraphInstantiate(&exec, graph, 0));
        }
        CK(cudaGraphLaunch(exec, s));
    }
    CK(cudaStreamSynchronize(s));

    std::vector<float> h(NX), ref = cpu(nt);
    CK(cudaMemcpy(h.data(), u, NX * sizeof(float), cudaMemcpyDeviceToHost));
    float err = 0, mx = 0;
    for (int i = 0; i < NX; i++) {
        err = fmaxf(err, fabsf(h[i] - ref[i]));
        mx = fmaxf(mx, fabsf(ref[i]));
    }
    printf("nt=%d max|u|=%g max err=%g\n", nt, mx, err);
    bool same = err < 1e-2f * mx;

    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
    CK(cudaStreamDestroy(s));
    cudaFree(u);
    cudaFree(um);
    cudaFree(up);
    printf("%s\n", same ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
