// Revaluation service of a treasury system. Collaborators are injected; the valuation itself is a CUDA graph that is
// built on first use and replayed for every revaluation.
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace treasury {

class CudaFailure : public std::runtime_error {
public:
    CudaFailure(cudaError_t e, const char* what) : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e)) {}
};

inline void ensure(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw CudaFailure(e, what);
}

class IMarketData {
public:
    virtual ~IMarketData() = default;
    virtual float discountFactor() const noexcept = 0;
};

class IAuditTrail {
public:
    virtual ~IAuditTrail() = default;
    virtual void revaluation(float factor) noexcept = 0;
};

struct PinnedDeleter {
    void operator()(float* p) const noexcept { cudaFreeHost(p); }
};
struct DeviceDeleter {
    void operator()(float* p) const noexcept { cudaFree(p); }
};
using PinnedFloats = std::unique_ptr<float[], PinnedDeleter>;
using DeviceFloats = std::unique_ptr<float[], DeviceDeleter>;

PinnedFloats makePinned(size_t n) {
    float* p = nullptr;
    ensure(cudaMallocHost(&p, n * sizeof(float)), "pinned buffer");
    return PinnedFloats(p);
}
DeviceFloats makeDevice(size_t n) {
    float* p = nullptr;
    ensure(cudaMalloc(&p, n * sizeof(float)), "device buffer");
    return DeviceFloats(p);
}

__global__ void presentValue(const float* cashflow, float* pv, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pv[i] = cashflow[i] * factor;
}

class RevaluationService {
public:
    RevaluationService(std::shared_ptr<const IMarketData> market, std::shared_ptr<IAuditTrail> audit,
                       const std::vector<float>& cashflows)
        : market_(std::move(market)),
          audit_(std::move(audit)),
          count_(static_cast<int>(cashflows.size())),
          cashflow_(makeDevice(cashflows.size())),
          pv_(makeDevice(cashflows.size())),
          result_(makePinned(cashflows.size())) {
        ensure(cudaMemcpy(cashflow_.get(), cashflows.data(), bytes(), cudaMemcpyHostToDevice), "cashflows");
        ensure(cudaDeviceSynchronize(), "cashflows");
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~RevaluationService() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    RevaluationService(const RevaluationService&) = delete;
    RevaluationService& operator=(const RevaluationService&) = delete;

    std::vector<float> revalue() {
        if (!exec_) buildGraph();
        ensure(cudaGraphLaunch(exec_, stream_), "launch");
        ensure(cudaStreamSynchronize(stream_), "revaluation");
        return std::vector<float>(result_.get(), result_.get() + count_);
    }

private:
    size_t bytes() const noexcept { return static_cast<size_t>(count_) * sizeof(float); }

    // Everything between begin and end reports through status codes so that the capture is always closed.
    cudaError_t enqueueValuation() noexcept {
        const int threads = 128;
        const int blocks = (count_ + threads - 1) / threads;
        const float factor = market_->discountFactor();                                              // HAZARD frozen #factor
        presentValue<<<blocks, threads, 0, stream_>>>(cashflow_.get(), pv_.get(), factor, count_);  // HAZARD frozen #factor
        if (const cudaError_t e = cudaGetLastError()) return e;
        audit_->revaluation(factor);  // HAZARD host_logic
        return cudaMemcpyAsync(result_.get(), pv_.get(), bytes(), cudaMemcpyDeviceToHost, stream_);
    }

    void buildGraph() {
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        const cudaError_t enqueued = enqueueValuation();
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        const cudaError_t made = ended == cudaSuccess ? cudaGraphInstantiate(&exec_, graph, 0) : ended;
        if (graph) cudaGraphDestroy(graph);
        ensure(enqueued, "valuation kernels");
        ensure(made, "valuation graph");
    }

    std::shared_ptr<const IMarketData> market_;
    std::shared_ptr<IAuditTrail> audit_;
    int count_;
    DeviceFloats cashflow_;
    DeviceFloats pv_;
    PinnedFloats result_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace treasury

namespace {

class QuotedMarket final : public treasury::IMarketData {
public:
    void quote(float f) noexcept { factor_ = f; }
    float discountFactor() const noexcept override { return factor_; }

private:
    float factor_ = 1.0f;
};

class CountingAudit final : public treasury::IAuditTrail {
public:
    void revaluation(float factor) noexcept override {
        ++entries_;
        lastFactor_ = factor;
    }
    int entries() const noexcept { return entries_; }
    float lastFactor() const noexcept { return lastFactor_; }

private:
    int entries_ = 0;
    float lastFactor_ = 0.0f;
};

}  // namespace

int main() {
    auto market = std::make_shared<QuotedMarket>();
    auto audit = std::make_shared<CountingAudit>();
    const std::vector<float> cashflows{100.0f, 64.0f, 32.0f, 8.0f, 1024.0f};
    const std::vector<float> quotes{0.5f, 0.75f, 0.25f, 0.875f};
    bool valued = true, audited = true;
    try {
        treasury::RevaluationService service(market, audit, cashflows);
        int runs = 0;
        for (float q : quotes) {
            market->quote(q);
            const std::vector<float> pv = service.revalue();
            ++runs;
            for (size_t i = 0; i < pv.size(); ++i) valued = valued && pv[i] == cashflows[i] * q;
            audited = audited && audit->entries() == runs && audit->lastFactor() == q;
        }
    } catch (const std::exception& e) {
        std::printf("failed: %s\nLABEL UNOBSERVED\n", e.what());
        return 1;
    }
    std::printf("values %s, audit trail %s\n", valued ? "right" : "stale", audited ? "complete" : "incomplete");
    std::puts(!valued && !audited ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
