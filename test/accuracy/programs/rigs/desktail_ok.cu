// Intraday risk: every trading desk re-values its exotic book by Monte Carlo, each on a stream of its own.
#include <cuda_runtime.h>
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace risk {

constexpr int kPaths = 8192;
constexpr long long kCalibrationCycles = 60'000'000;

struct Status {
    static void check(cudaError_t rc, const char* at) {
        if (rc != cudaSuccess) throw std::runtime_error(std::string(at) + ": " + cudaGetErrorString(rc));
    }
    static void check(curandStatus_t rc, const char* at) {
        if (rc != CURAND_STATUS_SUCCESS) throw std::runtime_error(std::string(at) + ": curand " + std::to_string(rc));
    }
};

struct Market {
    float spot, strike, vol, years;
};

struct Quote {
    double mean;
    double stressed;
};

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : size_(n) { Status::check(cudaMalloc(&data_, n * sizeof(T)), "DeviceArray"); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* data() const { return data_; }
    size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    size_t size_;
};

template <class T>
class Pinned {
public:
    Pinned() { Status::check(cudaMallocHost(&p_, sizeof(T)), "Pinned"); }
    ~Pinned() { cudaFreeHost(p_); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    T& operator*() const { return *p_; }
    T* get() const { return p_; }

private:
    T* p_ = nullptr;
};

__global__ void simulate(const float* normals, const Market* market, float* payoff) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kPaths) return;
    const Market m = *market;
    const float drift = -0.5f * m.vol * m.vol * m.years;
    const float end = m.spot * expf(drift + m.vol * sqrtf(m.years) * normals[i]);
    payoff[i] = fmaxf(end - m.strike, 0.0f);
}

// Iterates to a stress multiplier for the book; the cost is fixed by the iteration budget.
__global__ void calibrate_stress(const Market* market, double* stress, long long budget) {
    const long long begin = clock64();
    while (clock64() - begin < budget) {
    }
    *stress = 1.0 + (double)market->vol;
}

__global__ void aggregate(const float* payoff, const double* stress, Quote* quote) {
    __shared__ double part[256];
    double sum = 0.0;
    for (int i = threadIdx.x; i < kPaths; i += blockDim.x) sum += payoff[i];
    part[threadIdx.x] = sum;
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    }
    if (threadIdx.x == 0) {
        quote->mean = part[0] / kPaths;
        quote->stressed = quote->mean * *stress;
    }
}

// A path buffer that several desks use in turn.
class Scratch {
public:
    explicit Scratch(size_t n) : paths_(n) {
        Status::check(cudaEventCreateWithFlags(&released_, cudaEventDisableTiming), "scratch event");
    }
    ~Scratch() { cudaEventDestroy(released_); }
    float* data() const { return paths_.data(); }
    void claim(cudaStream_t stream) { Status::check(cudaStreamWaitEvent(stream, released_, 0), "claim"); }
    void release(cudaStream_t stream) { Status::check(cudaEventRecord(released_, stream), "release"); }

private:
    DeviceArray<float> paths_;
    cudaEvent_t released_ = nullptr;
};

// Hands out path buffers by size so that equal requests need not be allocated again.
class ScratchCache {
public:
    std::shared_ptr<Scratch> acquire(size_t n) {
        auto& slot = buffers_[n];
        if (!slot) slot = std::make_shared<Scratch>(n);
        return slot;
    }

private:
    std::unordered_map<size_t, std::shared_ptr<Scratch>> buffers_;
};

class Desk {
public:
    Desk(ScratchCache& cache, const float* normals)
        : normals_(normals), paths_(cache.acquire(kPaths)), d_market_(1), d_stress_(1), d_quote_(1) {
        Status::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "desk stream");
    }
    ~Desk() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void mark(const Market& m) { *market_ = m; }
    const Market& market() const { return *market_; }
    const Quote& quote() const { return *quote_; }

    void compile() {
        cudaGraph_t graph = nullptr;
        Status::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        const cudaError_t body = revaluation();
        const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
        const cudaError_t made = body == cudaSuccess && end == cudaSuccess ? cudaGraphInstantiate(&exec_, graph, 0) : body;
        if (graph) cudaGraphDestroy(graph);
        Status::check(end, "end");
        Status::check(made, "compile");
    }

    void launch() {
        paths_->claim(stream_);
        Status::check(cudaGraphLaunch(exec_, stream_), "launch");
        paths_->release(stream_);
    }
    void wait() { Status::check(cudaStreamSynchronize(stream_), "wait"); }

