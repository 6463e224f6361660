// Reservoir cascade operation.
//
// A CascadeService simulates a chain of reservoirs for many inflow scenarios at once. The day step is recorded into a
// graph by a planner; operators may change the release rule or open the auxiliary spillway between two days.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace cascade {

constexpr int kScenarios = 2048;
constexpr int kThreads = 128;
constexpr int kReservoirs = 3;

inline void require(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(rc));
}

struct ReleaseRule { float fraction; };
struct OpenSpillway { float level; };
using Command = std::variant<ReleaseRule, OpenSpillway>;

struct GraphDeleter { void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); } };
struct ExecDeleter { void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); } };
using GraphPtr = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphDeleter>;
using ExecPtr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

// storage layout: [reservoir][scenario]
__global__ void inflowStep(float* storage, const float* inflow, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) storage[i] += inflow[i];
}

__global__ void releaseStep(float* storage, int n, int reservoirs, float fraction) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float carried = 0.0f;
    for (int r = 0; r < reservoirs; ++r) {
        float s = storage[r * n + i] + carried;
        carried = s * fraction;
        storage[r * n + i] = s - carried;
    }
}

__global__ void spillStep(float* storage, int n, int reservoirs, float level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int r = 0; r < reservoirs; ++r) storage[r * n + i] = fminf(storage[r * n + i], level);
}

// --------------------------------------------------------------------------------------------------------- planning

struct DayPlan {
    GraphPtr graph;
    cudaGraphNode_t release = nullptr;
};

struct Operation {
    float fraction = 0.25f;
    std::optional<float> spillLevel;
};

class IPlanner {
public:
    virtual ~IPlanner() = default;
    virtual DayPlan plan(const Operation& op) = 0;
};

class CapturePlanner final : public IPlanner {
public:
    CapturePlanner(cudaStream_t stream, float* storage, const float* inflow)
        : stream_(stream), storage_(storage), inflow_(inflow) {}

    DayPlan plan(const Operation& op) override {
        const dim3 grid((kScenarios + kThreads - 1) / kThreads), block(kThreads);
        DayPlan out;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        inflowStep<<<grid, block, 0, stream_>>>(storage_, inflow_, kScenarios);
        releaseStep<<<grid, block, 0, stream_>>>(storage_, kScenarios, kReservoirs, op.fraction);
        out.release = lastNode();
        if (op.spillLevel) spillStep<<<grid, block, 0, stream_>>>(storage_, kScenarios, kReservoirs, *op.spillLevel);
        cudaGraph_t graph = nullptr;
        require(cudaStreamEndCapture(stream_, &graph), "end");
        out.graph.reset(graph);
        require(cudaGetLastError(), "plan");
        return out;
    }

private:
    cudaGraphNode_t lastNode() const {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        const cudaGraphNode_t* deps = nullptr;
        size_t count = 0;
        if (cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &deps, nullptr, &count) != cudaSuccess) return nullptr;
        return status == cudaStreamCaptureStatusActive && count == 1 ? deps[0] : nullptr;
    }

    cudaStream_t stream_;
    float* storage_;
    const float* inflow_;
};

// ---------------------------------------------------------------------------------------------------------- service

class CascadeService {
public:
    using Listener = std::function<void(const std::string&)>;

    explicit CascadeService(Listener listener) : listener_(std::move(listener)) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        require(cudaMalloc(&storage_, kReservoirs * kScenarios * sizeof(float)), "storage");
        require(cudaMalloc(&inflow_, kScenarios * sizeof(float)), "inflow");
        require(cudaMemset(storage_, 0, kReservoirs * kScenarios * sizeof(float)), "storage");
        require(cudaDeviceSynchronize(), "storage");
        planner_ = std::make_unique<CapturePlanner>(stream_, storage_, inflow_);
        plan_ = planner_->plan(op_);
        exec_ = instantiate(plan_.graph.get());
    }
    ~CascadeService() {
        cudaStreamSynchronize(stream_);
        exec_.reset();
        plan_ = DayPlan{};
        cudaFree(storage_);
        cudaFree(inflow_);
        cudaStreamDestroy(stream_);
    }

    void apply(const Command& command) {
        if (auto* rule = std::get_if<ReleaseRule>(&command)) return changeRelease(rule->fraction);
        openSpillway(std::get<OpenSpillway>(command).level);
    }

    std::vector<float> day(const std::vector<float>& inflow) {
        std::vector<float> storage(kReservoirs * kScenarios);
        require(cudaMemcpyAsync(inflow_, inflow.data(), kScenarios * sizeof(float), cudaMemcpyHostToDevice, stream_),
                "inflow");
        require(cudaGraphLaunch(exec_.get(), stream_), "launch");
        require(cudaMemcpyAsync(storage.data(), storage_, storage.size() * sizeof(float), cudaMemcpyDeviceToHost,
                                stream_), "storage");
        require(cudaStreamSynchronize(stream_), "sync");
        return storage;
    }

