// Harbour dues quotation service.
//
// A quotation runs a batch of vessel calls through a configurable list of fee stages. The stages put their work on a
// stream; the service records the list as a CUDA graph and replays it for every batch.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace harbor {

class Status {
public:
    Status() = default;
    static Status Ok() { return Status(); }
    static Status Internal(std::string message) { return Status(std::move(message)); }
    static Status FromCuda(cudaError_t err, const char* where) {
        if (err == cudaSuccess) return Ok();
        cudaGetLastError();
        return Internal(std::string(where) + ": " + cudaGetErrorString(err));
    }
    bool ok() const { return ok_; }
    const std::string& message() const { return message_; }

private:
    explicit Status(std::string message) : ok_(false), message_(std::move(message)) {}
    bool ok_ = true;
    std::string message_;
};

#define HARBOR_RETURN_IF_ERROR(expr) \
    if (::harbor::Status status_ = (expr); !status_.ok()) return status_
#define HARBOR_CUDA(call) HARBOR_RETURN_IF_ERROR(::harbor::Status::FromCuda((call), #call))

constexpr int kMaxCalls = 1024;

struct VesselCall {
    float tonnage = 0.f;
    float berthHours = 0.f;
};

struct RateSheet {
    float fuelIndex = 1.f;
    float levyShare = 0.05f;
};

// Device side view of the batch that is being quoted.
struct FeeBatch {
    VesselCall* calls = nullptr;
    float* fees = nullptr;
    RateSheet* rates = nullptr;
};

__global__ void tonnageFee(const VesselCall* calls, float* fees, int n, float perTon) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) fees[i] = calls[i].tonnage * perTon;
}

__global__ void berthFee(const VesselCall* calls, float* fees, int n, float perHour) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) fees[i] += calls[i].berthHours * perHour;
}

__global__ void fuelAdjust(float* fees, int n, float index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) fees[i] *= index;
}

__global__ void addLevy(float* fees, int n, const RateSheet* rates) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) fees[i] *= 1.f + rates->levyShare;
}

class IRateProvider {
public:
    virtual ~IRateProvider() = default;
    virtual RateSheet current() const = 0;
};

class PortAuthorityRates : public IRateProvider {
public:
    RateSheet current() const override { return sheet_; }
    void publishFuelIndex(float index) { sheet_.fuelIndex = index; }

private:
    RateSheet sheet_;
};

class IFeeStage {
public:
    virtual ~IFeeStage() = default;
    virtual Status enqueue(cudaStream_t stream, const FeeBatch& batch) = 0;

protected:
    static constexpr int kBlocks = kMaxCalls / 128;
    static Status launched(const char* stage) { return Status::FromCuda(cudaGetLastError(), stage); }
};

// A fee per unit; the prices are fixed by the port charter.
class TariffStage : public IFeeStage {
public:
    using Kernel = void (*)(const VesselCall*, float*, int, float);
    TariffStage(Kernel kernel, float unitPrice) : kernel_(kernel), unitPrice_(unitPrice) {}
    Status enqueue(cudaStream_t stream, const FeeBatch& batch) override {
        kernel_<<<kBlocks, 128, 0, stream>>>(batch.calls, batch.fees, kMaxCalls, unitPrice_);
        return launched("tariff");
    }

private:
    const Kernel kernel_;
    const float unitPrice_;
};

class FuelStage : public IFeeStage {
public:
    explicit FuelStage(std::shared_ptr<const IRateProvider> rates) : rates_(std::move(rates)) {}
    Status enqueue(cudaStream_t stream, const FeeBatch& batch) override {
        const float index = rates_->current().fuelIndex;
        fuelAdjust<<<kBlocks, 128, 0, stream>>>(batch.fees, kMaxCalls, index);  // HAZARD frozen
        return launched("fuel");
    }

private:
    std::shared_ptr<const IRateProvider> rates_;
};

class LevyStage : public IFeeStage {
public:
    Status enqueue(cudaStream_t stream, const FeeBatch& batch) override {
        addLevy<<<kBlocks, 128, 0, stream>>>(batch.fees, kMaxCalls, batch.rates);
        return launched("levy");
    }
};

class StageFactory {
public:
    using Maker = std::function<std::unique_ptr<IFeeStage>()>;
    void add(const std::string& name, Maker maker) { makers_[name] = std::move(maker); }
    std::unique_ptr<IFeeStage> create(const std::string& name) const {
        auto it = makers_.find(name);
        return it == makers_.end() ? nullptr : it->second();
    }

private:
    std::map<std::string, Maker> makers_;
};

struct ExecDeleter {
    void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using ExecHandle = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

class QuoteService {
public:
    QuoteService(std::shared_ptr<const StageFactory> factory, std::shared_ptr<const IRateProvider> rates)
        : factory_(std::move(factory)), rates_(std::move(rates)) {}

    ~QuoteService() {
        exec_.reset();
        for (void* p : {(void*)device_.calls, (void*)device_.fees, (void*)device_.rates}) cudaFree(p);
        for (void* p : {(void*)callsHost_, (void*)feesHost_, (void*)ratesHost_}) cudaFreeHost(p);
        if (stream_) cudaStreamDestroy(stream_);
    }

    Status open() {
        HARBOR_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        HARBOR_CUDA(cudaMalloc(&device_.calls, kMaxCalls * sizeof(VesselCall)));
        HARBOR_CUDA(cudaMalloc(&device_.fees, kMaxCalls * sizeof(float)));
        HARBOR_CUDA(cudaMalloc(&device_.rates, sizeof(RateSheet)));
        HARBOR_CUDA(cudaMallocHost(&callsHost_, kMaxCalls * sizeof(VesselCall)));
        HARBOR_CUDA(cudaMallocHost(&feesHost_, kMaxCalls * sizeof(float)));
        HARBOR_CUDA(cudaMallocHost(&ratesHost_, sizeof(RateSheet)));
        return Status::Ok();
    }

