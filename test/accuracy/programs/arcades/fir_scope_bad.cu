// firx: small FIR filter bank for audio frames. Short filters run from a captured graph with their
// taps in kernel arguments; banks with longer filters run directly from device memory.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace firx {

inline void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

struct ThreadLocalMode {
    static constexpr cudaStreamCaptureMode value = cudaStreamCaptureModeThreadLocal;
};

template <class Mode>
class CaptureScope {
public:
    explicit CaptureScope(cudaStream_t stream) : stream_(stream) {
        check(cudaStreamBeginCapture(stream_, Mode::value), "begin capture");  // HAZARD scope #open
    }
    ~CaptureScope() {
        if (graph_) cudaGraphDestroy(graph_);  // HAZARD scope #open
    }
    CaptureScope(const CaptureScope&) = delete;
    CaptureScope& operator=(const CaptureScope&) = delete;

    cudaGraph_t finish() {
        check(cudaStreamEndCapture(stream_, &graph_), "end capture");
        return graph_;
    }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
};

template <class T, int MaxTaps>
struct TapBlock {
    T c[MaxTaps];
    int count;
};

template <class T, int MaxTaps>
__global__ void firShort(const T* in, T* out, int n, TapBlock<T, MaxTaps> taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T acc = T(0);
    for (int k = 0; k < taps.count && k <= i; ++k) acc += taps.c[k] * in[i - k];
    out[i] = acc;
}

template <class T>
__global__ void firDirect(const T* in, T* out, int n, const T* taps, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T acc = T(0);
    for (int k = 0; k < count && k <= i; ++k) acc += taps[k] * in[i - k];
    out[i] = acc;
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) { check(cudaMalloc(&p_, n * sizeof(T)), "device array"); }
    ~DeviceArray() { cudaFree(p_); }
    DeviceArray(DeviceArray&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return p_; }

private:
    T* p_ = nullptr;
};

template <class T>
class PinnedArray {
public:
    explicit PinnedArray(size_t n) { check(cudaMallocHost(&p_, n * sizeof(T)), "pinned array"); }
    ~PinnedArray() { cudaFreeHost(p_); }
    PinnedArray(const PinnedArray&) = delete;
    PinnedArray& operator=(const PinnedArray&) = delete;
    T* get() const { return p_; }

private:
    T* p_ = nullptr;
};

template <class T, int MaxTaps>
class FilterBank {
public:
    void add(const std::vector<T>& taps, cudaStream_t stream) {
        DeviceArray<T> copy(taps.size());
        check(cudaMemcpyAsync(copy.get(), taps.data(), taps.size() * sizeof(T), cudaMemcpyHostToDevice, stream), "taps");
        check(cudaStreamSynchronize(stream), "taps");
        channels_.push_back(Channel{taps, std::move(copy)});
    }
    size_t size() const { return channels_.size(); }

    void enqueueShort(const T* in, T* out, int n, cudaStream_t stream) const {
        for (size_t c = 0; c < channels_.size(); ++c) {
            firShort<T, MaxTaps><<<(n + 255) / 256, 256, 0, stream>>>(in, out + c * n, n, pack(channels_[c].taps));
            check(cudaGetLastError(), "firShort");
        }
    }
    void enqueueDirect(const T* in, T* out, int n, cudaStream_t stream) const {
        for (size_t c = 0; c < channels_.size(); ++c) {
            const Channel& ch = channels_[c];
            firDirect<T><<<(n + 255) / 256, 256, 0, stream>>>(in, out + c * n, n, ch.device.get(),
                                                              static_cast<int>(ch.taps.size()));
            check(cudaGetLastError(), "firDirect");
        }
    }

private:
    struct Channel {
        std::vector<T> taps;
        DeviceArray<T> device;
    };
    static TapBlock<T, MaxTaps> pack(const std::vector<T>& taps) {
        if (taps.size() > MaxTaps) throw std::length_error("filter exceeds the short kernel");  // HAZARD scope #open
        TapBlock<T, MaxTaps> block{};
        std::copy(taps.begin(), taps.end(), block.c);
        block.count = static_cast<int>(taps.size());
        return block;
    }
    std::vector<Channel> channels_;
};

