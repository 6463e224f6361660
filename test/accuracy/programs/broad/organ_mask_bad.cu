// CT segmentation overlay: volume slice times organ mask. The clinician swaps masks while slices keep coming.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ct {

class GpuError : public std::runtime_error {
public:
    GpuError(const char* where, cudaError_t rc)
        : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(rc)) {}
};
#define CT_CHECK(x)                                            \
    if (const cudaError_t ct_rc = (x); ct_rc != cudaSuccess) { \
        throw ct::GpuError(#x, ct_rc);                         \
    } else                                                     \
        (void)0

class DeviceImage {
public:
    DeviceImage(int w, int h, float value = 0.0f) : w_(w), h_(h) {
        CT_CHECK(cudaMalloc(&data_, pixels() * sizeof(float)));
        const std::vector<float> host(pixels(), value);
        CT_CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
        CT_CHECK(cudaDeviceSynchronize());
    }
    DeviceImage(const DeviceImage&) = delete;
    DeviceImage& operator=(const DeviceImage&) = delete;
    ~DeviceImage() { cudaFree(data_); }
    std::size_t pixels() const { return std::size_t(w_) * h_; }
    float* data() const { return data_; }

private:
    int w_, h_;
    float* data_ = nullptr;
};

__global__ void applyMask(const float* slice, const float* mask, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = slice[i] * mask[i];
}

// Move-only owner of an instantiated graph.
class Program {
public:
    template <class Fn>
    Program(cudaStream_t s, Fn&& enqueue) {
        cudaGraph_t graph = nullptr;
        CT_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        const cudaError_t queued = std::forward<Fn>(enqueue)(s);
        const cudaError_t ended = cudaStreamEndCapture(s, &graph);
        cudaError_t rc = queued != cudaSuccess ? queued : ended;
        if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        CT_CHECK(rc);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { cudaGraphExecDestroy(exec_); }
    void launch(cudaStream_t s) const { CT_CHECK(cudaGraphLaunch(exec_, s)); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

class Overlay {
public:
    Overlay(int w, int h, std::shared_ptr<const DeviceImage> mask)
        : slice_(w, h), out_(w, h), mask_(std::move(mask)) {
        CT_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Overlay() {
        program_.reset();
        cudaStreamDestroy(stream_);
    }

    void setMask(std::shared_ptr<const DeviceImage> mask) {
        if (mask->pixels() != slice_.pixels()) throw std::invalid_argument("mask size");
        mask_ = std::move(mask);  // HAZARD dangling #1
    }

    std::vector<float> render(const std::vector<float>& slice) {
        if (!program_) {
            program_.emplace(stream_, [this](cudaStream_t s) { return enqueue(s); });
        }
        std::vector<float> out(slice.size());
        const std::size_t bytes = slice.size() * sizeof(float);
        CT_CHECK(cudaMemcpyAsync(slice_.data(), slice.data(), bytes, cudaMemcpyHostToDevice, stream_));
        program_->launch(stream_);
        CT_CHECK(cudaMemcpyAsync(out.data(), out_.data(), bytes, cudaMemcpyDeviceToHost, stream_));
        CT_CHECK(cudaStreamSynchronize(stream_));
        return out;
    }

private:
    cudaError_t enqueue(cudaStream_t s) const {
        const int n = int(slice_.pixels());
        applyMask<<<(n + 255) / 256, 256, 0, s>>>(slice_.data(), mask_->data(), out_.data(), n);  // HAZARD dangling #1
        return cudaGetLastError();
    }

    DeviceImage slice_, out_;
    std::shared_ptr<const DeviceImage> mask_;
    std::optional<Program> program_;
    cudaStream_t stream_ = nullptr;
};

}  // namespace ct

int main() {
    constexpr int kW = 128, kH = 64;
    int wrong = 0;
    try {
        ct::Overlay overlay(kW, kH, std::make_shared<ct::DeviceImage>(kW, kH, 1.0f));
        const std::vector<float> slice(kW * kH, 3.0f);
        float level = 1.0f;
        for (int k = 0; k < 3; ++k) {
            for (float v : overlay.render(slice)) wrong += std::fabs(v - 3.0f * level) < 1e-5f ? 0 : 1;
            level += 1.0f;
            overlay.setMask(std::make_shared<ct::DeviceImage>(kW, kH, level));
        }
        for (float v : overlay.render(slice)) wrong += std::fabs(v - 3.0f * level) < 1e-5f ? 0 : 1;
    } catch (const std::exception& e) {
        std::puts(e.what());
        wrong = -1;
    }
    std::printf("wrong pixels: %d\n", wrong);
    std::puts(wrong != 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
