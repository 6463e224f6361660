// Explicit heat equation on a rod. One time step per graph launch.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

static void must(cudaError_t rc, int line) {
    if (rc != cudaSuccess) throw std::runtime_error("line " + std::to_string(line) + ": " + cudaGetErrorName(rc));
}
#define MUST(x) must((x), __LINE__)

__global__ void diffuse(const float* u, float* v, int n, float r) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    v[i] = (i == 0 || i == n - 1) ? u[i] : u[i] + r * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
}

struct FreeDevice {
    void operator()(float* p) const { cudaFree(p); }
};
using Field = std::unique_ptr<float, FreeDevice>;

static Field makeField(int n) {
    float* p = nullptr;
    MUST(cudaMalloc(&p, n * sizeof(float)));
    return Field(p);
}

class GraphExec {
public:
    GraphExec() = default;
    explicit GraphExec(cudaGraph_t g) { MUST(cudaGraphInstantiate(&exec_, g, 0)); }
    GraphExec(GraphExec&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
    GraphExec& operator=(GraphExec&& o) noexcept {
        std::swap(exec_, o.exec_);
        return *this;
    }
    ~GraphExec() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    void launch(cudaStream_t s) const { MUST(cudaGraphLaunch(exec_, s)); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

class HeatRod {
public:
    HeatRod(const std::vector<float>& initial, float r)
        : n_(int(initial.size())), r_(r), front_(makeField(n_)), back_(makeField(n_)) {
        MUST(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        MUST(cudaMemcpyAsync(front_.get(), initial.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
        MUST(cudaStreamSynchronize(stream_));
        exec_[0] = record(front_.get(), back_.get());
        exec_[1] = record(back_.get(), front_.get());
    }
    ~HeatRod() { cudaStreamDestroy(stream_); }

    void advance(int steps) {
        for (int k = 0; k < steps; ++k) {
            exec_[parity_].launch(stream_);
            std::swap(front_, back_);
            parity_ ^= 1u;
        }
        MUST(cudaStreamSynchronize(stream_));
    }

    std::vector<float> temperature() const {
        std::vector<float> out(n_);
        MUST(cudaMemcpy(out.data(), front_.get(), n_ * sizeof(float), cudaMemcpyDeviceToHost));
        return out;
    }

private:
    cudaError_t sweep(const float* from, float* to) const {
        diffuse<<<(n_ + 63) / 64, 64, 0, stream_>>>(from, to, n_, r_);
        return cudaGetLastError();
    }

    GraphExec record(const float* from, float* to) const {
        cudaGraph_t graph = nullptr;
        MUST(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        const cudaError_t launched = sweep(from, to);
        MUST(cudaStreamEndCapture(stream_, &graph));
        std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> hold(graph, &cudaGraphDestroy);
        MUST(launched);
        return GraphExec(graph);
    }

    const int n_;
    const float r_;
    Field front_, back_;
    cudaStream_t stream_ = nullptr;
    std::array<GraphExec, 2> exec_;
    unsigned parity_ = 0;
};

static std::vector<float> reference(std::vector<float> u, float r, int steps) {
    for (int k = 0; k < steps; ++k) {
        std::vector<float> v = u;
        for (std::size_t i = 1; i + 1 < u.size(); ++i) v[i] = u[i] + r * (u[i - 1] - 2.0f * u[i] + u[i + 1]);
        u.swap(v);
    }
    return u;
}

int main() {
    try {
        std::vector<float> rod(256, 0.0f);
        rod[100] = 100.0f;
        HeatRod solver(rod, 0.25f);
        float worst = 0.0f;
        int done = 0;
        for (int steps : {1, 4, 7}) {
            solver.advance(steps);
            done += steps;
            const auto expected = reference(rod, 0.25f, done);
            const auto got = solver.temperature();
            for (std::size_t i = 0; i < rod.size(); ++i) worst = std::fmax(worst, std::fabs(expected[i] - got[i]));
        }
        std::printf("worst error %g\n", worst);
        std::puts(worst < 1e-3f ? "LABEL CONFIRMED" : "LABEL REFUTED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
    }
    return 0;
}
