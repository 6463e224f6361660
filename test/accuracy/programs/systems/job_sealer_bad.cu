// Job coordinator: recording starts on the request thread, sealing happens on the worker pool.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

enum class Phase { Idle, Recording, Sealed, Failed };

struct Status {
    cudaError_t code = cudaSuccess;
    std::string where;
    bool ok() const { return code == cudaSuccess; }
};

__global__ void accumulate(int* cell, int v) {
    if (threadIdx.x == 0) *cell += v;
}

class IExecutor {
public:
    virtual ~IExecutor() = default;
    virtual std::future<Status> post(std::function<Status()> work) = 0;
};

class AsyncExecutor final : public IExecutor {
public:
    std::future<Status> post(std::function<Status()> work) override {
        return std::async(std::launch::async, std::move(work));
    }
};

struct JobOptions {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
    int device = 0;
};

class Job {
public:
    Job(int* cell, JobOptions options) : cell_(cell), options_(options) {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    }
    ~Job() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
        cudaStreamDestroy(stream_);
    }

    Status open() {
        if (phase_ != Phase::Idle) return {cudaErrorInvalidValue, "open"};
        cudaError_t rc = cudaStreamBeginCapture(stream_, options_.mode); // HAZARD capture_scope #seal
        phase_ = rc == cudaSuccess ? Phase::Recording : Phase::Failed;
        return {rc, "open"};
    }

    Status append(int v) {
        if (phase_ != Phase::Recording) return {cudaErrorInvalidValue, "append"};
        accumulate<<<1, 32, 0, stream_>>>(cell_, v);
        return {cudaGetLastError(), "append"};
    }

    Status seal() {
        if (phase_ != Phase::Recording) return {cudaErrorInvalidValue, "seal"};
        cudaError_t rc = cudaStreamEndCapture(stream_, &graph_); // HAZARD capture_scope #seal
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph_, 0);
        phase_ = rc == cudaSuccess ? Phase::Sealed : Phase::Failed;
        return {rc, "seal"};
    }

    Status run(int times) {
        if (phase_ != Phase::Sealed) return {cudaErrorInvalidValue, "run"};
        cudaError_t rc = cudaSuccess;
        for (int i = 0; i < times && rc == cudaSuccess; ++i) rc = cudaGraphLaunch(exec_, stream_);
        if (rc == cudaSuccess) rc = cudaStreamSynchronize(stream_);
        return {rc, "run"};
    }

private:
    int* cell_;
    JobOptions options_;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    Phase phase_ = Phase::Idle;
};

class Coordinator {
public:
    Coordinator(std::unique_ptr<IExecutor> executor, int* cell) : executor_(std::move(executor)), job_(cell, {}) {}

    Status build(const std::vector<int>& values) {
        Status s = job_.open();
        if (!s.ok()) return s;
        auto sealed = executor_->post([this, &values]() -> Status {
            for (int v : values) {
                Status step = job_.append(v);
                if (!step.ok()) return step;
            }
            return job_.seal();
        });
        return sealed.get();
    }
    Status run(int times) { return job_.run(times); }

private:
    std::unique_ptr<IExecutor> executor_;
    Job job_;
};

int main() {
    int* cell = nullptr;
    cudaMalloc(&cell, sizeof(int));
    cudaMemset(cell, 0, sizeof(int));
    cudaDeviceSynchronize();
    Status built, ran;
    int total = -1;
    {
        Coordinator coordinator(std::make_unique<AsyncExecutor>(), cell);
        built = coordinator.build({1, 2, 3});
        ran = coordinator.run(4);
    }
    bool confirmed = built.code == cudaErrorStreamCaptureWrongThread && built.where == "seal" && !ran.ok();
    std::printf("%s: build=%s(%s) run=%s total=%d\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED",
                cudaGetErrorName(built.code), built.where.c_str(), cudaGetErrorName(ran.code), total);
    cudaFree(cell);
    return 0;
}
