// Raman spectra to peak tables: a small policy based template library and its self-test.
//
//   SpectrumAnalyzer<Noise, Sizing>  composes a noise estimator and a launch sizing policy,
//   GraphReplay<Derived>             records Derived::body() on first use and replays it afterwards.

#include <cuda_runtime.h>
#include <cufft.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace raman {

constexpr int kSamples = 1024;
constexpr int kBins = kSamples / 2 + 1;
constexpr int kMaxPeaks = 48;
constexpr int kHalfWindow = 10;
constexpr float kBaseline = 10.0f;

inline void ok(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(rc));
}
inline void ok(cufftResult rc, const char* what) {
    if (rc != CUFFT_SUCCESS) throw std::runtime_error(std::string(what) + ": cufft error " + std::to_string(int(rc)));
}

template <class T> struct DeviceBuffer {
    explicit DeviceBuffer(int n) {
        ok(cudaMalloc(&data, n * sizeof(T)), "malloc");
        ok(cudaMemset(data, 0, n * sizeof(T)), "memset");
        ok(cudaDeviceSynchronize(), "memset");
    }
    ~DeviceBuffer() { cudaFree(data); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    T* data = nullptr;
};

struct PeakTable {
    int count;
    float noise;
    int position[kMaxPeaks];
    float area[kMaxPeaks];
};

// ---------------------------------------------------------------------------------------------------------- kernels

__host__ __device__ inline int scanPeaks(const float* s, float threshold, int* position) {
    int n = 0;
    for (int i = kHalfWindow; i < kSamples - kHalfWindow && n < kMaxPeaks; ++i)
        if (s[i] > threshold && s[i] > s[i - 1] && s[i] >= s[i + 1]) position[n++] = i;
    return n;
}

__global__ void findPeaks(const float* spectrum, float threshold, PeakTable* table) {
    table->count = scanPeaks(spectrum, threshold, table->position);
}

__global__ void integratePeaks(const float* spectrum, PeakTable* table) {
    const int peak = blockIdx.x;
    if (peak >= table->count) return;
    const int offset = int(threadIdx.x) - kHalfWindow;
    float v = offset <= kHalfWindow ? spectrum[table->position[peak] + offset] - kBaseline : 0.0f;
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) table->area[peak] = v;
}

__global__ void nyquistNoise(const cufftComplex* bins, PeakTable* table) {
    const cufftComplex b = bins[kBins - 1];
    table->noise = sqrtf(b.x * b.x + b.y * b.y) / kSamples;
}

// --------------------------------------------------------------------------------------------------------- policies

class FourierNoise {
public:
    FourierNoise() : bins_(kBins) {
        ok(cudaStreamCreateWithFlags(&warmup_, cudaStreamNonBlocking), "fft stream");
        ok(cufftPlan1d(&plan_, kSamples, CUFFT_R2C, 1), "plan");
    }
    ~FourierNoise() {
        cufftDestroy(plan_);
        cudaStreamDestroy(warmup_);
    }
    // The first transform of a plan may load modules, so it is done on a stream of its own.
    void prepare(cudaStream_t stream, float* spectrum) {
        ok(cufftSetStream(plan_, warmup_), "plan stream");
        ok(cufftExecR2C(plan_, spectrum, bins_.data), "first transform");
        ok(cudaStreamSynchronize(warmup_), "first transform");
        ok(cufftSetStream(plan_, stream), "plan stream");
    }
    void record(cudaStream_t stream, float* spectrum, PeakTable* table) {
        ok(cufftExecR2C(plan_, spectrum, bins_.data), "transform");
        nyquistNoise<<<1, 1, 0, stream>>>(bins_.data, table);
        ok(cudaGetLastError(), "noise");
    }

private:
    DeviceBuffer<cufftComplex> bins_;
    cufftHandle plan_ = 0;
    cudaStream_t warmup_ = nullptr;
};

// One block per possible peak; blocks beyond the count that findPeaks has left in the table return at once.
class CapacitySizing {
public:
    void learn(const float* reference, float threshold) {
        int position[kMaxPeaks];
        expected_ = scanPeaks(reference, threshold, position);
    }
    int expected() const { return expected_; }
    int blocks() const { return kMaxPeaks; }

private:
    int expected_ = 0;
};

// ----------------------------------------------------------------------------------------------------------- replay

