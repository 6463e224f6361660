#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define R_VERIFY(x)                                                                \
    do {                                                                           \
        const cudaError_t r_ = (x);                                                \
        if (r_ != cudaSuccess) {                                                   \
            std::printf("%s: %s\nLABEL REFUTED\n", #x, cudaGetErrorString(r_));    \
            std::exit(0);                                                          \
        }                                                                          \
    } while (0)

namespace rndr {

__global__ void gbufferPass(float* albedo, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) albedo[i] = 4.f;
}
__global__ void froxelPass(float* fog, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) fog[i] = 0.5f;
}
__global__ void compositePass(const float* albedo, const float* fog, float* target, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) target[i] = albedo[i] * (fog ? fog[i] : 1.f);
}

struct QualitySettings {
    bool volumetrics;
    bool fogInComposite;
};

// One hardware queue; signal() hands out a fence that another queue may wait for.
class Queue {
public:
    Queue() {
        R_VERIFY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        R_VERIFY(cudaEventCreateWithFlags(&fence_, cudaEventDisableTiming));
    }
    ~Queue() {
        cudaEventDestroy(fence_);
        cudaStreamDestroy(stream_);
    }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    cudaEvent_t signal() {
        R_VERIFY(cudaEventRecord(fence_, stream_));
        return fence_;
    }
    void wait(cudaEvent_t fence) { R_VERIFY(cudaStreamWaitEvent(stream_, fence, 0)); }
    cudaStream_t native() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t fence_ = nullptr;
};

class FrameRecorder {
public:
    static constexpr int kPixels = 4096;
    explicit FrameRecorder(QualitySettings q) : quality_(q) {
        for (float** p : {&albedo_, &fog_, &target_}) {
            R_VERIFY(cudaMalloc(p, kPixels * sizeof(float)));
            R_VERIFY(cudaMemset(*p, 0, kPixels * sizeof(float)));
        }
        R_VERIFY(cudaDeviceSynchronize());
    }
    ~FrameRecorder() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(albedo_); cudaFree(fog_); cudaFree(target_);
    }

    bool record() {
        R_VERIFY(cudaStreamBeginCapture(gfx_.native(), cudaStreamCaptureModeThreadLocal));
        if (quality_.volumetrics) kickVolumetrics();
        gbufferPass<<<kPixels / 256, 256, 0, gfx_.native()>>>(albedo_, kPixels);
        composite();
        cudaGraph_t graph = nullptr;
        cudaStreamEndCapture(gfx_.native(), &graph);  // HAZARD ignored
        if (graph) {
            R_VERIFY(cudaGraphInstantiate(&exec_, graph, 0));
            R_VERIFY(cudaGraphDestroy(graph));
        }
        return true;
    }

    void present() {
        if (exec_) R_VERIFY(cudaGraphLaunch(exec_, gfx_.native()));
        R_VERIFY(cudaStreamSynchronize(gfx_.native()));
    }
    float pixel(int i) const {
        float v = 0.f;
        R_VERIFY(cudaMemcpy(&v, target_ + i, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }
    void clearTarget() {
        R_VERIFY(cudaMemsetAsync(target_, 0, kPixels * sizeof(float), gfx_.native()));
    }

private:
    void kickVolumetrics() {
        compute_.wait(gfx_.signal());  // HAZARD dependency #1
        froxelPass<<<kPixels / 256, 256, 0, compute_.native()>>>(fog_, kPixels);  // HAZARD dependency #1
        R_VERIFY(cudaGetLastError());
    }
    void composite() {
        const float* fog = nullptr;
        if (quality_.fogInComposite) {
            gfx_.wait(compute_.signal());
            fog = fog_;
        }
        compositePass<<<kPixels / 256, 256, 0, gfx_.native()>>>(albedo_, fog, target_, kPixels);
        R_VERIFY(cudaGetLastError());
    }

    const QualitySettings quality_;
    Queue gfx_, compute_;
    float *albedo_ = nullptr, *fog_ = nullptr, *target_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace rndr

int main() {
    // "medium": froxels are built for the light probes only
    rndr::FrameRecorder frame({true, false});
    bool good = frame.record();
    for (int i = 0; good && i < 3; ++i) {
        frame.clearTarget();
        frame.present();
        good = frame.pixel(100 + i) == 4.f;
    }
    std::puts(good ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
