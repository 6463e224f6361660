#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rover {
namespace planning {

struct Error {
    std::string where;
    cudaError_t code;
};

// Empty on success.
using Result = std::optional<Error>;

#define ROVER_CHECK(expr)                                       \
    do {                                                        \
        const cudaError_t roverCode = (expr);                   \
        if (roverCode != cudaSuccess) return Error{#expr, roverCode}; \
    } while (false)
#define ROVER_TRY(expr)                              \
    do {                                             \
        if (Result roverResult = (expr)) return roverResult; \
    } while (false)

constexpr int kCandidates = 1024;

enum class DriveMode { Cruise, Docking };

struct DeviceWorkspace {
    float* headings = nullptr;
    float* cost = nullptr;
};

__global__ void CruiseCostKernel(const float* headings, float* cost) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCandidates) cost[i] = fabsf(headings[i]);
}

__global__ void DockingCostKernel(const float* headings, float* cost) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCandidates) cost[i] = fabsf(headings[i] - 0.5f) * 4.0f;
}

class ICostTerm {
public:
    virtual ~ICostTerm() = default;
    virtual Result Enqueue(const DeviceWorkspace& workspace, cudaStream_t stream) = 0;
};

class CruiseCost final : public ICostTerm {
public:
    Result Enqueue(const DeviceWorkspace& workspace, cudaStream_t stream) override {
        CruiseCostKernel<<<kCandidates / 256, 256, 0, stream>>>(workspace.headings, workspace.cost);
        ROVER_CHECK(cudaGetLastError());
        return std::nullopt;
    }
};

class DockingCost final : public ICostTerm {
public:
    Result Enqueue(const DeviceWorkspace& workspace, cudaStream_t stream) override {
        DockingCostKernel<<<kCandidates / 256, 256, 0, stream>>>(workspace.headings, workspace.cost);
        ROVER_CHECK(cudaGetLastError());
        return std::nullopt;
    }
};

class IExecutionBackend {
public:
    virtual ~IExecutionBackend() = default;
    virtual bool IsRecorded() const = 0;
    virtual Result BeginRecording() = 0;
    virtual Result FinishRecording() = 0;
    virtual Result Submit() = 0;
    virtual void Discard() = 0;
    virtual cudaStream_t Stream() const = 0;
};

class GraphBackend final : public IExecutionBackend {
public:
    explicit GraphBackend(cudaStream_t stream) : stream_(stream) {}
    ~GraphBackend() override { Discard(); }
    bool IsRecorded() const override { return exec_ != nullptr; }
    cudaStream_t Stream() const override { return stream_; }
    Result BeginRecording() override {
        ROVER_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        return std::nullopt;
    }
    Result FinishRecording() override {
        cudaGraph_t graph = nullptr;
        ROVER_CHECK(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t code = cudaGraphInstantiate(&exec_, graph, 0);
        (void)cudaGraphDestroy(graph);
        ROVER_CHECK(code);
        return std::nullopt;
    }
    Result Submit() override {
        ROVER_CHECK(cudaGraphLaunch(exec_, stream_));
        return std::nullopt;
    }
    void Discard() override {
        if (exec_ != nullptr) (void)cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

class TrajectoryPlanner {
public:
    TrajectoryPlanner(std::unique_ptr<IExecutionBackend> backend, const DeviceWorkspace& workspace)
        : backend_(std::move(backend)), workspace_(workspace),
          cruise_(std::make_unique<CruiseCost>()), docking_(std::make_unique<DockingCost>()) {}

    void SetDriveMode(DriveMode mode) {
        mode_ = mode;
    }

    Result Plan(std::vector<float>& costs) {
        if (!backend_->IsRecorded()) {
            ROVER_TRY(backend_->BeginRecording());
            Result recorded = RecordEvaluation();
            Result finished = backend_->FinishRecording();
            if (recorded) return recorded;
            if (finished) return finished;
        }
        ROVER_TRY(backend_->Submit());
        costs.resize(kCandidates);
        ROVER_CHECK(cudaMemcpyAsync(costs.data(), workspace_.cost, kCandidates * sizeof(float),
                                    cudaMemcpyDeviceToHost, backend_->Stream()));
        ROVER_CHECK(cudaStreamSynchronize(backend_->Stream()));
        return std::nullopt;
    }

private:
    ICostTerm& ActiveTerm() {
        if (mode_ == DriveMode::Docking) return *docking_; // HAZARD host_logic #1
        return *cruise_;
    }

    Result RecordEvaluation() {
        ROVER_CHECK(cudaMemsetAsync(workspace_.cost, 0, kCandidates * sizeof(float), backend_->Stream()));
        return ActiveTerm().Enqueue(workspace_, backend_->Stream()); // HAZARD host_logic #1
    }

    std::unique_ptr<IExecutionBackend> backend_;
    DeviceWorkspace workspace_;
    std::unique_ptr<ICostTerm> cruise_;
    std::unique_ptr<ICostTerm> docking_;
    DriveMode mode_ = DriveMode::Cruise;
};

Result RunMission(bool& plansRight) {
    cudaStream_t stream = nullptr;
    ROVER_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    std::vector<float> headings(kCandidates);
    for (int i = 0; i < kCandidates; ++i) headings[i] = static_cast<float>(i) / kCandidates - 0.5f;
    DeviceWorkspace workspace;
    ROVER_CHECK(cudaMalloc(&workspace.headings, kCandidates * sizeof(float)));
    ROVER_CHECK(cudaMalloc(&workspace.cost, kCandidates * sizeof(float)));
    ROVER_CHECK(cudaMemcpy(workspace.headings, headings.data(), kCandidates * sizeof(float), cudaMemcpyHostToDevice));
    {
        TrajectoryPlanner planner(std::make_unique<GraphBackend>(stream), workspace);
        std::vector<float> costs;
        const DriveMode schedule[] = {DriveMode::Cruise, DriveMode::Cruise, DriveMode::Docking, DriveMode::Cruise};
        for (DriveMode mode : schedule) {
            planner.SetDriveMode(mode);
            ROVER_TRY(planner.Plan(costs));
            for (int i = 0; i < kCandidates; ++i) {
                const float want = mode == DriveMode::Docking ? std::fabs(headings[i] - 0.5f) * 4.0f : std::fabs(headings[i]);
                if (std::fabs(costs[i] - want) > 1e-5f) plansRight = false;
            }
        }
    }
    ROVER_CHECK(cudaFree(workspace.headings));
    ROVER_CHECK(cudaFree(workspace.cost));
    ROVER_CHECK(cudaStreamDestroy(stream));
    return std::nullopt;
}

} // namespace planning
} // namespace rover

int main() {
    bool plansRight = true;
    if (rover::planning::Result failure = rover::planning::RunMission(plansRight)) {
        std::printf("%s: %s\nLABEL REFUTED\n", failure->where.c_str(), cudaGetErrorString(failure->code));
        return 0;
    }
    std::printf("%s\n", plansRight ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
