// Risk service: a factory wires a valuation engine with the telemetry of the deployment. The valuation of the book runs
// once directly, then as a captured plan.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace risk {

__global__ void discountFlows(const float* flows, const float* times, float* values, int n, float rate) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = flows[i] * expf(-rate * times[i]);
}

struct Span {
    virtual ~Span() = default;
};

struct ITelemetry {
    virtual ~ITelemetry() = default;
    virtual std::unique_ptr<Span> open(const std::string& name, cudaStream_t stream) = 0;
    virtual int spans() const = 0;
    virtual int failedSpans() const = 0;
};

class GpuTelemetry final : public ITelemetry {
public:
    GpuTelemetry() {
        cudaEventCreate(&start_);
        cudaEventCreate(&stop_);
    }
    ~GpuTelemetry() override {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }
    std::unique_ptr<Span> open(const std::string& name, cudaStream_t stream) override {
        return std::make_unique<Timed>(*this, name, stream);
    }
    int spans() const override { return spans_; }
    int failedSpans() const override { return failedSpans_; }

private:
    class Timed final : public Span {
    public:
        Timed(GpuTelemetry& owner, std::string name, cudaStream_t stream) : owner_(owner), name_(std::move(name)), stream_(stream) {
            cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
            active_ = cudaStreamIsCapturing(stream_, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone;
            if (active_) cudaEventRecord(owner_.start_, stream_);
        }
        ~Timed() override {
            if (!active_) return;
            float ms = 0.0f;
            cudaEventRecord(owner_.stop_, stream_);
            const cudaError_t waited = cudaEventSynchronize(owner_.stop_);
            const cudaError_t timed = cudaEventElapsedTime(&ms, owner_.start_, owner_.stop_);
            std::printf("span %s: %s/%s\n", name_.c_str(), cudaGetErrorName(waited), cudaGetErrorName(timed));
            ++(waited == cudaSuccess && timed == cudaSuccess ? owner_.spans_ : owner_.failedSpans_);
        }

    private:
        GpuTelemetry& owner_;
        const std::string name_;
        cudaStream_t stream_;
        bool active_ = false;
    };

    cudaEvent_t start_ = nullptr, stop_ = nullptr;
    int spans_ = 0, failedSpans_ = 0;
};

class ValuationEngine {
public:
    ValuationEngine(std::shared_ptr<ITelemetry> telemetry, std::vector<float> flows, std::vector<float> times, float rate)
        : telemetry_(std::move(telemetry)), n_(int(flows.size())), rate_(rate) {
        const std::size_t bytes = n_ * sizeof(float);
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&flows_, bytes);
        cudaMalloc(&times_, bytes);
        cudaMalloc(&values_, bytes);
        cudaMemcpy(flows_, flows.data(), bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(times_, times.data(), bytes, cudaMemcpyHostToDevice);
        cudaDeviceSynchronize();
    }
    ~ValuationEngine() {
        if (plan_) cudaGraphExecDestroy(plan_);
        for (float* p : {flows_, times_, values_}) cudaFree(p);
        cudaStreamDestroy(stream_);
    }

    void valueBook() {
        const auto span = telemetry_->open("book", stream_);
        discountFlows<<<(n_ + 127) / 128, 128, 0, stream_>>>(flows_, times_, values_, n_, rate_);
    }

    cudaError_t buildPlan() {
        if (const cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)) return rc;
        valueBook();
        cudaGraph_t graph = nullptr;
        if (const cudaError_t rc = cudaStreamEndCapture(stream_, &graph)) return rc;
        const cudaError_t rc = cudaGraphInstantiate(&plan_, graph, 0);
        cudaGraphDestroy(graph);
        return rc;
    }

    cudaError_t replay() { return cudaGraphLaunch(plan_, stream_); }

    std::vector<float> values() const {
        std::vector<float> out(n_);
        cudaMemcpyAsync(out.data(), values_, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        cudaStreamSynchronize(stream_);
        return out;
    }

private:
    std::shared_ptr<ITelemetry> telemetry_;
    const int n_;
    const float rate_;
    cudaStream_t stream_ = nullptr;
    float *flows_ = nullptr, *times_ = nullptr, *values_ = nullptr;
    cudaGraphExec_t plan_ = nullptr;
};

class EngineFactory {
public:
    explicit EngineFactory(std::shared_ptr<ITelemetry> telemetry) : telemetry_(std::move(telemetry)) {}
    std::unique_ptr<ValuationEngine> create(int trades, float rate) const {
        std::vector<float> flows(trades), times(trades);
        for (int i = 0; i < trades; ++i) {
            flows[i] = 100.0f + float(i % 13);
            times[i] = 0.1f * float(i % 40);
        }
        return std::make_unique<ValuationEngine>(telemetry_, std::move(flows), std::move(times), rate);
    }

private:
    std::shared_ptr<ITelemetry> telemetry_;
};

}  // namespace risk

static int wrongValues(const std::vector<float>& values, float rate) {
    int wrong = 0;
    for (int i = 0; i < int(values.size()); ++i) {
        const float expected = (100.0f + float(i % 13)) * std::exp(-rate * 0.1f * float(i % 40));
        wrong += !(std::fabs(values[i] - expected) < 0.01f);
    }
    return wrong;
}

int main() {
    const float rate = 0.03f;
    auto telemetry = std::make_shared<risk::GpuTelemetry>();
    const auto engine = risk::EngineFactory(telemetry).create(1000, rate);
    engine->valueBook();
    const int wrongDirect = wrongValues(engine->values(), rate);
    const cudaError_t built = engine->buildPlan();
    std::printf("direct: %d wrong values; plan: %s\n", wrongDirect, cudaGetErrorName(built));
    int wrongReplays = 0;
    for (int day = 0; day < 3 && built == cudaSuccess; ++day) {
        const cudaError_t rc = engine->replay();
        if (rc != cudaSuccess || wrongValues(engine->values(), rate)) ++wrongReplays;
    }
    if (wrongDirect == 0 && built == cudaSuccess && wrongReplays == 0 && telemetry->spans() == 1 && telemetry->failedSpans() == 0) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: %d wrong replays\n", wrongReplays);
    return 1;
}
