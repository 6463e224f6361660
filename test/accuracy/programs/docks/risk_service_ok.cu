// Intraday sensitivities. Calculators are produced by a factory and driven by a risk service that
// supports a sequential (end of day) and a parallel (intraday) execution policy.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sens {

void Ensure(cudaError_t rc, const char* where)
{
    if (rc == cudaSuccess) return;
    std::printf("%s: %s\nLABEL WRONG\n", where, cudaGetErrorString(rc));
    std::exit(1);
}

constexpr int    kPositions = 256;
constexpr int    kSolverIterations = 3000000;
constexpr double kBump = 0.5;

struct Position
{
    double spot;
    double vol;
};

__host__ __device__ inline double Reprice(double spot, double vol) { return spot * spot * 0.01 + 40.0 * vol * vol + spot * vol; }

__global__ void BumpKernel(const Position* book, double spotBump, double volBump, double* grid)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kPositions) return;
    grid[i] = Reprice(book[i].spot + spotBump, book[i].vol + volBump);
    grid[kPositions + i] = Reprice(book[i].spot - spotBump, book[i].vol - volBump);
}

__global__ void SolveScaleKernel(double* scale, int iterations)
{
    double x = *scale;
    for (int k = 0; k < iterations; ++k) x = fma(x, 0.5, 0.5);
    *scale = x;
}

__global__ void DifferenceKernel(const double* grid, const double* scale, double width, double* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPositions) out[i] = *scale * (grid[i] - grid[kPositions + i]) / width;
}

