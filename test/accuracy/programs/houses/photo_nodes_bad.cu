// Photo editor back end: node graph of virtual stages, rendered through a cached CUDA graph.
#include <cuda_runtime.h>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#define GPU(x) gpuCheck((x), #x)
static void gpuCheck(cudaError_t rc, const char* text) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(text) + " " + cudaGetErrorName(rc));
}

struct ExposureParams { float gain; float black; };
struct BlendParams { float a; float b; };

__global__ void exposureKernel(const float* in, float* out, int n, ExposureParams p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (in[i] - p.black) * p.gain;
}
__global__ void invertKernel(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 100.0f - in[i];
}
__global__ void blendKernel(const float* x, const float* y, float* out, int n, BlendParams p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = p.a * x[i] + p.b * y[i];
}

class Stage {
public:
    explicit Stage(int n) : pixels_(n) { GPU(cudaMalloc(&out_, n * sizeof(float))); }
    virtual ~Stage() { cudaFree(out_); }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    virtual void record(cudaStream_t s) = 0;
    void connect(Stage* upstream) { inputs_.push_back(upstream); touch(); }
    const std::vector<Stage*>& inputs() const { return inputs_; }
    float* output() const { return out_; }
    unsigned revision() const { return revision_; }
protected:
    void touch() { ++revision_; }
    const float* in(size_t k) const { return inputs_.at(k)->output(); }
    int grid() const { return (pixels_ + 255) / 256; }
    int pixels_;
    float* out_ = nullptr;
private:
    std::vector<Stage*> inputs_;
    unsigned revision_ = 1;
};

class SourceStage : public Stage {
public:
    using Stage::Stage;
    void record(cudaStream_t) override {}
    void upload(const std::vector<float>& img) {
        GPU(cudaMemcpy(out_, img.data(), pixels_ * sizeof(float), cudaMemcpyHostToDevice));
        GPU(cudaDeviceSynchronize());
    }
};

class ExposureStage : public Stage {
public:
    using Stage::Stage;
    void record(cudaStream_t s) override { exposureKernel<<<grid(), 256, 0, s>>>(in(0), out_, pixels_, p_); }
    void setGain(float g) {
        if (g == p_.gain) return;
        p_.gain = g;
        touch();
    }
    void setBlack(float b) {
        if (b == p_.black) return;
        p_.black = b; // HAZARD frozen
    }
private:
    ExposureParams p_{1.0f, 0.0f};
};

class InvertStage : public Stage {
public:
    using Stage::Stage;
    void record(cudaStream_t s) override { invertKernel<<<grid(), 256, 0, s>>>(in(0), out_, pixels_); }
};

class BlendStage : public Stage {
public:
    using Stage::Stage;
    void record(cudaStream_t s) override { blendKernel<<<grid(), 256, 0, s>>>(in(0), in(1), out_, pixels_, p_); }
    void setMix(float a, float b) {
        p_ = BlendParams{a, b};
        touch();
    }
private:
    BlendParams p_{1.0f, 1.0f};
};

class Document {
public:
    explicit Document(int pixels) : pixels_(pixels) {
        GPU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Document() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    template <class S>
    S* add() {
        auto s = std::make_unique<S>(pixels_);
        S* raw = s.get();
        stages_.push_back(std::move(s));
        return raw;
    }
    std::vector<float> render(Stage* sink) {
        unsigned rev = 0;
        for (auto& s : stages_) rev += s->revision();
        if (!exec_ || rev != builtRevision_ || sink != builtSink_) {
            rebuild(sink);
            builtRevision_ = rev;
            builtSink_ = sink;
        }
        GPU(cudaGraphLaunch(exec_, stream_));
        GPU(cudaStreamSynchronize(stream_));
        std::vector<float> img(pixels_);
        GPU(cudaMemcpy(img.data(), sink->output(), pixels_ * sizeof(float), cudaMemcpyDeviceToHost));
        return img;
    }
    int rebuilds() const { return rebuilds_; }
private:
    void visit(Stage* s, std::set<Stage*>& done) {
        if (!done.insert(s).second) return;
        for (Stage* up : s->inputs()) visit(up, done);
        s->record(stream_);
    }
    void rebuild(Stage* sink) {
        cudaGraph_t g = nullptr;
        std::set<Stage*> done;
        GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try {
            visit(sink, done);
        } catch (...) {
            cudaStreamEndCapture(stream_, &g);
            if (g) cudaGraphDestroy(g);
            throw;
        }
        GPU(cudaStreamEndCapture(stream_, &g));
        cudaGraphExec_t fresh = nullptr;
        cudaError_t rc = cudaGraphInstantiate(&fresh, g, 0);
        cudaGraphDestroy(g);
        GPU(rc);
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = fresh;
        ++rebuilds_;
    }
    int pixels_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    unsigned builtRevision_ = 0;
    Stage* builtSink_ = nullptr;
    int rebuilds_ = 0;
    std::vector<std::unique_ptr<Stage>> stages_;
};

int main() {
    const int n = 5000;
    int wrongGain = 0, wrongBlack = 0, wrongMix = 0;
    try {
        Document doc(n);
        auto* src = doc.add<SourceStage>();
        auto* exposure = doc.add<ExposureStage>();
        auto* invert = doc.add<InvertStage>();
        auto* blend = doc.add<BlendStage>();
        exposure->connect(src);
        invert->connect(src);
        blend->connect(exposure);
        blend->connect(invert);
        src->upload(std::vector<float>(n, 10.0f));

        auto differ = [&](float gain, float black, float a, float b) {
            float want = a * ((10.0f - black) * gain) + b * 90.0f;
            int bad = 0;
            for (float v : doc.render(blend)) bad += v != want;
            return bad;
        };
        wrongGain += differ(1, 0, 1, 1);
        exposure->setGain(2.0f);
        wrongGain += differ(2, 0, 1, 1);
        wrongGain += differ(2, 0, 1, 1);
        exposure->setBlack(4.0f);
        wrongBlack += differ(2, 4, 1, 1);
        wrongBlack += differ(2, 4, 1, 1);
        blend->setMix(0.5f, 2.0f);
        wrongMix += differ(2, 4, 0.5f, 2);
        std::printf("wrong: gain %d black %d mix %d, rebuilds %d\n", wrongGain, wrongBlack, wrongMix, doc.rebuilds());
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL UNOBSERVED\n", e.what());
        return 1;
    }
    bool seen = wrongGain == 0 && wrongMix == 0 && wrongBlack > 0;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
