// Monte-Carlo pricing of a small book of path-dependent options. One replay prices one batch of paths per product.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace {

constexpr int kBlocks = 128, kThreads = 256, kSteps = 16;
constexpr double kPaths = double(kBlocks) * kThreads;

void ensure(cudaError_t e, const char* where) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

struct Market {
    double spot, rate, vol;
};

// ---- products ------------------------------------------------------------------------------------

struct European {
    double strike;
    __host__ __device__ double payoff(double last, double) const { return fmax(last - strike, 0.0); }
};
struct Asian {
    double strike;
    __host__ __device__ double payoff(double, double mean) const { return fmax(mean - strike, 0.0); }
};
struct Digital {
    double barrier, cash;
    __host__ __device__ double payoff(double last, double) const { return last > barrier ? cash : 0.0; }
};
using Product = std::variant<European, Asian, Digital>;

// ---- kernels -------------------------------------------------------------------------------------

template <class P>
__global__ void simulate(P product, const Market* tick, std::uint64_t seed, const unsigned* batchNo, double* partial) {
    __shared__ double acc[kThreads];
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t rng;
    curand_init(seed, path + (unsigned long long)(*batchNo) * gridDim.x * blockDim.x, 0, &rng);
    const Market mkt = *tick;

    const double dt = 1.0 / kSteps, drift = (mkt.rate - 0.5 * mkt.vol * mkt.vol) * dt, sd = mkt.vol * sqrt(dt);
    double s = mkt.spot, sum = 0.0;
    for (int k = 0; k < kSteps; ++k) {
        s *= exp(drift + sd * double(curand_normal(&rng)));
        sum += s;
    }
    acc[threadIdx.x] = exp(-mkt.rate) * product.payoff(s, sum / kSteps);
    __syncthreads();
    for (int w = kThreads / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) acc[threadIdx.x] += acc[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = acc[0];
}

__global__ void total(const double* partial, double* price) {
    double s = 0.0;
    for (int i = 0; i < kBlocks; ++i) s += partial[i];
    *price = s / kPaths;
}

__global__ void nextBatch(unsigned* batchNo) { ++*batchNo; }

// ---- ownership helpers ---------------------------------------------------------------------------

using Cleanup = std::function<void(void*)>;

template <class T>
std::unique_ptr<T[], Cleanup> deviceArray(std::size_t n) {
    void* p = nullptr;
    ensure(cudaMalloc(&p, n * sizeof(T)), "device array");
    return {static_cast<T*>(p), [](void* q) { cudaFree(q); }};
}

template <class T>
std::unique_ptr<T[], Cleanup> pinnedArray(std::size_t n) {
    void* p = nullptr;
    ensure(cudaMallocHost(&p, n * sizeof(T)), "pinned array");
    return {static_cast<T*>(p), [](void* q) { cudaFreeHost(q); }};
}

using SharedGraph = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;

SharedGraph recordOn(cudaStream_t stream, const std::function<void()>& body) {
    ensure(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
    cudaGraph_t graph = nullptr;
    try {
        body();
    } catch (...) {
        if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
        throw;
    }
    ensure(cudaStreamEndCapture(stream, &graph), "end capture");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t e = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    ensure(e, "instantiate");
    return SharedGraph(exec, [](cudaGraphExec_t x) { cudaGraphExecDestroy(x); });
}

// ---- the pricer ----------------------------------------------------------------------------------

class Pricer {
public:
    static constexpr std::size_t kMaxProducts = 16;

    explicit Pricer(std::uint64_t seed)
        : partial_(deviceArray<double>(kBlocks)),
          pricesDev_(deviceArray<double>(kMaxProducts)),
          pricesHost_(pinnedArray<double>(kMaxProducts)),
          tickDev_(deviceArray<Market>(1)),
          tickHost_(pinnedArray<Market>(1)),
          batchNo_(deviceArray<unsigned>(1)),
          nextSeed_([gen = std::mt19937_64(seed)]() mutable { return gen(); }) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        ensure(cudaMemsetAsync(batchNo_.get(), 0, sizeof(unsigned), stream_), "batch number");
        tickHost_[0] = Market{100.0, 0.05, 0.2};
    }
    ~Pricer() {
        graph_.reset();
        cudaStreamDestroy(stream_);
    }

    // The graph depends on the list of products; it is recorded again on the next batch.
    std::size_t add(Product p) {
        if (book_.size() == kMaxProducts) throw std::length_error("book is full");
        book_.push_back(std::move(p));
        graph_.reset();
        return book_.size() - 1;
    }

    void onTick(const Market& m) { tickHost_[0] = m; }

    std::vector<double> batch() {
        if (!graph_) graph_ = recordOn(stream_, [this] { enqueue(); });
        ensure(cudaGraphLaunch(graph_->get(), stream_), "launch");
        ensure(cudaStreamSynchronize(stream_), "batch");
        return {pricesHost_.get(), pricesHost_.get() + book_.size()};
    }

private:
    void enqueue() {
        ensure(cudaMemcpyAsync(tickDev_.get(), tickHost_.get(), sizeof(Market), cudaMemcpyHostToDevice, stream_), "tick");
        for (std::size_t i = 0; i < book_.size(); ++i) {
            const std::uint64_t seed = nextSeed_();  // one key per product, the batch number selects the sequence
            std::visit(
                [&](const auto& product) {
                    simulate<<<kBlocks, kThreads, 0, stream_>>>(product, tickDev_.get(), seed, batchNo_.get(),
                                                                partial_.get());
                },
                book_[i]);
            total<<<1, 1, 0, stream_>>>(partial_.get(), pricesDev_.get() + i);
            ensure(cudaGetLastError(), "enqueue");
        }
        nextBatch<<<1, 1, 0, stream_>>>(batchNo_.get());
        ensure(cudaMemcpyAsync(pricesHost_.get(), pricesDev_.get(), book_.size() * sizeof(double),
                               cudaMemcpyDeviceToHost, stream_), "prices");
    }

    std::vector<Product> book_;
    std::unique_ptr<double[], Cleanup> partial_, pricesDev_, pricesHost_;
    std::unique_ptr<Market[], Cleanup> tickDev_, tickHost_;
    std::unique_ptr<unsigned[], Cleanup> batchNo_;
    std::function<std::uint64_t()> nextSeed_;
    cudaStream_t stream_{};
    std::optional<SharedGraph> graph_;
};

// ---- driver --------------------------------------------------------------------------------------

double blackScholesCall(const Market& m, double strike) {
    const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    const double d1 = (std::log(m.spot / strike) + m.rate + 0.5 * m.vol * m.vol) / m.vol, d2 = d1 - m.vol;
    return m.spot * cdf(d1) - strike * std::exp(-m.rate) * cdf(d2);
}

struct Statistics {
    std::set<double> distinct;
    double sum = 0.0;
    int n = 0;
    void operator()(double x) { distinct.insert(x), sum += x, ++n; }
    double mean() const { return sum / n; }
};

}  // namespace

