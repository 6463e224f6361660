// Live camera pipeline: raw frame -> debayer -> smoothing -> tone curve.
// Stages are plugins created by name from the pipeline description.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vp {
    void must(cudaError_t e, const char* what) {
        if (e == cudaSuccess)
            return;
        std::printf("%s failed: %s\nLABEL WRONG\n", what, cudaGetErrorString(e));
        std::exit(1);
    }

    constexpr int kWidth  = 160;
    constexpr int kHeight = 40;
    constexpr int kPixels = kWidth * kHeight;
    constexpr int kRing   = 4;

    // All streams of the process. 0 is for utilities (thumbnails, transcoding
    // of stills), 1 is for the live path.
    class StreamPool {
    public:
        static StreamPool& get() {
            static StreamPool pool;
            return pool;
        }
        cudaStream_t utility() const { return streams_[0]; }
        cudaStream_t live() const { return streams_[1]; }

    private:
        StreamPool() {
            for (auto& s : streams_)
                must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
        }
        std::array<cudaStream_t, 2> streams_{};
    };

    __global__ void debayerKernel(const uint16_t* raw, float* out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < kPixels)
            out[i] = float(raw[i]) * 2.0f;
    }

    __global__ void boxRowsKernel(const float* in, float* out, int radius) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= kPixels)
            return;
        int x = i % kWidth, row = i - x;
        float sum = 0.0f;
        for (int d = -radius; d <= radius; ++d) {
            int c = x + d < 0 ? 0 : (x + d >= kWidth ? kWidth - 1 : x + d);
            sum += in[row + c];
        }
        out[i] = sum;
    }

    __global__ void curveKernel(const float* in, float* out, const float* gain) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < kPixels)
            out[i] = in[i] * gain[0] + gain[1];
    }

    int blocksFor(int n) { return (n + 127) / 128; }

    // Image operations that are shared with the still-image tools.
    namespace ops {
        void boxRows(const float* in, float* out, int radius,
                     cudaStream_t stream = StreamPool::get().utility()) {
            boxRowsKernel<<<blocksFor(kPixels), 128, 0, stream>>>(in, out, radius);
        }
        void curve(const float* in, float* out, const float* gain,
                   cudaStream_t stream = StreamPool::get().utility()) {
            curveKernel<<<blocksFor(kPixels), 128, 0, stream>>>(in, out, gain);
        }
    }

    struct FrameContext {
        cudaStream_t stream;
        const uint16_t* raw;
        const float* in;
    };

    class Stage {
    public:
        Stage() { must(cudaMalloc(&out_, kPixels * sizeof(float)), "stage buffer"); }
        virtual ~Stage() { cudaFree(out_); }
        virtual const char* name() const = 0;
        virtual void process(const FrameContext& ctx) = 0;
        float* out() const { return out_; }

    protected:
        float* out_ = nullptr;
    };

    class Debayer : public Stage {
    public:
        const char* name() const override { return "debayer"; }
        void process(const FrameContext& ctx) override {
            debayerKernel<<<blocksFor(kPixels), 128, 0, ctx.stream>>>(ctx.raw, out_);
        }
    };

    class Smooth : public Stage {
    public:
        const char* name() const override { return "smooth"; }
        void process(const FrameContext& ctx) override {
            ops::boxRows(ctx.in, out_, radius_, ctx.stream);
        }

    private:
        int radius_ = 2;
    };

    class ToneCurve : public Stage {
    public:
        ToneCurve() {
            const float gain[2] = {0.5f, 3.0f};
            must(cudaMalloc(&gain_, sizeof gain), "gain");
            must(cudaMemcpy(gain_, gain, sizeof gain, cudaMemcpyHostToDevice), "gain");
        }
        ~ToneCurve() override { cudaFree(gain_); }
        const char* name() const override { return "tone"; }
        void process(const FrameContext& ctx) override {
            ops::curve(ctx.in, out_, gain_, ctx.stream);
        }

    private:
        float* gain_ = nullptr;
    };

    using StageFactory = std::function<std::unique_ptr<Stage>()>;
    const std::map<std::string, StageFactory>& stageRegistry() {
        static const std::map<std::string, StageFactory> reg = {
            {"debayer", [] { return std::make_unique<Debayer>(); }},
            {"smooth", [] { return std::make_unique<Smooth>(); }},
            {"tone", [] { return std::make_unique<ToneCurve>(); }},
        };
        return reg;
    }

    // Camera side: pinned slots that are filled round robin.
    class FrameRing {
    public:
        FrameRing() {
            for (auto& s : slots_)
                must(cudaMallocHost(&s, kPixels * sizeof(uint16_t)), "slot");
        }
        ~FrameRing() {
            for (auto& s : slots_)
                cudaFreeHost(s);
        }
        void capture(int frame) {
            uint16_t* dst = slots_[head_ % kRing];
            for (int i = 0; i < kPixels; ++i)
                dst[i] = uint16_t((i * 7 + frame * 31) % 64);
            ready_.push_back(dst);
            ++head_;
        }
        const uint16_t* pop() {
            const uint16_t* p = ready_.front();
            ready_.pop_front();
            return p;
        }

    private:
        std::array<uint16_t*, kRing> slots_{};
        std::deque<const uint16_t*> ready_;
        unsigned head_ = 0;
    };

    class Pipeline {
    public:
        explicit Pipeline(const std::vector<std::string>& desc) : stream_(StreamPool::get().live()) {
            must(cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming), "event");
            must(cudaEventCreateWithFlags(&consumed_, cudaEventDisableTiming), "event");
            for (const auto& n : desc)
                stages_.push_back(stageRegistry().at(n)());
            must(cudaMalloc(&raw_, kPixels * sizeof(uint16_t)), "raw");
        }
        ~Pipeline() {
            if (exec_)
                cudaGraphExecDestroy(exec_);
            cudaEventDestroy(arrived_);
            cudaEventDestroy(consumed_);
            cudaFree(raw_);
        }

        // Runs the first frame stage by stage so that each plugin is checked.
        void prime(const uint16_t* frame) {
            upload(frame);
            runStages(true);
            record();
        }

        std::vector<float> run(const uint16_t* frame) {
            upload(frame);
            must(cudaGraphLaunch(exec_, stream_), "launch");
            std::vector<float> img(kPixels);
            must(cudaMemcpyAsync(img.data(), stages_.back()->out(), kPixels * sizeof(float),
                                 cudaMemcpyDeviceToHost, stream_), "download");
            must(cudaEventRecord(consumed_, stream_), "consumed");
            must(cudaStreamSynchronize(stream_), "frame");
            return img;
        }

    private:
        void upload(const uint16_t* frame) {
            // Uploads share the copy stream with the thumbnails; they stay
            // outside of the graph because the ring slot changes.
            cudaStream_t copy = StreamPool::get().utility();
            must(cudaStreamWaitEvent(copy, consumed_, 0), "raw free");
            must(cudaMemcpyAsync(raw_, frame, kPixels * sizeof(uint16_t), cudaMemcpyHostToDevice,
                                 copy), "upload");
            must(cudaEventRecord(arrived_, copy), "arrived");
            must(cudaStreamWaitEvent(stream_, arrived_, 0), "raw ready");
        }
        void runStages(bool verify) {
            FrameContext ctx{stream_, raw_, nullptr};
            for (auto& s : stages_) {
                s->process(ctx);
                if (verify)
                    must(cudaDeviceSynchronize(), s->name());
                ctx.in = s->out();
            }
        }
        void record() {
            cudaGraph_t g = nullptr;
            must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
            runStages(false);
            must(cudaStreamEndCapture(stream_, &g), "end");
            must(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
            must(cudaGraphDestroy(g), "destroy");
        }

        cudaStream_t stream_;
        std::vector<std::unique_ptr<Stage>> stages_;
        uint16_t* raw_ = nullptr;
        cudaEvent_t arrived_ = nullptr, consumed_ = nullptr;
        cudaGraphExec_t exec_ = nullptr;
    };

    bool sameAsHost(const std::vector<float>& img, const uint16_t* raw) {
        for (int i = 0; i < kPixels; ++i) {
            int x = i % kWidth, row = i - x;
            float sum = 0.0f;
            for (int d = -2; d <= 2; ++d)
                sum += 2.0f * raw[row + std::min(std::max(x + d, 0), kWidth - 1)];
            if (img[i] != sum * 0.5f + 3.0f)
                return false;
        }
        return true;
    }
}

int main() {
    using namespace vp;
    FrameRing ring;
    Pipeline pipe({"debayer", "smooth", "tone"});
    int wrong = 0;
    bool first = false;
    for (int f = 0; f < 8; ++f) {
        ring.capture(f);
        const uint16_t* raw = ring.pop();
        if (f == 0)
            pipe.prime(raw);
        bool ok = sameAsHost(pipe.run(raw), raw);
        if (f == 0)
            first = ok;
        wrong += !ok;
    }
    std::printf("first=%d wrong=%d\n", first, wrong);
    std::printf("%s\n", first && wrong == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
