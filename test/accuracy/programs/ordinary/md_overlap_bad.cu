// Leapfrog toy for the overlap experiment (fig. 4): pair forces next to bonded forces.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

const int N = 4096;
const int T = 128;
const float dt = 0.01f;

#define CHECK(x)                                                                  \
    do {                                                                          \
        cudaError_t err = (x);                                                    \
        if (err != cudaSuccess) {                                                 \
            printf("%s at line %d\n", cudaGetErrorString(err), __LINE__);         \
            printf("LABEL REFUTED\n");                                            \
            exit(0);                                                              \
        }                                                                         \
    } while (0)

__global__ void pair_forces(const float* x, float* f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    f[i] = -0.5f * x[i];
}

__global__ void bonded_forces(const float* x, float* f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    f[i] = -0.25f * x[i];
}

__global__ void kinetic(const float* v, float* ke) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ke[i] = 0.5f * v[i] * v[i];
}

__global__ void integrate(float* x, float* v, const float* fp, const float* fb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] += dt * (fp[i] + fb[i]);
    x[i] += dt * v[i];
}

float *x, *v, *fp, *fb, *ke;
cudaStream_t main_stream, side;
cudaEvent_t forked, joined;

void setup() {
    CHECK(cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    for (float** p : {&x, &v, &fp, &fb, &ke}) {
        CHECK(cudaMalloc(p, N * sizeof(float)));
        CHECK(cudaMemset(*p, 0, N * sizeof(float)));
    }
    std::vector<float> x0(N, 1.0f);
    CHECK(cudaMemcpy(x, x0.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
}

void one_step() {
    CHECK(cudaEventRecord(forked, main_stream));
    CHECK(cudaStreamWaitEvent(side, forked, 0));

    pair_forces<<<N / T, T, 0, main_stream>>>(x, fp);
    bonded_forces<<<N / T, T, 0, side>>>(x, fb);
    CHECK(cudaGetLastError());

    CHECK(cudaEventRecord(joined, side));
    CHECK(cudaStreamWaitEvent(main_stream, joined, 0));
    integrate<<<N / T, T, 0, main_stream>>>(x, v, fp, fb);
    CHECK(cudaGetLastError());

    kinetic<<<N / T, T, 0, side>>>(v, ke); // HAZARD dependency
    CHECK(cudaGetLastError());
}

int main() {
    setup();
    const int steps_per_graph = 10, launches = 5;

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    for (int s = 0; s < steps_per_graph; ++s) one_step();
    cudaError_t ended = cudaStreamEndCapture(main_stream, &graph);
    if (ended != cudaSuccess) {
        printf("end of capture: %s\n", cudaGetErrorString(ended));
        printf(ended == cudaErrorStreamCaptureUnjoined ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
        return 0;
    }
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));

    for (int l = 0; l < launches; ++l) CHECK(cudaGraphLaunch(exec, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));

    float hx = 1.0f, hv = 0.0f, hk = 0.0f;
    for (int s = 0; s < steps_per_graph * launches; ++s) {
        hk = 0.5f * hv * hv;
        hv += dt * (-0.5f * hx - 0.25f * hx);
        hx += dt * hv;
    }
    std::vector<float> gx(N), gk(N);
    CHECK(cudaMemcpy(gx.data(), x, N * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(gk.data(), ke, N * sizeof(float), cudaMemcpyDeviceToHost));
    printf("x = %f (host %f), ke = %f (host %f)\n", gx[N - 1], hx, gk[N - 1], hk);
    bool good = fabsf(gx[N - 1] - hx) < 1e-4f && fabsf(gk[N - 1] - hk) < 1e-4f;

    CHECK(cudaGraphExecDestroy(exec));
    for (float* p : {x, v, fp, fb, ke}) CHECK(cudaFree(p));
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaStreamDestroy(main_stream));
    printf(good ? "LABEL REFUTED\n" : "LABEL CONFIRMED\n");
    return 0;
}
