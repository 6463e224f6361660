// Motor insurance: batch premium quotation.
//
// A QuoteService owns a set of stages. The stages are recorded once per loading scheme into a CUDA graph, and each call
// of quote() uploads a batch of exposures and replays that graph. Plans are kept per scheme.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <variant>
#include <vector>

namespace quoting {

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& where)
        : std::runtime_error(where + ": " + cudaGetErrorString(code)) {}
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

__global__ void basePremium(const Exposure* in, float* premium, int n, const float* index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) premium[i] = *index * (in[i].sumInsured * kBaseRate + in[i].claims * kClaimCost);
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
    float* indexStaging;
    Exposure* exposures;
    float* premiums;
    float* index;
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
        check(cudaMemcpyAsync(b.index, b.indexStaging, sizeof(float), cudaMemcpyHostToDevice, stream), "upload index");
    }
};

class TariffStage final : public IStage {
public:
    void enqueue(cudaStream_t stream, const BatchContext& b) override {
        basePremium<<<kBatch / 256, 256, 0, stream>>>(b.exposures, b.premiums, kBatch, b.index);
        check(cudaGetLastError(), "basePremium");
    }
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
        first_ = b.result;
        check(cudaLaunchHostFunc(stream, &PublishStage::append, this), "journal");
    }

private:
    static void append(void* self) {
        auto* stage = static_cast<PublishStage*>(self);
        stage->journal_.push_back({static_cast<int>(stage->journal_.size()), *stage->first_});
    }
    std::vector<JournalEntry>& journal_;
    const float* first_ = nullptr;
};

class QuoteService {
public:
    QuoteService()
        : staging_(makePinned<Exposure>(kBatch)), result_(makePinned<float>(kBatch)),
          exposures_(makeDevice<Exposure>(kBatch)), premiums_(makeDevice<float>(kBatch)),
          indexStaging_(makePinned<float>(1)), index_(makeDevice<float>(1)) {
        indexStaging_[0] = 1.0f;
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        stages_.push_back(std::make_unique<UploadStage>());
        stages_.push_back(std::make_unique<TariffStage>());
        stages_.push_back(std::make_unique<LoadingStage>([this] { return loading_; }));
        stages_.push_back(std::make_unique<TaxStage>());
        stages_.push_back(std::make_unique<PublishStage>(journal_));
    }
    ~QuoteService() {
        for (auto& [key, exec] : plans_)
            if (exec) cudaGraphExecDestroy(exec);
        cudaStreamDestroy(stream_);
    }
    QuoteService(const QuoteService&) = delete;
    QuoteService& operator=(const QuoteService&) = delete;

    void setLoading(Loading l) { loading_ = l; }
    void setIndex(float index) { indexStaging_[0] = index; }

    std::vector<float> quote(const std::vector<Exposure>& batch) {
        if (batch.size() != kBatch) throw std::invalid_argument("batch size");
        cudaGraphExec_t& plan = plans_[keyOf(loading_)];
        if (!plan) plan = record();
        std::copy(batch.begin(), batch.end(), staging_.get());
        check(cudaGraphLaunch(plan, stream_), "launch");
        check(cudaStreamSynchronize(stream_), "synchronize");
        return {result_.get(), result_.get() + kBatch};
    }
    const std::vector<JournalEntry>& journal() const { return journal_; }

private:
    using PlanKey = std::tuple<std::size_t, float, float>;
    static PlanKey keyOf(const Loading& l) {
        if (auto* tier = std::get_if<TieredLoading>(&l)) return {l.index(), tier->threshold, tier->percent};
        return {l.index(), 0.0f, std::get<FlatLoading>(l).percent};
    }
    cudaGraphExec_t record() {
        const BatchContext ctx{staging_.get(),  indexStaging_.get(), exposures_.get(),
                               premiums_.get(), index_.get(),        result_.get()};
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

    PinnedArray<Exposure> staging_;
    PinnedArray<float> result_;
    DeviceArray<Exposure> exposures_;
    DeviceArray<float> premiums_;
    PinnedArray<float> indexStaging_;
    DeviceArray<float> index_;
    Loading loading_ = FlatLoading{0.10f};
    std::vector<JournalEntry> journal_;
    std::vector<std::unique_ptr<IStage>> stages_;
    std::map<PlanKey, cudaGraphExec_t> plans_;
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
    bool good = false;
    try {
        QuoteService service;
        const Loading flat = FlatLoading{0.10f};
        const Loading tiered = TieredLoading{15000.0f, 0.30f};
        const auto b0 = makeBatch(0), b1 = makeBatch(1), b2 = makeBatch(2), b3 = makeBatch(3);

        const auto q0 = service.quote(b0);
        const bool first = matches(q0, b0, 1.0f, flat);
        service.setIndex(1.25f);
        const auto q1 = service.quote(b1);
        const bool second = matches(q1, b1, 1.25f, flat);
        service.setLoading(tiered);
        const auto q2 = service.quote(b2);
        const bool third = matches(q2, b2, 1.25f, tiered);
        service.setLoading(flat);
        service.setIndex(0.9f);
        const auto q3 = service.quote(b3);
        const bool fourth = matches(q3, b3, 0.9f, flat);

        const auto& j = service.journal();
        const bool journal = j.size() == 4 && j[0].gross == q0[0] && j[1].gross == q1[0] && j[2].gross == q2[0] &&
                             j[3].gross == q3[0] && j[3].batch == 3;
        std::printf("batches ok: %d %d %d %d, journal ok: %d\n", first, second, third, fourth, journal);
        good = first && second && third && fourth && journal;
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL WRONG");
    return good ? 0 : 1;
}
