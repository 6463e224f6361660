// Seamless image blending: stationary iterations composed from CRTP bases and stacked policies.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

namespace blend {

inline void must(cudaError_t e)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "blend: %s\n", cudaGetErrorString(e));
    std::abort();
}

__global__ void relax(float* x, const float* rhs, float omega, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (1.0f - omega) * x[i] + omega * rhs[i];
}

__global__ void pin_border(float* x, float value, int n)
{
    x[0] = value;
    x[n - 1] = value;
}

template <class Policy, class Solver, class = void>
struct has_after_sweep : std::false_type {};
template <class Policy, class Solver>
struct has_after_sweep<Policy, Solver,
                       std::void_t<decltype(std::declval<Policy&>().after_sweep(std::declval<Solver&>()))>>
    : std::true_type {};

template <class Derived, class... Policies>
class iterative : public Policies... {
public:
    explicit iterative(cudaStream_t s) : stream_(s) {}
    ~iterative()
    {
        must(cudaStreamSynchronize(stream_));
        if (exec_) must(cudaGraphExecDestroy(exec_));
    }
    iterative(const iterative&) = delete;
    iterative& operator=(const iterative&) = delete;

    cudaStream_t stream() const { return stream_; }

    void iterate(int count)
    {
        if (!exec_) prepare();
        for (int k = 0; k < count; ++k) must(cudaGraphLaunch(exec_, stream_));
    }

private:
    Derived& self() { return static_cast<Derived&>(*this); }

    template <class P>
    void swept()
    {
        if constexpr (has_after_sweep<P, Derived>::value) static_cast<P&>(*this).after_sweep(self());
    }

    void prepare()
    {
        cudaGraph_t graph = nullptr;
        must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        self().sweep();
        (swept<Policies>(), ...);
        must(cudaStreamEndCapture(stream_, &graph));
        must(cudaGraphInstantiate(&exec_, graph, 0));
        must(cudaGraphDestroy(graph));
    }

    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

struct fixed_border {
    template <class Solver>
    void after_sweep(Solver& s)
    {
        pin_border<<<1, 1, 0, s.stream()>>>(s.pixels(), 1.0f, s.size());
        must(cudaGetLastError());
    }
};

class sweep_budget {
public:
    int remaining(int limit) const { return limit > sweeps_ ? limit - sweeps_ : 0; }
    template <class Solver>
    void after_sweep(Solver&)
    {
        ++sweeps_; // HAZARD host_logic
    }

private:
    int sweeps_ = 0;
};

template <class... Policies>
class gradient_blend : public iterative<gradient_blend<Policies...>, Policies...> {
    using base = iterative<gradient_blend<Policies...>, Policies...>;
    friend base;

public:
    gradient_blend(int n, float omega, cudaStream_t s) : base(s), n_(n), omega_(omega)
    {
        must(cudaMalloc(&x_, n * sizeof(float)));
        must(cudaMalloc(&rhs_, n * sizeof(float)));
        must(cudaMemsetAsync(x_, 0, n * sizeof(float), s));
        const std::vector<float> target(n, 100.0f);
        must(cudaMemcpyAsync(rhs_, target.data(), n * sizeof(float), cudaMemcpyHostToDevice, s));
        must(cudaStreamSynchronize(s));
    }
    ~gradient_blend()
    {
        must(cudaStreamSynchronize(this->stream()));
        must(cudaFree(x_));
        must(cudaFree(rhs_));
    }

    float* pixels() { return x_; }
    int size() const { return n_; }
    float read(int i)
    {
        float v = 0.0f;
        must(cudaMemcpyAsync(&v, x_ + i, sizeof(v), cudaMemcpyDeviceToHost, this->stream()));
        must(cudaStreamSynchronize(this->stream()));
        return v;
    }

private:
    void sweep()
    {
        relax<<<(n_ + 127) / 128, 128, 0, this->stream()>>>(x_, rhs_, omega_, n_);
        must(cudaGetLastError());
    }

    const int n_;
    const float omega_;
    float* x_ = nullptr;
    float* rhs_ = nullptr;
};

} // namespace blend

int main()
{
    cudaStream_t s = nullptr;
    blend::must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    float value = 0.0f, border = 0.0f;
    {
        blend::gradient_blend<blend::fixed_border, blend::sweep_budget> solver(640, 0.1f, s);
        solver.iterate(8);
        solver.iterate(solver.remaining(20));
        value = solver.read(320);
        border = solver.read(0);
    }
    blend::must(cudaStreamDestroy(s));
    const float expected = 100.0f * (1.0f - std::pow(0.9f, 20.0f));
    const bool right = std::fabs(value - expected) < 0.05f && border == 1.0f;
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
