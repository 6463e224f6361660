// 1D channel transport with a relaxing wall model. The wall values are computed on a side
// stream while the main stream works on the interior; several steps form one graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace channel {

inline void ok(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

class Stream {
  public:
    Stream() { ok(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
    ~Stream() { cudaStreamDestroy(s_); }
    Stream(const Stream&) = delete;
    operator cudaStream_t() const { return s_; }

  private:
    cudaStream_t s_ = nullptr;
};

class Event {
  public:
    Event() { ok(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming), "event"); }
    ~Event() { cudaEventDestroy(e_); }
    Event(const Event&) = delete;
    operator cudaEvent_t() const { return e_; }

  private:
    cudaEvent_t e_ = nullptr;
};

template <class T>
class Device {
  public:
    explicit Device(size_t n) : n_(n) { ok(cudaMalloc(&p_, n * sizeof(T)), "malloc"); }
    ~Device() { cudaFree(p_); }
    Device(const Device&) = delete;
    T* get() const { return p_; }
    void fill_zero() { ok(cudaMemset(p_, 0, n_ * sizeof(T)), "memset"); }
    void put(const std::vector<T>& v) { ok(cudaMemcpy(p_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "put"); }
    std::vector<T> fetch() const {
        std::vector<T> v(n_);
        ok(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "fetch");
        return v;
    }

  private:
    T* p_ = nullptr;
    size_t n_;
};

constexpr int kCells = 512;
constexpr int kStepsPerGraph = 4;
constexpr int kWallIters = 300000;

// Fixed-point iteration for the two wall values; wall[k] converges to 0.5 * cell + 1.
__global__ void wall_model(const float* u, float* wall, int n, int iters) {
    int k = threadIdx.x;
    float target = 0.5f * (k == 0 ? u[1] : u[n - 2]) + 1.f;
    float v = wall[k];
    for (int i = 0; i < iters; ++i) v += 0.25f * (target - v);
    wall[k] = v;
}

__global__ void interior(const float* u, const float* wall, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float l = i == 0 ? wall[0] : u[i - 1];
    float r = i == n - 1 ? wall[1] : u[i + 1];
    out[i] = u[i] + 0.25f * (l - 2.f * u[i] + r);
}

__global__ void energy_sum(const float* u, float* energy, int n) {
    __shared__ float part[256];
    float a = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) a += u[i] * u[i];
    part[threadIdx.x] = a;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *energy = part[0];
}

class Solver {
  public:
    Solver() : a_(kCells), b_(kCells), wall_(2), energy_(1) {
        a_.fill_zero();
        b_.fill_zero();
        wall_.fill_zero();
        energy_.fill_zero();
        ok(cudaDeviceSynchronize(), "init");
    }
    ~Solver() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }

    void start(const std::vector<float>& u0) {
        a_.put(u0);
        build();
    }

    float advance() {
        ok(cudaGraphLaunch(exec_, main_), "launch");
        ok(cudaStreamSynchronize(main_), "sync");
        return energy_.fetch()[0];
    }

    std::vector<float> field() const { return a_.fetch(); }

  private:
    void build() {
        cudaGraph_t graph = nullptr;
        ok(cudaStreamBeginCapture(main_, cudaStreamCaptureModeRelaxed), "begin");
        static_assert(kStepsPerGraph % 2 == 0, "a block ends in the buffer where it started");
        float* src = a_.get();
        float* dst = b_.get();
        for (int s = 0; s < kStepsPerGraph; ++s) {
            record_step(src, dst);
            std::swap(src, dst);
        }
        record_energy(src);
        ok(cudaEventRecord(side_end_, side_), "record side end");
        ok(cudaStreamWaitEvent(main_, side_end_, 0), "join side");
        ok(cudaStreamEndCapture(main_, &graph), "end");
        ok(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        ok(cudaGraphDestroy(graph), "destroy");
        ok(cudaDeviceSynchronize(), "build");
    }

    void record_step(const float* src, float* dst) {
        ok(cudaEventRecord(fork_, main_), "fork");
        ok(cudaStreamWaitEvent(side_, fork_, 0), "side wait");
        ok(cudaEventRecord(walls_ready_, side_), "walls ready");  // HAZARD dependency
        wall_model<<<1, 2, 0, side_>>>(src, wall_.get(), kCells, kWallIters);
        ok(cudaGetLastError(), "wall_model");
        ok(cudaStreamWaitEvent(main_, walls_ready_, 0), "main wait");
        interior<<<kCells / 128, 128, 0, main_>>>(src, wall_.get(), dst, kCells);
        ok(cudaGetLastError(), "interior");
    }

    void record_energy(const float* u) {
        energy_sum<<<1, 256, 0, diag_>>>(u, energy_.get(), kCells);  // HAZARD escape
        ok(cudaGetLastError(), "energy");
    }

    Stream main_, side_, diag_;
    Event fork_, walls_ready_, side_end_;
    Device<float> a_, b_, wall_, energy_;
    cudaGraphExec_t exec_ = nullptr;
};

struct Reference {
    std::vector<double> u;
    void step() {
        double w0 = 0.5 * u[1] + 1.0, w1 = 0.5 * u[u.size() - 2] + 1.0;
        std::vector<double> v(u.size());
        for (size_t i = 0; i < u.size(); ++i) {
            double l = i == 0 ? w0 : u[i - 1], r = i + 1 == u.size() ? w1 : u[i + 1];
            v[i] = u[i] + 0.25 * (l - 2.0 * u[i] + r);
        }
        u.swap(v);
    }
    double energy() const {
        double e = 0;
        for (double x : u) e += x * x;
        return e;
    }
};

}  // namespace channel

int main() {
    using namespace channel;
    try {
        std::vector<float> u0(kCells);
        for (int i = 0; i < kCells; ++i) u0[i] = 4.f + std::sin(0.4f * i) * 3.f;
        Solver solver;
        solver.start(u0);
        Reference ref{std::vector<double>(u0.begin(), u0.end())};

        bool fields = true, energies = true;
        for (int r = 0; r < 3; ++r) {
            float e = solver.advance();
            for (int s = 0; s < kStepsPerGraph; ++s) ref.step();
            auto u = solver.field();
            double diff = 0;
            for (int i = 0; i < kCells; ++i) diff = std::fmax(diff, std::fabs(u[i] - ref.u[i]));
            double own = 0;
            for (float x : u) own += (double)x * x;
            std::printf("replay %d: field difference %.5f energy %.3f of %.3f\n", r, diff, e, own);
            fields &= diff < 5e-3;
            energies &= std::fabs(e - own) < 1e-3 * own;
        }
        std::puts(!fields && !energies ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::puts("LABEL WRONG");
    }
    return 0;
}
