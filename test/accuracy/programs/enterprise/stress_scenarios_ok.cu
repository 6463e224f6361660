// Regulatory stress testing: scenario shocks per risk factor, portfolio P&L per scenario.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace stress {

constexpr int kFactors = 8;
using Shocks = std::array<float, kFactors>;

struct Failure {
    std::string reason;
};
template <class T>
using Result = std::variant<T, Failure>;

template <class T>
bool failed(const Result<T>& r) {
    return std::holds_alternative<Failure>(r);
}

#define STRESS_REQUIRE(call)                                                                       \
    do {                                                                                           \
        if (const cudaError_t e_ = (call); e_ != cudaSuccess)                                      \
            return ::stress::Failure{std::string(#call) + " failed: " + cudaGetErrorString(e_)};   \
    } while (false)

struct ExecTraits {
    static void release(cudaGraphExec_t e) { (void)cudaGraphExecDestroy(e); }
};
struct MemoryTraits {
    static void release(float* p) { (void)cudaFree(p); }
};
template <class Handle, class Traits>
class Unique {
public:
    Unique() = default;
    Unique(Unique&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
    Unique& operator=(Unique&& o) noexcept {
        std::swap(handle_, o.handle_);
        return *this;
    }
    ~Unique() {
        if (handle_) Traits::release(handle_);
    }
    Handle get() const { return handle_; }
    Handle* out() { return &handle_; }

private:
    Handle handle_ = nullptr;
};

__global__ void applyShocks(const float* sensitivities, const float* shocks, float* pnl, int positions) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= positions) return;
    float sum = 0.0f;
    for (int f = 0; f < kFactors; ++f) sum += sensitivities[p * kFactors + f] * shocks[f];
    pnl[p] = sum;
}

struct ScenarioPlan {
    Shocks shocks{};
    Unique<float*, MemoryTraits> deviceShocks;
    Unique<float*, MemoryTraits> pnl;
    Unique<cudaGraphExec_t, ExecTraits> exec;
};
using PlanHandle = std::unique_ptr<ScenarioPlan>;

class StressService {
public:
    StressService(cudaStream_t stream, const float* sensitivities, int positions)
        : stream_(stream), sensitivities_(sensitivities), positions_(positions) {}

    Result<bool> define(const std::string& id, const Shocks& shocks) {
        Result<PlanHandle> plan = buildPlan(shocks);
        if (failed(plan)) return std::get<Failure>(plan);
        plans_.insert_or_assign(id, std::move(std::get<PlanHandle>(plan)));
        return true;
    }

    Result<bool> reshock(const std::string& id, const Shocks& shocks) {
        auto it = plans_.find(id);
        if (it == plans_.end()) return Failure{"unknown scenario " + id};
        ScenarioPlan& plan = *it->second;
        plan.shocks = shocks;
        return true;
    }

    Result<std::vector<float>> run(const std::string& id) {
        auto it = plans_.find(id);
        if (it == plans_.end()) return Failure{"unknown scenario " + id};
        const ScenarioPlan& plan = *it->second;
        std::vector<float> pnl(positions_);
        STRESS_REQUIRE(cudaGraphLaunch(plan.exec.get(), stream_));
        STRESS_REQUIRE(cudaMemcpyAsync(pnl.data(), plan.pnl.get(), positions_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        STRESS_REQUIRE(cudaStreamSynchronize(stream_));
        return pnl;
    }

private:
    Result<PlanHandle> buildPlan(const Shocks& shocks) {
        auto plan = std::make_unique<ScenarioPlan>();
        plan->shocks = shocks;
        STRESS_REQUIRE(cudaMalloc(plan->deviceShocks.out(), sizeof(Shocks)));
        STRESS_REQUIRE(cudaMalloc(plan->pnl.out(), positions_ * sizeof(float)));

        STRESS_REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        const cudaError_t enqueued = enqueue(*plan);
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        const std::shared_ptr<std::remove_pointer_t<cudaGraph_t>> owner(
            graph, [](cudaGraph_t g) { if (g) (void)cudaGraphDestroy(g); });
        STRESS_REQUIRE(enqueued);
        STRESS_REQUIRE(ended);
        STRESS_REQUIRE(cudaGraphInstantiate(plan->exec.out(), graph, 0));
        return Result<PlanHandle>(std::move(plan));
    }

    cudaError_t enqueue(const ScenarioPlan& plan) {
        float* const target = plan.deviceShocks.get();
        const cudaError_t rc = cudaMemcpyAsync(target, plan.shocks.data(), sizeof(Shocks), cudaMemcpyHostToDevice, stream_);
        if (rc != cudaSuccess) return rc;
        applyShocks<<<(positions_ + 127) / 128, 128, 0, stream_>>>(sensitivities_, plan.deviceShocks.get(), plan.pnl.get(),
                                                                   positions_);
        return cudaGetLastError();
    }

    cudaStream_t stream_;
    const float* sensitivities_;
    const int positions_;
    std::map<std::string, PlanHandle> plans_;
};

}  // namespace stress

int main() {
    using namespace stress;
    const int positions = 300;
    cudaStream_t stream = nullptr;
    float* sensitivities = nullptr;
    const std::vector<float> ones(positions * kFactors, 1.0f);
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc(&sensitivities, ones.size() * sizeof(float)) != cudaSuccess ||
        cudaMemcpyAsync(sensitivities, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice, stream) != cudaSuccess ||
        cudaStreamSynchronize(stream) != cudaSuccess) {
        std::puts("setup failed\nLABEL REFUTED");
        return 0;
    }
    bool failure = false, right = true;
    {
        StressService service(stream, sensitivities, positions);
        Shocks shocks;
        shocks.fill(0.25f);
        failure |= failed(service.define("CCAR-severe", shocks));
        for (const float level : {0.25f, 0.5f, -3.0f}) {
            shocks.fill(level);
            failure |= failed(service.reshock("CCAR-severe", shocks));
            const auto pnl = service.run("CCAR-severe");
            failure |= failed(pnl);
            if (failed(pnl)) break;
            const float got = std::get<std::vector<float>>(pnl)[positions - 1];
            std::printf("shock %.2f: pnl %.3f, expected %.3f\n", level, got, level * kFactors);
            right &= got == level * kFactors;
        }
    }
    (void)cudaFree(sensitivities);
    (void)cudaStreamDestroy(stream);
    std::puts(!failure && right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
