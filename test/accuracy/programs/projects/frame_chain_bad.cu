// frame_chain: video filter chain made of pluggable nodes. Nodes register themselves by name; a chain is described by a
// string, recorded once into a graph and replayed for each frame.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#define VF_CHECK(call)                                                                          \
    do {                                                                                        \
        const cudaError_t vf_status = (call);                                                   \
        if (vf_status != cudaSuccess) {                                                         \
            std::fprintf(stderr, "%s (%s:%d)\n", cudaGetErrorString(vf_status), __FILE__, __LINE__); \
            ++vf::errors();                                                                     \
        }                                                                                       \
    } while (0)

namespace vf {

int& errors() {
    static int count = 0;
    return count;
}

struct Frame {
    int width = 0;
    int height = 0;
    uint8_t* luma = nullptr;  // device
    int size() const { return width * height; }
};

class Node {
public:
    virtual ~Node() = default;
    virtual void process(const Frame& frame, cudaStream_t stream) = 0;
};

class Registry {
public:
    using Factory = std::function<std::unique_ptr<Node>(int width, int height)>;
    static Registry& instance() {
        static Registry r;
        return r;
    }
    bool add(const std::string& name, Factory f) { return factories_.emplace(name, std::move(f)).second; }
    std::unique_ptr<Node> create(const std::string& name, int w, int h) const { return factories_.at(name)(w, h); }

private:
    std::map<std::string, Factory> factories_;
};

#define VF_REGISTER(Type, name)                                                                  \
    static const bool Type##_registered = Registry::instance().add(name, [](int w, int h) {      \
        return std::unique_ptr<Node>(new Type(w, h));                                            \
    });

inline int grid(int n) { return (n + 255) / 256; }

__global__ void brightenKernel(uint8_t* p, int n, int delta) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = uint8_t(min(int(p[i]) + delta, 255));
}
__global__ void negateKernel(uint8_t* p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = uint8_t(255 - p[i]);
}
__global__ void stampKernel(uint8_t* p, const uint8_t* logo, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && logo[i] != 0) p[i] = logo[i];
}

class Brighten : public Node {
public:
    Brighten(int, int) {}
    void process(const Frame& f, cudaStream_t s) override {
        brightenKernel<<<grid(f.size()), 256, 0, s>>>(f.luma, f.size(), 20);
        VF_CHECK(cudaGetLastError());
    }
};
VF_REGISTER(Brighten, "brighten")

class Negate : public Node {
public:
    Negate(int, int) {}
    void process(const Frame& f, cudaStream_t s) override {
        negateKernel<<<grid(f.size()), 256, 0, s>>>(f.luma, f.size());
        VF_CHECK(cudaGetLastError());
    }
};
VF_REGISTER(Negate, "negate")

uint8_t logoPixel(int x, int y) { return x < 12 && y < 6 ? uint8_t(100 + x) : uint8_t(0); }

// Stamps a station logo. The node has a stream of its own, used for the upload of the logo and for the stamping.
class Logo : public Node {
public:
    Logo(int w, int h) : host_(size_t(w) * h) {
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) host_[size_t(y) * w + x] = logoPixel(x, y);
        VF_CHECK(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking));
        VF_CHECK(cudaMalloc(&logo_, host_.size()));
        VF_CHECK(cudaMemcpyAsync(logo_, host_.data(), host_.size(), cudaMemcpyHostToDevice, own_));
        VF_CHECK(cudaStreamSynchronize(own_));
    }
    ~Logo() override {
        VF_CHECK(cudaFree(logo_));
        VF_CHECK(cudaStreamDestroy(own_));
    }
    void process(const Frame& f, cudaStream_t s) override {
        stampKernel<<<grid(f.size()), 256, 0, own_>>>(f.luma, logo_, f.size());  // HAZARD escape
        VF_CHECK(cudaGetLastError());
    }

private:
    std::vector<uint8_t> host_;
    cudaStream_t own_ = nullptr;
    uint8_t* logo_ = nullptr;  // device
};
VF_REGISTER(Logo, "logo")

class Chain {
public:
    Chain(const std::string& description, int w, int h) {
        std::istringstream names(description);
        for (std::string name; names >> name;) nodes_.push_back(Registry::instance().create(name, w, h));
        frame_.width = w;
        frame_.height = h;
        VF_CHECK(cudaMalloc(&frame_.luma, frame_.size()));
        VF_CHECK(cudaMallocHost(&staging_, frame_.size()));
        VF_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Chain() {
        if (exec_) VF_CHECK(cudaGraphExecDestroy(exec_));
        VF_CHECK(cudaFree(frame_.luma));
        VF_CHECK(cudaFreeHost(staging_));
        VF_CHECK(cudaStreamDestroy(stream_));
    }
    void record() {
        cudaGraph_t graph = nullptr;
        VF_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        VF_CHECK(cudaMemcpyAsync(frame_.luma, staging_, frame_.size(), cudaMemcpyHostToDevice, stream_));
        for (auto& node : nodes_) node->process(frame_, stream_);
        VF_CHECK(cudaMemcpyAsync(staging_, frame_.luma, frame_.size(), cudaMemcpyDeviceToHost, stream_));
        VF_CHECK(cudaStreamEndCapture(stream_, &graph));
        VF_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        VF_CHECK(cudaGraphDestroy(graph));
    }
    void filter(std::vector<uint8_t>& pixels) {
        std::copy(pixels.begin(), pixels.end(), staging_);
        VF_CHECK(cudaGraphLaunch(exec_, stream_));
        VF_CHECK(cudaStreamSynchronize(stream_));
        std::copy(staging_, staging_ + frame_.size(), pixels.begin());
    }

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    Frame frame_;
    uint8_t* staging_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace vf

int main() {
    constexpr int w = 64, h = 32;
    int wrong = 0;
    {
        vf::Chain chain("brighten logo negate", w, h);
        chain.record();
        for (int t = 0; t < 6; ++t) {
            std::vector<uint8_t> px(w * h), want(w * h);
            for (int i = 0; i < w * h; ++i) {
                px[i] = uint8_t((i * 3 + t * 17) & 255);
                const uint8_t logo = vf::logoPixel(i % w, i / w);
                const int lit = std::min(px[i] + 20, 255);
                want[i] = uint8_t(255 - (logo ? logo : lit));
            }
            chain.filter(px);
            for (int i = 0; i < w * h; ++i) wrong += px[i] != want[i];
        }
    }
    std::printf("wrong pixels: %d, errors: %d\n", wrong, vf::errors());
    std::printf("%s\n", wrong > 0 || vf::errors() > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
