#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

namespace runtime {

struct Status {
    cudaError_t code = cudaSuccess;
    Status() = default;
    Status(cudaError_t c) : code(c) {}
    bool IsOk() const { return code == cudaSuccess; }
};

#define ORT_RETURN(expr)                     \
    do {                                     \
        ::runtime::Status s_ = (expr);       \
        if (!s_.IsOk()) return s_;           \
    } while (0)

constexpr int kFeatures = 1024;

__global__ void ScaleKernel(float* x, float a) { x[blockIdx.x * blockDim.x + threadIdx.x] *= a; }
__global__ void BiasKernel(float* x, float b) { x[blockIdx.x * blockDim.x + threadIdx.x] += b; }

struct TensorRef {
    float* data;
};

class IOperator {
public:
    virtual ~IOperator() = default;
    virtual Status Run(cudaStream_t stream) = 0;
};

// Runs record(stream) under capture and turns the result into an executable graph.
inline Status CaptureInto(cudaStream_t stream, cudaGraphExec_t* exec, const std::function<Status()>& record) {
    ORT_RETURN(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); // HAZARD scope #1
    const Status recorded = record();
    cudaGraph_t graph = nullptr;
    Status ended = cudaStreamEndCapture(stream, &graph);
    Status result = recorded.IsOk() ? ended : recorded;
    if (result.IsOk()) result = cudaGraphInstantiate(exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return result;
}

class BiasOp final : public IOperator {
public:
    BiasOp(TensorRef x, float bias) : x_(x), bias_(bias) {}
    Status Run(cudaStream_t stream) override {
        BiasKernel<<<kFeatures / 256, 256, 0, stream>>>(x_.data, bias_);
        return cudaGetLastError();
    }

private:
    const TensorRef x_;
    const float bias_;
};

// Many tiny kernels; keeps a graph of its own so that eager models are fast as well.
class ResidualBlockOp final : public IOperator {
public:
    ResidualBlockOp(TensorRef x, int depth) : x_(x), depth_(depth) {}
    ~ResidualBlockOp() override {
        if (exec_) cudaGraphExecDestroy(exec_);
    }

    Status Run(cudaStream_t stream) override {
        if (!exec_) ORT_RETURN(CaptureInto(stream, &exec_, [&] { return Enqueue(stream); })); // HAZARD scope #1
        return cudaGraphLaunch(exec_, stream); // HAZARD scope #1
    }

private:
    Status Enqueue(cudaStream_t stream) const {
        for (int d = 0; d < depth_; ++d) {
            ScaleKernel<<<kFeatures / 256, 256, 0, stream>>>(x_.data, 2.0f);
            ORT_RETURN(cudaGetLastError());
            BiasKernel<<<kFeatures / 256, 256, 0, stream>>>(x_.data, -1.0f);
            ORT_RETURN(cudaGetLastError());
        }
        return Status();
    }

    const TensorRef x_;
    const int depth_;
    cudaGraphExec_t exec_ = nullptr;
};

class Session {
public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
        if (exec_) cudaGraphExecDestroy(exec_);
        ops_.clear();
        cudaFree(x_.data);
        cudaStreamDestroy(stream_);
    }

    Status Initialize() {
        ORT_RETURN(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ORT_RETURN(cudaMalloc(&x_.data, kFeatures * sizeof(float)));
        ops_.push_back(std::make_unique<BiasOp>(x_, 1.0f));
        ops_.push_back(std::make_unique<ResidualBlockOp>(x_, 3));
        ops_.push_back(std::make_unique<BiasOp>(x_, 0.5f));
        return Status();
    }

    // Runs once without a graph so that every operator has done its lazy set-up, then compiles.
    Status Compile() {
        ORT_RETURN(RunOperators());
        ORT_RETURN(cudaStreamSynchronize(stream_));
        return CaptureInto(stream_, &exec_, [this] { return RunOperators(); });
    }

    Status Predict(float input, float* output) {
        std::vector<float> host(kFeatures, input);
        const std::size_t bytes = kFeatures * sizeof(float);
        ORT_RETURN(cudaMemcpyAsync(x_.data, host.data(), bytes, cudaMemcpyHostToDevice, stream_));
        ORT_RETURN(cudaGraphLaunch(exec_, stream_));
        ORT_RETURN(cudaMemcpyAsync(host.data(), x_.data, bytes, cudaMemcpyDeviceToHost, stream_));
        ORT_RETURN(cudaStreamSynchronize(stream_));
        *output = host.back();
        return Status();
    }

private:
    Status RunOperators() {
        for (const auto& op : ops_) ORT_RETURN(op->Run(stream_));
        return Status();
    }

    cudaStream_t stream_ = nullptr;
    TensorRef x_{nullptr};
    std::vector<std::unique_ptr<IOperator>> ops_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace runtime

int main() {
    runtime::Session session;
    bool good = session.Initialize().IsOk();
    if (!good) {
        std::printf("LABEL REFUTED\n");
        return 0;
    }
    const runtime::Status compiled = session.Compile();
    std::printf("compile: %s\n", cudaGetErrorString(compiled.code));
    good = compiled.IsOk();
    for (int i = 0; good && i < 4; ++i) {
        float out = 0.0f;
        good = session.Predict(1.0f + i, &out).IsOk();
        const float want = (2.0f + i) * 8.0f - 7.0f + 0.5f;
        std::printf("predict: %f (expected %f)\n", out, want);
        good = good && std::fabs(out - want) < 1e-3f;
    }
    std::printf(good ? "LABEL REFUTED\n" : "LABEL CONFIRMED\n");
    return 0;
}
