// Live audio engine: a chain of effects per block with a peak meter that reports to subscribers.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace audio {

constexpr int kBlock = 512;

inline void expect(cudaError_t rc, const std::string& what) {
    if (rc != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(rc));
}

struct MeterReading {
    float peak;
    int clipped;
};

using MeterCallback = std::function<void(const MeterReading&)>;

__global__ void gain_kernel(float* x, float g) { x[blockIdx.x * blockDim.x + threadIdx.x] *= g; }

__global__ void softclip_kernel(float* x, float knee) {
    float& v = x[blockIdx.x * blockDim.x + threadIdx.x];
    const float a = fabsf(v);
    if (a > knee) v = copysignf(knee + (a - knee) / (1.0f + 4.0f * (a - knee)), v);
}

__global__ void echo_kernel(float* x, float* line, float feedback) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float y = x[i] + feedback * line[i];
    line[i] = y;
    x[i] = y;
}

__global__ void meter_kernel(const float* x, MeterReading* m, float ceiling) {
    __shared__ float peak[kBlock];
    __shared__ int over;
    const int i = threadIdx.x;
    if (i == 0) over = 0;
    peak[i] = fabsf(x[i]);
    __syncthreads();
    if (peak[i] > ceiling) atomicAdd(&over, 1);
    for (int s = kBlock / 2; s > 0; s /= 2) {
        __syncthreads();
        if (i < s) peak[i] = fmaxf(peak[i], peak[i + s]);
    }
    __syncthreads();
    if (i == 0) *m = MeterReading{peak[0], over};
}

class Effect {
public:
    virtual ~Effect() = default;
    virtual void enqueue(float* block, cudaStream_t stream) = 0;
    virtual void emulate(std::vector<float>& block) = 0;
};

class Gain final : public Effect {
public:
    explicit Gain(float db) : factor_(std::pow(10.0f, db / 20.0f)) {}
    void enqueue(float* block, cudaStream_t stream) override { gain_kernel<<<kBlock / 128, 128, 0, stream>>>(block, factor_); }
    void emulate(std::vector<float>& block) override {
        for (float& v : block) v *= factor_;
    }

private:
    const float factor_;
};

class SoftClip final : public Effect {
public:
    explicit SoftClip(float knee) : knee_(knee) {}
    void enqueue(float* block, cudaStream_t stream) override { softclip_kernel<<<kBlock / 128, 128, 0, stream>>>(block, knee_); }
    void emulate(std::vector<float>& block) override {
        for (float& v : block) {
            const float a = std::fabs(v);
            if (a > knee_) v = std::copysign(knee_ + (a - knee_) / (1.0f + 4.0f * (a - knee_)), v);
        }
    }

private:
    const float knee_;
};

class Echo final : public Effect {
public:
    explicit Echo(float feedback) : feedback_(feedback), history_(kBlock, 0.0f) {
        expect(cudaMalloc(&line_, kBlock * sizeof(float)), "echo line");
        expect(cudaMemset(line_, 0, kBlock * sizeof(float)), "echo clear");
    }
    ~Echo() override { cudaFree(line_); }
    void enqueue(float* block, cudaStream_t stream) override {
        echo_kernel<<<kBlock / 128, 128, 0, stream>>>(block, line_, feedback_);
    }
    void emulate(std::vector<float>& block) override {
        for (int i = 0; i < kBlock; ++i) block[i] = history_[i] = block[i] + feedback_ * history_[i];
    }

private:
    const float feedback_;
    float* line_ = nullptr;
    std::vector<float> history_;
};

// What the driver thread gets to see once a block has passed the meter.
struct Notification {
    MeterCallback deliver;
    const MeterReading* reading;
};

void CUDART_CB on_block_metered(void* user) {
    auto* n = static_cast<Notification*>(user);
    const MeterCallback deliver = std::exchange(n->deliver, nullptr); // HAZARD callback #meter
    if (deliver) deliver(*n->reading);
}

