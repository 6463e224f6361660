#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pricing {

class Status {
public:
    static Status Ok() { return Status(); }
    static Status InvalidArgument(std::string m) { return Status(1, std::move(m)); }
    static Status Device(cudaError_t e) { return Status(2, cudaGetErrorString(e)); }
    bool ok() const { return code_ == 0; }
    int code() const { return code_; }
    const std::string& message() const { return message_; }

private:
    Status() = default;
    Status(int c, std::string m) : code_(c), message_(std::move(m)) {}
    int code_ = 0;
    std::string message_;
};

#define RETURN_IF_ERROR(expr)                 \
    do {                                      \
        ::pricing::Status st_ = (expr);       \
        if (!st_.ok()) return st_;            \
    } while (0)

#define RETURN_IF_CUDA(expr)                                             \
    do {                                                                 \
        cudaError_t ce_ = (expr);                                        \
        if (ce_ != cudaSuccess) return ::pricing::Status::Device(ce_);   \
    } while (0)

constexpr int kTrades = 512;

__global__ void DiscountKernel(const float* knots, int count, float* df) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kTrades) df[i] = 1.0f / (1.0f + knots[i % count]);
}

__global__ void PresentValueKernel(const float* df, const float* notional, float* pv) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kTrades) pv[i] = df[i] * notional[i];
}

struct Book {
    float* notional = nullptr;
    float* df = nullptr;
    float* pv = nullptr;
};

class IStage {
public:
    virtual ~IStage() = default;
    virtual Status Record(cudaStream_t stream) const = 0;
};

class DiscountStage final : public IStage {
public:
    DiscountStage(const float* knots, int count, const Book& book) : knots_(knots), count_(count), book_(book) {}
    Status Record(cudaStream_t stream) const override {
        if (count_ < 2) return Status::InvalidArgument("discount curve needs two knots");
        DiscountKernel<<<kTrades / 128, 128, 0, stream>>>(knots_, count_, book_.df);
        RETURN_IF_CUDA(cudaGetLastError());
        return Status::Ok();
    }

private:
    const float* const knots_;
    const int count_;
    const Book book_;
};

class PresentValueStage final : public IStage {
public:
    explicit PresentValueStage(const Book& book) : book_(book) {}
    Status Record(cudaStream_t stream) const override {
        PresentValueKernel<<<kTrades / 128, 128, 0, stream>>>(book_.df, book_.notional, book_.pv);
        RETURN_IF_CUDA(cudaGetLastError());
        return Status::Ok();
    }

private:
    const Book book_;
};

class PricingEngine {
public:
    explicit PricingEngine(cudaStream_t stream) : stream_(stream) {}
    ~PricingEngine() { Release(); }
    PricingEngine(const PricingEngine&) = delete;
    PricingEngine& operator=(const PricingEngine&) = delete;

    Status Configure(std::vector<std::unique_ptr<IStage>> stages) {
        Release();
        stages_ = std::move(stages);
        return Compile();
    }

    Status Price() {
        if (!exec_) return Status::InvalidArgument("engine is not compiled");
        RETURN_IF_CUDA(cudaGraphLaunch(exec_, stream_));
        RETURN_IF_CUDA(cudaStreamSynchronize(stream_));
        return Status::Ok();
    }

private:
    void Release() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    Status Compile() {
        RETURN_IF_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        Status recorded = Status::Ok();
        for (const auto& stage : stages_) {
            recorded = stage->Record(stream_);
            if (!recorded.ok()) break;
        }
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (!recorded.ok()) {
            if (graph) cudaGraphDestroy(graph);
            return recorded;
        }
        RETURN_IF_CUDA(ended);
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        RETURN_IF_CUDA(made);
        return Status::Ok();
    }

    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<std::unique_ptr<IStage>> stages_;
};

std::vector<std::unique_ptr<IStage>> MakeStages(const float* knots, int count, const Book& book) {
    std::vector<std::unique_ptr<IStage>> v;
    v.push_back(std::make_unique<DiscountStage>(knots, count, book));
    v.push_back(std::make_unique<PresentValueStage>(book));
    return v;
}

}  // namespace pricing

int main() {
    using namespace pricing;
    cudaStream_t stream = nullptr;
    Book book;
    float* knots = nullptr;
    const float hostKnots[2] = {0.25f, 1.0f};
    std::vector<float> notional(kTrades, 100.0f), pv(kTrades, 0.0f);
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc(&knots, sizeof(hostKnots)) != cudaSuccess ||
        cudaMalloc(&book.notional, kTrades * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&book.df, kTrades * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&book.pv, kTrades * sizeof(float)) != cudaSuccess ||
        cudaMemcpy(knots, hostKnots, sizeof(hostKnots), cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaMemcpy(book.notional, notional.data(), kTrades * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess) {
        std::printf("LABEL REFUTED\n");
        return 0;
    }

    bool right = true;
    {
        PricingEngine engine(stream);
        Status thin = engine.Configure(MakeStages(knots, 1, book));
        std::printf("one knot: %s\n", thin.message().c_str());
        Status full = engine.Configure(MakeStages(knots, 2, book));
        std::printf("two knots: %s\n", full.ok() ? "ok" : full.message().c_str());
        right = thin.code() == 1 && full.ok() && engine.Price().ok() && engine.Price().ok();
    }
    if (right) {
        right = cudaMemcpy(pv.data(), book.pv, kTrades * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess &&
                std::fabs(pv[0] - 80.0f) < 1e-3f && std::fabs(pv[1] - 50.0f) < 1e-3f;
    }
    std::printf(right ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
