// Robot: finds the nearest obstacle in each lidar scan. Upload, conversion, and reduction are one graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

namespace robot {

constexpr int kMaxPoints = 4096;

struct Point {
    float x, y;
};

__global__ void squaredRanges(const Point* points, float* ranges, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) ranges[i] = points[i].x * points[i].x + points[i].y * points[i].y;
}

__global__ void nearest(const float* ranges, int count, float* clearance)
{
    __shared__ float best[128];
    float mine = 1e30f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) mine = fminf(mine, ranges[i]);
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 64; half > 0; half >>= 1) {
        if (threadIdx.x < half) best[threadIdx.x] = fminf(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *clearance = best[0];
}

class ClearanceEstimator {
public:
    static std::optional<ClearanceEstimator> create()
    {
        ClearanceEstimator e;
        if (cudaStreamCreateWithFlags(&e.stream_, cudaStreamNonBlocking)) return std::nullopt;
        if (cudaMallocHost(&e.staging_, kMaxPoints * sizeof(Point))) return std::nullopt;
        if (cudaMalloc(&e.points_, kMaxPoints * sizeof(Point))) return std::nullopt;
        if (cudaMalloc(&e.ranges_, kMaxPoints * sizeof(float))) return std::nullopt;
        if (cudaMallocHost(&e.clearance_, sizeof(float))) return std::nullopt;
        return e;
    }

    std::optional<float> onScan(const std::vector<Point>& scan)
    {
        if (scan.empty() || scan.size() > kMaxPoints) return std::nullopt;
        std::copy(scan.begin(), scan.end(), staging_);
        count_ = int(scan.size());
        if (!exec_ && !build()) return std::nullopt;
        if (cudaGraphLaunch(exec_, stream_) != cudaSuccess) return std::nullopt;
        if (cudaStreamSynchronize(stream_) != cudaSuccess) return std::nullopt;
        return *clearance_;
    }

private:
    ClearanceEstimator() = default;

    cudaGraph_t record()
    {
        cudaGraph_t graph = nullptr;
        if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return nullptr;
        cudaMemcpyAsync(points_, staging_, count_ * sizeof(Point), cudaMemcpyHostToDevice, stream_);  // HAZARD dynamic_shape #n
        squaredRanges<<<(count_ + 127) / 128, 128, 0, stream_>>>(points_, ranges_, count_);           // HAZARD dynamic_shape #n
        nearest<<<1, 128, 0, stream_>>>(ranges_, count_, clearance_);                                 // HAZARD dynamic_shape #n
        if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) return nullptr;
        return graph;
    }

    bool build()
    {
        cudaGraph_t graph = record();
        if (!graph) return false;
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        return made == cudaSuccess;
    }

    cudaStream_t stream_ = nullptr;
    Point* staging_ = nullptr;
    Point* points_ = nullptr;
    float* ranges_ = nullptr;
    float* clearance_ = nullptr;
    int count_ = 0;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace robot

int main()
{
    auto estimator = robot::ClearanceEstimator::create();
    if (!estimator) {
        std::puts("LABEL NOT CONFIRMED: setup failed");
        return 1;
    }
    int right = 0, wrong = 0;
    for (int size : {300, 900, 250, 4000, 300}) {
        std::vector<robot::Point> scan(size, robot::Point{30.0f, 40.0f});
        scan.back() = {3.0f, 4.0f};  // the obstacle is the last echo
        const auto clearance = estimator->onScan(scan);
        if (!clearance) {
            std::puts("LABEL NOT CONFIRMED: a scan failed");
            return 1;
        }
        (*clearance == 25.0f ? right : wrong)++;
    }
    std::printf("right %d, wrong %d\n", right, wrong);
    const bool confirmed = wrong == 2 && right == 3;  // the two scans larger than the first one miss the obstacle
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL NOT CONFIRMED: other scans were wrong");
    return confirmed ? 0 : 1;
}