    Status configure(const std::vector<std::string>& stageNames) {
        std::vector<std::unique_ptr<IFeeStage>> stages;
        for (const std::string& name : stageNames) {
            auto stage = factory_->create(name);
            if (!stage) return Status::Internal("unknown stage " + name);
            stages.push_back(std::move(stage));
        }
        stages_ = std::move(stages);
        return refreshGraph();
    }

    Status quote(const std::vector<VesselCall>& calls, std::vector<float>* fees) {
        if (calls.size() > kMaxCalls) return Status::Internal("batch too large");
        std::fill(std::copy(calls.begin(), calls.end(), callsHost_), callsHost_ + kMaxCalls, VesselCall{});
        *ratesHost_ = rates_->current();
        HARBOR_CUDA(cudaGraphLaunch(exec_.get(), stream_));
        HARBOR_CUDA(cudaStreamSynchronize(stream_));
        fees->assign(feesHost_, feesHost_ + calls.size());
        return Status::Ok();
    }

private:
    Status enqueueAll() {
        HARBOR_CUDA(cudaMemcpyAsync(device_.calls, callsHost_, kMaxCalls * sizeof(VesselCall),
                                    cudaMemcpyHostToDevice, stream_));
        HARBOR_CUDA(cudaMemcpyAsync(device_.rates, ratesHost_, sizeof(RateSheet), cudaMemcpyHostToDevice, stream_));
        for (auto& stage : stages_) HARBOR_RETURN_IF_ERROR(stage->enqueue(stream_, device_));
        HARBOR_CUDA(cudaMemcpyAsync(feesHost_, device_.fees, kMaxCalls * sizeof(float),
                                    cudaMemcpyDeviceToHost, stream_));
        return Status::Ok();
    }

    Status refreshGraph() {
        cudaGraph_t graph = nullptr;
        HARBOR_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        Status recorded = enqueueAll();
        Status ended = Status::FromCuda(cudaStreamEndCapture(stream_, &graph), "end capture");
        Status result = recorded.ok() ? ended : recorded;
        if (result.ok()) result = install(graph);
        if (graph) cudaGraphDestroy(graph);
        return result;
    }

    // The instantiated graph is kept across configurations to save the instantiation time.
    Status install(cudaGraph_t graph) {
        if (exec_) {
            cudaGraphExecUpdateResultInfo info = {};
            cudaGraphExecUpdate(exec_.get(), graph, &info);  // HAZARD ignored
            return Status::Ok();
        }
        cudaGraphExec_t exec = nullptr;
        HARBOR_CUDA(cudaGraphInstantiate(&exec, graph, 0));
        exec_.reset(exec);
        return Status::Ok();
    }

    std::shared_ptr<const StageFactory> factory_;
    std::shared_ptr<const IRateProvider> rates_;
    std::vector<std::unique_ptr<IFeeStage>> stages_;
    FeeBatch device_;
    VesselCall* callsHost_ = nullptr;
    float* feesHost_ = nullptr;
    RateSheet* ratesHost_ = nullptr;
    cudaStream_t stream_ = nullptr;
    ExecHandle exec_;
};
}  // namespace harbor

using namespace harbor;

// Returns the number of calls whose fee is not base * factor, or -1 if the quotation failed.
static int auditQuote(QuoteService& service, const std::vector<VesselCall>& calls, float factor) {
    std::vector<float> fees;
    Status status = service.quote(calls, &fees);
    if (!status.ok()) {
        std::fprintf(stderr, "quote: %s\n", status.message().c_str());
        return -1;
    }
    int off = 0;
    for (size_t i = 0; i < calls.size(); ++i) {
        float want = (calls[i].tonnage * 0.4f + calls[i].berthHours * 25.f) * factor;
        off += std::fabs(fees[i] - want) > 1e-3f * want;
    }
    std::printf("factor %.4f: %zu calls, %d off\n", factor, calls.size(), off);
    return off;
}

int main() {
    auto rates = std::make_shared<PortAuthorityRates>();
    auto factory = std::make_shared<StageFactory>();
    factory->add("tonnage", [] { return std::make_unique<TariffStage>(tonnageFee, 0.4f); });
    factory->add("berth", [] { return std::make_unique<TariffStage>(berthFee, 25.f); });
    factory->add("fuel", [rates] { return std::make_unique<FuelStage>(rates); });
    factory->add("levy", [] { return std::make_unique<LevyStage>(); });

    QuoteService service(factory, rates);
    std::vector<VesselCall> calls;
    for (int i = 0; i < 300; ++i) calls.push_back({500.f + 10.f * i, 4.f + i % 36});

    rates->publishFuelIndex(1.1f);
    if (!service.open().ok() || !service.configure({"tonnage", "berth", "fuel"}).ok()) {
        std::printf("LABEL WRONG\n");
        return 1;
    }
    int opening = auditQuote(service, calls, 1.1f);
    rates->publishFuelIndex(1.3f);
    int afterIndex = auditQuote(service, calls, 1.3f);

    Status extended = service.configure({"tonnage", "berth", "fuel", "levy"});
    calls.resize(120);
    int afterLevy = auditQuote(service, calls, 1.3f * 1.05f);

    bool confirmed = extended.ok() && opening == 0 && afterIndex == 300 && afterLevy == 120;
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
