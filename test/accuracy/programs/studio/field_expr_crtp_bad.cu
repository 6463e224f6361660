#include <cuda_runtime.h>
#include <array>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

namespace fx {

class Status {
public:
    Status() = default;
    Status(cudaError_t e) : e_(e) {}
    explicit operator bool() const { return e_ == cudaSuccess; }
    Status& operator&=(Status o) { if (e_ == cudaSuccess) e_ = o.e_; return *this; }
    cudaError_t code() const { return e_; }

private:
    cudaError_t e_ = cudaSuccess;
};

template <class T>
struct View {
    T* ptr = nullptr;
    const std::size_t* used = nullptr;
    std::size_t capacity = 0;
    std::size_t bytes() const { return *used * sizeof(T); }
    std::size_t fullBytes() const { return capacity * sizeof(T); }
};

template <class Op, class T>
__global__ void apply(Op op, T* x, std::size_t n)
{
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i < n) x[i] = op(x[i]);
}

struct OnStream {
    template <class Op, class T>
    static Status launch(Op op, T* x, std::size_t n, cudaStream_t s)
    {
        apply<Op, T><<<unsigned((n + 255) / 256), 256, 0, s>>>(op, x, n);
        return cudaPeekAtLastError();
    }
};

struct Compact {
    template <class Op, class T>
    static Status launch(Op op, T* x, std::size_t n, [[maybe_unused]] cudaStream_t s)
    {
        unsigned blocks = unsigned((n + 31) / 32);
        apply<Op, T><<<blocks, 32>>>(op, x, n);  // HAZARD default_stream
        return cudaPeekAtLastError();
    }
};

template <class Derived>
struct Stage {
    Status enqueue(cudaStream_t s) { return static_cast<Derived*>(this)->run(s); }
};

template <class T>
struct Load : Stage<Load<T>> {
    View<T> from, to;
    Load(View<T> a, View<T> b) : from(a), to(b) {}
    Status run(cudaStream_t s)
    {
        return cudaMemcpyAsync(to.ptr, from.ptr, from.bytes(), cudaMemcpyDeviceToDevice, s);  // HAZARD dynamic_shape
    }
};

template <class Op, class T, class Policy = OnStream>
struct Map : Stage<Map<Op, T, Policy>> {
    Op op;
    View<T> x;
    Map(Op o, View<T> v) : op(o), x(v) {}
    Status run(cudaStream_t s) { return Policy::launch(op, x.ptr, x.capacity, s); }
};

template <class... Stages>
class Pipeline {
public:
    explicit Pipeline(Stages... st) : stages_(std::move(st)...) {}
    ~Pipeline() { if (exec_) cudaGraphExecDestroy(exec_); }
    Status record(cudaStream_t s)
    {
        cudaGraph_t g = nullptr;
        Status ok = cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        if (!ok) return ok;
        std::apply([&](auto&... st) { ((ok &= st.enqueue(s)), ...); }, stages_);
        ok &= cudaStreamEndCapture(s, &g);
        if (ok) ok &= cudaGraphInstantiate(&exec_, g, 0);
        if (g) cudaGraphDestroy(g);
        return ok;
    }
    Status operator()(cudaStream_t s) const { return cudaGraphLaunch(exec_, s); }

private:
    std::tuple<Stages...> stages_;
    cudaGraphExec_t exec_ = nullptr;
};

struct Twice { __host__ __device__ float operator()(float v) const { return v * 2.0f; } };
struct PlusOne { __host__ __device__ float operator()(float v) const { return v + 1.0f; } };

}  // namespace fx

int main()
{
    constexpr std::size_t cap = 512;
    static_assert(std::is_base_of_v<fx::Stage<fx::Load<float>>, fx::Load<float>>, "stage");
    std::size_t used = 64;
    float *src = nullptr, *dst = nullptr;
    cudaStream_t s = nullptr;
    fx::Status ok = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    ok &= cudaMalloc(&src, cap * sizeof(float));
    ok &= cudaMalloc(&dst, cap * sizeof(float));
    ok &= cudaMemset(dst, 0, cap * sizeof(float));
    std::array<float, cap> host{}, got{};
    for (auto& v : host) v = 3.0f;
    ok &= cudaMemcpy(src, host.data(), sizeof host, cudaMemcpyHostToDevice);

    fx::View<float> in{src, &used, cap}, work{dst, &used, cap};
    fx::Pipeline pipe(fx::Load<float>(in, work), fx::Map<fx::Twice, float>(fx::Twice{}, work),
                      fx::Map<fx::PlusOne, float, fx::Compact>(fx::PlusOne{}, work));
    ok &= pipe.record(s);
    ok &= cudaDeviceSynchronize();
    ok &= cudaMemset(dst, 0, cap * sizeof(float));
    ok &= cudaDeviceSynchronize();
    for (std::size_t n : {std::size_t(64), std::size_t(300)}) {
        used = n;
        ok &= pipe(s);
        ok &= cudaStreamSynchronize(s);
    }
    ok &= cudaMemcpy(got.data(), dst, sizeof got, cudaMemcpyDeviceToHost);
    bool label = ok && got[10] == 6.0f && got[200] == 0.0f;
    std::printf("LABEL %s status=%d a=%g b=%g\n", label ? "CONFIRMED" : "REFUTED", int(ok.code()), got[10], got[200]);
    cudaFree(src);
    cudaFree(dst);
    cudaStreamDestroy(s);
    return 0;
}
