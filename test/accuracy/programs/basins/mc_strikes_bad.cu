// Monte Carlo option pricer. Services (market, workspace) are injected, every
// pricer compiles its stages into a CUDA graph once and replays it per request.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define REQUIRE(call)                                                            \
    do {                                                                         \
        cudaError_t rc_ = (call);                                                \
        if (rc_ != cudaSuccess) {                                                \
            std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(rc_));     \
            std::puts("LABEL WRONG");                                            \
            std::exit(2);                                                        \
        }                                                                        \
    } while (0)

__host__ __device__ inline float uniform(uint32_t seed, uint32_t i) {
    uint32_t h = seed * 0x9E3779B1u ^ (i * 0x85EBCA6Bu + 0x27220A95u);
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return (h >> 8) * (1.0f / 16777216.0f) + 3e-8f;
}

__host__ __device__ inline float normal(uint32_t seed, uint32_t i) {
    return sqrtf(-2.f * logf(uniform(seed, 2 * i))) * cosf(6.2831853f * uniform(seed, 2 * i + 1));
}

struct ModelConfig {
    int paths = 1 << 14;
    float rate = 0.03f, vol = 0.2f, maturity = 1.f;
    uint32_t seed = 42;
};

__global__ void simulate(float* terminal, ModelConfig c, float spot) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c.paths) return;
    float drift = (c.rate - 0.5f * c.vol * c.vol) * c.maturity;
    terminal[i] = spot * expf(drift + c.vol * sqrtf(c.maturity) * normal(c.seed, i));
}

__global__ void payoff_mean(const float* terminal, int paths, const float* strikes, float discount, float* price) {
    __shared__ float part[256];
    float k = strikes[blockIdx.x], s = 0.f;
    for (int i = threadIdx.x; i < paths; i += blockDim.x) s += fmaxf(terminal[i] - k, 0.f);
    part[threadIdx.x] = s;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) price[blockIdx.x] = discount * part[0] / paths;
}

// Recycles fixed-size device blocks; a lease gives its block back when it ends.
class Workspace {
public:
    static constexpr size_t kBlock = 1 << 15;
    class Lease {
    public:
        Lease() = default;
        Lease(Workspace* o, float* p) : owner_(o), ptr_(p) {}
        Lease(Lease&& r) noexcept : owner_(std::exchange(r.owner_, nullptr)), ptr_(r.ptr_) {}
        Lease& operator=(Lease&& r) noexcept { std::swap(owner_, r.owner_); std::swap(ptr_, r.ptr_); return *this; }
        ~Lease() { if (owner_) owner_->idle_.push_back(ptr_); }
        float* get() const { return ptr_; }
    private:
        Workspace* owner_ = nullptr;
        float* ptr_ = nullptr;
    };
    Lease lease() {
        if (idle_.empty()) {
            float* p = nullptr;
            REQUIRE(cudaMalloc(&p, kBlock * sizeof(float)));
            return Lease(this, p);
        }
        float* p = idle_.back();
        idle_.pop_back();
        return Lease(this, p);
    }
private:
    std::vector<float*> idle_;
};

struct IMarket {
    virtual ~IMarket() = default;
    virtual float spot() const = 0;
    virtual const float* device_spot() const = 0;
};

class MarketFeed : public IMarket {
public:
    explicit MarketFeed(float s) { REQUIRE(cudaMalloc(&dev_, sizeof(float))); tick(s); }
    void tick(float s) { spot_ = s; REQUIRE(cudaMemcpy(dev_, &spot_, sizeof(float), cudaMemcpyHostToDevice)); }
    float spot() const override { return spot_; }
    const float* device_spot() const override { return dev_; }
private:
    float spot_ = 0.f;
    float* dev_ = nullptr;
};