template <typename T>
class DeviceMemory
{
public:
    explicit DeviceMemory(size_t n) : n_(n) { Ensure(cudaMalloc(&p_, n * sizeof(T)), "malloc"); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory() { cudaFree(p_); }
    T* get() const { return p_; }
    size_t bytes() const { return n_ * sizeof(T); }
    void assign(const T* src) { Ensure(cudaMemcpy(p_, src, bytes(), cudaMemcpyHostToDevice), "assign"); }

private:
    T*     p_ = nullptr;
    size_t n_;
};

/// Scenario grid that calculators use for their bumped revaluations.
class Workspace
{
public:
    Workspace() : grid_(2 * kPositions)
    {
        Ensure(cudaEventCreateWithFlags(&lastUse_, cudaEventDisableTiming), "workspace event");
    }
    Workspace(const Workspace&) = delete;
    ~Workspace() { cudaEventDestroy(lastUse_); }
    double* grid() const { return grid_.get(); }
    void Acquire(cudaStream_t user) { Ensure(cudaStreamWaitEvent(user, lastUse_, 0), "acquire"); }
    void Release(cudaStream_t user) { Ensure(cudaEventRecord(lastUse_, user), "release"); }

private:
    DeviceMemory<double> grid_;
    cudaEvent_t          lastUse_ = nullptr;
};

class ICalculator
{
public:
    virtual ~ICalculator() = default;
    virtual const std::string& Name() const = 0;
    virtual void Start() = 0;
    virtual void Finish(std::vector<double>& out) = 0;
};

class CalculatorBase : public ICalculator
{
public:
    CalculatorBase(std::string name, std::shared_ptr<const DeviceMemory<Position>> book, std::shared_ptr<Workspace> workspace)
        : name_(std::move(name)), book_(std::move(book)), workspace_(std::move(workspace)), scale_(1), result_(kPositions)
    {
        const double one = 1.0;
        scale_.assign(&one);
        Ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~CalculatorBase() override
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    const std::string& Name() const override { return name_; }

    void Start() override
    {
        if (!exec_) Compile();
        workspace_->Acquire(stream_);
        Ensure(cudaGraphLaunch(exec_, stream_), "launch");
        workspace_->Release(stream_);
    }
    void Finish(std::vector<double>& out) override
    {
        out.resize(kPositions);
        Ensure(cudaMemcpyAsync(out.data(), result_.get(), result_.bytes(), cudaMemcpyDeviceToHost, stream_), "fetch");
        Ensure(cudaStreamSynchronize(stream_), "finish");
    }

protected:
    virtual double SpotBump() const = 0;
    virtual double VolBump() const = 0;

private:
    void Compile()
    {
        const int blocks = (kPositions + 63) / 64;
        const double width = 2.0 * (SpotBump() + VolBump());
        cudaGraph_t graph = nullptr;
        Ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        BumpKernel<<<blocks, 64, 0, stream_>>>(book_->get(), SpotBump(), VolBump(), workspace_->grid());
        SolveScaleKernel<<<1, 1, 0, stream_>>>(scale_.get(), kSolverIterations);
        DifferenceKernel<<<blocks, 64, 0, stream_>>>(workspace_->grid(), scale_.get(), width, result_.get());
        Ensure(cudaStreamEndCapture(stream_, &graph), "end");
        Ensure(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        Ensure(cudaGraphDestroy(graph), "destroy");
    }

    std::string name_;
    std::shared_ptr<const DeviceMemory<Position>> book_;
    std::shared_ptr<Workspace> workspace_;
    DeviceMemory<double> scale_;
    DeviceMemory<double> result_;
    cudaStream_t    stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class DeltaCalculator final : public CalculatorBase
{
public:
    using CalculatorBase::CalculatorBase;

protected:
    double SpotBump() const override { return kBump; }
    double VolBump() const override { return 0.0; }
};

class VegaCalculator final : public CalculatorBase
{
public:
    using CalculatorBase::CalculatorBase;

protected:
    double SpotBump() const override { return 0.0; }
    double VolBump() const override { return kBump; }
};

class CalculatorFactory
{
public:
    explicit CalculatorFactory(std::shared_ptr<const DeviceMemory<Position>> book)
        : book_(std::move(book)), workspace_(std::make_shared<Workspace>())
    {
    }
    std::unique_ptr<ICalculator> Create(const std::string& kind) const
    {
        if (kind == "delta") return std::make_unique<DeltaCalculator>(kind, book_, workspace_);
        return std::make_unique<VegaCalculator>(kind, book_, workspace_);
    }

private:
    std::shared_ptr<const DeviceMemory<Position>> book_;
    std::shared_ptr<Workspace> workspace_;
};

enum class Policy { Sequential, Parallel };

class RiskService
{
public:
    explicit RiskService(const CalculatorFactory& factory)
    {
        for (const char* kind : {"delta", "vega"}) calculators_.push_back(factory.Create(kind));
    }
    std::vector<std::vector<double>> Run(Policy policy)
    {
        std::vector<std::vector<double>> report(calculators_.size());
        if (policy == Policy::Sequential)
        {
            for (size_t c = 0; c < calculators_.size(); ++c)
            {
                calculators_[c]->Start();
                calculators_[c]->Finish(report[c]);
            }
            return report;
        }
        for (auto& calculator : calculators_) calculator->Start();
        for (size_t c = 0; c < calculators_.size(); ++c) calculators_[c]->Finish(report[c]);
        return report;
    }

private:
    std::vector<std::unique_ptr<ICalculator>> calculators_;
};

}  // namespace sens

int main()
{
    using namespace sens;
    std::vector<Position> positions(kPositions);
    for (int i = 0; i < kPositions; ++i) positions[i] = {80.0 + 0.25 * i, 0.15 + 0.001 * i};
    auto book = std::make_shared<DeviceMemory<Position>>(kPositions);
    book->assign(positions.data());

    RiskService service{CalculatorFactory(book)};
    auto correct = [&](const std::vector<std::vector<double>>& report) {
        for (int i = 0; i < kPositions; ++i)
        {
            const Position& p = positions[i];
            double delta = (Reprice(p.spot + kBump, p.vol) - Reprice(p.spot - kBump, p.vol)) / (2 * kBump);
            double vega = (Reprice(p.spot, p.vol + kBump) - Reprice(p.spot, p.vol - kBump)) / (2 * kBump);
            if (std::fabs(report[0][i] - delta) > 1e-6 || std::fabs(report[1][i] - vega) > 1e-6) return false;
        }
        return true;
    };

    bool sequential = true, parallel = true;
    for (int run = 0; run < 3; ++run) sequential = correct(service.Run(Policy::Sequential)) && sequential;
    for (int run = 0; run < 5; ++run) parallel = correct(service.Run(Policy::Parallel)) && parallel;
    std::printf("sequential %d parallel %d\n", sequential, parallel);
    std::puts(sequential && parallel ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
