// Invoice reconciliation: matches invoice amounts to payments with a strategy chosen per tenant.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace recon {

class CudaFailure : public std::runtime_error {
public:
    CudaFailure(cudaError_t code, const std::string& step)
        : std::runtime_error(step + ": " + cudaGetErrorName(code)), code_(code) {}
    cudaError_t code() const { return code_; }

private:
    cudaError_t code_;
};

class UnsupportedCurrency : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

static void verify(cudaError_t code, const char* step) {
    if (code != cudaSuccess) throw CudaFailure(code, step);
}

constexpr int kInvoices = 2048;

struct Tenant {
    std::string name;
    std::string currency;
    std::string strategy;
};

struct LedgerBuffers {
    const int* invoices;
    const int* payments;
    int* converted;
    int* matched;
};

__global__ void convertAmounts(const int* in, int* out, int factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}

__global__ void matchWithin(const int* invoices, const int* payments, int tolerance, int* matched, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && abs(invoices[i] - payments[i]) <= tolerance) atomicAdd(matched, 1);
}

class IMatchingStrategy {
public:
    virtual ~IMatchingStrategy() = default;
    virtual void enqueue(const LedgerBuffers& ledger, const Tenant& tenant, cudaStream_t stream) const = 0;
};

class ExactStrategy final : public IMatchingStrategy {
public:
    void enqueue(const LedgerBuffers& ledger, const Tenant&, cudaStream_t stream) const override {
        verify(cudaMemsetAsync(ledger.matched, 0, sizeof(int), stream), "reset");
        matchWithin<<<kInvoices / 256, 256, 0, stream>>>(ledger.invoices, ledger.payments, 0, ledger.matched, kInvoices);
        verify(cudaGetLastError(), "match");
    }
};

class ConvertingStrategy final : public IMatchingStrategy {
public:
    void enqueue(const LedgerBuffers& ledger, const Tenant& tenant, cudaStream_t stream) const override {
        verify(cudaMemsetAsync(ledger.matched, 0, sizeof(int), stream), "reset");
        convertAmounts<<<kInvoices / 256, 256, 0, stream>>>(ledger.invoices, ledger.converted,
                                                            factorFor(tenant.currency), kInvoices);
        verify(cudaGetLastError(), "convert");
        matchWithin<<<kInvoices / 256, 256, 0, stream>>>(ledger.converted, ledger.payments, 5, ledger.matched, kInvoices);
        verify(cudaGetLastError(), "match");
    }

private:
    static int factorFor(const std::string& currency) {
        static const std::map<std::string, int> table = {{"EUR", 1}, {"CHF", 2}};
        const auto it = table.find(currency);
        if (it == table.end()) throw UnsupportedCurrency(currency);  // HAZARD scope #unwind
        return it->second;
    }
};

struct StrategyFactory {
    static std::unique_ptr<IMatchingStrategy> create(const std::string& kind) {
        if (kind == "converting") return std::make_unique<ConvertingStrategy>();
        return std::make_unique<ExactStrategy>();
    }
};

class ReconciliationService {
public:
    ReconciliationService() {
        verify(cudaStreamCreate(&stream_), "stream");
        for (int** p : {&invoices_, &payments_, &converted_}) verify(cudaMalloc(p, kInvoices * sizeof(int)), "ledger");
        verify(cudaMalloc(&matched_, sizeof(int)), "matched");
    }
    ~ReconciliationService() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (int* p : {invoices_, payments_, converted_, matched_}) cudaFree(p);
        cudaStreamDestroy(stream_);
    }
    void load(const std::vector<int>& invoices, const std::vector<int>& payments) {
        verify(cudaMemcpy(invoices_, invoices.data(), kInvoices * sizeof(int), cudaMemcpyHostToDevice), "invoices");
        verify(cudaMemcpy(payments_, payments.data(), kInvoices * sizeof(int), cudaMemcpyHostToDevice), "payments");
    }
    void configure(const Tenant& tenant) {
        const auto strategy = StrategyFactory::create(tenant.strategy);
        const LedgerBuffers ledger{invoices_, payments_, converted_, matched_};
        if (exec_) verify(cudaGraphExecDestroy(exec_), "drop graph");
        exec_ = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        strategy->enqueue(ledger, tenant, stream_);  // HAZARD scope #unwind
        cudaGraph_t graph = nullptr;
        verify(cudaStreamEndCapture(stream_, &graph), "end capture");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        verify(rc, "instantiate");
    }
    int reconcile() {
        int matched = -1;
        verify(cudaGraphLaunch(exec_, stream_), "launch");
        verify(cudaStreamSynchronize(stream_), "wait");
        verify(cudaMemcpy(&matched, matched_, sizeof(int), cudaMemcpyDeviceToHost), "read");
        return matched;
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *invoices_ = nullptr, *payments_ = nullptr, *converted_ = nullptr, *matched_ = nullptr;
};

}  // namespace recon

int main() {
    using namespace recon;
    std::vector<int> invoices(kInvoices), payments(kInvoices);
    int exact = 0;
    for (int i = 0; i < kInvoices; ++i) {
        invoices[i] = 100 + i;
        payments[i] = invoices[i] + (i % 4 == 0 ? 0 : 3);
        exact += payments[i] == invoices[i] ? 1 : 0;
    }
    bool euro = false, fallback = true, rejected = false;
    cudaError_t failure = cudaSuccess;
    try {
        ReconciliationService service;
        service.load(invoices, payments);
        service.configure({"north", "EUR", "converting"});
        euro = service.reconcile() == kInvoices && service.reconcile() == kInvoices;
        try {
            service.configure({"south", "XAU", "converting"});
        } catch (const UnsupportedCurrency& e) {
            rejected = true;
            std::printf("currency %s is not supported, using exact matching\n", e.what());
            service.configure({"south", "XAU", "exact"});
        }
        for (int day = 0; day < 3; ++day) fallback = fallback && service.reconcile() == exact;
    } catch (const CudaFailure& e) {
        std::printf("stopped: %s\n", e.what());
        failure = e.code();
    }
    std::puts(euro && rejected && failure != cudaSuccess ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
