// Delay-and-sum beamformer. The weighting of a frame of channel samples is a matrix-vector product, captured once and
// replayed per frame under automatic gain control.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

enum class Status { Ok, CudaFailed, BlasFailed };

#define RETURN_IF_CUDA(call) \
    if ((call) != cudaSuccess) return Status::CudaFailed
#define RETURN_IF_BLAS(call) \
    if ((call) != CUBLAS_STATUS_SUCCESS) return Status::BlasFailed

struct HannTaper {
    static float weight(int channel, int channels) {
        return 0.5f - 0.5f * std::cos(6.2831853f * (float(channel) + 0.5f) / float(channels));
    }
};

struct FlatTaper {
    static float weight(int, int channels) { return 1.0f / float(channels); }
};

template <class Taper>
class Beamformer {
public:
    static constexpr int kBeams = 24, kChannels = 32;
    static constexpr std::size_t kWorkspace = 32u << 20;

    Status open() {
        RETURN_IF_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        RETURN_IF_CUDA(cudaMalloc(&weights_, kBeams * kChannels * sizeof(float)));
        RETURN_IF_CUDA(cudaMalloc(&frame_, kChannels * sizeof(float)));
        RETURN_IF_CUDA(cudaMalloc(&beams_, kBeams * sizeof(float)));
        RETURN_IF_CUDA(cudaMalloc(&scalars_, 2 * sizeof(float)));
        RETURN_IF_CUDA(cudaMalloc(&workspace_, kWorkspace));
        const std::vector<float> w = weightMatrix();
        RETURN_IF_CUDA(cudaMemcpyAsync(weights_, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
        RETURN_IF_CUDA(cudaMemsetAsync(frame_, 0, kChannels * sizeof(float), stream_));
        RETURN_IF_CUDA(cudaMemsetAsync(scalars_, 0, 2 * sizeof(float), stream_));
        RETURN_IF_CUDA(cudaStreamSynchronize(stream_));
        RETURN_IF_BLAS(cublasCreate(&blas_));
        RETURN_IF_BLAS(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_DEVICE));
        RETURN_IF_BLAS(cublasSetStream(blas_, stream_));
        RETURN_IF_BLAS(cublasSetWorkspace(blas_, workspace_, kWorkspace));
        if (const Status warm = weigh(); warm != Status::Ok) return warm;
        RETURN_IF_CUDA(cudaStreamSynchronize(stream_));

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        RETURN_IF_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        const Status weighed = weigh();
        RETURN_IF_CUDA(cudaStreamEndCapture(stream_, &graph));
        if (weighed != Status::Ok) return weighed;
        RETURN_IF_CUDA(cudaGraphInstantiate(&exec, graph, 0));
        RETURN_IF_CUDA(cudaGraphDestroy(graph));
        exec_ = exec;
        return Status::Ok;
    }

    ~Beamformer() {
        if (exec_) cudaGraphExecDestroy(*exec_);
        if (blas_) cublasDestroy(blas_);
        void* const owned[] = {weights_, frame_, beams_, scalars_, workspace_};
        for (void* p : owned) cudaFree(p);
        if (stream_) cudaStreamDestroy(stream_);
    }

    Status setGain(float gain) {
        gain_ = gain;
        RETURN_IF_CUDA(cudaMemcpyAsync(scalars_, &gain_, sizeof(float), cudaMemcpyHostToDevice, stream_));
        return Status::Ok;
    }

    Status process(const std::vector<float>& frame, std::vector<float>& beams) {
        beams.resize(kBeams);
        RETURN_IF_CUDA(cudaMemcpyAsync(frame_, frame.data(), kChannels * sizeof(float), cudaMemcpyHostToDevice, stream_));
        RETURN_IF_CUDA(cudaGraphLaunch(*exec_, stream_));
        RETURN_IF_CUDA(cudaMemcpyAsync(beams.data(), beams_, kBeams * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        RETURN_IF_CUDA(cudaStreamSynchronize(stream_));
        return Status::Ok;
    }

    static std::vector<float> weightMatrix() {
        std::vector<float> w(kBeams * kChannels);
        for (int c = 0; c < kChannels; ++c) {
            for (int b = 0; b < kBeams; ++b) w[c * kBeams + b] = Taper::weight(c, kChannels) * std::cos(0.02f * float(b * c));
        }
        return w;
    }

private:
    Status weigh() {
        const float* gain = scalars_;
        const float* zero = scalars_ + 1;
        RETURN_IF_BLAS(cublasSgemv(blas_, CUBLAS_OP_N, kBeams, kChannels, gain, weights_, kBeams, frame_, 1, zero, beams_, 1));
        return Status::Ok;
    }

    float gain_ = 1.0f;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    float *weights_ = nullptr, *frame_ = nullptr, *beams_ = nullptr, *scalars_ = nullptr;
    void* workspace_ = nullptr;
    std::optional<cudaGraphExec_t> exec_;
};

template <class Taper>
static int wrongFrames(Status& status) {
    using Former = Beamformer<Taper>;
    Former former;
    status = former.open();
    const std::vector<float> w = Former::weightMatrix();
    std::vector<float> frame(Former::kChannels), beams;
    int wrong = 0;
    for (int k = 0; k < 4 && status == Status::Ok; ++k) {
        const float gain = 1.0f + 0.5f * float(k);
        for (int c = 0; c < Former::kChannels; ++c) frame[c] = 1.0f + 0.1f * float((c + k) % 7);
        status = former.setGain(gain);
        if (status == Status::Ok) status = former.process(frame, beams);
        if (status != Status::Ok) break;
        float worst = 0.0f;
        for (int b = 0; b < Former::kBeams; ++b) {
            float sum = 0.0f;
            for (int c = 0; c < Former::kChannels; ++c) sum += w[c * Former::kBeams + b] * frame[c];
            worst = std::fmax(worst, std::fabs(gain * sum - beams[b]));
        }
        std::printf("gain %.1f: worst error %g\n", gain, worst);
        wrong += worst > 0.01f;
    }
    return wrong;
}

int main() {
    Status flat = Status::Ok, hann = Status::Ok;
    const int wrong = wrongFrames<FlatTaper>(flat) + wrongFrames<HannTaper>(hann);
    const bool confirmed = flat == Status::Ok && hann == Status::Ok && wrong == 0;
    if (confirmed) std::puts("LABEL CONFIRMED");
    else std::printf("LABEL NOT CONFIRMED: status %d/%d, %d wrong frames\n", int(flat), int(hann), wrong);
    return confirmed ? 0 : 1;
}
