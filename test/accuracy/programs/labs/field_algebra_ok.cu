// field_algebra: expression templates over device fields.  Assigning an expression launches one fused kernel;
// a Program is a sequence of such assignments recorded into a graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace fa {

struct Error {
    cudaError_t code;
};
inline void check(cudaError_t e) {
    if (e != cudaSuccess) throw Error{e};
}

// ---- expressions: trivially copyable, evaluated per element on the device ----
template <class E>
struct Expr {
    __host__ __device__ const E& self() const { return static_cast<const E&>(*this); }
};

struct Leaf : Expr<Leaf> {
    const float* p;
    explicit Leaf(const float* q) : p(q) {}
    __device__ float at(int i, int) const { return p[i]; }
};

struct Const : Expr<Const> {
    float v;
    explicit Const(float x) : v(x) {}
    __device__ float at(int, int) const { return v; }
};

struct Plus {
    __device__ static float apply(float a, float b) { return a + b; }
};
struct Times {
    __device__ static float apply(float a, float b) { return a * b; }
};

template <class Op, class L, class R>
struct Binary : Expr<Binary<Op, L, R>> {
    L l;
    R r;
    Binary(const L& a, const R& b) : l(a), r(b) {}
    __device__ float at(int i, int n) const { return Op::apply(l.at(i, n), r.at(i, n)); }
};

// Three-point average; its operand is read at neighbouring elements, hence must be a stored field.
struct Smooth : Expr<Smooth> {
    const float* p;
    explicit Smooth(const float* q) : p(q) {}
    __device__ float at(int i, int n) const {
        const int a = i > 0 ? i - 1 : 0, b = i < n - 1 ? i + 1 : n - 1;
        return 0.25f * p[a] + 0.5f * p[i] + 0.25f * p[b];
    }
};

template <class L, class R>
Binary<Plus, L, R> operator+(const Expr<L>& a, const Expr<R>& b) { return {a.self(), b.self()}; }
template <class L, class R>
Binary<Times, L, R> operator*(const Expr<L>& a, const Expr<R>& b) { return {a.self(), b.self()}; }
template <class R>
Binary<Times, Const, R> operator*(float a, const Expr<R>& b) { return {Const(a), b.self()}; }

template <class E>
__global__ void evaluate(float* out, E e, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = e.at(i, n);
}

// ---- storage ----
class Field {
public:
    explicit Field(int n) : n_(n) { check(cudaMalloc(&p_, sizeof(float) * n)); }
    Field(Field&& o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
    Field& operator=(Field&&) = delete;
    ~Field() { cudaFree(p_); }

    Leaf operator()() const { return Leaf(p_); }
    Smooth smooth() const { return Smooth(p_); }
    float* data() const { return p_; }
    int size() const { return n_; }

    template <class E>
    void assign(const Expr<E>& e, cudaStream_t s) const {
        evaluate<<<132, 256, 0, s>>>(p_, e.self(), n_);
    }

private:
    float* p_ = nullptr;
    int n_;
};

struct Program {
    cudaGraphExec_t exec = nullptr;
    std::vector<Field> temporaries;
    Program() = default;
    Program(Program&& o) noexcept : exec(std::exchange(o.exec, nullptr)), temporaries(std::move(o.temporaries)) {}
    ~Program() {
        if (exec) cudaGraphExecDestroy(exec);
    }
    void run(cudaStream_t s) const { check(cudaGraphLaunch(exec, s)); }
};

// out <- smooth(2 a + b * a) + a
inline Program make_sharpen(const Field& a, const Field& b, const Field& out, cudaStream_t s) {
    Program prog;
    prog.temporaries.emplace_back(a.size());
    const Field& mixed = prog.temporaries.back();
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    mixed.assign(2.0f * a() + b() * a(), s);
    out.assign(mixed.smooth() + a(), s);
    check(cudaStreamEndCapture(s, &graph));
    const cudaError_t made = cudaGraphInstantiate(&prog.exec, graph, 0);
    cudaGraphDestroy(graph);
    check(made);
    return prog;
}

}  // namespace fa

namespace {

constexpr int kN = 1 << 20;
constexpr float kMark = -77.0f;

float input_a(int i, int frame) { return static_cast<float>((i + 3 * frame) % 17); }
float input_b(int i, int frame) { return 0.5f * static_cast<float>((i * 5 + frame) % 11); }

void upload(const fa::Field& f, float (*gen)(int, int), int frame, cudaStream_t s) {
    std::vector<float> h(kN);
    for (int i = 0; i < kN; ++i) h[i] = gen(i, frame);
    fa::check(cudaMemcpyAsync(f.data(), h.data(), sizeof(float) * kN, cudaMemcpyHostToDevice, s));
    fa::check(cudaStreamSynchronize(s));
}

std::vector<float> download(const fa::Field& f, cudaStream_t s) {
    std::vector<float> h(kN);
    fa::check(cudaMemcpyAsync(h.data(), f.data(), sizeof(float) * kN, cudaMemcpyDeviceToHost, s));
    fa::check(cudaStreamSynchronize(s));
    return h;
}

int wrong_outputs(const std::vector<float>& out, int frame) {
    auto mixed = [frame](int i) {
        i = i < 0 ? 0 : (i >= kN ? kN - 1 : i);
        return 2.0f * input_a(i, frame) + input_b(i, frame) * input_a(i, frame);
    };
    int wrong = 0;
    for (int i = 0; i < kN; ++i) {
        const float want = 0.25f * mixed(i - 1) + 0.5f * mixed(i) + 0.25f * mixed(i + 1) + input_a(i, frame);
        wrong += std::fabs(out[i] - want) > 1e-3f;
    }
    return wrong;
}

}  // namespace

int main() {
    cudaError_t failure = cudaSuccess;
    int wrong = 0, clobbered = 0;
    try {
        cudaStream_t s;
        fa::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        fa::Field a(kN), b(kN), out(kN);
        const fa::Program sharpen = fa::make_sharpen(a, b, out, s);

        // Archive frames of the caller, not touched by the program.
        std::vector<fa::Field> archive;
        for (int k = 0; k < 4; ++k) {
            archive.emplace_back(kN);
            archive.back().assign(fa::Const(kMark), s);
        }
        for (int frame = 0; frame < 3; ++frame) {
            upload(a, input_a, frame, s);
            upload(b, input_b, frame, s);
            sharpen.run(s);
            wrong += wrong_outputs(download(out, s), frame);
        }
        for (const fa::Field& f : archive)
            for (float v : download(f, s)) clobbered += v != kMark;
        cudaStreamDestroy(s);
    } catch (const fa::Error& e) {
        failure = e.code;
    }
    std::printf("%s, wrong %d, archive elements overwritten %d\n", cudaGetErrorName(failure), wrong, clobbered);
    std::puts(failure == cudaSuccess && !wrong && !clobbered ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
