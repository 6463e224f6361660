// Radiology viewer: configurable filter chain, executed eagerly or through a recorded graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static void Check(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(rc));
}

struct FrameView {
    float* pixels;
    int count;
};

__global__ void WindowKernel(FrameView f, float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < f.count) f.pixels[i] = fminf(fmaxf((f.pixels[i] - lo) / (hi - lo), 0.0f), 1.0f);
}
__global__ void InvertKernel(FrameView f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < f.count) f.pixels[i] = 1.0f - f.pixels[i];
}

class Metrics {
public:
    void Increment(const std::string& name) { ++counters_[name]; }
    long Value(const std::string& name) const {
        auto it = counters_.find(name);
        return it == counters_.end() ? 0 : it->second;
    }

private:
    std::map<std::string, long> counters_;
};

class IFilter {
public:
    virtual ~IFilter() = default;
    virtual void Enqueue(FrameView frame, cudaStream_t stream) = 0;
};
class WindowFilter final : public IFilter {
public:
    WindowFilter(float lo, float hi) : lo_(lo), hi_(hi) {}
    void Enqueue(FrameView frame, cudaStream_t stream) override {
        WindowKernel<<<(frame.count + 255) / 256, 256, 0, stream>>>(frame, lo_, hi_);
        Check(cudaGetLastError(), "WindowKernel");
    }

private:
    const float lo_, hi_;
};
class InvertFilter final : public IFilter {
public:
    void Enqueue(FrameView frame, cudaStream_t stream) override {
        InvertKernel<<<(frame.count + 255) / 256, 256, 0, stream>>>(frame);
        Check(cudaGetLastError(), "InvertKernel");
    }
};

class FilterFactory {
public:
    using Creator = std::function<std::unique_ptr<IFilter>(std::istream&)>;
    void Register(const std::string& name, Creator creator) { creators_[name] = std::move(creator); }
    std::unique_ptr<IFilter> Create(const std::string& name, std::istream& args) const { return creators_.at(name)(args); }

private:
    std::map<std::string, Creator> creators_;
};

class FilterChain {
public:
    FilterChain(const FilterFactory& factory, const std::string& config, std::shared_ptr<Metrics> metrics)
        : metrics_(std::move(metrics)) {
        std::istringstream in(config);
        for (std::string name; in >> name;) stages_.push_back({name, factory.Create(name, in), true});
    }
    void SetEnabled(const std::string& name, bool enabled) {
        for (auto& stage : stages_)
            if (stage.name == name) stage.enabled = enabled;
        ++revision_;
    }
    unsigned Revision() const { return revision_; }

    void Enqueue(FrameView frame, cudaStream_t stream) {
        for (auto& stage : stages_) {
            if (!stage.enabled) continue;
            stage.filter->Enqueue(frame, stream);
        }
    }

    void CountFrame() {
        for (const auto& stage : stages_)
            if (stage.enabled) metrics_->Increment("filter." + stage.name);
    }

private:
    struct Stage {
        std::string name;
        std::unique_ptr<IFilter> filter;
        bool enabled;
    };
    std::shared_ptr<Metrics> metrics_;
    std::vector<Stage> stages_;
    unsigned revision_ = 0;
};

class IBackend {
public:
    virtual ~IBackend() = default;
    virtual void Execute(FilterChain& chain, FrameView frame, cudaStream_t stream) = 0;
};

class GraphBackend final : public IBackend {
public:
    ~GraphBackend() override { Reset(); }
    void Execute(FilterChain& chain, FrameView frame, cudaStream_t stream) override {
        if (!exec_ || frame.pixels != recorded_.pixels || frame.count != recorded_.count ||
            chain.Revision() != revision_)
            Record(chain, frame, stream);
        Check(cudaGraphLaunch(exec_, stream), "launch");
        chain.CountFrame();
    }

private:
    void Reset() {
        if (exec_) (void)cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }
    void Record(FilterChain& chain, FrameView frame, cudaStream_t stream) {
        Reset();
        cudaGraph_t graph = nullptr;
        Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            chain.Enqueue(frame, stream);
        } catch (...) {
            (void)cudaStreamEndCapture(stream, &graph);
            if (graph) (void)cudaGraphDestroy(graph);
            throw;
        }
        Check(cudaStreamEndCapture(stream, &graph), "end");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        (void)cudaGraphDestroy(graph);
        Check(rc, "instantiate");
        recorded_ = frame;
        revision_ = chain.Revision();
    }
    cudaGraphExec_t exec_ = nullptr;
    FrameView recorded_{};
    unsigned revision_ = 0;
};

class Viewer {
public:
    Viewer(std::unique_ptr<IBackend> backend, std::unique_ptr<FilterChain> chain, int count)
        : chain_(std::move(chain)), backend_(std::move(backend)) {
        Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        Check(cudaMalloc(&frame_.pixels, count * sizeof(float)), "frame");
        frame_.count = count;
    }
    ~Viewer() {
        backend_.reset();
        (void)cudaFree(frame_.pixels);
        (void)cudaStreamDestroy(stream_);
    }
    FilterChain& Chain() { return *chain_; }

    float Show(float hounsfield) {
        std::vector<float> image(frame_.count, hounsfield);
        const size_t bytes = image.size() * sizeof(float);
        Check(cudaMemcpyAsync(frame_.pixels, image.data(), bytes, cudaMemcpyHostToDevice, stream_), "upload");
        backend_->Execute(*chain_, frame_, stream_);
        Check(cudaMemcpyAsync(image.data(), frame_.pixels, bytes, cudaMemcpyDeviceToHost, stream_), "download");
        Check(cudaStreamSynchronize(stream_), "sync");
        return image[image.size() / 2];
    }

private:
    std::unique_ptr<FilterChain> chain_;
    std::unique_ptr<IBackend> backend_;
    cudaStream_t stream_ = nullptr;
    FrameView frame_{};
};

int main() try {
    FilterFactory factory;
    factory.Register("window", [](std::istream& in) {
        float lo, hi;
        in >> lo >> hi;
        return std::make_unique<WindowFilter>(lo, hi);
    });
    factory.Register("invert", [](std::istream&) { return std::make_unique<InvertFilter>(); });
    auto metrics = std::make_shared<Metrics>();
    Viewer viewer(std::make_unique<GraphBackend>(),
                  std::make_unique<FilterChain>(factory, "window 0 200 invert", metrics), 1024);

    const float inverted = viewer.Show(50.0f);
    const float second = viewer.Show(150.0f);
    viewer.Chain().SetEnabled("invert", false);
    const float plain = viewer.Show(50.0f);
    const long windows = metrics->Value("filter.window");
    std::printf("%.2f %.2f %.2f, window ran %ld times\n", inverted, second, plain, windows);
    const bool first = inverted == 0.75f && second == 0.25f;
    std::puts(first && plain == 0.25f && windows == 3 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
} catch (const std::exception& e) {
    std::printf("%s\nLABEL REFUTED\n", e.what());
    return 0;
}
