#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CK(x)                                                              \
    do {                                                                   \
        cudaError_t rc_ = (x);                                             \
        if (rc_ != cudaSuccess) {                                          \
            std::printf("LABEL REFUTED %s at %d\n", cudaGetErrorName(rc_), __LINE__); \
            std::exit(0);                                                  \
        }                                                                  \
    } while (0)

namespace mesh {
constexpr int NX = 512;
double *h, *flux, *tracer;
double dt = 1.0;
double cfl = 1.0;
__device__ double dt_dev;
}

namespace par {
constexpr int NSTR = 3;
cudaStream_t streams[NSTR];
cudaEvent_t ev_fork, ev_flux, ev_done[NSTR];
cudaGraph_t graph;
cudaGraphExec_t exec;
}

__global__ void flux_kernel(double *flux, int n, long long settle) {
    long long t0 = clock64();
    while (clock64() - t0 < settle) {}
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flux[i] = mesh::dt_dev * 1.0;
}

__global__ void depth_kernel(double *h, const double *flux, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) h[i] += flux[i];
}

__global__ void tracer_kernel(double *tr, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tr[i] += 1.0;
}

void fork_from(int origin, int target) {
    CK(cudaEventRecord(par::ev_fork, par::streams[origin]));
    CK(cudaStreamWaitEvent(par::streams[target], par::ev_fork, 0));
}

void join_to(int origin, int source) {
    CK(cudaEventRecord(par::ev_done[source], par::streams[source]));
    CK(cudaStreamWaitEvent(par::streams[origin], par::ev_done[source], 0));
}

void setup() {
    using namespace mesh;
    for (int s = 0; s < par::NSTR; ++s) {
        CK(cudaStreamCreateWithFlags(&par::streams[s], cudaStreamNonBlocking));
        CK(cudaEventCreateWithFlags(&par::ev_done[s], cudaEventDisableTiming));
    }
    CK(cudaEventCreateWithFlags(&par::ev_fork, cudaEventDisableTiming));
    CK(cudaEventCreateWithFlags(&par::ev_flux, cudaEventDisableTiming));
    CK(cudaMalloc(&h, NX * sizeof(double)));
    CK(cudaMalloc(&flux, NX * sizeof(double)));
    CK(cudaMalloc(&tracer, NX * sizeof(double)));
    CK(cudaMemset(h, 0, NX * sizeof(double)));
    CK(cudaMemset(flux, 0, NX * sizeof(double)));
    CK(cudaMemset(tracer, 0, NX * sizeof(double)));
    CK(cudaMemcpyToSymbol(dt_dev, &dt, sizeof dt));
    CK(cudaDeviceSynchronize());
    depth_kernel<<<NX / 128, 128, 0, par::streams[0]>>>(h, flux, NX);
    CK(cudaDeviceSynchronize());
}

void set_timestep(double value) {
    mesh::dt = value * mesh::cfl;
    CK(cudaMemcpyToSymbolAsync(mesh::dt_dev, &mesh::dt, sizeof(double), 0, cudaMemcpyHostToDevice, par::streams[0]));
}

void build_step() {
    using namespace mesh;
    const int nb = NX / 128;
    cudaStream_t main_stream = par::streams[0];
    CK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    for (int s = 1; s < par::NSTR; ++s) fork_from(0, s);

    flux_kernel<<<nb, 128, 0, par::streams[1]>>>(flux, NX, 20000000LL);
    CK(cudaEventRecord(par::ev_flux, par::streams[1]));

    tracer_kernel<<<nb, 128, 0, par::streams[2]>>>(tracer, NX);
    CK(cudaStreamWaitEvent(par::streams[2], par::ev_flux, 0));
    depth_kernel<<<nb, 128, 0, par::streams[2]>>>(h, flux, NX);

    for (int s = par::NSTR - 1; s >= 1; --s) join_to(0, s);
    CK(cudaStreamEndCapture(main_stream, &par::graph));
    CK(cudaGraphInstantiate(&par::exec, par::graph, 0));
}

void advance(int nsteps) {
    for (int k = 0; k < nsteps; ++k) CK(cudaGraphLaunch(par::exec, par::streams[0]));
    CK(cudaStreamSynchronize(par::streams[0]));
}

int main() {
    setup();
    build_step();
    advance(2);
    set_timestep(0.25);
    advance(2);
    double depth = -1.0, conc = -1.0;
    CK(cudaMemcpy(&depth, mesh::h + 17, sizeof depth, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(&conc, mesh::tracer + 17, sizeof conc, cudaMemcpyDeviceToHost));
    if (std::fabs(depth - 2.5) < 1e-12 && conc == 4.0) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED depth %g tracer %g\n", depth, conc);
    return 0;
}
