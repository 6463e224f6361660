// Range image from lidar sweeps: pinned scan slots, one captured pipeline, one launch per sweep.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lidar {

inline void check(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(rc));
}

struct CudaDeleter {
    void operator()(void* p) const { cudaFree(p); }
};
template <class T>
using DevicePtr = std::unique_ptr<T[], CudaDeleter>;

template <class T>
DevicePtr<T> makeDevice(std::size_t n) {
    void* p = nullptr;
    check(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
    return DevicePtr<T>(static_cast<T*>(p));
}

// One pinned sweep. Nobody may touch the bytes while the GPU still reads them.
class ScanSlot {
public:
    explicit ScanSlot(std::size_t beams) : beams_(beams) {
        check(cudaMallocHost(reinterpret_cast<void**>(&data_), beams * sizeof(float)), "cudaMallocHost");
        check(cudaEventCreateWithFlags(&consumed_, cudaEventDisableTiming), "cudaEventCreate");
    }
    ScanSlot(const ScanSlot&) = delete;
    ScanSlot& operator=(const ScanSlot&) = delete;
    ~ScanSlot() {
        cudaEventDestroy(consumed_);
        cudaFreeHost(data_);
    }

    float* ranges() {
        requireIdle();
        return data_;
    }
    const float* address() const { return data_; }
    std::size_t bytes() const { return beams_ * sizeof(float); }
    void markConsumed(cudaStream_t s) { check(cudaEventRecord(consumed_, s), "cudaEventRecord"); }

private:
    void requireIdle() const {
        const cudaError_t rc = cudaEventQuery(consumed_);
        if (rc == cudaErrorNotReady) throw std::logic_error("scan slot is still in use");
        check(rc, "cudaEventQuery");
    }

    std::size_t beams_;
    float* data_ = nullptr;
    cudaEvent_t consumed_ = nullptr;
};

__global__ void toRangeImage(const float* ranges, float* image, int beams, float inverseMax) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < beams) image[i] = fminf(ranges[i] * inverseMax, 1.0f);
}

template <class Fn>
cudaGraphExec_t captureInto(cudaStream_t s, Fn&& enqueue) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), "begin capture");
    try {
        enqueue(s);
    } catch (...) {
        if (cudaStreamEndCapture(s, &graph) == cudaSuccess) cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(s, &graph), "end capture");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    check(rc, "instantiate");
    return exec;
}

class RangeImager {
public:
    RangeImager(int beams, float maxRange)
        : beams_(beams), maxRange_(maxRange), slot_(beams), scan_(makeDevice<float>(beams)),
          image_(makeDevice<float>(beams)) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~RangeImager() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void build() {
        exec_ = captureInto(stream_, [this](cudaStream_t s) { enqueue(s); });
    }

    void push(const std::vector<float>& sweep) {
        std::copy(sweep.begin(), sweep.end(), slot_.ranges());
        check(cudaGraphLaunch(exec_, stream_), "launch");
        slot_.markConsumed(stream_);
        check(cudaStreamSynchronize(stream_), "sync");
    }

    std::vector<float> image() const {
        std::vector<float> out(beams_);
        check(cudaMemcpy(out.data(), image_.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost), "readback");
        return out;
    }

private:
    void upload(cudaStream_t s) {
        check(cudaMemcpyAsync(scan_.get(), slot_.address(), slot_.bytes(), cudaMemcpyHostToDevice, s), "upload");
    }
    void enqueue(cudaStream_t s) {
        upload(s);
        toRangeImage<<<(beams_ + 127) / 128, 128, 0, s>>>(scan_.get(), image_.get(), beams_, 1.0f / maxRange_);
        check(cudaGetLastError(), "toRangeImage");
    }

    const int beams_;
    const float maxRange_;
    ScanSlot slot_;
    DevicePtr<float> scan_, image_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace lidar

int main() {
    constexpr int kBeams = 1024;
    bool good = true;
    try {
        lidar::RangeImager imager(kBeams, 80.0f);
        imager.build();
        for (int k = 1; k <= 3; ++k) {
            imager.push(std::vector<float>(kBeams, 10.0f * k));
            for (float v : imager.image()) good = good && std::fabs(v - k / 8.0f) < 1e-5f;
        }
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        good = false;
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
