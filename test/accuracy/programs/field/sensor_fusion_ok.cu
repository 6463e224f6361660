// Fuses lidar and radar range readings. The fusion graph is recorded by the setup code while a worker finishes and
// instantiates it, so that the setup code can go on with the calibration.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <future>
#include <memory>
#include <type_traits>
#include <vector>

namespace fusion {

constexpr int kCells = 512;

__global__ void alignRadar(const float* raw, const float* offset, float* aligned) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells) aligned[i] = raw[i] + offset[i];
}

__global__ void blendRanges(const float* lidar, const float* radar, float* fused, float lidarWeight) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells) fused[i] = lidarWeight * lidar[i] + (1.0f - lidarWeight) * radar[i];
}

struct ExecDeleter {
    void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using ExecPtr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

struct Recorded {
    cudaError_t status = cudaSuccess;
    ExecPtr exec;
};

struct Buffers {
    float *lidar, *radar, *offset, *aligned, *fused;
};

class GraphRecorder {
public:
    explicit GraphRecorder(cudaStream_t stream) : stream_(stream) {}

    cudaError_t begin() { return cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed); }

    Recorded finish() {
        Recorded out;
        cudaGraph_t graph = nullptr;
        out.status = cudaStreamEndCapture(stream_, &graph);
        if (out.status != cudaSuccess) return out;
        cudaGraphExec_t exec = nullptr;
        out.status = cudaGraphInstantiate(&exec, graph, 0);
        out.exec.reset(exec);
        cudaGraphDestroy(graph);
        return out;
    }

private:
    cudaStream_t stream_;
};

static cudaError_t enqueue(cudaStream_t stream, const Buffers& b) {
    alignRadar<<<kCells / 64, 64, 0, stream>>>(b.radar, b.offset, b.aligned);
    blendRanges<<<kCells / 64, 64, 0, stream>>>(b.lidar, b.aligned, b.fused, 0.7f);
    return cudaGetLastError();
}

static std::vector<float> calibrationOffsets() {
    std::vector<float> offset(kCells);
    for (int i = 0; i < kCells; ++i) offset[i] = 0.05f * std::sin(0.1f * float(i));
    return offset;
}

}  // namespace fusion

int main() {
    using namespace fusion;
    cudaStream_t stream = nullptr;
    float* memory = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc(&memory, 5 * kCells * sizeof(float)) != cudaSuccess) {
        std::puts("LABEL NOT CONFIRMED: no device");
        return 1;
    }
    const Buffers buffers{memory, memory + kCells, memory + 2 * kCells, memory + 3 * kCells, memory + 4 * kCells};
    const std::size_t bytes = kCells * sizeof(float);

    GraphRecorder recorder(stream);
    const cudaError_t begun = recorder.begin();
    const cudaError_t queued = begun == cudaSuccess ? enqueue(stream, buffers) : begun;
    std::future<Recorded> pending = std::async(std::launch::async, [&recorder] { return recorder.finish(); });
    const std::vector<float> offset = calibrationOffsets();
    const Recorded recorded = pending.get();
    std::printf("begin %s, record %s, finish %s\n", cudaGetErrorName(begun), cudaGetErrorName(queued), cudaGetErrorName(recorded.status));

    bool confirmed = begun == cudaSuccess && queued == cudaSuccess && recorded.status == cudaSuccess && recorded.exec;
    cudaMemcpyAsync(buffers.offset, offset.data(), bytes, cudaMemcpyHostToDevice, stream);
    std::vector<float> lidar(kCells), radar(kCells), fused(kCells);
    for (int scan = 0; confirmed && scan < 3; ++scan) {
        for (int i = 0; i < kCells; ++i) {
            lidar[i] = 10.0f + 0.01f * float((i + 17 * scan) % 100);
            radar[i] = 10.5f + 0.02f * float((i * 3 + scan) % 50);
        }
        cudaMemcpyAsync(buffers.lidar, lidar.data(), bytes, cudaMemcpyHostToDevice, stream);
        cudaMemcpyAsync(buffers.radar, radar.data(), bytes, cudaMemcpyHostToDevice, stream);
        confirmed = cudaGraphLaunch(recorded.exec.get(), stream) == cudaSuccess;
        cudaMemcpyAsync(fused.data(), buffers.fused, bytes, cudaMemcpyDeviceToHost, stream);
        confirmed = confirmed && cudaStreamSynchronize(stream) == cudaSuccess;
        for (int i = 0; i < kCells; ++i) {
            const float expected = 0.7f * lidar[i] + 0.3f * (radar[i] + offset[i]);
            confirmed = confirmed && std::fabs(expected - fused[i]) < 1e-3f;
        }
    }
    cudaFree(memory);
    cudaStreamDestroy(stream);
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL NOT CONFIRMED: a scan was fused wrongly");
    return confirmed ? 0 : 1;
}
