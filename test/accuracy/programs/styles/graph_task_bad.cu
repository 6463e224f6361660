#include <cuda_runtime.h>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace lib {

class block_pool {
public:
    std::pair<void *, cudaError_t> take(std::size_t bytes) {
        auto &list = free_[bytes];
        if (!list.empty()) {
            void *p = list.back();
            list.pop_back();
            return {p, cudaSuccess};
        }
        void *p = nullptr;
        cudaError_t e = cudaMalloc(&p, bytes);
        return {p, e};
    }
    void give(void *p, std::size_t bytes) { free_[bytes].push_back(p); }
    static block_pool &instance() { static block_pool pool; return pool; }
private:
    std::map<std::size_t, std::vector<void *>> free_;
};

template <class T> class device_array {
public:
    explicit device_array(std::size_t n) : n_(n) {
        auto r = block_pool::instance().take(n * sizeof(T));
        p_ = static_cast<T *>(r.first);
    }
    device_array(device_array &&o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
    device_array &operator=(device_array &&) = delete;
    ~device_array() { if (p_) block_pool::instance().give(p_, n_ * sizeof(T)); }
    T *data() const { return p_; }
    std::size_t size() const { return n_; }
private:
    T *p_ = nullptr;
    std::size_t n_;
};

template <class T> struct span {
    T *first;
    std::size_t count;
    span(const device_array<T> &a) : first(a.data()), count(a.size()) {}
};

template <class T> class result {
public:
    result(T v) : v_(std::move(v)) {}
    result(cudaError_t e) : v_(e) {}
    explicit operator bool() const { return v_.index() == 0; }
    T &operator*() { return std::get<0>(v_); }
    cudaError_t error() const { return v_.index() ? std::get<1>(v_) : cudaSuccess; }
private:
    std::variant<T, cudaError_t> v_;
};

template <class T> struct scratch_slab {
    T *ptr = nullptr;
    cudaError_t status;
    scratch_slab() : status(cudaMalloc(&ptr, 4096 * sizeof(T))) {} // HAZARD lazy_initialization #slab
};
template <class T> scratch_slab<T> &scratch() {
    static scratch_slab<T> slab;
    return slab;
}

class graph_task {
public:
    graph_task(cudaGraphExec_t e, cudaStream_t s) : exec_(e), stream_(s) {}
    graph_task(graph_task &&o) noexcept : exec_(std::exchange(o.exec_, nullptr)), stream_(o.stream_)
    {}
    ~graph_task() { if (exec_) cudaGraphExecDestroy(exec_); }
    cudaError_t operator()() const {
        cudaError_t e = cudaGraphLaunch(exec_, stream_);
        return e != cudaSuccess ? e : cudaStreamSynchronize(stream_);
    }
private:
    cudaGraphExec_t exec_;
    cudaStream_t stream_;
};

template <class F> result<graph_task> record(cudaStream_t s, F &&body) {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t x = nullptr;
    if (cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); e != cudaSuccess) return e;
    cudaError_t inner = std::forward<F>(body)(s);
    cudaError_t outer = cudaStreamEndCapture(s, &g);
    if (inner != cudaSuccess || outer != cudaSuccess) return inner != cudaSuccess ? inner : outer;
    outer = cudaGraphInstantiate(&x, g, 0);
    cudaGraphDestroy(g);
    if (outer != cudaSuccess) return outer;
    return graph_task(x, s);
}

__global__ void fill(float *p, float v, int n) { if (int i = threadIdx.x; i < n) p[i] = v; }
__global__ void mul_add(float *y, const float *c, int n) { if (int i = threadIdx.x; i < n) y[i] += c[i]; }

result<graph_task> make_weighted(cudaStream_t s, span<float> y, float weight) {
    device_array<float> coeff(y.count);
    fill<<<1, 128, 0, s>>>(coeff.data(), weight, int(coeff.size()));
    return record(s, [&](cudaStream_t cs) {
        mul_add<<<1, 128, 0, cs>>>(y.first, coeff.data(), int(y.count)); // HAZARD dangling
        return cudaGetLastError();
    });
}

result<graph_task> make_norm(cudaStream_t s, span<float> y) {
    return record(s, [&](cudaStream_t cs) {
        auto &slab = scratch<float>(); // HAZARD lazy_initialization #slab
        if (slab.status != cudaSuccess) return slab.status;
        fill<<<1, 128, 0, cs>>>(slab.ptr, 0.0f, 128);
        mul_add<<<1, 128, 0, cs>>>(y.first, slab.ptr, int(y.count));
        return cudaGetLastError();
    });
}

}  // namespace lib

int main() {
    using namespace lib;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    device_array<float> y(64);
    fill<<<1, 128, 0, s>>>(y.data(), 1.0f, 64);
    cudaStreamSynchronize(s);
    auto norm = make_norm(s, y);
    cudaError_t norm_error = norm ? (*norm)() : norm.error();
    (void)cudaGetLastError();
    auto weighted = make_weighted(s, y, 2.0f);
    device_array<float> other(64);
    fill<<<1, 128, 0, s>>>(other.data(), 50.0f, 64);
    cudaError_t e = weighted ? (*weighted)() : weighted.error();
    float v = 0.0f;
    cudaMemcpy(&v, y.data() + 3, sizeof v, cudaMemcpyDeviceToHost);
    if (norm_error == cudaErrorStreamCaptureUnsupported && e == cudaSuccess && v == 51.0f) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED norm %d e %d v %g\n", norm_error, e, v);
    return 0;
}
