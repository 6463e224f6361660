// lin: header-only device vector expressions (CRTP, allocator policy), with a compartment-model integrator on top.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lin {

struct cuda_failure : std::runtime_error {
    explicit cuda_failure(cudaError_t e) : std::runtime_error(cudaGetErrorString(e)) {}
};
inline void must(cudaError_t e) {
    if (e != cudaSuccess) throw cuda_failure(e);
}

// Allocation policy: equally sized blocks cut from one slab, recycled in LIFO order.
class slab_policy {
public:
    slab_policy(std::size_t block_elements, std::size_t blocks) {
        must(cudaMalloc(&slab_, block_elements * blocks * sizeof(float)));
        for (std::size_t b = 0; b < blocks; ++b) free_.push_back(slab_ + b * block_elements);
    }
    slab_policy(const slab_policy&) = delete;
    slab_policy& operator=(const slab_policy&) = delete;
    ~slab_policy() { cudaFree(slab_); }

    float* acquire() {
        if (free_.empty()) throw std::bad_alloc();
        float* block = free_.back();
        free_.pop_back();
        return block;
    }
    void release(float* block) { free_.push_back(block); }

private:
    float* slab_ = nullptr;
    std::vector<float*> free_;
};

template <class Derived>
struct expression {
    __host__ __device__ const Derived& self() const { return static_cast<const Derived&>(*this); }
};

struct element_ref : expression<element_ref> {
    const float* data;
    __host__ __device__ explicit element_ref(const float* d) : data(d) {}
    __device__ float at(int i) const { return data[i]; }
};

// A value that lives on the device and is the same for every element.
struct uniform_ref : expression<uniform_ref> {
    const float* data;
    __host__ __device__ explicit uniform_ref(const float* d) : data(d) {}
    __device__ float at(int) const { return *data; }
};

template <class L, class R>
struct sum_of : expression<sum_of<L, R>> {
    L left;
    R right;
    __host__ __device__ sum_of(const L& l, const R& r) : left(l), right(r) {}
    __device__ float at(int i) const { return left.at(i) + right.at(i); }
};

template <class L, class R>
struct product_of : expression<product_of<L, R>> {
    L left;
    R right;
    __host__ __device__ product_of(const L& l, const R& r) : left(l), right(r) {}
    __device__ float at(int i) const { return left.at(i) * right.at(i); }
};

template <class E>
struct scaled : expression<scaled<E>> {
    float factor;
    E inner;
    __host__ __device__ scaled(float f, const E& e) : factor(f), inner(e) {}
    __device__ float at(int i) const { return factor * inner.at(i); }
};

// Exchange with the neighbouring compartments: (A x)_i = x_{i-1} - 2 x_i + x_{i+1}, closed ends.
template <class E>
struct exchange_of : expression<exchange_of<E>> {
    E inner;
    int n;
    __host__ __device__ exchange_of(const E& e, int count) : inner(e), n(count) {}
    __device__ float at(int i) const {
        float c = inner.at(i);
        return (i > 0 ? inner.at(i - 1) - c : 0.0f) + (i + 1 < n ? inner.at(i + 1) - c : 0.0f);
    }
};

template <class L, class R>
sum_of<L, R> operator+(const expression<L>& l, const expression<R>& r) {
    return {l.self(), r.self()};
}
template <class L, class R>
product_of<L, R> operator*(const expression<L>& l, const expression<R>& r) {
    return {l.self(), r.self()};
}
template <class E>
scaled<E> operator*(float f, const expression<E>& e) {
    return {f, e.self()};
}

template <class E>
__global__ void evaluate(float* out, int n, E e) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = e.at(i);
}

template <class Policy>
class vector {
public:
    vector(Policy& policy, int n) : policy_(&policy), n_(n), data_(policy.acquire()) {}
    vector(vector&& o) noexcept : policy_(o.policy_), n_(o.n_), data_(std::exchange(o.data_, nullptr)) {}
    vector& operator=(vector&&) = delete;
    ~vector() {
        if (data_) policy_->release(data_);
    }

    element_ref ref() const { return element_ref(data_); }
    int size() const { return n_; }

