#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define GFX_CALL(x)                                                                     \
    do {                                                                                \
        cudaError_t gfxErr = (x);                                                       \
        if (gfxErr != cudaSuccess) {                                                    \
            std::printf("LABEL REFUTED %s: %s\n", #x, cudaGetErrorString(gfxErr));      \
            std::exit(0);                                                               \
        }                                                                               \
    } while (0)

constexpr int kPixels = 256;

__global__ void gbufferPass(int* albedo, const int* frameNo) { albedo[threadIdx.x] = *frameNo; }

__global__ void occlusionPass(const int* albedo, int* ao, long long ticks)
{
    long long t0 = clock64();
    while (clock64() - t0 < ticks) {}
    ao[threadIdx.x] = albedo[threadIdx.x] * 10;
}

__global__ void lightingPass(const int* albedo, const int* ao, int* hdr)
{
    hdr[threadIdx.x] = albedo[threadIdx.x] + ao[threadIdx.x];
}

__global__ void tonemapPass(const int* hdr, int* ldr) { ldr[threadIdx.x] = hdr[threadIdx.x] * 2; }

enum class Lane { Graphics, AsyncCompute };

struct Resource {
    int* data = nullptr;
    Resource() { GFX_CALL(cudaMalloc(&data, kPixels * sizeof(int))); GFX_CALL(cudaMemset(data, 0, kPixels * sizeof(int))); }
    ~Resource() { cudaFree(data); }
    Resource(const Resource&) = delete;
};

struct Pass {
    std::string name;
    Lane lane;
    std::vector<std::string> reads, writes;
    std::function<void(cudaStream_t)> execute;
};

class FrameGraph {
public:
    FrameGraph()
    {
        GFX_CALL(cudaStreamCreateWithFlags(&graphics_, cudaStreamNonBlocking));
        GFX_CALL(cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking));
        GFX_CALL(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
        GFX_CALL(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
    }
    ~FrameGraph()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (auto& kv : ready_) cudaEventDestroy(kv.second);
        cudaEventDestroy(fork_);
        cudaEventDestroy(join_);
        cudaStreamDestroy(compute_);
        cudaStreamDestroy(graphics_);
    }
    void add(Pass p)
    {
        for (const auto& w : p.writes)
            if (!ready_.count(w)) GFX_CALL(cudaEventCreateWithFlags(&ready_[w], cudaEventDisableTiming));
        passes_.push_back(std::move(p));
    }
    void compile()
    {
        cudaGraph_t g = nullptr;
        GFX_CALL(cudaStreamBeginCapture(graphics_, cudaStreamCaptureModeGlobal));
        bool forked = false;
        std::map<std::string, Lane> producer;
        for (const auto& p : passes_) {
            cudaStream_t s = p.lane == Lane::Graphics ? graphics_ : compute_;
            if (p.lane == Lane::AsyncCompute && !forked) {
                GFX_CALL(cudaEventRecord(fork_, graphics_));
                GFX_CALL(cudaStreamWaitEvent(compute_, fork_, 0));
                forked = true;
            }
            for (const auto& r : p.reads) {
                auto it = producer.find(r);
                if (it != producer.end() && it->second != p.lane) GFX_CALL(cudaStreamWaitEvent(s, ready_.at(r), 0));
            }
            p.execute(s);
            for (const auto& w : p.writes) {
                GFX_CALL(cudaEventRecord(ready_.at(w), s));
                producer[w] = p.lane;
            }
        }
        if (forked) {
            GFX_CALL(cudaEventRecord(join_, compute_));
            GFX_CALL(cudaStreamWaitEvent(graphics_, join_, 0));
        }
        GFX_CALL(cudaStreamEndCapture(graphics_, &g));
        GFX_CALL(cudaGraphInstantiate(&exec_, g, 0));
        GFX_CALL(cudaGraphDestroy(g));
    }
    void present()
    {
        GFX_CALL(cudaGraphLaunch(exec_, graphics_));
        GFX_CALL(cudaStreamSynchronize(graphics_));
    }
    cudaStream_t graphics() const { return graphics_; }

private:
    cudaStream_t graphics_ = nullptr, compute_ = nullptr;
    cudaEvent_t fork_ = nullptr, join_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<Pass> passes_;
    std::map<std::string, cudaEvent_t> ready_;
};

int main()
{
    Resource albedo, ao, hdr, ldr, frameNo;
    auto fg = std::make_unique<FrameGraph>();
    fg->add({"gbuffer", Lane::Graphics, {}, {"albedo"},
             [&](cudaStream_t s) { gbufferPass<<<1, kPixels, 0, s>>>(albedo.data, frameNo.data); }});
    fg->add({"ao", Lane::AsyncCompute, {"albedo"}, {"ao"},
             [&](cudaStream_t s) { occlusionPass<<<1, kPixels, 0, s>>>(albedo.data, ao.data, 20000000LL); }});
    fg->add({"lighting", Lane::Graphics, {"albedo", "ao"}, {"hdr"}, [&](cudaStream_t s) {
                 lightingPass<<<1, kPixels, 0, s>>>(albedo.data, ao.data, hdr.data);
             }});
    fg->add({"tonemap", Lane::Graphics, {"hdr"}, {"ldr"},
             [&](cudaStream_t s) { tonemapPass<<<1, kPixels, 0, s>>>(hdr.data, ldr.data); }});
    fg->compile();

    int wrong = 0, late = 0;
    for (int f = 1; f <= 4; ++f) {
        GFX_CALL(cudaMemcpyAsync(frameNo.data, &f, sizeof f, cudaMemcpyHostToDevice, fg->graphics()));
        fg->present();
        int px = 0;
        GFX_CALL(cudaMemcpy(&px, ldr.data + 7, sizeof px, cudaMemcpyDeviceToHost));
        if (px != 22 * f) ++wrong;
        if (px == 2 * (f + 10 * (f - 1))) ++late;
    }
    std::printf("LABEL %s wrong=%d late=%d\n", wrong == 0 && late == 0 ? "CONFIRMED" : "REFUTED", wrong, late);
    return 0;
}
