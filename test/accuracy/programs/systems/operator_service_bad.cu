// Operator service: a factory turns textual plans into device work, with an eager fallback.
#include <cuda_runtime.h>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class UnknownOperator : public std::invalid_argument {
public:
    explicit UnknownOperator(const std::string& n) : std::invalid_argument("unknown operator " + n) {}
};

__global__ void addK(float* x, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += v;
}
__global__ void mulK(float* x, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= v;
}

struct Operator {
    virtual ~Operator() = default;
    virtual void run(float* x, int n, cudaStream_t s) const = 0;
};
struct AddOne : Operator {
    void run(float* x, int n, cudaStream_t s) const override { addK<<<(n + 63) / 64, 64, 0, s>>>(x, n, 1.0f); }
};
struct Twice : Operator {
    void run(float* x, int n, cudaStream_t s) const override { mulK<<<(n + 63) / 64, 64, 0, s>>>(x, n, 2.0f); }
};

class OperatorFactory {
public:
    using Maker = std::unique_ptr<Operator> (*)();
    OperatorFactory() {
        makers_["add1"] = []() -> std::unique_ptr<Operator> { return std::make_unique<AddOne>(); };
        makers_["x2"] = []() -> std::unique_ptr<Operator> { return std::make_unique<Twice>(); };
    }
    std::unique_ptr<Operator> create(const std::string& name) const {
        auto it = makers_.find(name);
        if (it == makers_.end()) throw UnknownOperator(name);
        return it->second();
    }
private:
    std::map<std::string, Maker> makers_;
};

class Recorder {
public:
    explicit Recorder(cudaStream_t s) : stream_(s) {
        rc_ = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal); // HAZARD capture_scope
    }
    cudaGraphExec_t finish() {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t e = nullptr;
        if (rc_ == cudaSuccess) rc_ = cudaStreamEndCapture(stream_, &g);
        if (rc_ == cudaSuccess) rc_ = cudaGraphInstantiate(&e, g, 0);
        if (g) cudaGraphDestroy(g);
        if (rc_ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc_));
        return e;
    }
private:
    cudaStream_t stream_;
    cudaError_t rc_;
};

class OperatorService {
public:
    OperatorService(OperatorFactory factory, int n) : factory_(std::move(factory)), n_(n) {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&x_, n_ * sizeof(float));
        cudaMemset(x_, 0, n_ * sizeof(float));
        cudaDeviceSynchronize();
    }
    void execute(const std::vector<std::string>& plan, int repeats) {
        try {
            cudaGraphExec_t exec = compile(plan);
            for (int i = 0; i < repeats; ++i) cudaGraphLaunch(exec, stream_);
            cudaStreamSynchronize(stream_);
            cudaGraphExecDestroy(exec);
        } catch (const UnknownOperator& e) {
            std::printf("[service] %s, running the known part eagerly\n", e.what());
            for (int i = 0; i < repeats; ++i) AddOne().run(x_, n_, stream_);
        }
    }
    cudaError_t flush() { return cudaStreamSynchronize(stream_); }
    float front() const {
        float v = -1.0f;
        cudaMemcpy(&v, x_, sizeof v, cudaMemcpyDeviceToHost);
        return v;
    }
private:
    cudaGraphExec_t compile(const std::vector<std::string>& plan) {
        Recorder recorder(stream_);
        for (const auto& name : plan) {
            auto op = factory_.create(name);
            op->run(x_, n_, stream_);
        }
        return recorder.finish();
    }
    OperatorFactory factory_;
    int n_;
    cudaStream_t stream_ = nullptr;
    float* x_ = nullptr;
};

int main() {
    OperatorService service(OperatorFactory{}, 256);
    service.execute({"add1", "x2"}, 3);  // ((0+1)*2+1)*2 ... = 14
    cudaError_t first = service.flush();
    float before = service.front();
    service.execute({"add1", "gelu"}, 2);
    cudaError_t second = service.flush();
    bool confirmed = first == cudaSuccess && before == 14.0f && second == cudaErrorStreamCaptureUnsupported;
    std::printf("%s: %s %g %s\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", cudaGetErrorName(first), before,
                cudaGetErrorName(second));
    return 0;
}
