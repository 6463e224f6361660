// Intraday risk: a market data feed archives ticks on the device while the risk engine rebuilds its replay plan
// whenever the shock grid changes.
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace risk {

class CudaError final : public std::runtime_error {
public:
    CudaError(cudaError_t code, const char* where) : std::runtime_error(std::string(where) + ": " + cudaGetErrorName(code)), code_(code) {}
    cudaError_t code() const noexcept { return code_; }

private:
    cudaError_t code_;
};
inline void require(cudaError_t rc, const char* where) {
    if (rc != cudaSuccess) throw CudaError(rc, where);
}

class Stream {
public:
    Stream() { require(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
    ~Stream() { (void)cudaStreamDestroy(s_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return s_; }

private:
    cudaStream_t s_ = nullptr;
};

class Block {
public:
    static std::shared_ptr<Block> create(std::size_t floats) {
        float* p = nullptr;
        require(cudaMalloc(&p, floats * sizeof(float)), "block");  // HAZARD concurrent #1
        return std::shared_ptr<Block>(new Block(p));
    }
    ~Block() { (void)cudaFree(p_); }  // HAZARD concurrent #1
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    float* get() const { return p_; }

private:
    explicit Block(float* p) : p_(p) {}
    float* p_;
};

struct IMarketDataFeed {
    virtual ~IMarketDataFeed() = default;
    virtual void start() = 0;
    virtual void stop() = 0;
};

class ArchivingFeed final : public IMarketDataFeed {
public:
    static constexpr std::size_t kTick = 4096, kMaxTicks = 20000;

    ~ArchivingFeed() override { stop(); }
    void start() override {
        running_ = true;
        worker_ = std::thread([this] { run(); });
    }
    void stop() override {
        running_ = false;
        if (worker_.joinable()) worker_.join();
    }
    int archived() const { return archived_; }
    int dropped() const { return dropped_; }

private:
    void run() {
        const std::vector<float> tick(kTick, 101.25f);
        while (running_ && archive_.size() < kMaxTicks) {
            try {
                auto block = Block::create(kTick);
                require(cudaMemcpyAsync(block->get(), tick.data(), kTick * sizeof(float), cudaMemcpyHostToDevice, stream_), "tick");
                require(cudaStreamSynchronize(stream_), "tick");  // HAZARD concurrent #1
                archive_.push_back(std::move(block));
                ++archived_;
            } catch (const CudaError&) {
                ++dropped_;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    Stream stream_;
    std::vector<std::shared_ptr<Block>> archive_;
    std::atomic<bool> running_{false};
    std::atomic<int> archived_{0}, dropped_{0};
    std::thread worker_;
};

__global__ void shockPnl(const float* positions, float* pnl, int n, float shock) {
    const int i = threadIdx.x;
    if (i < n) pnl[i] += positions[i] * shock;
}

class RiskEngine {
public:
    RiskEngine(std::shared_ptr<IMarketDataFeed> feed, const std::vector<float>& positions)
        : feed_(std::move(feed)), count_(static_cast<int>(positions.size())), positions_(Block::create(count_)), pnl_(Block::create(count_)) {
        require(cudaMemcpyAsync(positions_->get(), positions.data(), count_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "positions");
        require(cudaStreamSynchronize(stream_), "positions");
    }
    ~RiskEngine() {
        feed_->stop();
        if (plan_) (void)cudaGraphExecDestroy(plan_);
    }
    void start() { feed_->start(); }

    void setShockGrid(const std::vector<float>& grid) {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");  // HAZARD concurrent #1
        cudaError_t enqueued = cudaMemsetAsync(pnl_->get(), 0, count_ * sizeof(float), stream_);
        for (std::size_t k = 0; k < grid.size() && enqueued == cudaSuccess; ++k) {
            shockPnl<<<1, 64, 0, stream_>>>(positions_->get(), pnl_->get(), count_, grid[k]);
            enqueued = cudaGetLastError();
        }
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        const std::shared_ptr<CUgraph_st> owner(graph, [](cudaGraph_t g) { if (g) (void)cudaGraphDestroy(g); });
        require(enqueued, "shock grid");
        require(ended, "end");
        cudaGraphExec_t next = nullptr;
        require(cudaGraphInstantiate(&next, graph, 0), "instantiate");
        if (plan_) (void)cudaGraphExecDestroy(plan_);
        plan_ = next;
    }
    float evaluate() {
        std::vector<float> pnl(count_);
        require(cudaGraphLaunch(plan_, stream_), "launch");
        require(cudaMemcpyAsync(pnl.data(), pnl_->get(), count_ * sizeof(float), cudaMemcpyDeviceToHost, stream_), "pnl");
        require(cudaStreamSynchronize(stream_), "pnl");
        return pnl[count_ / 2];
    }

private:
    std::shared_ptr<IMarketDataFeed> feed_;
    const int count_;
    Stream stream_;
    std::shared_ptr<Block> positions_, pnl_;
    cudaGraphExec_t plan_ = nullptr;
};

}  // namespace risk

int main() {
    using namespace risk;
    int lost = 0, wrong = 0, archived = 0, dropped = 0;
    try {
        auto feed = std::make_shared<ArchivingFeed>();
        RiskEngine engine(feed, std::vector<float>(48, 2.0f));
        engine.start();
        for (int round = 1; round <= 20; ++round) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            try {
                engine.setShockGrid(std::vector<float>(1500, 0.25f * round));
                for (int replay = 0; replay < 2; ++replay) wrong += engine.evaluate() != 2.0f * 1500 * 0.25f * round;
            } catch (const CudaError& e) {
                std::printf("round %d: %s\n", round, e.what());
                ++lost;
            }
        }
        feed->stop();
        archived = feed->archived();
        dropped = feed->dropped();
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
        return 0;
    }
    std::printf("plans lost %d, wrong %d, ticks archived %d, dropped %d\n", lost, wrong, archived, dropped);
    std::puts(wrong ? "LABEL REFUTED" : lost + dropped > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