template <class Derived> class GraphReplay {
public:
    GraphReplay() { ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
    ~GraphReplay() {
        forget();
        cudaStreamDestroy(stream_);
    }
    GraphReplay(const GraphReplay&) = delete;
    GraphReplay& operator=(const GraphReplay&) = delete;

protected:
    void replay() {
        if (!exec_) record();
        ok(cudaGraphLaunch(exec_, stream_), "launch");
        ok(cudaStreamSynchronize(stream_), "replay");
    }
    void forget() {
        if (exec_) cudaGraphExecDestroy(exec_);
        exec_ = nullptr;
    }
    cudaStream_t stream() const { return stream_; }

private:
    void record() {
        Derived& self = static_cast<Derived&>(*this);
        self.prepare();
        cudaGraph_t graph = nullptr;
        ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
        try {
            self.body(stream_);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        ok(cudaStreamEndCapture(stream_, &graph), "end");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        ok(rc, "instantiate");
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

template <class Noise, class Sizing>
class SpectrumAnalyzer : public GraphReplay<SpectrumAnalyzer<Noise, Sizing>> {
    using Base = GraphReplay<SpectrumAnalyzer>;
    friend Base;

public:
    SpectrumAnalyzer(const std::vector<float>& reference, float threshold)
        : spectrum_(kSamples), table_(1), threshold_(threshold) {
        ok(cudaMallocHost(&hostSpectrum_, kSamples * sizeof(float)), "pinned");
        ok(cudaMallocHost(&hostTable_, sizeof(PeakTable)), "pinned");
        sizing_.learn(reference.data(), threshold);
    }
    ~SpectrumAnalyzer() {
        cudaFreeHost(hostSpectrum_);
        cudaFreeHost(hostTable_);
    }
    void setThreshold(float threshold) {
        threshold_ = threshold;
        Base::forget();
    }
    int expectedPeaks() const { return sizing_.expected(); }
    PeakTable analyze(const std::vector<float>& samples) {
        std::memcpy(hostSpectrum_, samples.data(), kSamples * sizeof(float));
        Base::replay();
        return *hostTable_;
    }

private:
    void prepare() {
        noise_.prepare(Base::stream(), spectrum_.data);
    }
    void body(cudaStream_t stream) {
        ok(cudaMemcpyAsync(spectrum_.data, hostSpectrum_, kSamples * sizeof(float), cudaMemcpyHostToDevice, stream), "upload");
        ok(cudaMemsetAsync(table_.data, 0, sizeof(PeakTable), stream), "clear");
        noise_.record(stream, spectrum_.data, table_.data);
        findPeaks<<<1, 1, 0, stream>>>(spectrum_.data, threshold_, table_.data);
        integratePeaks<<<sizing_.blocks(), 32, 0, stream>>>(spectrum_.data, table_.data);
        ok(cudaGetLastError(), "peaks");
        ok(cudaMemcpyAsync(hostTable_, table_.data, sizeof(PeakTable), cudaMemcpyDeviceToHost, stream), "download");
    }

    DeviceBuffer<float> spectrum_;
    DeviceBuffer<PeakTable> table_;
    Noise noise_;
    Sizing sizing_;
    float threshold_;
    float* hostSpectrum_ = nullptr;
    PeakTable* hostTable_ = nullptr;
};

}  // namespace raman

// ------------------------------------------------------------------------------------------------------- self-test

using namespace raman;

static std::vector<float> synthesize(int peaks, float ripple) {
    std::vector<float> s(kSamples);
    for (int i = 0; i < kSamples; ++i) {
        double v = kBaseline + (i % 2 ? -ripple : ripple);
        for (int p = 0; p < peaks; ++p) {
            const double d = i - (40.0 + 36.0 * p);
            v += (100.0 + 10.0 * p) * std::exp(-d * d / 18.0);
        }
        s[i] = float(v);
    }
    return s;
}

struct Verdict {
    int areasRight = 0;
    bool count = false, noise = false;
};

static Verdict compare(const std::vector<float>& s, const PeakTable& t, float threshold, float ripple) {
    Verdict v;
    int position[kMaxPeaks];
    v.count = scanPeaks(s.data(), threshold, position) == t.count;
    for (int p = 0; p < t.count; ++p) {
        double area = 0.0;
        for (int d = -kHalfWindow; d <= kHalfWindow; ++d) area += s[position[p] + d] - kBaseline;
        v.areasRight += v.count && position[p] == t.position[p] && std::fabs(area - t.area[p]) < 1e-3 * area;
    }
    v.noise = std::fabs(t.noise - ripple) < 2e-3f;
    return v;
}

int main() {
    bool good = false;
    try {
        SpectrumAnalyzer<FourierNoise, CapacitySizing> analyzer(synthesize(3, 0.0f), 40.0f);
        const int peaks[4] = {3, 7, 12, 5};
        int complete = 0, noise = 0, counts = 0;
        float threshold = 40.0f;
        for (int k = 0; k < 4; ++k) {
            const float ripple = 0.05f * (k + 1);
            const auto s = synthesize(peaks[k], ripple);
            if (k == 3) analyzer.setThreshold(threshold = 125.0f);
            const PeakTable table = analyzer.analyze(s);
            const Verdict v = compare(s, table, threshold, ripple);
            counts += v.count;
            noise += v.noise;
            complete += v.areasRight == table.count && table.count == (k == 3 ? 3 : peaks[k]);
        }
        std::printf("counts right %d, complete tables %d, noise right %d (of 4), reference peaks %d\n", counts, complete,
                    noise, analyzer.expectedPeaks());
        good = counts == 4 && complete == 4 && noise == 4 && analyzer.expectedPeaks() == 3;
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL WRONG");
    return good ? 0 : 1;
}
