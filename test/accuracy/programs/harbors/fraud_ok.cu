// Card-fraud scoring service: feature steps are created by a registry, optionally decorated, and run as one graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace scoring {

class Status {
public:
    Status() = default;
    Status(cudaError_t code, std::string where) : code_(code), where_(std::move(where)) {}
    bool ok() const { return code_ == cudaSuccess; }
    std::string message() const { return where_ + ": " + cudaGetErrorString(code_); }

private:
    cudaError_t code_ = cudaSuccess;
    std::string where_;
};

#define RETURN_NOT_OK(expression)                   \
    do {                                            \
        ::scoring::Status status_ = (expression);   \
        if (!status_.ok()) return status_;          \
    } while (0)

constexpr int kMaxBatch = 2048;

struct ExecutionContext {
    cudaStream_t stream;
};

struct FeatureBatch {
    float* amount;
    float* score;
    int size;
};

struct StepConfig {
    std::string type;
    float first;
    float second;
    bool audited;
};

__global__ void winsorize(float* x, int n, float low, float high) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fminf(fmaxf(x[i], low), high);
}

__global__ void standardize(float* x, int n, float mean, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (x[i] - mean) * scale;
}

__global__ void logistic(const float* x, float* score, int n, float bias, float slope) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) score[i] = 1.0f / (1.0f + expf(-(bias + slope * x[i])));
}

class IFeatureStep {
public:
    virtual ~IFeatureStep() = default;
    virtual std::string name() const = 0;
    virtual void attach(const ExecutionContext& context) = 0;
    virtual Status apply(FeatureBatch& batch) = 0;
};

class KernelStep : public IFeatureStep {
public:
    KernelStep(float first, float second) : first_(first), second_(second) {}
    void attach(const ExecutionContext& context) override { stream_ = context.stream; }

protected:
    static int blocks(int n) { return (n + 255) / 256; }
    cudaStream_t stream_ = nullptr;
    float first_;
    float second_;
};

class WinsorizeStep final : public KernelStep {
public:
    using KernelStep::KernelStep;
    std::string name() const override { return "winsorize"; }
    Status apply(FeatureBatch& batch) override {
        winsorize<<<blocks(batch.size), 256, 0, stream_>>>(batch.amount, batch.size, first_, second_);
        return {cudaGetLastError(), name()};
    }
};

class StandardizeStep final : public KernelStep {
public:
    using KernelStep::KernelStep;
    std::string name() const override { return "standardize"; }
    Status apply(FeatureBatch& batch) override {
        standardize<<<blocks(batch.size), 256, 0, stream_>>>(batch.amount, batch.size, first_, second_);
        return {cudaGetLastError(), name()};
    }
};

class LogisticStep final : public KernelStep {
public:
    using KernelStep::KernelStep;
    std::string name() const override { return "logistic"; }
    Status apply(FeatureBatch& batch) override {
        logistic<<<blocks(batch.size), 256, 0, stream_>>>(batch.amount, batch.score, batch.size, first_, second_);
        return {cudaGetLastError(), name()};
    }
};

// Keeps a record of which steps were put into the pipeline, for the compliance log.
class AuditedStep final : public IFeatureStep {
public:
    AuditedStep(std::unique_ptr<IFeatureStep> inner, std::vector<std::string>& log) : inner_(std::move(inner)), log_(log) {}
    std::string name() const override { return "audited(" + inner_->name() + ")"; }
    void attach(const ExecutionContext& context) override {
        inner_->attach(context);
        log_.push_back(name());
    }
    Status apply(FeatureBatch& batch) override { return inner_->apply(batch); }

private:
    std::unique_ptr<IFeatureStep> inner_;
    std::vector<std::string>& log_;
};

class StepRegistry {
public:
    using Maker = std::function<std::unique_ptr<IFeatureStep>(const StepConfig&)>;
    StepRegistry() {
        makers_["winsorize"] = make<WinsorizeStep>();
        makers_["standardize"] = make<StandardizeStep>();
        makers_["logistic"] = make<LogisticStep>();
    }
    std::unique_ptr<IFeatureStep> create(const StepConfig& config, std::vector<std::string>& auditLog) const {
        auto step = makers_.at(config.type)(config);
        if (config.audited) step = std::make_unique<AuditedStep>(std::move(step), auditLog);
        return step;
    }

private:
    template <class Step>
    static Maker make() {
        return [](const StepConfig& c) { return std::make_unique<Step>(c.first, c.second); };
    }
    std::unordered_map<std::string, Maker> makers_;
};

