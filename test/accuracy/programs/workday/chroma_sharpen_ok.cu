// Camera image pipeline: luma and chroma are filtered in parallel branches and composed into one plane.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace pipeline {

static void gpuAssert(cudaError_t err, int line)
{
    if (err == cudaSuccess) return;
    std::printf("LABEL NOT CONFIRMED: line %d: %s\n", line, cudaGetErrorString(err));
    std::exit(1);
}
#define GPU_ASSERT(x) gpuAssert((x), __LINE__)

constexpr int kWidth = 64;
constexpr int kHeight = 16;
constexpr int kPixels = kWidth * kHeight;

__global__ void sharpenLuma(const int* raw, int* luma)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) luma[i] = 2 * raw[i];
}

// A wide bilateral filter: costs much more than the luma path.
__global__ void denoiseChroma(const int* raw, int* chroma)
{
    const long long start = clock64();
    while (clock64() - start < 40000000LL) {}
    for (int i = threadIdx.x; i < kPixels; i += blockDim.x) chroma[i] = 1000 * raw[i];
}

__global__ void compose(const int* luma, const int* chroma, int* image)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kPixels) image[i] = luma[i] + chroma[i];
}

class Branch {
public:
    Branch()
    {
        GPU_ASSERT(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        GPU_ASSERT(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
    }
    ~Branch()
    {
        GPU_ASSERT(cudaEventDestroy(done_));
        GPU_ASSERT(cudaStreamDestroy(stream_));
    }
    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

    cudaStream_t stream() const { return stream_; }
    void forkFrom(cudaEvent_t start) { GPU_ASSERT(cudaStreamWaitEvent(stream_, start, 0)); }
    void joinInto(cudaStream_t target)
    {
        GPU_ASSERT(cudaEventRecord(done_, stream_));
        GPU_ASSERT(cudaStreamWaitEvent(target, done_, 0));
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t done_ = nullptr;
};

class Pipeline {
public:
    Pipeline()
    {
        GPU_ASSERT(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
        GPU_ASSERT(cudaEventCreateWithFlags(&start_, cudaEventDisableTiming));
        GPU_ASSERT(cudaMallocHost(&upload_, kPixels * sizeof(int)));
        for (int** plane : {&raw_, &luma_, &chroma_, &image_}) {
            GPU_ASSERT(cudaMalloc(plane, kPixels * sizeof(int)));
            GPU_ASSERT(cudaMemsetAsync(*plane, 0, kPixels * sizeof(int), main_));
        }
        GPU_ASSERT(cudaStreamSynchronize(main_));
        beginFrameGraph();
        recordFilters();
        endFrameGraph();
    }
    ~Pipeline()
    {
        GPU_ASSERT(cudaGraphExecDestroy(frame_));
        for (int* plane : {raw_, luma_, chroma_, image_}) GPU_ASSERT(cudaFree(plane));
        GPU_ASSERT(cudaFreeHost(upload_));
        GPU_ASSERT(cudaEventDestroy(start_));
        GPU_ASSERT(cudaStreamDestroy(main_));
    }

    std::vector<int> process(int level)
    {
        for (int i = 0; i < kPixels; ++i) upload_[i] = level;
        GPU_ASSERT(cudaGraphLaunch(frame_, main_));
        std::vector<int> out(kPixels);
        GPU_ASSERT(cudaMemcpyAsync(out.data(), image_, kPixels * sizeof(int), cudaMemcpyDeviceToHost, main_));
        GPU_ASSERT(cudaStreamSynchronize(main_));
        return out;
    }

private:
    void beginFrameGraph()
    {
        GPU_ASSERT(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
        GPU_ASSERT(cudaMemcpyAsync(raw_, upload_, kPixels * sizeof(int), cudaMemcpyHostToDevice, main_));
    }

    void recordFilters()
    {
        GPU_ASSERT(cudaEventRecord(start_, main_));
        lumaBranch_.forkFrom(start_);
        chromaBranch_.forkFrom(start_);
        sharpenLuma<<<kPixels / 256, 256, 0, lumaBranch_.stream()>>>(raw_, luma_);
        GPU_ASSERT(cudaGetLastError());
        denoiseChroma<<<1, 256, 0, chromaBranch_.stream()>>>(raw_, chroma_);
        GPU_ASSERT(cudaGetLastError());

        lumaBranch_.joinInto(main_);
        chromaBranch_.joinInto(main_);
        compose<<<kPixels / 256, 256, 0, main_>>>(luma_, chroma_, image_);
        GPU_ASSERT(cudaGetLastError());
    }

    void endFrameGraph()
    {
        cudaGraph_t graph = nullptr;
        GPU_ASSERT(cudaStreamEndCapture(main_, &graph));
        GPU_ASSERT(cudaGraphInstantiate(&frame_, graph, 0));
        GPU_ASSERT(cudaGraphDestroy(graph));
    }

    cudaStream_t main_ = nullptr;
    cudaEvent_t start_ = nullptr;
    Branch lumaBranch_;
    Branch chromaBranch_;
    int* upload_ = nullptr;
    int* raw_ = nullptr;
    int* luma_ = nullptr;
    int* chroma_ = nullptr;
    int* image_ = nullptr;
    cudaGraphExec_t frame_ = nullptr;
};

} // namespace pipeline

int main()
{
    pipeline::Pipeline p;
    int right = 0;
    const std::array<int, 4> levels{3, 8, 5, 9};
    for (const int level : levels) {
        const std::vector<int> image = p.process(level);
        right += image[123] == 1002 * level && image.back() == 1002 * level;
    }
    if (right == static_cast<int>(levels.size())) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: %d frames right of %zu\n", right, levels.size());
    return 1;
}
