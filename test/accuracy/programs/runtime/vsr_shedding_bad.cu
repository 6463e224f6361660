#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static void vsrAssert(cudaError_t rc, const char* file, int line) {
    if (rc == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d cuda error %d (%s)\n", file, line, static_cast<int>(rc), cudaGetErrorString(rc));
    std::abort();
}
#define VSR_CUDA(x) vsrAssert((x), __FILE__, __LINE__)

namespace vsr {

constexpr int kPixels = 320 * 180;

struct FrameCtx {
    cudaStream_t stream;
    float* lo;
    float* hi;
};

__global__ void upscaleKernel(const float* lo, float* hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * kPixels) hi[i] = lo[i / 4];
}

__global__ void denoiseKernel(float* hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * kPixels) hi[i] *= 0.5f;
}

__global__ void toneKernel(float* hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * kPixels) hi[i] += 8.0f;
}

static void runUpscale(const FrameCtx& c) {
    upscaleKernel<<<(4 * kPixels + 255) / 256, 256, 0, c.stream>>>(c.lo, c.hi);
    VSR_CUDA(cudaGetLastError());
}
static void runDenoise(const FrameCtx& c) {
    denoiseKernel<<<(4 * kPixels + 255) / 256, 256, 0, c.stream>>>(c.hi);
    VSR_CUDA(cudaGetLastError());
}
static void runTone(const FrameCtx& c) {
    toneKernel<<<(4 * kPixels + 255) / 256, 256, 0, c.stream>>>(c.hi);
    VSR_CUDA(cudaGetLastError());
}

struct Stage {
    const char* name;
    bool optional;
    void (*run)(const FrameCtx&);
};

class LoadGovernor {
public:
    explicit LoadGovernor(float budgetMs) : budgetMs_(budgetMs) {}
    void report(float frameMs) { shedding_ = frameMs > budgetMs_; }
    bool shedding() const { return shedding_; }

private:
    float budgetMs_;
    bool shedding_ = false;
};

class ICommandRecorder {
public:
    virtual ~ICommandRecorder() = default;
    virtual void begin(cudaStream_t stream) = 0;
    virtual cudaGraphExec_t end(cudaStream_t stream) = 0;
};

class GraphRecorder final : public ICommandRecorder {
public:
    void begin(cudaStream_t stream) override {
        VSR_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    }
    cudaGraphExec_t end(cudaStream_t stream) override {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        VSR_CUDA(cudaStreamEndCapture(stream, &graph));
        VSR_CUDA(cudaGraphInstantiate(&exec, graph, 0));
        VSR_CUDA(cudaGraphDestroy(graph));
        return exec;
    }
};

class Engine {
public:
    Engine(LoadGovernor& governor, std::unique_ptr<ICommandRecorder> recorder)
        : governor_(governor), recorder_(std::move(recorder)) {
        VSR_CUDA(cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking));
        VSR_CUDA(cudaMalloc(&ctx_.lo, kPixels * sizeof(float)));
        VSR_CUDA(cudaMalloc(&ctx_.hi, 4 * kPixels * sizeof(float)));
        stages_ = {{"upscale", false, runUpscale}, {"denoise", true, runDenoise}, {"tone", false, runTone}};
    }
    ~Engine() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(ctx_.lo);
        cudaFree(ctx_.hi);
        cudaStreamDestroy(ctx_.stream);
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    float process(const std::vector<float>& frame) {
        VSR_CUDA(cudaMemcpyAsync(ctx_.lo, frame.data(), frame.size() * sizeof(float), cudaMemcpyHostToDevice,
                                 ctx_.stream));
        if (!exec_) exec_ = compile();
        VSR_CUDA(cudaGraphLaunch(exec_, ctx_.stream));
        float probe = 0.0f;
        VSR_CUDA(cudaMemcpyAsync(&probe, ctx_.hi + 17, sizeof(float), cudaMemcpyDeviceToHost, ctx_.stream));
        VSR_CUDA(cudaStreamSynchronize(ctx_.stream));
        return probe;
    }

private:
    cudaGraphExec_t compile() {
        recorder_->begin(ctx_.stream);
        for (const Stage& st : stages_) {
            if (st.optional && governor_.shedding()) continue;  // HAZARD host_logic
            st.run(ctx_);
        }
        return recorder_->end(ctx_.stream);
    }

    LoadGovernor& governor_;
    std::unique_ptr<ICommandRecorder> recorder_;
    FrameCtx ctx_{};
    std::vector<Stage> stages_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace vsr

int main() {
    vsr::LoadGovernor governor(16.6f);
    vsr::Engine engine(governor, std::make_unique<vsr::GraphRecorder>());
    const std::vector<float> frame(vsr::kPixels, 4.0f);

    const float frameMs[] = {9.0f, 12.0f, 21.5f, 19.0f, 11.0f};
    bool right = true;
    for (float ms : frameMs) {
        const float want = governor.shedding() ? 12.0f : 10.0f;
        right = right && std::fabs(engine.process(frame) - want) < 1e-5f;
        governor.report(ms);
    }
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