class ScoringService {
public:
    explicit ScoringService(std::vector<std::unique_ptr<IFeatureStep>> steps) : steps_(std::move(steps)) {}
    ~ScoringService() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        cudaFree(batch_.amount);
        cudaFree(batch_.score);
        if (context_.stream) cudaStreamDestroy(context_.stream);
    }

    Status start() {
        RETURN_NOT_OK(Status(cudaStreamCreateWithFlags(&context_.stream, cudaStreamNonBlocking), "stream"));
        RETURN_NOT_OK(Status(cudaMalloc(&batch_.amount, kMaxBatch * sizeof(float)), "amount"));
        RETURN_NOT_OK(Status(cudaMalloc(&batch_.score, kMaxBatch * sizeof(float)), "score"));
        RETURN_NOT_OK(Status(cudaMemset(batch_.amount, 0, kMaxBatch * sizeof(float)), "clear"));
        RETURN_NOT_OK(Status(cudaDeviceSynchronize(), "setup"));
        batch_.size = kMaxBatch;
        for (auto& step : steps_) step->attach(context_);
        RETURN_NOT_OK(Status(cudaStreamBeginCapture(context_.stream, cudaStreamCaptureModeThreadLocal), "begin"));
        Status recorded = recordSteps();
        Status ended(cudaStreamEndCapture(context_.stream, &graph_), "end");
        RETURN_NOT_OK(recorded);
        RETURN_NOT_OK(ended);
        RETURN_NOT_OK(Status(cudaGraphInstantiate(&exec_, graph_, 0), "instantiate"));
        return Status(cudaDeviceSynchronize(), "start");
    }

    Status score(const std::vector<float>& amounts, std::vector<float>& scores) {
        const size_t bytes = kMaxBatch * sizeof(float);
        scores.resize(kMaxBatch);
        RETURN_NOT_OK(Status(cudaMemcpy(batch_.amount, amounts.data(), bytes, cudaMemcpyHostToDevice), "upload"));
        RETURN_NOT_OK(Status(cudaDeviceSynchronize(), "upload"));
        RETURN_NOT_OK(Status(cudaGraphLaunch(exec_, context_.stream), "launch"));
        RETURN_NOT_OK(Status(cudaStreamSynchronize(context_.stream), "scoring"));
        return Status(cudaMemcpy(scores.data(), batch_.score, bytes, cudaMemcpyDeviceToHost), "download");
    }

private:
    Status recordSteps() {
        for (auto& step : steps_) RETURN_NOT_OK(step->apply(batch_));
        return {};
    }

    std::vector<std::unique_ptr<IFeatureStep>> steps_;
    ExecutionContext context_{};
    FeatureBatch batch_{};
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

float expectedScore(float amount, const std::vector<StepConfig>& configs) {
    float x = std::min(std::max(amount, configs[0].first), configs[0].second);
    x = (x - configs[1].first) * configs[1].second;
    return 1.0f / (1.0f + std::exp(-(configs[2].first + configs[2].second * x)));
}

}  // namespace scoring

int main() {
    using namespace scoring;
    const std::vector<StepConfig> configs = {
        {"winsorize", 0.0f, 900.0f, true}, {"standardize", 120.0f, 0.002f, false}, {"logistic", -1.0f, 0.8f, false}};
    StepRegistry registry;
    std::vector<std::string> auditLog;
    std::vector<std::unique_ptr<IFeatureStep>> steps;
    for (const StepConfig& config : configs) steps.push_back(registry.create(config, auditLog));

    ScoringService service(std::move(steps));
    Status status = service.start();
    size_t wrong = 0;
    for (int request = 0; status.ok() && request < 4; ++request) {
        std::vector<float> amounts(kMaxBatch), scores;
        for (int i = 0; i < kMaxBatch; ++i) amounts[i] = static_cast<float>((i * 37 + request * 101) % 3000) - 200.0f;
        status = service.score(amounts, scores);
        for (int i = 0; status.ok() && i < kMaxBatch; ++i) {
            if (std::fabs(scores[i] - expectedScore(amounts[i], configs)) > 1e-4f) ++wrong;
        }
    }
    if (!status.ok()) std::printf("%s\n", status.message().c_str());
    std::printf("audited steps: %zu, wrong scores: %zu\n", auditLog.size(), wrong);
    const bool confirmed = status.ok() && wrong == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
