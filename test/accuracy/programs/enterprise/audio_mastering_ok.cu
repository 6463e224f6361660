// Audio mastering daemon: the processing chain is described by a file and can be reloaded while running.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mastering {

class [[nodiscard]] Status {
public:
    enum Code { kOk, kInvalidArgument, kNotFound, kUnavailable, kDevice };
    Status() = default;
    Status(Code code, std::string text) : code_(code), text_(std::move(text)) {}
    static Status fromCuda(cudaError_t rc) { return rc == cudaSuccess ? Status() : Status(kDevice, cudaGetErrorName(rc)); }
    bool ok() const { return code_ == kOk; }
    Code code() const { return code_; }
    const char* text() const { return text_.c_str(); }

private:
    Code code_ = kOk;
    std::string text_;
};
#define RETURN_IF_ERROR(expr)                  \
    do {                                       \
        if (Status st_ = (expr); !st_.ok())    \
            return st_;                        \
    } while (0)
#define RETURN_IF_CUDA_ERROR(expr) RETURN_IF_ERROR(Status::fromCuda(expr))

constexpr int kBlockFrames = 1024;

__global__ void gainKernel(const float* in, float* out, float gain) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kBlockFrames) out[i] = in[i] * gain;
}
__global__ void limitKernel(const float* in, float* out, float ceiling, int lookahead) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kBlockFrames) return;
    float peak = ceiling;
    for (int k = 0; k <= lookahead; ++k) peak = fmaxf(peak, fabsf(in[min(i + k, kBlockFrames - 1)]));
    out[i] = in[i] * (ceiling / peak);
}

class Stage {
public:
    virtual ~Stage() = default;
    virtual Status enqueue(const float* in, float* out, cudaStream_t stream) const = 0;
};
class GainStage final : public Stage {
public:
    explicit GainStage(std::istream& in) { in >> gain_; }
    Status enqueue(const float* in, float* out, cudaStream_t stream) const override {
        gainKernel<<<kBlockFrames / 256, 256, 0, stream>>>(in, out, gain_);
        return Status::fromCuda(cudaGetLastError());
    }

private:
    float gain_ = 1.0f;
};
class LimiterStage final : public Stage {
public:
    explicit LimiterStage(std::istream& in) { in >> ceiling_ >> lookahead_; }
    Status enqueue(const float* in, float* out, cudaStream_t stream) const override {
        if (lookahead_ < 0 || lookahead_ >= kBlockFrames)
            return {Status::kInvalidArgument, "limiter: lookahead exceeds the block"};
        limitKernel<<<kBlockFrames / 256, 256, 0, stream>>>(in, out, ceiling_, lookahead_);
        return Status::fromCuda(cudaGetLastError());
    }

private:
    float ceiling_ = 1.0f;
    int lookahead_ = 0;
};
using Chain = std::vector<std::unique_ptr<Stage>>;

Status loadChain(const std::string& path, Chain& chain) {
    static const std::map<std::string, std::function<std::unique_ptr<Stage>(std::istream&)>> registry = {
        {"gain", [](std::istream& in) { return std::make_unique<GainStage>(in); }},
        {"limiter", [](std::istream& in) { return std::make_unique<LimiterStage>(in); }}};
    std::ifstream in(path);
    for (std::string name; in >> name;) {
        auto it = registry.find(name);
        if (it == registry.end()) return {Status::kNotFound, "no stage " + name};
        chain.push_back(it->second(in));
    }
    return {};
}

struct DestroyGraph {
    void operator()(cudaGraph_t g) const { (void)cudaGraphDestroy(g); }
};
struct DestroyExec {
    void operator()(cudaGraphExec_t e) const { (void)cudaGraphExecDestroy(e); }
};
struct AbandonCapture {
    void operator()(cudaStream_t s) const {
        cudaGraph_t partial = nullptr;
        (void)cudaStreamEndCapture(s, &partial);
        if (partial) (void)cudaGraphDestroy(partial);
    }
};
using OpenCapture = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, AbandonCapture>;
using GraphPtr = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;
using ExecPtr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyExec>;

class MasteringService {
public:
    ~MasteringService() {
        exec_.reset();
        for (float* buffer : buffers_) (void)cudaFree(buffer);
        if (stream_) (void)cudaStreamDestroy(stream_);
    }
    Status start() {
        RETURN_IF_CUDA_ERROR(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        for (float*& buffer : buffers_) RETURN_IF_CUDA_ERROR(cudaMalloc(&buffer, kBlockFrames * sizeof(float)));
        return {};
    }
    // Keeps the running chain when the new description is rejected.
    Status reload(const std::string& path) {
        Chain chain;
        RETURN_IF_ERROR(loadChain(path, chain));
        ExecPtr next;
        RETURN_IF_ERROR(record(chain, next));
        exec_ = std::move(next);
        outputSlot_ = chain.size() % 2;
        return {};
    }
    Status process(std::vector<float>& block) {
        if (!exec_) return {Status::kUnavailable, "no chain loaded"};
        const std::size_t bytes = kBlockFrames * sizeof(float);
        RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(buffers_[0], block.data(), bytes, cudaMemcpyHostToDevice, stream_));
        RETURN_IF_CUDA_ERROR(cudaGraphLaunch(exec_.get(), stream_));
        RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(block.data(), buffers_[outputSlot_], bytes, cudaMemcpyDeviceToHost, stream_));
        return Status::fromCuda(cudaStreamSynchronize(stream_));
    }

private:
    Status record(const Chain& chain, ExecPtr& exec) {
        RETURN_IF_CUDA_ERROR(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        OpenCapture open(stream_);
        int slot = 0;
        for (const auto& stage : chain) {
            RETURN_IF_ERROR(stage->enqueue(buffers_[slot], buffers_[1 - slot], stream_));
            slot = 1 - slot;
        }
        cudaGraph_t raw = nullptr;
        RETURN_IF_CUDA_ERROR(cudaStreamEndCapture(open.release(), &raw));
        const GraphPtr graph(raw);
        cudaGraphExec_t made = nullptr;
        RETURN_IF_CUDA_ERROR(cudaGraphInstantiate(&made, graph.get(), 0));
        exec.reset(made);
        return {};
    }

    cudaStream_t stream_ = nullptr;
    float* buffers_[2] = {nullptr, nullptr};
    ExecPtr exec_;
    std::size_t outputSlot_ = 0;
};

}  // namespace mastering

int main() {
    using namespace mastering;
    const auto path = (std::filesystem::temp_directory_path() / "audio_mastering_ok.chain").string();
    MasteringService service;
    const auto play = [&](float level, float expected) {
        std::vector<float> block(kBlockFrames, level);
        const Status s = service.process(block);
        std::printf("process: %s %f\n", s.ok() ? "ok" : s.text(), block[500]);
        return s.ok() && std::fabs(block[500] - expected) < 1e-5f;
    };
    const auto reload = [&](const char* description) {
        std::ofstream(path) << description;
        const Status s = service.reload(path);
        std::printf("reload: %s\n", s.ok() ? "ok" : s.text());
        return s;
    };
    const bool up = service.start().ok() && reload("gain 2\nlimiter 0.8 64\n").ok() && play(0.1f, 0.2f) && play(0.7f, 0.8f);
    const bool rejected = reload("gain 3\nlimiter 0.8 4096\n").code() == Status::kInvalidArgument;
    const bool keeps = play(0.3f, 0.6f) && reload("gain 3\n").ok() && play(0.3f, 0.9f) && play(0.1f, 0.3f);
    std::filesystem::remove(path);
    std::puts(up && rejected && keeps ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
