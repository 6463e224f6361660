// Telemetry scaling pipeline: configuration service, pluggable stages, graph-backed executor.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace telemetry {

class GpuError : public std::runtime_error {
public:
    GpuError(const char* what, cudaError_t code)
        : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)), code_(code) {}
    cudaError_t code() const { return code_; }
private:
    cudaError_t code_;
};

inline void require(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw GpuError(what, code);
}

struct Settings {
    float gain = 1.0f;
    float bias = 0.0f;
};

class ConfigService {
public:
    using Observer = std::function<void(const Settings&)>;
    void subscribe(Observer o) { observers_.push_back(std::move(o)); observers_.back()(current_); }
    void reload(const Settings& s) {
        current_ = s;
        for (auto& o : observers_) o(current_);
    }
private:
    Settings current_;
    std::vector<Observer> observers_;
};

__global__ void scaleKernel(float* samples, int n, float gain, float bias) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) samples[i] = samples[i] * gain + bias;
}

class IStage {
public:
    virtual ~IStage() = default;
    virtual void encode(float* samples, int n, cudaStream_t stream) = 0;
    virtual unsigned revision() const = 0;
};

class GainStage final : public IStage {
public:
    explicit GainStage(ConfigService& config) {
        config.subscribe([this](const Settings& s) { settings_ = s; ++revision_; });
    }
    void encode(float* samples, int n, cudaStream_t stream) override {
        scaleKernel<<<(n + 127) / 128, 128, 0, stream>>>(samples, n, settings_.gain, settings_.bias);
        require(cudaGetLastError(), "scaleKernel");
    }
    unsigned revision() const override { return revision_; }
private:
    Settings settings_;
    unsigned revision_ = 0;
};

class Pipeline {
public:
    Pipeline(std::shared_ptr<IStage> stage, int n) : stage_(std::move(stage)), n_(n) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        require(cudaMalloc(&samples_, n_ * sizeof(float)), "samples");
    }
    ~Pipeline() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(samples_);
        cudaStreamDestroy(stream_);
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    std::vector<float> process(const std::vector<float>& in) {
        prepare();
        std::vector<float> out(in.size());
        require(cudaMemcpyAsync(samples_, in.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
        require(cudaGraphLaunch(exec_, stream_), "launch");
        ++frames_;
        require(cudaMemcpyAsync(out.data(), samples_, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
        require(cudaStreamSynchronize(stream_), "sync");
        return out;
    }
    long frames() const { return frames_; }

private:
    void prepare() {
        if (exec_ && built_ == stage_->revision()) return;
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        stage_->encode(samples_, n_, stream_);
        require(cudaStreamEndCapture(stream_, &graph), "end");
        built_ = stage_->revision();
        if (exec_) {
            cudaGraphExecUpdateResultInfo info{};
            cudaError_t updated = cudaGraphExecUpdate(exec_, graph, &info);
            require(cudaGraphDestroy(graph), "graph destroy");
            require(updated, "update");
            return;
        }
        require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        require(cudaGraphDestroy(graph), "graph destroy");
    }

    std::shared_ptr<IStage> stage_;
    int n_;
    cudaStream_t stream_ = nullptr;
    float* samples_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    unsigned built_ = 0;
    long frames_ = 0;
};

}  // namespace telemetry

int main() {
    using namespace telemetry;
    try {
        ConfigService config;
        auto stage = std::make_shared<GainStage>(config);
        Pipeline pipeline(stage, 1000);
        std::vector<float> in(1000, 3.0f);
        float a = pipeline.process(in)[999];
        config.reload({2.0f, 0.5f});
        float b = pipeline.process(in)[999];
        config.reload({4.0f, 1.0f});
        float c = pipeline.process(in)[999];
        long frames = pipeline.frames();
        bool confirmed = a == 3.0f && b == 6.5f && c == 13.0f && frames == 3;
        std::printf("%s: %g %g %g frames=%ld\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", a, b, c, frames);
    } catch (const std::exception& e) {
        std::printf("LABEL REFUTED: %s\n", e.what());
    }
    return 0;
}
