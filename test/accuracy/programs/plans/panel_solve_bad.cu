// Blocked panel smoothing with temporary storage from the stream-ordered
// allocator. Handles are move-only, errors travel as exceptions.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#define THROW_IF(call)                                                                       \
    do {                                                                                     \
        const cudaError_t st_ = (call);                                                      \
        if (st_ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(st_));           \
    } while (0)

constexpr int kPanel = 1 << 16;
constexpr std::size_t kPanelBytes = kPanel * sizeof(float);

__global__ void row_pass(const float* panel, float* scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPanel) scratch[i] = 0.5f * (panel[i] + panel[i ^ 1]);
}

__global__ void column_pass(const float* scratch, float* panel) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPanel) panel[i] = 0.5f * (scratch[i] + scratch[i ^ 256]) + 1.0f;
}

__global__ void fill(float* p, float value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPanel) p[i] = value;
}

__global__ void apply_mask(const float* mask, float* panel) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPanel) panel[i] *= mask[i];
}

struct ExecCloser {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using ExecHandle = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecCloser>;

// Memory whose release is ordered on the stream it was taken from.
class StreamBuffer {
public:
    StreamBuffer(std::size_t bytes, cudaStream_t s) : stream_(s) {
        THROW_IF(cudaMallocAsync(reinterpret_cast<void**>(&p_), bytes, s));
    }
    ~StreamBuffer() {
        if (p_) cudaFreeAsync(p_, stream_);
    }
    StreamBuffer(const StreamBuffer&) = delete;
    StreamBuffer& operator=(const StreamBuffer&) = delete;
    float* get() const { return p_; }

private:
    float* p_ = nullptr;
    cudaStream_t stream_;
};

// Open from construction to finish(); an exception in between ends and drops the capture.
class Capture {
public:
    explicit Capture(cudaStream_t s) : stream_(s) {
        THROW_IF(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        open_ = true;
    }
    ~Capture() {
        if (open_) cudaStreamEndCapture(stream_, &graph_);
        if (graph_) cudaGraphDestroy(graph_);
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ExecHandle finish() {
        open_ = false;
        THROW_IF(cudaStreamEndCapture(stream_, &graph_));
        cudaGraphExec_t exec = nullptr;
        THROW_IF(cudaGraphInstantiate(&exec, graph_, 0));
        return ExecHandle(exec);
    }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    bool open_ = false;
};

// Two smoothing passes over the panel through temporary storage.
static ExecHandle record_smoother(float* panel, cudaStream_t s) {
    StreamBuffer scratch(kPanelBytes, s);  // HAZARD dangling #scratch
    Capture capture(s);
    row_pass<<<kPanel / 256, 256, 0, s>>>(panel, scratch.get());     // HAZARD dangling #scratch
    column_pass<<<kPanel / 256, 256, 0, s>>>(scratch.get(), panel);  // HAZARD dangling #scratch
    return capture.finish();
}

static ExecHandle record_mask(const float* mask, float* panel, cudaStream_t s) {
    Capture capture(s);
    apply_mask<<<kPanel / 256, 256, 0, s>>>(mask, panel);
    return capture.finish();
}

static void smooth_reference(std::vector<float>& panel) {
    std::vector<float> tmp(panel.size());
    for (int i = 0; i < kPanel; ++i) tmp[i] = 0.5f * (panel[i] + panel[i ^ 1]);
    for (int i = 0; i < kPanel; ++i) panel[i] = 0.5f * (tmp[i] + tmp[i ^ 256]) + 1.0f;
}

static int count_wrong(const float* device, const std::vector<float>& ref, cudaStream_t s) {
    std::vector<float> host(kPanel);
    THROW_IF(cudaMemcpyAsync(host.data(), device, kPanelBytes, cudaMemcpyDeviceToHost, s));
    THROW_IF(cudaStreamSynchronize(s));
    int wrong = 0;
    for (int i = 0; i < kPanel; ++i) wrong += !(std::fabs(host[i] - ref[i]) < 1e-3f);
    return wrong;
}

static int run(cudaStream_t s) {
    float* panel = nullptr;
    THROW_IF(cudaMalloc(reinterpret_cast<void**>(&panel), kPanelBytes));
    std::vector<float> ref(kPanel);
    for (int i = 0; i < kPanel; ++i) ref[i] = static_cast<float>(i % 512);
    THROW_IF(cudaMemcpyAsync(panel, ref.data(), kPanelBytes, cudaMemcpyHostToDevice, s));
    THROW_IF(cudaStreamSynchronize(s));

    int wrong = 0;
    {
        ExecHandle smoother = record_smoother(panel, s);
        StreamBuffer mask(kPanelBytes, s);
        fill<<<kPanel / 256, 256, 0, s>>>(mask.get(), 0.5f);
        THROW_IF(cudaGetLastError());
        ExecHandle masker = record_mask(mask.get(), panel, s);

        for (int sweep = 0; sweep < 4; ++sweep) {
            THROW_IF(cudaGraphLaunch(smoother.get(), s));
            THROW_IF(cudaGraphLaunch(masker.get(), s));
            smooth_reference(ref);
            for (float& v : ref) v *= 0.5f;
            const int now = count_wrong(panel, ref, s);
            std::printf("sweep %d: %d wrong cells\n", sweep, now);
            wrong += now != 0;
        }
        THROW_IF(cudaStreamSynchronize(s));
    }
    THROW_IF(cudaFree(panel));
    return wrong;
}

int main() {
    cudaStream_t s = nullptr;
    bool failed = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess;
    if (failed) {
        std::puts("LABEL UNOBSERVED");
        return 1;
    }
    int wrong = 0;
    try {
        wrong = run(s);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "panel_solve: %s\n", e.what());
        failed = true;
    }
    cudaStreamDestroy(s);
    // The mask took over the scratch's memory, or the replay touched memory nobody owns.
    std::puts(failed || wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
