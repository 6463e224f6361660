// Raw photo development: non-destructive settings, undo history and a GPU preview.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace darkroom {

void require(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct Pixel {
    float r, g, b;
};

struct DevelopSettings {
    float exposure = 0.0f;     // stops
    float contrast = 1.0f;
    float temperature = 0.0f;  // -1 cold .. +1 warm
    float saturation = 1.0f;
};

enum class Change { Image, Settings, History };

class PhotoDocument;

class DocumentObserver {
public:
    virtual ~DocumentObserver() = default;
    virtual void documentChanged(const PhotoDocument& doc, Change change) = 0;
};

class EditCommand {
public:
    virtual ~EditCommand() = default;
    virtual void apply(PhotoDocument& doc) = 0;
    virtual void revert(PhotoDocument& doc) = 0;
};

class PhotoDocument {
public:
    PhotoDocument(int width, int height) : width_(width), height_(height), pixels_(size_t(width) * height) {}

    int width() const { return width_; }
    int height() const { return height_; }
    const std::vector<Pixel>& pixels() const { return pixels_; }
    const DevelopSettings& settings() const { return settings_; }
    void assignSettings(const DevelopSettings& s) { settings_ = s; }

    void addObserver(DocumentObserver* o) { observers_.push_back(o); }

    void load(std::vector<Pixel> pixels) {
        pixels_ = std::move(pixels);
        history_.clear();
        notify(Change::Image);
    }

    void execute(std::unique_ptr<EditCommand> cmd) {
        cmd->apply(*this);
        history_.push_back(std::move(cmd));
        notify(Change::Settings);
    }

    bool undo() {
        if (history_.empty()) return false;
        std::unique_ptr<EditCommand> cmd = std::move(history_.back());
        history_.pop_back();
        cmd->revert(*this);
        notify(Change::History);
        return true;
    }

private:
    void notify(Change change) {
        for (DocumentObserver* o : observers_) o->documentChanged(*this, change);
    }

    int width_, height_;
    std::vector<Pixel> pixels_;
    DevelopSettings settings_;
    std::vector<std::unique_ptr<EditCommand>> history_;
    std::vector<DocumentObserver*> observers_;
};

class DevelopCommand : public EditCommand {
public:
    explicit DevelopCommand(DevelopSettings after) : after_(after) {}
    void apply(PhotoDocument& doc) override {
        before_ = doc.settings();
        doc.assignSettings(after_);
    }
    void revert(PhotoDocument& doc) override {
        doc.assignSettings(before_);
    }

private:
    DevelopSettings before_, after_;
};

__global__ void toneKernel(const Pixel* in, Pixel* out, int n, float gain, float contrast) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pixel p = in[i];
    p.r = (p.r * gain - 0.18f) * contrast + 0.18f;
    p.g = (p.g * gain - 0.18f) * contrast + 0.18f;
    p.b = (p.b * gain - 0.18f) * contrast + 0.18f;
    out[i] = p;
}

__global__ void colorKernel(Pixel* img, int n, float temperature, float saturation) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pixel p = img[i];
    p.r *= 1.0f + 0.2f * temperature;
    p.b *= 1.0f - 0.2f * temperature;
    float luma = 0.2126f * p.r + 0.7152f * p.g + 0.0722f * p.b;
    img[i] = Pixel{luma + (p.r - luma) * saturation, luma + (p.g - luma) * saturation,
                   luma + (p.b - luma) * saturation};
}

class PreviewRenderer : public DocumentObserver {
public:
    explicit PreviewRenderer(const PhotoDocument& doc) : count_(doc.width() * doc.height()) {
        require(cudaStreamCreate(&stream_), "stream");
        require(cudaMalloc(&source_, bytes()), "source image");
        require(cudaMalloc(&preview_, bytes()), "preview image");
        require(cudaMallocHost(&screen_, bytes()), "screen image");
    }
    ~PreviewRenderer() override {
        discardPipeline();
        cudaFreeHost(screen_);
        cudaFree(preview_);
        cudaFree(source_);
        cudaStreamDestroy(stream_);
    }
    PreviewRenderer(const PreviewRenderer&) = delete;
    PreviewRenderer& operator=(const PreviewRenderer&) = delete;

    void documentChanged(const PhotoDocument& doc, Change change) override {
        switch (change) {
            case Change::Image:
                require(cudaMemcpy(source_, doc.pixels().data(), bytes(), cudaMemcpyHostToDevice), "upload");
                break;
            case Change::History:
                ++historySteps_;
                stale_ = true;
                break;
            case Change::Settings:
                stale_ = true;
                break;
        }
        dirty_ = true;
    }

