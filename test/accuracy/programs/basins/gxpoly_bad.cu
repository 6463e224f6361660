// gx: a small graph toolkit (views, leases, recorder, graph wrappers), followed by an
// application which evaluates polynomials on sample blocks.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// ---------------------------------------------------------------- gx/core.hpp
namespace gx {

struct error : std::runtime_error {
    error(cudaError_t c, const char* w) : std::runtime_error(std::string(w) + ": " + cudaGetErrorString(c)), code(c) {}
    cudaError_t code;
};

inline void check(cudaError_t c, const char* what = "cuda") {
    if (c != cudaSuccess) throw error(c, what);
}

template <class T>
struct view {
    T* data = nullptr;
    int size = 0;
    __host__ __device__ T& operator[](int i) const { return data[i]; }
    view first(int n) const { return {data, n}; }
};

class arena {
  public:
    explicit arena(size_t bytes) : cap_(bytes) { check(cudaMalloc(&base_, bytes), "arena"); }
    ~arena() { cudaFree(base_); }
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;

    void* get(size_t bytes) {
        auto& list = free_[round(bytes)];
        if (!list.empty()) {
            void* p = list.back();
            list.pop_back();
            return p;
        }
        if (top_ + round(bytes) > cap_) throw error(cudaErrorMemoryAllocation, "arena");
        void* p = base_ + top_;
        top_ += round(bytes);
        return p;
    }
    void put(void* p, size_t bytes) { free_[round(bytes)].push_back(p); }

  private:
    static size_t round(size_t b) { return (b + 255) / 256 * 256; }
    char* base_ = nullptr;
    size_t cap_, top_ = 0;
    std::map<size_t, std::vector<void*>> free_;
};

template <class T>
class lease {
  public:
    lease(arena& a, int n) : arena_(&a), view_{static_cast<T*>(a.get(n * sizeof(T))), n} {}
    lease(arena& a, const std::vector<T>& v) : lease(a, (int)v.size()) { assign(v); }
    lease(lease&& o) noexcept : arena_(std::exchange(o.arena_, nullptr)), view_(o.view_) {}
    lease(const lease&) = delete;
    ~lease() {
        if (arena_) arena_->put(view_.data, view_.size * sizeof(T));
    }
    gx::view<T> view() const { return view_; }
    void assign(const std::vector<T>& v) {
        check(cudaMemcpy(view_.data, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "assign");
    }
    std::vector<T> read() const {
        std::vector<T> v(view_.size);
        check(cudaMemcpy(v.data(), view_.data, v.size() * sizeof(T), cudaMemcpyDeviceToHost), "read");
        return v;
    }

  private:
    arena* arena_;
    gx::view<T> view_;
};

// ---------------------------------------------------------------- gx/graph.hpp
class stream {
  public:
    stream() { check(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
    ~stream() { cudaStreamDestroy(s_); }
    stream(const stream&) = delete;
    cudaStream_t get() const { return s_; }
    void wait() const { check(cudaStreamSynchronize(s_), "wait"); }

  private:
    cudaStream_t s_ = nullptr;
};

class graph {
  public:
    template <class Fn>
    graph(stream& s, Fn&& body) {
        check(cudaStreamBeginCapture(s.get(), cudaStreamCaptureModeThreadLocal), "begin");
        try {
            body(s);
        } catch (...) {
            if (cudaStreamEndCapture(s.get(), &g_) == cudaSuccess) cudaGraphDestroy(g_);
            throw;
        }
        check(cudaStreamEndCapture(s.get(), &g_), "end");
        check(cudaGraphInstantiate(&x_, g_, 0), "instantiate");
    }
    graph(graph&& o) noexcept : g_(std::exchange(o.g_, nullptr)), x_(std::exchange(o.x_, nullptr)) {}
    graph(const graph&) = delete;
    ~graph() {
        if (x_) cudaGraphExecDestroy(x_);
        if (g_) cudaGraphDestroy(g_);
    }

    void launch(stream& s) const { check(cudaGraphLaunch(x_, s.get()), "launch"); }

    // Replaces argument `index` of the kernel node with the given ordinal (recording order).
    template <class A>
    int rebind(int ordinal, int index, A value, int arg_count) {
        size_t n = 0;
        check(cudaGraphGetNodes(g_, nullptr, &n), "nodes");
        std::vector<cudaGraphNode_t> nodes(n);
        check(cudaGraphGetNodes(g_, nodes.data(), &n), "nodes");
        int changed = 0;
        for (auto node : nodes) {
            cudaGraphNodeType type;
            check(cudaGraphNodeGetType(node, &type), "type");
            if (type != cudaGraphNodeTypeKernel) continue;
            if (ordinal-- != 0) continue;
            cudaKernelNodeParams p{};
            check(cudaGraphKernelNodeGetParams(node, &p), "get params");
            std::vector<void*> args(p.kernelParams, p.kernelParams + arg_count);
            args.at(index) = &value;
            p.kernelParams = args.data();
            check(cudaGraphKernelNodeSetParams(node, &p), "set params");  // HAZARD lifetime
            ++changed;
        }
        return changed;
    }

  private:
    cudaGraph_t g_ = nullptr;
    cudaGraphExec_t x_ = nullptr;
};

}  // namespace gx

// ---------------------------------------------------------------- application
__global__ void horner(gx::view<const float> x, gx::view<const float> c, gx::view<float> y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= x.size) return;
    float v = 0.f;
    for (int k = c.size - 1; k >= 0; --k) v = v * x[i] + c[k];
    y[i] = v;
}

__global__ void amplify(gx::view<float> y, float gain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < y.size) y[i] *= gain;
}

class PolyJob {
  public:
    PolyJob(gx::arena& a, gx::stream& s, std::vector<float> coeffs, int n, float gain)
        : stream_(s),
          x_(a, n),
          y_(a, n),
          graph_(record(a, coeffs, n, gain)) {}

