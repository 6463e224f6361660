// ML serving: a model of two layers. A monitor watches the distribution of the activations on a stream of its own,
// so that it does not delay the answer.
#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_OK(e)                                                                                          \
    do {                                                                                                    \
        const cudaError_t status_ = (e);                                                                    \
        if (status_ != cudaSuccess) throw std::runtime_error(std::string(#e ": ") + cudaGetErrorName(status_)); \
    } while (0)

namespace {

constexpr int kUnits = 128;

__global__ void layer(const float* in, float* out, float weight, float bias) {
    const int u = threadIdx.x;
    out[u] = fmaxf(0.0f, weight * in[u] + bias);
}
__global__ void meanOf(const float* values, float* mean) {
    float sum = 0.0f;
    for (int u = 0; u < kUnits; ++u) sum += values[u];
    *mean = sum / kUnits;
}

class Event {
public:
    Event() { CUDA_OK(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(handle_); }
    Event(const Event&) = delete;
    void record(cudaStream_t on) { CUDA_OK(cudaEventRecord(handle_, on)); }
    void holdBack(cudaStream_t waiter) { CUDA_OK(cudaStreamWaitEvent(waiter, handle_, 0)); }

private:
    cudaEvent_t handle_ = nullptr;
};

class Monitor {
public:
    Monitor() {
        CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_OK(cudaMalloc(&mean_, sizeof(float)));
        CUDA_OK(cudaMemset(mean_, 0, sizeof(float)));
    }
    ~Monitor() {
        cudaFree(mean_);
        cudaStreamDestroy(stream_);
    }
    void watch(const float* activations, cudaStream_t producer) {
        ready_.record(producer);
        ready_.holdBack(stream_);  // HAZARD dependency #monitor
        meanOf<<<1, 1, 0, stream_>>>(activations, mean_);  // HAZARD dependency #monitor
    }
    float mean() const {
        float host = 0.0f;
        CUDA_OK(cudaMemcpy(&host, mean_, sizeof host, cudaMemcpyDeviceToHost));
        return host;
    }

private:
    Event ready_;
    cudaStream_t stream_ = nullptr;
    float* mean_ = nullptr;
};

class Model {
public:
    Model() {
        CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        float** const all[] = {&input_, &hidden_, &output_};
        for (float** buffer : all) CUDA_OK(cudaMalloc(buffer, kUnits * sizeof(float)));
    }
    ~Model() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (float* buffer : {input_, hidden_, output_}) cudaFree(buffer);
        cudaStreamDestroy(stream_);
    }

    void forward(Monitor& monitor) {
        layer<<<1, kUnits, 0, stream_>>>(input_, hidden_, 2.0f, -1.0f);
        monitor.watch(hidden_, stream_);
        layer<<<1, kUnits, 0, stream_>>>(hidden_, output_, 0.5f, 3.0f);
    }

    cudaError_t compile(Monitor& monitor) {
        cudaGraph_t graph = nullptr;
        CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        forward(monitor);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);  // HAZARD dependency #monitor
        if (ended != cudaSuccess) return ended;
        CUDA_OK(cudaGraphInstantiate(&exec_, graph, 0));
        CUDA_OK(cudaGraphDestroy(graph));
        return cudaSuccess;
    }

    std::vector<float> infer(const std::vector<float>& input) {
        std::vector<float> output(kUnits);
        CUDA_OK(cudaMemcpyAsync(input_, input.data(), kUnits * sizeof(float), cudaMemcpyHostToDevice, stream_));
        CUDA_OK(cudaGraphLaunch(exec_, stream_));
        CUDA_OK(cudaMemcpyAsync(output.data(), output_, kUnits * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        CUDA_OK(cudaStreamSynchronize(stream_));
        return output;
    }

private:
    cudaStream_t stream_ = nullptr;
    float* input_ = nullptr;
    float* hidden_ = nullptr;
    float* output_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace

int main() try {
    Monitor monitor;
    Model model;
    const cudaError_t compiled = model.compile(monitor);
    std::printf("compiled: %s\n", cudaGetErrorName(compiled));
    if (compiled != cudaErrorStreamCaptureUnjoined) {
        std::puts("LABEL NOT CONFIRMED: expected another status");
        return 1;
    }
    std::puts("LABEL CONFIRMED");
    return 0;
} catch (const std::exception& e) {
    std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    return 1;
}
