#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

namespace grid {
const int NI = 64, NJ = 64, NPTS = NI * NJ;
int nstep = 0;
float *f, *edge;
}

namespace work {
cudaStream_t streams[3];
cudaEvent_t ready, done[3];
cudaGraphExec_t plan[2] = {nullptr, nullptr};
}

static void stop(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::printf("LABEL REFUTED line %d %s\n", line, cudaGetErrorName(e));
    std::exit(0);
}
#define OK(x) stop((x), __LINE__)

__global__ void sweep_i(float *f, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) f[p] = f[p] * 2.0f;
}
__global__ void sweep_j(float *f, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) f[p] = f[p] + 3.0f;
}
__global__ void edge_fill(float *edge, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) edge[p] += 1.0f;
}
__global__ void edge_apply(float *f, const float *edge, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) f[p] += 0.0f * edge[p];
}

void initialise() {
    using namespace grid;
    for (int s = 0; s < 3; ++s) {
        OK(cudaStreamCreateWithFlags(&work::streams[s], cudaStreamNonBlocking));
        OK(cudaEventCreateWithFlags(&work::done[s], cudaEventDisableTiming));
    }
    OK(cudaEventCreateWithFlags(&work::ready, cudaEventDisableTiming));
    OK(cudaMalloc(&f, NPTS * sizeof(float)));
    OK(cudaMalloc(&edge, NI * sizeof(float)));
    OK(cudaMemset(f, 0, NPTS * sizeof(float)));
    OK(cudaMemset(edge, 0, NI * sizeof(float)));
    OK(cudaDeviceSynchronize());
}

void boundary_conditions(cudaStream_t origin) {
    OK(cudaEventRecord(work::ready, origin));
    OK(cudaStreamWaitEvent(work::streams[1], work::ready, 0));
    edge_fill<<<1, grid::NI, 0, work::streams[1]>>>(grid::edge, grid::NI);
    OK(cudaEventRecord(work::done[1], work::streams[1]));
}

void boundary_join(cudaStream_t origin) {
    OK(cudaEventRecord(work::ready, origin));
    OK(cudaStreamWaitEvent(work::streams[2], work::ready, 0));
    OK(cudaStreamWaitEvent(work::streams[2], work::done[1], 0));
    edge_apply<<<1, grid::NI, 0, work::streams[2]>>>(grid::f, grid::edge, grid::NI);
    OK(cudaEventRecord(work::done[2], work::streams[2]));
    OK(cudaStreamWaitEvent(origin, work::done[2], 0));
}

cudaError_t plan_cycle(int parity, bool with_boundary) {
    using namespace grid;
    cudaStream_t s = work::streams[0];
    cudaGraph_t g = nullptr;
    const int nb = NPTS / 256;
    cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (e != cudaSuccess) return e;
    if (with_boundary) boundary_conditions(s);
    if (parity == 0) {
        sweep_i<<<nb, 256, 0, s>>>(f, NPTS);
        sweep_j<<<nb, 256, 0, s>>>(f, NPTS);
    } else {
        sweep_j<<<nb, 256, 0, s>>>(f, NPTS);
        sweep_i<<<nb, 256, 0, s>>>(f, NPTS);
    }
    if (with_boundary) boundary_join(s);
    e = cudaStreamEndCapture(s, &g);
    if (e != cudaSuccess) return e;
    e = cudaGraphInstantiate(&work::plan[parity], g, 0);
    cudaGraphDestroy(g);
    return e;
}

void march(int n) {
    for (int k = 0; k < n; ++k) {
        OK(cudaGraphLaunch(work::plan[grid::nstep % 2], work::streams[0]));
        ++grid::nstep;
    }
    OK(cudaStreamSynchronize(work::streams[0]));
}

void eager_cycle() {
    cudaStream_t s = work::streams[0];
    if (grid::nstep % 2 == 0) sweep_i<<<1, 1, 0, s>>>(grid::f + grid::NPTS - 1, 1);
    else sweep_j<<<1, 1, 0, s>>>(grid::f + grid::NPTS - 1, 0);
    OK(cudaStreamSynchronize(s));
}

int main() {
    initialise();
    cudaError_t first = cudaSuccess;
    for (int parity = 0; parity < 2; ++parity) {
        eager_cycle();
        cudaError_t e = plan_cycle(parity, true);
        if (e != cudaSuccess) first = e;
    }
    march(3);
    float value = -1.0f;
    OK(cudaMemcpy(&value, grid::f + 100, sizeof value, cudaMemcpyDeviceToHost));
    if (first == cudaSuccess && value == 27.0f) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED first %s value %g\n", cudaGetErrorName(first), value);
    return 0;
}
