#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

struct CudaError : std::runtime_error {
    explicit CudaError(cudaError_t e) : std::runtime_error(cudaGetErrorString(e)), code(e) {}
    cudaError_t code;
};

#define CU(x)                                          \
    do {                                               \
        cudaError_t cu_e = (x);                        \
        if (cu_e != cudaSuccess) throw CudaError(cu_e); \
    } while (0)

template <class Body>
cudaGraphExec_t record_graph(cudaStream_t stream, Body&& body) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
        std::forward<Body>(body)(stream);
    } catch (...) {
        cudaStreamEndCapture(stream, &graph);
        if (graph) cudaGraphDestroy(graph);
        throw;
    }
    CU(cudaStreamEndCapture(stream, &graph));
    const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    CU(made);
    return exec;
}

__global__ void filter_trace(const float* trace, float* scratch, int samples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < samples) scratch[i] = trace[i] - (i > 0 ? trace[i - 1] : 0.0f);
}

__global__ void stack_trace(const float* scratch, float* image, int samples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < samples) image[i] += scratch[i];
}

class Scratch {
public:
    ~Scratch() { cudaFree(ptr_); }
    float* get(int n) {
        if (n > capacity_) {
            if (ptr_) {
                CU(cudaFree(ptr_));
                ptr_ = nullptr;
                capacity_ = 0;
            }
            CU(cudaMalloc(&ptr_, n * sizeof(float)));
            capacity_ = n;
        }
        return ptr_;
    }

private:
    float* ptr_ = nullptr;
    int capacity_ = 0;
};

class Migration {
public:
    explicit Migration(int max_samples) : max_samples_(max_samples) {
        CU(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CU(cudaMalloc(&trace_, max_samples_ * sizeof(float)));
        CU(cudaMalloc(&image_, max_samples_ * sizeof(float)));
    }
    Migration(const Migration&) = delete;
    ~Migration() {
        drop_graph();
        cudaFree(image_);
        cudaFree(trace_);
        cudaStreamDestroy(stream_);
    }

    // A new acquisition geometry starts a new image.
    void set_geometry(int samples) {
        if (samples > max_samples_) throw std::invalid_argument("samples");
        drop_graph();
        samples_ = samples;
        CU(cudaMemsetAsync(image_, 0, max_samples_ * sizeof(float), stream_));
        float* scratch = scratch_.get(samples_);
        try {
            exec_ = record_graph(stream_, [this, scratch](cudaStream_t s) { migrate(scratch, s); });
        } catch (const CudaError& e) {
            std::printf("no graph (%s), running eagerly\n", e.what());
        }
    }

    void shot(const std::vector<float>& trace) {
        CU(cudaMemcpyAsync(trace_, trace.data(), samples_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
        if (exec_)
            CU(cudaGraphLaunch(exec_, stream_));
        else
            migrate(scratch_.get(samples_), stream_);
        CU(cudaStreamSynchronize(stream_));
    }

    std::vector<float> image() const {
        std::vector<float> host(samples_);
        CU(cudaMemcpy(host.data(), image_, samples_ * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

    bool graphed() const { return exec_ != nullptr; }

private:
    void migrate(float* scratch, cudaStream_t s) {
        const int blocks = (samples_ + 255) / 256;
        filter_trace<<<blocks, 256, 0, s>>>(trace_, scratch, samples_);
        CU(cudaGetLastError());
        stack_trace<<<blocks, 256, 0, s>>>(scratch, image_, samples_);
        CU(cudaGetLastError());
    }

    void drop_graph() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    const int max_samples_;
    int samples_ = 0;
    cudaStream_t stream_ = nullptr;
    float* trace_ = nullptr;
    float* image_ = nullptr;
    Scratch scratch_;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    bool good = true;
    try {
        Migration job(4000);
        for (int samples : {1000, 3000, 2000}) {
            job.set_geometry(samples);
            std::vector<float> ramp(samples);
            for (int i = 0; i < samples; ++i) ramp[i] = 2.0f * (i + 1);
            for (int shot = 0; shot < 3; ++shot) job.shot(ramp);
            const std::vector<float> image = job.image();
            for (float v : image) good = good && std::fabs(v - 6.0f) < 1e-3f;
            good = good && job.graphed();
        }
    } catch (const std::exception& e) {
        std::printf("survey stopped: %s\n", e.what());
        good = false;
    }
    std::printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
