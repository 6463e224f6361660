// Radio monitor: a chain of variant stages turns blocks of samples into an
// averaged power spectrum. Observers attach std::function hooks to the chain.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

static void check(cudaError_t e, const char* file, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d %s\n", file, line, cudaGetErrorName(e));
    std::puts("LABEL UNOBSERVED");
    std::exit(EXIT_FAILURE);
}
#define CHECK(x) check((x), __FILE__, __LINE__)

constexpr int kBands = 256;

__global__ void window_kernel(const float* in, float* out, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kBands) out[i] = in[i] * scale;
}
__global__ void power_kernel(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kBands) out[i] = in[i] * in[i];
}
// Neighbouring bands leak into each other, so the running sum cannot be updated in place.
__global__ void integrate_kernel(const float* power, const float* sum_in, float* sum_out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kBands) sum_out[i] = 0.5f * (sum_in[i] + sum_in[(i + 1) % kBands]) + power[i];
}

struct WindowStage { float scale; };
struct PowerStage {};
struct IntegrateStage {};
using Stage = std::variant<WindowStage, PowerStage, IntegrateStage>;

template <class... F> struct overload : F... { using F::operator()...; };
template <class... F> overload(F...) -> overload<F...>;

class SpectrumBank {
public:
    using Hook = std::function<void()>;

    explicit SpectrumBank(std::vector<Stage> stages) : stages_(std::move(stages)) {
        CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        for (float** p : {&samples_, &windowed_, &power_, &sum_a_, &sum_b_}) {
            CHECK(cudaMalloc(reinterpret_cast<void**>(p), kBands * sizeof(float)));
            CHECK(cudaMemsetAsync(*p, 0, kBands * sizeof(float), stream_));
        }
        CHECK(cudaStreamSynchronize(stream_));
        sum_in_ = sum_a_;
        sum_out_ = sum_b_;
    }
    ~SpectrumBank() {
        CHECK(cudaStreamSynchronize(stream_));
        if (exec_) CHECK(cudaGraphExecDestroy(exec_));
        for (float* p : {samples_, windowed_, power_, sum_a_, sum_b_}) CHECK(cudaFree(p));
        CHECK(cudaStreamDestroy(stream_));
    }

    void on_block(Hook hook) { hooks_.push_back(std::move(hook)); }

    std::vector<float> feed(const std::vector<float>& samples) {
        CHECK(cudaMemcpyAsync(samples_, samples.data(), kBands * sizeof(float), cudaMemcpyHostToDevice, stream_));
        if (!exec_) exec_ = record();
        CHECK(cudaGraphLaunch(exec_, stream_));
        const float* latest = latest_;
        std::vector<float> out(kBands);
        CHECK(cudaMemcpyAsync(out.data(), latest, kBands * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        CHECK(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    void enqueue(const Stage& stage) {
        std::visit(overload{
            [&](const WindowStage& s) { window_kernel<<<2, 128, 0, stream_>>>(samples_, windowed_, s.scale); },
            [&](const PowerStage&) { power_kernel<<<2, 128, 0, stream_>>>(windowed_, power_); },
            [&](const IntegrateStage&) {
                integrate_kernel<<<2, 128, 0, stream_>>>(power_, sum_in_, sum_out_);  // HAZARD host_logic #swap
                latest_ = sum_out_;
                std::swap(sum_in_, sum_out_);  // HAZARD host_logic #swap
            }}, stage);
        CHECK(cudaGetLastError());
    }

    cudaGraphExec_t record() {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (const Stage& stage : stages_) enqueue(stage);
        for (auto& hook : hooks_) hook();  // HAZARD host_logic #hook
        CHECK(cudaStreamEndCapture(stream_, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    std::vector<Stage> stages_;
    std::vector<Hook> hooks_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    const float* latest_ = nullptr;
    float *samples_ = nullptr, *windowed_ = nullptr, *power_ = nullptr;
    float *sum_a_ = nullptr, *sum_b_ = nullptr;
    float *sum_in_ = nullptr, *sum_out_ = nullptr;
};

int main() {
    int blocks_seen = 0, wrong_sum = 0;
    constexpr int kBlocks = 5;
    {
        SpectrumBank bank({WindowStage{2.0f}, PowerStage{}, IntegrateStage{}});
        bank.on_block([&blocks_seen] { ++blocks_seen; });

        std::vector<float> ref(kBands, 0.0f), samples(kBands);
        for (int b = 0; b < kBlocks; ++b) {
            for (int i = 0; i < kBands; ++i) samples[i] = static_cast<float>((i + b) % 4 + 1);
            const std::vector<float> got = bank.feed(samples);
            std::vector<float> next(kBands);
            for (int i = 0; i < kBands; ++i)
                next[i] = 0.5f * (ref[i] + ref[(i + 1) % kBands]) + 4.0f * samples[i] * samples[i];
            ref = next;
            bool differs = false;
            for (int i = 0; i < kBands; ++i) differs |= std::fabs(got[i] - ref[i]) > 1e-2f;
            std::printf("block %d: %s\n", b, differs ? "wrong sum" : "ok");
            wrong_sum += differs;
        }
    }
    std::printf("hook saw %d of %d blocks\n", blocks_seen, kBlocks);
    std::puts(wrong_sum == kBlocks - 1 && blocks_seen == 1 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
