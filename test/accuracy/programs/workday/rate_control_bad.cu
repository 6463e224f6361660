// Video encoder: frames wait in a queue, rate control picks a quantizer for each, the frame graph quantizes the
// coefficients and measures the complexity that rate control uses for the next frame.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <utility>
#include <vector>

namespace enc {

#define ENC_CUDA(x)                                                                              \
    do {                                                                                         \
        const cudaError_t enc_e = (x);                                                           \
        if (enc_e != cudaSuccess) {                                                              \
            std::printf("LABEL NOT CONFIRMED: %s -> %s\n", #x, cudaGetErrorString(enc_e));       \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (0)

constexpr int kCoefficients = 1024;
constexpr int kThreads = 128;

__global__ void quantize(const int* coefficients, int* levels, int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCoefficients) levels[i] = coefficients[i] / step;
}

__global__ void measureComplexity(const int* coefficients, int* complexity)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < kCoefficients; i += blockDim.x) atomicAdd(&sum, coefficients[i]);
    __syncthreads();
    if (threadIdx.x == 0) *complexity = sum / kCoefficients;
}

struct FrameJob {
    int number;
    std::vector<int> coefficients;
};

struct FrameContext {
    int step = 1;
    int complexity = 0;
};

class RateControl {
public:
    void pick(FrameContext& context, const FrameJob& job) const { context.step = 2 + 2 * (job.number % 4); }
};

class Encoder {
public:
    Encoder()
    {
        ENC_CUDA(cudaStreamCreateWithFlags(&encode_, cudaStreamNonBlocking));
        ENC_CUDA(cudaStreamCreateWithFlags(&analysis_, cudaStreamNonBlocking));
        ENC_CUDA(cudaMallocHost(&staging_, kCoefficients * sizeof(int)));
        ENC_CUDA(cudaMalloc(&coefficients_, kCoefficients * sizeof(int)));
        ENC_CUDA(cudaMalloc(&levels_, kCoefficients * sizeof(int)));
        ENC_CUDA(cudaMalloc(&complexity_, sizeof(int)));
        ENC_CUDA(cudaMemset(coefficients_, 0, kCoefficients * sizeof(int)));
        ENC_CUDA(cudaMemset(complexity_, 0, sizeof(int)));
        ENC_CUDA(cudaDeviceSynchronize());
    }
    ~Encoder()
    {
        ENC_CUDA(cudaDeviceSynchronize());
        if (frameExec_) ENC_CUDA(cudaGraphExecDestroy(frameExec_));
        ENC_CUDA(cudaFreeHost(staging_));
        ENC_CUDA(cudaFree(coefficients_));
        ENC_CUDA(cudaFree(levels_));
        ENC_CUDA(cudaFree(complexity_));
        ENC_CUDA(cudaStreamDestroy(analysis_));
        ENC_CUDA(cudaStreamDestroy(encode_));
    }

    void submit(FrameJob job) { queue_.push_back(std::move(job)); }

    bool encodeNext(int& firstLevel, FrameContext& context)
    {
        if (queue_.empty()) return false;
        const FrameJob job = std::move(queue_.front());
        queue_.pop_front();
        rateControl_.pick(context, job);
        for (int i = 0; i < kCoefficients; ++i) staging_[i] = job.coefficients[i];
        if (!frameExec_) recordFrame(context);
        ENC_CUDA(cudaGraphLaunch(frameExec_, encode_));
        ENC_CUDA(cudaMemcpyAsync(&firstLevel, levels_, sizeof(int), cudaMemcpyDeviceToHost, encode_));
        ENC_CUDA(cudaMemcpyAsync(&context.complexity, complexity_, sizeof(int), cudaMemcpyDeviceToHost, encode_));
        ENC_CUDA(cudaStreamSynchronize(encode_));
        return true;
    }

private:
    void recordFrame(const FrameContext& context)
    {
        cudaGraph_t graph = nullptr;
        ENC_CUDA(cudaStreamBeginCapture(encode_, cudaStreamCaptureModeThreadLocal));
        ENC_CUDA(cudaMemcpyAsync(coefficients_, staging_, kCoefficients * sizeof(int), cudaMemcpyHostToDevice, encode_));
        quantize<<<kCoefficients / kThreads, kThreads, 0, encode_>>>(coefficients_, levels_, context.step); // HAZARD frozen
        ENC_CUDA(cudaGetLastError());
        measureComplexity<<<1, kThreads, 0, analysis_>>>(coefficients_, complexity_); // HAZARD scope
        ENC_CUDA(cudaGetLastError());
        ENC_CUDA(cudaStreamEndCapture(encode_, &graph));
        ENC_CUDA(cudaGraphInstantiate(&frameExec_, graph, 0));
        ENC_CUDA(cudaGraphDestroy(graph));
    }

    cudaStream_t encode_ = nullptr;
    cudaStream_t analysis_ = nullptr;
    int* staging_ = nullptr;
    int* coefficients_ = nullptr;
    int* levels_ = nullptr;
    int* complexity_ = nullptr;
    RateControl rateControl_;
    std::deque<FrameJob> queue_;
    cudaGraphExec_t frameExec_ = nullptr;
};

} // namespace enc

int main()
{
    enc::Encoder encoder;
    constexpr int kFrames = 4;
    for (int f = 0; f < kFrames; ++f)
        encoder.submit({f, std::vector<int>(enc::kCoefficients, 240 * (f + 1))});

    int firstStep = 0, rightLevels = 0, oldStepLevels = 0, rightComplexity = 0, noComplexity = 0, level = 0;
    enc::FrameContext context;
    for (int f = 0; encoder.encodeNext(level, context); ++f) {
        const int value = 240 * (f + 1);
        if (f == 0) firstStep = context.step;
        rightLevels += level == value / context.step;
        oldStepLevels += level == value / firstStep;
        rightComplexity += context.complexity == value;
        noComplexity += context.complexity == 0;
    }
    if (oldStepLevels == kFrames && rightLevels == 1 && noComplexity == kFrames && rightComplexity == 0) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: levels right %d, with the first step %d; complexity right %d, zero %d\n",
                rightLevels, oldStepLevels, rightComplexity, noComplexity);
    return 1;
}
