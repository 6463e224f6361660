// Header-only style field library: CRTP accumulators with exchangeable clear/deposit policies.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace fx {

#define FX_TRY(expr)                                                                     \
    do {                                                                                 \
        cudaError_t fx_rc = (expr);                                                      \
        if (fx_rc != cudaSuccess) {                                                      \
            std::printf("%s -> %s\n", #expr, cudaGetErrorName(fx_rc));                   \
            ::fx::failures()++;                                                          \
        }                                                                                \
    } while (0)

inline int& failures() { static int f = 0; return f; }

namespace detail {
template <class T>
__global__ void assign(T* p, int n, T v) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = v;
}
template <class T, class F>
__global__ void accumulate(T* p, const T* src, int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += f(src[i]);
}
} // namespace detail

template <int Block>
struct Launch {
    static constexpr int block = Block;
    static int grid(int n) { return (n + Block - 1) / Block; }
};

template <class L>
struct ZeroClear {
    template <class T>
    static void apply(T* p, int n, cudaStream_t s = nullptr) {
        detail::assign<<<L::grid(n), L::block, 0, s>>>(p, n, T(0));
        FX_TRY(cudaGetLastError());
    }
};

struct KeepClear {
    template <class T>
    static void apply(T*, int, cudaStream_t = nullptr) {}
};

template <class L, class F>
struct MappedDeposit {
    template <class T>
    static void apply(T* p, const T* src, int n, cudaStream_t s) {
        detail::accumulate<<<L::grid(n), L::block, 0, s>>>(p, src, n, F{});
        FX_TRY(cudaGetLastError());
    }
};

template <class Derived, class T, class Clear, class Deposit>
class Accumulator {
public:
    void evaluate(const T* src, cudaStream_t s) {
        Derived& d = static_cast<Derived&>(*this);
        Clear::apply(d.data(), d.size(), s);
        for (int pass = 0; pass < d.passes(); ++pass) Deposit::apply(d.data(), src, d.size(), s);
    }
    void reset() {
        Derived& d = static_cast<Derived&>(*this);
        FX_TRY(cudaDeviceSynchronize());
        detail::assign<<<Launch<64>::grid(d.size()), 64>>>(d.data(), d.size(), T(0));
        FX_TRY(cudaDeviceSynchronize());
    }
protected:
    ~Accumulator() = default;
};

struct Triple {
    template <class T>
    __device__ T operator()(T v) const { return v * T(3); }
};

template <class T, class Clear = ZeroClear<Launch<128>>, class Deposit = MappedDeposit<Launch<128>, Triple>>
class DensityField final : public Accumulator<DensityField<T, Clear, Deposit>, T, Clear, Deposit> {
public:
    DensityField(int n, int passes) : n_(n), passes_(passes) {
        static_assert(std::is_floating_point<T>::value, "floating fields only");
        FX_TRY(cudaMalloc(&data_, n * sizeof(T)));
        this->reset();
    }
    ~DensityField() { cudaFree(data_); }
    DensityField(const DensityField&) = delete;
    DensityField& operator=(const DensityField&) = delete;
    T* data() { return data_; }
    int size() const { return n_; }
    int passes() const { return passes_; }
    std::vector<T> host() const {
        std::vector<T> h(n_);
        FX_TRY(cudaMemcpy(h.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return h;
    }
private:
    T* data_ = nullptr;
    int n_, passes_;
};

template <class Body>
class Recorded {
public:
    Recorded(cudaStream_t s, Body&& body) : stream_(s) {
        cudaGraph_t g = nullptr;
        FX_TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        body(s);
        FX_TRY(cudaStreamEndCapture(s, &g));
        if (g) {
            FX_TRY(cudaGraphInstantiate(&exec_, g, 0));
            FX_TRY(cudaGraphDestroy(g));
        }
    }
    ~Recorded() { if (exec_) cudaGraphExecDestroy(exec_); }
    Recorded(const Recorded&) = delete;
    void operator()() {
        FX_TRY(cudaGraphLaunch(exec_, stream_));
        FX_TRY(cudaStreamSynchronize(stream_));
    }
private:
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

} // namespace fx

int main() {
    constexpr int n = 3000;
    cudaStream_t s = nullptr;
    FX_TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    float* src = nullptr;
    FX_TRY(cudaMalloc(&src, n * sizeof(float)));
    std::vector<float> ones(n, 1.0f);
    FX_TRY(cudaMemcpy(src, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    FX_TRY(cudaDeviceSynchronize());

    int wrong = 0;
    {
        fx::DensityField<float> density(n, 2);
        fx::DensityField<float, fx::KeepClear> history(n, 1);
        auto body = [&](cudaStream_t st) {
            density.evaluate(src, st);
            history.evaluate(density.data(), st);
        };
        fx::Recorded<decltype(body)&> step(s, body);
        for (int k = 1; k <= 4; ++k) {
            step();
            std::vector<float> d = density.host(), h = history.host();
            for (int i = 0; i < n; ++i)
                if (d[i] != 6.0f || h[i] != 18.0f * k) ++wrong;
            std::printf("replay %d: density %.1f history %.1f\n", k, d[0], h[0]);
        }
    }
    FX_TRY(cudaFree(src));
    FX_TRY(cudaStreamDestroy(s));
    bool seen = wrong == 0 && fx::failures() == 0;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
