// Insurance rating service: the rating engine is built by a factory from injected collaborators, and
// every operation reports a Status. The engine records its pipeline once and replays it per portfolio.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rating {

class Status {
public:
    static Status Ok() { return Status(cudaSuccess, ""); }
    static Status From(cudaError_t e, const char* ctx) {
        return e == cudaSuccess ? Ok() : Status(e, std::string(ctx) + ": " + cudaGetErrorName(e));
    }
    bool ok() const { return code_ == cudaSuccess; }
    cudaError_t code() const { return code_; }
    const std::string& message() const { return message_; }

private:
    Status(cudaError_t c, std::string m) : code_(c), message_(std::move(m)) {}
    cudaError_t code_;
    std::string message_;
};

#define RETURN_IF_ERROR(expr)                    \
    do {                                         \
        ::rating::Status st_ = (expr);           \
        if (!st_.ok()) return st_;               \
    } while (0)

__global__ void exposureKernel(const float* sums, const float* factor, float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = sums[i] * factor[0];
}

__global__ void premiumKernel(const float* scratch, float* premium, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) premium[i] = scratch[i] + 25.0f;
}

class IWorkspaceProvider {
public:
    virtual ~IWorkspaceProvider() = default;
    virtual Status acquire(size_t bytes, float** out) = 0;
};

// Hands out one growing block; most portfolios are small, so nothing is reserved up front.
class GrowingWorkspace final : public IWorkspaceProvider {
public:
    ~GrowingWorkspace() override { cudaFree(block_); }
    Status acquire(size_t bytes, float** out) override {
        if (block_ == nullptr) {
            cudaError_t e = cudaMalloc(&block_, bytes);  // HAZARD lazy_initialization #workspace
            if (e != cudaSuccess) return Status::From(e, "workspace");
            bytes_ = bytes;
        }
        if (bytes > bytes_) return Status::From(cudaErrorInvalidValue, "workspace too small");
        *out = block_;
        return Status::Ok();
    }

private:
    float* block_ = nullptr;
    size_t bytes_ = 0;
};

class IRatingEngine {
public:
    virtual ~IRatingEngine() = default;
    virtual Status prepare() = 0;
    virtual Status rate(const std::vector<float>& sums, float factor, std::vector<float>* premium) = 0;
};

class GraphRatingEngine final : public IRatingEngine {
public:
    GraphRatingEngine(std::shared_ptr<IWorkspaceProvider> ws, int capacity) : ws_(std::move(ws)), n_(capacity) {}
    ~GraphRatingEngine() override {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(sums_);
        cudaFree(premium_);
        cudaFree(factor_);
        if (stream_) cudaStreamDestroy(stream_);
    }

    Status open() {
        RETURN_IF_ERROR(Status::From(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"));
        RETURN_IF_ERROR(Status::From(cudaMalloc(&sums_, bytes()), "sums"));
        RETURN_IF_ERROR(Status::From(cudaMalloc(&premium_, bytes()), "premium"));
        return Status::From(cudaMalloc(&factor_, sizeof(float)), "factor");
    }

    Status prepare() override {
        const int block = 128, grid = (n_ + block - 1) / block;
        RETURN_IF_ERROR(Status::From(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin capture"));
        float* scratch = nullptr;
        Status st = ws_->acquire(bytes(), &scratch);  // HAZARD lazy_initialization #workspace
        if (!st.ok()) return st;                      // HAZARD scope
        exposureKernel<<<grid, block, 0, stream_>>>(sums_, factor_, scratch, n_);
        premiumKernel<<<grid, block, 0, stream_>>>(scratch, premium_, n_);
        cudaGraph_t graph = nullptr;
        RETURN_IF_ERROR(Status::From(cudaStreamEndCapture(stream_, &graph), "end capture"));
        st = Status::From(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        cudaGraphDestroy(graph);
        return st;
    }

    Status rate(const std::vector<float>& sums, float factor, std::vector<float>* premium) override {
        if (!exec_) return Status::From(cudaErrorNotReady, "engine not prepared");
        premium->resize(n_);
        RETURN_IF_ERROR(Status::From(cudaMemcpyAsync(sums_, sums.data(), bytes(), cudaMemcpyHostToDevice, stream_), "in"));
        RETURN_IF_ERROR(Status::From(cudaMemcpyAsync(factor_, &factor, sizeof(float), cudaMemcpyHostToDevice, stream_), "in"));
        RETURN_IF_ERROR(Status::From(cudaGraphLaunch(exec_, stream_), "launch"));
        RETURN_IF_ERROR(Status::From(
            cudaMemcpyAsync(premium->data(), premium_, bytes(), cudaMemcpyDeviceToHost, stream_), "out"));
        return Status::From(cudaStreamSynchronize(stream_), "sync");
    }

private:
    size_t bytes() const { return sizeof(float) * n_; }

    std::shared_ptr<IWorkspaceProvider> ws_;
    int n_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *sums_ = nullptr, *premium_ = nullptr, *factor_ = nullptr;
};

class EngineFactory {
public:
    explicit EngineFactory(std::shared_ptr<IWorkspaceProvider> ws) : ws_(std::move(ws)) {}
    std::pair<std::unique_ptr<IRatingEngine>, Status> create(int capacity) const {
        auto engine = std::make_unique<GraphRatingEngine>(ws_, capacity);
        Status st = engine->open();
        return {std::move(engine), st};
    }

private:
    std::shared_ptr<IWorkspaceProvider> ws_;
};

}  // namespace rating

int main() {
    constexpr int kPolicies = 640;
    rating::EngineFactory factory(std::make_shared<rating::GrowingWorkspace>());
    auto [engine, created] = factory.create(kPolicies);
    if (!created.ok()) {
        std::printf("%s\nLABEL UNOBSERVED\n", created.message().c_str());
        return 1;
    }
    const rating::Status first = engine->prepare();
    const rating::Status retry = first.ok() ? first : engine->prepare();
    std::printf("first: '%s', retry: '%s'\n", first.message().c_str(), retry.message().c_str());
    const bool confirmed = first.code() == cudaErrorStreamCaptureUnsupported &&
                           retry.message().rfind("begin capture", 0) == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
