// Motor insurance: batch premium quotation.
//
// A QuoteService owns a set of stages. The stages are recorded once per loading scheme into a CUDA graph, and each call
// of quote() uploads a batch of exposures and replays that graph.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace quoting {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& where)
        : std::runtime_error(where + ": " + cudaGetErrorString(code)), code_(code) {}
    cudaError_t code() const noexcept { return code_; }

private:
    cudaError_t code_;
};

inline void check(cudaError_t code, const char* where) {
    if (code != cudaSuccess) throw CudaError(code, where);
}

struct DeviceFree { void operator()(void* p) const noexcept { cudaFree(p); } };
struct PinnedFree { void operator()(void* p) const noexcept { cudaFreeHost(p); } };

template <class T> using DeviceArray = std::unique_ptr<T[], DeviceFree>;
template <class T> using PinnedArray = std::unique_ptr<T[], PinnedFree>;

template <class T> DeviceArray<T> makeDevice(std::size_t n) {
    void* p = nullptr;
    check(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
    check(cudaMemset(p, 0, n * sizeof(T)), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaMemset");
    return DeviceArray<T>(static_cast<T*>(p));
}

template <class T> PinnedArray<T> makePinned(std::size_t n) {
    void* p = nullptr;
    check(cudaMallocHost(&p, n * sizeof(T)), "cudaMallocHost");
    std::fill_n(static_cast<T*>(p), n, T{});
    return PinnedArray<T>(static_cast<T*>(p));
}

struct Exposure {
    float sumInsured;
    float claims;
};

struct FlatLoading { float percent; };
struct TieredLoading { float threshold; float percent; };
using Loading = std::variant<FlatLoading, TieredLoading>;

struct JournalEntry {
    int batch;
    float gross;
};

constexpr int kBatch = 1024;
constexpr float kBaseRate = 0.02f;
constexpr float kClaimCost = 40.0f;
constexpr float kInsuranceTax = 0.19f;

__global__ void basePremium(const Exposure* in, float* premium, int n, float index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) premium[i] = index * (in[i].sumInsured * kBaseRate + in[i].claims * kClaimCost);
}

__global__ void flatLoading(float* premium, int n, float percent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) premium[i] *= 1.0f + percent;
}

__global__ void tieredLoading(const Exposure* in, float* premium, int n, float threshold, float percent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i].sumInsured > threshold) premium[i] *= 1.0f + percent;
}

__global__ void addTax(float* premium, int n, float rate) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) premium[i] *= 1.0f + rate;
}

struct BatchContext {
    Exposure* staging;
    Exposure* exposures;
    float* premiums;
    float* result;
};

class IStage {
public:
    virtual ~IStage() = default;
    virtual void enqueue(cudaStream_t stream, const BatchContext& batch) = 0;
};

class UploadStage final : public IStage {
public:
    void enqueue(cudaStream_t stream, const BatchContext& b) override {
        check(cudaMemcpyAsync(b.exposures, b.staging, kBatch * sizeof(Exposure), cudaMemcpyHostToDevice, stream),
              "upload");
    }
};

class TariffStage final : public IStage {
public:
    explicit TariffStage(std::shared_ptr<const float> index) : index_(std::move(index)) {}
    void enqueue(cudaStream_t stream, const BatchContext& b) override {
        basePremium<<<kBatch / 256, 256, 0, stream>>>(b.exposures, b.premiums, kBatch, *index_);  // HAZARD frozen
        check(cudaGetLastError(), "basePremium");
    }

private:
    std::shared_ptr<const float> index_;
};

class LoadingStage final : public IStage {
public:
    explicit LoadingStage(std::function<Loading()> source) : source_(std::move(source)) {}
    void enqueue(cudaStream_t stream, const BatchContext& b) override {
        std::visit(
            [&](const auto& l) {
                using L = std::decay_t<decltype(l)>;
                if constexpr (std::is_same_v<L, FlatLoading>)
                    flatLoading<<<kBatch / 256, 256, 0, stream>>>(b.premiums, kBatch, l.percent);
                else
                    tieredLoading<<<kBatch / 256, 256, 0, stream>>>(b.exposures, b.premiums, kBatch, l.threshold,
                                                                    l.percent);
            },
            source_());
        check(cudaGetLastError(), "loading");
    }

private:
    std::function<Loading()> source_;
};

class TaxStage final : public IStage {
public:
    void enqueue(cudaStream_t stream, const BatchContext& b) override {
        addTax<<<kBatch / 256, 256, 0, stream>>>(b.premiums, kBatch, kInsuranceTax);
        check(cudaGetLastError(), "addTax");
    }
};

class PublishStage final : public IStage {
public:
    explicit PublishStage(std::vector<JournalEntry>& journal) : journal_(journal) {}
    void enqueue(cudaStream_t stream, const BatchContext& b) override {
        check(cudaMemcpyAsync(b.result, b.premiums, kBatch * sizeof(float), cudaMemcpyDeviceToHost, stream), "publish");
        journal_.push_back({static_cast<int>(journal_.size()), b.result[0]});  // HAZARD host_logic
    }

private:
    std::vector<JournalEntry>& journal_;
};