private:
    cudaError_t revaluation() {
        cudaError_t rc = cudaMemcpyAsync(d_market_.data(), market_.get(), sizeof(Market), cudaMemcpyHostToDevice, stream_);
        if (rc != cudaSuccess) return rc;
        simulate<<<kPaths / 256, 256, 0, stream_>>>(normals_, d_market_.data(), paths_->data());
        calibrate_stress<<<1, 1, 0, stream_>>>(d_market_.data(), d_stress_.data(), kCalibrationCycles);
        aggregate<<<1, 256, 0, stream_>>>(paths_->data(), d_stress_.data(), d_quote_.data());
        rc = cudaGetLastError();
        if (rc != cudaSuccess) return rc;
        return cudaMemcpyAsync(quote_.get(), d_quote_.data(), sizeof(Quote), cudaMemcpyDeviceToHost, stream_);
    }

    const float* normals_;
    std::shared_ptr<Scratch> paths_;
    DeviceArray<Market> d_market_;
    DeviceArray<double> d_stress_;
    DeviceArray<Quote> d_quote_;
    Pinned<Market> market_;
    Pinned<Quote> quote_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class RiskServer {
public:
    RiskServer() : normals_(kPaths), host_normals_(kPaths) {
        curandGenerator_t gen;
        Status::check(curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_XORWOW), "generator");
        Status::check(curandSetPseudoRandomGeneratorSeed(gen, 987654321ULL), "seed");
        Status::check(curandGenerateNormal(gen, normals_.data(), kPaths, 0.0f, 1.0f), "normals");
        Status::check(cudaDeviceSynchronize(), "generate");
        Status::check(curandDestroyGenerator(gen), "generator");
        Status::check(cudaMemcpy(host_normals_.data(), normals_.data(), kPaths * sizeof(float), cudaMemcpyDeviceToHost), "copy");
    }

    void open(const std::string& name) { desks_[name] = std::make_unique<Desk>(cache_, normals_.data()); }

    void compile() {
        for (auto& [name, desk] : desks_) desk->compile();
    }

    // Re-values all desks for one market tick; returns how many quotes agree with the host model.
    int tick(const std::map<std::string, Market>& marks) {
        for (auto& [name, desk] : desks_) desk->mark(marks.at(name));
        for (auto& [name, desk] : desks_) desk->launch();
        for (auto& [name, desk] : desks_) desk->wait();
        int right = 0;
        for (auto& [name, desk] : desks_) {
            const Quote want = model(desk->market());
            const bool same = close(desk->quote().mean, want.mean) && close(desk->quote().stressed, want.stressed);
            std::printf("  %-8s mean %10.4f model %10.4f\n", name.c_str(), desk->quote().mean, want.mean);
            right += same;
        }
        return right;
    }

private:
    static bool close(double a, double b) { return std::fabs(a - b) <= 1e-3 * std::fabs(b); }

    Quote model(const Market& m) const {
        double sum = 0.0;
        for (float z : host_normals_) {
            const double end = m.spot * std::exp(-0.5 * m.vol * m.vol * m.years + m.vol * std::sqrt((double)m.years) * z);
            sum += std::fmax(end - m.strike, 0.0);
        }
        const double mean = sum / kPaths;
        return {mean, mean * (1.0 + m.vol)};
    }

    DeviceArray<float> normals_;
    std::vector<float> host_normals_;
    ScratchCache cache_;
    std::map<std::string, std::unique_ptr<Desk>> desks_;
};

}  // namespace risk

int main() {
    constexpr int kTicks = 4;
    try {
        risk::RiskServer server;
        server.open("equity");
        server.open("metals");
        server.compile();
        int right = 0;
        for (int t = 0; t < kTicks; ++t) {
            std::printf("tick %d\n", t);
            right += server.tick({{"equity", {100.0f + 3.0f * t, 95.0f, 0.20f, 1.0f}},
                                  {"metals", {1900.0f - 20.0f * t, 1850.0f, 0.35f, 0.5f}}});
        }
        std::printf("%d of %d quotes right\n", right, 2 * kTicks);
        std::puts(right == 2 * kTicks ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