private:
    static ExecPtr instantiate(cudaGraph_t graph) {
        cudaGraphExec_t exec = nullptr;
        require(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        return ExecPtr(exec);
    }

    void changeRelease(float fraction) {
        op_.fraction = fraction;
        int n = kScenarios, reservoirs = kReservoirs;
        void* args[] = {&storage_, &n, &reservoirs, &op_.fraction};
        cudaKernelNodeParams params{};
        params.func = reinterpret_cast<void*>(&releaseStep);
        params.gridDim = dim3((kScenarios + kThreads - 1) / kThreads);
        params.blockDim = dim3(kThreads);
        params.kernelParams = args;
        require(cudaGraphExecKernelNodeSetParams(exec_.get(), plan_.release, &params), "release rule");
        listener_("release rule set");
    }

    // Node handles always belong to the graph that the executable was made from, so plan_ is only replaced together
    // with exec_; the graph of a successful update is released here.
    void openSpillway(float level) {
        op_.spillLevel = level;
        DayPlan next = planner_->plan(op_);
        cudaGraphExecUpdateResultInfo info{};
        if (cudaGraphExecUpdate(exec_.get(), next.graph.get(), &info) == cudaSuccess) {
            listener_("spillway level updated in place");
            return;
        }
        cudaGetLastError();
        exec_ = instantiate(next.graph.get());
        plan_ = std::move(next);
        listener_("spillway open");
    }

    Listener listener_;
    Operation op_;
    cudaStream_t stream_ = nullptr;
    float* storage_ = nullptr;
    float* inflow_ = nullptr;
    std::unique_ptr<IPlanner> planner_;
    DayPlan plan_;
    ExecPtr exec_;
};

}  // namespace cascade

// ----------------------------------------------------------------------------------------------------------- driver

using namespace cascade;

class Reference {
public:
    Reference() : storage_(kReservoirs * kScenarios, 0.0f) {}
    bool day(const std::vector<float>& inflow, float fraction, std::optional<float> level, const std::vector<float>& got) {
        bool same = true;
        for (int i = 0; i < kScenarios; ++i) {
            storage_[i] += inflow[i];
            float carried = 0.0f;
            for (int r = 0; r < kReservoirs; ++r) {
                float& s = storage_[r * kScenarios + i];
                s += carried;
                carried = s * fraction;
                s -= carried;
                if (level) s = std::fmin(s, *level);
            }
            for (int r = 0; r < kReservoirs; ++r)
                same &= std::fabs(storage_[r * kScenarios + i] - got[r * kScenarios + i]) < 1e-2f;
        }
        return same;
    }

private:
    std::vector<float> storage_;
};

static std::vector<float> inflowOf(int day) {
    std::vector<float> f(kScenarios);
    for (int i = 0; i < kScenarios; ++i) f[i] = 10.0f + float((i * 5 + day * 3) % 40);
    return f;
}

int main() {
    bool good = false;
    try {
        std::vector<std::string> events;
        CascadeService service([&](const std::string& text) { events.push_back(text); });
        Reference wanted;
        int day = 0;
        auto run = [&](int days, float fraction, std::optional<float> level) {
            bool same = true;
            for (int d = 0; d < days; ++d, ++day) same &= wanted.day(inflowOf(day), fraction, level, service.day(inflowOf(day)));
            return same;
        };

        const bool start = run(2, 0.25f, {});
        service.apply(ReleaseRule{0.60f});
        const bool rule = run(2, 0.60f, {});
        service.apply(OpenSpillway{12.0f});
        const bool open = run(2, 0.60f, 12.0f);
        service.apply(OpenSpillway{9.0f});
        const bool lower = run(2, 0.60f, 9.0f);
        service.apply(ReleaseRule{0.10f});
        const bool last = run(2, 0.10f, 9.0f);

        for (const auto& e : events) std::printf("event: %s\n", e.c_str());
        std::printf("start %d, rule %d, spillway %d, lower level %d, second rule %d\n", start, rule, open, lower, last);
        good = start && rule && open && lower && last && events.size() == 4 &&
               events[2] == "spillway level updated in place";
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL WRONG");
    return good ? 0 : 1;
}
