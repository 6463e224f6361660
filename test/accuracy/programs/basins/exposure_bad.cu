// Camera pipeline made of stage objects. The stage list may change at run time; the
// pipeline then records its graph again.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct Image {
    float* data = nullptr;
    int width = 0, height = 0;
    int pixels() const { return width * height; }
};

template <class T>
struct DeviceDelete {
    void operator()(T* p) const { cudaFree(p); }
};
template <class T>
using DevicePtr = std::unique_ptr<T, DeviceDelete<T>>;

template <class T>
DevicePtr<T> device_alloc(size_t n) {
    T* p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) return nullptr;
    return DevicePtr<T>(p);
}

__global__ void invert_kernel(float* img, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] = 1.f - img[i];
}

__global__ void mean_kernel(const float* img, int n, float* mean) {
    __shared__ float part[256];
    float a = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) a += img[i];
    part[threadIdx.x] = a;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *mean = part[0] / n;
}

__global__ void gain_kernel(float* img, int n, float gain) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] *= gain;
}

class Stage {
  public:
    virtual ~Stage() = default;
    virtual const char* name() const = 0;
    virtual cudaError_t prepare(const Image& frame, cudaStream_t stream) = 0;
    virtual cudaError_t record(const Image& frame, cudaStream_t stream) = 0;
};

class InvertStage : public Stage {
  public:
    const char* name() const override { return "invert"; }
    cudaError_t prepare(const Image&, cudaStream_t) override { return cudaSuccess; }
    cudaError_t record(const Image& f, cudaStream_t stream) override {
        invert_kernel<<<(f.pixels() + 255) / 256, 256, 0, stream>>>(f.data, f.pixels());
        return cudaGetLastError();
    }
};

class AutoExposureStage : public Stage {
  public:
    explicit AutoExposureStage(float target) : target_(target) {}
    ~AutoExposureStage() override { cudaFreeHost(host_mean_); }
    const char* name() const override { return "auto-exposure"; }
    cudaError_t prepare(const Image&, cudaStream_t stream) override {
        mean_ = device_alloc<float>(1);
        if (!mean_) return cudaErrorMemoryAllocation;
        if (cudaError_t e = cudaMallocHost(&host_mean_, sizeof(float))) return e;
        *host_mean_ = target_;
        cudaError_t e = cudaMemsetAsync(mean_.get(), 0, sizeof(float), stream);
        return e != cudaSuccess ? e : cudaStreamSynchronize(stream);
    }
    cudaError_t record(const Image& f, cudaStream_t stream) override {
        mean_kernel<<<1, 256, 0, stream>>>(f.data, f.pixels(), mean_.get());
        if (cudaError_t e = cudaGetLastError()) return e;
        cudaError_t e = cudaMemcpyAsync(host_mean_, mean_.get(), sizeof(float), cudaMemcpyDeviceToHost, stream);
        if (e != cudaSuccess) return e;
        if ((e = cudaStreamSynchronize(stream)) != cudaSuccess) return e;  // HAZARD refused
        gain_kernel<<<(f.pixels() + 255) / 256, 256, 0, stream>>>(f.data, f.pixels(), target_ / *host_mean_);
        return cudaGetLastError();
    }

  private:
    float target_;
    DevicePtr<float> mean_;
    float* host_mean_ = nullptr;
};

class Pipeline {
  public:
    Pipeline(int w, int h) {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        store_ = device_alloc<float>((size_t)w * h);
        frame_ = {store_.get(), w, h};
        cudaMallocHost(&host_in_, frame_.pixels() * sizeof(float));
        cudaMallocHost(&host_out_, frame_.pixels() * sizeof(float));
    }
    ~Pipeline() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(host_in_);
        cudaFreeHost(host_out_);
        cudaStreamDestroy(stream_);
    }
    Pipeline(const Pipeline&) = delete;

    cudaError_t add(std::unique_ptr<Stage> stage) {
        if (cudaError_t e = stage->prepare(frame_, stream_)) return e;
        stages_.push_back(std::move(stage));
        changed_ = true;
        return cudaSuccess;
    }

    cudaError_t process(const std::vector<float>& in, std::vector<float>& out) {
        std::copy(in.begin(), in.end(), host_in_);
        if (changed_) {
            rebuild();
            changed_ = false;
        }
        cudaError_t e = cudaGraphLaunch(exec_, stream_);
        if (e == cudaSuccess) e = cudaStreamSynchronize(stream_);
        out.assign(host_out_, host_out_ + frame_.pixels());
        return e;
    }

    cudaError_t record_status() const { return record_status_; }

  private:
    cudaError_t record_all() {
        const size_t bytes = frame_.pixels() * sizeof(float);
        cudaError_t e = cudaMemcpyAsync(frame_.data, host_in_, bytes, cudaMemcpyHostToDevice, stream_);
        for (auto& s : stages_) {
            if (e != cudaSuccess) return e;
            e = s->record(frame_, stream_);
        }
        if (e != cudaSuccess) return e;
        return cudaMemcpyAsync(host_out_, frame_.data, bytes, cudaMemcpyDeviceToHost, stream_);
    }

    cudaError_t rebuild() {
        cudaGraph_t graph = nullptr;
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        if (e != cudaSuccess) return e;
        record_status_ = record_all();
        cudaStreamEndCapture(stream_, &graph);  // HAZARD ignored
        if (graph) {
            cudaGraphExec_t fresh = nullptr;
            e = cudaGraphInstantiate(&fresh, graph, 0);
            if (e == cudaSuccess) {
                if (exec_) cudaGraphExecDestroy(exec_);
                exec_ = fresh;
            }
            cudaGraphDestroy(graph);
        }
        return e;
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    DevicePtr<float> store_;
    Image frame_;
    float *host_in_ = nullptr, *host_out_ = nullptr;
    std::vector<std::unique_ptr<Stage>> stages_;
    bool changed_ = true;
    cudaError_t record_status_ = cudaSuccess;
};

static std::vector<float> test_frame(int n, float level) {
    std::vector<float> f(n);
    for (int i = 0; i < n; ++i) f[i] = level + 0.1f * std::sin(0.05f * i);
    return f;
}

static double mean_of(const std::vector<float>& v) {
    double a = 0;
    for (float x : v) a += x;
    return a / v.size();
}

int main() {
    const int w = 160, h = 120;
    Pipeline pipe(w, h);
    std::vector<float> out;
    bool calls = pipe.add(std::make_unique<InvertStage>()) == cudaSuccess;
    bool plain = true;
    for (float level : {0.2f, 0.4f, 0.7f}) {
        auto in = test_frame(w * h, level);
        calls &= pipe.process(in, out) == cudaSuccess;
        for (int i = 0; i < w * h; ++i) plain &= std::fabs(out[i] - (1.f - in[i])) < 1e-5f;
    }

    calls &= pipe.add(std::make_unique<AutoExposureStage>(0.5f)) == cudaSuccess;
    int exposed = 0;
    for (float level : {0.2f, 0.4f, 0.7f}) {
        calls &= pipe.process(test_frame(w * h, level), out) == cudaSuccess;
        exposed += std::fabs(mean_of(out) - 0.5) < 2e-3;
    }
    std::printf("calls=%d plain=%d exposed=%d record=%s\n", calls, plain, exposed, cudaGetErrorName(pipe.record_status()));
    bool pass = calls && plain && exposed == 0 && pipe.record_status() == cudaErrorStreamCaptureUnsupported;
    std::puts(pass ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
