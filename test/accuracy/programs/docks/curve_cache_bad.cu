// Swap desk valuation service: curves come from a bounded device cache, every desk owns a pricer
// that replays a recorded valuation.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace risk {

inline void throwOnError(cudaError_t status, const char* what, int line) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ":" + std::to_string(line) + ": " +
                                 cudaGetErrorString(status));
    }
}
#define RISK_CUDA(expr) ::risk::throwOnError((expr), #expr, __LINE__)

constexpr int kTenors = 40;
constexpr int kTrades = 512;

// ---------------------------------------------------------------- memory

class BlockPool {
public:
    BlockPool() = default;
    BlockPool(const BlockPool&) = delete;
    ~BlockPool() {
        for (auto& bucket : free_)
            for (void* block : bucket.second) cudaFree(block);
    }
    void* take(std::size_t bytes) {
        auto& bucket = free_[bytes];
        if (!bucket.empty()) {
            void* block = bucket.back();
            bucket.pop_back();
            return block;
        }
        void* block = nullptr;
        RISK_CUDA(cudaMalloc(&block, bytes));
        return block;
    }
    void give(void* block, std::size_t bytes) { free_[bytes].push_back(block); }

private:
    std::map<std::size_t, std::vector<void*>> free_;
};

template <class T>
class DeviceArray {
public:
    DeviceArray(std::shared_ptr<BlockPool> pool, std::size_t count)
        : pool_(std::move(pool)), count_(count), data_(static_cast<T*>(pool_->take(bytes()))) {}
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { pool_->give(data_, bytes()); }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t bytes() const { return count_ * sizeof(T); }
    void upload(const std::vector<T>& host) {
        RISK_CUDA(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
    }

private:
    std::shared_ptr<BlockPool> pool_;
    std::size_t count_;
    T* data_;
};

// ---------------------------------------------------------------- market data

struct Curve {
    Curve(std::string curveId, std::shared_ptr<BlockPool> pool)
        : id(std::move(curveId)), points(std::move(pool), kTenors) {}
    std::string id;
    DeviceArray<double> points;
};

class ICurveListener {
public:
    virtual ~ICurveListener() = default;
    virtual void onCurvePublished(const std::string& id) = 0;
};

class ICurveProvider {
public:
    virtual ~ICurveProvider() = default;
    virtual std::shared_ptr<const Curve> curve(const std::string& id) = 0;
    virtual void subscribe(ICurveListener* listener) = 0;
};

class LruCurveCache final : public ICurveProvider {
public:
    using Loader = std::function<std::vector<double>(const std::string&)>;

    LruCurveCache(std::shared_ptr<BlockPool> pool, Loader loader, std::size_t capacity)
        : pool_(std::move(pool)), loader_(std::move(loader)), capacity_(capacity) {}

    std::shared_ptr<const Curve> curve(const std::string& id) override {
        auto hit = index_.find(id);
        if (hit != index_.end()) {
            entries_.splice(entries_.begin(), entries_, hit->second);
            return entries_.front();
        }
        while (entries_.size() >= capacity_) {
            index_.erase(entries_.back()->id);
            entries_.pop_back();  // HAZARD dangling #curve
        }
        auto loaded = std::make_shared<Curve>(id, pool_);
        loaded->points.upload(loader_(id));
        entries_.push_front(loaded);
        index_[id] = entries_.begin();
        return loaded;
    }

    void subscribe(ICurveListener* listener) override { listeners_.push_back(listener); }

    void publish(const std::string& id) {
        auto hit = index_.find(id);
        if (hit != index_.end()) {
            entries_.erase(hit->second);
            index_.erase(hit);
        }
        for (auto* listener : listeners_) listener->onCurvePublished(id);
    }

private:
    std::shared_ptr<BlockPool> pool_;
    Loader loader_;
    std::size_t capacity_;
    std::list<std::shared_ptr<const Curve>> entries_;
    std::unordered_map<std::string, std::list<std::shared_ptr<const Curve>>::iterator> index_;
    std::vector<ICurveListener*> listeners_;
};

// ---------------------------------------------------------------- pricing

__global__ void swapLegs(const double* discount, const double* forward, const double* notional,
                         double fixedRate, double* pv, int trades) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= trades) return;
    double acc = 0.0;
    for (int k = 0; k < kTenors; ++k) acc += discount[k] * (forward[k] - fixedRate) * 0.25;
    pv[i] = notional[i] * acc;
}