int main() {
    bool confirmed = false;
    try {
        cudaFree(nullptr);
        Pricer pricer(20240517);
        const Market calm{100.0, 0.05, 0.2}, rally{120.0, 0.05, 0.2};

        const auto call = pricer.add(European{100.0});
        pricer.add(Digital{105.0, 10.0});
        pricer.onTick(calm);
        pricer.batch();
        const auto average = pricer.add(Asian{100.0});

        Statistics before, asian, after;
        for (int k = 0; k < 6; ++k) {
            const auto prices = pricer.batch();
            before(prices[call]);
            asian(prices[average]);
        }
        pricer.onTick(rally);
        for (int k = 0; k < 6; ++k) after(pricer.batch()[call]);

        const double wantCalm = blackScholesCall(calm, 100.0), wantRally = blackScholesCall(rally, 100.0);
        const bool calmRight = std::fabs(before.mean() - wantCalm) < 0.5;
        const bool rallyRight = std::fabs(after.mean() - wantRally) < 0.5;
        std::printf("calm %.3f (%.3f) rally %.3f (%.3f), distinct batches %zu %zu %zu\n", before.mean(), wantCalm,
                    after.mean(), wantRally, before.distinct.size(), asian.distinct.size(), after.distinct.size());
        confirmed = calmRight && rallyRight && before.distinct.size() == 6 && asian.distinct.size() == 6;
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
