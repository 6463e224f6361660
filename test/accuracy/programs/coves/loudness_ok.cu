// A small header-only library for loudness processing of audio feeds, and its client.
//
// A chain is a list of stages that work in place on a workspace. A chain is recorded once as a CUDA graph (copy in,
// stages, copy out) and replayed for each block of frames. Where the workspace lives is a policy of the chain.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace loud {

constexpr int kFrames = 4096;
constexpr size_t kBytes = kFrames * sizeof(float);

inline void verify(cudaError_t err, const char* what) {
    if (err != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(err));
}

// ---- kernels -------------------------------------------------------------------------------------------------------

__global__ void scaleFrames(float* work, int n, const float* linear) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) work[i] *= *linear;
}

// Relaxes the gain of every frame towards the value that keeps it under the ceiling.
__global__ void trackEnvelope(const float* work, float* envelope, int n, float ceiling, float release, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float level = fabsf(work[i]);
    float target = level > ceiling ? ceiling / level : 1.f;
    float gain = 1.f;
    for (int r = 0; r < rounds; ++r) gain += (target - gain) * release;
    envelope[i] = gain;
}

__global__ void applyEnvelope(float* work, const float* envelope, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) work[i] *= envelope[i];
}

// ---- workspaces ----------------------------------------------------------------------------------------------------

// One block per process, for chains which come one after the other.
class PooledWorkspace {
public:
    float* data() const {
        static float* block = [] {
            float* p = nullptr;
            verify(cudaMalloc(&p, kBytes), "pooled workspace");
            return p;
        }();
        return block;
    }
};

class PrivateWorkspace {
public:
    PrivateWorkspace() { verify(cudaMalloc(&block_, kBytes), "private workspace"); }
    ~PrivateWorkspace() { cudaFree(block_); }
    PrivateWorkspace(const PrivateWorkspace&) = delete;
    float* data() const { return block_; }

private:
    float* block_ = nullptr;
};

// ---- stages --------------------------------------------------------------------------------------------------------

struct Lane {
    cudaStream_t stream;
    float* work;
    int blocks() const { return kFrames / 256; }
};

template <class Derived>
class Stage {
public:
    void emit(const Lane& lane) {
        static_cast<Derived*>(this)->record(lane);
        verify(cudaGetLastError(), Derived::name);
    }
};

// A scalar in device memory which can be set between replays.
class Knob {
public:
    explicit Knob(float value) {
        verify(cudaMalloc(&cell_, sizeof(float)), "knob");
        set(value);
    }
    ~Knob() { cudaFree(cell_); }
    Knob(const Knob&) = delete;
    void set(float value) {
        verify(cudaMemcpy(cell_, &value, sizeof value, cudaMemcpyHostToDevice), "knob");
        verify(cudaDeviceSynchronize(), "knob");
    }
    const float* device() const { return cell_; }

private:
    float* cell_ = nullptr;
};

class Trim : public Stage<Trim> {
public:
    static constexpr const char* name = "trim";
    void setDecibel(float db) { linear_.set(std::pow(10.f, db / 20.f)); }
    void record(const Lane& lane) {
        scaleFrames<<<lane.blocks(), 256, 0, lane.stream>>>(lane.work, kFrames, linear_.device());
    }

private:
    Knob linear_{1.f};
};

template <int Rounds>
class Leveler : public Stage<Leveler<Rounds>> {
public:
    static constexpr const char* name = "leveler";
    Leveler() { verify(cudaMalloc(&envelope_, kBytes), "envelope"); }
    ~Leveler() { cudaFree(envelope_); }
    Leveler(const Leveler&) = delete;
    void record(const Lane& lane) {
        const float release = 0.25f;
        trackEnvelope<<<lane.blocks(), 256, 0, lane.stream>>>(lane.work, envelope_, kFrames, 4.f, release, Rounds);
        applyEnvelope<<<lane.blocks(), 256, 0, lane.stream>>>(lane.work, envelope_, kFrames);
    }

private:
    float* envelope_ = nullptr;
};

// ---- chain ---------------------------------------------------------------------------------------------------------

