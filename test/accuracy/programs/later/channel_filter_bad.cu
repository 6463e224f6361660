// Signal processing: low-pass filter of several channels by FFT. Plans come from a cache that is shared by all
// channels; each channel replays its filter.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

namespace dsp {

template <class Status>
void expectOk(Status status, const char* what)
{
    if (int(status) == 0) return;
    std::printf("LABEL NOT CONFIRMED: %s gave %d\n", what, int(status));
    std::exit(1);
}

class PlanCache {
public:
    ~PlanCache()
    {
        for (auto& [length, plan] : plans_) cufftDestroy(plan);
    }
    cufftHandle of(int length)
    {
        if (auto it = plans_.find(length); it != plans_.end()) return it->second;
        cufftHandle plan{};
        expectOk(cufftPlan1d(&plan, length, CUFFT_C2C, 1), "plan");
        return plans_[length] = plan;
    }

private:
    std::unordered_map<int, cufftHandle> plans_;
};

__global__ void lowPass(cufftComplex* bins, int length, int keep)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length) return;
    const int frequency = min(i, length - i);
    const float scale = frequency < keep ? 1.0f / length : 0.0f;
    bins[i].x *= scale;
    bins[i].y *= scale;
}

class Channel {
public:
    Channel(PlanCache& plans, int length, int keep) : plans_(plans), length_(length), keep_(keep)
    {
        expectOk(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        expectOk(cudaMalloc(&data_, length * sizeof(cufftComplex)), "data");
        enqueue();  // warm-up
        expectOk(cudaDeviceSynchronize(), "warm-up");

        cudaGraph_t graph{};
        expectOk(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
        enqueue();
        expectOk(cudaStreamEndCapture(stream_, &graph), "end");
        expectOk(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        expectOk(cudaGraphDestroy(graph), "destroy");
        expectOk(cudaDeviceSynchronize(), "capture");
    }
    ~Channel()
    {
        cudaGraphExecDestroy(exec_);
        cudaFree(data_);
        cudaStreamDestroy(stream_);
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    std::vector<cufftComplex> filter(const std::vector<cufftComplex>& in)
    {
        std::vector<cufftComplex> out(in.size());
        const std::size_t bytes = in.size() * sizeof(cufftComplex);
        expectOk(cudaMemcpyAsync(data_, in.data(), bytes, cudaMemcpyHostToDevice, stream_), "upload");
        expectOk(cudaGraphLaunch(exec_, stream_), "launch");
        expectOk(cudaMemcpyAsync(out.data(), data_, bytes, cudaMemcpyDeviceToHost, stream_), "download");
        expectOk(cudaStreamSynchronize(stream_), "wait");
        return out;
    }

private:
    void enqueue()
    {
        const cufftHandle plan = plans_.of(length_);
        expectOk(cufftExecC2C(plan, data_, data_, CUFFT_FORWARD), "forward");  // HAZARD default_stream #plan
        lowPass<<<(length_ + 127) / 128, 128, 0, stream_>>>(data_, length_, keep_);
        expectOk(cufftExecC2C(plan, data_, data_, CUFFT_INVERSE), "inverse");  // HAZARD default_stream #plan
    }

    PlanCache& plans_;
    const int length_;
    const int keep_;
    cudaStream_t stream_{};
    cufftComplex* data_{};
    cudaGraphExec_t exec_{};
};

// A slow wave of the given amplitude and a fast one of amplitude 1.
static std::vector<cufftComplex> waves(int length, float amplitude, bool fast)
{
    std::vector<cufftComplex> out(length);
    const float turn = 6.2831853f / length;
    for (int i = 0; i < length; ++i)
        out[i] = {amplitude * std::cos(turn * 2 * i) + (fast ? std::cos(turn * 50 * i) : 0.0f), 0.0f};
    return out;
}

}  // namespace dsp

int main()
{
    dsp::PlanCache plans;
    std::vector<std::unique_ptr<dsp::Channel>> channels;
    for (int length : {256, 512, 256}) channels.push_back(std::make_unique<dsp::Channel>(plans, length, 8));

    int right = 0, wrong = 0;
    for (int round = 1; round <= 3; ++round) {
        for (std::size_t c = 0; c < channels.size(); ++c) {
            const int length = c == 1 ? 512 : 256;
            const auto seen = channels[c]->filter(dsp::waves(length, 0.5f * round, true));
            const auto expected = dsp::waves(length, 0.5f * round, false);
            float worst = 0.0f;
            for (int i = 0; i < length; ++i) worst = std::fmax(worst, std::fabs(seen[i].x - expected[i].x));
            (worst < 1e-3f ? right : wrong)++;
        }
    }
    std::printf("filtered right %d, wrong %d\n", right, wrong);
    if (wrong == 9) return std::puts("LABEL CONFIRMED"), 0;
    std::puts("LABEL NOT CONFIRMED: other channels than expected");
    return 1;
}
