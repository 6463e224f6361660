// Frame graph for a deferred renderer. Passes declare the transient targets they touch and the queue
// they run on; compile() places the targets in a shared heap, record() captures the frame.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace rg {

inline void require(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s -> %s\n", what, cudaGetErrorName(e));
    std::printf("LABEL WRONG\n");
    std::exit(1);
}
#define REQUIRE(x) ::rg::require((x), #x)

enum class Queue { Graphics, AsyncCompute };
using TargetId = size_t;

__device__ void marchRay(long long budget) {
    const long long start = clock64();
    while (clock64() - start < budget) {
    }
}

__global__ void aoGenerate(const int* depth, int* raw, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) raw[i] = depth[i] * 3 + 1;
}

__global__ void aoDenoise(const int* raw, int* out, int n, long long rayBudget) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    marchRay(rayBudget);
    out[i] = raw[i > 0 ? i - 1 : 0] + 2 * raw[i] + raw[i + 1 < n ? i + 1 : n - 1];
}

__global__ void bloomThreshold(const int* color, int* bright, int n, int cutoff, long long rayBudget) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    marchRay(rayBudget);
    bright[i] = color[i] > cutoff ? color[i] - cutoff : 0;
}

__global__ void bloomBlur(const int* bright, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = bright[i] + bright[i + 1 < n ? i + 1 : n - 1];
}

__global__ void composite(const int* color, const int* ao, const int* bloom, int* hdr, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) hdr[i] = color[i] * 10 - ao[i] + bloom[i];
}

__global__ void tonemap(const int* hdr, int* ldr, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ldr[i] = hdr[i] / 2;
}

struct Target {
    std::string name;
    size_t texels;
    Queue queue = Queue::Graphics;
    size_t firstUse = SIZE_MAX, lastUse = 0;
    size_t offset = 0;
};

class FrameGraph {
public:
    using Execute = std::function<void(cudaStream_t, const FrameGraph&)>;
    struct Pass {
        std::string name;
        Queue queue;
        std::vector<TargetId> targets;
        bool joinsAsync;
        Execute execute;
    };

    FrameGraph() {
        REQUIRE(cudaStreamCreateWithFlags(&graphics_, cudaStreamNonBlocking));
        REQUIRE(cudaStreamCreateWithFlags(&async_, cudaStreamNonBlocking));
        REQUIRE(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming));
        REQUIRE(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming));
    }
    ~FrameGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(heap_);
        cudaEventDestroy(forked_);
        cudaEventDestroy(joined_);
        cudaStreamDestroy(async_);
        cudaStreamDestroy(graphics_);
    }
    FrameGraph(const FrameGraph&) = delete;
    FrameGraph& operator=(const FrameGraph&) = delete;

    TargetId declareTarget(std::string name, size_t texels) {
        targets_.push_back(Target{std::move(name), texels});
        return targets_.size() - 1;
    }
    void addPass(Pass pass) { passes_.push_back(std::move(pass)); }
    int* target(TargetId id) const { return heap_ + targets_[id].offset; }
    cudaStream_t graphics() const { return graphics_; }

    void compile() {
        for (size_t p = 0; p < passes_.size(); ++p)
            for (TargetId id : passes_[p].targets) {
                targets_[id].firstUse = std::min(targets_[id].firstUse, p);
                targets_[id].lastUse = std::max(targets_[id].lastUse, p);
                targets_[id].queue = passes_[p].queue;
            }
        size_t heapSize = 0;
        std::vector<Block> blocks;
        for (auto& t : targets_) placeTarget(t, blocks, heapSize);
        REQUIRE(cudaMalloc(&heap_, heapSize * sizeof(int)));
        record();
    }

    void render() {
        REQUIRE(cudaGraphLaunch(exec_, graphics_));
        REQUIRE(cudaStreamSynchronize(graphics_));
    }

private:
    struct Block {
        size_t offset, texels, busyUntil;
        Queue queue;
    };

    void placeTarget(Target& t, std::vector<Block>& blocks, size_t& heapSize) {
        for (auto& b : blocks) {
            if (b.queue != t.queue || b.texels < t.texels || b.busyUntil >= t.firstUse) continue;
            t.offset = b.offset;
            b.busyUntil = t.lastUse;
            return;
        }
        t.offset = heapSize;
        blocks.push_back(Block{heapSize, t.texels, t.lastUse, t.queue});
        heapSize += t.texels;
    }

    void record() {
        cudaGraph_t graph = nullptr;
        REQUIRE(cudaStreamBeginCapture(graphics_, cudaStreamCaptureModeThreadLocal));
        REQUIRE(cudaEventRecord(forked_, graphics_));
        REQUIRE(cudaStreamWaitEvent(async_, forked_, 0));
        for (auto& pass : passes_) {
            if (pass.joinsAsync) {
                REQUIRE(cudaEventRecord(joined_, async_));
                REQUIRE(cudaStreamWaitEvent(graphics_, joined_, 0));
            }
            pass.execute(pass.queue == Queue::Graphics ? graphics_ : async_, *this);
            REQUIRE(cudaGetLastError());
        }
        REQUIRE(cudaStreamEndCapture(graphics_, &graph));
        REQUIRE(cudaGraphInstantiate(&exec_, graph, 0));
        REQUIRE(cudaGraphDestroy(graph));
    }

    cudaStream_t graphics_ = nullptr, async_ = nullptr;
    cudaEvent_t forked_ = nullptr, joined_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int* heap_ = nullptr;
    std::vector<Target> targets_;
    std::vector<Pass> passes_;
};