    std::vector<float> run(const std::vector<float>& x) {
        x_.assign(x);
        graph_.launch(stream_);
        stream_.wait();
        return y_.read();
    }
    bool set_gain(float g) { return graph_.rebind(kAmplifyNode, 1, g, 2) == 1; }

  private:
    static constexpr int kAmplifyNode = 1;
    static gx::view<const float> readonly(gx::view<float> v) { return {v.data, v.size}; }

    gx::graph record(gx::arena& a, const std::vector<float>& coeffs, int n, float gain) {
        const int blocks = (n + 127) / 128;
        gx::lease<float> c(a, coeffs);
        return gx::graph(stream_, [&](gx::stream& s) {
            horner<<<blocks, 128, 0, s.get()>>>(readonly(x_.view()), readonly(c.view()), y_.view());  // HAZARD dangling
            amplify<<<blocks, 128, 0, s.get()>>>(y_.view(), gain);
            gx::check(cudaGetLastError(), "record");
        });
    }

    gx::stream& stream_;
    gx::lease<float> x_, y_;
    gx::graph graph_;
};

static bool agrees(const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& c, float gain) {
    for (size_t i = 0; i < x.size(); ++i) {
        float v = 0.f;
        for (size_t k = c.size(); k-- > 0;) v = v * x[i] + c[k];
        if (std::fabs(y[i] - gain * v) > 1e-3f * (1.f + std::fabs(gain * v))) return false;
    }
    return true;
}

int main() {
    try {
        const int n = 1000;
        gx::arena arena(1 << 20);
        gx::stream stream;
        std::vector<float> x(n), ca{1.f, -2.f, 0.5f}, cb{4.f, 3.f, 2.f, 1.f};
        for (int i = 0; i < n; ++i) x[i] = -1.f + 0.002f * i;

        PolyJob first(arena, stream, ca, n, 1.f);
        bool initial = agrees(x, first.run(x), ca, 1.f) && agrees(x, first.run(x), ca, 1.f);

        bool rebound = first.set_gain(3.f);
        bool gained = agrees(x, first.run(x), ca, 3.f);

        PolyJob second(arena, stream, cb, n, 2.f);
        bool other = agrees(x, second.run(x), cb, 2.f);
        auto y = first.run(x);
        bool kept = agrees(x, y, ca, 1.f) || agrees(x, y, ca, 3.f);
        std::printf("initial=%d rebound=%d gained=%d other=%d kept=%d\n", initial, rebound, gained, other, kept);
        bool pass = initial && rebound && !gained && other && !kept;
        std::puts(pass ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::puts("LABEL WRONG");
    }
    return 0;
}