class Engine {
public:
    Engine() {
        expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        expect(cudaMalloc(&block_, kBlock * sizeof(float)), "block");
        expect(cudaMalloc(&meter_, sizeof(MeterReading)), "meter");
        expect(cudaMallocHost(&io_, kBlock * sizeof(float)), "io");
        expect(cudaMallocHost(&reading_, sizeof(MeterReading)), "reading");
    }
    ~Engine() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
        cudaFree(block_);
        cudaFree(meter_);
        cudaFreeHost(io_);
        cudaFreeHost(reading_);
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    template <class E, class... Args>
    Engine& with(Args&&... args) {
        chain_.push_back(std::make_unique<E>(std::forward<Args>(args)...));
        return *this;
    }

    void subscribe(MeterCallback callback) {
        notification_ = std::make_unique<Notification>(Notification{std::move(callback), reading_});
    }

    void prepare() {
        expect(cudaDeviceSynchronize(), "settle");
        cudaGraph_t graph = nullptr;
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        const auto failed = enqueue_block();
        const cudaError_t end = cudaStreamEndCapture(stream_, &graph);
        if (!failed && end == cudaSuccess) expect(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        if (graph) cudaGraphDestroy(graph);
        if (failed) throw std::runtime_error(*failed);
        expect(end, "end capture");
    }

    const float* process(const std::vector<float>& input) {
        std::memcpy(io_, input.data(), kBlock * sizeof(float));
        expect(cudaGraphLaunch(exec_, stream_), "launch");
        expect(cudaStreamSynchronize(stream_), "process");
        return io_;
    }

    std::vector<float> emulate(std::vector<float> block) {
        for (auto& effect : chain_) effect->emulate(block);
        return block;
    }

private:
    std::optional<std::string> enqueue_block() {
        if (cudaMemcpyAsync(block_, io_, kBlock * sizeof(float), cudaMemcpyHostToDevice, stream_) != cudaSuccess) return "upload";
        for (auto& effect : chain_) effect->enqueue(block_, stream_);
        meter_kernel<<<1, kBlock, 0, stream_>>>(block_, meter_, 0.9f);
        if (cudaGetLastError() != cudaSuccess) return "effects";
        if (cudaMemcpyAsync(io_, block_, kBlock * sizeof(float), cudaMemcpyDeviceToHost, stream_) != cudaSuccess) return "download";
        if (cudaMemcpyAsync(reading_, meter_, sizeof(MeterReading), cudaMemcpyDeviceToHost, stream_) != cudaSuccess) return "meter";
        const cudaError_t rc = cudaLaunchHostFunc(stream_, on_block_metered, notification_.get()); // HAZARD callback #meter
        if (rc != cudaSuccess) return "notify";
        return std::nullopt;
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* block_ = nullptr;
    MeterReading* meter_ = nullptr;
    float* io_ = nullptr;
    MeterReading* reading_ = nullptr;
    std::vector<std::unique_ptr<Effect>> chain_;
    std::unique_ptr<Notification> notification_;
};

}  // namespace audio

int main() {
    constexpr int kBlocks = 6;
    try {
        std::vector<float> peaks, wanted;
        bool sound = true;
        audio::Engine engine;
        engine.with<audio::Gain>(3.0f).with<audio::Echo>(0.35f).with<audio::SoftClip>(0.7f);
        engine.subscribe([&peaks](const audio::MeterReading& m) { peaks.push_back(m.peak); });
        engine.prepare();
        for (int b = 0; b < kBlocks; ++b) {
            std::vector<float> in(audio::kBlock);
            for (int i = 0; i < audio::kBlock; ++i) in[i] = (0.1f + 0.12f * b) * std::sin(0.031f * (i + 40 * b));
            const std::vector<float> want = engine.emulate(in);
            const float* out = engine.process(in);
            float peak = 0.0f;
            for (int i = 0; i < audio::kBlock; ++i) {
                sound = sound && std::fabs(out[i] - want[i]) < 1e-4f;
                peak = std::fmax(peak, std::fabs(want[i]));
            }
            wanted.push_back(peak);
        }
        int right = 0;
        for (size_t i = 0; i < peaks.size() && i < wanted.size(); ++i) right += std::fabs(peaks[i] - wanted[i]) < 1e-4f;
        std::printf("sound %d, %zu readings of %d, %d right\n", (int)sound, peaks.size(), kBlocks, right);
        std::puts(sound && peaks.size() == 1 && right == 1 ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