struct GBuffer {
    int* depth;
    int* color;
    int* ao;
    int* bloom;
    int* backbuffer;
    int texels;
};

constexpr int kCutoff = 40;
constexpr long long kShortRays = 6000000, kLongRays = 24000000;

void buildDeferredFrame(FrameGraph& fg, const GBuffer& g) {
    const int n = g.texels, groups = (n + 255) / 256;
    TargetId aoRaw = fg.declareTarget("ao_raw", n);
    TargetId bright = fg.declareTarget("bloom_bright", n);
    TargetId hdr = fg.declareTarget("hdr", n);
    fg.addPass({"ao_generate", Queue::Graphics, {aoRaw}, false, [=](cudaStream_t s, const FrameGraph& f) {
        aoGenerate<<<groups, 256, 0, s>>>(g.depth, f.target(aoRaw), n);
    }});
    fg.addPass({"ao_denoise", Queue::Graphics, {aoRaw}, false, [=](cudaStream_t s, const FrameGraph& f) {
        aoDenoise<<<groups, 256, 0, s>>>(f.target(aoRaw), g.ao, n, kLongRays);
    }});
    fg.addPass({"bloom_threshold", Queue::AsyncCompute, {bright}, false, [=](cudaStream_t s, const FrameGraph& f) {
        bloomThreshold<<<groups, 256, 0, s>>>(g.color, f.target(bright), n, kCutoff, kShortRays);
    }});
    fg.addPass({"bloom_blur", Queue::AsyncCompute, {bright}, false, [=](cudaStream_t s, const FrameGraph& f) {
        bloomBlur<<<groups, 256, 0, s>>>(f.target(bright), g.bloom, n);
    }});
    fg.addPass({"composite", Queue::Graphics, {hdr}, true, [=](cudaStream_t s, const FrameGraph& f) {
        composite<<<groups, 256, 0, s>>>(g.color, g.ao, g.bloom, f.target(hdr), n);
    }});
    fg.addPass({"tonemap", Queue::Graphics, {hdr}, false, [=](cudaStream_t s, const FrameGraph& f) {
        tonemap<<<groups, 256, 0, s>>>(f.target(hdr), g.backbuffer, n);
    }});
}

int countWrongTexels(const std::vector<int>& depth, const std::vector<int>& color, const std::vector<int>& shown) {
    const int n = static_cast<int>(depth.size());
    auto raw = [&](int i) { return depth[std::clamp(i, 0, n - 1)] * 3 + 1; };
    auto lit = [&](int i) { return std::max(color[std::min(i, n - 1)] - kCutoff, 0); };
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        int ao = raw(i - 1) + 2 * raw(i) + raw(i + 1);
        if (shown[i] != (color[i] * 10 - ao + lit(i) + lit(i + 1)) / 2) ++wrong;
    }
    return wrong;
}

}  // namespace rg

int main() {
    using namespace rg;
    constexpr int kTexels = 1024;
    constexpr size_t kBytes = kTexels * sizeof(int);
    int* planes = nullptr;
    REQUIRE(cudaMalloc(&planes, 5 * kBytes));
    GBuffer g{planes, planes + kTexels, planes + 2 * kTexels, planes + 3 * kTexels, planes + 4 * kTexels, kTexels};

    int wrongFrames = 0, frames = 5;
    {
        FrameGraph fg;
        buildDeferredFrame(fg, g);
        fg.compile();
        std::vector<int> depth(kTexels), color(kTexels), shown(kTexels);
        for (int f = 0; f < frames; ++f) {
            for (int i = 0; i < kTexels; ++i) {
                depth[i] = 5 + (i * 7 + f * 13) % 90;
                color[i] = (i * 11 + f * 29) % 100;
            }
            REQUIRE(cudaMemcpyAsync(g.depth, depth.data(), kBytes, cudaMemcpyHostToDevice, fg.graphics()));
            REQUIRE(cudaMemcpyAsync(g.color, color.data(), kBytes, cudaMemcpyHostToDevice, fg.graphics()));
            fg.render();
            REQUIRE(cudaMemcpyAsync(shown.data(), g.backbuffer, kBytes, cudaMemcpyDeviceToHost, fg.graphics()));
            REQUIRE(cudaStreamSynchronize(fg.graphics()));
            int wrong = countWrongTexels(depth, color, shown);
            std::printf("frame %d: %d texels differ\n", f, wrong);
            if (wrong) ++wrongFrames;
        }
    }
    REQUIRE(cudaFree(planes));
    std::printf(wrongFrames == 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
