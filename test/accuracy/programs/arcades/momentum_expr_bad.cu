// lazy: element-wise expression objects for device vectors, and a momentum optimiser built on them.
// One optimisation step is captured as a graph and replayed.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lazy {

inline void ok(cudaError_t e, const char* op) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(op) + ": " + cudaGetErrorString(e));
}

template <class Derived>
struct Expr {
    __host__ __device__ const Derived& self() const { return static_cast<const Derived&>(*this); }
};

template <class T>
struct Ref : Expr<Ref<T>> {
    using value_type = T;
    const T* data;
    __host__ __device__ explicit Ref(const T* d) : data(d) {}
    __device__ T operator()(int i) const { return data[i]; }
};

struct Plus {
    template <class T>
    static __device__ T apply(T a, T b) { return a + b; }
};
struct Minus {
    template <class T>
    static __device__ T apply(T a, T b) { return a - b; }
};

template <class Op, class L, class R>
struct Binary : Expr<Binary<Op, L, R>> {
    using value_type = typename L::value_type;
    L lhs;
    R rhs;
    __host__ __device__ Binary(const L& l, const R& r) : lhs(l), rhs(r) {}
    __device__ value_type operator()(int i) const { return Op::apply(lhs(i), rhs(i)); }
};

template <class E>
struct Scaled : Expr<Scaled<E>> {
    using value_type = typename E::value_type;
    value_type factor;
    E inner;
    __host__ __device__ Scaled(value_type f, const E& e) : factor(f), inner(e) {}
    __device__ value_type operator()(int i) const { return factor * inner(i); }
};

template <class L, class R>
Binary<Plus, L, R> operator+(const Expr<L>& l, const Expr<R>& r) { return {l.self(), r.self()}; }
template <class L, class R>
Binary<Minus, L, R> operator-(const Expr<L>& l, const Expr<R>& r) { return {l.self(), r.self()}; }
template <class E>
Scaled<E> operator*(typename E::value_type f, const Expr<E>& e) { return {f, e.self()}; }

template <class T, class E>
__global__ void evaluate(T* out, E expr, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = expr(i);
}

// Scalar hyper-parameter; converts to its value wherever an expression needs one.
template <class T>
class Hyper {
public:
    explicit Hyper(T v) : value_(v) {}
    void set(T v) { value_ = v; }
    operator T() const { return value_; }

private:
    T value_;
};

template <class T>
class Vec {
    static_assert(std::is_floating_point_v<T>, "Vec holds real numbers");

public:
    explicit Vec(int n) : size_(n) { ok(cudaMalloc(&data_, n * sizeof(T)), "Vec"); }
    ~Vec() { cudaFree(data_); }
    Vec(const Vec&) = delete;
    Vec& operator=(const Vec&) = delete;

    Ref<T> ref() const { return Ref<T>(data_); }
    void upload(const std::vector<T>& h, cudaStream_t s) {
        ok(cudaMemcpyAsync(data_, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice, s), "upload");
        ok(cudaStreamSynchronize(s), "upload");
    }
    std::vector<T> download(cudaStream_t s) const {
        std::vector<T> h(size_);
        ok(cudaMemcpyAsync(h.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, s), "download");
        ok(cudaStreamSynchronize(s), "download");
        return h;
    }
    template <class E>
    cudaError_t assign(const Expr<E>& e, cudaStream_t s) {
        evaluate<T, E><<<(size_ + 255) / 256, 256, 0, s>>>(data_, e.self(), size_);  // HAZARD frozen #rate
        return cudaGetLastError();
    }

private:
    int size_;
    T* data_ = nullptr;
};

class StepGraph {
public:
    explicit StepGraph(cudaStream_t s) : stream_(s) {}
    ~StepGraph() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    StepGraph(const StepGraph&) = delete;
    StepGraph& operator=(const StepGraph&) = delete;

