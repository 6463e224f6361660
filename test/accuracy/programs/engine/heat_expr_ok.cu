// fld: expression templates for explicit PDE stepping on the device.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fld {

inline void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <class E>
struct expr {
    __host__ __device__ const E& self() const { return static_cast<const E&>(*this); }
};

struct literal : expr<literal> {
    float v;
    __host__ __device__ explicit literal(float x) : v(x) {}
    __device__ float operator[](int) const { return v; }
};

struct indirect : expr<indirect> {
    const float* p;
    __host__ __device__ explicit indirect(const float* x) : p(x) {}
    __device__ float operator[](int) const { return *p; }
};

struct term : expr<term> {
    const float* p;
    __host__ __device__ explicit term(const float* x) : p(x) {}
    __device__ float operator[](int i) const { return p[i]; }
};

struct laplacian : expr<laplacian> {
    const float* p;
    int n;
    __host__ __device__ laplacian(const float* x, int count) : p(x), n(count) {}
    __device__ float operator[](int i) const { return p[(i + n - 1) % n] - 2.0f * p[i] + p[(i + 1) % n]; }
};

struct add { __device__ static float apply(float a, float b) { return a + b; } };
struct mul { __device__ static float apply(float a, float b) { return a * b; } };

template <class L, class Op, class R>
struct binary : expr<binary<L, Op, R>> {
    L l;
    R r;
    __host__ __device__ binary(const L& a, const R& b) : l(a), r(b) {}
    __device__ float operator[](int i) const { return Op::apply(l[i], r[i]); }
};

template <class L, class R>
binary<L, add, R> operator+(const expr<L>& l, const expr<R>& r) { return {l.self(), r.self()}; }
template <class L, class R>
binary<L, mul, R> operator*(const expr<L>& l, const expr<R>& r) { return {l.self(), r.self()}; }

template <class E>
__global__ void evaluate(float* out, E e, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = e[i];
}

class field {
public:
    explicit field(int n) : n_(n) { check(cudaMalloc(&p_, n * sizeof(float)), "field"); }
    ~field() { cudaFree(p_); }
    field(const field&) = delete;
    field& operator=(const field&) = delete;

    template <class E>
    void assign(const expr<E>& e, cudaStream_t s)
    {
        evaluate<<<(n_ + 63) / 64, 64, 0, s>>>(p_, e.self(), n_);
        check(cudaGetLastError(), "evaluate");
    }
    float* data() { return p_; }
    int size() const { return n_; }

private:
    float* p_ = nullptr;
    int n_;
};

inline term ref(field& f) { return term(f.data()); }
inline laplacian lap(field& f) { return {f.data(), f.size()}; }

class scalar {
public:
    explicit scalar(float v) : host_(v) { check(cudaMalloc(&dev_, sizeof(float)), "scalar"); }
    ~scalar() { cudaFree(dev_); }
    scalar(const scalar&) = delete;
    scalar& operator=(const scalar&) = delete;
    void set(float v, cudaStream_t s)
    {
        host_ = v;
        check(cudaMemcpyAsync(dev_, &host_, sizeof(float), cudaMemcpyHostToDevice, s), "scalar::set");
    }
    indirect get() const { return indirect(dev_); }

private:
    float host_;
    float* dev_ = nullptr;
};

class recording {
public:
    explicit recording(cudaStream_t s) : s_(s)
    {
        check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin");
        open_ = true;
    }
    ~recording()
    {
        cudaGraph_t g = nullptr;
        if (open_ && cudaStreamEndCapture(s_, &g) == cudaSuccess) cudaGraphDestroy(g);
    }
    cudaGraphExec_t finish()
    {
        cudaGraph_t g = nullptr;
        open_ = false;
        check(cudaStreamEndCapture(s_, &g), "end");
        cudaGraphExec_t x = nullptr;
        const cudaError_t e = cudaGraphInstantiate(&x, g, 0);
        cudaGraphDestroy(g);
        check(e, "instantiate");
        return x;
    }

private:
    cudaStream_t s_;
    bool open_ = false;
};

} // namespace fld

class heat_equation {
public:
    heat_equation(int n, float kappa, cudaStream_t s) : u_(n), next_(n), dt_(0.0f), kappa_(kappa), s_(s) {}
    ~heat_equation()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
    }

    void load(const std::vector<float>& v)
    {
        fld::check(cudaMemcpyAsync(u_.data(), v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice, s_), "load");
        fld::check(cudaStreamSynchronize(s_), "load");
    }

    void integrate(float t_end, float dt_max)
    {
        for (float t = 0.0f; t_end - t > 1e-6f;) {
            const float dt = std::min(dt_max, t_end - t);
            dt_.set(dt, s_);
            if (!exec_) {
                fld::recording rec(s_);
                next_.assign(fld::ref(u_) + dt_.get() * fld::literal(kappa_) * fld::lap(u_), s_);
                u_.assign(fld::ref(next_), s_);
                exec_ = rec.finish();
            }
            fld::check(cudaGraphLaunch(exec_, s_), "launch");
            t += dt;
        }
    }

    std::vector<float> store()
    {
        std::vector<float> v(u_.size());
        fld::check(cudaMemcpyAsync(v.data(), u_.data(), v.size() * sizeof(float), cudaMemcpyDeviceToHost, s_), "store");
        fld::check(cudaStreamSynchronize(s_), "store");
        return v;
    }

private:
    fld::field u_, next_;
    fld::scalar dt_;
    const float kappa_;
    cudaStream_t s_;
    cudaGraphExec_t exec_ = nullptr;
};

int main()
{
    constexpr int n = 96;
    std::vector<float> ref(n);
    for (int i = 0; i < n; ++i) ref[i] = (i % 7 == 0) ? 1.0f : 0.0f;

    cudaStream_t s = nullptr;
    fld::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    std::vector<float> got;
    {
        heat_equation eq(n, 0.5f, s);
        eq.load(ref);
        eq.integrate(1.0f, 0.4f);
        got = eq.store();
    }
    fld::check(cudaStreamDestroy(s), "stream");

    for (float dt : {0.4f, 0.4f, 0.2f}) {
        const std::vector<float> u = ref;
        for (int i = 0; i < n; ++i)
            ref[i] = u[i] + dt * 0.5f * (u[(i + n - 1) % n] - 2.0f * u[i] + u[(i + 1) % n]);
    }
    float worst = 0.0f;
    for (int i = 0; i < n; ++i) worst = std::max(worst, std::fabs(got[i] - ref[i]));
    std::puts(worst < 1e-4f ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
