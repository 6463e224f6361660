// Offline audio bus: block processing with recorded graphs cached per bus configuration.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bus {

struct mono_t {
    static constexpr int channels = 1;
    __host__ __device__ static constexpr float trim() { return 0.5f; }
};
struct stereo_t {
    static constexpr int channels = 2;
    __host__ __device__ static constexpr float trim() { return 0.25f; }
};
struct quad_t {
    static constexpr int channels = 4;
    __host__ __device__ static constexpr float trim() { return 0.125f; }
};

using layout = std::variant<mono_t, stereo_t, quad_t>;

constexpr std::size_t frames_per_block = 64;
constexpr std::size_t max_frames = 1024;
constexpr std::size_t max_channels = 4;

struct error : std::runtime_error {
    error(const char* where, cudaError_t e) : std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e)) {}
};
inline void ensure(cudaError_t e, const char* where)
{
    if (e != cudaSuccess) throw error(where, e);
}

template <class Layout>
__global__ void trim_kernel(const float* in, float* out)
{
    const int frame = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < Layout::channels; ++c)
        out[frame * Layout::channels + c] = in[frame * Layout::channels + c] * Layout::trim();
}

template <class F>
cudaGraphExec_t record(cudaStream_t stream, F&& commands)
{
    struct scope {
        cudaStream_t s;
        bool open;
        ~scope()
        {
            cudaGraph_t dropped = nullptr;
            if (open && cudaStreamEndCapture(s, &dropped) == cudaSuccess) cudaGraphDestroy(dropped);
        }
    };
    ensure(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
    scope guard{stream, true};
    std::forward<F>(commands)();
    guard.open = false;
    cudaGraph_t graph = nullptr;
    ensure(cudaStreamEndCapture(stream, &graph), "end");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    ensure(made, "instantiate");
    return exec;
}

class mixer {
public:
    mixer()
    {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        ensure(cudaMallocHost(&host_in_, bytes), "host_in");
        ensure(cudaMallocHost(&host_out_, bytes), "host_out");
        ensure(cudaMalloc(&dev_in_, bytes), "dev_in");
        ensure(cudaMalloc(&dev_out_, bytes), "dev_out");
    }
    ~mixer()
    {
        for (auto& entry : cache_) cudaGraphExecDestroy(entry.second);
        cudaFree(dev_in_);
        cudaFree(dev_out_);
        cudaFreeHost(host_in_);
        cudaFreeHost(host_out_);
        cudaStreamDestroy(stream_);
    }
    mixer(const mixer&) = delete;
    mixer& operator=(const mixer&) = delete;

    std::vector<float> process(const layout& l, const std::vector<float>& samples)
    {
        const std::size_t channels = std::visit([](auto tag) -> std::size_t { return tag.channels; }, l);
        const std::size_t frames = samples.size() / channels;
        if (frames == 0 || frames % frames_per_block != 0 || frames > max_frames)
            throw std::invalid_argument("block size");

        for (std::size_t i = 0; i < samples.size(); ++i) {
            host_in_[i] = samples[i];
            host_out_[i] = 0.0f;
        }
        ensure(cudaGraphLaunch(lookup(l, frames), stream_), "launch");
        ensure(cudaStreamSynchronize(stream_), "process");
        return std::vector<float>(host_out_, host_out_ + samples.size());
    }

private:
    using key = std::size_t;

    cudaGraphExec_t lookup(const layout& l, std::size_t frames)
    {
        const key k = l.index();
        const auto it = cache_.find(k);
        if (it != cache_.end()) return it->second;
        const cudaGraphExec_t exec = record(stream_, [&] {
            std::visit([&](auto tag) { enqueue(tag, frames); }, l);
        });
        cache_.emplace(k, exec);
        return exec;
    }

    template <class Layout>
    void enqueue(Layout, std::size_t frames)
    {
        const std::size_t span = frames * Layout::channels * sizeof(float);
        const dim3 grid(static_cast<unsigned>(frames / frames_per_block));
        ensure(cudaMemcpyAsync(dev_in_, host_in_, span, cudaMemcpyHostToDevice, stream_), "upload"); // HAZARD dynamic_shape
        trim_kernel<Layout><<<grid, frames_per_block, 0, stream_>>>(dev_in_, dev_out_); // HAZARD dynamic_shape
        ensure(cudaGetLastError(), "trim");
        ensure(cudaMemcpyAsync(host_out_, dev_out_, span, cudaMemcpyDeviceToHost, stream_), "download"); // HAZARD dynamic_shape
    }

    static constexpr std::size_t bytes = max_frames * max_channels * sizeof(float);

    cudaStream_t stream_ = nullptr;
    float* host_in_ = nullptr;
    float* host_out_ = nullptr;
    float* dev_in_ = nullptr;
    float* dev_out_ = nullptr;
    std::map<key, cudaGraphExec_t> cache_;
};

} // namespace bus

int main()
{
    bool shorts = true, longs = true;
    {
        bus::mixer m;
        const std::vector<float> a = m.process(bus::mono_t{}, std::vector<float>(64, 8.0f));
        const std::vector<float> b = m.process(bus::stereo_t{}, std::vector<float>(128, 8.0f));
        for (float x : a) shorts = shorts && x == 4.0f;
        for (float x : b) shorts = shorts && x == 2.0f;
        const std::vector<float> c = m.process(bus::stereo_t{}, std::vector<float>(1024, 4.0f));
        for (float x : c) longs = longs && x == 1.0f;
        const std::vector<float> d = m.process(bus::mono_t{}, std::vector<float>(64, 2.0f));
        for (float x : d) shorts = shorts && x == 1.0f;
    }
    std::puts(shorts && !longs ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
