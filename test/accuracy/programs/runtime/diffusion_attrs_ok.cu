#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#define SD_CUDA(expr)                                                                            \
    do {                                                                                         \
        cudaError_t e_ = (expr);                                                                 \
        if (e_ != cudaSuccess) {                                                                 \
            std::fprintf(stderr, "[sdrt] %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            std::abort();                                                                        \
        }                                                                                        \
    } while (0)

namespace sdrt {

__global__ void unet_stub(const float* latent, float* out, float gain, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = gain * latent[i];
}

__global__ void cfg_mix(const float* cond, const float* uncond, float* eps, float scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) eps[i] = uncond[i] + scale * (cond[i] - uncond[i]);
}

__global__ void euler_step(float* latent, const float* eps, const float* sigma, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) latent[i] += (sigma[1] - sigma[0]) * eps[i];
}

struct Node {
    std::string op;
    std::vector<int> in;
    int out;
    std::unordered_map<std::string, float> attrs;

    float attr(const char* key, float dflt) const {
        auto it = attrs.find(key);
        return it == attrs.end() ? dflt : it->second;
    }
};

struct ExecCtx {
    cudaStream_t stream;
    float* const* slots;
    const float* sigma;
    int n;
    int grid() const { return (n + 255) / 256; }
};

using OpFn = std::function<void(const ExecCtx&, const Node&)>;

class OpRegistry {
public:
    static OpRegistry& instance() {
        static OpRegistry r;
        return r;
    }
    bool add(const char* name, OpFn fn) { return table_.emplace(name, std::move(fn)).second; }
    const OpFn* lookup(const std::string& name) const {
        auto it = table_.find(name);
        return it == table_.end() ? nullptr : &it->second;
    }

private:
    std::unordered_map<std::string, OpFn> table_;
};

static const bool reg_unet = OpRegistry::instance().add("unet", [](const ExecCtx& c, const Node& nd) {
    unet_stub<<<c.grid(), 256, 0, c.stream>>>(c.slots[nd.in[0]], c.slots[nd.out], nd.attr("gain", 1.0f), c.n);
    SD_CUDA(cudaGetLastError());
});
static const bool reg_mix = OpRegistry::instance().add("cfg_mix", [](const ExecCtx& c, const Node& nd) {
    const float scale = nd.attr("scale", 1.0f);
    cfg_mix<<<c.grid(), 256, 0, c.stream>>>(c.slots[nd.in[0]], c.slots[nd.in[1]], c.slots[nd.out], scale, c.n);
    SD_CUDA(cudaGetLastError());
});
static const bool reg_euler = OpRegistry::instance().add("euler", [](const ExecCtx& c, const Node& nd) {
    euler_step<<<c.grid(), 256, 0, c.stream>>>(c.slots[nd.out], c.slots[nd.in[0]], c.sigma, c.n);
    SD_CUDA(cudaGetLastError());
});

struct ExecDeleter {
    void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
};
using ExecPtr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

class DenoisePipeline {
public:
    DenoisePipeline(int maxBatch, int dim) : dim_(dim) {
        SD_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        for (float*& s : slots_) SD_CUDA(cudaMalloc(&s, sizeof(float) * maxBatch * dim));
        SD_CUDA(cudaMalloc(&dSigma_, 2 * sizeof(float)));
        SD_CUDA(cudaMallocHost(&hSigma_, 2 * sizeof(float)));
        nodes_ = {{"unet", {0}, 1, {{"gain", 0.5f}}},
                  {"unet", {0}, 2, {{"gain", 0.25f}}},
                  {"cfg_mix", {1, 2}, 3, {{"scale", 2.0f}}},
                  {"euler", {3}, 0, {}}};
    }
    ~DenoisePipeline() {
        execs_.clear();
        for (float* s : slots_) cudaFree(s);
        cudaFree(dSigma_);
        cudaFreeHost(hSigma_);
        cudaStreamDestroy(stream_);
    }

    void setAttr(const std::string& op, const std::string& key, float value) {
        for (Node& nd : nodes_) {
            if (nd.op == op) nd.attrs[key] = value;
        }
        execs_.clear();
    }

    void setLatent(const std::vector<float>& v) {
        SD_CUDA(cudaMemcpyAsync(slots_[0], v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
        SD_CUDA(cudaStreamSynchronize(stream_));
    }
    std::vector<float> latent(int batch) const {
        std::vector<float> v(static_cast<size_t>(batch) * dim_);
        SD_CUDA(cudaMemcpy(v.data(), slots_[0], v.size() * sizeof(float), cudaMemcpyDeviceToHost));
        return v;
    }

    void step(int batch, float from, float to) {
        hSigma_[0] = from;
        hSigma_[1] = to;
        SD_CUDA(cudaMemcpyAsync(dSigma_, hSigma_, 2 * sizeof(float), cudaMemcpyHostToDevice, stream_));
        ExecPtr& exec = execs_[batch];
        if (!exec) {
            exec = record([this, batch] { runNodes({stream_, slots_, dSigma_, batch * dim_}); });
        }
        SD_CUDA(cudaGraphLaunch(exec.get(), stream_));
        SD_CUDA(cudaStreamSynchronize(stream_));
    }

private:
    void runNodes(const ExecCtx& ctx) const {
        for (const Node& nd : nodes_) {
            if (const OpFn* fn = OpRegistry::instance().lookup(nd.op)) (*fn)(ctx, nd);
        }
    }

    template <class Body>
    ExecPtr record(Body&& body) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        SD_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        body();
        SD_CUDA(cudaStreamEndCapture(stream_, &graph));
        SD_CUDA(cudaGraphInstantiate(&exec, graph, 0));
        SD_CUDA(cudaGraphDestroy(graph));
        return ExecPtr(exec);
    }

    int dim_;
    cudaStream_t stream_ = nullptr;
    float* slots_[4] = {};
    float* dSigma_ = nullptr;
    float* hSigma_ = nullptr;
    std::vector<Node> nodes_;
    std::unordered_map<int, ExecPtr> execs_;
};

}  // namespace sdrt

int main() {
    constexpr int kBatch = 2, kDim = 1000;
    sdrt::DenoisePipeline pipe(4, kDim);
    pipe.setLatent(std::vector<float>(kBatch * kDim, 1.0f));

    const float sigmas[] = {4.0f, 3.0f, 2.0f, 1.5f, 1.25f};
    float ref = 1.0f, scale = 2.0f;
    for (int i = 0; i < 4; ++i) {
        if (i == 2) {
            scale = 5.0f;
            pipe.setAttr("cfg_mix", "scale", scale);
        }
        pipe.step(kBatch, sigmas[i], sigmas[i + 1]);
        const float eps = 0.25f * ref + scale * (0.5f * ref - 0.25f * ref);
        ref += (sigmas[i + 1] - sigmas[i]) * eps;
    }
    bool same = true;
    for (float v : pipe.latent(kBatch)) same = same && std::fabs(v - ref) < 1e-4f;
    std::puts(same ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
