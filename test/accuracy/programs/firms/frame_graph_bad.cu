// Frame graph of a small deferred renderer. Passes declare the resources that they read and write and the queue
// that they run on; compile() walks them once under capture and turns the frame into one executable graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fg {

enum class Queue : uint8_t { Graphics, AsyncCompute };
using ResourceId = uint16_t;

struct PassContext {
    cudaStream_t stream;
};

struct Pass {
    std::string name;
    Queue queue;
    std::vector<ResourceId> reads;
    std::vector<ResourceId> writes;
    std::function<void(const PassContext&)> execute;
    cudaEvent_t done = nullptr;
};

class FrameGraph {
public:
    explicit FrameGraph(ResourceId resourceCount) : lastWriter_(resourceCount, -1) {
        note(cudaStreamCreateWithFlags(&gfx_, cudaStreamNonBlocking));
        note(cudaStreamCreateWithFlags(&async_, cudaStreamNonBlocking));
    }
    ~FrameGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (Pass& p : passes_) cudaEventDestroy(p.done);
        cudaStreamDestroy(async_);
        cudaStreamDestroy(gfx_);
    }

    void addPass(std::string name, Queue queue, std::vector<ResourceId> reads, std::vector<ResourceId> writes,
                 std::function<void(const PassContext&)> fn) {
        Pass p{std::move(name), queue, std::move(reads), std::move(writes), std::move(fn)};
        note(cudaEventCreateWithFlags(&p.done, cudaEventDisableTiming));
        passes_.push_back(std::move(p));
    }

    cudaError_t compile() {
        if (first_ != cudaSuccess) return first_;
        note(cudaStreamBeginCapture(gfx_, cudaStreamCaptureModeThreadLocal));
        if (first_ != cudaSuccess) return first_;
        for (size_t i = 0; i < passes_.size(); ++i) recordPass(static_cast<int>(i));
        cudaGraph_t graph = nullptr;
        note(cudaStreamEndCapture(gfx_, &graph));  // HAZARD dependency #exposure
        if (first_ == cudaSuccess) note(cudaGraphInstantiate(&exec_, graph, 0));
        if (graph) note(cudaGraphDestroy(graph));
        return first_;
    }

    cudaError_t submit() {
        note(cudaGraphLaunch(exec_, gfx_));
        return first_;
    }
    cudaError_t waitIdle() {
        note(cudaStreamSynchronize(gfx_));
        return first_;
    }

private:
    void note(cudaError_t e) {
        if (e != cudaSuccess && first_ == cudaSuccess) first_ = e;
    }
    cudaStream_t streamOf(Queue q) const { return q == Queue::Graphics ? gfx_ : async_; }

    // Cross-queue edges come from the declared reads; passes of one queue are ordered by their stream.
    void recordPass(int index) {
        Pass& p = passes_[index];
        const cudaStream_t s = streamOf(p.queue);
        for (ResourceId r : p.reads) {
            const int w = lastWriter_[r];
            if (w >= 0 && passes_[w].queue != p.queue) note(cudaStreamWaitEvent(s, passes_[w].done, 0));
        }
        p.execute(PassContext{s});
        note(cudaGetLastError());
        note(cudaEventRecord(p.done, s));
        for (ResourceId r : p.writes) lastWriter_[r] = index;
    }

    cudaStream_t gfx_ = nullptr;
    cudaStream_t async_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<Pass> passes_;
    std::vector<int> lastWriter_;
    cudaError_t first_ = cudaSuccess;
};

}  // namespace fg

enum : fg::ResourceId { kExposure, kExposurePrev, kDepth, kAo, kHdr, kLdr, kResourceCount };
constexpr int kPixels = 256;

struct Targets {
    int *frame, *exposure, *exposurePrev, *depth, *ao, *hdr, *ldr;
};

__global__ void latchExposure(Targets t) {
    *t.frame += 1;
    *t.exposurePrev = *t.exposure;
}
__global__ void depthPrepass(Targets t) { t.depth[threadIdx.x] = static_cast<int>(threadIdx.x % 16) + *t.frame; }
__global__ void ssao(Targets t) { t.ao[threadIdx.x] = t.depth[threadIdx.x] > 10 ? 1 : 2; }
__global__ void lighting(Targets t) { t.hdr[threadIdx.x] = t.depth[threadIdx.x] * t.ao[threadIdx.x]; }
__global__ void meterExposure(Targets t) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, t.hdr[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *t.exposure = sum / kPixels;
}
__global__ void tonemap(Targets t) { t.ldr[threadIdx.x] = t.hdr[threadIdx.x] + *t.exposurePrev; }

static void buildFrame(fg::FrameGraph& g, const Targets& t) {
    using fg::PassContext;
    using fg::Queue;
    g.addPass("latch", Queue::Graphics, {kExposure}, {kExposurePrev},
              [t](const PassContext& c) { latchExposure<<<1, 1, 0, c.stream>>>(t); });
    g.addPass("depth", Queue::Graphics, {}, {kDepth},
              [t](const PassContext& c) { depthPrepass<<<1, kPixels, 0, c.stream>>>(t); });
    g.addPass("ssao", Queue::AsyncCompute, {kDepth}, {kAo},
              [t](const PassContext& c) { ssao<<<1, kPixels, 0, c.stream>>>(t); });
    g.addPass("lighting", Queue::Graphics, {kDepth, kAo}, {kHdr},
              [t](const PassContext& c) { lighting<<<1, kPixels, 0, c.stream>>>(t); });
    g.addPass("meter", Queue::AsyncCompute, {kHdr}, {kExposure}, [t](const PassContext& c) {
        meterExposure<<<1, kPixels, 0, c.stream>>>(t);  // HAZARD dependency #exposure
    });
    g.addPass("tonemap", Queue::Graphics, {kHdr, kExposurePrev}, {kLdr},
              [t](const PassContext& c) { tonemap<<<1, kPixels, 0, c.stream>>>(t); });
}

static bool renderAndCheck(fg::FrameGraph& g, const Targets& t) {
    int exposure = 0;
    for (int frame = 1; frame <= 5; ++frame) {
        if (g.submit() != cudaSuccess || g.waitIdle() != cudaSuccess) return false;
        int ldr[kPixels];
        if (cudaMemcpy(ldr, t.ldr, sizeof ldr, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
        int sum = 0;
        for (int i = 0; i < kPixels; ++i) {
            const int d = i % 16 + frame;
            const int hdr = d * (d > 10 ? 1 : 2);
            sum += hdr;
            if (ldr[i] != hdr + exposure) return false;
        }
        exposure = sum / kPixels;
    }
    return true;
}

int main() {
    int* pool = nullptr;
    const size_t words = 3 + 4 * kPixels;
    if (cudaMalloc(&pool, words * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMemset(pool, 0, words * sizeof(int)) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 1;
    int* image = pool + 3;
    const Targets t{pool, pool + 1, pool + 2, image, image + kPixels, image + 2 * kPixels, image + 3 * kPixels};
    bool good = false;
    {
        fg::FrameGraph graph(kResourceCount);
        buildFrame(graph, t);
        const cudaError_t err = graph.compile();
        std::printf("frame graph compile: %s\n", cudaGetErrorString(err));
        good = err == cudaSuccess && renderAndCheck(graph, t);
    }
    cudaFree(pool);
    std::puts(!good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
