// Column expressions evaluated lazily on the device: `assign(dst, a * b - c)` builds one kernel out of the whole
// expression. Header-only in the original project; the example program is appended at the end of this file.
#include <cuda_runtime.h>
#include <cmath>
#include <stdexcept>
#include <cstdio>
#include <vector>

namespace lc {

inline void must(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// ---- expression nodes ------------------------------------------------------------------------------------------
template <class D>
struct Node {
    __host__ __device__ const D& self() const { return static_cast<const D&>(*this); }
};

struct Load : Node<Load> {
    const float* data;
    explicit Load(const float* p) : data(p) {}
    __device__ float operator()(int i) const { return data[i]; }
};

struct Literal : Node<Literal> {
    float value;
    explicit Literal(float v) : value(v) {}
    __device__ float operator()(int) const { return value; }
};

struct Mul { __device__ static float apply(float a, float b) { return a * b; } };
struct Sub { __device__ static float apply(float a, float b) { return a - b; } };

template <class Op, class L, class R>
struct Binary : Node<Binary<Op, L, R>> {
    L left;
    R right;
    Binary(const L& l, const R& r) : left(l), right(r) {}
    __device__ float operator()(int i) const { return Op::apply(left(i), right(i)); }
};

template <class L, class R>
Binary<Mul, L, R> operator*(const Node<L>& l, const Node<R>& r) { return {l.self(), r.self()}; }
template <class L, class R>
Binary<Sub, L, R> operator-(const Node<L>& l, const Node<R>& r) { return {l.self(), r.self()}; }

// ---- storage: all columns of a frame share one row count, their memory is reserved up front ---------------------
class Frame {
public:
    Frame(int capacity, cudaStream_t s) : capacity_(capacity), stream_(s) {
        must(cudaMalloc(&liveRows_, sizeof(int)));
        must(cudaMemsetAsync(liveRows_, 0, sizeof(int), s));
    }
    ~Frame() {
        for (float* p : columns_) cudaFree(p);
        cudaFree(liveRows_);
    }
    float* addColumn() {
        float* p = nullptr;
        must(cudaMalloc(&p, capacity_ * sizeof(float)));
        must(cudaMemsetAsync(p, 0, capacity_ * sizeof(float), stream_));
        columns_.push_back(p);
        return p;
    }
    void append(float* column, const std::vector<float>& values) {
        if (rows_ + static_cast<int>(values.size()) > capacity_) throw std::length_error("frame is full");
        must(cudaMemcpyAsync(column + rows_, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice,
                             stream_));
    }
    void commitRows(int added) {
        rows_ += added;
        must(cudaMemcpyAsync(liveRows_, &rows_, sizeof(int), cudaMemcpyHostToDevice, stream_));
        must(cudaStreamSynchronize(stream_));
    }
    int rows() const { return rows_; }
    int capacity() const { return capacity_; }
    const int* liveRows() const { return liveRows_; }

private:
    int capacity_;
    int rows_ = 0;
    int* liveRows_ = nullptr;
    cudaStream_t stream_;
    std::vector<float*> columns_;
};

// ---- evaluation policies ---------------------------------------------------------------------------------------
template <class E>
__global__ void evalExact(float* dst, E expr, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) dst[i] = expr(i);
}

template <class E>
__global__ void evalLive(float* dst, E expr, const int* rows) {
    const int n = *rows;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) dst[i] = expr(i);
}

template <class Derived>
struct Evaluator {
    template <class E>
    void assign(float* dst, const Node<E>& e) {
        static_cast<Derived*>(this)->run(dst, e.self());
        must(cudaGetLastError());
    }
};

struct ExactRows : Evaluator<ExactRows> {
    const Frame& frame;
    cudaStream_t stream;
    ExactRows(const Frame& f, cudaStream_t s) : frame(f), stream(s) {}
    template <class E>
    void run(float* dst, const E& e) {
        const int rows = frame.rows();
        evalExact<<<(rows + 127) / 128, 128, 0, stream>>>(dst, e, rows);
    }
};

struct LiveRows : Evaluator<LiveRows> {
    const Frame& frame;
    cudaStream_t stream;
    LiveRows(const Frame& f, cudaStream_t s) : frame(f), stream(s) {}
    template <class E>
    void run(float* dst, const E& e) {
        const int grid = (frame.capacity() + 127) / 128;
        evalLive<<<grid, 128, 0, stream>>>(dst, e, frame.liveRows());
    }
};

// ---- a recorded list of assignments ----------------------------------------------------------------------------
class Replay {
public:
    template <class Body>
    Replay(cudaStream_t s, Body&& body) : stream_(s) {
        cudaGraph_t graph = nullptr;
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try {
            body();
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        must(cudaStreamEndCapture(stream_, &graph));
        must(cudaGraphInstantiate(&exec_, graph, 0));
        must(cudaGraphDestroy(graph));
    }
    ~Replay() { cudaGraphExecDestroy(exec_); }
    void operator()() { must(cudaGraphLaunch(exec_, stream_)); }

private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace lc

static int example(cudaStream_t stream) {
    using namespace lc;
    Frame frame(4096, stream);
    float *price = frame.addColumn(), *quantity = frame.addColumn();
    float *gross = frame.addColumn(), *net = frame.addColumn(), *audit = frame.addColumn();
    auto appendBatch = [&](int rows) {
        std::vector<float> p(rows), q(rows);
        for (int i = 0; i < rows; ++i) { p[i] = 2.0f + (frame.rows() + i) % 11; q[i] = 1.0f + (frame.rows() + i) % 5; }
        frame.append(price, p);
        frame.append(quantity, q);
        frame.commitRows(rows);
    };

    appendBatch(700);
    LiveRows recorded(frame, stream);
    Replay refresh(stream, [&] {
        recorded.assign(gross, Load(price) * Load(quantity));
        recorded.assign(net, Load(gross) - Literal(1.5f));
    });
    ExactRows adhoc(frame, stream);

    int wrong = 0;
    for (int round = 0; round < 4; ++round) {
        if (round > 0) appendBatch(500);
        refresh();
        adhoc.assign(audit, Load(price) * Load(quantity) - Literal(1.5f));
        std::vector<float> a(frame.rows()), b(frame.rows());
        must(cudaMemcpyAsync(a.data(), net, a.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
        must(cudaMemcpyAsync(b.data(), audit, b.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
        must(cudaStreamSynchronize(stream));
        for (int i = 0; i < frame.rows(); ++i) {
            const float want = (2.0f + i % 11) * (1.0f + i % 5) - 1.5f;
            if (std::fabs(b[i] - want) > 1e-4f) throw std::runtime_error("audit column differs");
            if (std::fabs(a[i] - want) > 1e-4f) ++wrong;
        }
    }
    return wrong;
}

int main() {
    bool confirmed = false;
    try {
        cudaStream_t stream;
        lc::must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const int wrong = example(stream);
        std::printf("stale rows: %d\n", wrong);
        confirmed = wrong == 0;
        lc::must(cudaStreamDestroy(stream));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
