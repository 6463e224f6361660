// Portfolio valuation service. Each market tick re-records the valuation and updates the running graph in place. Wiring goes
// through interfaces so that feeds and valuation models can be exchanged.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace risk {

class GpuException : public std::runtime_error {
public:
    GpuException(const std::string& operation, cudaError_t code)
        : std::runtime_error(operation + " failed: " + cudaGetErrorString(code)) {}
};

void require(cudaError_t code, const char* operation) {
    if (code != cudaSuccess) throw GpuException(operation, code);
}

struct MarketTick {
    float spot;
    float rate;
    bool stressed;  // the risk desk asked for the stress overlay
};

class IMarketFeed {
public:
    virtual ~IMarketFeed() = default;
    virtual bool next(MarketTick& tick) = 0;
};

class IValuationModel {
public:
    virtual ~IValuationModel() = default;
    virtual void enqueue(const MarketTick& tick, float* values, int count, cudaStream_t stream) = 0;
    virtual float expected(const MarketTick& tick, int position) const = 0;
};

__global__ void forward_values(float* values, int count, float spot, float rate) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = spot * (1.0f + rate * (i % 32)) - 90.0f;
}

__global__ void stress_overlay(float* values, int count, float haircut) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] -= haircut * fabsf(values[i]);
}

class ForwardModel final : public IValuationModel {
public:
    void enqueue(const MarketTick& tick, float* values, int count, cudaStream_t stream) override {
        const int blocks = (count + 255) / 256;
        forward_values<<<blocks, 256, 0, stream>>>(values, count, tick.spot, tick.rate);
        if (tick.stressed) stress_overlay<<<blocks, 256, 0, stream>>>(values, count, kHaircut);
    }
    float expected(const MarketTick& tick, int position) const override {
        const float v = tick.spot * (1.0f + tick.rate * (position % 32)) - 90.0f;
        return tick.stressed ? v - kHaircut * std::fabs(v) : v;
    }

private:
    static constexpr float kHaircut = 0.25f;
};

class ReplayFeed final : public IMarketFeed {
public:
    explicit ReplayFeed(std::vector<MarketTick> ticks) : ticks_(std::move(ticks)) {}
    bool next(MarketTick& tick) override {
        if (position_ == ticks_.size()) return false;
        tick = ticks_[position_++];
        return true;
    }

private:
    std::vector<MarketTick> ticks_;
    size_t position_ = 0;
};

class ValuationService {
public:
    ValuationService(std::shared_ptr<IValuationModel> model, int positions)
        : model_(std::move(model)), positions_(positions) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        require(cudaMalloc(&values_, positions_ * sizeof(float)), "cudaMalloc");
    }
    ~ValuationService() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(values_);
        cudaStreamDestroy(stream_);
    }
    ValuationService(const ValuationService&) = delete;
    ValuationService& operator=(const ValuationService&) = delete;

    std::vector<float> value(const MarketTick& tick) {
        refresh(tick);
        require(cudaGraphLaunch(exec_, stream_), "cudaGraphLaunch");
        std::vector<float> result(positions_);
        require(cudaMemcpyAsync(result.data(), values_, positions_ * sizeof(float), cudaMemcpyDeviceToHost, stream_),
                "cudaMemcpyAsync");
        require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        return result;
    }

    int instantiations() const { return instantiations_; }

private:
    void refresh(const MarketTick& tick) {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        model_->enqueue(tick, values_, positions_, stream_);
        require(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
        // The template graph is only needed for the update below.
        const std::unique_ptr<CUgraph_st, decltype(&cudaGraphDestroy)> guard(graph, &cudaGraphDestroy);

        if (!exec_) {
            instantiate(graph);
            return;
        }
        cudaGraphExecUpdateResultInfo info{};
        if (cudaGraphExecUpdate(exec_, graph, &info) != cudaSuccess) {
            (void)cudaGetLastError();  // e.g. the overlay came or went: topology differs, start over
            require(cudaGraphExecDestroy(exec_), "cudaGraphExecDestroy");
            exec_ = nullptr;
            instantiate(graph);
        }
    }

    void instantiate(cudaGraph_t graph) {
        require(cudaGraphInstantiate(&exec_, graph, 0), "cudaGraphInstantiate");
        ++instantiations_;
    }

    std::shared_ptr<IValuationModel> model_;
    const int positions_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* values_ = nullptr;
    int instantiations_ = 0;
};

struct ServiceFactory {
    static std::unique_ptr<IMarketFeed> feed() {
        return std::make_unique<ReplayFeed>(std::vector<MarketTick>{
            {100.0f, 0.010f, false}, {101.5f, 0.010f, false}, {99.0f, 0.012f, false},
            {92.0f, 0.015f, true},   {85.5f, 0.015f, true},   {97.0f, 0.011f, false}});
    }
    static std::shared_ptr<IValuationModel> model() { return std::make_shared<ForwardModel>(); }
};

}  // namespace risk

int main() {
    constexpr int kPositions = 20000;
    int wrong = 0;
    bool failed = false;
    try {
        const auto feed = risk::ServiceFactory::feed();
        const auto model = risk::ServiceFactory::model();
        risk::ValuationService service(model, kPositions);
        risk::MarketTick tick{};
        while (feed->next(tick)) {
            const std::vector<float> values = service.value(tick);
            float worst = 0.0f;
            for (int i = 0; i < kPositions; ++i) worst = std::fmax(worst, std::fabs(values[i] - model->expected(tick, i)));
            std::printf("spot %.2f%s: worst deviation %g\n", tick.spot, tick.stressed ? " (stressed)" : "", worst);
            if (worst > 1e-3f) ++wrong;
        }
        std::printf("instantiations: %d\n", service.instantiations());
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
        failed = true;
    }
    std::puts(!wrong && !failed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
