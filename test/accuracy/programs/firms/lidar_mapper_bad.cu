// Two lidar pipelines of a mobile robot, front and rear. Each owns a stream and a graph (upload, projection, pose
// scoring); both graphs run at the same time and get their working memory from one arena.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

static void req(cudaError_t e, int line) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "lidar line %d: %s\n", line, cudaGetErrorString(e));
        std::exit(4);
    }
}
#define REQ(x) req((x), __LINE__)

namespace lidar {

constexpr int kPoints = 1 << 20;  // returns per sweep, fixed by the sensor
constexpr int kPoses = 64;
constexpr int kPoseBlocks = 8;
constexpr int kCalibEntries = 16;

using Score = unsigned long long;

class DeviceArena {
public:
    explicit DeviceArena(size_t bytes) : capacity_(bytes) { REQ(cudaMalloc(&base_, bytes)); }
    ~DeviceArena() { cudaFree(base_); }
    DeviceArena(const DeviceArena&) = delete;
    DeviceArena& operator=(const DeviceArena&) = delete;
    template <class T>
    T* take(size_t n) {
        const size_t bytes = (n * sizeof(T) + 255) / 256 * 256;
        if (used_ + bytes > capacity_) REQ(cudaErrorMemoryAllocation);
        void* p = base_ + used_;
        used_ += bytes;
        return static_cast<T*>(p);
    }

private:
    char* base_ = nullptr;
    size_t capacity_;
    size_t used_ = 0;
};

__global__ void fillSweep(unsigned* raw, unsigned sensor, unsigned sweep) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPoints) raw[i] = (i % 7) + sensor * 100 + sweep;
}

// Range correction with the shared calibration table, then projection into the robot frame.
__global__ void project(const unsigned* raw, const unsigned* calib, unsigned* points) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPoints) points[i] = raw[i] * calib[i % kCalibEntries];
}

// Scores pose hypotheses one after the other; every hypothesis reads the whole cloud from another start.
__global__ void scorePoses(const unsigned* points, Score* score) {
    __shared__ Score total;
    for (int h = blockIdx.x; h < kPoses; h += gridDim.x) {
        if (threadIdx.x == 0) total = 0;
        __syncthreads();
        Score mine = 0;
        for (int i = threadIdx.x; i < kPoints; i += blockDim.x) mine += points[(i + h * 977) & (kPoints - 1)];
        atomicAdd(&total, mine);
        __syncthreads();
        if (threadIdx.x == 0) score[h] = total * (h + 1);
        __syncthreads();
    }
}

class ScanPipeline {
public:
    ScanPipeline(unsigned sensor, const unsigned* calib, unsigned* cloud) : sensor_(sensor), calib_(calib), cloud_(cloud) {
        REQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        REQ(cudaMalloc(&raw_, kPoints * sizeof(unsigned)));
        REQ(cudaMalloc(&score_, kPoses * sizeof(Score)));
        REQ(cudaMallocHost(&host_, kPoses * sizeof(Score)));
        record();
    }
    ~ScanPipeline() {
        cudaGraphExecDestroy(exec_);
        cudaFreeHost(host_);
        cudaFree(score_);
        cudaFree(raw_);
        cudaStreamDestroy(stream_);
    }
    ScanPipeline(const ScanPipeline&) = delete;
    ScanPipeline& operator=(const ScanPipeline&) = delete;

    // Stands in for the sensor DMA, which fills the raw buffer between two sweeps.
    void receive(unsigned sweep) {
        fillSweep<<<kPoints / 256, 256, 0, stream_>>>(raw_, sensor_, sweep);
        REQ(cudaGetLastError());
    }
    void waitIdle() { REQ(cudaStreamSynchronize(stream_)); }
    void start() { REQ(cudaGraphLaunch(exec_, stream_)); }

    bool scoresMatch(unsigned sweep, const unsigned* calib) const {
        Score sum = 0;
        for (int i = 0; i < kPoints; ++i) sum += ((i % 7) + sensor_ * 100 + sweep) * calib[i % kCalibEntries];
        for (int h = 0; h < kPoses; ++h)
            if (host_[h] != sum * (h + 1)) return false;
        return true;
    }

private:
    void record() {
        cudaGraph_t graph = nullptr;
        REQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        project<<<kPoints / 256, 256, 0, stream_>>>(raw_, calib_, cloud_);  // HAZARD concurrent #cloud
        scorePoses<<<kPoseBlocks, 256, 0, stream_>>>(cloud_, score_);
        REQ(cudaGetLastError());
        REQ(cudaMemcpyAsync(host_, score_, kPoses * sizeof(Score), cudaMemcpyDeviceToHost, stream_));
        REQ(cudaStreamEndCapture(stream_, &graph));
        REQ(cudaGraphInstantiate(&exec_, graph, 0));
        REQ(cudaGraphDestroy(graph));
    }

    unsigned sensor_;
    const unsigned* calib_;
    unsigned* cloud_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    unsigned* raw_ = nullptr;
    Score* score_ = nullptr;
    Score* host_ = nullptr;  // pinned
};

}  // namespace lidar

int main() {
    using namespace lidar;
    unsigned table[kCalibEntries];
    for (int i = 0; i < kCalibEntries; ++i) table[i] = 1 + i % 3;

    bool good = true;
    {
        DeviceArena arena((kPoints + 4096) * sizeof(unsigned));
        unsigned* calib = arena.take<unsigned>(kCalibEntries);
        unsigned* cloud = arena.take<unsigned>(kPoints);
        REQ(cudaMemcpy(calib, table, sizeof table, cudaMemcpyHostToDevice));
        REQ(cudaDeviceSynchronize());
        ScanPipeline front(1, calib, cloud);
        ScanPipeline rear(2, calib, cloud);  // HAZARD concurrent #cloud
        for (unsigned sweep = 1; sweep <= 6; ++sweep) {
            front.receive(sweep);
            rear.receive(sweep);
            front.waitIdle();
            rear.waitIdle();
            front.start();
            rear.start();  // HAZARD concurrent #cloud
            front.waitIdle();
            rear.waitIdle();
            const bool ok = front.scoresMatch(sweep, table) && rear.scoresMatch(sweep, table);
            if (!ok) std::printf("sweep %u: scores differ\n", sweep);
            good = good && ok;
        }
    }
    std::puts(!good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
