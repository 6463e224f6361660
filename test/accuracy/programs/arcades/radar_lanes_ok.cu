// lanes: compile-time lane sets for graph programs. Example program: pulse compression with a
// constant-false-alarm detector whose noise floor is estimated on a second lane.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace lanes {

inline void must(cudaError_t e, const char* expr, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, expr, cudaGetErrorString(e));
    std::printf("LABEL WRONG\n");
    std::exit(1);
}
#define MUST(x) ::lanes::must((x), #x, __LINE__)

// Position of a lane that other lanes can wait for.
template <std::size_t Lane>
struct Marker {
    cudaEvent_t event;
};

template <std::size_t N>
class LaneSet {
    static_assert(N >= 2, "a lane set has a main lane and at least one side lane");

public:
    LaneSet() {
        for (auto& s : streams_) MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    }
    ~LaneSet() {
        for (auto e : events_) cudaEventDestroy(e);
        for (auto s : streams_) cudaStreamDestroy(s);
    }
    LaneSet(const LaneSet&) = delete;
    LaneSet& operator=(const LaneSet&) = delete;

    static constexpr std::size_t count = N;

    template <std::size_t I>
    cudaStream_t get() const {
        static_assert(I < N, "no such lane");
        return streams_[I];
    }

    template <std::size_t I>
    Marker<I> mark() {
        cudaEvent_t event = nullptr;
        MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        events_.push_back(event);
        MUST(cudaEventRecord(event, get<I>()));
        return Marker<I>{event};
    }

    template <std::size_t To, std::size_t From>
    void after(const Marker<From>& m) {
        static_assert(To != From, "a lane is always ordered after itself");
        MUST(cudaStreamWaitEvent(get<To>(), m.event, 0));
    }

private:
    std::array<cudaStream_t, N> streams_{};
    std::vector<cudaEvent_t> events_;
};

// Side lanes start after the main lane and are joined when the scope ends.
template <std::size_t N>
class ForkScope {
public:
    explicit ForkScope(LaneSet<N>& set) : set_(set) { fork(Sides{}); }
    ~ForkScope() { join(Sides{}); }
    ForkScope(const ForkScope&) = delete;
    ForkScope& operator=(const ForkScope&) = delete;

private:
    using Sides = std::make_index_sequence<N - 1>;
    template <std::size_t... I>
    void fork(std::index_sequence<I...>) {
        const auto start = set_.template mark<0>();
        (set_.template after<I + 1>(start), ...);
    }
    template <std::size_t... I>
    void join(std::index_sequence<I...>) {
        (set_.template after<0>(set_.template mark<I + 1>()), ...);
    }
    LaneSet<N>& set_;
};

// Base of a captured program; Derived provides prologue, body and epilogue.
template <class Derived, std::size_t N>
class Program {
public:
    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { unload(); }

    void compile() {
        cudaGraph_t graph = nullptr;
        const cudaStream_t main = set_.template get<0>();
        MUST(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
        derived().prologue(main);
        {
            ForkScope<N> fork(set_);
            derived().body(set_);
        }
        derived().epilogue(main);
        MUST(cudaStreamEndCapture(main, &graph));
        MUST(cudaGraphInstantiate(&exec_, graph, 0));
        MUST(cudaGraphDestroy(graph));
    }
    void replay() {
        MUST(cudaGraphLaunch(exec_, set_.template get<0>()));
        MUST(cudaStreamSynchronize(set_.template get<0>()));
    }

protected:
    void unload() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }
    LaneSet<N> set_;

private:
    Derived& derived() { return static_cast<Derived&>(*this); }
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace lanes

namespace radar {

struct Layout {
    static constexpr int cells = 3072;
    static constexpr int guard = 512;
    static constexpr int threshold = 4;
    static constexpr long long integrationCycles = 20000000;
};

__global__ void matchedFilter(const int* echo, int* compressed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int acc = 0;
    for (int k = 0; k < 4 && i + k < n; ++k) acc += (k & 1 ? -1 : 1) * echo[i + k];
    compressed[i] = acc;
}

__global__ void estimateFloor(const int* echo, int guard, int* floor, long long integration) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const long long start = clock64();
    while (clock64() - start < integration) {
    }
    for (int i = threadIdx.x; i < guard; i += blockDim.x) atomicAdd(&sum, abs(echo[i]));
    __syncthreads();
    if (threadIdx.x == 0) *floor = sum / guard;
}

__global__ void detect(const int* compressed, const int* floor, int* hits, int n, int threshold) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) hits[i] = abs(compressed[i]) > threshold * *floor ? 1 : 0;
}

