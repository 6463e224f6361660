#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace acme {
namespace pricing {

enum class StatusCode { kOk, kDeviceError, kInvalidState };

class [[nodiscard]] Status {
public:
    static Status Ok() { return Status(StatusCode::kOk, ""); }
    static Status Device(cudaError_t err, const char* what) {
        return Status(StatusCode::kDeviceError, std::string(what) + ": " + cudaGetErrorString(err));
    }
    static Status InvalidState(const char* what) { return Status(StatusCode::kInvalidState, what); }
    bool IsOk() const { return m_code == StatusCode::kOk; }
    const std::string& Message() const { return m_message; }

private:
    Status(StatusCode code, std::string message) : m_code(code), m_message(std::move(message)) {}
    StatusCode m_code;
    std::string m_message;
};

#define ACME_RETURN_IF_CUDA(call)                                                  \
    do {                                                                           \
        const cudaError_t acmeErr_ = (call);                                       \
        if (acmeErr_ != cudaSuccess) return Status::Device(acmeErr_, #call);       \
    } while (false)
#define ACME_RETURN_IF_ERROR(expr)                 \
    do {                                           \
        Status acmeStatus_ = (expr);               \
        if (!acmeStatus_.IsOk()) return acmeStatus_; \
    } while (false)

struct MarketSnapshot {
    float spot;
    float rate;
    float volatility;
};

__device__ inline float NormalCdf(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__global__ void BlackScholesCall(const float* strikes, const float* expiries, float* values, int count,
                                 MarketSnapshot market) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float t = expiries[i];
    const float sd = market.volatility * sqrtf(t);
    const float d1 = (logf(market.spot / strikes[i]) + (market.rate + 0.5f * market.volatility * market.volatility) * t) / sd;
    values[i] = market.spot * NormalCdf(d1) - strikes[i] * expf(-market.rate * t) * NormalCdf(d1 - sd);
}

class IMarketDataListener {
public:
    virtual ~IMarketDataListener() = default;
    virtual void OnTick(const MarketSnapshot& snapshot) = 0;
};

class IValuationEngine {
public:
    virtual ~IValuationEngine() = default;
    virtual Status Initialize(const std::vector<float>& strikes, const std::vector<float>& expiries) = 0;
    virtual Status Revalue(std::vector<float>& values) = 0;
};

// Ends the capture on every path; Finish() hands over the executable.
class CaptureSession {
public:
    explicit CaptureSession(cudaStream_t stream) : m_stream(stream) {}
    CaptureSession(const CaptureSession&) = delete;
    CaptureSession& operator=(const CaptureSession&) = delete;
    ~CaptureSession() {
        if (m_open) {
            cudaGraph_t discarded = nullptr;
            (void)cudaStreamEndCapture(m_stream, &discarded);
            if (discarded != nullptr) (void)cudaGraphDestroy(discarded);
        }
    }
    Status Start() {
        ACME_RETURN_IF_CUDA(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal));
        m_open = true;
        return Status::Ok();
    }
    Status Finish(cudaGraphExec_t* exec) {
        cudaGraph_t graph = nullptr;
        m_open = false;
        ACME_RETURN_IF_CUDA(cudaStreamEndCapture(m_stream, &graph));
        const cudaError_t err = cudaGraphInstantiate(exec, graph, 0);
        (void)cudaGraphDestroy(graph);
        if (err != cudaSuccess) return Status::Device(err, "cudaGraphInstantiate");
        return Status::Ok();
    }

private:
    cudaStream_t m_stream;
    bool m_open = false;
};

class GpuValuationEngine final : public IValuationEngine, public IMarketDataListener {
public:
    explicit GpuValuationEngine(const MarketSnapshot& opening) : m_market(opening) {}
    ~GpuValuationEngine() override {
        if (m_exec != nullptr) (void)cudaGraphExecDestroy(m_exec);
        if (m_stream != nullptr) (void)cudaStreamDestroy(m_stream);
        (void)cudaFree(m_strikes);
        (void)cudaFree(m_expiries);
        (void)cudaFree(m_values);
    }

