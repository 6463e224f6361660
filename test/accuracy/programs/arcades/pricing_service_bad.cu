// Option pricing service. Collaborators are injected through interfaces; the Monte-Carlo engine
// replays a captured graph for every batch of paths and averages the batches.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace pricing {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& where)
        : std::runtime_error(where + ": " + cudaGetErrorString(code)) {}
};

inline void throwOnError(cudaError_t code, const char* where) {
    if (code != cudaSuccess) throw CudaError(code, where);
}

struct OptionContract {
    std::string id;
    double strike;
    double maturity;
};

struct MarketSnapshot {
    double spot;
    double rate;
    double volatility;
};

struct EngineConfig {
    uint32_t pathsPerBatch = 8192;
    uint32_t stepsPerPath = 4;
    uint64_t baseSeed = 0x5eedULL;
};

struct PathModel {
    double spot, strike, drift, sigmaRootDt, discount;
    uint32_t steps;
};

__host__ __device__ inline uint64_t mix64(uint64_t z) {
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

__host__ __device__ inline double discountedPayoff(const PathModel& m, uint64_t seed, uint64_t path) {
    double logReturn = 0.0;
    uint64_t state = mix64(seed ^ (path * 0xd1342543de82ef95ULL));
    for (uint32_t s = 0; s < m.steps; ++s) {
        double gauss = -6.0;
        for (int k = 0; k < 12; ++k) {
            state = mix64(state);
            gauss += static_cast<double>(state >> 11) * (1.0 / 9007199254740992.0);
        }
        logReturn += m.drift + m.sigmaRootDt * gauss;
    }
    double payoff = m.spot * exp(logReturn) - m.strike;
    return payoff > 0.0 ? m.discount * payoff : 0.0;
}

__global__ void simulatePaths(PathModel model, uint64_t seed, uint32_t paths, double* total) {
    const uint32_t path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path < paths) atomicAdd(total, discountedPayoff(model, seed, path));
}

__global__ void meanOf(const double* total, uint32_t paths, double* mean) { *mean = *total / paths; }

class ISeedSource {
public:
    virtual ~ISeedSource() = default;
    virtual uint64_t nextSeed() = 0;
};

class SequentialSeedSource final : public ISeedSource {
public:
    explicit SequentialSeedSource(uint64_t base) : state_(base) {}
    uint64_t nextSeed() override { return mix64(state_++); }

private:
    uint64_t state_;
};

class IOptionRepository {
public:
    virtual ~IOptionRepository() = default;
    virtual const OptionContract& find(const std::string& id) const = 0;
};

class InMemoryOptionRepository final : public IOptionRepository {
public:
    void add(OptionContract c) { contracts_[c.id] = std::move(c); }
    const OptionContract& find(const std::string& id) const override { return contracts_.at(id); }

private:
    std::map<std::string, OptionContract> contracts_;
};

