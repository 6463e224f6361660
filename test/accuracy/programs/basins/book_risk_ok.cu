// Intraday risk engine: a book of linear trades is revalued under a shock. The
// revaluation is a CUDA graph; changes of scenario are recorded again and
// applied to the executable graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

static void expect(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorName(e));
    std::puts("LABEL WRONG");
    std::exit(1);
}
#define EXPECT(x) expect((x), __LINE__)

struct Trade { float notional, delta; };

struct RiskConfig {
    int capacity = 4096;
    float shock = 0.01f;
    bool stress = false;
    float stress_factor = 3.f;
};

__global__ void revalue(const Trade* t, float* pnl, float shock,
                        const int* live) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *live) pnl[i] = t[i].notional * t[i].delta * shock;
}

__global__ void stress_tail(float* pnl, int capacity, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < capacity) pnl[i] *= factor;
}

__global__ void total(const float* pnl, int capacity, float* out) {
    __shared__ float part[256];
    float s = 0.f;
    for (int i = threadIdx.x; i < capacity; i += 256) s += pnl[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int w = 128; w; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (!threadIdx.x) *out = part[0];
}

class Book {
public:
    explicit Book(int capacity) : capacity_(capacity) {
        EXPECT(cudaMalloc(&trades_, capacity * sizeof(Trade)));
        EXPECT(cudaMalloc(&live_, sizeof(int)));
        sync_count();
    }
    ~Book() { cudaFree(trades_); cudaFree(live_); }
    bool add(const Trade& t) {
        if (count_ == capacity_) return false;
        EXPECT(cudaMemcpy(trades_ + count_, &t, sizeof t, cudaMemcpyHostToDevice));
        mirror_.push_back(t);
        ++count_;
        sync_count();
        return true;
    }
    int active() const { return count_; }
    const Trade* device() const { return trades_; }
    const int* device_count() const { return live_; }
    const std::vector<Trade>& mirror() const { return mirror_; }
private:
    void sync_count() { EXPECT(cudaMemcpy(live_, &count_, sizeof(int), cudaMemcpyHostToDevice)); }
    int capacity_, count_ = 0;
    Trade* trades_ = nullptr;
    int* live_ = nullptr;
    std::vector<Trade> mirror_;
};

class GraphRunner {
public:
    using Recorder = std::function<void(cudaStream_t)>;
    GraphRunner() { EXPECT(cudaStreamCreate(&stream_)); }
    ~GraphRunner() { if (exec_) cudaGraphExecDestroy(exec_); cudaStreamDestroy(stream_); }
    void apply(const Recorder& rec) {
        cudaGraph_t graph = nullptr;
        EXPECT(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        rec(stream_);
        EXPECT(cudaStreamEndCapture(stream_, &graph));
        if (!exec_) {
            EXPECT(cudaGraphInstantiate(&exec_, graph, 0));
        } else {
            cudaGraphExecUpdateResultInfo info{};
            if (cudaGraphExecUpdate(exec_, graph, &info) == cudaSuccess) {
                ++updates_;
            } else {
                cudaGetLastError();
                EXPECT(cudaGraphExecDestroy(exec_));
                EXPECT(cudaGraphInstantiate(&exec_, graph, 0));
                ++rebuilds_;
            }
        }
        EXPECT(cudaGraphDestroy(graph));
    }
    void run() {
        EXPECT(cudaGraphLaunch(exec_, stream_));
        EXPECT(cudaStreamSynchronize(stream_));
    }
    int updates() const { return updates_; }
    int rebuilds() const { return rebuilds_; }
private:
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int updates_ = 0;
    int rebuilds_ = 0;
};

class RiskEngine {
public:
    RiskEngine(RiskConfig cfg, std::shared_ptr<Book> book, std::shared_ptr<GraphRunner> runner)
        : cfg_(cfg), book_(std::move(book)), runner_(std::move(runner)) {
        EXPECT(cudaMalloc(&pnl_, cfg_.capacity * sizeof(float)));
        EXPECT(cudaMalloc(&sum_, sizeof(float)));
        rebuild();
    }
    ~RiskEngine() { cudaFree(pnl_); cudaFree(sum_); }
    void set_shock(float s) { cfg_.shock = s; rebuild(); }
    void enable_stress(bool on) { cfg_.stress = on; rebuild(); }
    float run(const std::string& tag) {
        runner_->run();
        float h = 0.f;
        EXPECT(cudaMemcpy(&h, sum_, sizeof h, cudaMemcpyDeviceToHost));
        history_[tag] = h;
        return h;
    }
    float expected() const {
        double s = 0;
        for (const Trade& t : book_->mirror()) s += t.notional * t.delta * cfg_.shock;
        return s * (cfg_.stress ? cfg_.stress_factor : 1.f);
    }
    const std::map<std::string, float>& history() const { return history_; }

private:
    void rebuild() {
        runner_->apply([this](cudaStream_t s) {
            const int cap = cfg_.capacity;
            EXPECT(cudaMemsetAsync(pnl_, 0, cap * sizeof(float), s));
            revalue<<<(cap + 127) / 128, 128, 0, s>>>(book_->device(), pnl_, cfg_.shock, book_->device_count());
            if (cfg_.stress) stress_tail<<<(cap + 127) / 128, 128, 0, s>>>(pnl_, cap, cfg_.stress_factor);
            total<<<1, 256, 0, s>>>(pnl_, cap, sum_);
            EXPECT(cudaGetLastError());
        });
    }
    RiskConfig cfg_;
    std::shared_ptr<Book> book_;
    std::shared_ptr<GraphRunner> runner_;
    float *pnl_ = nullptr, *sum_ = nullptr;
    std::map<std::string, float> history_;
};

static bool near(const char* tag, float got, float want) {
    std::printf("%-8s %.4f (expected %.4f)\n", tag, got, want);
    return std::fabs(got - want) < 1e-3f * std::fabs(want) + 1e-3f;
}

int main() {
    RiskConfig cfg;
    auto book = std::make_shared<Book>(cfg.capacity);
    auto runner = std::make_shared<GraphRunner>();
    for (int i = 0; i < 100; ++i) book->add({100.f + i, 0.5f});

    RiskEngine engine(cfg, book, runner);
    bool open = near("open", engine.run("open"), engine.expected());
    engine.set_shock(0.02f);
    bool shocked = near("shock", engine.run("shock"), engine.expected());

    for (int i = 0; i < 300; ++i) book->add({50.f, 1.f});
    bool grown = near("grown", engine.run("grown"), engine.expected());

    engine.enable_stress(true);
    float stressed = engine.run("stress");
    bool stress = near("stress", stressed, engine.expected());
    bool kinds = runner->updates() == 1 && runner->rebuilds() == 1;
    std::puts(open && shocked && grown && stress && kinds ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
