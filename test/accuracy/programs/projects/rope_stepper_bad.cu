// rope_stepper: position based rope with substeps and an adaptive time step. One frame is `substeps` Jacobi updates
// between two buffers; a frame is recorded once and replayed.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace phys {

struct Config {
    int   nodes = 1024;
    int   substeps = 3;
    float dtMax = 0.5f;
    float dtMin = 0.03125f;
    float tolerance = 0.5f;  // largest displacement in a substep that still allows dt to grow
};

class Status {
public:
    void operator()(cudaError_t e, const char* where) {
        if (e == cudaSuccess) return;
        std::printf("%s: %s\n", where, cudaGetErrorString(e));
        good_ = false;
    }
    bool good() const { return good_; }

private:
    bool good_ = true;
};

__global__ void relaxRope(const float* in, float* out, int n, float dt, float* largestMove) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i == 0 || i == n - 1) {
        out[i] = in[i];
        return;
    }
    const float move = dt * (0.5f * (in[i - 1] + in[i + 1]) - in[i]);
    out[i] = in[i] + move;
    atomicMax(reinterpret_cast<int*>(largestMove), __float_as_int(fabsf(move)));  // non-negative floats order as ints
}

// The step size for the next frame, from the largest move of this one.
float adapt(const Config& cfg, float dt, float largestMove) {
    if (largestMove > cfg.tolerance) return std::max(0.5f * dt, cfg.dtMin);
    return std::min(2.0f * dt, cfg.dtMax);
}

class RopeStepper {
public:
    RopeStepper(const Config& cfg, const std::vector<float>& shape) : cfg_(cfg), dt_(cfg.dtMax) {
        const size_t bytes = cfg.nodes * sizeof(float);
        check_(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        check_(cudaMalloc(&current_, bytes), "current");
        check_(cudaMalloc(&other_, bytes), "other");
        check_(cudaMalloc(&move_, sizeof(float)), "move");
        check_(cudaMallocHost(&pinnedMove_, sizeof(float)), "pinned");
        check_(cudaMemcpy(current_, shape.data(), bytes, cudaMemcpyHostToDevice), "shape");
        check_(cudaDeviceSynchronize(), "setup");
    }

    ~RopeStepper() {
        if (frame_) cudaGraphExecDestroy(frame_);
        cudaFree(current_);
        cudaFree(other_);
        cudaFree(move_);
        cudaFreeHost(pinnedMove_);
        if (stream_) cudaStreamDestroy(stream_);
    }

    void advanceFrame() {
        if (!frame_) recordFrame();
        check_(cudaGraphLaunch(frame_, stream_), "launch");
        check_(cudaStreamSynchronize(stream_), "frame");
        dt_ = adapt(cfg_, dt_, *pinnedMove_);
    }

    std::vector<float> positions() {
        std::vector<float> host(cfg_.nodes);
        check_(cudaMemcpyAsync(host.data(), current_, host.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_), "read");
        check_(cudaStreamSynchronize(stream_), "read");
        return host;
    }

    float dt() const { return dt_; }
    bool good() const { return check_.good(); }

private:
    void recordFrame() {
        cudaGraph_t graph = nullptr;
        check_(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
        check_(cudaMemsetAsync(move_, 0, sizeof(float), stream_), "clear");
        const int blocks = (cfg_.nodes + 127) / 128;
        for (int s = 0; s < cfg_.substeps; ++s) {
            relaxRope<<<blocks, 128, 0, stream_>>>(current_, other_, cfg_.nodes, dt_, move_);  // HAZARD frozen
            check_(cudaGetLastError(), "relaxRope");
            std::swap(current_, other_);  // HAZARD host_logic
        }
        check_(cudaMemcpyAsync(pinnedMove_, move_, sizeof(float), cudaMemcpyDeviceToHost, stream_), "move");
        check_(cudaStreamEndCapture(stream_, &graph), "end");
        check_(cudaGraphInstantiate(&frame_, graph, 0), "instantiate");
        check_(cudaGraphDestroy(graph), "destroy");
    }

    Config          cfg_;
    float           dt_;
    Status          check_;
    cudaStream_t    stream_ = nullptr;
    cudaGraphExec_t frame_ = nullptr;
    float*          current_ = nullptr;
    float*          other_ = nullptr;
    float*          move_ = nullptr;
    float*          pinnedMove_ = nullptr;
};

// Host model with the same rules.
struct HostRope {
    Config cfg;
    std::vector<float> y;
    float dt;
    void advanceFrame() {
        float largest = 0.0f;
        for (int s = 0; s < cfg.substeps; ++s) {
            std::vector<float> next = y;
            for (int i = 1; i + 1 < cfg.nodes; ++i) {
                const float move = dt * (0.5f * (y[i - 1] + y[i + 1]) - y[i]);
                next[i] = y[i] + move;
                largest = std::max(largest, std::fabs(move));
            }
            y.swap(next);
        }
        dt = adapt(cfg, dt, largest);
    }
};

}  // namespace phys

int main() {
    phys::Config cfg;
    std::vector<float> shape(cfg.nodes);
    for (int i = 0; i < cfg.nodes; ++i) shape[i] = (i / 16) % 2 ? 8.0f : 0.0f;

    phys::RopeStepper rope(cfg, shape);
    phys::HostRope    model{cfg, shape, cfg.dtMax};
    float worst = 0.0f;
    for (int frame = 0; frame < 12 && rope.good(); ++frame) {
        rope.advanceFrame();
        model.advanceFrame();
        const std::vector<float> y = rope.positions();
        for (int i = 0; i < cfg.nodes; ++i) worst = std::max(worst, std::fabs(y[i] - model.y[i]));
        std::printf("frame %2d: dt %.5f (model %.5f), deviation so far %g\n", frame, rope.dt(), model.dt, worst);
    }
    const bool wrong = !rope.good() || worst > 1e-2f;
    std::printf("%s\n", wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