    const Pixel* render(const PhotoDocument& doc) {
        if (!dirty_) return screen_;
        if (!pipeline_ || stale_) recordPipeline(doc.settings());
        require(cudaGraphLaunch(pipeline_, stream_), "launch preview");
        require(cudaStreamSynchronize(stream_), "preview");
        dirty_ = false;
        return screen_;
    }

private:
    size_t bytes() const { return size_t(count_) * sizeof(Pixel); }

    void enqueueDevelop(const DevelopSettings& s) {
        const int block = 128, grid = (count_ + block - 1) / block;
        toneKernel<<<grid, block, 0, stream_>>>(source_, preview_, count_, exp2f(s.exposure), s.contrast);
        colorKernel<<<grid, block, 0, stream_>>>(preview_, count_, s.temperature, s.saturation);
    }

    void recordPipeline(const DevelopSettings& s) {
        cudaGraph_t graph = nullptr;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        enqueueDevelop(s);
        cudaError_t launched = cudaGetLastError();
        cudaError_t copied = cudaMemcpyAsync(screen_, preview_, bytes(), cudaMemcpyDeviceToHost, stream_);
        cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        require(launched, "develop kernels");
        require(copied, "screen copy");
        require(ended, "end capture");
        if (pipeline_) {
            cudaGraphExecUpdateResultInfo info{};
            if (cudaGraphExecUpdate(pipeline_, graph, &info) == cudaSuccess) {
                ++updates_;
            } else {
                (void)cudaGetLastError();
                discardPipeline();
            }
        }
        cudaError_t built = pipeline_ ? cudaSuccess : cudaGraphInstantiate(&pipeline_, graph, 0);
        cudaGraphDestroy(graph);
        require(built, "instantiate");
        stale_ = false;
    }

    void discardPipeline() {
        if (pipeline_) cudaGraphExecDestroy(pipeline_);
        pipeline_ = nullptr;
    }

    int count_;
    cudaStream_t stream_ = nullptr;
    Pixel* source_ = nullptr;
    Pixel* preview_ = nullptr;
    Pixel* screen_ = nullptr;
    cudaGraphExec_t pipeline_ = nullptr;
    int historySteps_ = 0;
    int updates_ = 0;
    bool stale_ = false;
    bool dirty_ = true;
};

Pixel developOnHost(Pixel p, const DevelopSettings& s) {
    float gain = exp2f(s.exposure);
    float r = (p.r * gain - 0.18f) * s.contrast + 0.18f;
    float g = (p.g * gain - 0.18f) * s.contrast + 0.18f;
    float b = (p.b * gain - 0.18f) * s.contrast + 0.18f;
    r *= 1.0f + 0.2f * s.temperature;
    b *= 1.0f - 0.2f * s.temperature;
    float luma = 0.2126f * r + 0.7152f * g + 0.0722f * b;
    return Pixel{luma + (r - luma) * s.saturation, luma + (g - luma) * s.saturation, luma + (b - luma) * s.saturation};
}

bool previewMatches(const PhotoDocument& doc, const Pixel* screen) {
    for (size_t i = 0; i < doc.pixels().size(); ++i) {
        Pixel want = developOnHost(doc.pixels()[i], doc.settings());
        float err = fabsf(want.r - screen[i].r) + fabsf(want.g - screen[i].g) + fabsf(want.b - screen[i].b);
        if (!(err < 1e-3f)) return false;
    }
    return true;
}

}  // namespace darkroom

int main() {
    using namespace darkroom;
    try {
        PhotoDocument doc(96, 64);
        PreviewRenderer renderer(doc);
        doc.addObserver(&renderer);
        std::vector<Pixel> raw(96 * 64);
        for (size_t i = 0; i < raw.size(); ++i)
            raw[i] = Pixel{0.05f + 0.008f * (i % 96), 0.1f + 0.01f * (i / 96), 0.3f + 0.005f * (i % 31)};
        doc.load(raw);

        bool first = previewMatches(doc, renderer.render(doc));

        DevelopSettings brighter = doc.settings();
        brighter.exposure = 1.25f;
        brighter.contrast = 1.1f;
        doc.execute(std::make_unique<DevelopCommand>(brighter));
        bool edited = previewMatches(doc, renderer.render(doc));

        DevelopSettings warm = doc.settings();
        warm.temperature = 0.6f;
        warm.saturation = 1.5f;
        doc.execute(std::make_unique<DevelopCommand>(warm));
        edited = edited && previewMatches(doc, renderer.render(doc));

        doc.undo();
        bool undone1 = previewMatches(doc, renderer.render(doc));
        doc.undo();
        bool undone2 = previewMatches(doc, renderer.render(doc));

        std::printf("first %d edited %d undo %d %d\n", first, edited, undone1, undone2);
        bool observed = first && edited && undone1 && undone2;
        std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return observed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
