// Onset detector: a long and a short FFT of the same hop, followed by a flux kernel, replayed per hop.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define CUDA_OK(expr)                                                                 \
    do {                                                                              \
        const cudaError_t rc_ = (expr);                                               \
        if (rc_ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc_));    \
    } while (0)
#define FFT_OK(expr)                                                                              \
    do {                                                                                          \
        const cufftResult rc_ = (expr);                                                           \
        if (rc_ != CUFFT_SUCCESS) throw std::runtime_error("cufft " + std::to_string(int(rc_)));  \
    } while (0)

constexpr int kLong = 1024;
constexpr int kShort = 256;

// Plans by length.
class FftBank {
public:
    FftBank() = default;
    FftBank(const FftBank&) = delete;
    ~FftBank() { clear(); }
    void clear() {
        for (auto& [n, plan] : plans_) cufftDestroy(plan);
        plans_.clear();
    }
    void add(int n) {
        cufftHandle plan = 0;
        FFT_OK(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
        plans_.emplace(n, plan);
    }
    void bind(cudaStream_t s) {
        for (auto& [n, plan] : plans_) FFT_OK(cufftSetStream(plan, s));
    }
    void forward(int n, cufftComplex* in, cufftComplex* out) const {
        FFT_OK(cufftExecC2C(plans_.at(n), in, out, CUFFT_FORWARD));
    }

private:
    std::map<int, cufftHandle> plans_;
};

__global__ void energyOfDc(const cufftComplex* longSpec, const cufftComplex* shortSpec, float* out) {
    out[0] = longSpec[0].x;
    out[1] = shortSpec[0].x;
}

class Recorder {
public:
    explicit Recorder(cudaStream_t s) : stream_(s) {
        CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    }
    Recorder(const Recorder&) = delete;
    cudaGraphExec_t finish() {
        cudaGraph_t graph = nullptr;
        CUDA_OK(cudaStreamEndCapture(stream_, &graph));
        open_ = false;
        cudaGraphExec_t exec = nullptr;
        CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_OK(cudaGraphDestroy(graph));
        return exec;
    }
    ~Recorder() {
        cudaGraph_t graph = nullptr;
        if (open_ && cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    }

private:
    cudaStream_t stream_;
    bool open_ = true;
};

class OnsetDetector {
public:
    OnsetDetector() {
        CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_OK(cudaMalloc(&hop_, kLong * sizeof(cufftComplex)));
        CUDA_OK(cudaMalloc(&longSpec_, kLong * sizeof(cufftComplex)));
        CUDA_OK(cudaMalloc(&shortSpec_, kShort * sizeof(cufftComplex)));
        CUDA_OK(cudaMalloc(&flux_, 2 * sizeof(float)));
        CUDA_OK(cudaMemset(hop_, 0, kLong * sizeof(cufftComplex)));
        bank_.add(kLong);
        bank_.add(kShort);
        bank_.bind(stream_);
        CUDA_OK(cudaDeviceSynchronize());
        analyse();
        CUDA_OK(cudaDeviceSynchronize());
        Recorder rec(stream_);
        analyse();
        exec_ = rec.finish();
    }
    ~OnsetDetector() {
        cudaGraphExecDestroy(exec_);
        bank_.clear();
        cudaStreamDestroy(stream_);
        cudaFree(hop_);
        cudaFree(longSpec_);
        cudaFree(shortSpec_);
        cudaFree(flux_);
    }

    std::pair<float, float> process(const std::vector<cufftComplex>& hop) {
        std::pair<float, float> flux;
        CUDA_OK(cudaMemcpyAsync(hop_, hop.data(), kLong * sizeof(cufftComplex), cudaMemcpyHostToDevice, stream_));
        CUDA_OK(cudaGraphLaunch(exec_, stream_));
        float host[2];
        CUDA_OK(cudaMemcpyAsync(host, flux_, sizeof host, cudaMemcpyDeviceToHost, stream_));
        CUDA_OK(cudaStreamSynchronize(stream_));
        flux.first = host[0];
        flux.second = host[1];
        return flux;
    }

private:
    void analyse() {
        bank_.forward(kLong, hop_, longSpec_);
        bank_.forward(kShort, hop_, shortSpec_);
        energyOfDc<<<1, 1, 0, stream_>>>(longSpec_, shortSpec_, flux_);
        CUDA_OK(cudaGetLastError());
    }

    FftBank bank_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    cufftComplex *hop_ = nullptr, *longSpec_ = nullptr, *shortSpec_ = nullptr;
    float* flux_ = nullptr;
};

int main() {
    bool longRight = true, shortRight = true;
    try {
        OnsetDetector detector;
        for (int k = 1; k <= 3; ++k) {
            const auto flux = detector.process(std::vector<cufftComplex>(kLong, cufftComplex{float(k), 0.0f}));
            longRight = longRight && std::fabs(flux.first - float(k) * kLong) < 1.0f;
            shortRight = shortRight && std::fabs(flux.second - float(k) * kShort) < 1.0f;
            std::printf("%g %g\n", flux.first, flux.second);
        }
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        longRight = false;
    }
    std::puts(longRight && shortRight ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
