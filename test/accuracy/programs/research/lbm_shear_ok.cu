// D2Q9 BGK, doubly periodic shear wave, pull scheme with two lattices.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define CHECK(expr)                                                                          \
    if (cudaError_t rc_ = (expr); rc_ != cudaSuccess)                                        \
    throw std::runtime_error(std::string(#expr ": ") + cudaGetErrorName(rc_))

using Real = float;

__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ Real cw[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                           1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__device__ Real feq(int q, Real rho, Real u, Real v) {
    Real cu = 3.f * (cx[q] * u + cy[q] * v);
    return cw[q] * rho * (1.f + cu + 0.5f * cu * cu - 1.5f * (u * u + v * v));
}

__global__ void initialise(Real* f, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    Real u = 0.05f * sinf(6.2831853f * y / ny), v = 0.02f * cosf(6.2831853f * x / nx);
    for (int q = 0; q < 9; ++q) f[(q * ny + y) * nx + x] = feq(q, 1.f, u, v);
}

__global__ void collide_stream(const Real* __restrict__ src, Real* __restrict__ dst, int nx, int ny, Real omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= nx) return;
    Real f[9], rho = 0, u = 0, v = 0;
    for (int q = 0; q < 9; ++q) {
        int xs = (x - cx[q] + nx) % nx, ys = (y - cy[q] + ny) % ny;
        f[q] = src[(q * ny + ys) * nx + xs];
        rho += f[q];
        u += f[q] * cx[q];
        v += f[q] * cy[q];
    }
    u /= rho;
    v /= rho;
    for (int q = 0; q < 9; ++q) dst[(q * ny + y) * nx + x] = f[q] + omega * (feq(q, rho, u, v) - f[q]);
}

class CaptureScope {
    cudaStream_t s_;
    bool open_ = false;

public:
    explicit CaptureScope(cudaStream_t s) : s_(s) {
        CHECK(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
        open_ = true;
    }
    ~CaptureScope() {
        cudaGraph_t g = nullptr;
        if (open_ && cudaStreamEndCapture(s_, &g) == cudaSuccess) cudaGraphDestroy(g);
    }
    CaptureScope(const CaptureScope&) = delete;
    cudaGraphExec_t finish() {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t e = nullptr;
        open_ = false;
        CHECK(cudaStreamEndCapture(s_, &g));
        cudaError_t rc = cudaGraphInstantiate(&e, g, 0);
        cudaGraphDestroy(g);
        CHECK(rc);
        return e;
    }
};

class Lattice {
    int nx_, ny_;
    Real omega_;
    Real *f_ = nullptr, *fnew_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;

public:
    static constexpr int kStepsPerGraph = 2;  // even, so that f_ and fnew_ end where they began

    Lattice(int nx, int ny, Real nu) : nx_(nx), ny_(ny), omega_(1.f / (3.f * nu + 0.5f)) {
        CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CHECK(cudaMalloc(&f_, bytes()));
        CHECK(cudaMalloc(&fnew_, bytes()));
        initialise<<<grid(), 64, 0, stream_>>>(f_, nx_, ny_);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream_));
    }
    ~Lattice() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(f_);
        cudaFree(fnew_);
        cudaStreamDestroy(stream_);
    }
    Lattice(const Lattice&) = delete;

    size_t bytes() const { return size_t(9) * nx_ * ny_ * sizeof(Real); }
    dim3 grid() const { return dim3((nx_ + 63) / 64, ny_); }

    void step() {
        collide_stream<<<grid(), 64, 0, stream_>>>(f_, fnew_, nx_, ny_, omega_);
        CHECK(cudaGetLastError());
        std::swap(f_, fnew_);
    }

    void record() {
        CaptureScope scope(stream_);
        for (int k = 0; k < kStepsPerGraph; ++k) step();
        exec_ = scope.finish();
    }

    void run_eager(int n) {
        for (int k = 0; k < n; ++k) step();
    }

    void run(int n) {
        if (!exec_) record();
        for (; n >= kStepsPerGraph; n -= kStepsPerGraph) CHECK(cudaGraphLaunch(exec_, stream_));
        run_eager(n);
    }

    double enstrophy_proxy() {
        std::vector<Real> h(size_t(9) * nx_ * ny_);
        CHECK(cudaMemcpyAsync(h.data(), f_, bytes(), cudaMemcpyDeviceToHost, stream_));
        CHECK(cudaStreamSynchronize(stream_));
        double s = 0;
        size_t n = size_t(nx_) * ny_;
        for (size_t i = 0; i < n; ++i) {
            double u = h[n + i] - h[3 * n + i] + h[5 * n + i] - h[6 * n + i] - h[7 * n + i] + h[8 * n + i];
            s += u * u;
        }
        return s / n;
    }
};

int main(int argc, char** argv) {
    int steps = argc > 1 ? std::atoi(argv[1]) : 400;
    try {
        Lattice a(128, 96, 0.05f), b(128, 96, 0.05f);
        a.run_eager(steps);
        b.run(steps);
        double ea = a.enstrophy_proxy(), eb = b.enstrophy_proxy();
        std::printf("<u^2> eager %.9e  graph %.9e\n", ea, eb);
        std::puts(std::fabs(ea - eb) > 1e-6 * ea ? "LABEL REFUTED" : "LABEL CONFIRMED");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::puts("LABEL REFUTED");
    }
    return 0;
}
