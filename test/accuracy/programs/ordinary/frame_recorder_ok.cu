#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

namespace imaging {

enum class Result { Ok, DeviceError, NotReady };

constexpr int kSlots = 4;
constexpr int kPixels = 4096;

__global__ void Demosaic(const unsigned char* raw, unsigned char* rgb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    rgb[i] = static_cast<unsigned char>(raw[i] * 2);
}

// Receives a frame as soon as the device has finished it.
class IFrameObserver {
public:
    virtual ~IFrameObserver() = default;
    virtual void OnFrameFinished(const unsigned char* pixels) = 0;
};

// Scratch planes of the camera; a plane has to be zero before it is exposed again.
class PlanePool {
public:
    Result Create() {
        if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) return Result::DeviceError;
        return cudaMalloc(&planes_, kSlots * kPixels) == cudaSuccess ? Result::Ok : Result::DeviceError;
    }
    void Destroy() {
        cudaFree(planes_);
        cudaStreamDestroy(stream_);
    }
    void Recycle(int slot) {
        if (cudaMemsetAsync(planes_ + slot * kPixels, 0, kPixels, stream_) != cudaSuccess) ++failures_;
    }
    int Failures() const { return failures_.load(); }
    cudaStream_t Stream() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
    unsigned char* planes_ = nullptr;
    std::atomic<int> failures_{0};
};

class Recorder final : public IFrameObserver {
public:
    explicit Recorder(PlanePool& pool) : pool_(pool) {}

    void OnFrameFinished(const unsigned char* pixels) override {
        checksum_ += pixels[0];
        ++frames_;
    }

    void RecycleFinished() {
        for (; recycled_ < frames_.load(); ++recycled_) pool_.Recycle(recycled_ % kSlots);
    }

    int Frames() const { return frames_.load(); }
    int Checksum() const { return checksum_.load(); }

private:
    PlanePool& pool_;
    std::atomic<int> frames_{0};
    std::atomic<int> checksum_{0};
    int recycled_ = 0;
};

class CameraPipeline {
public:
    explicit CameraPipeline(IFrameObserver& observer) : observer_(observer) {}

    Result Create() {
        if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess ||
            cudaMallocHost(&rawHost_, kPixels) != cudaSuccess || cudaMallocHost(&rgbHost_, kPixels) != cudaSuccess ||
            cudaMalloc(&raw_, kPixels) != cudaSuccess || cudaMalloc(&rgb_, kPixels) != cudaSuccess)
            return Result::DeviceError;
        return BuildGraph();
    }

    void Destroy() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(rgb_);
        cudaFree(raw_);
        cudaFreeHost(rgbHost_);
        cudaFreeHost(rawHost_);
        cudaStreamDestroy(stream_);
    }

    Result Submit(unsigned char level) {
        if (!exec_) return Result::NotReady;
        for (int i = 0; i < kPixels; ++i) rawHost_[i] = level;
        if (cudaGraphLaunch(exec_, stream_) != cudaSuccess) return Result::DeviceError;
        return cudaStreamSynchronize(stream_) == cudaSuccess ? Result::Ok : Result::DeviceError;
    }

private:
    static void CUDART_CB Finished(void* self) {
        auto* pipeline = static_cast<CameraPipeline*>(self);
        pipeline->observer_.OnFrameFinished(pipeline->rgbHost_);
    }

    Result Enqueue() {
        if (cudaMemcpyAsync(raw_, rawHost_, kPixels, cudaMemcpyHostToDevice, stream_) != cudaSuccess)
            return Result::DeviceError;
        Demosaic<<<kPixels / 256, 256, 0, stream_>>>(raw_, rgb_);
        if (cudaGetLastError() != cudaSuccess) return Result::DeviceError;
        if (cudaMemcpyAsync(rgbHost_, rgb_, kPixels, cudaMemcpyDeviceToHost, stream_) != cudaSuccess)
            return Result::DeviceError;
        return cudaLaunchHostFunc(stream_, &CameraPipeline::Finished, this) == cudaSuccess
                   ? Result::Ok
                   : Result::DeviceError;
    }

    Result BuildGraph() {
        if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return Result::DeviceError;
        Result result = Enqueue();
        cudaGraph_t graph = nullptr;
        if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) result = Result::DeviceError;
        if (result == Result::Ok && cudaGraphInstantiate(&exec_, graph, 0) != cudaSuccess) result = Result::DeviceError;
        if (graph) cudaGraphDestroy(graph);
        return result;
    }

    IFrameObserver& observer_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    unsigned char* rawHost_ = nullptr;
    unsigned char* rgbHost_ = nullptr;
    unsigned char* raw_ = nullptr;
    unsigned char* rgb_ = nullptr;
};

}  // namespace imaging

int main() {
    using namespace imaging;
    PlanePool pool;
    Recorder recorder(pool);
    CameraPipeline camera(recorder);
    if (pool.Create() != Result::Ok || camera.Create() != Result::Ok) {
        std::printf("LABEL REFUTED\n");
        return 0;
    }
    bool good = true;
    for (int f = 1; f <= 5; ++f) {
        good = good && camera.Submit(static_cast<unsigned char>(f)) == Result::Ok;
        recorder.RecycleFinished();
    }
    good = good && cudaStreamSynchronize(pool.Stream()) == cudaSuccess;
    good = good && recorder.Frames() == 5 && recorder.Checksum() == 30;
    std::printf("frames %d checksum %d recycle failures %d\n", recorder.Frames(), recorder.Checksum(), pool.Failures());
    camera.Destroy();
    pool.Destroy();
    std::printf(good && pool.Failures() == 0 ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
