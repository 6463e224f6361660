// Packet filter of a software radio. A filter chain is recorded from a configuration; each fallible operation returns
// an Expected value.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace radio {

struct Failure {
    std::string reason;
    cudaError_t code = cudaSuccess;
};

template <class T>
class Expected {
public:
    Expected(T value) : state_(std::move(value)) {}
    Expected(Failure failure) : state_(std::move(failure)) {}
    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return std::get<0>(state_); }
    const Failure& failure() const { return std::get<1>(state_); }

private:
    std::variant<T, Failure> state_;
};

constexpr int kSamples = 1024;
constexpr int kMaxTaps = 32;

struct Stage {
    int taps;
    float level;
};
using Config = std::vector<Stage>;

__global__ void movingAverage(const float* in, float* out, int taps, float level) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kSamples) return;
    float sum = 0.0f;
    for (int t = 0; t < taps; ++t) sum += i >= t ? in[i - t] : 0.0f;
    out[i] = level * sum / float(taps);
}

class FilterBuilder {
public:
    FilterBuilder() {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&memory_, 2 * kSamples * sizeof(float));
    }
    FilterBuilder(const FilterBuilder&) = delete;
    FilterBuilder& operator=(const FilterBuilder&) = delete;
    ~FilterBuilder() {
        cudaFree(memory_);
        cudaStreamDestroy(stream_);
    }

    Expected<cudaGraphExec_t> build(const Config& config) {
        const cudaError_t begun = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);  // HAZARD scope #open
        if (begun != cudaSuccess) return Failure{"begin", begun};
        float* in = memory_;
        float* out = memory_ + kSamples;
        for (const Stage& stage : config) {
            if (stage.taps < 1 || stage.taps > kMaxTaps) return Failure{"bad number of taps"};  // HAZARD scope #open
            movingAverage<<<kSamples / 128, 128, 0, stream_>>>(in, out, stage.taps, stage.level);
            std::swap(in, out);
        }
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (ended != cudaSuccess) return Failure{"end", ended};
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        if (made != cudaSuccess) return Failure{"instantiate", made};
        return exec;
    }

    Expected<std::vector<float>> filter(cudaGraphExec_t exec, const std::vector<float>& packet, std::size_t stages) {
        std::vector<float> out(kSamples);
        const float* result = memory_ + (stages % 2) * kSamples;
        cudaMemcpyAsync(memory_, packet.data(), kSamples * sizeof(float), cudaMemcpyHostToDevice, stream_);
        const cudaError_t launched = cudaGraphLaunch(exec, stream_);
        if (launched != cudaSuccess) return Failure{"launch", launched};
        cudaMemcpyAsync(out.data(), result, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        const cudaError_t waited = cudaStreamSynchronize(stream_);
        if (waited != cudaSuccess) return Failure{"wait", waited};
        return out;
    }

private:
    cudaStream_t stream_ = nullptr;
    float* memory_ = nullptr;
};

}  // namespace radio

static std::vector<float> reference(std::vector<float> in, const radio::Config& config) {
    for (const auto& stage : config) {
        std::vector<float> out(in.size());
        for (int i = 0; i < int(in.size()); ++i) {
            float sum = 0.0f;
            for (int t = 0; t < stage.taps; ++t) sum += i >= t ? in[i - t] : 0.0f;
            out[i] = stage.level * sum / float(stage.taps);
        }
        in.swap(out);
    }
    return in;
}

int main() {
    radio::FilterBuilder builder;
    const radio::Config narrow = {{4, 1.0f}, {8, 0.5f}};
    const radio::Config absurd = {{4, 1.0f}, {500, 0.5f}};

    auto first = builder.build(narrow);
    if (!first) {
        std::printf("LABEL NOT CONFIRMED: %s\n", first.failure().reason.c_str());
        return 1;
    }
    auto rejected = builder.build(absurd);
    auto second = builder.build(narrow);
    std::printf("absurd: %s; again: %s\n", rejected ? "built" : rejected.failure().reason.c_str(),
                second ? "built" : cudaGetErrorName(second.failure().code));

    std::vector<float> packet(radio::kSamples);
    int wrong = 0, refused = 0;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < radio::kSamples; ++i) packet[i] = std::sin(0.05f * float(i + 40 * k));
        auto result = builder.filter(second ? *second : *first, packet, narrow.size());
        if (!result) {
            ++refused;
            continue;
        }
        const auto expected = reference(packet, narrow);
        for (int i = 0; i < radio::kSamples; ++i) wrong += !(std::fabs(expected[i] - (*result)[i]) < 1e-4f);
    }
    std::printf("refused packets %d, wrong samples %d\n", refused, wrong);
    cudaGraphExecDestroy(*first);
    if (second) cudaGraphExecDestroy(*second);
    const bool confirmed = !rejected && !second && refused == 3;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL NOT CONFIRMED");
    return confirmed ? 0 : 1;
}
