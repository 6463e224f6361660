// Small dense-vector library: pooled storage, views, lazy expressions and reusable evaluation plans.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nvx {

inline void check(cudaError_t s, const char* where) {
    if (s != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(s));
}

// ---- storage ---------------------------------------------------------------------------------

class BlockPool {
public:
    BlockPool() = default;
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;
    ~BlockPool() {
        for (void* p : all_) cudaFree(p);
    }
    void* acquire(size_t bytes) {
        auto& bin = free_[bytes];
        if (!bin.empty()) {
            void* p = bin.back();
            bin.pop_back();
            return p;
        }
        void* p = nullptr;
        check(cudaMalloc(&p, bytes), "BlockPool");
        all_.push_back(p);
        return p;
    }
    void release(void* p, size_t bytes) { free_[bytes].push_back(p); }

private:
    std::map<size_t, std::vector<void*>> free_;
    std::vector<void*> all_;
};

template <class T>
struct VectorView {
    using value_type = T;
    T* data;
    int count;
    __host__ __device__ int size() const { return count; }
    __device__ T operator()(int i) const { return data[i]; }
};

template <class T>
class Vector {
public:
    Vector(BlockPool& pool, int n) : pool_(&pool), data_(static_cast<T*>(pool.acquire(n * sizeof(T)))), n_(n) {}
    Vector(BlockPool& pool, const std::vector<T>& host) : Vector(pool, int(host.size())) { upload(host); }
    Vector(Vector&& o) noexcept : pool_(o.pool_), data_(std::exchange(o.data_, nullptr)), n_(o.n_) {}
    Vector& operator=(Vector&&) = delete;
    ~Vector() {
        if (data_) pool_->release(data_, n_ * sizeof(T));
    }
    void upload(const std::vector<T>& host) {
        check(cudaMemcpy(data_, host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "upload");
    }
    std::vector<T> download() const {
        std::vector<T> host(n_);
        check(cudaMemcpy(host.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "download");
        return host;
    }
    VectorView<T> view() const { return {data_, n_}; }
    int size() const { return n_; }

private:
    BlockPool* pool_;
    T* data_;
    int n_;
};

// ---- expressions -----------------------------------------------------------------------------

template <class T> struct IsExpr : std::false_type {};
template <class T> struct IsExpr<VectorView<T>> : std::true_type {};

struct Plus {
    template <class T> static __device__ T apply(T a, T b) { return a + b; }
};
struct Times {
    template <class T> static __device__ T apply(T a, T b) { return a * b; }
};

template <class Op, class L, class R>
struct Binary {
    using value_type = typename L::value_type;
    L l;
    R r;
    __device__ value_type operator()(int i) const { return Op::apply(l(i), r(i)); }
};
template <class E>
struct Scaled {
    using value_type = typename E::value_type;
    value_type factor;
    E e;
    __device__ value_type operator()(int i) const { return factor * e(i); }
};
template <class O, class L, class R> struct IsExpr<Binary<O, L, R>> : std::true_type {};
template <class E> struct IsExpr<Scaled<E>> : std::true_type {};

template <class L, class R, class = std::enable_if_t<IsExpr<L>::value && IsExpr<R>::value>>
Binary<Plus, L, R> operator+(L l, R r) { return {l, r}; }
template <class L, class R, class = std::enable_if_t<IsExpr<L>::value && IsExpr<R>::value>>
Binary<Times, L, R> operator*(L l, R r) { return {l, r}; }
template <class E, class = std::enable_if_t<IsExpr<E>::value>>
Scaled<E> operator*(double f, E e) { return {f, e}; }

template <class T, class E>
__global__ void evaluateKernel(VectorView<T> dst, E expr) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < dst.size(); i += gridDim.x * blockDim.x)
        dst.data[i] = expr(i);
}

template <class T, class E>
void assign(VectorView<T> dst, const E& expr, cudaStream_t stream) {
    const int block = 128;
    evaluateKernel<<<(dst.size() + block - 1) / block, block, 0, stream>>>(dst, expr);  // HAZARD dangling #taper
    check(cudaGetLastError(), "assign");
}

// ---- policies and plan -----------------------------------------------------------------------

struct HannTaper {
    static double weight(int i, int n) { return 0.5 - 0.5 * std::cos(2.0 * M_PI * (i + 0.5) / n); }
};
struct CosineTaper {
    static double weight(int i, int n) { return std::sin(M_PI * (i + 0.5) / n); }
};

template <class Policy>
std::vector<double> taperWeights(int n) {
    std::vector<double> w(n);
    for (int i = 0; i < n; ++i) w[i] = Policy::weight(i, n);
    return w;
}

template <class TaperPolicy>
class RelaxationPlan {
public:
    RelaxationPlan(BlockPool& pool, VectorView<double> input, VectorView<double> state, double relax) {
        check(cudaStreamCreate(&stream_), "stream");
        Vector<double> taper(pool, taperWeights<TaperPolicy>(state.size()));  // HAZARD dangling #taper
        build([&](cudaStream_t s) {
            auto w = taper.view();
            assign(state, w * (relax * input + (1.0 - relax) * state), s);  // HAZARD dangling #taper
        });
    }
    RelaxationPlan(const RelaxationPlan&) = delete;
    RelaxationPlan& operator=(const RelaxationPlan&) = delete;
    ~RelaxationPlan() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    void run() {
        check(cudaGraphLaunch(exec_, stream_), "run");
        check(cudaStreamSynchronize(stream_), "run");
    }

private:
    template <class Body>
    void build(Body&& body) {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            body(stream_);
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream_, &graph), "end");
        cudaError_t s = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        check(s, "instantiate");
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace nvx

static bool close(const std::vector<double>& a, const std::vector<double>& b) {
    for (size_t i = 0; i < a.size(); ++i)
        if (!(std::fabs(a[i] - b[i]) <= 1e-10 * (1.0 + std::fabs(b[i])))) return false;
    return true;
}

int main() {
    using namespace nvx;
    constexpr int n = 1000;
    constexpr double relax = 0.35;
    try {
        BlockPool pool;
        std::vector<double> input(n), state(n, 1.0);
        for (int i = 0; i < n; ++i) input[i] = 1.0 + std::sin(0.02 * i);
        Vector<double> x(pool, input), y(pool, state);
        RelaxationPlan<HannTaper> plan(pool, x.view(), y.view(), relax);

        const std::vector<double> w = taperWeights<HannTaper>(n);
        int right = 0, wrong = 0;
        for (int sweep = 0; sweep < 4; ++sweep) {
            std::vector<double> residual(n);
            for (int i = 0; i < n; ++i) {
                input[i] += 0.25 * std::cos(0.01 * i + sweep);
                residual[i] = 3.0 + input[i] - state[i];
            }
            x.upload(input);
            Vector<double> r(pool, residual);
            plan.run();
            for (int i = 0; i < n; ++i) state[i] = w[i] * (relax * input[i] + (1.0 - relax) * state[i]);
            bool good = close(y.download(), state) && close(r.download(), residual);
            good ? ++right : ++wrong;
        }
        std::printf("sweeps right %d wrong %d\n", right, wrong);
        bool observed = right == 0 && wrong == 4;
        std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return observed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
