#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

namespace slam {

constexpr int kPixels = 2048;

__global__ void depthToPoints(const float* depth, float* points) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    points[i] = depth[i] * 0.001f;
}

__global__ void fuse(const float* points, float* model) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    model[i] += points[i];
}

// Uploads sensor frames on a stream of its own.
class DepthFeed {
public:
    cudaError_t open() {
        cudaError_t e = cudaStreamCreateWithFlags(&upload_, cudaStreamNonBlocking);
        if (e == cudaSuccess) e = cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming);
        if (e == cudaSuccess) e = cudaMalloc(&depth_, kPixels * sizeof(float));
        return e;
    }
    void close() {
        cudaFree(depth_);
        cudaEventDestroy(ready_);
        cudaStreamDestroy(upload_);
    }
    cudaError_t push(const float* frame) {
        cudaError_t e = cudaMemcpyAsync(depth_, frame, kPixels * sizeof(float), cudaMemcpyHostToDevice, upload_);
        return e != cudaSuccess ? e : cudaEventRecord(ready_, upload_);
    }
    cudaError_t waitReady(cudaStream_t consumer) const {
        return cudaStreamWaitEvent(consumer, ready_, 0);
    }
    const float* depth() const { return depth_; }

private:
    cudaStream_t upload_ = nullptr;
    cudaEvent_t ready_ = nullptr;
    float* depth_ = nullptr;
};

class Tracker {
public:
    enum class Phase { Warmup, Record, Replay, Failed };

    explicit Tracker(DepthFeed& feed) : feed_(feed) {}

    cudaError_t open() {
        cudaError_t e = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        if (e == cudaSuccess) e = cudaMalloc(&points_, kPixels * sizeof(float));
        if (e == cudaSuccess) e = cudaMalloc(&model_, kPixels * sizeof(float));
        if (e == cudaSuccess) e = cudaMemsetAsync(model_, 0, kPixels * sizeof(float), stream_);
        return e;
    }

    void close() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(model_);
        cudaFree(points_);
        cudaStreamDestroy(stream_);
    }

    cudaError_t tick() {
        cudaError_t e = cudaSuccess;
        if ((e = feed_.waitReady(stream_)) != cudaSuccess) return e;
        switch (phase_) {
            case Phase::Warmup:
                e = enqueue();
                phase_ = Phase::Record;
                break;
            case Phase::Record:
                e = record();
                if (e == cudaSuccess) e = cudaGraphLaunch(exec_, stream_);
                phase_ = e == cudaSuccess ? Phase::Replay : Phase::Failed;
                break;
            case Phase::Replay:
                e = cudaGraphLaunch(exec_, stream_);
                break;
            case Phase::Failed:
                return cudaErrorNotReady;
        }
        return e != cudaSuccess ? e : cudaStreamSynchronize(stream_);
    }

    cudaError_t readModel(std::vector<float>& out) const {
        out.resize(kPixels);
        return cudaMemcpy(out.data(), model_, kPixels * sizeof(float), cudaMemcpyDeviceToHost);
    }

private:
    cudaError_t enqueue() {
        depthToPoints<<<kPixels / 256, 256, 0, stream_>>>(feed_.depth(), points_);
        fuse<<<kPixels / 256, 256, 0, stream_>>>(points_, model_);
        return cudaGetLastError();
    }

    cudaError_t record() {
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
        if (e != cudaSuccess) return e;
        const cudaError_t body = enqueue();
        cudaGraph_t graph = nullptr;
        e = cudaStreamEndCapture(stream_, &graph);
        if (body != cudaSuccess) e = body;
        if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        return e;
    }

    DepthFeed& feed_;
    Phase phase_ = Phase::Warmup;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* points_ = nullptr;
    float* model_ = nullptr;
};

}  // namespace slam

int main() {
    slam::DepthFeed feed;
    slam::Tracker tracker(feed);
    if (feed.open() != cudaSuccess || tracker.open() != cudaSuccess) {
        std::printf("LABEL REFUTED\n");
        return 0;
    }
    float expected = 0.0f;
    cudaError_t err = cudaSuccess;
    for (int f = 1; f <= 6 && err == cudaSuccess; ++f) {
        std::vector<float> frame(slam::kPixels, 1000.0f * f);
        err = feed.push(frame.data());
        if (err == cudaSuccess) err = tracker.tick();
        if (err != cudaSuccess) std::printf("frame %d: %s\n", f, cudaGetErrorString(err));
        expected += 1.0f * f;
    }
    std::vector<float> model;
    bool good = err == cudaSuccess && tracker.readModel(model) == cudaSuccess &&
                std::fabs(model[slam::kPixels - 1] - expected) < 1e-3f;
    tracker.close();
    feed.close();
    std::printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
