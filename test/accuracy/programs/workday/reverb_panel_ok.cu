// Convolution-less reverb for an audio plugin: the panel's knobs are observable parameters,
// and each audio block is one graph launch.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

template <class T>
class Parameter {
public:
    Parameter(std::string name, T value) : name_(std::move(name)), value_(value) {}

    void observe(std::function<void(const T&)> observer)
    {
        observer(value_);
        observers_.push_back(std::move(observer));
    }
    void set(T value)
    {
        value_ = value;
        for (auto& o : observers_) o(value_);
    }
    const T& get() const { return value_; }

private:
    std::string name_;
    T value_;
    std::vector<std::function<void(const T&)>> observers_;
};

struct Panel {
    Parameter<float> wet{"wet", 0.25f};
    Parameter<float> decay{"decay", 0.5f};
};

struct Live {
    float wet = 0.0f;
    float decay = 0.0f;
};

__global__ void feedDelayLine(float* line, const float* dry, const Live* live, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) line[i] = line[i] * live->decay + dry[i];
}

__global__ void mixDown(float* out, const float* dry, const float* line, const Live* live, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (1.0f - live->wet) * dry[i] + live->wet * line[i];
}

struct ExecDeleter {
    void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
};
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

class ReverbProcessor {
public:
    static constexpr int kBlock = 512;

    explicit ReverbProcessor(Panel& panel)
    {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        check(cudaMallocHost(&input_, kBlock * sizeof(float)));
        check(cudaMallocHost(&live_, sizeof(Live)));
        check(cudaMalloc(&deviceLive_, sizeof(Live)));
        check(cudaMalloc(&dry_, kBlock * sizeof(float)));
        check(cudaMalloc(&line_, kBlock * sizeof(float)));
        check(cudaMalloc(&out_, kBlock * sizeof(float)));
        check(cudaMemsetAsync(line_, 0, kBlock * sizeof(float), stream_));
        panel.wet.observe([&wet = live_->wet](const float& v) { wet = v; });
        panel.decay.observe([this](const float& v) { live_->decay = v; });
    }
    ~ReverbProcessor()
    {
        cudaStreamSynchronize(stream_);
        exec_.reset();
        cudaFreeHost(input_);
        cudaFreeHost(live_);
        cudaFree(deviceLive_);
        cudaFree(dry_);
        cudaFree(line_);
        cudaFree(out_);
        cudaStreamDestroy(stream_);
    }
    ReverbProcessor(const ReverbProcessor&) = delete;
    ReverbProcessor& operator=(const ReverbProcessor&) = delete;

    std::vector<float> processBlock(const std::vector<float>& samples)
    {
        std::copy(samples.begin(), samples.end(), input_);
        if (!exec_) exec_ = record();
        check(cudaGraphLaunch(exec_.get(), stream_));
        std::vector<float> result(kBlock);
        check(cudaMemcpyAsync(result.data(), out_, kBlock * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        check(cudaStreamSynchronize(stream_));
        return result;
    }

private:
    Exec record()
    {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        check(cudaMemcpyAsync(dry_, input_, kBlock * sizeof(float), cudaMemcpyHostToDevice, stream_));
        check(cudaMemcpyAsync(deviceLive_, live_, sizeof(Live), cudaMemcpyHostToDevice, stream_));
        feedDelayLine<<<kBlock / 128, 128, 0, stream_>>>(line_, dry_, deviceLive_, kBlock);
        mixDown<<<kBlock / 128, 128, 0, stream_>>>(out_, dry_, line_, deviceLive_, kBlock);
        check(cudaStreamEndCapture(stream_, &graph));
        check(cudaGraphInstantiate(&exec, graph, 0));
        check(cudaGraphDestroy(graph));
        return Exec(exec);
    }

    cudaStream_t stream_ = nullptr;
    float* input_ = nullptr;
    float* dry_ = nullptr;
    float* line_ = nullptr;
    float* out_ = nullptr;
    Live* live_ = nullptr; // pinned, written by the observers between blocks
    Live* deviceLive_ = nullptr;
    Exec exec_;
};

} // namespace

int main()
{
    Panel panel;
    ReverbProcessor reverb(panel);
    const std::vector<float> block(ReverbProcessor::kBlock, 1.0f);

    float line = 0.0f;
    bool follows = true;
    const std::pair<float, float> automation[] = {{0.25f, 0.5f}, {0.75f, 0.5f}, {0.75f, 0.125f}, {0.5f, 0.25f}};
    for (const auto& [wet, decay] : automation) {
        panel.wet.set(wet);
        panel.decay.set(decay);
        const float got = reverb.processBlock(block)[100];
        line = line * decay + 1.0f;

        follows &= std::fabs(got - ((1.0f - wet) + wet * line)) < 1e-4f;

    }
    if (follows) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::puts("LABEL NOT CONFIRMED: output does not follow the panel");
    return 1;
}
