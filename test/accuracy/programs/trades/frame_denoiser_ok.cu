// Recursive temporal denoiser for a video pipeline. Frames arrive in a queue, each is smoothed
// spatially, blended with the history frame, and the blended result becomes the next history.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace video {

inline void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

struct FrameSpec {
    int width = 64;
    int height = 48;
    int pixels() const { return width * height; }
    size_t bytes() const { return sizeof(float) * pixels(); }
};

// A device image that owns its pixels.
class Frame {
public:
    explicit Frame(const FrameSpec& s) : spec_(s) { check(cudaMalloc(&px_, s.bytes()), "frame"); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() { cudaFree(px_); }
    float* px() { return px_; }
    const FrameSpec& spec() const { return spec_; }

private:
    FrameSpec spec_;
    float* px_ = nullptr;
};

struct HostFrame {
    int pts = 0;
    std::vector<float> luma;
};

__global__ void box3(const float* in, float* out, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    int x = i % w;
    float l = in[x > 0 ? i - 1 : i], r = in[x < w - 1 ? i + 1 : i];
    out[i] = (l + in[i] + r) / 3.f;
}

__global__ void blend(const float* cur, const float* prev, float* next, float* out, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = a * cur[i] + (1.f - a) * prev[i];
    next[i] = v;
    out[i] = v;
}

class TemporalDenoiser {
public:
    TemporalDenoiser(const FrameSpec& s, float alpha)
        : spec_(s), alpha_(alpha), in_(s), tmpA_(s), tmpB_(s), out_(s), histA_(s), histB_(s)
    {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        check(cudaMallocHost(&staging_, s.bytes()), "staging");
        check(cudaMemsetAsync(histA_.px(), 0, s.bytes(), stream_), "clear");
        check(cudaMemsetAsync(histB_.px(), 0, s.bytes(), stream_), "clear");
        check(cudaStreamSynchronize(stream_), "init");
        prev_ = &histA_;
        next_ = &histB_;
    }
    ~TemporalDenoiser()
    {
        for (cudaGraphExec_t e : exec_)
            if (e) cudaGraphExecDestroy(e);
        cudaFreeHost(staging_);
        cudaStreamDestroy(stream_);
    }

    void prepare()
    {
        // One graph per role assignment of the two history frames.
        for (cudaGraphExec_t& e : exec_) {
            e = record();
            std::swap(prev_, next_);
        }
    }

    void process(const HostFrame& f, std::vector<float>& result)
    {
        std::copy(f.luma.begin(), f.luma.end(), staging_);
        check(cudaGraphLaunch(exec_[parity_], stream_), "launch");
        parity_ ^= 1;
        result.resize(spec_.pixels());
        check(cudaMemcpyAsync(result.data(), out_.px(), spec_.bytes(), cudaMemcpyDeviceToHost, stream_), "read");
        check(cudaStreamSynchronize(stream_), "sync");
    }

private:
    cudaGraphExec_t record()
    {
        const int n = spec_.pixels(), block = 128, grid = (n + block - 1) / block;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        cudaMemcpyAsync(in_.px(), staging_, spec_.bytes(), cudaMemcpyHostToDevice, stream_);
        float *src = in_.px(), *dst = tmpA_.px(), *spare = tmpB_.px();
        for (int pass = 0; pass < kSpatialPasses; ++pass) {
            box3<<<grid, block, 0, stream_>>>(src, dst, spec_.width, spec_.height);
            src = dst;
            std::swap(dst, spare);
        }
        blend<<<grid, block, 0, stream_>>>(src, prev_->px(), next_->px(), out_.px(), alpha_, n);
        cudaGraph_t g = nullptr;
        check(cudaStreamEndCapture(stream_, &g), "end");
        cudaGraphExec_t e = nullptr;
        cudaError_t rc = cudaGraphInstantiate(&e, g, 0);
        cudaGraphDestroy(g);
        check(rc, "instantiate");
        return e;
    }

    static constexpr int kSpatialPasses = 2;
    FrameSpec spec_;
    float alpha_;
    Frame in_, tmpA_, tmpB_, out_, histA_, histB_;
    Frame *prev_ = nullptr, *next_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_[2] = {nullptr, nullptr};
    int parity_ = 0;
    float* staging_ = nullptr;
};

void referenceStep(const FrameSpec& s, float a, std::vector<float> cur, std::vector<float>& hist)
{
    for (int pass = 0; pass < 2; ++pass) {
        std::vector<float> t(cur.size());
        for (int i = 0; i < s.pixels(); ++i) {
            int x = i % s.width;
            t[i] = (cur[x > 0 ? i - 1 : i] + cur[i] + cur[x < s.width - 1 ? i + 1 : i]) / 3.f;
        }
        cur.swap(t);
    }
    for (int i = 0; i < s.pixels(); ++i) hist[i] = a * cur[i] + (1.f - a) * hist[i];
}

}  // namespace video

int main()
{
    using namespace video;
    int wrong = 0, frames = 0;
    bool failed = false;
    try {
        FrameSpec spec;
        std::queue<HostFrame> queue;
        for (int k = 0; k < 6; ++k) {
            HostFrame f{k, std::vector<float>(spec.pixels())};
            for (int i = 0; i < spec.pixels(); ++i) f.luma[i] = 10.f * (k + 1) + (i * 7 + k * 13) % 17;
            queue.push(std::move(f));
        }
        TemporalDenoiser denoiser(spec, 0.4f);
        denoiser.prepare();
        std::vector<float> hist(spec.pixels(), 0.f), got;
        for (; !queue.empty(); queue.pop(), ++frames) {
            denoiser.process(queue.front(), got);
            referenceStep(spec, 0.4f, queue.front().luma, hist);
            bool ok = true;
            for (int i = 0; i < spec.pixels(); ++i) ok = ok && std::fabs(got[i] - hist[i]) < 1e-2f;
            if (!ok) ++wrong;
        }
    } catch (const std::exception& e) {
        std::printf("error: %s\n", e.what());
        failed = true;
    }
    std::printf("frames %d wrong %d\n", frames, wrong);
    std::printf(!failed && frames == 6 && wrong == 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
