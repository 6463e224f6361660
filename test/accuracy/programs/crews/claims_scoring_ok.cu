// Fraud scoring of insurance claims. A policy repository is edited by the compliance team while the service runs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace claims {

class GpuException : public std::runtime_error {
public:
    GpuException(const char* where, cudaError_t code)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(code)) {}
};

inline void ensure(cudaError_t code, const char* where) {
    if (code != cudaSuccess) throw GpuException(where, code);
}

struct RiskPolicy {
    int amountWeight;
    int historyWeight;
    int alertThreshold;
};

struct Claim {
    int amount;
    int priorClaims;
};

constexpr int kBatch = 1024;

// Claims arrive in page-locked batches that the intake module fills in turn.
class ClaimBatch {
public:
    ClaimBatch() { ensure(cudaMallocHost(&rows_, kBatch * sizeof(Claim)), "ClaimBatch"); }
    ~ClaimBatch() { cudaFreeHost(rows_); }
    ClaimBatch(const ClaimBatch&) = delete;
    ClaimBatch& operator=(const ClaimBatch&) = delete;
    Claim* rows() { return rows_; }
    const Claim* rows() const { return rows_; }

private:
    Claim* rows_ = nullptr;
};

class IPolicyRepository {
public:
    virtual ~IPolicyRepository() = default;
    virtual RiskPolicy current() const = 0;
    virtual void save(const RiskPolicy& policy) = 0;
};

class InMemoryPolicyRepository final : public IPolicyRepository {
public:
    explicit InMemoryPolicyRepository(RiskPolicy p) : policy_(p) {}
    RiskPolicy current() const override { return policy_; }
    void save(const RiskPolicy& policy) override { policy_ = policy; }

private:
    RiskPolicy policy_;
};

class IScoringService {
public:
    virtual ~IScoringService() = default;
    virtual int countAlerts(const ClaimBatch& batch) = 0;
};

__global__ void scoreClaims(const Claim* claims, int n, const RiskPolicy* policy, int* alerts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int score = policy->amountWeight * claims[i].amount + policy->historyWeight * claims[i].priorClaims;
    if (score >= policy->alertThreshold) atomicAdd(alerts, 1);
}

class GraphScoringService final : public IScoringService {
public:
    explicit GraphScoringService(std::shared_ptr<const IPolicyRepository> policies) : policies_(std::move(policies)) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        ensure(cudaMalloc(&claims_, kBatch * sizeof(Claim)), "claims");
        ensure(cudaMalloc(&alerts_, sizeof(int)), "alerts");
        ensure(cudaMallocHost(&hostAlerts_, sizeof(int)), "host alerts");
        ensure(cudaMalloc(&policy_, sizeof(RiskPolicy)), "policy");
        ensure(cudaMallocHost(&stagedPolicy_, sizeof(RiskPolicy)), "staged policy");
        ensure(cudaMallocHost(&stagedClaims_, kBatch * sizeof(Claim)), "staged claims");
    }
    ~GraphScoringService() override {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(claims_);
        cudaFree(alerts_);
        cudaFreeHost(hostAlerts_);
        cudaFree(policy_);
        cudaFreeHost(stagedPolicy_);
        cudaFreeHost(stagedClaims_);
        cudaStreamDestroy(stream_);
    }

    int countAlerts(const ClaimBatch& batch) override {
        *stagedPolicy_ = policies_->current();
        std::copy(batch.rows(), batch.rows() + kBatch, stagedClaims_);
        if (!exec_) build();
        ensure(cudaGraphLaunch(exec_, stream_), "launch");
        ensure(cudaStreamSynchronize(stream_), "wait");
        return *hostAlerts_;
    }

private:
    void build() {
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        cudaError_t rc = cudaMemcpyAsync(claims_, stagedClaims_, kBatch * sizeof(Claim),
                                         cudaMemcpyHostToDevice, stream_);
        if (rc == cudaSuccess) {
            rc = cudaMemcpyAsync(policy_, stagedPolicy_, sizeof(RiskPolicy), cudaMemcpyHostToDevice, stream_);
        }
        if (rc == cudaSuccess) rc = cudaMemsetAsync(alerts_, 0, sizeof(int), stream_);
        scoreClaims<<<kBatch / 256, 256, 0, stream_>>>(claims_, kBatch, policy_, alerts_);
        if (rc == cudaSuccess) rc = cudaGetLastError();
        if (rc == cudaSuccess) {
            rc = cudaMemcpyAsync(hostAlerts_, alerts_, sizeof(int), cudaMemcpyDeviceToHost, stream_);
        }
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (rc == cudaSuccess) rc = ended;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        ensure(rc, "build");
    }

    std::shared_ptr<const IPolicyRepository> policies_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    Claim* claims_ = nullptr;
    int* alerts_ = nullptr;
    int* hostAlerts_ = nullptr;
    RiskPolicy* policy_ = nullptr;
    RiskPolicy* stagedPolicy_ = nullptr;
    Claim* stagedClaims_ = nullptr;
};

struct ScoringServiceFactory {
    static std::unique_ptr<IScoringService> create(std::shared_ptr<const IPolicyRepository> policies) {
        return std::make_unique<GraphScoringService>(std::move(policies));
    }
};

int expectedAlerts(const ClaimBatch& batch, const RiskPolicy& p) {
    return static_cast<int>(std::count_if(batch.rows(), batch.rows() + kBatch, [&](const Claim& c) {
        return p.amountWeight * c.amount + p.historyWeight * c.priorClaims >= p.alertThreshold;
    }));
}

void intake(ClaimBatch& batch, int step) {
    for (int i = 0; i < kBatch; ++i) batch.rows()[i] = Claim{(i * step) % 500, (i / 7) % step};
}

}  // namespace claims

int main() {
    using namespace claims;
    bool calls = true;
    bool first = false, secondBatch = false, newPolicy = false;
    try {
        auto policies = std::make_shared<InMemoryPolicyRepository>(RiskPolicy{1, 10, 300});
        auto service = ScoringServiceFactory::create(policies);
        ClaimBatch monday, tuesday;
        intake(monday, 3);
        intake(tuesday, 11);
        first = service->countAlerts(monday) == expectedAlerts(monday, policies->current());
        secondBatch = service->countAlerts(tuesday) == expectedAlerts(tuesday, policies->current());
        policies->save(RiskPolicy{1, 10, 120});
        newPolicy = service->countAlerts(monday) == expectedAlerts(monday, policies->current());
    } catch (const GpuException& e) {
        std::fprintf(stderr, "%s\n", e.what());
        calls = false;
    }
    std::printf("first %d, second batch %d, new policy %d\n", first, secondBatch, newPolicy);
    std::puts(calls && first && secondBatch && newPolicy ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