template <class L>
class DetectorProgram : public lanes::Program<DetectorProgram<L>, 2> {
    using Base = lanes::Program<DetectorProgram<L>, 2>;
    friend Base;

public:
    DetectorProgram() {
        MUST(cudaMalloc(&echo_, 3 * kBytes + sizeof(int)));
        compressed_ = echo_ + L::cells;
        hits_ = compressed_ + L::cells;
        floor_ = hits_ + L::cells;
        MUST(cudaMallocHost(&antenna_, kBytes));
        MUST(cudaMallocHost(&plot_, kBytes));
        MUST(cudaMemsetAsync(floor_, 0, sizeof(int), this->set_.template get<0>()));
        MUST(cudaStreamSynchronize(this->set_.template get<0>()));
    }
    ~DetectorProgram() {
        this->unload();
        cudaFree(echo_);
        cudaFreeHost(antenna_);
        cudaFreeHost(plot_);
    }
    int* antenna() { return antenna_; }
    const int* plot() const { return plot_; }

private:
    static constexpr size_t kBytes = L::cells * sizeof(int);
    static constexpr int kBlocks = (L::cells + 255) / 256;

    void prologue(cudaStream_t s) { MUST(cudaMemcpyAsync(echo_, antenna_, kBytes, cudaMemcpyHostToDevice, s)); }

    template <class Set>
    void body(Set& set) {
        estimateFloor<<<1, 256, 0, set.template get<1>()>>>(echo_, L::guard, floor_, L::integrationCycles);
        MUST(cudaGetLastError());
        const auto floorReady = set.template mark<1>();
        matchedFilter<<<kBlocks, 256, 0, set.template get<0>()>>>(echo_, compressed_, L::cells);
        MUST(cudaGetLastError());
        set.template after<0>(floorReady);
        detect<<<kBlocks, 256, 0, set.template get<0>()>>>(compressed_, floor_, hits_, L::cells, L::threshold);
        MUST(cudaGetLastError());
    }

    void epilogue(cudaStream_t s) { MUST(cudaMemcpyAsync(plot_, hits_, kBytes, cudaMemcpyDeviceToHost, s)); }

    int *echo_ = nullptr, *compressed_ = nullptr, *hits_ = nullptr, *floor_ = nullptr;
    int *antenna_ = nullptr, *plot_ = nullptr;
};

void receive(int* antenna, int pulse) {
    const int gain = 1 + 3 * pulse;
    for (int i = 0; i < Layout::cells; ++i) {
        int v = (i * 31 + pulse * 7) % 41 - 20;
        if (i % 97 == 50) v += 150;
        antenna[i] = v * gain;
    }
}

int countFalse(const int* echo, const int* plot) {
    int sum = 0, wrong = 0;
    for (int i = 0; i < Layout::guard; ++i) sum += std::abs(echo[i]);
    const int floor = sum / Layout::guard;
    for (int i = 0; i < Layout::cells; ++i) {
        int acc = 0;
        for (int k = 0; k < 4 && i + k < Layout::cells; ++k) acc += (k & 1 ? -1 : 1) * echo[i + k];
        if (plot[i] != (std::abs(acc) > Layout::threshold * floor ? 1 : 0)) ++wrong;
    }
    return wrong;
}

}  // namespace radar

int main() {
    constexpr int kPulses = 5;
    radar::DetectorProgram<radar::Layout> program;
    program.compile();
    int wrongPulses = 0;
    for (int p = 0; p < kPulses; ++p) {
        radar::receive(program.antenna(), p);
        program.replay();
        const int wrong = radar::countFalse(program.antenna(), program.plot());
        std::printf("pulse %d: %d cells differ\n", p, wrong);
        if (wrong) ++wrongPulses;
    }
    std::printf(wrongPulses == 0 ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
