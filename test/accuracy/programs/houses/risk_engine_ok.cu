// Monte Carlo valuation service; jobs are wired through a small container and replayed as graphs.
#include <cuda_runtime.h>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace risk {

inline void ensure(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(rc));
}

__host__ __device__ inline uint32_t mix(uint32_t seed, uint32_t i) {
    uint32_t x = seed * 2654435761u ^ (i + 0x9e3779b9u);
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x & 0xffu;
}

__global__ void simulatePaths(unsigned* sum, int n, const uint32_t* seedPtr) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, mix(*seedPtr, i));
}
__global__ void advanceSeed(uint32_t* seed) { *seed += 1; }

class IAuditSink {
public:
    virtual ~IAuditSink() = default;
    virtual void record(const std::string& job) = 0;
    virtual size_t entries() const = 0;
};

class ISeedSource {
public:
    virtual ~ISeedSource() = default;
    virtual const uint32_t* next(cudaStream_t stream) = 0;
};

class IJob {
public:
    virtual ~IJob() = default;
    virtual const std::string& name() const = 0;
    virtual void enqueue(cudaStream_t stream) = 0;
    virtual const unsigned* deviceResult() const = 0;
};

class MemoryAudit final : public IAuditSink {
public:
    void record(const std::string& job) override { log_.push_back(job); }
    size_t entries() const override { return log_.size(); }
private:
    std::vector<std::string> log_;
};

class SequentialSeeds final : public ISeedSource {
public:
    SequentialSeeds() {
        ensure(cudaMalloc(&current_, sizeof(uint32_t)), "seed");
        ensure(cudaMemset(current_, 0, sizeof(uint32_t)), "seed");
        ensure(cudaDeviceSynchronize(), "seed");
    }
    ~SequentialSeeds() override { cudaFree(current_); }
    const uint32_t* next(cudaStream_t stream) override {
        advanceSeed<<<1, 1, 0, stream>>>(current_);
        return current_;
    }
private:
    uint32_t* current_ = nullptr;
};

class MonteCarloJob final : public IJob {
public:
    MonteCarloJob(std::shared_ptr<ISeedSource> seeds, std::shared_ptr<IAuditSink> audit, int paths)
        : seeds_(std::move(seeds)), audit_(std::move(audit)), paths_(paths) {
        ensure(cudaMalloc(&sum_, sizeof(unsigned)), "sum");
    }
    ~MonteCarloJob() override { cudaFree(sum_); }
    const std::string& name() const override { return name_; }
    const unsigned* deviceResult() const override { return sum_; }
    void enqueue(cudaStream_t stream) override {
        const uint32_t* seed = seeds_->next(stream);
        ensure(cudaMemsetAsync(sum_, 0, sizeof(unsigned), stream), "reset");
        simulatePaths<<<(paths_ + 127) / 128, 128, 0, stream>>>(sum_, paths_, seed);
        ensure(cudaGetLastError(), "simulate");
    }
private:
    std::string name_ = "mc-valuation";
    std::shared_ptr<ISeedSource> seeds_;
    std::shared_ptr<IAuditSink> audit_;
    int paths_;
    unsigned* sum_ = nullptr;
};

class GraphRunner {
public:
    GraphRunner(std::unique_ptr<IJob> job, std::shared_ptr<IAuditSink> audit)
        : job_(std::move(job)), audit_(std::move(audit)) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~GraphRunner() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    unsigned value() {
        if (!exec_) build();
        ensure(cudaGraphLaunch(exec_, stream_), "launch");
        audit_->record(job_->name());
        unsigned out = 0;
        ensure(cudaMemcpyAsync(&out, job_->deviceResult(), sizeof(out), cudaMemcpyDeviceToHost, stream_), "read");
        ensure(cudaStreamSynchronize(stream_), "sync");
        return out;
    }
    size_t audited() const { return audit_->entries(); }
private:
    void build() {
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            job_->enqueue(stream_);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        ensure(cudaStreamEndCapture(stream_, &graph), "end");
        cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        ensure(rc, "instantiate");
    }
    std::unique_ptr<IJob> job_;
    std::shared_ptr<IAuditSink> audit_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class JobFactory {
public:
    using Maker = std::function<std::unique_ptr<IJob>(std::shared_ptr<IAuditSink>)>;
    void bind(const std::string& key, Maker m) { makers_[key] = std::move(m); }
    std::unique_ptr<GraphRunner> resolve(const std::string& key, std::shared_ptr<IAuditSink> audit) const {
        return std::make_unique<GraphRunner>(makers_.at(key)(audit), audit);
    }
private:
    std::map<std::string, Maker> makers_;
};

} // namespace risk

int main() {
    static constexpr int kPaths = 5000;
    constexpr uint32_t kRuns = 6;
    try {
        risk::JobFactory factory;
        factory.bind("mc", [](std::shared_ptr<risk::IAuditSink> audit) {
            return std::make_unique<risk::MonteCarloJob>(std::make_shared<risk::SequentialSeeds>(), audit, kPaths);
        });
        auto runner = factory.resolve("mc", std::make_shared<risk::MemoryAudit>());
        int matches = 0;
        for (uint32_t run = 1; run <= kRuns; ++run) {
            unsigned want = 0;
            for (int i = 0; i < kPaths; ++i) want += risk::mix(run, i);
            unsigned got = runner->value();
            std::cout << "run " << run << " got " << got << " want " << want << "\n";
            if (got == want) ++matches;
        }
        std::cout << "audit entries " << runner->audited() << "\n";
        if (matches == int(kRuns) && runner->audited() == kRuns) {
            std::cout << "LABEL CONFIRMED\n";
            return 0;
        }
    } catch (const std::exception& e) {
        std::cout << e.what() << "\n";
    }
    std::cout << "LABEL UNOBSERVED\n";
    return 1;
}