class QuoteService {
public:
    QuoteService()
        : staging_(makePinned<Exposure>(kBatch)), result_(makePinned<float>(kBatch)),
          exposures_(makeDevice<Exposure>(kBatch)), premiums_(makeDevice<float>(kBatch)),
          index_(std::make_shared<float>(1.0f)) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        stages_.push_back(std::make_unique<UploadStage>());
        stages_.push_back(std::make_unique<TariffStage>(index_));
        stages_.push_back(std::make_unique<LoadingStage>([this] { return loading_; }));
        stages_.push_back(std::make_unique<TaxStage>());
        stages_.push_back(std::make_unique<PublishStage>(journal_));
    }
    ~QuoteService() {
        dropPlan();
        cudaStreamDestroy(stream_);
    }
    QuoteService(const QuoteService&) = delete;
    QuoteService& operator=(const QuoteService&) = delete;

    void setLoading(Loading l) {
        loading_ = l;
        dropPlan();
    }
    void setIndex(float index) { *index_ = index; }

    std::vector<float> quote(const std::vector<Exposure>& batch) {
        if (batch.size() != kBatch) throw std::invalid_argument("batch size");
        if (!plan_) plan_ = record();
        std::copy(batch.begin(), batch.end(), staging_.get());
        check(cudaGraphLaunch(*plan_, stream_), "launch");
        check(cudaStreamSynchronize(stream_), "synchronize");
        return {result_.get(), result_.get() + kBatch};
    }
    const std::vector<JournalEntry>& journal() const { return journal_; }

private:
    cudaGraphExec_t record() {
        const BatchContext ctx{staging_.get(), exposures_.get(), premiums_.get(), result_.get()};
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        try {
            for (auto& stage : stages_) stage->enqueue(stream_, ctx);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream_, &graph), "end capture");
        cudaGraphExec_t exec = nullptr;
        const cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        check(rc, "instantiate");
        return exec;
    }
    void dropPlan() {
        if (plan_) cudaGraphExecDestroy(*plan_);
        plan_.reset();
    }

    PinnedArray<Exposure> staging_;
    PinnedArray<float> result_;
    DeviceArray<Exposure> exposures_;
    DeviceArray<float> premiums_;
    std::shared_ptr<float> index_;
    Loading loading_ = FlatLoading{0.10f};
    std::vector<JournalEntry> journal_;
    std::vector<std::unique_ptr<IStage>> stages_;
    std::optional<cudaGraphExec_t> plan_;
    cudaStream_t stream_ = nullptr;
};

}  // namespace quoting

// ---------------------------------------------------------------------------------------------------------- driver

using namespace quoting;

static std::vector<Exposure> makeBatch(int seed) {
    std::vector<Exposure> batch(kBatch);
    for (int i = 0; i < kBatch; ++i)
        batch[i] = {5000.0f + 10.0f * float((i * 7 + seed * 131) % 2000), float((i + seed) % 4)};
    return batch;
}

static bool matches(const std::vector<float>& got, const std::vector<Exposure>& in, float index, const Loading& l) {
    for (int i = 0; i < kBatch; ++i) {
        double p = index * (in[i].sumInsured * kBaseRate + in[i].claims * kClaimCost);
        if (auto* flat = std::get_if<FlatLoading>(&l)) p *= 1.0 + flat->percent;
        if (auto* tier = std::get_if<TieredLoading>(&l)) p *= in[i].sumInsured > tier->threshold ? 1.0 + tier->percent : 1.0;
        p *= 1.0 + kInsuranceTax;
        if (std::fabs(p - got[i]) > 1e-3 * p) return false;
    }
    return true;
}

int main() {
    bool shown = false;
    try {
        QuoteService service;
        const Loading flat = FlatLoading{0.10f};
        const auto b0 = makeBatch(0), b1 = makeBatch(1), b2 = makeBatch(2);

        const bool first = matches(service.quote(b0), b0, 1.0f, flat);
        const bool second = matches(service.quote(b1), b1, 1.0f, flat);
        service.setIndex(1.25f);
        const auto q2 = service.quote(b2);
        const bool indexed = matches(q2, b2, 1.25f, flat);
        const bool previousIndex = matches(q2, b2, 1.0f, flat);
        const std::size_t entries = service.journal().size();

        std::printf("batches ok: %d %d, indexed: %d, at previous index: %d, journal entries: %zu of 3\n", first, second,
                    indexed, previousIndex, entries);
        shown = first && second && !indexed && previousIndex && entries == 1;
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
    }
    std::puts(shown ? "LABEL CONFIRMED" : "LABEL WRONG");
    return shown ? 0 : 1;
}
