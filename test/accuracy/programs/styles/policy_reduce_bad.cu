#include <cuda_runtime.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace red {

struct plain_tag {};
struct staged_tag {};

template <int Threads, class Tag> struct policy {
    static constexpr int threads = Threads;
    using tag = Tag;
};
using shared_policy = policy<128, plain_tag>;
using pooled_policy = policy<128, staged_tag>;

inline cudaError_t check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) std::printf("%s: %s\n", what, cudaGetErrorName(e));
    return e;
}

template <class T> class series {
public:
    explicit series(std::size_t cap) : cap_(cap), n_(cap) { cudaMalloc(&data_, cap * sizeof(T)); }
    ~series() { cudaFree(data_); }
    series(const series &) = delete;
    void resize(std::size_t n) {
        n_ = n < cap_ ? n : cap_;
    }
    T *begin() const { return data_; }
    int size() const { return int(n_); }
private:
    T *data_ = nullptr;
    std::size_t cap_, n_;
};

template <class T> __global__ void iota_ones(T *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = T(1);
}

template <class T> __global__ void sum_shared(const T *p, int n, T *out) {
    extern __shared__ unsigned char raw[];
    T *sh = reinterpret_cast<T *>(raw);
    for (int i = threadIdx.x; i < n; i += blockDim.x) sh[i] = p[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        T s = T(0);
        for (int i = 0; i < n; ++i) s += sh[i];
        *out = s;
    }
}

template <class T> __global__ void copy_n(const T *p, T *tmp, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) tmp[i] = p[i];
}

template <class T, class Policy> class recorded_sum {
public:
    recorded_sum(series<T> &in, T *out, cudaStream_t s) : in_(in), out_(out), stream_(s) {}
    ~recorded_sum() { if (exec_) cudaGraphExecDestroy(exec_); }
    recorded_sum(const recorded_sum &) = delete;

    cudaError_t prepare() {
        cudaGraph_t g = nullptr;
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        if (e != cudaSuccess) return check(e, "begin");
        emit(typename Policy::tag{});
        if ((e = cudaStreamEndCapture(stream_, &g)) != cudaSuccess) return check(e, "end");
        e = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        return e;
    }

    cudaError_t operator()() {
        if (!exec_) {
            cudaError_t e = prepare();
            if (e != cudaSuccess) return e;
        }
        cudaError_t e = cudaGraphLaunch(exec_, stream_);
        return e != cudaSuccess ? e : cudaStreamSynchronize(stream_);
    }

private:
    void emit(plain_tag) {
        const int n = in_.size();
        sum_shared<T><<<1, Policy::threads, n * sizeof(T), stream_>>>(in_.begin(), n, out_); // HAZARD dynamic_shape
    }
    void emit(staged_tag) {
        T *tmp = nullptr;
        const int n = 64;
        cudaMallocAsync(reinterpret_cast<void **>(&tmp), n * sizeof(T), stream_); // HAZARD memory_pool
        copy_n<T><<<1, Policy::threads, 0, stream_>>>(in_.begin(), tmp, n);
        sum_shared<T><<<1, Policy::threads, n * sizeof(T), stream_>>>(tmp, n, out_ + 1);
    }

    series<T> &in_;
    T *out_;
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace red

int main() {
    using namespace red;
    cudaStream_t s1, s2;
    float *out = nullptr, got[2] = {0, 0};
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
    cudaMalloc(&out, 2 * sizeof(float));
    series<float> in(1024);
    iota_ones<float><<<1, 128, 0, s1>>>(in.begin(), 1024);
    cudaStreamSynchronize(s1);

    recorded_sum<float, pooled_policy> pooled(in, out, s2);
    cudaError_t first = pooled();
    cudaError_t second = pooled();
    (void)cudaGetLastError();

    recorded_sum<float, shared_policy> sum(in, out, s1);
    in.resize(100);
    cudaError_t e = sum();
    in.resize(300);
    if (e == cudaSuccess) e = sum();
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    const bool hit = first == cudaSuccess && second == cudaErrorInvalidValue && got[0] == 100.0f;
    if (hit && e == cudaSuccess && got[1] == 64.0f) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED %d %d %d %g %g\n", first, second, e, got[0], got[1]);
    return 0;
}
