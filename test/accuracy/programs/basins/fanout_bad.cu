// cap: capture policies, fork/join helpers and RAII wrappers, followed by a batch
// smoothing application with a table loader thread.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// ---------------------------------------------------------------- cap library
namespace cap {

struct failure : std::runtime_error {
    failure(cudaError_t c, const char* w) : std::runtime_error(std::string(w) + ": " + cudaGetErrorString(c)), code(c) {}
    cudaError_t code;
};
inline void must(cudaError_t c, const char* what) {
    if (c != cudaSuccess) throw failure(c, what);
}

struct process_wide {
    static constexpr cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};
struct this_thread {
    static constexpr cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
};

template <class T>
struct span {
    T* ptr;
    int len;
    span slice(int from, int n) const { return {ptr + from, n}; }
};

template <class T>
class buffer {
  public:
    explicit buffer(int n) : n_(n) { must(cudaMalloc(&p_, n * sizeof(T)), "buffer"); }
    ~buffer() { cudaFree(p_); }
    buffer(const buffer&) = delete;
    span<T> all() const { return {p_, n_}; }

  private:
    T* p_ = nullptr;
    int n_;
};

struct stream {
    cudaStream_t h = nullptr;
    stream() { must(cudaStreamCreateWithFlags(&h, cudaStreamNonBlocking), "stream"); }
    ~stream() { cudaStreamDestroy(h); }
    stream(const stream&) = delete;
};
struct event {
    cudaEvent_t h = nullptr;
    event() { must(cudaEventCreateWithFlags(&h, cudaEventDisableTiming), "event"); }
    ~event() { cudaEventDestroy(h); }
    event(const event&) = delete;
};

template <int Ways>
class fan {
  public:
    template <class Fn>
    void operator()(stream& root, Fn&& fn) {
        must(cudaEventRecord(open_.h, root.h), "fork");
        for (int i = 0; i < Ways; ++i) {
            must(cudaStreamWaitEvent(lanes_[i].h, open_.h, 0), "fork wait");
            fn(i, lanes_[i].h);
            must(cudaEventRecord(close_[i].h, lanes_[i].h), "join");
        }
        for (auto& c : close_) must(cudaStreamWaitEvent(root.h, c.h, 0), "join wait");
    }

  private:
    event open_;
    std::array<stream, Ways> lanes_;
    std::array<event, Ways> close_;
};

template <class Policy>
class recording {
  public:
    ~recording() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }
    template <class Fn>
    void record(stream& s, Fn&& body) {
        cudaGraph_t g = nullptr;
        must(cudaStreamBeginCapture(s.h, Policy::mode), "begin");  // HAZARD mode #m
        try {
            body(s);
        } catch (...) {
            if (cudaStreamEndCapture(s.h, &g) == cudaSuccess) cudaGraphDestroy(g);
            throw;
        }
        must(cudaStreamEndCapture(s.h, &g), "end");
        cudaError_t e = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        must(e, "instantiate");
    }
    void replay(stream& s) const {
        must(cudaGraphLaunch(exec_, s.h), "launch");
        must(cudaStreamSynchronize(s.h), "sync");
    }

  private:
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace cap

// ---------------------------------------------------------------- application
constexpr int kWays = 2;
constexpr int kLen = 256;

__global__ void spread(cap::span<const float> in, cap::span<float> tmp, float w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < in.len) tmp.ptr[i] = in.ptr[i] * w;
}

__global__ void settle(cap::span<float> level, int iters) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= level.len) return;
    float v = 0.f;
    for (int k = 0; k < iters; ++k) v += 0.25f * (2.f - v);
    level.ptr[i] = v;
}

__global__ void gather(cap::span<const float> tmp, cap::span<const float> level, cap::span<float> out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tmp.len) out.ptr[i] = tmp.ptr[i] + level.ptr[i];
}

struct Table {
    float* weights = nullptr;
    int rows = 0;
    cudaError_t status = cudaSuccess;
};

// Loads weight tables on its own thread.
class Loader {
  public:
    std::future<Table> fetch(int rows) {
        return std::async(std::launch::async, [rows] {
            Table t;
            t.rows = rows;
            t.status = cudaMalloc(&t.weights, rows * sizeof(float));  // HAZARD mode #m
            return t;
        });
    }
};

using Policy = cap::process_wide;

class Smoother {
  public:
    Smoother() : in_(kWays * kLen), tmp_(kWays * kLen), level_(kWays * kLen), out_(kWays * kLen) {}

    // `size` tells the number of elements per lane; it is asked while recording.
    void prepare(const std::function<int()>& size) {
        plan_.record(root_, [&](cap::stream& s) {
            const int n = size();
            fan_(s, [&](int lane, cudaStream_t q) {
                auto in = in_.all().slice(lane * kLen, n);
                auto tmp = tmp_.all().slice(0, n);  // HAZARD concurrent #t
                auto level = level_.all().slice(lane * kLen, n);
                auto out = out_.all().slice(lane * kLen, n);
                spread<<<2, 128, 0, q>>>({in.ptr, n}, tmp, 1.f + lane);  // HAZARD concurrent #t
                settle<<<2, 128, 0, q>>>(level, 400000);
                gather<<<2, 128, 0, q>>>({tmp.ptr, n}, {level.ptr, n}, out);
                cap::must(cudaGetLastError(), "lane");
            });
        });
    }

    std::vector<float> run(const std::vector<float>& x) {
        size_t bytes = x.size() * sizeof(float);
        cap::must(cudaMemcpy(in_.all().ptr, x.data(), bytes, cudaMemcpyHostToDevice), "in");
        plan_.replay(root_);
        std::vector<float> y(x.size());
        cap::must(cudaMemcpy(y.data(), out_.all().ptr, bytes, cudaMemcpyDeviceToHost), "out");
        return y;
    }

  private:
    cap::stream root_;
    cap::fan<kWays> fan_;
    cap::buffer<float> in_, tmp_, level_, out_;
    cap::recording<Policy> plan_;
};

static int lanes_right(const std::vector<float>& x, const std::vector<float>& y) {
    int right = 0;
    for (int lane = 0; lane < kWays; ++lane) {
        bool good = true;
        for (int i = lane * kLen; i < (lane + 1) * kLen; ++i) good &= std::fabs(y[i] - (x[i] * (1.f + lane) + 2.f)) < 1e-3f;
        right += good;
    }
    return right;
}

int main() {
    int right = 0;
    const int rounds = 3;
    Table table;
    cudaError_t loading = cudaSuccess;
    try {
        Smoother plain;
        plain.prepare([] { return kLen; });
        for (int r = 0; r < rounds; ++r) {
            std::vector<float> x(kWays * kLen);
            for (size_t i = 0; i < x.size(); ++i) x[i] = 10.f + r + 0.5f * i;
            right += lanes_right(x, plain.run(x));
        }

        Loader loader;
        Smoother tabled;
        try {
            tabled.prepare([&] {
                table = loader.fetch(kLen).get();
                return table.rows;
            });
            std::vector<float> x(kWays * kLen, 3.f);
            right += lanes_right(x, tabled.run(x));
        } catch (const cap::failure& f) {
            std::printf("tabled: %s\n", f.what());
            loading = f.code;
        }
        cudaFree(table.weights);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::puts("LABEL WRONG");
        return 0;
    }
    std::printf("lanes right=%d table=%s loading=%s\n", right, cudaGetErrorName(table.status), cudaGetErrorName(loading));
    bool pass = right <= rounds && table.status != cudaSuccess && loading != cudaSuccess;
    std::puts(pass ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