class CaptureScope {
public:
    explicit CaptureScope(cudaStream_t stream) : stream_(stream) {
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    }
    ~CaptureScope() {
        if (open_) cudaStreamEndCapture(stream_, &graph_);
        if (graph_) cudaGraphDestroy(graph_);
    }
    cudaGraphExec_t instantiate() {
        open_ = false;
        verify(cudaStreamEndCapture(stream_, &graph_), "end capture");
        cudaGraphExec_t exec = nullptr;
        verify(cudaGraphInstantiate(&exec, graph_, 0), "instantiate");
        return exec;
    }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    bool open_ = true;
};

template <class Workspace, class... Stages>
class Chain {
public:
    explicit Chain(cudaStream_t stream) : stream_(stream) {
        verify(cudaMallocHost(&in_, kBytes), "chain input");
        verify(cudaMallocHost(&out_, kBytes), "chain output");
    }
    ~Chain() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(in_);
        cudaFreeHost(out_);
    }
    Chain(const Chain&) = delete;

    template <class S>
    S& stage() { return std::get<S>(stages_); }

    void prepare() {
        Lane lane{stream_, workspace_.data()};
        CaptureScope scope(stream_);
        verify(cudaMemcpyAsync(lane.work, in_, kBytes, cudaMemcpyHostToDevice, stream_), "copy in");
        std::apply([&](auto&... stage) { (stage.emit(lane), ...); }, stages_);
        verify(cudaMemcpyAsync(out_, lane.work, kBytes, cudaMemcpyDeviceToHost, stream_), "copy out");
        exec_ = scope.instantiate();
    }

    void start(const std::vector<float>& frames) {
        std::copy(frames.begin(), frames.end(), in_);
        verify(cudaGraphLaunch(exec_, stream_), "launch");
    }
    const float* finish() {
        verify(cudaStreamSynchronize(stream_), "finish");
        return out_;
    }

private:
    cudaStream_t stream_;
    Workspace workspace_;
    std::tuple<Stages...> stages_;
    float* in_ = nullptr;
    float* out_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace loud

// ---- client --------------------------------------------------------------------------------------------------------

using Feed = loud::Chain<loud::PrivateWorkspace, loud::Trim, loud::Leveler<15000000>>;
using Jingle = loud::Chain<loud::PooledWorkspace, loud::Trim, loud::Leveler<2000>>;

static std::vector<float> tone(float level) {
    std::vector<float> frames(loud::kFrames);
    for (int i = 0; i < loud::kFrames; ++i) frames[i] = level * (1.f + (i % 16) / 16.f);
    return frames;
}

static int deviations(const char* what, const std::vector<float>& in, const float* out, float gain) {
    int off = 0;
    for (int i = 0; i < loud::kFrames; ++i) off += std::fabs(out[i] - in[i] * gain) > 1e-4f;
    std::printf("%-20s %d frames off\n", what, off);
    return off;
}

static bool selfTest() {
    cudaStream_t streams[2];
    for (cudaStream_t& s : streams) loud::verify(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    Feed studio(streams[0]), stadium(streams[1]);
    studio.prepare();
    stadium.prepare();
    const std::vector<float> speech = tone(0.25f), crowd = tone(1.f);

    studio.start(speech);
    int solo = deviations("studio alone", speech, studio.finish(), 1.f);
    stadium.start(crowd);
    solo += deviations("stadium alone", crowd, stadium.finish(), 1.f);

    studio.start(speech);
    stadium.start(crowd);
    int together = deviations("studio on air", speech, studio.finish(), 1.f);
    stadium.finish();

    studio.stage<loud::Trim>().setDecibel(-6.f);
    studio.start(speech);
    int trimmed = deviations("studio trimmed", speech, studio.finish(), std::pow(10.f, -6.f / 20.f));

    Jingle opener(streams[0]), closer(streams[0]);
    opener.prepare();
    closer.prepare();
    closer.stage<loud::Trim>().setDecibel(-12.f);
    opener.start(speech);
    closer.start(crowd);
    trimmed += deviations("closer", crowd, closer.finish(), std::pow(10.f, -12.f / 20.f));
    trimmed += deviations("opener", speech, opener.finish(), 1.f);
    for (cudaStream_t s : streams) cudaStreamDestroy(s);
    return solo == 0 && together == 0 && trimmed == 0;
}

int main() {
    bool confirmed = false;
    try {
        confirmed = selfTest();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "loudness: %s\n", e.what());
    }
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
