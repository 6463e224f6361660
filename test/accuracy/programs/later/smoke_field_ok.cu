// Game effect: smoke that spreads over a ring of cells. Header-only double buffer; each frame replays the spread
// and then flips the buffer.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace fx {

inline void must(cudaError_t e, const char* what)
{
    if (e == cudaSuccess) return;
    std::printf("LABEL NOT CONFIRMED: %s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}

template <class T>
class DoubleBuffer {
public:
    explicit DoubleBuffer(int cells) : cells_(cells)
    {
        for (T*& side : sides_) {
            must(cudaMalloc(&side, cells * sizeof(T)), "cell buffer");
            must(cudaMemset(side, 0, cells * sizeof(T)), "clear");
        }
    }
    ~DoubleBuffer()
    {
        for (T* side : sides_) cudaFree(side);
    }
    DoubleBuffer(const DoubleBuffer&) = delete;
    DoubleBuffer& operator=(const DoubleBuffer&) = delete;

    T* front() const { return sides_[which_]; }
    T* back() const { return sides_[1 - which_]; }
    int parity() const { return which_; }
    int cells() const { return cells_; }
    void flip() { which_ = 1 - which_; }

private:
    T* sides_[2] = {};
    int which_ = 0;
    int cells_;
};

template <class T>
__global__ void spread(const T* from, T* to, int cells)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    const int l = (i + cells - 1) % cells, r = (i + 1) % cells;
    to[i] = from[i] / 2 + from[l] / 4 + from[r] / 4;
}

template <class Record>
cudaGraphExec_t bake(cudaStream_t stream, Record&& record)
{
    cudaGraph_t graph{};
    cudaGraphExec_t exec{};
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "begin");
    record(stream);
    must(cudaStreamEndCapture(stream, &graph), "end");
    must(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    must(cudaGraphDestroy(graph), "destroy");
    return exec;
}

class Smoke {
public:
    explicit Smoke(int cells) : field_(cells) { must(cudaStreamCreate(&stream_), "stream"); }
    ~Smoke()
    {
        for (cudaGraphExec_t exec : frames_)
            if (exec) cudaGraphExecDestroy(exec);
        cudaStreamDestroy(stream_);
    }

    void puff(int cell, float amount)
    {
        must(cudaMemcpy(field_.front() + cell, &amount, sizeof amount, cudaMemcpyHostToDevice), "puff");
    }

    void step()
    {
        cudaGraphExec_t& frame = frames_[field_.parity()];
        if (!frame) {
            frame = bake(stream_, [this](cudaStream_t s) {
                const int n = field_.cells();
                spread<<<(n + 63) / 64, 64, 0, s>>>(field_.front(), field_.back(), n);
            });
        }
        must(cudaGraphLaunch(frame, stream_), "launch");
        field_.flip();
    }

    std::vector<float> cells()
    {
        std::vector<float> out(field_.cells());
        must(cudaStreamSynchronize(stream_), "wait");
        must(cudaMemcpy(out.data(), field_.front(), out.size() * sizeof(float), cudaMemcpyDeviceToHost), "read");
        return out;
    }

private:
    DoubleBuffer<float> field_;
    cudaStream_t stream_{};
    cudaGraphExec_t frames_[2]{};  // one per direction of the buffer
};

}  // namespace fx

int main()
{
    constexpr int n = 200;
    fx::Smoke smoke(n);
    smoke.puff(17, 8.0f);
    std::vector<float> model(n, 0.0f), next(n);
    model[17] = 8.0f;

    int right = 0, wrong = 0;
    for (int frame = 0; frame < 8; ++frame) {
        smoke.step();
        for (int i = 0; i < n; ++i) next[i] = model[i] / 2 + model[(i + n - 1) % n] / 4 + model[(i + 1) % n] / 4;
        model.swap(next);
        const auto seen = smoke.cells();
        bool same = true;
        for (int i = 0; i < n; ++i) same = same && std::fabs(seen[i] - model[i]) < 1e-5f;
        (same ? right : wrong)++;
    }
    std::printf("frames right %d, wrong %d\n", right, wrong);
    const bool confirmed = right == 8;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL NOT CONFIRMED: other frames than expected");
    return confirmed ? 0 : 1;
}
