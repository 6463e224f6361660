// lz: lazy vectors. Expressions are evaluated element-wise in one kernel; execution policies pick the stream.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

namespace lz {

inline void verify(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "lz: %s: %s\n", what, cudaGetErrorString(e));
    std::puts("LABEL WRONG");
    std::exit(1);
}

// ---------------------------------------------------------------- policies

struct exec_policy {
    cudaStream_t stream;
    int block;

    exec_policy on(cudaStream_t s) const { return {s, block}; }
    template <int Block>
    exec_policy with_block() const { return {stream, Block}; }
};

class ambient_context {
  public:
    static const exec_policy &policy() {
        static ambient_context ctx;
        return ctx.policy_;
    }

  private:
    ambient_context() {
        cudaStream_t s = nullptr;
        verify(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "ambient stream");
        policy_ = {s, 128};
    }
    exec_policy policy_{};
};

// ------------------------------------------------------------- expressions

template <class E>
struct expr {
    __host__ __device__ const E &self() const { return static_cast<const E &>(*this); }
};

template <class T>
struct view : expr<view<T>> {
    using value_type = T;
    const T *data;
    int n;
    __host__ __device__ view(const T *d, int count) : data(d), n(count) {}
    __device__ T eval(int i) const { return data[i]; }
    int size() const { return n; }
};

template <class T>
struct broadcast : expr<broadcast<T>> {
    using value_type = T;
    const T *cell;
    int n;
    __host__ __device__ broadcast(const T *c, int count) : cell(c), n(count) {}
    __device__ T eval(int) const { return *cell; }
    int size() const { return n; }
};

struct plus_op {
    template <class T> __device__ static T apply(T a, T b) { return a + b; }
};
struct minus_op {
    template <class T> __device__ static T apply(T a, T b) { return a - b; }
};
struct times_op {
    template <class T> __device__ static T apply(T a, T b) { return a * b; }
};

template <class Op, class L, class R>
struct binary : expr<binary<Op, L, R>> {
    using value_type = typename L::value_type;
    L lhs;
    R rhs;
    __host__ __device__ binary(const L &l, const R &r) : lhs(l), rhs(r) {}
    __device__ value_type eval(int i) const { return Op::apply(lhs.eval(i), rhs.eval(i)); }
    int size() const { return lhs.size(); }
};

template <class L, class R>
binary<plus_op, L, R> operator+(const expr<L> &l, const expr<R> &r) { return {l.self(), r.self()}; }
template <class L, class R>
binary<minus_op, L, R> operator-(const expr<L> &l, const expr<R> &r) { return {l.self(), r.self()}; }
template <class L, class R>
binary<times_op, L, R> operator*(const expr<L> &l, const expr<R> &r) { return {l.self(), r.self()}; }

// -------------------------------------------------------------- evaluation

template <class T, class E>
__global__ void assign_kernel(T *out, E e, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = e.eval(i);
}

template <class T, class E>
__global__ void reduce_kernel(T *out, E e, int n) {
    __shared__ T part[256];
    T acc{};
    for (int i = threadIdx.x; i < n; i += 256) acc += e.eval(i);
    part[threadIdx.x] = acc;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}

template <class T>
class vec {
  public:
    using value_type = T;
    explicit vec(int n) : n_(n) {
        verify(cudaMalloc(&data_, sizeof(T) * n), "vec");
        verify(cudaMemset(data_, 0, sizeof(T) * n), "vec");
        verify(cudaDeviceSynchronize(), "vec");
    }
    ~vec() { cudaFree(data_); }
    vec(const vec &) = delete;
    vec &operator=(const vec &) = delete;

    view<T> operator*() const { return {data_, n_}; }
    broadcast<T> spread(int n) const { return {data_, n}; }
    T *data() const { return data_; }
    int size() const { return n_; }

    void load(const std::vector<T> &host, const exec_policy &p) {
        verify(cudaMemcpyAsync(data_, host.data(), sizeof(T) * n_, cudaMemcpyHostToDevice, p.stream), "load");
    }
    std::vector<T> fetch(const exec_policy &p) const {
        std::vector<T> host(n_);
        verify(cudaMemcpyAsync(host.data(), data_, sizeof(T) * n_, cudaMemcpyDeviceToHost, p.stream), "fetch");
        verify(cudaStreamSynchronize(p.stream), "fetch");
        return host;
    }

