// Cold-chain compliance service for pharmaceutical transports.
//
// A monitoring plan evaluates the temperature log of one shipment against the threshold of its product and reports
// the result to the audit log. Plans are prepared once (as CUDA graphs) and run whenever new readings arrive.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace coldchain {

enum class Code { kOk, kNotFound, kInternal };

class Status {
public:
    Status() = default;
    Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
    static Status FromCuda(cudaError_t err, const char* where) {
        if (err == cudaSuccess) return Status();
        cudaGetLastError();
        return Status(Code::kInternal, std::string(where) + ": " + cudaGetErrorName(err));
    }
    Code code() const { return code_; }
    bool ok() const { return code_ == Code::kOk; }
    const std::string& message() const { return message_; }

private:
    Code code_ = Code::kOk;
    std::string message_;
};

#define CC_RETURN_IF_ERROR(expr)              \
    do {                                      \
        Status status_ = (expr);              \
        if (!status_.ok()) return status_;    \
    } while (0)
#define CC_CUDA(call) CC_RETURN_IF_ERROR(Status::FromCuda((call), #call))

constexpr int kReadings = 4096;

struct Verdict {
    float peak;
    int excursions;
};

__global__ void evaluateLog(const float* celsius, int n, float limit, Verdict* verdict) {
    __shared__ float peaks[256];
    __shared__ int counts[256];
    float peak = -273.f;
    int count = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        peak = fmaxf(peak, celsius[i]);
        count += celsius[i] > limit;
    }
    peaks[threadIdx.x] = peak;
    counts[threadIdx.x] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < blockDim.x; ++t) {
            peak = fmaxf(peak, peaks[t]);
            count += counts[t];
        }
        *verdict = Verdict{peak, count};
    }
}

class IAuditLog {
public:
    virtual ~IAuditLog() = default;
    virtual void append(int shipment, const Verdict& verdict) = 0;
};

class MemoryAuditLog : public IAuditLog {
public:
    struct Entry {
        int shipment;
        Verdict verdict;
    };
    void append(int shipment, const Verdict& verdict) override {
        std::lock_guard<std::mutex> lock(mutex_);
        entries_.push_back({shipment, verdict});
    }
    std::vector<Entry> entries() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

class IThresholds {
public:
    virtual ~IThresholds() = default;
    virtual std::optional<float> limitFor(int shipment) const = 0;
};

class ProductThresholds : public IThresholds {
public:
    void set(int shipment, float celsius) { limits_[shipment] = celsius; }
    std::optional<float> limitFor(int shipment) const override {
        auto it = limits_.find(shipment);
        return it == limits_.end() ? std::nullopt : std::optional<float>(it->second);
    }

private:
    std::map<int, float> limits_;
};

// What the audit callback needs. Tickets are recycled, so that a busy service does not allocate.
struct AuditTicket {
    int shipment = 0;
    const Verdict* verdict = nullptr;
    IAuditLog* log = nullptr;
};

class TicketPool {
public:
    struct Return {
        TicketPool* pool;
        void operator()(AuditTicket* ticket) const { pool->idle_.push_back(ticket); }
    };
    using Lease = std::unique_ptr<AuditTicket, Return>;

    Lease lease() {
        if (idle_.empty()) {
            storage_.push_back(std::make_unique<AuditTicket>());
            idle_.push_back(storage_.back().get());
        }
        AuditTicket* ticket = idle_.back();
        idle_.pop_back();
        return Lease(ticket, Return{this});
    }

private:
    std::vector<std::unique_ptr<AuditTicket>> storage_;
    std::vector<AuditTicket*> idle_;
};

static void CUDART_CB fileVerdict(void* data) {
    const auto* ticket = static_cast<const AuditTicket*>(data);
    ticket->log->append(ticket->shipment, *ticket->verdict);
}

class MonitorPlan {
public:
    explicit MonitorPlan(int shipment) : shipment_(shipment) {}
    ~MonitorPlan() {
        if (exec) cudaGraphExecDestroy(exec);
        if (celsius) cudaFree(celsius);
        if (verdict) cudaFree(verdict);
        if (readings) cudaFreeHost(readings);
        if (verdictHost) cudaFreeHost(verdictHost);
    }
    MonitorPlan(const MonitorPlan&) = delete;

    Status allocate() {
        CC_CUDA(cudaMalloc(&celsius, kReadings * sizeof(float)));
        CC_CUDA(cudaMalloc(&verdict, sizeof(Verdict)));
        CC_CUDA(cudaMallocHost(&readings, kReadings * sizeof(float)));
        CC_CUDA(cudaMallocHost(&verdictHost, sizeof(Verdict)));
        *verdictHost = Verdict{0.f, 0};
        return Status();
    }

