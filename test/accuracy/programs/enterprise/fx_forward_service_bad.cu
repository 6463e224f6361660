// FX forward pricing service: hot-reloadable pricing parameters, one recorded plan per book.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fx {

#define FX_CUDA(expr)                                                                        \
    do {                                                                                     \
        const cudaError_t fxErr_ = (expr);                                                   \
        if (fxErr_ != cudaSuccess)                                                           \
            throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(fxErr_)); \
    } while (0)

struct PricingConfig {
    float domesticRate = 0.0f;
    float foreignRate = 0.0f;
    float spreadBps = 0.0f;
};
using ConfigPtr = std::shared_ptr<const PricingConfig>;

class ConfigService {
public:
    using Listener = std::function<void(const ConfigPtr&)>;

    explicit ConfigService(std::string path) : path_(std::move(path)) { reload(); }

    ConfigPtr current() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return current_;
    }
    void subscribe(Listener listener) { listeners_.push_back(std::move(listener)); }
    void reload() {
        auto next = std::make_shared<PricingConfig>();
        std::ifstream in(path_);
        std::string key;
        float value;
        while (in >> key >> value) {
            if (key == "rate.domestic") next->domesticRate = value;
            else if (key == "rate.foreign") next->foreignRate = value;
            else if (key == "spread.bps") next->spreadBps = value;
        }
        {
            std::lock_guard<std::mutex> lock(mutex_);
            current_ = next;
        }
        for (const auto& listener : listeners_) listener(next);
    }

private:
    std::string path_;
    mutable std::mutex mutex_;
    ConfigPtr current_;
    std::vector<Listener> listeners_;
};

__global__ void forwardPoints(const float* spot, const float* tenor, float* fwd, int n, float rd, float rf,
                              float spread) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) fwd[i] = spot[i] * expf((rd - rf) * tenor[i]) + spread * 1e-4f;
}

struct ExecDeleter {
    void operator()(cudaGraphExec_t e) const { (void)cudaGraphExecDestroy(e); }
};
using ExecPtr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

struct DeviceDeleter {
    void operator()(float* p) const { (void)cudaFree(p); }
};
using DevicePtr = std::unique_ptr<float, DeviceDeleter>;

inline DevicePtr allocate(std::size_t n) {
    float* p = nullptr;
    FX_CUDA(cudaMalloc(&p, n * sizeof(float)));
    return DevicePtr(p);
}

struct Book {
    std::string name;
    int size;
    DevicePtr spot, tenor, forward;
};

class ForwardPricer {
public:
    explicit ForwardPricer(std::shared_ptr<ConfigService> configService)
        : configService_(std::move(configService)), config_(configService_->current()) {
        FX_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        configService_->subscribe([this](const ConfigPtr& next) { onConfigChanged(next); });
    }
    ~ForwardPricer() {
        plans_.clear();
        (void)cudaStreamDestroy(stream_);
    }
    ForwardPricer(const ForwardPricer&) = delete;
    ForwardPricer& operator=(const ForwardPricer&) = delete;

    cudaStream_t stream() const { return stream_; }

    void addBook(Book book) {
        std::string name = book.name;
        if (!books_.try_emplace(std::move(name), std::move(book)).second) throw std::invalid_argument("duplicate book");
    }

    std::vector<float> price(const std::string& name) {
        const Book& book = books_.at(name);
        auto it = plans_.find(name);
        if (it == plans_.end()) it = plans_.emplace(name, record([&] { enqueue(book); })).first;
        FX_CUDA(cudaGraphLaunch(it->second.get(), stream_));
        std::vector<float> out(book.size);
        FX_CUDA(cudaMemcpyAsync(out.data(), book.forward.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost,
                                stream_));
        FX_CUDA(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    void onConfigChanged(const ConfigPtr& next) {
        config_ = next;
    }

    void enqueue(const Book& book) {
        const unsigned blocks = (book.size + 127) / 128;
        const PricingConfig& c = *config_;
        const float *spot = book.spot.get(), *tenor = book.tenor.get();
        float* forward = book.forward.get();
        forwardPoints<<<blocks, 128, 0, stream_>>>(spot, tenor, forward, book.size, c.domesticRate, c.foreignRate, c.spreadBps);  // HAZARD frozen
        FX_CUDA(cudaGetLastError());
    }

    template <class Fn>
    ExecPtr record(Fn&& fn) {
        FX_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        std::exception_ptr failure;
        try {
            fn();
        } catch (...) {
            failure = std::current_exception();
        }
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (failure) {
            if (graph) (void)cudaGraphDestroy(graph);
            std::rethrow_exception(failure);
        }
        FX_CUDA(ended);
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        (void)cudaGraphDestroy(graph);
        FX_CUDA(made);
        return ExecPtr(exec);
    }

    std::shared_ptr<ConfigService> configService_;
    ConfigPtr config_;
    cudaStream_t stream_ = nullptr;
    std::unordered_map<std::string, Book> books_;
    std::unordered_map<std::string, ExecPtr> plans_;
};

}  // namespace fx

int main() try {
    const std::string path = (std::filesystem::temp_directory_path() / "fx_forward_service_bad.cfg").string();
    std::ofstream(path) << "rate.domestic 0.05\nrate.foreign 0.02\nspread.bps 0\n";
    auto config = std::make_shared<fx::ConfigService>(path);
    const int n = 256;
    fx::Book book{"EURUSD", n, fx::allocate(n), fx::allocate(n), fx::allocate(n)};
    fx::ForwardPricer pricer(config);
    const std::vector<float> spot(n, 1.10f), tenor(n, 2.0f);
    FX_CUDA(cudaMemcpyAsync(book.spot.get(), spot.data(), n * sizeof(float), cudaMemcpyHostToDevice, pricer.stream()));
    FX_CUDA(cudaMemcpyAsync(book.tenor.get(), tenor.data(), n * sizeof(float), cudaMemcpyHostToDevice, pricer.stream()));
    FX_CUDA(cudaStreamSynchronize(pricer.stream()));
    pricer.addBook(std::move(book));

    const auto near = [](float a, double b) { return std::fabs(a - b) < 1e-4; };
    const bool before = near(pricer.price("EURUSD")[7], 1.10 * std::exp(0.06));
    std::ofstream(path) << "rate.domestic 0.09\nrate.foreign 0.01\nspread.bps 0\n";
    config->reload();
    const float got = pricer.price("EURUSD")[7];
    const float again = pricer.price("EURUSD")[7];
    const bool after = near(got, 1.10 * std::exp(0.16)) && near(again, 1.10 * std::exp(0.16));
    std::filesystem::remove(path);
    std::printf("before=%d after=%d got=%f\n", before, after, got);
    std::puts(before && !after ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
} catch (const std::exception& e) {
    std::printf("%s\nLABEL REFUTED\n", e.what());
    return 0;
}