class Pricer {
public:
    using Stage = std::function<void(cudaStream_t)>;
    Pricer(std::string name, ModelConfig cfg, std::vector<float> strikes, IMarket& market, Workspace& ws)
        : name_(std::move(name)), cfg_(cfg), strikes_(std::move(strikes)), market_(market), ws_(ws),
          terminal_(ws.lease()), prices_(ws.lease()) {
        REQUIRE(cudaStreamCreate(&stream_));
        compile();
    }
    ~Pricer() {
        cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    std::vector<float> price() {
        REQUIRE(cudaGraphLaunch(exec_, stream_));
        std::vector<float> out(strikes_.size());
        REQUIRE(cudaMemcpyAsync(out.data(), prices_.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        REQUIRE(cudaStreamSynchronize(stream_));
        return out;
    }
    const std::vector<float>& strikes() const { return strikes_; }
    const ModelConfig& config() const { return cfg_; }

private:
    void compile() {
        Workspace::Lease table = ws_.lease(); // HAZARD dangling #a
        REQUIRE(cudaMemcpy(table.get(), strikes_.data(), strikes_.size() * sizeof(float), cudaMemcpyHostToDevice));
        const int n = static_cast<int>(strikes_.size());
        const float discount = std::exp(-cfg_.rate * cfg_.maturity);
        std::vector<Stage> stages;
        stages.push_back([&](cudaStream_t s) {
            simulate<<<(cfg_.paths + 255) / 256, 256, 0, s>>>(terminal_.get(), cfg_, market_.spot()); // HAZARD frozen
        });
        stages.push_back([&](cudaStream_t s) {
            payoff_mean<<<n, 256, 0, s>>>(terminal_.get(), cfg_.paths, table.get(), discount, prices_.get()); // HAZARD dangling #a
        });
        cudaGraph_t graph = nullptr;
        REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (auto& stage : stages) stage(stream_);
        REQUIRE(cudaGetLastError());
        REQUIRE(cudaStreamEndCapture(stream_, &graph));
        REQUIRE(cudaGraphInstantiate(&exec_, graph, 0));
        REQUIRE(cudaGraphDestroy(graph));
    }

    std::string name_;
    ModelConfig cfg_;
    std::vector<float> strikes_;
    IMarket& market_;
    Workspace& ws_;
    Workspace::Lease terminal_, prices_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

std::vector<float> reference(const Pricer& p, float spot) {
    const ModelConfig& c = p.config();
    std::vector<float> out;
    for (float k : p.strikes()) {
        double s = 0;
        for (int i = 0; i < c.paths; ++i) {
            float t = spot * std::exp((c.rate - 0.5f * c.vol * c.vol) * c.maturity + c.vol * std::sqrt(c.maturity) * normal(c.seed, i));
            s += std::fmax(t - k, 0.f);
        }
        out.push_back(std::exp(-c.rate * c.maturity) * s / c.paths);
    }
    return out;
}

bool close(const char* tag, const std::vector<float>& a, const std::vector<float>& b) {
    bool same = true;
    for (size_t i = 0; i < a.size(); ++i) {
        std::printf("%s[%zu] %.4f / %.4f\n", tag, i, a[i], b[i]);
        same = same && std::fabs(a[i] - b[i]) <= 0.01f * std::fabs(b[i]) + 0.02f;
    }
    return same;
}

int main() {
    MarketFeed feed(100.f);
    Workspace ws;
    Pricer vanilla("vanilla", ModelConfig{}, {90.f, 100.f, 110.f}, feed, ws);
    bool first = close("open", vanilla.price(), reference(vanilla, 100.f));

    feed.tick(112.f);
    bool ticked = close("tick", vanilla.price(), reference(vanilla, 112.f));
    feed.tick(100.f);

    // A second desk joins with the same services.
    std::vector<float> wings{60.f, 140.f, 150.f};
    auto exotic = std::make_unique<Pricer>("wings", ModelConfig{}, wings, feed, ws);
    {
        Workspace::Lease scratch = ws.lease();
        REQUIRE(cudaMemset(scratch.get(), 0, Workspace::kBlock * sizeof(float)));
        REQUIRE(cudaMemcpy(scratch.get(), wings.data(), wings.size() * sizeof(float), cudaMemcpyHostToDevice));
        REQUIRE(cudaDeviceSynchronize());
    }
    std::vector<float> wing_prices = exotic->price();
    bool after = close("shared", vanilla.price(), reference(vanilla, 100.f));
    std::puts(first && !ticked && !after ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