template <class T, int MaxTaps, class Mode = ThreadLocalMode>
class BankEngine {
public:
    BankEngine(int frame, int maxChannels)
        : frame_(frame), in_(frame), out_(size_t(frame) * maxChannels), hostIn_(frame), hostOut_(size_t(frame) * maxChannels) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    }
    ~BankEngine() {
        dropPlan();
        cudaStreamDestroy(stream_);
    }
    BankEngine(const BankEngine&) = delete;
    BankEngine& operator=(const BankEngine&) = delete;

    void addFilter(const std::vector<T>& taps) {
        bank_.add(taps, stream_);
        dropPlan();
        try {
            buildPlan();
        } catch (const std::length_error& e) {
            std::printf("direct mode: %s\n", e.what());
        }
    }

    cudaError_t process(const std::vector<T>& samples, std::vector<T>& filtered) {
        std::copy(samples.begin(), samples.end(), hostIn_.get());
        if (exec_) {
            check(cudaGraphLaunch(exec_, stream_), "launch");
        } else {
            load();
            bank_.enqueueDirect(in_.get(), out_.get(), frame_, stream_);
            store();
        }
        const cudaError_t status = cudaStreamSynchronize(stream_);  // HAZARD scope #open
        filtered.assign(hostOut_.get(), hostOut_.get() + bank_.size() * frame_);
        return status;
    }

private:
    void load() {
        check(cudaMemcpyAsync(in_.get(), hostIn_.get(), frame_ * sizeof(T), cudaMemcpyHostToDevice, stream_), "load");
    }
    void store() {
        check(cudaMemcpyAsync(hostOut_.get(), out_.get(), bank_.size() * frame_ * sizeof(T), cudaMemcpyDeviceToHost,
                              stream_), "store");
    }
    void buildPlan() {
        CaptureScope<Mode> scope(stream_);
        load();
        bank_.enqueueShort(in_.get(), out_.get(), frame_, stream_);
        store();
        check(cudaGraphInstantiate(&exec_, scope.finish(), 0), "instantiate");
    }
    void dropPlan() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    int frame_;
    DeviceArray<T> in_, out_;
    PinnedArray<T> hostIn_, hostOut_;
    FilterBank<T, MaxTaps> bank_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

template <class T>
bool matches(const std::vector<T>& x, const std::vector<std::vector<T>>& filters, const std::vector<T>& y) {
    if (y.size() != x.size() * filters.size()) return false;
    for (size_t c = 0; c < filters.size(); ++c)
        for (size_t i = 0; i < x.size(); ++i) {
            T acc = T(0);
            for (size_t k = 0; k < filters[c].size() && k <= i; ++k) acc += filters[c][k] * x[i - k];
            if (!(std::fabs(acc - y[c * x.size() + i]) < T(1e-3))) return false;
        }
    return true;
}

template <class T>
std::vector<T> windowed(int taps, int order) {
    std::vector<T> h(taps);
    for (int k = 0; k < taps; ++k) h[k] = T(0.3) * std::cos(T(0.1) * k * order) / taps;
    return h;
}

template <class T>
std::vector<T> tone(int n, int frame) {
    std::vector<T> x(n);
    for (int i = 0; i < n; ++i) x[i] = T(1 + frame) * std::sin(T(0.02) * i);
    return x;
}

}  // namespace firx

int main() {
    using Sample = float;
    constexpr int kFrame = 2048;
    bool confirmed = false;
    try {
        firx::BankEngine<Sample, 64> engine(kFrame, 4);
        std::vector<std::vector<Sample>> filters;
        std::vector<Sample> filtered;
        int shortRight = 0, lateFailures = 0;
        const int lengths[3] = {16, 48, 96};
        for (int stage = 0; stage < 3; ++stage) {
            filters.push_back(firx::windowed<Sample>(lengths[stage], stage + 1));
            engine.addFilter(filters.back());
            for (int f = 0; f < (stage < 2 ? 3 : 1); ++f) {
                const std::vector<Sample> x = firx::tone<Sample>(kFrame, stage * 3 + f);
                const cudaError_t status = engine.process(x, filtered);
                const bool right = status == cudaSuccess && firx::matches(x, filters, filtered);
                std::printf("stage %d frame %d: %s %s\n", stage, f, cudaGetErrorName(status), right ? "right" : "wrong");
                if (stage < 2 && right) ++shortRight;
                if (stage == 2 && status == cudaErrorStreamCaptureUnsupported) ++lateFailures;
            }
        }
        confirmed = shortRight == 6 && lateFailures == 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
