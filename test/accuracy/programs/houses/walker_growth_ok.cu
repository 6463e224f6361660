// branching random growth, quick script for the figure in section 4
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); printf("LABEL UNOBSERVED\n"); exit(1); } } while (0)

const int CAP = 16384;
const int EPOCHS = 4;
const int STEPS = 10;
const int TPB = 256;

int n_walk = 1000;
float dt = 0.25f;
float *d_x, *d_v;
unsigned *d_hist;
int *d_n, *h_n;
cudaStream_t st;
cudaGraph_t graph;
cudaGraphExec_t exec_;

__global__ void drift(float *x, const float *v, const int *pn, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = *pn;
    if (i < n) x[i] += v[i] * dt;
}

__global__ void count(const float *x, unsigned *hist, const int *pn)
{
    __shared__ unsigned local;
    if (threadIdx.x == 0) local = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = *pn;
    if (i < n && x[i] > 0.0f) atomicAdd(&local, 1u);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hist, local);
}

int main()
{
    // setup
    CK(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking));
    CK(cudaMalloc(&d_x, CAP * sizeof(float)));
    CK(cudaMalloc(&d_v, CAP * sizeof(float)));
    CK(cudaMalloc(&d_hist, sizeof(unsigned)));
    CK(cudaMalloc(&d_n, sizeof(int)));
    CK(cudaMallocHost(&h_n, sizeof(int)));
    std::vector<float> v(CAP);
    for (int i = 0; i < CAP; i++) v[i] = 1.0f + (i % 4);
    CK(cudaMemcpy(d_v, v.data(), CAP * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemset(d_x, 0, CAP * sizeof(float)));
    CK(cudaMemset(d_hist, 0, sizeof(unsigned)));
    CK(cudaDeviceSynchronize());

    // host reference state
    std::vector<float> ref(CAP, 0.0f);
    unsigned long long ref_hist = 0;

    // one step as a graph
    CK(cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal));
    drift<<<(CAP + TPB - 1) / TPB, TPB, 0, st>>>(d_x, d_v, d_n, dt);
    count<<<(CAP + TPB - 1) / TPB, TPB, 0, st>>>(d_x, d_hist, d_n);
    CK(cudaGetLastError());
    CK(cudaStreamEndCapture(st, &graph));
    CK(cudaGraphInstantiate(&exec_, graph, 0));
    CK(cudaGraphDestroy(graph));

    // time loop
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        *h_n = n_walk;
        CK(cudaMemcpyAsync(d_n, h_n, sizeof(int), cudaMemcpyHostToDevice, st));
        for (int s = 0; s < STEPS; s++) CK(cudaGraphLaunch(exec_, st));
        CK(cudaStreamSynchronize(st));

        for (int s = 0; s < STEPS; s++)
            for (int i = 0; i < n_walk; i++) {
                ref[i] += v[i] * dt;
                if (ref[i] > 0.0f) ref_hist++;
            }
        printf("epoch %d: %d walkers\n", epoch, n_walk);

        // branching: every walker splits
        if (epoch + 1 < EPOCHS) {
            n_walk = n_walk * 2;
            if (n_walk > CAP) n_walk = CAP;
        }
    }

    // compare
    std::vector<float> x(CAP);
    unsigned hist = 0;
    CK(cudaMemcpy(x.data(), d_x, CAP * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&hist, d_hist, sizeof(unsigned), cudaMemcpyDeviceToHost));
    int differ = 0;
    for (int i = 0; i < CAP; i++)
        if (fabsf(x[i] - ref[i]) > 1e-4f) differ++;
    printf("positions that differ: %d, counted %u, reference %llu\n", differ, hist, ref_hist);

    CK(cudaGraphExecDestroy(exec_));
    CK(cudaFree(d_x));
    CK(cudaFree(d_v));
    CK(cudaFree(d_hist));
    CK(cudaFree(d_n));
    CK(cudaFreeHost(h_n));
    CK(cudaStreamDestroy(st));
    if (differ == 0 && hist == ref_hist) {
        printf("LABEL CONFIRMED\n");
        return 0;
    }
    printf("LABEL UNOBSERVED\n");
    return 1;
}