struct DeskConfig {
    std::string discountCurve;
    std::string forwardCurve;
    double fixedRate;
};

class IPricer {
public:
    virtual ~IPricer() = default;
    virtual std::vector<double> value() = 0;
};

class RecordedSwapPricer final : public IPricer, public ICurveListener {
public:
    RecordedSwapPricer(DeskConfig config, std::shared_ptr<ICurveProvider> curves,
                       std::shared_ptr<BlockPool> pool, const std::vector<double>& notionals)
        : config_(std::move(config)), curves_(std::move(curves)), notional_(pool, kTrades), pv_(pool, kTrades) {
        RISK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        notional_.upload(notionals);
        curves_->subscribe(this);
    }
    ~RecordedSwapPricer() override {
        reset();
        cudaStreamDestroy(stream_);
    }

    void onCurvePublished(const std::string& id) override {
        if (id == config_.discountCurve || id == config_.forwardCurve) reset();
    }

    std::vector<double> value() override {
        if (!exec_) record();
        std::vector<double> out(kTrades);
        RISK_CUDA(cudaGraphLaunch(exec_, stream_));
        RISK_CUDA(cudaMemcpyAsync(out.data(), pv_.data(), pv_.bytes(), cudaMemcpyDeviceToHost, stream_));
        RISK_CUDA(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    void enqueue(const Curve& discount, const Curve& forward) {
        const dim3 block(128), grid((kTrades + 127) / 128);
        RISK_CUDA(cudaMemsetAsync(pv_.data(), 0, pv_.bytes(), stream_));
        swapLegs<<<grid, block, 0, stream_>>>(discount.points.data(), forward.points.data(),  // HAZARD dangling #curve
                                              notional_.data(), config_.fixedRate, pv_.data(), kTrades);
        RISK_CUDA(cudaGetLastError());
    }

    void record() {
        auto discount = curves_->curve(config_.discountCurve);
        auto forward = curves_->curve(config_.forwardCurve);
        cudaGraph_t graph = nullptr;
        RISK_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        enqueue(*discount, *forward);
        RISK_CUDA(cudaStreamEndCapture(stream_, &graph));
        RISK_CUDA(cudaGraphInstantiate(&exec_, graph, 0));
        RISK_CUDA(cudaGraphDestroy(graph));
    }

    void reset() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    DeskConfig config_;
    std::shared_ptr<ICurveProvider> curves_;
    DeviceArray<double> notional_;
    DeviceArray<double> pv_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace risk

int main() {
    using namespace risk;
    std::map<std::string, double> levels{
        {"USD-OIS", 0.04}, {"USD-3M", 0.045}, {"EUR-OIS", 0.5}, {"GBP-OIS", 0.9}, {"JPY-OIS", 0.7}};
    auto build = [&levels](const std::string& id) {
        std::vector<double> points(kTenors);
        const bool discounting = id.find("OIS") != std::string::npos;
        for (int k = 0; k < kTenors; ++k)
            points[k] = discounting ? std::exp(-levels[id] * 0.25 * (k + 1)) : levels[id] + 0.0005 * k;
        return points;
    };

    auto pool = std::make_shared<BlockPool>();
    auto cache = std::make_shared<LruCurveCache>(pool, build, 3);
    std::vector<double> notionals(kTrades);
    for (int i = 0; i < kTrades; ++i) notionals[i] = 1.0e6 + 1000.0 * i;
    DeskConfig desk{"USD-OIS", "USD-3M", 0.03};
    std::unique_ptr<IPricer> pricer = std::make_unique<RecordedSwapPricer>(desk, cache, pool, notionals);

    auto matches = [&] {
        auto df = build("USD-OIS"), fwd = build("USD-3M");
        auto got = pricer->value();
        double acc = 0.0;
        for (int k = 0; k < kTenors; ++k) acc += df[k] * (fwd[k] - desk.fixedRate) * 0.25;
        for (int i = 0; i < kTrades; ++i)
            if (std::fabs(got[i] - notionals[i] * acc) > 1e-6 * std::fabs(notionals[i] * acc)) return false;
        return true;
    };

    try {
        bool morning = matches() && matches();
        levels["USD-3M"] = 0.05;
        cache->publish("USD-3M");
        bool republished = matches() && matches();
        for (const char* other : {"EUR-OIS", "GBP-OIS", "JPY-OIS"}) cache->curve(other);
        bool evening = matches() && matches();
        std::printf("morning %d republished %d evening %d\n", morning, republished, evening);
        std::puts(morning && republished && !evening ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
