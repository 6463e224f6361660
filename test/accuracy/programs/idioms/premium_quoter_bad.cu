// Quotation service: prices a fixed portfolio of policies whenever the tariff desk publishes new terms.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoting {

class CudaException : public std::runtime_error {
public:
    CudaException(const char* what, cudaError_t code)
        : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)) {}
};

inline void verify(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw CudaException(what, code);
}

struct TariffTerms {
    float loading;
    float discount;
};

class ITariffRepository {
public:
    virtual ~ITariffRepository() = default;
    virtual TariffTerms currentTerms() const = 0;
    virtual void publish(const TariffTerms& terms) = 0;
};

class IAuditTrail {
public:
    virtual ~IAuditTrail() = default;
    virtual void recordQuotation(std::size_t policies) = 0;
    virtual int quotations() const = 0;
};

class IQuotationEngine {
public:
    virtual ~IQuotationEngine() = default;
    virtual void prepare(const std::vector<float>& sumsInsured) = 0;
    virtual std::vector<float> quote() = 0;
};

class InMemoryTariffRepository final : public ITariffRepository {
public:
    TariffTerms currentTerms() const override { return terms_; }
    void publish(const TariffTerms& terms) override { terms_ = terms; }
private:
    TariffTerms terms_{1.0f, 0.0f};
};

class CountingAuditTrail final : public IAuditTrail {
public:
    void recordQuotation(std::size_t policies) override { ++quotations_; policies_ += policies; }
    int quotations() const override { return quotations_; }
private:
    int quotations_ = 0;
    std::size_t policies_ = 0;
};

class CaptureScope {
public:
    explicit CaptureScope(cudaStream_t stream) : stream_(stream) {
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
    }
    CaptureScope(const CaptureScope&) = delete;
    CaptureScope& operator=(const CaptureScope&) = delete;
    ~CaptureScope() {
        if (open_) finish(nullptr);
    }
    cudaError_t finish(cudaGraph_t* out) {
        cudaGraph_t graph = nullptr;
        open_ = false;
        const cudaError_t code = cudaStreamEndCapture(stream_, &graph);
        if (out) *out = graph;
        else if (graph) cudaGraphDestroy(graph);
        return code;
    }
private:
    cudaStream_t stream_;
    bool open_ = true;
};

constexpr float kPolicyFee = 12.5f;

__global__ void premiumKernel(const float* sums, float* premiums, int count, TariffTerms terms, float fee) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) premiums[i] = sums[i] * terms.loading - terms.discount + fee;
}

class GraphQuotationEngine final : public IQuotationEngine {
public:
    GraphQuotationEngine(std::shared_ptr<ITariffRepository> tariffs, std::shared_ptr<IAuditTrail> audit)
        : tariffs_(std::move(tariffs)), audit_(std::move(audit)) {
        verify(cudaStreamCreate(&stream_), "stream");
    }
    ~GraphQuotationEngine() override {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(sums_);
        cudaFree(premiums_);
        cudaStreamDestroy(stream_);
    }

    void prepare(const std::vector<float>& sumsInsured) override {
        count_ = sumsInsured.size();
        const std::size_t bytes = count_ * sizeof(float);
        verify(cudaMalloc(&sums_, bytes), "sums");
        verify(cudaMalloc(&premiums_, bytes), "premiums");
        verify(cudaMemcpy(sums_, sumsInsured.data(), bytes, cudaMemcpyHostToDevice), "upload");

        cudaGraph_t graph = nullptr;
        {
            CaptureScope capture(stream_);
            enqueueQuotation();
            verify(capture.finish(&graph), "end");
        }
        verify(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        verify(cudaGraphDestroy(graph), "destroy");
    }

    std::vector<float> quote() override {
        std::vector<float> result(count_);
        verify(cudaGraphLaunch(exec_, stream_), "launch");
        verify(cudaMemcpyAsync(result.data(), premiums_, count_ * sizeof(float), cudaMemcpyDeviceToHost, stream_),
               "download");
        verify(cudaStreamSynchronize(stream_), "wait");
        return result;
    }

private:
    void enqueueQuotation() {
        const int count = static_cast<int>(count_);
        const dim3 grid((count + 255) / 256);
        const TariffTerms terms = tariffs_->currentTerms();  // HAZARD frozen #terms
        premiumKernel<<<grid, 256, 0, stream_>>>(sums_, premiums_, count, terms, kPolicyFee);  // HAZARD frozen #terms
        verify(cudaGetLastError(), "premiumKernel");
        audit_->recordQuotation(count_);  // HAZARD host_logic
    }

    std::shared_ptr<ITariffRepository> tariffs_;
    std::shared_ptr<IAuditTrail> audit_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::size_t count_ = 0;
    float* sums_ = nullptr;
    float* premiums_ = nullptr;
};

class ServiceContainer {
public:
    std::shared_ptr<ITariffRepository> tariffs = std::make_shared<InMemoryTariffRepository>();
    std::shared_ptr<IAuditTrail> audit = std::make_shared<CountingAuditTrail>();
};

class QuotationEngineFactory {
public:
    static std::unique_ptr<IQuotationEngine> create(const ServiceContainer& services) {
        return std::make_unique<GraphQuotationEngine>(services.tariffs, services.audit);
    }
};

}  // namespace quoting

int main() {
    using namespace quoting;
    bool confirmed = false;
    try {
        ServiceContainer services;
        services.tariffs->publish({1.5f, 4.0f});
        std::vector<float> sums(3000);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = 100.0f + static_cast<float>(i % 50);
        std::unique_ptr<IQuotationEngine> engine = QuotationEngineFactory::create(services);
        engine->prepare(sums);

        const TariffTerms desk[4] = {{1.5f, 4.0f}, {1.75f, 4.0f}, {2.0f, 8.0f}, {1.25f, 0.0f}};
        int wrong = 0;
        for (const TariffTerms& terms : desk) {
            services.tariffs->publish(terms);
            const std::vector<float> premiums = engine->quote();
            for (std::size_t i = 0; i < sums.size(); ++i)
                if (std::fabs(premiums[i] - (sums[i] * terms.loading - terms.discount + kPolicyFee)) > 1e-2f) ++wrong;
        }
        std::printf("wrong premiums %d, audited quotations %d of 4\n", wrong, services.audit->quotations());
        confirmed = wrong > 0 && services.audit->quotations() != 4;
    } catch (const CudaException& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
