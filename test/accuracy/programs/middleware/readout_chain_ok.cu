#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

template <class... Fs> struct overloaded : Fs... { using Fs::operator()...; };
template <class... Fs> overloaded(Fs...) -> overloaded<Fs...>;

template <class... Rc> cudaError_t first_of(Rc... rc) {
    cudaError_t out = cudaSuccess;
    ((out = out == cudaSuccess ? rc : out), ...);
    return out;
}

constexpr int kPixels = 2048;

__global__ void apply_gain(float* px, float k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) px[i] *= k;
}
__global__ void add_pedestal(float* px, float level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) px[i] += level;
}
__global__ void copy_rows(float* dst, const float* src) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) dst[i] = src[i];
}

struct Load { const float* raw; };
struct Gain {
    float k;
    cudaGraphNode_t node = nullptr;
};
struct Pedestal { float level; };
struct Tap { float* quicklook; };
using Stage = std::variant<Load, Gain, Pedestal, Tap>;

class Chain {
public:
    explicit Chain(float* pixels) : px_(pixels) {
        rc_ = first_of(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking),
                       cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking),
                       cudaEventCreateWithFlags(&split_, cudaEventDisableTiming),
                       cudaEventCreateWithFlags(&merge_, cudaEventDisableTiming));
    }
    ~Chain() {
        if (exec_) cudaGraphExecDestroy(*exec_);
        if (graph_) cudaGraphDestroy(graph_);
        for (cudaEvent_t e : {split_, merge_}) cudaEventDestroy(e);
        for (cudaStream_t s : {main_, side_}) cudaStreamDestroy(s);
    }
    Chain(const Chain&) = delete;

    template <class S> S& append(S s) { return std::get<S>(stages_.emplace_back(std::move(s))); }
    template <class S> S* find() {
        for (auto& s : stages_)
            if (auto* hit = std::get_if<S>(&s)) return hit;
        return nullptr;
    }
    cudaError_t compile() {
        if (auto e = cudaStreamBeginCapture(main_, cudaStreamCaptureModeRelaxed); e != cudaSuccess) return e;
        bool forked = false;
        for (auto& stage : stages_) {
            std::visit(overloaded{
                [&](Load& l) { cudaMemcpyAsync(px_, l.raw, kPixels * 4, cudaMemcpyDeviceToDevice, main_); },
                [&](Gain& g) {
                    apply_gain<<<kPixels / 256, 256, 0, main_>>>(px_, g.k);
                    cudaStreamCaptureStatus status;
                    const cudaGraphNode_t* front = nullptr;
                    size_t count = 0;
                    cudaStreamGetCaptureInfo(main_, &status, nullptr, nullptr, &front, nullptr, &count);
                    g.node = count == 1 ? front[0] : nullptr;
                },
                [&](Pedestal& p) { add_pedestal<<<kPixels / 256, 256, 0, main_>>>(px_, p.level); },
                [&](Tap& t) {
                    cudaEventRecord(split_, main_);
                    cudaStreamWaitEvent(side_, split_, 0);
                    copy_rows<<<kPixels / 256, 256, 0, side_>>>(t.quicklook, px_);
                    forked = true;
                }}, stage);
        }
        if (forked) {
            cudaEventRecord(merge_, side_);
            cudaStreamWaitEvent(main_, merge_, 0);
        }
        cudaGraph_t graph = nullptr;
        if (auto e = cudaStreamEndCapture(main_, &graph); e != cudaSuccess) return e;
        cudaGraphExec_t exec = nullptr;
        auto e = cudaGraphInstantiate(&exec, graph, 0);
        if (e == cudaSuccess) exec_ = exec;
        graph_ = graph;
        return e;
    }
    cudaError_t set_gain(float k) {
        Gain* g = find<Gain>();
        if (!g) return cudaErrorInvalidValue;
        g->k = k;
        if (exec_ && g->node) {
            cudaKernelNodeParams p{};
            if (auto e = cudaGraphKernelNodeGetParams(g->node, &p); e != cudaSuccess) return e;
            void* args[] = {&px_, &g->k};
            p.kernelParams = args;
            return cudaGraphExecKernelNodeSetParams(*exec_, g->node, &p);
        }
        return cudaSuccess;
    }
    std::pair<cudaError_t, float> expose(const float* where) {
        float v = 0;
        auto e = cudaGraphLaunch(*exec_, main_);
        if (e == cudaSuccess) e = cudaMemcpyAsync(&v, where, 4, cudaMemcpyDeviceToHost, main_);
        if (e == cudaSuccess) e = cudaStreamSynchronize(main_);
        return {e, v};
    }
    cudaError_t status() const { return rc_; }

private:
    float* px_;
    std::vector<Stage> stages_;
    cudaStream_t main_ = nullptr, side_ = nullptr;
    cudaEvent_t split_ = nullptr, merge_ = nullptr;
    std::optional<cudaGraphExec_t> exec_;
    cudaGraph_t graph_ = nullptr;
    cudaError_t rc_ = cudaSuccess;
};

int main() {
    float *raw, *px[2], *view;
    std::vector<float> ones(kPixels, 1.0f);
    for (float** p : {&raw, &px[0], &px[1], &view}) cudaMalloc(p, kPixels * 4);
    cudaMemcpy(raw, ones.data(), kPixels * 4, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    Chain science(px[0]), guide(px[1]);
    science.append(Load{raw}), science.append(Gain{2.0f}), science.append(Pedestal{0.5f});
    guide.append(Load{raw}), guide.append(Pedestal{3.0f}), guide.append(Tap{view});
    auto e1 = first_of(science.status(), guide.status(), science.compile());
    auto [r1, a] = science.expose(px[0]);
    auto e2 = science.set_gain(8.0f);
    auto [r2, b] = science.expose(px[0]);
    auto e3 = guide.compile();
    bool base = first_of(e1, r1, e2, r2) == cudaSuccess && std::fabs(a - 2.5f) < 1e-5f;
    bool ok = base && std::fabs(b - 8.5f) < 1e-5f && e3 == cudaSuccess && guide.expose(view).second == 4.0f;
    if (ok) std::puts("LABEL CONFIRMED");
    else std::printf("LABEL REFUTED %d %d %d %d %f %f\n", e1, r1, r2, e3, a, b);
    return 0;
}
