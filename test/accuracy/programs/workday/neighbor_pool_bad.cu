// Molecular dynamics toy: a neighbor list is built on the device, then time steps are replayed from a graph.
// All temporary memory comes from the stream-ordered pool.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define MD_CHECK(call)                                                                        \
    do {                                                                                      \
        cudaError_t md_e = (call);                                                            \
        if (md_e != cudaSuccess) {                                                            \
            std::printf("LABEL NOT CONFIRMED: %s: %s\n", #call, cudaGetErrorString(md_e));    \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (0)

namespace md {

constexpr int kAtoms = 256;
constexpr int kNeighbors = 4;
constexpr float kDt = 0.0625f;

template <typename T>
class PoolBuffer {
public:
    PoolBuffer() = default;
    PoolBuffer(std::size_t n, cudaStream_t stream) : stream_(stream)
    {
        MD_CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data_), n * sizeof(T), stream_));
    }
    PoolBuffer(PoolBuffer&& o) noexcept : data_(std::exchange(o.data_, nullptr)), stream_(o.stream_) {}
    PoolBuffer& operator=(PoolBuffer&& o) noexcept
    {
        std::swap(data_, o.data_);
        std::swap(stream_, o.stream_);
        return *this;
    }
    ~PoolBuffer()
    {
        if (data_) MD_CHECK(cudaFreeAsync(data_, stream_));
    }
    T* get() const { return data_; }

private:
    T* data_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

__global__ void build_neighbors(int* neighbors, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < kNeighbors; ++k) neighbors[i * kNeighbors + k] = (i + (k + 1) * stride) % kAtoms;
}

__global__ void pair_forces(const float* x, const int* neighbors, float* force)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = 0.0f;
    for (int k = 0; k < kNeighbors; ++k) f += x[neighbors[i * kNeighbors + k]] - x[i];
    force[i] = f;
}

__global__ void integrate(float* x, const float* force)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += kDt * force[i];
}

class Simulation {
public:
    Simulation()
    {
        cudaMemPool_t pool = nullptr;
        std::uint64_t keep = UINT64_MAX; // keep freed blocks instead of returning them to the system
        MD_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
        MD_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
        MD_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        MD_CHECK(cudaMalloc(&x_, kAtoms * sizeof(float)));
    }
    ~Simulation()
    {
        MD_CHECK(cudaStreamSynchronize(stream_));
        forget();
        MD_CHECK(cudaFree(x_));
        MD_CHECK(cudaStreamDestroy(stream_));
    }

    cudaStream_t stream() const { return stream_; }

    void set_positions(const std::vector<float>& x)
    {
        MD_CHECK(cudaMemcpyAsync(x_, x.data(), kAtoms * sizeof(float), cudaMemcpyHostToDevice, stream_));
    }

    void rebuild(int stride)
    {
        forget();
        PoolBuffer<int> neighbors(kAtoms * kNeighbors, stream_); // HAZARD dangling #list
        build_neighbors<<<kAtoms / 64, 64, 0, stream_>>>(neighbors.get(), stride);
        MD_CHECK(cudaGetLastError());

        cudaGraph_t graph = nullptr;
        MD_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        {
            PoolBuffer<float> force(kAtoms, stream_);
            pair_forces<<<kAtoms / 64, 64, 0, stream_>>>(x_, neighbors.get(), force.get()); // HAZARD dangling #list
            integrate<<<kAtoms / 64, 64, 0, stream_>>>(x_, force.get());
            MD_CHECK(cudaGetLastError());
        }
        MD_CHECK(cudaStreamEndCapture(stream_, &graph));
        MD_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        MD_CHECK(cudaGraphDestroy(graph));
    }

    void run(int steps)
    {
        for (int s = 0; s < steps; ++s) MD_CHECK(cudaGraphLaunch(exec_, stream_));
    }

    std::vector<float> positions()
    {
        std::vector<float> x(kAtoms);
        MD_CHECK(cudaMemcpyAsync(x.data(), x_, kAtoms * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        MD_CHECK(cudaStreamSynchronize(stream_));
        return x;
    }

private:
    void forget()
    {
        if (exec_) MD_CHECK(cudaGraphExecDestroy(exec_));
        exec_ = nullptr;
    }

    cudaStream_t stream_ = nullptr;
    float* x_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

std::vector<float> reference(std::vector<float> x, int stride, int steps)
{
    for (int s = 0; s < steps; ++s) {
        std::vector<float> next(x);
        for (int i = 0; i < kAtoms; ++i)
            for (int k = 0; k < kNeighbors; ++k) next[i] += kDt * (x[(i + (k + 1) * stride) % kAtoms] - x[i]);
        x = next;
    }
    return x;
}

} // namespace md

int main()
{
    md::Simulation sim;
    std::vector<float> x(md::kAtoms);
    for (int i = 0; i < md::kAtoms; ++i) x[i] = static_cast<float>(i % 17);
    sim.set_positions(x);
    sim.rebuild(3);

    // An analysis keeps a histogram while the simulation goes on.
    md::PoolBuffer<int> histogram(md::kAtoms * md::kNeighbors, sim.stream());
    MD_CHECK(cudaMemsetAsync(histogram.get(), 0, md::kAtoms * md::kNeighbors * sizeof(int), sim.stream()));
    sim.run(4);
    const std::vector<float> got = sim.positions(), right = md::reference(x, 3, 4);
    int wrong = 0;
    for (int i = 0; i < md::kAtoms; ++i) wrong += std::fabs(got[i] - right[i]) > 1e-3f;
    if (wrong > md::kAtoms / 2) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: %d of %d positions are wrong\n", wrong, md::kAtoms);
    return 1;
}
