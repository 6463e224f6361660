// Two-species particle-in-cell toy: every CUDA object is owned by a wrapper.
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sim {

inline void check(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(rc));
}

template <class H, cudaError_t (*Destroy)(H)>
class Handle {
public:
    Handle() = default;
    explicit Handle(H h) : h_(h) {}
    Handle(Handle&& o) noexcept : h_(std::exchange(o.h_, H{})) {}
    Handle& operator=(Handle&& o) noexcept { std::swap(h_, o.h_); return *this; }
    ~Handle() { if (h_) Destroy(h_); }
    H get() const { return h_; }
protected:
    H h_{};
};

class Event : public Handle<cudaEvent_t, cudaEventDestroy> {
public:
    Event() { check(cudaEventCreateWithFlags(&h_, cudaEventDisableTiming), "event"); }
};

class Stream : public Handle<cudaStream_t, cudaStreamDestroy> {
public:
    Stream() { check(cudaStreamCreateWithFlags(&h_, cudaStreamNonBlocking), "stream"); }
    void record(const Event& e) const { check(cudaEventRecord(e.get(), h_), "record"); }
    void wait(const Event& e) const { check(cudaStreamWaitEvent(h_, e.get(), 0), "wait"); }
    void sync() const { check(cudaStreamSynchronize(h_), "sync"); }
};

class Graph : public Handle<cudaGraph_t, cudaGraphDestroy> {
public:
    template <class F>
    static Graph capture(const Stream& s, F&& body) {
        Graph g;
        check(cudaStreamBeginCapture(s.get(), cudaStreamCaptureModeThreadLocal), "begin");
        body(s.get());
        cudaError_t launch = cudaGetLastError();
        check(cudaStreamEndCapture(s.get(), &g.h_), "end");
        check(launch, "body");
        return g;
    }
};

class GraphExec : public Handle<cudaGraphExec_t, cudaGraphExecDestroy> {
public:
    explicit GraphExec(const Graph& g) { check(cudaGraphInstantiate(&h_, g.get(), 0), "instantiate"); }
    void launch(const Stream& s) const { check(cudaGraphLaunch(h_, s.get()), "launch"); }
};

template <class T>
class DeviceBuffer {
public:
    DeviceBuffer(size_t n, T fill) : n_(n) {
        check(cudaMalloc(&p_, n * sizeof(T)), "buffer");
        std::vector<T> h(n, fill);
        check(cudaMemcpy(p_, h.data(), n * sizeof(T), cudaMemcpyHostToDevice), "fill");
        check(cudaDeviceSynchronize(), "fill");
    }
    ~DeviceBuffer() { cudaFree(p_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    T* data() const { return p_; }
    int size() const { return int(n_); }
    std::vector<T> host() const {
        std::vector<T> h(n_);
        check(cudaMemcpy(h.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "read");
        return h;
    }
private:
    T* p_ = nullptr;
    size_t n_;
};

__global__ void deposit(float* grid, const float* charge, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) grid[i] = charge[i];
}
__global__ void solve(float* grid, int n, long long cycles) {
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {}
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) grid[i] *= 2.0f;
}
__global__ void push(float* momentum, const float* grid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) momentum[i] += grid[i];
}

class Species {
public:
    Species(int cells, float charge, long long cycles, DeviceBuffer<float>& grid)
        : charge_(cells, charge), momentum_(cells, 0.0f), exec_(Graph::capture(stream_, [&](cudaStream_t s) {
              const int blocks = (cells + 127) / 128;
              deposit<<<blocks, 128, 0, s>>>(grid.data(), charge_.data(), cells);
              solve<<<blocks, 128, 0, s>>>(grid.data(), cells, cycles);
              push<<<blocks, 128, 0, s>>>(momentum_.data(), grid.data(), cells);
          })) {}
    void advance() const { exec_.launch(stream_); }
    const Stream& stream() const { return stream_; }
    std::vector<float> momentum() const { return momentum_.host(); }
private:
    Stream stream_;
    DeviceBuffer<float> charge_, momentum_;
    GraphExec exec_;
};

class Plasma {
public:
    explicit Plasma(int cells)
        : grid_(cells, 0.0f), electrons_(cells, -1.0f, 8000000LL, grid_), ions_(cells, 3.0f, 1000LL, grid_) {}
    ~Plasma() {
        cudaStreamSynchronize(electrons_.stream().get());
        cudaStreamSynchronize(ions_.stream().get());
    }
    void step() {
        electrons_.advance(); // HAZARD concurrent #grid
        ions_.advance(); // HAZARD concurrent #grid
        electrons_.stream().record(electronsDone_);
        ions_.stream().record(ionsDone_);
        electrons_.stream().wait(ionsDone_);
        ions_.stream().wait(electronsDone_);
    }
    void finish() const {
        electrons_.stream().sync();
        ions_.stream().sync();
    }
    const Species& electrons() const { return electrons_; }
    const Species& ions() const { return ions_; }
private:
    DeviceBuffer<float> grid_;
    Event electronsDone_, ionsDone_;
    Species electrons_, ions_;
};

} // namespace sim

int main() {
    const int cells = 1024, steps = 5;
    int wrong = 0;
    try {
        sim::Plasma plasma(cells);
        for (int k = 0; k < steps; ++k) plasma.step();
        plasma.finish();
        std::vector<float> e = plasma.electrons().momentum(), i = plasma.ions().momentum();
        for (int c = 0; c < cells; ++c) wrong += e[c] != -2.0f * steps || i[c] != 6.0f * steps;
        std::printf("electron %.1f (want %.1f), ion %.1f (want %.1f), wrong cells %d\n", e[0], -2.0f * steps, i[0],
                    6.0f * steps, wrong);
    } catch (const std::exception& ex) {
        std::printf("%s\nLABEL UNOBSERVED\n", ex.what());
        return 1;
    }
    bool seen = wrong > 0;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
