// Discount curve builder for a rates desk. The bootstrap (one small kernel per instrument) is
// captured once per instrument set and replayed whenever the market settings publish new quotes.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define CUDA_THROW(x)                                                                             \
    do {                                                                                          \
        cudaError_t e_ = (x);                                                                     \
        if (e_ != cudaSuccess) throw std::runtime_error(std::string(#x) + ": " + cudaGetErrorName(e_)); \
    } while (0)

enum class Kind { Deposit, Swap, Basis };
struct Instrument {
    Kind kind;
    double tenor;  // years
};

// Observable quote container.
class MarketSettings {
public:
    using Observer = std::function<void(const MarketSettings&)>;
    void subscribe(Observer o) { observers_.push_back(std::move(o)); }
    void setQuotes(std::vector<double> q)
    {
        quotes_ = std::move(q);
        for (auto& o : observers_) o(*this);
    }
    const std::vector<double>& quotes() const { return quotes_; }

private:
    std::vector<double> quotes_;
    std::vector<Observer> observers_;
};

__global__ void depositNode(const double* q, double* df, int i, double tenor) { df[i] = 1.0 / (1.0 + q[i] * tenor); }

__global__ void swapNode(const double* q, double* df, int i)
{
    double annuity = 0.0;
    for (int k = 0; k < i; ++k) annuity += df[k];
    df[i] = (1.0 - q[i] * annuity) / (1.0 + q[i]);
}

class CurveBuilder {
public:
    static constexpr int kMax = 16;

    CurveBuilder()
    {
        CUDA_THROW(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_THROW(cudaMalloc(&dQuotes_, sizeof(double) * kMax));
        CUDA_THROW(cudaMalloc(&dDf_, sizeof(double) * kMax));
        CUDA_THROW(cudaMallocHost(&hQuotes_, sizeof(double) * kMax));
        CUDA_THROW(cudaMallocHost(&hDf_, sizeof(double) * kMax));
    }
    ~CurveBuilder()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(dQuotes_);
        cudaFree(dDf_);
        cudaFreeHost(hQuotes_);
        cudaFreeHost(hDf_);
        cudaStreamDestroy(stream_);
    }

    void setInstruments(std::vector<Instrument> set)
    {
        if (set.size() > kMax) throw std::invalid_argument("too many instruments");
        instruments_ = std::move(set);
        rebuild();
    }

    void onQuotes(const MarketSettings& m)
    {
        for (size_t i = 0; i < instruments_.size(); ++i) hQuotes_[i] = m.quotes().at(i);
        CUDA_THROW(cudaGraphLaunch(exec_, stream_));
        CUDA_THROW(cudaStreamSynchronize(stream_));
    }

    std::vector<double> discounts() const { return std::vector<double>(hDf_, hDf_ + instruments_.size()); }

private:
    void rebuild()
    {
        const size_t n = instruments_.size();
        CUDA_THROW(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        cudaMemcpyAsync(dQuotes_, hQuotes_, sizeof(double) * n, cudaMemcpyHostToDevice, stream_);
        for (size_t i = 0; i < n; ++i) enqueue(instruments_[i], static_cast<int>(i));
        cudaMemcpyAsync(hDf_, dDf_, sizeof(double) * n, cudaMemcpyDeviceToHost, stream_);
        cudaGraph_t graph = nullptr;
        CUDA_THROW(cudaStreamEndCapture(stream_, &graph));
        cudaGraphExec_t fresh = nullptr;
        cudaError_t rc = cudaGraphInstantiate(&fresh, graph, 0);
        cudaGraphDestroy(graph);
        CUDA_THROW(rc);
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = fresh;
    }

    void enqueue(const Instrument& ins, int i)
    {
        switch (ins.kind) {
            case Kind::Deposit: depositNode<<<1, 1, 0, stream_>>>(dQuotes_, dDf_, i, ins.tenor); return;
            case Kind::Swap: swapNode<<<1, 1, 0, stream_>>>(dQuotes_, dDf_, i); return;
            default: throw std::domain_error("instrument kind not supported");  // HAZARD scope
        }
    }

    std::vector<Instrument> instruments_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    double *dQuotes_ = nullptr, *dDf_ = nullptr, *hQuotes_ = nullptr, *hDf_ = nullptr;
};

static bool matches(const std::vector<Instrument>& set, const std::vector<double>& q, const std::vector<double>& df)
{
    double annuity = 0.0;
    for (size_t i = 0; i < set.size(); ++i) {
        double ref = set[i].kind == Kind::Deposit ? 1.0 / (1.0 + q[i] * set[i].tenor)
                                                  : (1.0 - q[i] * annuity) / (1.0 + q[i]);
        if (std::fabs(ref - df[i]) > 1e-10) return false;
        annuity += ref;
    }
    return true;
}

int main()
{
    int good = 0, rejected = 0, fatal = 0;
    try {
        MarketSettings market;
        CurveBuilder builder;
        market.subscribe([&](const MarketSettings& m) { builder.onQuotes(m); });
        const std::vector<Instrument> base = {{Kind::Deposit, 1.0}, {Kind::Swap, 2.0}, {Kind::Swap, 3.0}};
        builder.setInstruments(base);
        auto replay = [&](double shift) {
            std::vector<double> q = {0.031 + shift, 0.033 + shift, 0.034 + shift};
            market.setQuotes(q);
            if (matches(base, q, builder.discounts())) ++good;
        };
        for (int day = 0; day < 3; ++day) replay(0.001 * day);

        std::vector<Instrument> wider = base;
        wider.push_back({Kind::Basis, 4.0});
        try {
            builder.setInstruments(wider);
        } catch (const std::domain_error& e) {
            std::printf("rejected: %s, going back to the base set\n", e.what());
            ++rejected;
            builder.setInstruments(base);
        }
        for (int day = 3; day < 6; ++day) replay(0.001 * day);
    } catch (const std::exception& e) {
        std::printf("fatal: %s\n", e.what());
        ++fatal;
    }
    std::printf("good %d rejected %d fatal %d\n", good, rejected, fatal);
    std::printf(good == 3 && rejected == 1 && fatal == 1 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
