// Document enhancement for a scanning service. The public class is a pimpl, created by a factory function from a
// configuration object; pages of one format are processed by replaying a graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace scan {

struct EnhancerConfig {
    int width = 0;
    int height = 0;
    int inkBoost = 1;
};

class Enhancer {
public:
    static std::unique_ptr<Enhancer> create(const EnhancerConfig& config);
    ~Enhancer();
    std::vector<uint8_t> enhance(const std::vector<uint8_t>& page);

private:
    struct Impl;
    explicit Enhancer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

class ScanError : public std::runtime_error {
public:
    ScanError(const char* step, cudaError_t code)
        : std::runtime_error(std::string(step) + ": " + cudaGetErrorString(code)) {}
};

// ---- implementation ---------------------------------------------------------------------------------------------

namespace {

void expect(cudaError_t code, const char* step) {
    if (code != cudaSuccess) throw ScanError(step, code);
}

__global__ void applyLut(const uint8_t* in, const uint8_t* lut, uint8_t* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = lut[in[i]];
}

__global__ void erodeRow(const uint8_t* in, uint8_t* out, int width, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint8_t left = i % width ? in[i - 1] : in[i];
    out[i] = left < in[i] ? left : in[i];
}

}  // namespace

struct Enhancer::Impl {
    EnhancerConfig config;
    int pixels = 0;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
    uint8_t* staging = nullptr;  // pinned, one page
    uint8_t* page = nullptr;     // device, one page
    uint8_t* scratch = nullptr;  // device, workspace of the two stages
    uint8_t* lut = nullptr;      // device, 256 entries

    explicit Impl(const EnhancerConfig& c) : config(c), pixels(c.width * c.height) {}
    ~Impl() {
        if (exec) cudaGraphExecDestroy(exec);
        if (stream) cudaStreamDestroy(stream);
        cudaFree(lut);
        cudaFree(scratch);
        cudaFree(page);
        cudaFreeHost(staging);
    }

    void open() {
        expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        expect(cudaMallocHost(&staging, pixels), "staging");
        expect(cudaMalloc(&page, pixels), "page");
    }

    // Idempotent: allocates the workspace and uploads the tone curve when they do not exist yet.
    cudaError_t ensureWorkspace() noexcept {
        if (scratch && lut) return cudaSuccess;
        uint8_t curve[256];
        for (int v = 0; v < 256; ++v) {
            const int dark = v - 16 * config.inkBoost;
            curve[v] = static_cast<uint8_t>(dark < 0 ? 0 : dark);
        }
        cudaError_t e = cudaMalloc(&scratch, pixels);
        if (e == cudaSuccess) e = cudaMalloc(&lut, sizeof curve);
        if (e == cudaSuccess) e = cudaMemcpy(lut, curve, sizeof curve, cudaMemcpyHostToDevice);
        if (e == cudaSuccess) e = cudaDeviceSynchronize();
        return e;
    }

    cudaError_t enqueueStages() noexcept {
        const int threads = 256;
        const int blocks = (pixels + threads - 1) / threads;
        cudaError_t e = ensureWorkspace();
        if (e != cudaSuccess) return e;
        e = cudaMemcpyAsync(page, staging, pixels, cudaMemcpyHostToDevice, stream);
        if (e != cudaSuccess) return e;
        applyLut<<<blocks, threads, 0, stream>>>(page, lut, scratch, pixels);
        erodeRow<<<blocks, threads, 0, stream>>>(scratch, page, config.width, pixels);
        e = cudaGetLastError();
        if (e != cudaSuccess) return e;
        return cudaMemcpyAsync(staging, page, pixels, cudaMemcpyDeviceToHost, stream);
    }

    void capture() {
        expect(ensureWorkspace(), "workspace");  // the stages below find everything in place
        expect(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
        const cudaError_t staged = enqueueStages();
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        const cudaError_t made = ended == cudaSuccess ? cudaGraphInstantiate(&exec, graph, 0) : ended;
        if (graph) cudaGraphDestroy(graph);
        expect(staged, "enhancement stages");
        expect(made, "enhancement graph");
    }

    void run() {
        if (!exec) capture();
        expect(cudaGraphLaunch(exec, stream), "launch");
        expect(cudaStreamSynchronize(stream), "enhance");
    }
};

Enhancer::Enhancer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Enhancer::~Enhancer() = default;

std::unique_ptr<Enhancer> Enhancer::create(const EnhancerConfig& config) {
    if (config.width <= 0 || config.height <= 0) throw std::invalid_argument("page format");
    auto impl = std::make_unique<Impl>(config);
    impl->open();
    return std::unique_ptr<Enhancer>(new Enhancer(std::move(impl)));
}

std::vector<uint8_t> Enhancer::enhance(const std::vector<uint8_t>& page) {
    if (static_cast<int>(page.size()) != impl_->pixels) throw std::invalid_argument("page size");
    std::copy(page.begin(), page.end(), impl_->staging);
    impl_->run();
    return std::vector<uint8_t>(impl_->staging, impl_->staging + impl_->pixels);
}

}  // namespace scan

static std::vector<uint8_t> referencePage(const std::vector<uint8_t>& in, int width, int boost) {
    std::vector<uint8_t> toned(in.size()), out(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
        const int dark = in[i] - 16 * boost;
        toned[i] = static_cast<uint8_t>(dark < 0 ? 0 : dark);
    }
    for (size_t i = 0; i < in.size(); ++i) {
        const uint8_t left = i % width ? toned[i - 1] : toned[i];
        out[i] = left < toned[i] ? left : toned[i];
    }
    return out;
}

int main() {
    const scan::EnhancerConfig formats[] = {{64, 32, 1}, {96, 20, 3}};
    bool good = true;
    for (const scan::EnhancerConfig& f : formats) {
        try {
            const auto enhancer = scan::Enhancer::create(f);
            for (int pageNo = 0; pageNo < 3; ++pageNo) {
                std::vector<uint8_t> page(static_cast<size_t>(f.width) * f.height);
                for (size_t i = 0; i < page.size(); ++i) page[i] = static_cast<uint8_t>(i * 37 + pageNo * 11);
                good = enhancer->enhance(page) == referencePage(page, f.width, f.inkBoost) && good;
            }
        } catch (const scan::ScanError& e) {
            std::printf("%dx%d: %s\n", f.width, f.height, e.what());
            good = false;
        }
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
