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
        ENC_CUDA(cudaEventCreateWithFlags(&uploaded_, cudaEventDisableTiming));
        ENC_CUDA(cudaEventCreateWithFlags(&measured_, cudaEventDisableTiming));
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
        if (frameGraph_) ENC_CUDA(cudaGraphDestroy(frameGraph_)); // owns the node that setStep uses
        ENC_CUDA(cudaEventDestroy(uploaded_));
        ENC_CUDA(cudaEventDestroy(measured_));
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
        setStep(context);
        ENC_CUDA(cudaGraphLaunch(frameExec_, encode_));
        ENC_CUDA(cudaMemcpyAsync(&firstLevel, levels_, sizeof(int), cudaMemcpyDeviceToHost, encode_));
        ENC_CUDA(cudaMemcpyAsync(&context.complexity, complexity_, sizeof(int), cudaMemcpyDeviceToHost, encode_));
        ENC_CUDA(cudaStreamSynchronize(encode_));
        return true;
    }

private:
    void recordFrame(const FrameContext& context)
    {
        ENC_CUDA(cudaStreamBeginCapture(encode_, cudaStreamCaptureModeThreadLocal));
        ENC_CUDA(cudaMemcpyAsync(coefficients_, staging_, kCoefficients * sizeof(int), cudaMemcpyHostToDevice, encode_));
        ENC_CUDA(cudaEventRecord(uploaded_, encode_));
        ENC_CUDA(cudaStreamWaitEvent(analysis_, uploaded_, 0));
        quantize<<<kCoefficients / kThreads, kThreads, 0, encode_>>>(coefficients_, levels_, context.step);
        ENC_CUDA(cudaGetLastError());
        measureComplexity<<<1, kThreads, 0, analysis_>>>(coefficients_, complexity_);
        ENC_CUDA(cudaGetLastError());
        ENC_CUDA(cudaEventRecord(measured_, analysis_));
        ENC_CUDA(cudaStreamWaitEvent(encode_, measured_, 0));
        ENC_CUDA(cudaStreamEndCapture(encode_, &frameGraph_));
        ENC_CUDA(cudaGraphInstantiate(&frameExec_, frameGraph_, 0));
        findQuantizeNode();
    }

    void findQuantizeNode()
    {
        std::size_t count = 0;
        ENC_CUDA(cudaGraphGetNodes(frameGraph_, nullptr, &count));
        std::vector<cudaGraphNode_t> nodes(count);
        ENC_CUDA(cudaGraphGetNodes(frameGraph_, nodes.data(), &count));
        for (cudaGraphNode_t node : nodes) {
            cudaGraphNodeType type{};
            ENC_CUDA(cudaGraphNodeGetType(node, &type));
            if (type != cudaGraphNodeTypeKernel) continue;
            cudaKernelNodeParams params{};
            ENC_CUDA(cudaGraphKernelNodeGetParams(node, &params));
            if (params.func == reinterpret_cast<void*>(quantize)) quantizeNode_ = node;
        }
    }

    void setStep(const FrameContext& context)
    {
        int step = context.step;
        void* args[] = {&coefficients_, &levels_, &step};
        cudaKernelNodeParams params{};
        params.func = reinterpret_cast<void*>(quantize);
        params.gridDim = dim3(kCoefficients / kThreads);
        params.blockDim = dim3(kThreads);
        params.kernelParams = args;
        ENC_CUDA(cudaGraphExecKernelNodeSetParams(frameExec_, quantizeNode_, &params));
    }

    cudaStream_t encode_ = nullptr;
    cudaStream_t analysis_ = nullptr;
    int* staging_ = nullptr;
    int* coefficients_ = nullptr;
    int* levels_ = nullptr;
    int* complexity_ = nullptr;
    RateControl rateControl_;
    std::deque<FrameJob> queue_;
    cudaEvent_t uploaded_ = nullptr;
    cudaEvent_t measured_ = nullptr;
    cudaGraph_t frameGraph_ = nullptr;
    cudaGraphNode_t quantizeNode_ = nullptr;
    cudaGraphExec_t frameExec_ = nullptr;
};

} // namespace enc

int main()
{
    enc::Encoder encoder;
    constexpr int kFrames = 4;
    for (int f = 0; f < kFrames; ++f)
        encoder.submit({f, std::vector<int>(enc::kCoefficients, 240 * (f + 1))});

    int rightLevels = 0, rightComplexity = 0, level = 0;
    enc::FrameContext context;
    for (int f = 0; encoder.encodeNext(level, context); ++f) {
        const int value = 240 * (f + 1);

        rightLevels += level == value / context.step;

        rightComplexity += context.complexity == value;

    }
    if (rightLevels == kFrames && rightComplexity == kFrames) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: levels right %d, complexity right %d\n", rightLevels, rightComplexity);
    return 1;
}
