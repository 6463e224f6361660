#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rd {

inline void throw_if(cudaError_t e, const char* op) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(op) + " failed: " + cudaGetErrorName(e));
}

template <typename F>
class scope_exit {
public:
    explicit scope_exit(F f) : f_(std::move(f)) {}
    ~scope_exit() { f_(); }
    scope_exit(const scope_exit&) = delete;
    scope_exit& operator=(const scope_exit&) = delete;

private:
    F f_;
};

template <typename Cell>
class double_buffer {
public:
    explicit double_buffer(int n) : n_(n) {
        throw_if(cudaMalloc(&front_, n * sizeof(Cell)), "cudaMalloc");
        throw_if(cudaMalloc(&back_, n * sizeof(Cell)), "cudaMalloc");
    }
    ~double_buffer() {
        cudaFree(front_);
        cudaFree(back_);
    }
    double_buffer(const double_buffer&) = delete;
    double_buffer& operator=(const double_buffer&) = delete;
    Cell* front() const { return front_; }
    Cell* back() const { return back_; }
    int size() const { return n_; }
    void flip() { std::swap(front_, back_); }

private:
    Cell* front_ = nullptr;
    Cell* back_ = nullptr;
    int n_;
};

struct gray_scott {
    using cell = float2;
    float du = 0.16f, dv = 0.08f, feed = 0.035f, kill = 0.065f;

    __host__ __device__ float2 operator()(float2 l, float2 c, float2 r) const {
        const float uvv = c.x * c.y * c.y;
        float2 o;
        o.x = c.x + du * (l.x - 2 * c.x + r.x) - uvv + feed * (1 - c.x);
        o.y = c.y + dv * (l.y - 2 * c.y + r.y) + uvv - (feed + kill) * c.y;
        return o;
    }
};

template <typename Model>
__global__ void update(Model model, const typename Model::cell* in, typename Model::cell* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = model(in[i == 0 ? n - 1 : i - 1], in[i], in[i == n - 1 ? 0 : i + 1]);
}

template <typename Model, int Substeps>
class simulation {
    using cell = typename Model::cell;

public:
    simulation(Model model, const std::vector<cell>& initial)
        : model_(model), field_(static_cast<int>(initial.size())) {
        throw_if(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        throw_if(cudaMemcpyAsync(field_.front(), initial.data(), initial.size() * sizeof(cell),
                                 cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
        throw_if(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }
    ~simulation() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void advance() {
        if (!exec_) record();
        throw_if(cudaGraphLaunch(exec_, stream_), "cudaGraphLaunch");
    }

    std::vector<cell> snapshot() const {
        std::vector<cell> host(field_.size());
        throw_if(cudaMemcpyAsync(host.data(), field_.front(), host.size() * sizeof(cell),
                                 cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
        throw_if(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        return host;
    }

private:
    void substeps() {
        const int n = field_.size();
        for (int k = 0; k < Substeps; ++k) {
            update<Model><<<(n + 127) / 128, 128, 0, stream_>>>(model_, field_.front(), field_.back(), n); // HAZARD host_logic #1
            throw_if(cudaGetLastError(), "update");
            field_.flip(); // HAZARD host_logic #1
        }
    }

    void record() {
        cudaGraph_t graph = nullptr;
        scope_exit drop([&] { if (graph) cudaGraphDestroy(graph); });
        throw_if(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        cudaError_t ended = cudaSuccess;
        {
            scope_exit finish([&] { ended = cudaStreamEndCapture(stream_, &graph); });
            substeps();
        }
        throw_if(ended, "cudaStreamEndCapture");
        throw_if(cudaGraphInstantiate(&exec_, graph, 0), "cudaGraphInstantiate");
    }

    Model model_;
    double_buffer<cell> field_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

} // namespace rd

int main() {
    try {
        constexpr int n = 1000;
        constexpr int substeps = 5;
        std::vector<float2> cells(n, make_float2(1.0f, 0.0f));
        for (int i = 480; i < 520; ++i) cells[i] = make_float2(0.5f, 0.5f);
        rd::gray_scott model;
        rd::simulation<rd::gray_scott, substeps> sim(model, cells);

        std::vector<float2> next(n);
        float worst = 0;
        for (int round = 0; round < 10; ++round) {
            sim.advance();
            for (int k = 0; k < substeps; ++k) {
                for (int i = 0; i < n; ++i) next[i] = model(cells[(i + n - 1) % n], cells[i], cells[(i + 1) % n]);
                std::swap(cells, next);
            }
            const std::vector<float2> got = sim.snapshot();
            for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(got[i].y - cells[i].y));
        }
        std::printf("worst difference %g\n", worst);
        std::puts(worst > 1e-2f ? "LABEL CONFIRMED" : "LABEL REFUTED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
    }
    return 0;
}
