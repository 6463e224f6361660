// Compile-time pipeline of processing stages replayed as one graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pipe {

struct Context {
    float* data;
    int count;
    cudaStream_t stream;
};

template <class T, class = void>
struct is_stage : std::false_type {};
template <class T>
struct is_stage<T, std::void_t<decltype(std::declval<T&>().enqueue(std::declval<Context&>()))>> : std::true_type {};

__global__ void scaleKernel(float* d, int n, float gain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] *= gain;
}

__global__ void offsetKernel(float* d, int n, float offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] += offset;
}

class Scale {
public:
    void setGain(float g) { gain_ = g; }
    void enqueue(Context& c) {
        scaleKernel<<<(c.count + 255) / 256, 256, 0, c.stream>>>(c.data, c.count, gain_);  // HAZARD frozen
    }

private:
    float gain_ = 1.0f;
};

template <int Num, int Den = 1>
struct Offset {
    void enqueue(Context& c) {
        constexpr float value = float(Num) / float(Den);
        offsetKernel<<<(c.count + 255) / 256, 256, 0, c.stream>>>(c.data, c.count, value);
    }
};

class Meter {
public:
    void enqueue(Context& c) {
        blocks_ += 1;  // HAZARD host_logic
        (void)c;
    }
    long blocks() const { return blocks_; }

private:
    long blocks_ = 0;
};

template <class... Stages>
class Pipeline {
    static_assert((is_stage<Stages>::value && ...), "every stage needs enqueue(Context&)");

public:
    explicit Pipeline(int count) : ctx_{nullptr, count, nullptr} {
        status_ = cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking);
        if (status_ == cudaSuccess) status_ = cudaMalloc(&ctx_.data, count * sizeof(float));
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    ~Pipeline() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(ctx_.stream);
        cudaFree(ctx_.data);
    }

    template <class S>
    S& stage() { return std::get<S>(stages_); }

    bool process(float* block) {
        const size_t bytes = ctx_.count * sizeof(float);
        return ready() && run(cudaMemcpyAsync(ctx_.data, block, bytes, cudaMemcpyHostToDevice, ctx_.stream)) &&
               run(cudaGraphLaunch(exec_, ctx_.stream)) &&
               run(cudaMemcpyAsync(block, ctx_.data, bytes, cudaMemcpyDeviceToHost, ctx_.stream)) &&
               run(cudaStreamSynchronize(ctx_.stream));
    }
    cudaError_t status() const { return status_; }

private:
    bool run(cudaError_t e) {
        if (e != cudaSuccess) status_ = e;
        return e == cudaSuccess;
    }
    bool ready() { return exec_ != nullptr || compile(); }
    bool compile() {
        cudaGraph_t graph = nullptr;
        if (!run(cudaStreamBeginCapture(ctx_.stream, cudaStreamCaptureModeThreadLocal))) return false;
        std::apply([this](auto&... s) { (s.enqueue(ctx_), ...); }, stages_);
        if (!run(cudaStreamEndCapture(ctx_.stream, &graph))) return false;
        const bool built = run(cudaGraphInstantiate(&exec_, graph, 0));
        cudaGraphDestroy(graph);
        return built;
    }

    Context ctx_;
    std::tuple<Stages...> stages_;
    cudaGraphExec_t exec_ = nullptr;
    cudaError_t status_ = cudaSuccess;
};

}  // namespace pipe

int main() {
    constexpr int kCount = 1000;
    static float block[kCount];
    pipe::Pipeline<pipe::Scale, pipe::Offset<1, 2>, pipe::Meter> chain(kCount);
    const float gains[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    float got[4] = {0, 0, 0, 0};
    bool fine = true;
    for (int k = 0; k < 4 && fine; ++k) {
        for (float& v : block) v = 1.0f;
        chain.stage<pipe::Scale>().setGain(gains[k]);
        fine = chain.process(block);
        got[k] = block[kCount - 1];
    }
    const long blocks = chain.stage<pipe::Meter>().blocks();
    if (fine && got[0] == 1.5f && got[3] == 1.5f && blocks == 1)
        std::printf("LABEL CONFIRMED\n");
    else
        std::printf("LABEL REFUTED %s last=%g blocks=%ld\n", cudaGetErrorName(chain.status()), got[3], blocks);
    return 0;
}
