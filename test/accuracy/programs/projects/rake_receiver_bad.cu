// rake_receiver: two fingers of a rake receiver as chains of template stages. The fingers run on two branches of a
// graph and are combined at the end.
#include <cuda_runtime.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

namespace dsp {

inline void enforce(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::printf("line %d: %s\nLABEL UNOBSERVED\n", line, cudaGetErrorString(e));
    std::exit(EXIT_FAILURE);
}
#define ENFORCE(e) ::dsp::enforce((e), __LINE__)

constexpr int kChips = 2048;
constexpr int kFingers = 2;

template <typename Sample>
struct Buffers {
    const Sample* input;
    Sample* scratch;
    Sample* gain;    // one value, settled by the AGC stage
    Sample* output;
};

template <typename Sample>
__global__ void despreadKernel(const Sample* in, Sample* out, int delay, int sign) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kChips) out[i] = sign * in[(i + delay) % kChips];
}

// First order loop that converges to `target`.
template <typename Sample>
__global__ void agcKernel(Sample* gain, Sample target, int iterations) {
    Sample g = *gain * Sample(0);
    for (int k = 0; k < iterations; ++k) g = fma(target - g, Sample(0.001), g);
    *gain = rint(g);
}

template <typename Sample>
__global__ void applyKernel(const Sample* in, const Sample* gain, Sample* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kChips) out[i] = *gain * in[i];
}

template <typename Sample>
__global__ void combineKernel(const Sample* a, const Sample* b, Sample* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kChips) out[i] = a[i] + b[i];
}

constexpr dim3 kBlock{256, 1, 1};
constexpr dim3 kGrid{(kChips + 255) / 256, 1, 1};

struct Despread {
    int delay, sign;
    template <typename Sample>
    void operator()(const Buffers<Sample>& b, cudaStream_t s) const {
        despreadKernel<<<kGrid, kBlock, 0, s>>>(b.input, b.scratch, delay, sign);  // HAZARD concurrent #scratch
        ENFORCE(cudaGetLastError());
    }
};

struct Agc {
    double target;
    template <typename Sample>
    void operator()(const Buffers<Sample>& b, cudaStream_t s) const {
        agcKernel<<<1, 1, 0, s>>>(b.gain, Sample(target), 150000);
        ENFORCE(cudaGetLastError());
    }
};

struct Apply {
    template <typename Sample>
    void operator()(const Buffers<Sample>& b, cudaStream_t s) const {
        applyKernel<<<kGrid, kBlock, 0, s>>>(b.scratch, b.gain, b.output);
        ENFORCE(cudaGetLastError());
    }
};

template <typename... Stages>
class StageChain {
public:
    explicit StageChain(Stages... stages) : stages_(std::move(stages)...) {}
    template <typename Sample>
    void run(const Buffers<Sample>& b, cudaStream_t s) const {
        std::apply([&](const auto&... stage) { (stage(b, s), ...); }, stages_);
    }

private:
    std::tuple<Stages...> stages_;
};
template <typename... Stages>
StageChain(Stages...) -> StageChain<Stages...>;

template <typename Sample, typename Finger>
class Rake {
public:
    explicit Rake(std::array<Finger, kFingers> fingers) : fingers_(std::move(fingers)) {
        for (auto& s : stream_) ENFORCE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        ENFORCE(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
        ENFORCE(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
        input_ = take(kChips);
        result_ = take(kChips);
        Sample* scratch = take(kChips);
        for (auto& b : buffers_) b = Buffers<Sample>{input_, scratch, take(1), take(kChips)};  // HAZARD concurrent #scratch
        ENFORCE(cudaDeviceSynchronize());
        record();
    }
    ~Rake() {
        ENFORCE(cudaGraphExecDestroy(exec_));
        for (Sample* p : owned_) ENFORCE(cudaFree(p));
        ENFORCE(cudaEventDestroy(fork_));
        ENFORCE(cudaEventDestroy(join_));
        for (auto& s : stream_) ENFORCE(cudaStreamDestroy(s));
    }

    std::vector<Sample> receive(const std::vector<Sample>& chips) {
        std::vector<Sample> out(kChips);
        ENFORCE(cudaMemcpyAsync(input_, chips.data(), kChips * sizeof(Sample), cudaMemcpyHostToDevice, stream_[0]));
        ENFORCE(cudaGraphLaunch(exec_, stream_[0]));
        ENFORCE(cudaMemcpyAsync(out.data(), result_, kChips * sizeof(Sample), cudaMemcpyDeviceToHost, stream_[0]));
        ENFORCE(cudaStreamSynchronize(stream_[0]));
        return out;
    }

private:
    Sample* take(int n) {
        Sample* p = nullptr;
        ENFORCE(cudaMalloc(&p, n * sizeof(Sample)));
        ENFORCE(cudaMemset(p, 0, n * sizeof(Sample)));
        owned_.push_back(p);
        return p;
    }

    void record() {
        cudaGraph_t graph = nullptr;
        ENFORCE(cudaStreamBeginCapture(stream_[0], cudaStreamCaptureModeThreadLocal));
        ENFORCE(cudaEventRecord(fork_, stream_[0]));
        ENFORCE(cudaStreamWaitEvent(stream_[1], fork_, 0));
        for (int f = 0; f < kFingers; ++f) fingers_[f].run(buffers_[f], stream_[f]);  // HAZARD concurrent #scratch
        ENFORCE(cudaEventRecord(join_, stream_[1]));
        ENFORCE(cudaStreamWaitEvent(stream_[0], join_, 0));
        combineKernel<<<kGrid, kBlock, 0, stream_[0]>>>(buffers_[0].output, buffers_[1].output, result_);
        ENFORCE(cudaGetLastError());
        ENFORCE(cudaStreamEndCapture(stream_[0], &graph));
        ENFORCE(cudaGraphInstantiate(&exec_, graph, 0));
        ENFORCE(cudaGraphDestroy(graph));
    }

    std::array<Finger, kFingers> fingers_;
    std::array<cudaStream_t, kFingers> stream_{};
    std::array<Buffers<Sample>, kFingers> buffers_{};
    std::vector<Sample*> owned_;
    Sample* input_ = nullptr;
    Sample* result_ = nullptr;
    cudaEvent_t fork_ = nullptr, join_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace dsp

int main() {
    using namespace dsp;
    using Finger = StageChain<Despread, Agc, Apply>;
    int wrongFrames = 0;
    {
        Rake<float, Finger> rake({Finger(Despread{0, 1}, Agc{5.0}, Apply{}), Finger(Despread{9, -1}, Agc{3.0}, Apply{})});
        for (int frame = 0; frame < 20; ++frame) {
            std::vector<float> chips(kChips);
            for (int i = 0; i < kChips; ++i) chips[i] = float((i * 31 + frame * 7) % 64);
            const std::vector<float> out = rake.receive(chips);
            bool same = true;
            for (int i = 0; i < kChips; ++i) same = same && out[i] == 5.0f * chips[i] - 3.0f * chips[(i + 9) % kChips];
            if (!same) ++wrongFrames;
        }
    }
    std::printf("wrong frames: %d of 20\n", wrongFrames);
    std::printf("%s\n", wrongFrames > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