    template <class E>
    void assign(const expression<E>& e, cudaStream_t s) {
        evaluate<<<(n_ + 127) / 128, 128, 0, s>>>(data_, n_, e.self());
        must(cudaGetLastError());
    }
    void upload(const std::vector<float>& host) {
        must(cudaMemcpy(data_, host.data(), n_ * sizeof(float), cudaMemcpyHostToDevice));
        must(cudaDeviceSynchronize());
    }
    std::vector<float> download() const {
        std::vector<float> host(n_);
        must(cudaMemcpy(host.data(), data_, n_ * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

private:
    Policy* policy_;
    int n_;
    float* data_;
};

class program {
public:
    program() = default;
    program(const program&) = delete;
    ~program() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (graph_) cudaGraphDestroy(graph_);
    }
    template <class Body>
    void compile(cudaStream_t s, Body&& body) {
        must(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
        try {
            body(*this);
        } catch (...) {
            cudaGraph_t partial = nullptr;
            cudaStreamEndCapture(s, &partial);
            if (partial) cudaGraphDestroy(partial);
            throw;
        }
        must(cudaStreamEndCapture(s, &graph_));
        must(cudaGraphInstantiate(&exec_, graph_, 0));
    }
    // A work vector that lives as long as the program that uses it.
    vector<slab_policy>& work(slab_policy& policy, int n) {
        work_.push_back(std::make_unique<vector<slab_policy>>(policy, n));
        return *work_.back();
    }
    void run(cudaStream_t s) { must(cudaGraphLaunch(exec_, s)); }

private:
    std::vector<std::unique_ptr<vector<slab_policy>>> work_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace lin

using field = lin::vector<lin::slab_policy>;

constexpr int kCompartments = 600;
constexpr float kStep = 0.05f;
constexpr float kRate = 0.8f;

std::vector<float> reference_step(const std::vector<float>& x, const std::vector<float>& uptake, float dose) {
    auto exchange = [](const std::vector<float>& v, int i) {
        float c = v[i];
        return (i > 0 ? v[i - 1] - c : 0.0f) + (i + 1 < kCompartments ? v[i + 1] - c : 0.0f);
    };
    std::vector<float> mid(kCompartments), next(kCompartments);
    for (int i = 0; i < kCompartments; ++i) mid[i] = x[i] + 0.5f * kStep * (kRate * exchange(x, i) + dose * uptake[i]);
    for (int i = 0; i < kCompartments; ++i) next[i] = x[i] + kStep * (kRate * exchange(mid, i) + dose * uptake[i]);
    return next;
}

int differing(const std::vector<float>& a, const std::vector<float>& b) {
    int count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) count += std::fabs(a[i] - b[i]) > 1e-3f * (1.0f + std::fabs(b[i]));
    return count;
}

struct device_scalar {
    float* device = nullptr;
    float* host = nullptr;
    device_scalar() {
        lin::must(cudaMalloc(&device, sizeof(float)));
        lin::must(cudaMallocHost(&host, sizeof(float)));
    }
    ~device_scalar() {
        cudaFree(device);
        cudaFreeHost(host);
    }
};

void simulate(cudaStream_t s, int& state_errors, int& baseline_errors) {
    lin::slab_policy slab(kCompartments, 8);
    device_scalar dose;
    field x(slab, kCompartments), uptake(slab, kCompartments);
    std::vector<float> host_x(kCompartments), host_uptake(kCompartments);
    for (int i = 0; i < kCompartments; ++i) {
        host_x[i] = std::sin(0.02f * i) + 2.0f;
        host_uptake[i] = (i % 5) * 0.1f;
    }
    x.upload(host_x);
    uptake.upload(host_uptake);

    lin::program midpoint;
    midpoint.compile(s, [&](lin::program& self) {
        field& slope = self.work(slab, kCompartments);
        field& mid = self.work(slab, kCompartments);
        lin::must(cudaMemcpyAsync(dose.device, dose.host, sizeof(float), cudaMemcpyHostToDevice, s));
        auto inflow = lin::uniform_ref(dose.device) * uptake.ref();
        slope.assign(kRate * lin::exchange_of<lin::element_ref>(x.ref(), kCompartments) + inflow, s);
        mid.assign(x.ref() + (0.5f * kStep) * slope.ref(), s);
        slope.assign(kRate * lin::exchange_of<lin::element_ref>(mid.ref(), kCompartments) + inflow, s);
        x.assign(x.ref() + kStep * slope.ref(), s);
    });

    field baseline(slab, kCompartments);
    const std::vector<float> host_baseline = host_x;
    baseline.upload(host_baseline);
    for (int step = 0; step < 6; ++step) {
        *dose.host = 1.0f + 0.5f * step;
        midpoint.run(s);
        lin::must(cudaStreamSynchronize(s));
        host_x = reference_step(host_x, host_uptake, *dose.host);
        state_errors += differing(x.download(), host_x);
        baseline_errors += differing(baseline.download(), host_baseline);
    }
}

int main() {
    int state_errors = 0, baseline_errors = 0;
    bool completed = false;
    cudaStream_t s = nullptr;
    try {
        lin::must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        simulate(s, state_errors, baseline_errors);
        lin::must(cudaStreamDestroy(s));
        completed = true;
    } catch (const std::exception& e) {
        std::printf("failed: %s\n", e.what());
    }
    std::printf("state errors %d, baseline errors %d\n", state_errors, baseline_errors);
    const bool confirmed = completed && state_errors == 0 && baseline_errors == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
