// Fleet telematics: per-sensor channels decode on their own streams, the fusion node runs on the vehicle stream.
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace telematics {

class DeviceError final : public std::runtime_error {
public:
    DeviceError(cudaError_t code, const std::string& site) : std::runtime_error(site + ": " + cudaGetErrorName(code)), code_(code) {}
    cudaError_t code() const { return code_; }

private:
    cudaError_t code_;
};
inline void ensure(cudaError_t code, const char* site) {
    if (code != cudaSuccess) throw DeviceError(code, site);
}

constexpr int kSamples = 1024;

__global__ void decodeRaw(const float* raw, float* decoded, float gain) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSamples) decoded[i] = raw[i] * gain;
}
__global__ void clampRange(float* decoded, float limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSamples) decoded[i] = fminf(decoded[i], limit);
}
__global__ void fuse(const float* a, const float* b, float* fused) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSamples) fused[i] = 0.5f * (a[i] + b[i]);
}

struct StreamHandle {
    cudaStream_t value = nullptr;
    StreamHandle() { ensure(cudaStreamCreateWithFlags(&value, cudaStreamNonBlocking), "stream"); }
    ~StreamHandle() { (void)cudaStreamDestroy(value); }
    StreamHandle(const StreamHandle&) = delete;
    StreamHandle& operator=(const StreamHandle&) = delete;
};
struct EventHandle {
    cudaEvent_t value = nullptr;
    EventHandle() { ensure(cudaEventCreateWithFlags(&value, cudaEventDisableTiming), "event"); }
    ~EventHandle() { (void)cudaEventDestroy(value); }
    EventHandle(const EventHandle&) = delete;
    EventHandle& operator=(const EventHandle&) = delete;
};
struct Samples {
    float* data = nullptr;
    Samples() { ensure(cudaMalloc(&data, kSamples * sizeof(float)), "samples"); }
    ~Samples() { (void)cudaFree(data); }
    Samples(const Samples&) = delete;
    Samples& operator=(const Samples&) = delete;
};

class SensorChannel {
public:
    virtual ~SensorChannel() = default;

    void schedule(cudaEvent_t frameStart) {
        ensure(cudaStreamWaitEvent(stream_.value, frameStart, 0), "channel fork");
        decode(stream_.value);
        ensure(cudaEventRecord(completion_.value, stream_.value), "channel done");
        onDecoded(stream_.value);  // HAZARD dependency #1
    }
    cudaEvent_t completion() const { return completion_.value; }
    float* raw() const { return raw_.data; }
    const float* decoded() const { return decoded_.data; }

protected:
    virtual void decode(cudaStream_t stream) = 0;
    virtual void onDecoded(cudaStream_t) {}
    Samples raw_, decoded_;

private:
    StreamHandle stream_;
    EventHandle completion_;
};

class RadarChannel final : public SensorChannel {
    void decode(cudaStream_t stream) override {
        decodeRaw<<<kSamples / 256, 256, 0, stream>>>(raw_.data, decoded_.data, 2.0f);
        ensure(cudaGetLastError(), "radar decode");
    }
};
class LidarChannel final : public SensorChannel {
    void decode(cudaStream_t stream) override {
        decodeRaw<<<kSamples / 256, 256, 0, stream>>>(raw_.data, decoded_.data, 4.0f);
        ensure(cudaGetLastError(), "lidar decode");
    }
    void onDecoded(cudaStream_t stream) override {
        clampRange<<<kSamples / 256, 256, 0, stream>>>(decoded_.data, 120.0f);  // HAZARD dependency #1
        ensure(cudaGetLastError(), "lidar clamp");
    }
};

class ChannelFactory {
public:
    static std::shared_ptr<SensorChannel> create(const std::string& kind) {
        if (kind == "radar") return std::make_shared<RadarChannel>();
        if (kind == "lidar") return std::make_shared<LidarChannel>();
        throw std::invalid_argument("unknown channel " + kind);
    }
};

class FusionPipeline {
public:
    FusionPipeline(std::shared_ptr<SensorChannel> left, std::shared_ptr<SensorChannel> right)
        : channels_{std::move(left), std::move(right)} {}
    ~FusionPipeline() { stop(); }

    void start() {
        beginRecording();
        try {
            ensure(cudaEventRecord(frameStart_.value, stream_.value), "frame start");
            for (auto& channel : channels_) channel->schedule(frameStart_.value);
            for (auto& channel : channels_) ensure(cudaStreamWaitEvent(stream_.value, channel->completion(), 0), "join");
            fuse<<<kSamples / 256, 256, 0, stream_.value>>>(channels_[0]->decoded(), channels_[1]->decoded(), fused_.data);
            ensure(cudaGetLastError(), "fuse");
        } catch (...) {
            cudaGraph_t partial = nullptr;
            (void)cudaStreamEndCapture(stream_.value, &partial);
            if (partial) (void)cudaGraphDestroy(partial);
            throw;
        }
        endRecording();
    }
    void stop() {
        if (exec_) (void)cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }
    float process(float radar, float lidar) {
        const std::vector<float> first(kSamples, radar), second(kSamples, lidar);
        ensure(cudaMemcpyAsync(channels_[0]->raw(), first.data(), kSamples * sizeof(float), cudaMemcpyHostToDevice, stream_.value), "in");
        ensure(cudaMemcpyAsync(channels_[1]->raw(), second.data(), kSamples * sizeof(float), cudaMemcpyHostToDevice, stream_.value), "in");
        ensure(cudaGraphLaunch(exec_, stream_.value), "launch");
        std::vector<float> out(kSamples);
        ensure(cudaMemcpyAsync(out.data(), fused_.data, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream_.value), "out");
        ensure(cudaStreamSynchronize(stream_.value), "frame");
        return out[kSamples / 3];
    }

private:
    void beginRecording() { ensure(cudaStreamBeginCapture(stream_.value, cudaStreamCaptureModeThreadLocal), "begin"); }
    void endRecording() {
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamEndCapture(stream_.value, &graph), "end recording");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        (void)cudaGraphDestroy(graph);
        ensure(rc, "instantiate");
    }

    std::vector<std::shared_ptr<SensorChannel>> channels_;
    StreamHandle stream_;
    EventHandle frameStart_;
    Samples fused_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace telematics

int main() {
    using namespace telematics;
    bool right = false;
    cudaError_t code = cudaSuccess;
    try {
        FusionPipeline pipeline(ChannelFactory::create("radar"), ChannelFactory::create("lidar"));
        pipeline.start();
        right = pipeline.process(10.0f, 10.0f) == 30.0f;
        right &= pipeline.process(10.0f, 50.0f) == 70.0f;
        right &= pipeline.process(30.0f, 20.0f) == 70.0f;
    } catch (const DeviceError& e) {
        code = e.code();
        std::printf("%s\n", e.what());
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
    }
    std::puts(!right && code == cudaErrorStreamCaptureUnjoined ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
