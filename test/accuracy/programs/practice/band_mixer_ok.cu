// Small header-style library for audio processing graphs: RAII streams, events, captures and forks; filter stages are a
// std::variant. Bands are processed in parallel branches, then mixed.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dsp {

class Error : public std::runtime_error {
public:
    Error(cudaError_t code, const char* what) : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)) {}
};

inline void ensure(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw Error(code, what);
}

class Stream {
public:
    Stream() { ensure(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "stream"); }
    ~Stream() { cudaStreamDestroy(handle_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return handle_; }

private:
    cudaStream_t handle_ = nullptr;
};

class Event {
public:
    Event() { ensure(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "event"); }
    ~Event() { cudaEventDestroy(handle_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return handle_; }

private:
    cudaEvent_t handle_ = nullptr;
};

template <class T>
class Buffer {
public:
    explicit Buffer(size_t n) : size_(n) { ensure(cudaMalloc(&data_, n * sizeof(T)), "buffer"); }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    T* data() const { return data_; }
    size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    size_t size_;
};

// Branches work off a parent stream; the branch is joined when the Fork goes out of scope.
class Fork {
public:
    Fork(cudaStream_t parent, cudaStream_t branch) : parent_(parent), branch_(branch) {
        ensure(cudaEventRecord(begin_, parent_), "fork record");
        ensure(cudaStreamWaitEvent(branch_, begin_, 0), "fork wait");
    }
    ~Fork() {
        if (!joined_ && cudaEventRecord(end_, branch_) == cudaSuccess) cudaStreamWaitEvent(parent_, end_, 0);
    }
    Fork(const Fork&) = delete;
    Fork& operator=(const Fork&) = delete;
    void join() {
        ensure(cudaEventRecord(end_, branch_), "join record");
        ensure(cudaStreamWaitEvent(parent_, end_, 0), "join wait");
        joined_ = true;
    }
    cudaStream_t stream() const { return branch_; }

private:
    Event begin_, end_;
    cudaStream_t parent_, branch_;
    bool joined_ = false;
};

class GraphExec {
public:
    explicit GraphExec(cudaGraph_t graph) {
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        ensure(rc, "instantiate");
    }
    GraphExec(GraphExec&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
    GraphExec& operator=(GraphExec&&) = delete;
    ~GraphExec() { if (exec_) cudaGraphExecDestroy(exec_); }
    void launch(cudaStream_t s) const { ensure(cudaGraphLaunch(exec_, s), "launch"); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

class Capture {
public:
    explicit Capture(cudaStream_t s) : stream_(s) {
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    }
    ~Capture() {
        cudaGraph_t partial = nullptr;
        if (active_ && cudaStreamEndCapture(stream_, &partial) == cudaSuccess) cudaGraphDestroy(partial);
    }
    cudaGraph_t end() {
        cudaGraph_t graph = nullptr;
        active_ = false;
        ensure(cudaStreamEndCapture(stream_, &graph), "end capture");
        return graph;
    }

private:
    cudaStream_t stream_;
    bool active_ = true;
};

struct Gain { float factor; };
struct Clip { float limit; };
using Stage = std::variant<Gain, Clip>;

__global__ void gain_kernel(const float* in, float* out, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}
__global__ void clip_kernel(const float* in, float* out, float limit, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fminf(fmaxf(in[i], -limit), limit);
}
__global__ void mix_kernel(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
__global__ void meter_kernel(const float* in, int* loud, int n) {
    int count = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) count += fabsf(in[i]) > 0.5f;
    if (threadIdx.x == 0) *loud = 0;
    __syncthreads();
    atomicAdd(loud, count);
}

inline void apply(const Stage& stage, const float* in, float* out, int n, cudaStream_t s) {
    const int blocks = (n + 127) / 128;
    std::visit([&](const auto& op) {
        using Op = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<Op, Gain>) gain_kernel<<<blocks, 128, 0, s>>>(in, out, op.factor, n);
        else clip_kernel<<<blocks, 128, 0, s>>>(in, out, op.limit, n);
    }, stage);
}

struct Mixer {
    explicit Mixer(int n) : input(n), low(n), high(n), output(n), loud(1) {}
    Buffer<float> input, low, high, output;
    Buffer<int> loud;
    Stream main, low_stream, meter_stream;

    GraphExec build(const Stage& low_stage, const Stage& high_stage) {
        const int n = static_cast<int>(input.size());
        Capture capture(main);
        {
            Fork meter(main, meter_stream);
            meter_kernel<<<1, 256, 0, meter.stream()>>>(input.data(), loud.data(), n);
            Fork low_band(main, low_stream);
            apply(low_stage, input.data(), low.data(), n, low_band.stream());
            apply(high_stage, input.data(), high.data(), n, main);
            low_band.join();
            mix_kernel<<<(n + 127) / 128, 128, 0, main>>>(low.data(), high.data(), output.data(), n);
        }
        return GraphExec(capture.end());
    }
};

}  // namespace dsp

int main() {
    constexpr int n = 5000;
    int wrong = 0;
    bool failed = false;
    try {
        dsp::Mixer mixer(n);
        const dsp::GraphExec graph = mixer.build(dsp::Gain{0.5f}, dsp::Clip{0.75f});
        std::vector<float> in(n), out(n);
        for (int block = 0; block < 5; ++block) {
            int loud = -1, expected_loud = 0;
            for (int i = 0; i < n; ++i) in[i] = float((i * (block + 1)) % 257 - 128) / 128.0f;
            dsp::ensure(cudaMemcpyAsync(mixer.input.data(), in.data(), n * sizeof(float), cudaMemcpyHostToDevice, mixer.main), "in");
            graph.launch(mixer.main);
            dsp::ensure(cudaMemcpyAsync(out.data(), mixer.output.data(), n * sizeof(float), cudaMemcpyDeviceToHost, mixer.main), "out");
            dsp::ensure(cudaMemcpyAsync(&loud, mixer.loud.data(), sizeof(int), cudaMemcpyDeviceToHost, mixer.main), "loud");
            dsp::ensure(cudaStreamSynchronize(mixer.main), "sync");
            for (int i = 0; i < n; ++i) {
                expected_loud += std::fabs(in[i]) > 0.5f;
                if (out[i] != 0.5f * in[i] + std::fmin(std::fmax(in[i], -0.75f), 0.75f)) { ++wrong; break; }
            }
            if (loud != expected_loud) ++wrong;
        }
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
        failed = true;
    }
    std::printf("wrong results: %d\n", wrong);
    std::puts(!wrong && !failed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
