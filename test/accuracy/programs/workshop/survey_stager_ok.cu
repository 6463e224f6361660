// Pipelines for survey lines: a pipeline is a list of stages (std::variant) that is compiled into a graph.
// Input samples are staged in pinned blocks that are leased from a shared pool.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace survey {

constexpr int kSamples = 512;

class PinnedPool {
public:
    explicit PinnedPool(int blocks) {
        for (int i = 0; i < blocks; ++i) {
            float* p = nullptr;
            if (cudaMallocHost(&p, kSamples * sizeof(float)) == cudaSuccess) all_.push_back(p);
        }
        free_ = all_;
    }
    ~PinnedPool() {
        for (float* p : all_) cudaFreeHost(p);
    }
    PinnedPool(const PinnedPool&) = delete;
    PinnedPool& operator=(const PinnedPool&) = delete;

    class Lease {
    public:
        Lease(PinnedPool* pool, float* block) : pool_(pool), block_(block) {}
        Lease(Lease&& o) noexcept : pool_(std::exchange(o.pool_, nullptr)), block_(o.block_) {}
        Lease& operator=(Lease&&) = delete;
        ~Lease() {
            if (pool_) pool_->free_.push_back(block_);
        }
        float* data() const { return block_; }

    private:
        PinnedPool* pool_;
        float* block_;
    };

    std::optional<Lease> lease() {
        if (free_.empty()) return std::nullopt;
        float* block = free_.back();
        free_.pop_back();
        return std::make_optional<Lease>(this, block);
    }

private:
    std::vector<float*> all_, free_;
};

struct Upload {
    PinnedPool::Lease staging;
};
struct Affine {
    float scale, shift;
};
struct Tap {
    std::function<void()> hook;  // runs once for each pass of the pipeline
};
using Stage = std::variant<Upload, Affine, Tap>;

template <class... F>
struct Overload : F... {
    using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

__global__ void affine(float* x, float scale, float shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSamples) x[i] = x[i] * scale + shift;
}

struct Compiled {
    cudaGraphExec_t exec = nullptr;
    float* device = nullptr;
    float* input = nullptr;  // the caller writes new samples here before each run
    std::vector<Stage> stages;

    Compiled() = default;
    Compiled(Compiled&& o) noexcept
        : exec(std::exchange(o.exec, nullptr)),
          device(std::exchange(o.device, nullptr)),
          input(o.input),
          stages(std::move(o.stages)) {}
    ~Compiled() {
        if (exec) cudaGraphExecDestroy(exec);
        cudaFree(device);
    }
};

void CUDART_CB runTap(void* user) { static_cast<Tap*>(user)->hook(); }

std::optional<Compiled> compile(std::vector<Stage> stages, cudaStream_t stream) {
    Compiled c;
    if (cudaMalloc(&c.device, kSamples * sizeof(float)) != cudaSuccess) return std::nullopt;
    c.stages = std::move(stages);
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return std::nullopt;
    cudaError_t err = cudaSuccess;
    const auto emit = Overload{
        [&](Upload& u) {
            c.input = u.staging.data();
            return cudaMemcpyAsync(c.device, c.input, kSamples * sizeof(float), cudaMemcpyHostToDevice, stream);
        },
        [&](Affine& a) {
            affine<<<kSamples / 128, 128, 0, stream>>>(c.device, a.scale, a.shift);
            return cudaGetLastError();
        },
        [&](Tap& t) {
            return cudaLaunchHostFunc(stream, runTap, &t);
        },
    };
    for (Stage& s : c.stages)
        if (err == cudaSuccess) err = std::visit(emit, s);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (err == cudaSuccess) err = ended;
    if (err == cudaSuccess) err = cudaGraphInstantiate(&c.exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (err != cudaSuccess) return std::nullopt;
    return c;
}

std::optional<Compiled> build(PinnedPool& pool, cudaStream_t stream, Affine gain, std::function<void()> hook) {
    std::optional<PinnedPool::Lease> staging = pool.lease();
    if (!staging) return std::nullopt;
    std::vector<Stage> stages;
    stages.emplace_back(Upload{std::move(*staging)});
    stages.emplace_back(gain);
    stages.emplace_back(Tap{std::move(hook)});
    return compile(std::move(stages), stream);
}

}  // namespace survey

int main() {
    using namespace survey;
    constexpr int kRounds = 4;
    cudaStream_t stream = nullptr;
    cudaError_t err = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int wrongA = 0, wrongB = 0, passesA = 0, passesB = 0;
    {
        PinnedPool pool(4);
        std::optional<Compiled> a = build(pool, stream, {2.0f, 1.0f}, [&passesA] { ++passesA; });
        std::optional<Compiled> b = build(pool, stream, {3.0f, -1.0f}, [&passesB] { ++passesB; });
        if (!a || !b) {
            std::puts("LABEL UNOBSERVED");
            return 1;
        }
        std::vector<float> outA(kSamples), outB(kSamples);
        const auto keep = [&err](cudaError_t e) { err = err == cudaSuccess ? e : err; };
        for (int round = 0; round < kRounds; ++round) {
            for (int i = 0; i < kSamples; ++i) a->input[i] = static_cast<float>(i + round);
            for (int i = 0; i < kSamples; ++i) b->input[i] = static_cast<float>(5000 - i * (round + 1));
            keep(cudaGraphLaunch(a->exec, stream));
            keep(cudaGraphLaunch(b->exec, stream));
            keep(cudaMemcpyAsync(outA.data(), a->device, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream));
            keep(cudaMemcpyAsync(outB.data(), b->device, kSamples * sizeof(float), cudaMemcpyDeviceToHost, stream));
            keep(cudaStreamSynchronize(stream));
            for (int i = 0; i < kSamples; ++i) {
                wrongA += outA[i] != (i + round) * 2.0f + 1.0f;
                wrongB += outB[i] != (5000 - i * (round + 1)) * 3.0f - 1.0f;
            }
        }
    }
    if (err == cudaSuccess) err = cudaStreamDestroy(stream);
    std::printf("%s, wrong %d / %d, passes %d / %d\n", cudaGetErrorName(err), wrongA, wrongB, passesA, passesB);
    const bool confirmed = err == cudaSuccess && wrongA + wrongB == 0 && passesA == kRounds && passesB == kRounds;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
