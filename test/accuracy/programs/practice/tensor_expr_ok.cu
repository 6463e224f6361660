// Lazy tensor expressions compiled to CUDA graphs. Ops are closures that enqueue their kernel; buffers come from a caching
// pool and are returned to it by RAII.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tex {

inline void check(cudaError_t rc, const char* file, int line) {
    if (rc == cudaSuccess) return;
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + cudaGetErrorString(rc));
}
#define TEX_CHECK(x) ::tex::check((x), __FILE__, __LINE__)

// Caching pool: blocks are kept and handed out again, most recently returned first.
class BufferPool {
public:
    ~BufferPool() {
        for (auto& bin : free_)
            for (float* p : bin.second) cudaFree(p);
    }
    float* take(size_t n) {
        auto& bin = free_[n];
        if (!bin.empty()) {
            float* p = bin.back();
            bin.pop_back();
            return p;
        }
        float* p = nullptr;
        TEX_CHECK(cudaMalloc(&p, n * sizeof(float)));
        return p;
    }
    void give_back(float* p, size_t n) noexcept { free_[n].push_back(p); }

private:
    std::map<size_t, std::vector<float*>> free_;
};

class Tensor {
public:
    Tensor(BufferPool& pool, size_t n) : pool_(&pool), data_(pool.take(n)), size_(n) {}
    Tensor(Tensor&& o) noexcept : pool_(o.pool_), data_(std::exchange(o.data_, nullptr)), size_(o.size_) {}
    Tensor& operator=(Tensor&&) = delete;
    ~Tensor() { if (data_) pool_->give_back(data_, size_); }

    float* data() const { return data_; }
    int size() const { return static_cast<int>(size_); }
    void assign(const std::vector<float>& v) {
        TEX_CHECK(cudaMemcpy(data_, v.data(), size_ * sizeof(float), cudaMemcpyHostToDevice));
    }
    std::vector<float> to_host() const {
        std::vector<float> v(size_);
        TEX_CHECK(cudaMemcpy(v.data(), data_, size_ * sizeof(float), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    BufferPool* pool_;
    float* data_;
    size_t size_;
};

template <class F>
__global__ void elementwise(const float* a, const float* b, float* out, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(a[i], b[i]);
}

struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
struct Mul { __device__ float operator()(float a, float b) const { return a * b; } };
struct Sub { __device__ float operator()(float a, float b) const { return a - b; } };

using Op = std::function<void(cudaStream_t)>;

template <class F>
Op binary(F f, const Tensor& a, const Tensor& b, const Tensor& out) {
    return [f, a = a.data(), b = b.data(), out = out.data(), n = out.size()](cudaStream_t s) {
        elementwise<<<(n + 255) / 256, 256, 0, s>>>(a, b, out, n, f);
    };
}

class Program {
public:
    Program(cudaGraphExec_t exec, std::vector<Tensor> keep) : exec_(exec), keep_(std::move(keep)) {}
    Program(Program&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)), keep_(std::move(o.keep_)) {}
    Program& operator=(Program&&) = delete;
    ~Program() { if (exec_) cudaGraphExecDestroy(exec_); }
    void run(cudaStream_t s) const { TEX_CHECK(cudaGraphLaunch(exec_, s)); }

private:
    cudaGraphExec_t exec_;
    std::vector<Tensor> keep_;  // buffers owned by the program
};

inline cudaGraphExec_t record(const std::vector<Op>& ops, cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    TEX_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (const Op& op : ops) op(s);
    TEX_CHECK(cudaStreamEndCapture(s, &graph));
    const cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    TEX_CHECK(rc);
    return exec;
}

// out = (x + y) * (x - y)
inline Program compile_difference_of_squares(BufferPool& pool, const Tensor& x, const Tensor& y, const Tensor& out,
                                             cudaStream_t s) {
    std::vector<Tensor> temps;
    temps.emplace_back(pool, out.size());
    temps.emplace_back(pool, out.size());
    const std::vector<Op> ops{
        binary(Add{}, x, y, temps[0]),
        binary(Sub{}, x, y, temps[1]),
        binary(Mul{}, temps[0], temps[1], out),
    };
    return Program(record(ops, s), std::move(temps));
}

// out = out + step; no temporaries
inline Program compile_accumulate(const Tensor& step, const Tensor& out, cudaStream_t s) {
    return Program(record({binary(Add{}, out, step, out)}, s), {});
}

}  // namespace tex

int main() {
    constexpr int n = 3000;
    int wrong = 0;
    bool failed = false;
    cudaStream_t stream = nullptr;
    try {
        TEX_CHECK(cudaStreamCreate(&stream));
        tex::BufferPool pool;
        tex::Tensor x(pool, n), y(pool, n), z(pool, n);
        const tex::Program squares = tex::compile_difference_of_squares(pool, x, y, z, stream);

        tex::Tensor total(pool, n);
        total.assign(std::vector<float>(n, 0.0f));
        const tex::Program accumulate = tex::compile_accumulate(z, total, stream);

        std::vector<float> hx(n), hy(n), expected_total(n, 0.0f);
        for (int round = 0; round < 5; ++round) {
            for (int i = 0; i < n; ++i) {
                hx[i] = float((i + round) % 13);
                hy[i] = float((i * 3 + round) % 7);
                expected_total[i] += (hx[i] + hy[i]) * (hx[i] - hy[i]);
            }
            x.assign(hx);
            y.assign(hy);
            squares.run(stream);
            accumulate.run(stream);
            TEX_CHECK(cudaStreamSynchronize(stream));
            if (total.to_host() != expected_total) ++wrong;
        }
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
        failed = true;
    }
    if (stream) cudaStreamDestroy(stream);
    std::printf("rounds with a wrong total: %d\n", wrong);
    std::puts(!wrong && !failed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