    void OnTick(const MarketSnapshot& snapshot) override { m_market = snapshot; }

    Status Initialize(const std::vector<float>& strikes, const std::vector<float>& expiries) override {
        m_count = static_cast<int>(strikes.size());
        const size_t bytes = strikes.size() * sizeof(float);
        ACME_RETURN_IF_CUDA(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
        ACME_RETURN_IF_CUDA(cudaMalloc(&m_strikes, bytes));
        ACME_RETURN_IF_CUDA(cudaMalloc(&m_expiries, bytes));
        ACME_RETURN_IF_CUDA(cudaMalloc(&m_values, bytes));
        ACME_RETURN_IF_CUDA(cudaMemcpy(m_strikes, strikes.data(), bytes, cudaMemcpyHostToDevice));
        ACME_RETURN_IF_CUDA(cudaMemcpy(m_expiries, expiries.data(), bytes, cudaMemcpyHostToDevice));
        CaptureSession session(m_stream);
        ACME_RETURN_IF_ERROR(session.Start());
        ACME_RETURN_IF_ERROR(EnqueueValuation());
        return session.Finish(&m_exec);
    }

    Status Revalue(std::vector<float>& values) override {
        if (m_exec == nullptr) return Status::InvalidState("engine is not initialized");
        values.resize(static_cast<size_t>(m_count));
        ACME_RETURN_IF_CUDA(cudaGraphLaunch(m_exec, m_stream));
        ACME_RETURN_IF_CUDA(cudaMemcpyAsync(values.data(), m_values, values.size() * sizeof(float), cudaMemcpyDeviceToHost, m_stream));
        ACME_RETURN_IF_CUDA(cudaStreamSynchronize(m_stream));
        return Status::Ok();
    }

private:
    Status EnqueueValuation() {
        constexpr int kBlock = 128;
        const int blocks = (m_count + kBlock - 1) / kBlock;
        BlackScholesCall<<<blocks, kBlock, 0, m_stream>>>(m_strikes, m_expiries, m_values, m_count, m_market); // HAZARD frozen
        ACME_RETURN_IF_CUDA(cudaGetLastError());
        return Status::Ok();
    }

    MarketSnapshot m_market;
    int m_count = 0;
    cudaStream_t m_stream = nullptr;
    cudaGraphExec_t m_exec = nullptr;
    float* m_strikes = nullptr;
    float* m_expiries = nullptr;
    float* m_values = nullptr;
};

float Reference(float strike, float t, const MarketSnapshot& m) {
    const float sd = m.volatility * std::sqrt(t);
    const float d1 = (std::log(m.spot / strike) + (m.rate + 0.5f * m.volatility * m.volatility) * t) / sd;
    const auto cdf = [](float x) { return 0.5f * std::erfc(-x * 0.70710678f); };
    return m.spot * cdf(d1) - strike * std::exp(-m.rate * t) * cdf(d1 - sd);
}

} // namespace pricing
} // namespace acme

int main() {
    using namespace acme::pricing;
    std::vector<float> strikes, expiries, values;
    for (int i = 0; i < 300; ++i) {
        strikes.push_back(80.0f + 0.2f * i);
        expiries.push_back(0.25f + 0.005f * i);
    }
    auto engine = std::make_unique<GpuValuationEngine>(MarketSnapshot{100.0f, 0.02f, 0.2f});
    Status status = engine->Initialize(strikes, expiries);
    bool matches = true;
    for (int tick = 0; tick < 4 && status.IsOk(); ++tick) {
        const MarketSnapshot snapshot{100.0f + 3.0f * tick, 0.02f, 0.2f + 0.01f * tick};
        engine->OnTick(snapshot);
        status = engine->Revalue(values);
        for (size_t i = 0; status.IsOk() && i < values.size(); ++i) {
            if (std::fabs(values[i] - Reference(strikes[i], expiries[i], snapshot)) > 0.02f) matches = false;
        }
    }
    if (!status.IsOk()) {
        std::printf("%s\nLABEL REFUTED\n", status.Message().c_str());
        return 0;
    }
    std::printf("%s\n", matches ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
