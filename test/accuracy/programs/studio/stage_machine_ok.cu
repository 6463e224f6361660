#include <cuda_runtime.h>
#include <array>
#include <cstdio>
#include <cstdint>

// Terrain streaming job: the engine calls step() once per frame slice, and the job
// records its mesh pipeline over several slices so that no slice takes too long.

__global__ void sampleHeights(const float* seed, float* h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) h[i] = *seed + float(i);
}

__global__ void smoothHeights(const float* h, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float l = h[i > 0 ? i - 1 : 0], r = h[i < n - 1 ? i + 1 : n - 1];
    out[i] = 0.25f * l + 0.5f * h[i] + 0.25f * r;
}

__global__ void packNormals(const float* out, uint32_t* packed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) packed[i] = uint32_t(out[i]);
}

enum class Phase : uint8_t { Idle, Open, Sample, Smooth, Pack, Close, Ready, Failed };

struct Resume {
    Phase next;
    cudaError_t error;
};

class TerrainJob {
public:
    static constexpr int kSide = 512;

    cudaError_t init()
    {
        for (auto& l : lanes_)
            if (auto e = cudaStreamCreateWithFlags(&l, cudaStreamNonBlocking)) return e;
        if (auto e = cudaMalloc(&seed_, sizeof(float))) return e;
        if (auto e = cudaMalloc(&h_, kSide * sizeof(float))) return e;
        if (auto e = cudaMalloc(&out_, kSide * sizeof(float))) return e;
        if (auto e = cudaMalloc(&packed_, kSide * sizeof(uint32_t))) return e;
        phase_ = Phase::Idle;
        return cudaSuccess;
    }
    ~TerrainJob()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(seed_);
        cudaFree(h_);
        cudaFree(out_);
        cudaFree(packed_);
        for (auto l : lanes_) cudaStreamDestroy(l);
    }

    Phase step()
    {
        Resume r = resume();
        phase_ = r.error == cudaSuccess ? r.next : Phase::Failed;
        if (r.error != cudaSuccess && error_ == cudaSuccess) error_ = r.error;
        ++slice_;
        return phase_;
    }
    cudaStream_t lane() const { return lanes_[slice_ % lanes_.size()]; }
    cudaError_t error() const { return error_; }

    cudaError_t generate(float seed, uint32_t* host)
    {
        cudaStream_t s = lanes_[0];
        if (auto e = cudaMemcpyAsync(seed_, &seed, sizeof seed, cudaMemcpyHostToDevice, s)) return e;
        if (auto e = cudaGraphLaunch(exec_, s)) return e;
        if (auto e = cudaMemcpyAsync(host, packed_, kSide * sizeof(uint32_t), cudaMemcpyDeviceToHost, s)) return e;
        return cudaStreamSynchronize(s);
    }

private:
    Resume resume()
    {
        const dim3 grid(kSide / 128), block(128);
        switch (phase_) {
        case Phase::Idle:
            return {Phase::Open, cudaSuccess};
        case Phase::Open:
            recorder_ = lane();
            return {Phase::Sample, cudaStreamBeginCapture(recorder_, cudaStreamCaptureModeRelaxed)};
        case Phase::Sample:
            sampleHeights<<<grid, block, 0, recorder_>>>(seed_, h_, kSide);
            return {Phase::Smooth, cudaGetLastError()};
        case Phase::Smooth:
            smoothHeights<<<grid, block, 0, recorder_>>>(h_, out_, kSide);
            return {Phase::Pack, cudaGetLastError()};
        case Phase::Pack:
            packNormals<<<grid, block, 0, recorder_>>>(out_, packed_, kSide);
            return {Phase::Close, cudaGetLastError()};
        case Phase::Close: {
            cudaGraph_t g = nullptr;
            cudaError_t e = cudaStreamEndCapture(recorder_, &g);
            if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, g, 0);
            if (g) cudaGraphDestroy(g);
            return {Phase::Ready, e};
        }
        case Phase::Ready:
        case Phase::Failed:
            break;
        }
        return {phase_, cudaSuccess};
    }

    std::array<cudaStream_t, 3> lanes_{};
    cudaStream_t recorder_ = nullptr;
    unsigned slice_ = 0;
    Phase phase_ = Phase::Failed;
    cudaError_t error_ = cudaSuccess;
    cudaGraphExec_t exec_ = nullptr;
    float *seed_ = nullptr, *h_ = nullptr, *out_ = nullptr;
    uint32_t* packed_ = nullptr;
};

int main()
{
    TerrainJob job;
    if (cudaError_t e = job.init()) {
        std::printf("LABEL REFUTED init %d\n", int(e));
        return 0;
    }
    Phase p = Phase::Idle;
    for (int f = 0; f < 8 && p != Phase::Ready && p != Phase::Failed; ++f) p = job.step();
    uint32_t tile[TerrainJob::kSide] = {};
    cudaError_t e1 = cudaErrorNotReady, e2 = cudaErrorNotReady;
    uint32_t first = 0, second = 0;
    if (p == Phase::Ready) {
        e1 = job.generate(10.0f, tile);
        first = tile[100];
        e2 = job.generate(50.0f, tile);
        second = tile[100];
    }
    bool label = e1 == cudaSuccess && e2 == cudaSuccess && first == 110 && second == 150;
    std::printf("LABEL %s %u %u error=%d\n", label ? "CONFIRMED" : "REFUTED", first, second, int(job.error()));
    return 0;
}
