// cell_automaton: one-dimensional cellular automata.  The rule is a CRTP model, the boundary is a policy, and the
// Replay driver unrolls a fixed number of generations into a graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ca {

inline void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

struct DeviceFree {
    void operator()(void* p) const { cudaFree(p); }
};
using Row = std::unique_ptr<unsigned char[], DeviceFree>;

inline Row make_row(int n) {
    unsigned char* p = nullptr;
    check(cudaMalloc(&p, n), "row");
    return Row(p);
}

// ---- boundary policies ----
struct Periodic {
    __host__ __device__ static int index(int i, int n) { return i < 0 ? i + n : (i >= n ? i - n : i); }
};
struct Clamped {
    __host__ __device__ static int index(int i, int n) { return i < 0 ? 0 : (i >= n ? n - 1 : i); }
};

template <class Model, class Boundary>
__global__ void generation(const unsigned char* src, unsigned char* dst, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = Model::next(src[Boundary::index(i - 1, n)], src[i], src[Boundary::index(i + 1, n)]);
}

// ---- CRTP base: owns the two rows and knows how to advance by one generation ----
template <class Derived, class Boundary>
class Automaton {
public:
    explicit Automaton(int cells) : cells_(cells), now_(make_row(cells)), then_(make_row(cells)) {}

    void load(const std::vector<unsigned char>& seed, cudaStream_t s) {
        check(cudaMemcpyAsync(now_.get(), seed.data(), cells_, cudaMemcpyHostToDevice, s), "load");
        check(cudaStreamSynchronize(s), "load");
    }

    void advance(cudaStream_t s) {
        generation<Derived, Boundary><<<(cells_ + 255) / 256, 256, 0, s>>>(now_.get(), then_.get(), cells_);
        std::swap(now_, then_);
    }

    std::vector<unsigned char> snapshot(cudaStream_t s) const {
        std::vector<unsigned char> out(cells_);
        check(cudaMemcpyAsync(out.data(), now_.get(), cells_, cudaMemcpyDeviceToHost, s), "snapshot");
        check(cudaStreamSynchronize(s), "snapshot");
        return out;
    }

    static void advance_host(std::vector<unsigned char>& row) {
        std::vector<unsigned char> next(row.size());
        const int n = static_cast<int>(row.size());
        for (int i = 0; i < n; ++i)
            next[i] = Derived::next(row[Boundary::index(i - 1, n)], row[i], row[Boundary::index(i + 1, n)]);
        row.swap(next);
    }

private:
    int cells_;
    Row now_, then_;
};

template <unsigned Code, class Boundary = Periodic>
struct Wolfram : Automaton<Wolfram<Code, Boundary>, Boundary> {
    using Automaton<Wolfram<Code, Boundary>, Boundary>::Automaton;
    __host__ __device__ static unsigned char next(int l, int c, int r) { return (Code >> (l * 4 + c * 2 + r)) & 1u; }
};

// ---- records `Generations` steps of a model; each replay() continues where the last one stopped ----
template <class Model, int Generations>
class Replay {
    static_assert(Generations > 0, "nothing to record");
    // After an even number of swaps the model's rows are back in the roles that the recorded kernels expect.
    static_assert(Generations % 2 == 0, "rows must return to their roles within one replay");

public:
    Replay(Model& model, cudaStream_t s) : stream_(s) {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin capture");
        for (int g = 0; g < Generations; ++g) model.advance(s);
        check(cudaStreamEndCapture(s, &graph), "end capture");
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        check(made, "instantiate");
    }
    ~Replay() { cudaGraphExecDestroy(exec_); }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    void replay() { check(cudaGraphLaunch(exec_, stream_), "launch"); }
    static constexpr int generations() { return Generations; }

private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace ca

namespace {

constexpr int kUnroll = 6;

// Returns the number of replays after which the device row disagrees with the host row.
template <class Model>
int mismatches(int cells, int replays, cudaStream_t s) {
    std::vector<unsigned char> row(cells);
    unsigned lcg = 12345u;
    for (auto& c : row) c = (lcg = lcg * 1664525u + 1013904223u) >> 31;

    Model model(cells);
    model.load(row, s);
    ca::Replay<Model, kUnroll> steps(model, s);

    int bad = 0;
    for (int r = 0; r < replays; ++r) {
        steps.replay();
        for (int g = 0; g < steps.generations(); ++g) Model::advance_host(row);
        bad += model.snapshot(s) != row;
    }
    return bad;
}

}  // namespace

int main() {
    bool failed = false;
    int bad = 0;
    cudaStream_t s = nullptr;
    try {
        ca::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
        bad += mismatches<ca::Wolfram<110>>(5000, 4, s);
        bad += mismatches<ca::Wolfram<30, ca::Clamped>>(1337, 4, s);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        failed = true;
    }
    if (s) cudaStreamDestroy(s);
    std::printf("mismatching replays: %d\n", bad);
    std::puts(!failed && bad == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
