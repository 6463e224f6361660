// Access control: a chain of rules decides for every badge event. Administrators edit the rule set at run time.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace access {

struct GpuError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void check(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw GpuError(std::string(what) + ": " + cudaGetErrorString(rc));
}

constexpr int kEvents = 4096;
constexpr int kThreads = 256;

struct BadgeEvent {
    int hour;
    int zone;
    int clearance;
};

__global__ void applyCurfew(const BadgeEvent* events, int* denied, int fromHour) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kEvents && events[i].hour >= fromHour) denied[i] = 1;
}

__global__ void applyClearance(const BadgeEvent* events, int* denied, int zone, int minimum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kEvents && events[i].zone == zone && events[i].clearance < minimum) denied[i] = 1;
}

__global__ void countDenied(const int* denied, int* total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kEvents && denied[i]) atomicAdd(total, 1);
}

class IRule {
public:
    virtual ~IRule() = default;
    virtual void enqueue(const BadgeEvent* events, int* denied, cudaStream_t stream) const = 0;
    virtual bool denies(const BadgeEvent& event) const = 0;
};

class CurfewRule final : public IRule {
public:
    explicit CurfewRule(int fromHour) : fromHour_(fromHour) {}
    void enqueue(const BadgeEvent* events, int* denied, cudaStream_t stream) const override {
        applyCurfew<<<kEvents / kThreads, kThreads, 0, stream>>>(events, denied, fromHour_);
    }
    bool denies(const BadgeEvent& e) const override { return e.hour >= fromHour_; }

private:
    int fromHour_;
};

class ClearanceRule final : public IRule {
public:
    ClearanceRule(int zone, int minimum) : zone_(zone), minimum_(minimum) {}
    void enqueue(const BadgeEvent* events, int* denied, cudaStream_t stream) const override {
        applyClearance<<<kEvents / kThreads, kThreads, 0, stream>>>(events, denied, zone_, minimum_);
    }
    bool denies(const BadgeEvent& e) const override { return e.zone == zone_ && e.clearance < minimum_; }

private:
    int zone_, minimum_;
};

// The rule set notifies its listeners after each edit.
class RuleRepository {
public:
    using Rules = std::vector<std::unique_ptr<IRule>>;
    void onChanged(std::function<void(const Rules&)> listener) { listeners_.push_back(std::move(listener)); }
    void add(std::unique_ptr<IRule> rule) {
        rules_.push_back(std::move(rule));
        notify();
    }
    void replace(size_t index, std::unique_ptr<IRule> rule) {
        rules_.at(index) = std::move(rule);
        notify();
    }
    const Rules& all() const { return rules_; }

private:
    void notify() {
        for (const auto& l : listeners_) l(rules_);
    }
    Rules rules_;
    std::vector<std::function<void(const Rules&)>> listeners_;
};

class DecisionService {
public:
    explicit DecisionService(const std::vector<BadgeEvent>& events) {
        check(cudaStreamCreate(&stream_), "stream");
        check(cudaMalloc(&events_, kEvents * sizeof(BadgeEvent)), "events");
        check(cudaMalloc(&denied_, kEvents * sizeof(int)), "denied");
        check(cudaMalloc(&total_, sizeof(int)), "total");
        check(cudaMallocHost(&hostTotal_, sizeof(int)), "host total");
        check(cudaMemcpy(events_, events.data(), kEvents * sizeof(BadgeEvent), cudaMemcpyHostToDevice), "upload");
    }
    ~DecisionService() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(events_);
        cudaFree(denied_);
        cudaFree(total_);
        cudaFreeHost(hostTotal_);
        cudaStreamDestroy(stream_);
    }

    void reload(const RuleRepository::Rules& rules) {
        cudaGraph_t graph = capture(rules);
        if (exec_ == nullptr) {
            check(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        } else {
            cudaGraphExecUpdateResultInfo info{};
            if (cudaGraphExecUpdate(exec_, graph, &info) != cudaSuccess) {
                (void)cudaGetLastError();  // the chain changed its shape: an update cannot express that
                check(cudaGraphExecDestroy(exec_), "drop");
                exec_ = nullptr;
                check(cudaGraphInstantiate(&exec_, graph, 0), "instantiate again");
            }
        }
        check(cudaGraphDestroy(graph), "destroy");
    }

    int decide() {
        check(cudaGraphLaunch(exec_, stream_), "launch");
        check(cudaStreamSynchronize(stream_), "decide");
        return *hostTotal_;
    }

private:
    cudaGraph_t capture(const RuleRepository::Rules& rules) {
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        cudaError_t rc = cudaMemsetAsync(denied_, 0, kEvents * sizeof(int), stream_);
        if (rc == cudaSuccess) rc = cudaMemsetAsync(total_, 0, sizeof(int), stream_);
        for (const auto& rule : rules) {
            rule->enqueue(events_, denied_, stream_);
            if (rc == cudaSuccess) rc = cudaGetLastError();
        }
        countDenied<<<kEvents / kThreads, kThreads, 0, stream_>>>(denied_, total_);
        if (rc == cudaSuccess) rc = cudaGetLastError();
        if (rc == cudaSuccess) {
            rc = cudaMemcpyAsync(hostTotal_, total_, sizeof(int), cudaMemcpyDeviceToHost, stream_);
        }
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (rc == cudaSuccess) rc = ended;
        if (rc != cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
        check(rc, "record");
        return graph;
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    BadgeEvent* events_ = nullptr;
    int *denied_ = nullptr, *total_ = nullptr, *hostTotal_ = nullptr;
};

int expectedDenied(const std::vector<BadgeEvent>& events, const RuleRepository::Rules& rules) {
    int total = 0;
    for (const BadgeEvent& e : events) {
        bool denied = false;
        for (const auto& r : rules) denied = denied || r->denies(e);
        total += denied ? 1 : 0;
    }
    return total;
}

}  // namespace access

int main() {
    using namespace access;
    std::vector<BadgeEvent> events(kEvents);
    for (int i = 0; i < kEvents; ++i) events[i] = BadgeEvent{i % 24, (i / 5) % 6, (i / 11) % 4};
    bool initial = false, edited = false, extended = true, calls = true;
    try {
        DecisionService service(events);
        RuleRepository rules;
        rules.add(std::make_unique<CurfewRule>(20));
        service.reload(rules.all());
        rules.onChanged([&service](const RuleRepository::Rules& r) { service.reload(r); });
        initial = service.decide() == expectedDenied(events, rules.all());

        rules.replace(0, std::make_unique<CurfewRule>(18));
        edited = service.decide() == expectedDenied(events, rules.all());

        rules.add(std::make_unique<ClearanceRule>(2, 3));
        for (int i = 0; i < 3; ++i) extended = extended && service.decide() == expectedDenied(events, rules.all());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        calls = false;
    }
    std::printf("initial %d edited %d extended %d\n", initial, edited, extended);
    std::puts(calls && initial && edited && extended ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
