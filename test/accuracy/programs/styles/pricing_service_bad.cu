#include <cuda_runtime.h>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace pricing {

struct CudaException : std::runtime_error {
    CudaException(cudaError_t c, const std::string &w) : std::runtime_error(w + ": " + cudaGetErrorName(c)), code(c) {}
    cudaError_t code;
};
void verify(cudaError_t c, const char *what) {
    if (c != cudaSuccess) throw CudaException(c, what);
}

struct Config { float rate; int version; };

class ConfigStore {
public:
    explicit ConfigStore(Config c) : current_(std::make_shared<const Config>(c)) {}
    std::shared_ptr<const Config> get() const {
        std::lock_guard<std::mutex> l(m_);
        return current_;
    }
    void reload(Config c) {
        std::lock_guard<std::mutex> l(m_);
        current_ = std::make_shared<const Config>(c);
    }
private:
    mutable std::mutex m_;
    std::shared_ptr<const Config> current_;
};

class CurveCache {
public:
    CurveCache() : worker_([this] { loop(); }) {}
    ~CurveCache() {
        { std::lock_guard<std::mutex> l(m_); stop_ = true; }
        cv_.notify_one();
        worker_.join();
    }
    std::future<float *> fetch(const std::string &name) {
        auto task = std::make_shared<std::packaged_task<float *()>>([this, name] { return load(name); });
        auto f = task->get_future();
        { std::lock_guard<std::mutex> l(m_); jobs_.push_back([task] { (*task)(); }); }
        cv_.notify_one();
        return f;
    }
private:
    float *load(const std::string &name) {
        auto it = curves_.find(name);
        if (it != curves_.end()) return it->second;
        float *p = nullptr;
        verify(cudaMalloc(&p, 64 * sizeof(float)), "curve"); // HAZARD capture_mode #loader
        curves_[name] = p;
        return p;
    }
    void loop() {
        for (;;) {
            std::unique_lock<std::mutex> l(m_);
            cv_.wait(l, [this] { return stop_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            l.unlock();
            job();
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::function<void()>> jobs_;
    std::map<std::string, float *> curves_;
    bool stop_ = false;
    std::thread worker_;
};

__global__ void init_curve(float *c) { c[threadIdx.x] = 10.0f; }
__global__ void discount(const float *c, float *out, float rate) { out[threadIdx.x] = c[threadIdx.x] * rate; }

class PricingEngine {
public:
    PricingEngine(ConfigStore &cfg, CurveCache &cache) : cfg_(cfg), cache_(cache) {
        verify(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        verify(cudaMalloc(&out_, 64 * sizeof(float)), "out");
    }
    void build() {
        const auto config = cfg_.get();
        cudaGraph_t g = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin"); // HAZARD capture_mode #loader
        try {
            float *curve = cache_.fetch("USD").get(); // HAZARD capture_mode #loader
            init_curve<<<1, 64, 0, stream_>>>(curve);
            discount<<<1, 64, 0, stream_>>>(curve, out_, config->rate); // HAZARD frozen
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
            throw;
        }
        verify(cudaStreamEndCapture(stream_, &g), "end");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        verify(rc, "instantiate");
    }
    float price() {
        if (!exec_) build();
        float value = 0.0f;
        verify(cudaGraphLaunch(exec_, stream_), "launch");
        verify(cudaMemcpyAsync(&value, out_ + 3, sizeof value, cudaMemcpyDeviceToHost, stream_), "read");
        verify(cudaStreamSynchronize(stream_), "sync");
        return value;
    }
private:
    ConfigStore &cfg_;
    CurveCache &cache_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *out_ = nullptr;
};

}  // namespace pricing

int main() {
    using namespace pricing;
    cudaError_t refused = cudaSuccess;
    float before = 0.0f, after = 0.0f;
    try {
        ConfigStore config({0.5f, 1});
        CurveCache cache;
        PricingEngine engine(config, cache);
        try {
            engine.build();
        } catch (const CudaException &e) {
            refused = e.code;
            (void)cudaGetLastError();
            cache.fetch("USD").get();
        }
        before = engine.price();
        config.reload({0.25f, 2});
        after = engine.price();
    } catch (const std::exception &e) {
        std::printf("LABEL REFUTED %s\n", e.what());
        return 0;
    }
    if (refused == cudaErrorStreamCaptureUnsupported && before == 5.0f && after == 5.0f) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED %d %g %g\n", refused, before, after);
    return 0;
}