  private:
    T *data_ = nullptr;
    int n_ = 0;
};

template <class T, class E>
void assign(vec<T> &dst, const expr<E> &e, const exec_policy &p = ambient_context::policy()) {
    const int n = dst.size();
    assign_kernel<<<(n + p.block - 1) / p.block, p.block, 0, p.stream>>>(dst.data(), e.self(), n);
    verify(cudaGetLastError(), "assign");
}

template <class T, class E>
void reduce(vec<T> &dst, const expr<E> &e, const exec_policy &p = ambient_context::policy()) {
    reduce_kernel<<<1, 256, 0, p.stream>>>(dst.data(), e.self(), e.self().size());
    verify(cudaGetLastError(), "reduce");
}

// ------------------------------------------------------ recorded execution

class recording {
  public:
    template <class F>
    recording(const exec_policy &p, F &&body) {
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeRelaxed), "begin");
        std::forward<F>(body)(p);
        verify(cudaStreamEndCapture(p.stream, &graph), "end");
        verify(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        verify(cudaGraphDestroy(graph), "graph");
    }
    ~recording() { cudaGraphExecDestroy(exec_); }
    recording(const recording &) = delete;
    recording &operator=(const recording &) = delete;
    void replay(const exec_policy &p) const { verify(cudaGraphLaunch(exec_, p.stream), "replay"); }

  private:
    cudaGraphExec_t exec_ = nullptr;
};

// -------------------------------------------------------------- algorithms

namespace detail {

template <class T>
struct scratch {
    vec<T> energy, bias;
    scratch() : energy(1), bias(1) {}
};

template <class T, class E>
void statistics(scratch<T> &s, const expr<E> &x, const exec_policy &p) {
    reduce(s.energy, x.self() * x.self(), p);
    reduce(s.bias, x, p);
}

}  // namespace detail

// y = x * sum(x^2) - sum(x)
template <class T>
class whitening {
  public:
    template <class E>
    void operator()(vec<T> &y, const expr<E> &x, const exec_policy &p) {
        detail::statistics(scratch_, x, p);
        const int n = y.size();
        assign(y, x.self() * scratch_.energy.spread(n) - scratch_.bias.spread(n), p.template with_block<64>());
    }

  private:
    detail::scratch<T> scratch_;
};

}  // namespace lz

static std::vector<int> make_input(int n, int round) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) v[i] = (i * 7 + round * 13) % (17 + round) - 8;
    return v;
}

static int mismatches(const std::vector<int> &a, const std::vector<int> &b, const std::vector<int> &y) {
    int energy = 0, bias = 0, bad = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const int x = a[i] + b[i];
        energy += x * x;
        bias += x;
    }
    for (size_t i = 0; i < a.size(); ++i) bad += y[i] != (a[i] + b[i]) * energy - bias + 2;
    return bad;
}

int main() {
    constexpr int n = 1000;
    cudaStream_t stream = nullptr;
    lz::verify(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const lz::exec_policy work = lz::ambient_context::policy().on(stream);

    lz::vec<int> a(n), b(n), y(n), weight(n);
    lz::whitening<int> whiten;
    std::vector<int> ha = make_input(n, 0), hb = make_input(n, 1);
    a.load(ha, work);
    b.load(hb, work);
    lz::verify(cudaStreamSynchronize(stream), "inputs");

    // The weights never change: evaluated once, on the ambient stream, while the step is set up.
    lz::vec<int> ones(n);
    ones.load(std::vector<int>(n, 1), work);
    lz::verify(cudaStreamSynchronize(stream), "ones");
    lz::recording step(work, [&](const lz::exec_policy &p) {
        whiten(y, *a + *b, p);
        lz::assign(y, *y + *weight, p);
    });
    lz::assign(weight, *ones + *ones);
    lz::verify(cudaDeviceSynchronize(), "recording");

    int first = 0, later = 0;
    for (int round = 0; round < 5; ++round) {
        if (round > 0) {
            ha = make_input(n, 2 * round);
            hb = make_input(n, 2 * round + 1);
            a.load(ha, work);
            b.load(hb, work);
        }
        step.replay(work);
        const int bad = mismatches(ha, hb, y.fetch(work));
        std::printf("round %d: %d elements differ\n", round, bad);
        (round == 0 ? first : later) += bad;
    }
    lz::verify(cudaStreamDestroy(stream), "stream");
    std::puts(first == 0 && later == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
