// Enterprise service: a pipeline of transformations of a ledger column. Observers are told about executed stages; a
// meter uses that to bill tenants for the stages that ran.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ledger {

class CudaError : public std::runtime_error {
public:
    explicit CudaError(cudaError_t code) : std::runtime_error(cudaGetErrorString(code)) {}
};

inline void ensure(cudaError_t code) {
    if (code != cudaSuccess) throw CudaError(code);
}

class IStageObserver {
public:
    virtual ~IStageObserver() = default;
    virtual void onStageExecuted(const std::string& stage) = 0;
};

class Meter final : public IStageObserver {
public:
    void onStageExecuted(const std::string&) override { ++executed_; }
    long executed() const { return executed_; }

private:
    std::atomic<long> executed_{0};
};

__global__ void addFee(long long* cents, long long fee) { cents[threadIdx.x] += fee; }
__global__ void roundToTen(long long* cents) { cents[threadIdx.x] = (cents[threadIdx.x] + 5) / 10 * 10; }

class IStage {
public:
    virtual ~IStage() = default;
    virtual std::string name() const = 0;
    virtual void enqueue(long long* column, int rows, cudaStream_t stream) const = 0;
};

class FeeStage final : public IStage {
public:
    explicit FeeStage(long long fee) : fee_(fee) {}
    std::string name() const override { return "fee"; }
    void enqueue(long long* column, int rows, cudaStream_t stream) const override {
        addFee<<<1, rows, 0, stream>>>(column, fee_);
    }

private:
    const long long fee_;
};

class RoundingStage final : public IStage {
public:
    std::string name() const override { return "round"; }
    void enqueue(long long* column, int rows, cudaStream_t stream) const override {
        roundToTen<<<1, rows, 0, stream>>>(column);
    }
};

class Pipeline {
public:
    static constexpr int kRows = 100;

    explicit Pipeline(std::vector<std::unique_ptr<IStage>> stages) : stages_(std::move(stages)) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ensure(cudaMalloc(&column_, kRows * sizeof(long long)));
        ensure(cudaMemset(column_, 0, kRows * sizeof(long long)));
        ensure(cudaDeviceSynchronize());
    }
    ~Pipeline() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(column_);
        cudaStreamDestroy(stream_);
    }

    void subscribe(std::shared_ptr<IStageObserver> observer) { observers_.push_back(std::move(observer)); }

    void compile() {
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (const auto& stage : stages_) {
            stage->enqueue(column_, kRows, stream_);
            plan_ += (plan_.empty() ? "" : ", ") + stage->name();
        }
        ensure(cudaLaunchHostFunc(stream_, &Pipeline::notify, this));
        ensure(cudaStreamEndCapture(stream_, &graph));
        ensure(cudaGraphInstantiate(&exec_, graph, 0));
        ensure(cudaGraphDestroy(graph));
    }

    long long execute() {
        long long first = 0;
        ensure(cudaGraphLaunch(exec_, stream_));
        ensure(cudaMemcpyAsync(&first, column_, sizeof first, cudaMemcpyDeviceToHost, stream_));
        ensure(cudaStreamSynchronize(stream_));
        return first;
    }

    const std::string& plan() const { return plan_; }

private:
    static void CUDART_CB notify(void* self) {
        const auto& pipeline = *static_cast<const Pipeline*>(self);
        for (const auto& stage : pipeline.stages_)
            for (const auto& observer : pipeline.observers_) observer->onStageExecuted(stage->name());
    }

    std::vector<std::unique_ptr<IStage>> stages_;
    std::vector<std::shared_ptr<IStageObserver>> observers_;
    std::string plan_;  // describes the compiled pipeline
    cudaStream_t stream_ = nullptr;
    long long* column_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace ledger

int main() {
    try {
        std::vector<std::unique_ptr<ledger::IStage>> stages;
        stages.push_back(std::make_unique<ledger::FeeStage>(17));
        stages.push_back(std::make_unique<ledger::RoundingStage>());
        ledger::Pipeline pipeline(std::move(stages));
        const auto meter = std::make_shared<ledger::Meter>();
        pipeline.subscribe(meter);
        pipeline.compile();

        long long last = 0;
        for (int run = 0; run < 5; ++run) last = pipeline.execute();
        std::printf("[%s]: cents %lld, billed stages %ld\n", pipeline.plan().c_str(), last, meter->executed());
        if (last == 100 && meter->executed() == 10) {
            std::puts("LABEL CONFIRMED");
            return 0;
        }
        std::puts("LABEL NOT CONFIRMED: another count or column");
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
