// Monte Carlo drift of pollen grains over a terrain. The increments come from Philox streams, the mean
// height from a CUB reduction; a time step with its substeps is one recorded graph.
#include <cuda_runtime.h>
#include <cub/device/device_reduce.cuh>
#include <curand_kernel.h>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pollen {

constexpr int kGrains = 8192;
constexpr int kBlock = 256;

class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t e, const std::string& what) : std::runtime_error(what + ": " + cudaGetErrorString(e)) {}
};

inline void require(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw CudaError(e, what);
}

__device__ int2 moved(int2 p, unsigned long long seed, unsigned long long offset, int i, int wind) {
    curandStatePhilox4_32_10_t st;
    curand_init(seed, i, offset, &st);
    uint4 r = curand4(&st);
    p.x += int(r.x % 1001) - 500 + wind;
    p.y += int(r.y % 201) - 100 - int(r.z % 3);
    return p;
}

// The base of the time step lies on the device, the part of the substep in it is a constant.
__global__ void drift(int2* pos, unsigned long long seed, const unsigned long long* base, unsigned part, int wind) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kGrains) pos[i] = moved(pos[i], seed, *base + part, i, wind);
}

__global__ void advanceBase(unsigned long long* base, unsigned n) { *base += n; }

// The same walk with the offset given by the caller; used by the check at the end.
__global__ void driftAt(int2* pos, unsigned long long seed, unsigned long long offset, int wind) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kGrains) pos[i] = moved(pos[i], seed, offset, i, wind);
}

// One Philox sequence; its position is kept on the device and is moved on by the graph itself.
class PhiloxSource {
public:
    explicit PhiloxSource(unsigned long long seed) : seed_(seed) {
        require(cudaMalloc(&base_, sizeof(*base_)), "base");
        require(cudaMemset(base_, 0, sizeof(*base_)), "base");
        require(cudaDeviceSynchronize(), "base");
    }
    ~PhiloxSource() { cudaFree(base_); }
    unsigned long long seed() const { return seed_; }
    unsigned long long* base() const { return base_; }

private:
    unsigned long long seed_;
    unsigned long long* base_ = nullptr;
};

__global__ void heights(const int2* pos, int* h, int* steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kGrains) h[i] = pos[i].y;
    if (i == 0) ++*steps;
}

// All device memory of a simulation.
struct Cloud {
    int2* pos = nullptr;
    int *height = nullptr, *sum = nullptr, *steps = nullptr;
    void* temp = nullptr;
    size_t tempBytes = 0;

    Cloud() {
        require(cudaMalloc(&pos, kGrains * sizeof(int2)), "pos");
        require(cudaMalloc(&height, kGrains * sizeof(int)), "height");
        require(cudaMalloc(&sum, sizeof(int)), "sum");
        require(cudaMalloc(&steps, sizeof(int)), "steps");
        require(cub::DeviceReduce::Sum(nullptr, tempBytes, height, sum, kGrains), "workspace size");
        require(cudaMalloc(&temp, tempBytes), "workspace");
        require(cudaMemset(pos, 0, kGrains * sizeof(int2)), "pos");
        require(cudaMemset(steps, 0, sizeof(int)), "steps");
        require(cudaDeviceSynchronize(), "cloud");
    }
    Cloud(const Cloud&) = delete;
    ~Cloud() {
        for (void* p : {(void*)pos, (void*)height, (void*)sum, (void*)steps, temp}) cudaFree(p);
    }
    std::vector<int2> positions() const {
        std::vector<int2> v(kGrains);
        require(cudaMemcpy(v.data(), pos, kGrains * sizeof(int2), cudaMemcpyDeviceToHost), "positions");
        return v;
    }
    int substeps() const {
        int n = 0;
        require(cudaMemcpy(&n, steps, sizeof(int), cudaMemcpyDeviceToHost), "steps");
        return n;
    }
};

class Simulation {
public:
    Simulation(PhiloxSource& rng, int wind, int substeps) : rng_(rng), wind_(wind), substeps_(substeps) {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        begin();
        cudaGraph_t g = end();
        require(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
        require(cudaGraphDestroy(g), "destroy");
    }
    ~Simulation() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    void setSubsteps(int n) {
        substeps_ = n;
        begin();
        cudaGraph_t g = end();
        cudaGraphExecUpdateResultInfo info{};
        if (cudaGraphExecUpdate(exec_, g, &info) != cudaSuccess) {
            // Another number of nodes needs another executable graph.
            cudaGetLastError();
            require(cudaGraphExecDestroy(std::exchange(exec_, nullptr)), "destroy");
            require(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
            ++rebuilt_;
        }
        require(cudaGraphDestroy(g), "destroy");
    }
    void setWind(int wind) {
        wind_ = wind;
        setSubsteps(substeps_);
    }
    void advance() { require(cudaGraphLaunch(exec_, stream_), "launch"); }
    void finish() { require(cudaStreamSynchronize(stream_), "finish"); }
    const Cloud& cloud() const { return cloud_; }
    int rebuilt() const { return rebuilt_; }

private:
    void begin() {
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        for (int k = 0; k < substeps_; ++k) {
            unsigned part = 4u * k;
            drift<<<kGrains / kBlock, kBlock, 0, stream_>>>(cloud_.pos, rng_.seed(), rng_.base(), part, wind_);
            heights<<<kGrains / kBlock, kBlock, 0, stream_>>>(cloud_.pos, cloud_.height, cloud_.steps);
        }
    }
    cudaGraph_t end() {
        cudaGraph_t g = nullptr;
        advanceBase<<<1, 1, 0, stream_>>>(rng_.base(), 4u * substeps_);
        require(cub::DeviceReduce::Sum(cloud_.temp, cloud_.tempBytes, cloud_.height, cloud_.sum, kGrains, stream_),
                "reduce");
        require(cudaStreamEndCapture(stream_, &g), "end");
        return g;
    }

    PhiloxSource& rng_;
    Cloud cloud_;
    int wind_, substeps_, rebuilt_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static bool samePositions(const std::vector<int2>& a, const std::vector<int2>& b) {
    for (int i = 0; i < kGrains; ++i)
        if (a[i].x != b[i].x || a[i].y != b[i].y) return false;
    return true;
}

// Walks a second cloud without a graph.
static void walk(Cloud& c, unsigned long long seed, unsigned long long& offset, int substeps, int wind) {
    for (int k = 0; k < substeps; ++k, offset += 4)
        driftAt<<<kGrains / kBlock, kBlock>>>(c.pos, seed, offset, wind);
    require(cudaDeviceSynchronize(), "walk");
}

}  // namespace pollen

int main() {
    using namespace pollen;
    try {
        PhiloxSource rng(0x5eed);
        Simulation sim(rng, 7, 2);
        Cloud twin;
        unsigned long long offset = 0;
        int wrong = 0, substeps = 0;
        auto steps = [&](int times, int n, int wind) {
            for (int t = 0; t < times; ++t, substeps += n) {
                sim.advance();
                sim.finish();
                walk(twin, rng.seed(), offset, n, wind);
                wrong += !samePositions(sim.cloud().positions(), twin.positions());
            }
        };
        steps(3, 2, 7);
        sim.setSubsteps(5);
        steps(2, 5, 7);
        sim.setWind(-20);
        steps(2, 5, -20);
        std::printf("wrong steps %d, substeps %d (expected %d), rebuilt %d times\n", wrong, sim.cloud().substeps(),
                    substeps, sim.rebuilt());
        bool fine = wrong == 0 && sim.cloud().substeps() == substeps && sim.rebuilt() >= 1;
        std::printf(fine ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
    }
    return 0;
}