// Owns the open capture until finish(); an abandoned capture is closed and dropped.
class CaptureSession {
public:
    explicit CaptureSession(cudaStream_t stream) : stream_(stream) {
        throwOnError(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    }
    ~CaptureSession() {
        if (!open_) return;
        cudaGraph_t dropped = nullptr;
        if (cudaStreamEndCapture(stream_, &dropped) == cudaSuccess && dropped) cudaGraphDestroy(dropped);
    }
    CaptureSession(const CaptureSession&) = delete;
    CaptureSession& operator=(const CaptureSession&) = delete;
    cudaGraph_t finish() {
        cudaGraph_t graph = nullptr;
        open_ = false;
        throwOnError(cudaStreamEndCapture(stream_, &graph), "end capture");
        return graph;
    }

private:
    cudaStream_t stream_;
    bool open_ = true;
};

class IPricingEngine {
public:
    virtual ~IPricingEngine() = default;
    virtual void prepare(const OptionContract& contract, const MarketSnapshot& market) = 0;
    virtual double runBatch() = 0;
};

PathModel makeModel(const OptionContract& c, const MarketSnapshot& m, const EngineConfig& cfg) {
    const double dt = c.maturity / cfg.stepsPerPath;
    return PathModel{m.spot, c.strike, (m.rate - 0.5 * m.volatility * m.volatility) * dt, m.volatility * std::sqrt(dt),
                     std::exp(-m.rate * c.maturity), cfg.stepsPerPath};
}

class MonteCarloEngine final : public IPricingEngine {
public:
    MonteCarloEngine(EngineConfig config, std::shared_ptr<ISeedSource> seeds)
        : config_(config), seeds_(std::move(seeds)) {
        throwOnError(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        throwOnError(cudaMalloc(&total_, 2 * sizeof(double)), "accumulator");
        throwOnError(cudaMallocHost(&result_, sizeof(double)), "result");
    }
    ~MonteCarloEngine() override {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(result_);
        cudaFree(total_);
        cudaStreamDestroy(stream_);
    }

    void prepare(const OptionContract& contract, const MarketSnapshot& market) override {
        const PathModel model = makeModel(contract, market, config_);
        CaptureSession session(stream_);
        enqueueBatch(model);
        cudaGraph_t graph = session.finish();
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
        const cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        throwOnError(status, "instantiate");
    }

    double runBatch() override {
        throwOnError(cudaGraphLaunch(exec_, stream_), "launch");
        throwOnError(cudaStreamSynchronize(stream_), "synchronize");
        return *result_;
    }

private:
    void enqueueBatch(const PathModel& model) {
        const uint32_t blocks = (config_.pathsPerBatch + 255) / 256;
        throwOnError(cudaMemsetAsync(total_, 0, sizeof(double), stream_), "clear");
        const uint64_t seed = seeds_->nextSeed();  // HAZARD random #seed
        simulatePaths<<<blocks, 256, 0, stream_>>>(model, seed, config_.pathsPerBatch, total_);  // HAZARD random #seed
        throwOnError(cudaGetLastError(), "simulate");
        meanOf<<<1, 1, 0, stream_>>>(total_, config_.pathsPerBatch, total_ + 1);
        throwOnError(cudaGetLastError(), "mean");
        throwOnError(cudaMemcpyAsync(result_, total_ + 1, sizeof(double), cudaMemcpyDeviceToHost, stream_), "fetch");
    }

    EngineConfig config_;
    std::shared_ptr<ISeedSource> seeds_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    double* total_ = nullptr;
    double* result_ = nullptr;
};

class PricingService {
public:
    PricingService(std::shared_ptr<IOptionRepository> repository, std::unique_ptr<IPricingEngine> engine)
        : repository_(std::move(repository)), engine_(std::move(engine)) {}

    std::vector<double> price(const std::string& id, const MarketSnapshot& market, int batches) {
        engine_->prepare(repository_->find(id), market);
        std::vector<double> estimates;
        for (int b = 0; b < batches; ++b) estimates.push_back(engine_->runBatch());
        return estimates;
    }

private:
    std::shared_ptr<IOptionRepository> repository_;
    std::unique_ptr<IPricingEngine> engine_;
};

double referenceBatch(const PathModel& model, uint64_t seed, uint32_t paths) {
    double sum = 0.0;
    for (uint32_t p = 0; p < paths; ++p) sum += discountedPayoff(model, seed, p);
    return sum / paths;
}

}  // namespace pricing

int main() {
    using namespace pricing;
    try {
        EngineConfig config;
        auto repository = std::make_shared<InMemoryOptionRepository>();
        repository->add({"ACME-C100", 100.0, 1.0});
        repository->add({"ACME-C120", 120.0, 0.5});
        const MarketSnapshot market{104.0, 0.02, 0.25};

        PricingService service(repository, std::make_unique<MonteCarloEngine>(
                                               config, std::make_shared<SequentialSeedSource>(config.baseSeed)));
        const std::vector<double> estimates = service.price("ACME-C100", market, 5);

        SequentialSeedSource referenceSeeds(config.baseSeed);
        const PathModel model = makeModel(repository->find("ACME-C100"), market, config);
        int right = 0, repeated = 0;
        for (size_t b = 0; b < estimates.size(); ++b) {
            const double expected = referenceBatch(model, referenceSeeds.nextSeed(), config.pathsPerBatch);
            std::printf("batch %zu: %.8f expected %.8f\n", b, estimates[b], expected);
            if (std::fabs(estimates[b] - expected) < 1e-7) ++right;
            if (b > 0 && std::fabs(estimates[b] - estimates[0]) < 1e-9) ++repeated;
        }
        std::printf(right == 1 && repeated == 4 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::printf("LABEL WRONG\n");
    }
    return 0;
}
