#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace llm {

inline void CudaCheck(cudaError_t e, const char* file, int line) {
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + cudaGetErrorString(e));
}
#define LLM_CUDA(x) ::llm::CudaCheck((x), __FILE__, __LINE__)

template <typename T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t n) : size_(n) { LLM_CUDA(cudaMalloc(&data_, n * sizeof(T))); }
    DeviceBuffer(DeviceBuffer&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~DeviceBuffer() { cudaFree(data_); }
    T* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

struct ExecDeleter {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

__global__ void AppendKv(const int* token, const int* position, float* kv) { kv[*position] = 0.5f * *token; }

__global__ void Attend(const float* kv, int* position, float* logit) {
    float sum = 0.0f;
    for (int i = 0; i <= *position; ++i) sum += kv[i];
    *logit = sum;
    *position += 1;
}

class DecodeSession {
public:
    explicit DecodeSession(std::size_t context)
        : kv_(context), token_(1), position_(1), logit_(1) {
        LLM_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        LLM_CUDA(cudaMemsetAsync(kv_.data(), 0, kv_.size() * sizeof(float), stream_));
        LLM_CUDA(cudaMemsetAsync(position_.data(), 0, sizeof(int), stream_));
    }
    ~DecodeSession() {
        exec_.reset();
        cudaStreamDestroy(stream_);
    }

    float Decode(int token) {
        if (length_ == kv_.size()) Reserve(2 * kv_.size());
        if (!exec_) Capture();
        float logit = 0.0f;
        LLM_CUDA(cudaMemcpyAsync(token_.data(), &token, sizeof(int), cudaMemcpyHostToDevice, stream_));
        LLM_CUDA(cudaGraphLaunch(exec_.get(), stream_));
        LLM_CUDA(cudaMemcpyAsync(&logit, logit_.data(), sizeof(float), cudaMemcpyDeviceToHost, stream_));
        LLM_CUDA(cudaStreamSynchronize(stream_));
        ++length_;
        return logit;
    }

    void Reserve(std::size_t context) {
        if (context <= kv_.size()) return;
        DeviceBuffer<float> bigger(context);
        LLM_CUDA(cudaMemsetAsync(bigger.data(), 0, context * sizeof(float), stream_));
        LLM_CUDA(cudaMemcpyAsync(bigger.data(), kv_.data(), kv_.size() * sizeof(float), cudaMemcpyDeviceToDevice, stream_));
        LLM_CUDA(cudaStreamSynchronize(stream_));
        kv_ = std::move(bigger);
        exec_.reset();
    }

    std::vector<float> Snapshot() const {
        std::vector<float> host(length_);
        LLM_CUDA(cudaMemcpy(host.data(), kv_.data(), length_ * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

private:
    void Capture() {
        cudaGraph_t graph = nullptr;
        LLM_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        AppendKv<<<1, 1, 0, stream_>>>(token_.data(), position_.data(), kv_.data());
        Attend<<<1, 1, 0, stream_>>>(kv_.data(), position_.data(), logit_.data());
        const cudaError_t launched = cudaGetLastError();
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        LLM_CUDA(launched);
        LLM_CUDA(ended);
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        LLM_CUDA(made);
        exec_.reset(exec);
    }

    cudaStream_t stream_ = nullptr;
    DeviceBuffer<float> kv_;
    DeviceBuffer<int> token_;
    DeviceBuffer<int> position_;
    DeviceBuffer<float> logit_;
    std::size_t length_ = 0;
    GraphExec exec_;
};

}  // namespace llm

int main() {
    bool good = true;
    try {
        llm::DecodeSession session(8);
        float want = 0.0f;
        for (int t = 1; t <= 20; ++t) {
            const float logit = session.Decode(t);
            want += 0.5f * t;
            good = good && std::fabs(logit - want) < 1e-3f;
        }
        const std::vector<float> kv = session.Snapshot();
        for (std::size_t i = 0; i < kv.size(); ++i) good = good && kv[i] == 0.5f * (i + 1);
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        good = false;
    }
    std::printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
