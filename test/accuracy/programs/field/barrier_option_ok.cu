// Prices a barrier option by Monte Carlo. A market data thread brings the volatility curve to the device while the
// pricer plans its work.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

struct Curve {
    float* vols = nullptr;
    cudaError_t status = cudaSuccess;
};

struct Contract {
    float spot, strike, barrier;
};

__device__ inline float uniformAt(unsigned path, unsigned step) {
    unsigned x = path * 747796405u + step * 2891336453u + 1u;
    x ^= x >> 16;
    x *= 2246822519u;
    x ^= x >> 13;
    return float(x >> 8) * (1.0f / 16777216.0f);
}

__global__ void walkPaths(float* payoff, const float* vols, int paths, int steps, Contract c) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    float s = c.spot;
    bool alive = true;
    for (int k = 0; k < steps; ++k) {
        s *= 1.0f + vols[k] * (uniformAt(p, k) - 0.5f);
        alive = alive && s < c.barrier;
    }
    payoff[p] = alive ? fmaxf(s - c.strike, 0.0f) : 0.0f;
}

class MarketData {
public:
    explicit MarketData(int steps) : steps_(steps) { status_ = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
    ~MarketData() {
        cudaFree(device_);
        cudaStreamDestroy(stream_);
    }

    Curve loadCurve(float level) {
        std::vector<float> host(steps_);
        for (int k = 0; k < steps_; ++k) host[k] = level + 0.001f * float(k);
        if (status_ == cudaSuccess) status_ = cudaMalloc(&device_, steps_ * sizeof(float));
        if (status_ == cudaSuccess) {
            status_ = cudaMemcpyAsync(device_, host.data(), steps_ * sizeof(float), cudaMemcpyHostToDevice, stream_);
        }
        if (status_ == cudaSuccess) status_ = cudaStreamSynchronize(stream_);
        return {device_, status_};
    }

private:
    const int steps_;
    cudaStream_t stream_ = nullptr;
    float* device_ = nullptr;
    cudaError_t status_ = cudaSuccess;
};

class BarrierPricer {
public:
    BarrierPricer(Contract contract, int paths, int steps) : contract_(contract), paths_(paths), steps_(steps) {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&payoff_, paths_ * sizeof(float));
    }
    ~BarrierPricer() {
        if (plan_) cudaGraphExecDestroy(plan_);
        cudaFree(payoff_);
        cudaStreamDestroy(stream_);
    }

    cudaError_t plan(MarketData& market, float level) {
        auto pending = std::async(std::launch::async, [&market, level, ready = begun_.get_future().share()] {
            ready.wait();
            return market.loadCurve(level);
        });
        const cudaError_t begun = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        begun_.set_value();
        const Curve curve = pending.get();
        if (begun != cudaSuccess) return begun;
        walkPaths<<<(paths_ + 127) / 128, 128, 0, stream_>>>(payoff_, curve.vols, paths_, steps_, contract_);
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (curve.status != cudaSuccess) return curve.status;
        if (ended != cudaSuccess) return ended;
        const cudaError_t rc = cudaGraphInstantiate(&plan_, graph, 0);
        cudaGraphDestroy(graph);
        return rc;
    }

    double price(cudaError_t* status) {
        std::vector<float> payoff(paths_);
        *status = cudaGraphLaunch(plan_, stream_);
        if (*status != cudaSuccess) return 0.0;
        cudaMemcpyAsync(payoff.data(), payoff_, paths_ * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        *status = cudaStreamSynchronize(stream_);
        return std::accumulate(payoff.begin(), payoff.end(), 0.0) / paths_;
    }

private:
    const Contract contract_;
    const int paths_, steps_;
    cudaStream_t stream_ = nullptr;
    float* payoff_ = nullptr;
    cudaGraphExec_t plan_ = nullptr;
    std::promise<void> begun_;
};

int main() {
    cudaFree(nullptr);
    MarketData market(24);
    BarrierPricer pricer({100.0f, 101.0f, 130.0f}, 8192, 24);
    const cudaError_t planned = pricer.plan(market, 0.05f);
    std::printf("plan: %s\n", cudaGetErrorName(planned));
    if (planned != cudaSuccess) {
        std::puts("LABEL NOT CONFIRMED: the plan failed");
        return 1;
    }
    cudaError_t first = cudaSuccess, second = cudaSuccess;
    const double a = pricer.price(&first);
    const double b = pricer.price(&second);
    std::printf("prices %f and %f\n", a, b);
    if (first == cudaSuccess && second == cudaSuccess && a > 0.0 && a < 29.0 && a == b) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::puts("LABEL NOT CONFIRMED: the price is wrong");
    return 1;
}
