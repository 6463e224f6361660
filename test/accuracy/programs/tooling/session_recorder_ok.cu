#include <cuda_runtime.h>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

template <class T> struct Outcome {
    T value{};
    cudaError_t error = cudaSuccess;
    const char *stage = "";
    bool ok() const { return error == cudaSuccess; }
};

class StagingRing {
public:
    ~StagingRing() { for (auto *b : blocks_) cudaFreeHost(b); }
    Outcome<float *> take() {
        if (next_ == blocks_.size()) {
            if (Outcome<bool> g = grow(); !g.ok()) return {nullptr, g.error, g.stage};
        }
        return {blocks_[next_++]};
    }
    Outcome<bool> reserve(size_t n) {
        while (blocks_.size() < n)
            if (auto g = grow(); !g.ok()) return g;
        return {true};
    }
private:
    Outcome<bool> grow() {
        float *p = nullptr;
        cudaError_t e = cudaHostAlloc(reinterpret_cast<void **>(&p), kFloats * sizeof(float), cudaHostAllocDefault);
        if (e != cudaSuccess) return {false, e, "cudaHostAlloc"};
        blocks_.push_back(p);
        return {true};
    }
    static constexpr size_t kFloats = 64;
    std::vector<float *> blocks_;
    size_t next_ = 0;
};

__global__ void mix(const float *in, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] * 3.f;
}

class Recorder {
public:
    Recorder() {
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        cudaMalloc(&dev_, 128 * sizeof(float));
    }
    ~Recorder() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(dev_);
        cudaStreamDestroy(stream_);
    }
    Outcome<bool> open() {
        if (auto r = ring_.reserve(4); !r.ok()) return r;
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
        return {e == cudaSuccess, e, "open"};
    }
    Outcome<float *> add_source() {
        Outcome<float *> block = ring_.take();
        if (!block.ok()) return block;
        cudaMemcpyAsync(dev_, block.value, 64 * sizeof(float), cudaMemcpyHostToDevice, stream_);
        mix<<<1, 64, 0, stream_>>>(dev_, dev_ + 64, 64);
        block.error = cudaGetLastError();
        return block;
    }
    Outcome<bool> close() {
        cudaGraph_t g = nullptr;
        cudaError_t e = cudaStreamEndCapture(stream_, &g);
        if (e != cudaSuccess) { (void)cudaGetLastError(); return {false, e, "close"}; }
        e = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        return {e == cudaSuccess, e, "instantiate"};
    }
    Outcome<bool> discard() {
        cudaGraph_t g = nullptr;
        cudaError_t e = cudaStreamEndCapture(stream_, &g);
        if (g) cudaGraphDestroy(g);
        (void)cudaGetLastError();
        return {true, e, "discard"};
    }
    Outcome<float> play() {
        Outcome<float> r;
        r.error = cudaGraphLaunch(exec_, stream_);
        if (r.ok()) r.error = cudaMemcpyAsync(&r.value, dev_ + 64 + 7, sizeof(float), cudaMemcpyDeviceToHost, stream_);
        if (r.ok()) r.error = cudaStreamSynchronize(stream_);
        return r;
    }
private:
    cudaStream_t stream_ = nullptr;
    float *dev_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    StagingRing ring_;
};

class Desk {
public:
    Recorder &channel(const std::string &n) {
        auto &r = channels_[n];
        if (!r) r = std::make_unique<Recorder>();
        return *r;
    }
    Outcome<bool> finish(Recorder &r) {
        return std::async(std::launch::async, [&r] { return r.close(); }).get();
    }
private:
    std::map<std::string, std::unique_ptr<Recorder>> channels_;
};

int main() {
    cudaFree(nullptr);
    Desk desk;
    Recorder &strings = desk.channel("strings"), &brass = desk.channel("brass");

    Outcome<bool> opened = strings.open();
    Outcome<float *> lead = strings.add_source();
    Outcome<bool> closed = desk.finish(strings);
    Outcome<bool> opened2 = brass.open();
    Outcome<float *> src = brass.add_source();
    Outcome<bool> closed2 = desk.finish(brass);
    bool ok = opened.ok() && closed.ok() && opened2.ok() && closed2.ok() && lead.ok() && src.ok();
    float got[2] = {};
    for (int i = 0; ok && i < 2; ++i) {
        for (int k = 0; k < 64; ++k) lead.value[k] = float(k + i), src.value[k] = float(k - i);
        Outcome<float> a = strings.play(), b = brass.play();
        got[i] = a.value + b.value;
        ok = a.ok() && b.ok() && a.value == 3.f * (7 + i) && b.value == 3.f * (7 - i);
    }
    std::printf("LABEL %s (%g %g)\n", ok ? "CONFIRMED" : "REFUTED", got[0], got[1]);
    return 0;
}
