// Implied volatilities of an option chain by Newton iteration, recomputed when a new set of quotes arrives.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Chain {
    int count;
    double spot, expiry;
    double *strike, *quote, *vol;       // device
    unsigned long long *residualBits;   // device, largest |price error| as the bits of a double
    double *hostResidual;               // pinned
};

struct Solver {
    Chain chain;
    cudaStream_t stream;
    cudaGraphExec_t iterate;
};

constexpr double kTolerance = 1e-9;
constexpr int kMaxIterations = 40;

#define TRY(call)                              \
    do {                                       \
        cudaError_t tryErr = (call);           \
        if (tryErr != cudaSuccess) return tryErr; \
    } while (0)

__host__ __device__ inline double normalCdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

__host__ __device__ inline double callPrice(double spot, double strike, double expiry, double vol, double* vega) {
    const double s = vol * sqrt(expiry);
    const double d1 = log(spot / strike) / s + 0.5 * s;
    if (vega) *vega = spot * sqrt(expiry) * exp(-0.5 * d1 * d1) * 0.39894228040143267794;
    return spot * normalCdf(d1) - strike * normalCdf(d1 - s);
}

__global__ void startKernel(Chain c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c.count) c.vol[i] = fmax(0.2, sqrt(2.0 * fabs(log(c.spot / c.strike[i])) / c.expiry));
}

__global__ void newtonKernel(Chain c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c.count) return;
    double vega = 0.0;
    const double error = callPrice(c.spot, c.strike[i], c.expiry, c.vol[i], &vega) - c.quote[i];
    c.vol[i] = fmax(0.01, c.vol[i] - error / vega);
    atomicMax(c.residualBits, static_cast<unsigned long long>(__double_as_longlong(fabs(error))));
}

static int blocks(const Chain& c) { return (c.count + 127) / 128; }

static cudaError_t createSolver(Solver& s, const std::vector<double>& strikes, double spot, double expiry) {
    s = Solver{};
    s.chain.count = static_cast<int>(strikes.size());
    s.chain.spot = spot;
    s.chain.expiry = expiry;
    const size_t bytes = strikes.size() * sizeof(double);
    TRY(cudaStreamCreate(&s.stream));
    TRY(cudaMalloc(&s.chain.strike, bytes));
    TRY(cudaMalloc(&s.chain.quote, bytes));
    TRY(cudaMalloc(&s.chain.vol, bytes));
    TRY(cudaMalloc(&s.chain.residualBits, sizeof(unsigned long long)));
    TRY(cudaMallocHost(&s.chain.hostResidual, sizeof(double)));
    return cudaMemcpy(s.chain.strike, strikes.data(), bytes, cudaMemcpyHostToDevice);
}

static void destroySolver(Solver& s) {
    if (s.iterate) cudaGraphExecDestroy(s.iterate);
    cudaFree(s.chain.strike);
    cudaFree(s.chain.quote);
    cudaFree(s.chain.vol);
    cudaFree(s.chain.residualBits);
    cudaFreeHost(s.chain.hostResidual);
    cudaStreamDestroy(s.stream);
}

static cudaError_t fetchResidual(Solver& s, double& residual) {
    TRY(cudaMemcpyAsync(s.chain.hostResidual, s.chain.residualBits, sizeof(double), cudaMemcpyDeviceToHost, s.stream));
    TRY(cudaStreamSynchronize(s.stream));  // HAZARD sync_call #residual
    residual = *s.chain.hostResidual;
    return cudaSuccess;
}

static cudaError_t enqueueIteration(Solver& s) {
    TRY(cudaMemsetAsync(s.chain.residualBits, 0, sizeof(unsigned long long), s.stream));
    newtonKernel<<<blocks(s.chain), 128, 0, s.stream>>>(s.chain);
    return cudaGetLastError();
}

// The whole solve: starting values, then Newton steps until the largest price error is small.
static cudaError_t enqueueSolve(Solver& s) {
    startKernel<<<blocks(s.chain), 128, 0, s.stream>>>(s.chain);
    TRY(cudaGetLastError());
    for (int it = 0; it < kMaxIterations; ++it) {
        TRY(enqueueIteration(s));
        double residual = 0.0;
        TRY(fetchResidual(s, residual));  // HAZARD sync_call #residual
        if (residual < kTolerance) break;  // HAZARD host_logic #residual
    }
    return cudaSuccess;
}

static cudaError_t recordSolver(Solver& s) {
    TRY(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
    const cudaError_t enqueued = enqueueSolve(s);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(s.stream, &graph);
    if (enqueued != cudaSuccess || ended != cudaSuccess) {
        if (graph) cudaGraphDestroy(graph);
        return enqueued != cudaSuccess ? enqueued : ended;
    }
    const cudaError_t made = cudaGraphInstantiate(&s.iterate, graph, 0);
    cudaGraphDestroy(graph);
    return made;
}

static cudaError_t solve(Solver& s, const std::vector<double>& quotes, std::vector<double>& vols) {
    const size_t bytes = quotes.size() * sizeof(double);
    TRY(cudaMemcpyAsync(s.chain.quote, quotes.data(), bytes, cudaMemcpyHostToDevice, s.stream));
    TRY(cudaGraphLaunch(s.iterate, s.stream));
    vols.resize(quotes.size());
    TRY(cudaMemcpyAsync(vols.data(), s.chain.vol, bytes, cudaMemcpyDeviceToHost, s.stream));
    return cudaStreamSynchronize(s.stream);
}

int main() {
    const double spot = 100.0, expiry = 1.0;
    std::vector<double> strikes;
    for (int i = 0; i < 401; ++i) strikes.push_back(90.0 + 0.05 * i);

    Solver solver;
    cudaError_t status = createSolver(solver, strikes, spot, expiry);
    if (status != cudaSuccess) {
        std::printf("setup: %s\nLABEL UNOBSERVED\n", cudaGetErrorString(status));
        return 1;
    }
    status = recordSolver(solver);
    int solved = 0;
    double worst = 0.0;
    for (int day = 0; day < 4 && status == cudaSuccess; ++day) {
        std::vector<double> quotes(strikes.size()), vols;
        for (size_t i = 0; i < strikes.size(); ++i) {
            const double m = std::log(strikes[i] / spot);
            quotes[i] = callPrice(spot, strikes[i], expiry, 0.18 + 0.05 * day + 0.8 * m * m, nullptr);
        }
        status = solve(solver, quotes, vols);
        if (status != cudaSuccess) break;
        ++solved;
        for (size_t i = 0; i < strikes.size(); ++i)
            worst = std::max(worst, std::fabs(callPrice(spot, strikes[i], expiry, vols[i], nullptr) - quotes[i]));
    }
    std::printf("solved %d days, worst error %g, status %s\n", solved, worst, cudaGetErrorString(status));
    destroySolver(solver);
    std::puts(status != cudaSuccess && solved == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
