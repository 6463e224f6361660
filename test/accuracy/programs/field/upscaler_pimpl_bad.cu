// Video upscaler behind a pimpl. Scratch memory comes from a process-wide pool; the filter of a picture is captured when
// the upscaler is constructed.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

// ---- upscaler.h

class Upscaler {
public:
    Upscaler(int width, float sharpness);
    ~Upscaler();
    cudaError_t status() const;
    std::vector<float> process(const std::vector<float>& row);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// ---- scratch.cpp

class ScratchPool {
public:
    static ScratchPool& instance() {
        static ScratchPool pool;
        return pool;
    }

    // Blocks are shared by users of the same size and stay until the end of the process.
    float* block(std::size_t floats, cudaError_t& rc) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = blocks_.find(floats);
        if (found != blocks_.end()) return found->second;
        float* fresh = nullptr;
        rc = cudaMalloc(&fresh, floats * sizeof(float));  // HAZARD memory #scratch
        if (rc != cudaSuccess) return nullptr;
        blocks_.emplace(floats, fresh);
        return fresh;
    }

private:
    ScratchPool() = default;
    std::mutex mutex_;
    std::map<std::size_t, float*> blocks_;
};

// ---- upscaler.cpp

__global__ void doubleRow(const float* in, float* wide, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width) return;
    const float next = in[i + 1 < width ? i + 1 : i];
    wide[2 * i] = in[i];
    wide[2 * i + 1] = 0.5f * (in[i] + next);
}

__global__ void sharpen(const float* wide, float* out, int width, float amount) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width) return;
    const float left = wide[i > 0 ? i - 1 : i], right = wide[i + 1 < width ? i + 1 : i];
    out[i] = wide[i] + amount * (2.0f * wide[i] - left - right);
}

class Upscaler::Impl {
public:
    Impl(int width, float sharpness) : width_(width), sharpness_(sharpness) {
        if ((status_ = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)) != cudaSuccess) return;
        if ((status_ = cudaMalloc(&in_, width_ * sizeof(float))) != cudaSuccess) return;
        if ((status_ = cudaMalloc(&out_, 2 * width_ * sizeof(float))) != cudaSuccess) return;
        status_ = capture();
    }
    ~Impl() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(in_);
        cudaFree(out_);
        cudaStreamDestroy(stream_);
    }

    cudaError_t status() const { return status_; }

    std::vector<float> process(const std::vector<float>& row) {
        std::vector<float> out(2 * width_);
        cudaMemcpyAsync(in_, row.data(), width_ * sizeof(float), cudaMemcpyHostToDevice, stream_);
        status_ = cudaGraphLaunch(exec_, stream_);
        cudaMemcpyAsync(out.data(), out_, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_);
        const cudaError_t waited = cudaStreamSynchronize(stream_);
        if (status_ == cudaSuccess) status_ = waited;
        return out;
    }

private:
    cudaError_t enqueue() {
        cudaError_t rc = cudaSuccess;
        float* wide = ScratchPool::instance().block(2 * width_, rc);  // HAZARD memory #scratch
        if (rc != cudaSuccess) return rc;
        doubleRow<<<(width_ + 63) / 64, 64, 0, stream_>>>(in_, wide, width_);
        sharpen<<<(2 * width_ + 63) / 64, 64, 0, stream_>>>(wide, out_, 2 * width_, sharpness_);
        return cudaGetLastError();
    }

    cudaError_t capture() {
        cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) return rc;
        const cudaError_t queued = enqueue();
        cudaGraph_t graph = nullptr;
        rc = cudaStreamEndCapture(stream_, &graph);
        if (queued != cudaSuccess) rc = queued;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        return rc;
    }

    const int width_;
    const float sharpness_;
    cudaStream_t stream_ = nullptr;
    float *in_ = nullptr, *out_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    cudaError_t status_ = cudaSuccess;
};

Upscaler::Upscaler(int width, float sharpness) : impl_(std::make_unique<Impl>(width, sharpness)) {}
Upscaler::~Upscaler() = default;
cudaError_t Upscaler::status() const { return impl_->status(); }
std::vector<float> Upscaler::process(const std::vector<float>& row) { return impl_->process(row); }

// ---- main.cpp

int main() {
    Upscaler upscaler(300, 0.25f);
    const cudaError_t rc = upscaler.status();
    std::printf("upscaler: %s\n", cudaGetErrorName(rc));
    if (rc == cudaErrorStreamCaptureUnsupported) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::puts("LABEL NOT CONFIRMED: the first use of the pool was expected to be refused");
    return 1;
}