    template <class Body>
    void run(Body&& body) {
        if (!exec_) {
            cudaGraph_t graph = record(std::forward<Body>(body));
            const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
            cudaGraphDestroy(graph);
            ok(made, "instantiate");
        }
        ok(cudaGraphLaunch(exec_, stream_), "launch");
    }

private:
    template <class Body>
    cudaGraph_t record(Body&& body) {
        cudaGraph_t graph = nullptr;
        ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        const cudaError_t inside = body(stream_);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        ok(ended, "end");
        if (inside != cudaSuccess) cudaGraphDestroy(graph);
        ok(inside, "body");
        return graph;
    }

    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

template <class T>
struct HalvingSchedule {
    static constexpr T initial = T(0.2);
    static constexpr int period = 3;
    static T at(int step) { return initial * std::pow(T(0.5), T(step / period)); }
};

template <class T, class Schedule>
class Momentum {
public:
    Momentum(int n, T beta, cudaStream_t s)
        : weights(n), target(n), beta_(beta), rate_(Schedule::initial), velocity_(n), gradient_(n), stream_(s), graph_(s) {
        velocity_.upload(std::vector<T>(n, T(0)), s);
    }

    void step() {
        rate_.set(Schedule::at(iteration_++));  // HAZARD frozen #rate
        graph_.run([this](cudaStream_t s) {
            cudaError_t e = gradient_.assign(weights.ref() - target.ref(), s);
            if (e == cudaSuccess) e = velocity_.assign(beta_ * velocity_.ref() + gradient_.ref(), s);
            if (e == cudaSuccess) e = weights.assign(weights.ref() - rate_ * velocity_.ref(), s);  // HAZARD frozen #rate
            return e;
        });
    }
    void finish() { ok(cudaStreamSynchronize(stream_), "finish"); }

    Vec<T> weights, target;

private:
    const T beta_;
    Hyper<T> rate_;
    Vec<T> velocity_, gradient_;
    cudaStream_t stream_;
    StepGraph graph_;
    int iteration_ = 0;
};

template <class T, class Schedule>
struct ReferenceMomentum {
    std::vector<T> w, t, v;
    T beta;
    int iteration = 0;
    void step() {
        const T rate = Schedule::at(iteration++);
        for (size_t i = 0; i < w.size(); ++i) {
            const T g = w[i] - t[i];
            v[i] = beta * v[i] + g;
            w[i] -= rate * v[i];
        }
    }
};

template <class T>
T distance(const std::vector<T>& a, const std::vector<T>& b) {
    T worst = 0;
    for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
    return worst;
}

}  // namespace lazy

template <class Real>
bool runTraining(cudaStream_t stream) {
    using Schedule = lazy::HalvingSchedule<Real>;
    constexpr int kDim = 2000, kSteps = 9;
    std::vector<Real> start(kDim), goal(kDim);
    for (int i = 0; i < kDim; ++i) {
        start[i] = Real(i % 17) * Real(0.5);
        goal[i] = Real(3) - Real(i % 5);
    }
    lazy::Momentum<Real, Schedule> opt(kDim, Real(0.8), stream);
    opt.weights.upload(start, stream);
    opt.target.upload(goal, stream);
    lazy::ReferenceMomentum<Real, Schedule> ref{start, goal, std::vector<Real>(kDim, Real(0)), Real(0.8)};

    bool early = true;
    Real last = 0;
    for (int s = 0; s < kSteps; ++s) {
        opt.step();
        opt.finish();
        ref.step();
        last = lazy::distance(opt.weights.download(stream), ref.w);
        std::printf("step %d deviation %g\n", s, double(last));
        if (s < Schedule::period) early = early && last < Real(1e-3);
    }
    return early && last > Real(0.05);
}

int main() {
    bool confirmed = false;
    try {
        cudaStream_t stream = nullptr;
        lazy::ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        confirmed = runTraining<float>(stream);
        lazy::ok(cudaStreamDestroy(stream), "stream");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
