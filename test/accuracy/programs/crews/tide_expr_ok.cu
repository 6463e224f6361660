// Water level prediction with a small expression-template library for device vectors.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace dx {

// ---- fixed-capacity container, usable on both sides -------------------------------------------------------------
template <class T, std::size_t Capacity>
class static_vector {
public:
    __host__ __device__ std::size_t size() const { return size_; }
    __host__ __device__ const T& operator[](std::size_t i) const { return data_[i]; }
    __host__ __device__ T& operator[](std::size_t i) { return data_[i]; }
    bool push_back(const T& v) {
        if (size_ == Capacity) return false;
        data_[size_++] = v;
        return true;
    }

private:
    T data_[Capacity] = {};
    std::size_t size_ = 0;
};

// ---- expressions ------------------------------------------------------------------------------------------------
template <class Derived>
struct expr {
    __host__ __device__ const Derived& self() const { return static_cast<const Derived&>(*this); }
};

struct literal : expr<literal> {
    int value;
    __host__ __device__ explicit literal(int v) : value(v) {}
    __device__ int at(int) const { return value; }
};

struct column : expr<column> {
    const int* data;
    explicit column(const int* d) : data(d) {}
    __device__ int at(int i) const { return data[i]; }
};

// Reads one element of device memory, the same for every lane.
struct cell : expr<cell> {
    const int* data;
    explicit cell(const int* d) : data(d) {}
    __device__ int at(int) const { return *data; }
};

template <class L, class R>
struct sum : expr<sum<L, R>> {
    L l;
    R r;
    sum(const L& a, const R& b) : l(a), r(b) {}
    __device__ int at(int i) const { return l.at(i) + r.at(i); }
};

template <class L, class R>
struct product : expr<product<L, R>> {
    L l;
    R r;
    product(const L& a, const R& b) : l(a), r(b) {}
    __device__ int at(int i) const { return l.at(i) * r.at(i); }
};

template <class L, class R>
sum<L, R> operator+(const expr<L>& l, const expr<R>& r) {
    return {l.self(), r.self()};
}
template <class L, class R>
product<L, R> operator*(const expr<L>& l, const expr<R>& r) {
    return {l.self(), r.self()};
}

struct harmonic {
    int amplitude;
    int period;
};

using harmonic_set = static_vector<harmonic, 6>;

__host__ __device__ inline int evaluate(const harmonic_set& set, int t) {
    int level = 0;
    for (std::size_t k = 0; k < set.size(); ++k) level += set[k].amplitude * (t % set[k].period);
    return level;
}

// Sum of sawtooth constituents.
struct constituents : expr<constituents> {
    const harmonic_set* set;  // device memory
    explicit constituents(const harmonic_set* s) : set(s) {}
    __device__ int at(int i) const { return evaluate(*set, i); }
};

template <class E>
__global__ void assign_kernel(int* out, E e, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = e.at(i);
}

template <class E>
cudaError_t assign(int* out, const expr<E>& e, int n, cudaStream_t stream) {
    assign_kernel<E><<<(n + 127) / 128, 128, 0, stream>>>(out, e.self(), n);
    return cudaGetLastError();
}

// Runs a recording functor under capture and keeps the executable graph.
class replayable {
public:
    replayable() = default;
    replayable(const replayable&) = delete;
    replayable& operator=(const replayable&) = delete;
    ~replayable() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    template <class F>
    cudaError_t record(cudaStream_t stream, F&& body) {
        cudaError_t rc = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) return rc;
        const cudaError_t recorded = body(stream);
        cudaGraph_t graph = nullptr;
        rc = cudaStreamEndCapture(stream, &graph);
        if (rc == cudaSuccess) rc = recorded;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        return rc;
    }
    cudaError_t operator()(cudaStream_t stream) const { return cudaGraphLaunch(exec_, stream); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace dx

namespace {

constexpr int kSamples = 1440;
constexpr int kCentimetres = 10;
cudaError_t g_first = cudaSuccess;

void note(cudaError_t rc) {
    if (rc != cudaSuccess && g_first == cudaSuccess) g_first = rc;
}

// What the hydrographer can edit between two predictions; one page-locked block, mirrored on the device.
struct station_state {
    dx::harmonic_set tide;
    int surge;
};

}  // namespace

int main() {
    cudaStream_t stream = nullptr;
    int *offset = nullptr, *level = nullptr;
    note(cudaStreamCreate(&stream));
    note(cudaMalloc(&offset, kSamples * sizeof(int)));
    note(cudaMalloc(&level, kSamples * sizeof(int)));
    std::vector<int> bed(kSamples), got(kSamples);
    for (int i = 0; i < kSamples; ++i) bed[i] = i % 13;
    note(cudaMemcpy(offset, bed.data(), kSamples * sizeof(int), cudaMemcpyHostToDevice));

    station_state *state = nullptr, *dState = nullptr;
    note(cudaMallocHost(&state, sizeof(station_state)));
    note(cudaMalloc(&dState, sizeof(station_state)));
    if (g_first != cudaSuccess) {
        std::puts("LABEL UNOBSERVED");
        return 0;
    }
    *state = station_state{};
    dx::harmonic_set& tide = state->tide;
    tide.push_back({3, 12});
    tide.push_back({1, 25});
    int& surge = state->surge;
    surge = 2;

    bool right[4] = {};
    {
        dx::replayable predict;
        note(predict.record(stream, [&](cudaStream_t s) {
            const cudaError_t rc = cudaMemcpyAsync(dState, state, sizeof(station_state), cudaMemcpyHostToDevice, s);
            if (rc != cudaSuccess) return rc;
            const dx::constituents astronomical(&dState->tide);
            const dx::cell weather(&dState->surge);
            const dx::column datum(offset);
            const dx::literal unit(kCentimetres);
            return dx::assign(level, (astronomical + weather) * unit + datum, kSamples, s);
        }));
        for (int run = 0; run < 4 && g_first == cudaSuccess; ++run) {
            if (run == 2) surge = 9;
            if (run == 3) tide.push_back({4, 7});
            note(predict(stream));
            note(cudaStreamSynchronize(stream));
            note(cudaMemcpy(got.data(), level, kSamples * sizeof(int), cudaMemcpyDeviceToHost));
            right[run] = true;
            for (int i = 0; i < kSamples; ++i) {
                if (got[i] != (dx::evaluate(tide, i) + surge) * kCentimetres + bed[i]) right[run] = false;
            }
        }
    }
    note(cudaFree(offset));
    note(cudaFree(level));
    note(cudaFree(dState));
    note(cudaFreeHost(state));
    note(cudaStreamDestroy(stream));
    std::printf("right: %d %d %d %d, status %s\n", right[0], right[1], right[2], right[3], cudaGetErrorName(g_first));
    const bool confirmed = g_first == cudaSuccess && right[0] && right[1] && right[2] && right[3];
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
