// Header-style expression templates over device fields, with a small diffusion step.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <vector>

namespace fx {

inline void check(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

template <class D>
struct Expr {
    __host__ __device__ const D& self() const { return static_cast<const D&>(*this); }
};

struct Ref : Expr<Ref> {
    const float* p;
    explicit Ref(const float* q) : p(q) {}
    __device__ float at(int i) const { return p[i]; }
};

struct Scalar : Expr<Scalar> {
    float value;
    explicit Scalar(float v) : value(v) {}
    __device__ float at(int) const { return value; }
};

template <class L, class R>
struct Sum : Expr<Sum<L, R>> {
    L l;
    R r;
    Sum(L a, R b) : l(a), r(b) {}
    __device__ float at(int i) const { return l.at(i) + r.at(i); }
};

template <class L, class R>
struct Product : Expr<Product<L, R>> {
    L l;
    R r;
    Product(L a, R b) : l(a), r(b) {}
    __device__ float at(int i) const { return l.at(i) * r.at(i); }
};

template <class L, class R>
Sum<L, R> operator+(const Expr<L>& a, const Expr<R>& b) { return {a.self(), b.self()}; }
template <class L, class R>
Product<L, R> operator*(const Expr<L>& a, const Expr<R>& b) { return {a.self(), b.self()}; }

template <class E>
__global__ void evaluate(float* out, int n, E e) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = e.at(i);
}

__global__ void clampActive(float* out, int n, float top) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fminf(out[i], top);
}

class Field {
public:
    Field(int capacity, float fill) : capacity_(capacity), active_(capacity) {
        std::vector<float> v(capacity, fill);
        check(cudaMalloc(&data_, capacity * sizeof(float)));
        check(cudaMemcpy(data_, v.data(), capacity * sizeof(float), cudaMemcpyHostToDevice));
    }
    Field(const Field&) = delete;
    ~Field() { cudaFree(data_); }
    void activate(int n) { active_ = n; }
    int active() const { return active_; }
    int capacity() const { return capacity_; }
    Ref ref() const { return Ref(data_); }
    float* data() const { return data_; }
    template <class E>
    void assign(const Expr<E>& e, cudaStream_t s) {
        evaluate<<<(capacity_ + 127) / 128, 128, 0, s>>>(data_, capacity_, e.self());  // HAZARD frozen #dt
    }
private:
    float* data_ = nullptr;
    int capacity_;
    int active_;
};

class Stepper {
public:
    Stepper(Field& u, const Field& rate) : u_(u), rate_(rate) {
        check(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
    }
    ~Stepper() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(s_);
    }
    float dt = 0.5f;

    void step() {
        if (!exec_) exec_ = compile();
        check(cudaGraphLaunch(exec_, s_));
        check(cudaStreamSynchronize(s_));
    }
private:
    cudaGraphExec_t compile() {
        cudaGraph_t g = nullptr;
        cudaGraphExec_t exec = nullptr;
        check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
        u_.assign(u_.ref() + Scalar(dt) * rate_.ref(), s_);  // HAZARD frozen #dt
        clampActive<<<(u_.active() + 127) / 128, 128, 0, s_>>>(u_.data(), u_.active(), 2.0f);  // HAZARD dynamic_shape
        check(cudaStreamEndCapture(s_, &g));
        check(cudaGraphInstantiate(&exec, g, 0));
        check(cudaGraphDestroy(g));
        return exec;
    }
    Field& u_;
    const Field& rate_;
    cudaStream_t s_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace fx

int main() {
    try {
        fx::Field u(1024, 0.0f), rate(1024, 2.0f);
        fx::Stepper stepper(u, rate);
        u.activate(256);
        stepper.step();
        u.activate(1024);
        stepper.dt = 1.0f;
        stepper.step();
        stepper.step();
        float head = 0, tail = 0;
        fx::check(cudaMemcpy(&head, u.data(), sizeof(float), cudaMemcpyDeviceToHost));
        fx::check(cudaMemcpy(&tail, u.data() + 1023, sizeof(float), cudaMemcpyDeviceToHost));
        if (head == 2.0f && tail == 3.0f)
            std::printf("LABEL CONFIRMED\n");
        else
            std::printf("LABEL REFUTED head=%g tail=%g\n", head, tail);
    } catch (const std::exception& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