    int shipment() const { return shipment_; }
    cudaGraphExec_t exec = nullptr;
    float* celsius = nullptr;
    Verdict* verdict = nullptr;
    float* readings = nullptr;
    Verdict* verdictHost = nullptr;

private:
    int shipment_;
};

// Records what body puts on the stream.
template <class Body>
Status recordGraph(cudaStream_t stream, cudaGraph_t* graph, Body&& body) {
    CC_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    Status recorded = body(stream);
    if (!recorded.ok()) return recorded;  // HAZARD scope
    CC_CUDA(cudaStreamEndCapture(stream, graph));
    return Status();
}

class MonitorService {
public:
    MonitorService(std::shared_ptr<IThresholds> thresholds, std::shared_ptr<IAuditLog> log)
        : thresholds_(std::move(thresholds)), log_(std::move(log)) {}
    ~MonitorService() {
        if (stream_) cudaStreamDestroy(stream_);
    }

    Status start() {
        CC_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        return Status();
    }

    Status prepare(int shipment, std::shared_ptr<MonitorPlan>* out) {
        auto plan = std::make_shared<MonitorPlan>(shipment);
        CC_RETURN_IF_ERROR(plan->allocate());

        TicketPool::Lease ticket = tickets_.lease();
        ticket->shipment = shipment;
        ticket->verdict = plan->verdictHost;
        ticket->log = log_.get();

        cudaGraph_t graph = nullptr;
        CC_RETURN_IF_ERROR(recordGraph(stream_, &graph, [&](cudaStream_t stream) -> Status {
            std::optional<float> limit = thresholds_->limitFor(shipment);
            if (!limit) return Status(Code::kNotFound, "no threshold for shipment " + std::to_string(shipment));
            CC_CUDA(cudaMemcpyAsync(plan->celsius, plan->readings, kReadings * sizeof(float),
                                    cudaMemcpyHostToDevice, stream));
            evaluateLog<<<1, 256, 0, stream>>>(plan->celsius, kReadings, *limit, plan->verdict);
            CC_CUDA(cudaGetLastError());
            CC_CUDA(cudaMemcpyAsync(plan->verdictHost, plan->verdict, sizeof(Verdict),
                                    cudaMemcpyDeviceToHost, stream));
            CC_CUDA(cudaLaunchHostFunc(stream, fileVerdict, ticket.get()));  // HAZARD callback
            return Status();
        }));
        Status built = Status::FromCuda(cudaGraphInstantiate(&plan->exec, graph, 0), "instantiate");
        cudaGraphDestroy(graph);
        CC_RETURN_IF_ERROR(built);
        *out = std::move(plan);
        return Status();
    }

    Status run(MonitorPlan& plan, const std::function<float(int)>& readings) {
        for (int i = 0; i < kReadings; ++i) plan.readings[i] = readings(i);
        CC_CUDA(cudaGraphLaunch(plan.exec, stream_));
        CC_CUDA(cudaStreamSynchronize(stream_));
        return Status();
    }

private:
    std::shared_ptr<IThresholds> thresholds_;
    std::shared_ptr<IAuditLog> log_;
    TicketPool tickets_;
    cudaStream_t stream_ = nullptr;
};

}  // namespace coldchain

using namespace coldchain;

int main() {
    auto thresholds = std::make_shared<ProductThresholds>();
    auto log = std::make_shared<MemoryAuditLog>();
    for (int shipment : {101, 202, 404}) thresholds->set(shipment, 8.f);
    MonitorService service(thresholds, log);
    if (!service.start().ok()) {
        std::printf("LABEL WRONG\n");
        return 1;
    }

    int setup = 0, filed = 0;
    std::shared_ptr<MonitorPlan> vaccine, insulin;
    if (!service.prepare(101, &vaccine).ok() || !service.prepare(202, &insulin).ok()) {
        std::printf("LABEL WRONG\n");
        return 1;
    }
    const std::pair<MonitorPlan*, float> trips[] = {{vaccine.get(), 5.f}, {insulin.get(), 11.f}, {vaccine.get(), 9.f}};
    for (const auto& trip : trips)
        setup += !service.run(*trip.first, [&](int i) { return i == 77 ? trip.second : 4.f; }).ok();

    std::vector<MemoryAuditLog::Entry> entries = log->entries();
    setup += entries.size() != 3;
    for (size_t i = 0; i < entries.size() && i < 3; ++i) {
        const auto& e = entries[i];
        std::printf("filed shipment %d peak %.1f excursions %d\n", e.shipment, e.verdict.peak, e.verdict.excursions);
        filed += e.shipment == trips[i].first->shipment() && e.verdict.peak == trips[i].second;
    }

    std::shared_ptr<MonitorPlan> unknown, serum;
    setup += service.prepare(303, &unknown).code() != Code::kNotFound;
    Status late = service.prepare(404, &serum);
    std::printf("plan 404: %s\n", late.ok() ? "ready" : late.message().c_str());
    bool lateRun = late.ok() && service.run(*serum, [](int) { return 3.f; }).ok();

    bool confirmed = setup == 0 && filed == 1 && !lateRun;
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    std::fflush(stdout);
    return 0;
}
