#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

static int g_failed_line = 0;
static bool pass(cudaError_t e, int line) {
    if (e == cudaSuccess) return true;
    if (!g_failed_line) g_failed_line = line;
    return false;
}
#define PASS(x) pass((x), __LINE__)

__global__ void assimilate(float* level, float z, float gain) { *level += gain * (z - *level); }

__global__ void resample(const float* data, float* rep, int n, int reps, unsigned stride) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= reps) return;
    float acc = 0.f;
    for (int i = 0; i < n; ++i) acc += data[(i * stride + r * 7u) % n];
    rep[r] = acc / n;
}
__global__ void widest(const float* rep, int reps, float* out) {
    float lo = rep[0], hi = rep[0];
    for (int i = 1; i < reps; ++i) lo = fminf(lo, rep[i]), hi = fmaxf(hi, rep[i]);
    out[0] = 0.5f * (lo + hi);
    out[1] = hi - lo;
}

class Recording {
public:
    Recording() = default;
    Recording(const Recording&) = delete;
    ~Recording() { if (exec_) cudaGraphExecDestroy(exec_); }
    bool make(cudaStream_t s, const std::function<bool(cudaStream_t)>& what) {
        cudaGraph_t g = nullptr;
        if (!PASS(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))) return false;
        const bool good = what(s);
        if (!PASS(cudaStreamEndCapture(s, &g)) || !good) return false;
        const bool made = PASS(cudaGraphInstantiate(&exec_, g, 0));
        cudaGraphDestroy(g);
        return made;
    }
    cudaError_t play(cudaStream_t s) {
        cudaError_t e = cudaGraphLaunch(exec_, s);
        return e != cudaSuccess ? e : cudaStreamSynchronize(s);
    }
    explicit operator bool() const { return exec_ != nullptr; }
private:
    cudaGraphExec_t exec_ = nullptr;
};

class Gauge {
public:
    explicit Gauge(float gain) : gain_(gain) {
        PASS(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
        PASS(cudaMalloc(&level_, 2 * sizeof(float)));
        PASS(cudaMemset(level_, 0, 2 * sizeof(float)));
        PASS(cudaMallocHost(&mail_, 2 * sizeof(float)));
        PASS(cudaDeviceSynchronize());
    }
    ~Gauge() { cudaFreeHost(mail_); cudaFree(level_); cudaStreamDestroy(s_); }
    bool observe(float z) {
        if (!filter_) {
            const bool made = filter_.make(s_, [&](cudaStream_t s) {
                assimilate<<<1, 1, 0, s>>>(level_, z, gain_);  // HAZARD frozen
                cudaMemcpyAsync(mail_ + 1, level_, sizeof(float), cudaMemcpyDeviceToHost, s);
                seen_.push_back(z);  // HAZARD host_logic
                return PASS(cudaGetLastError());
            });
            if (!made) return false;
        }
        return PASS(filter_.play(s_));
    }
    float level() const { return mail_[1]; }
    const std::vector<float>& seen() const { return seen_; }
    cudaStream_t stream() const { return s_; }
private:
    float gain_;
    cudaStream_t s_ = nullptr;
    float *level_ = nullptr, *mail_ = nullptr;
    std::vector<float> seen_;
    Recording filter_;
};

class Bootstrap {
public:
    Bootstrap(cudaStream_t s, const std::vector<float>& sample) : s_(s), n_(int(sample.size())) {
        PASS(cudaMalloc(&data_, n_ * sizeof(float)));
        PASS(cudaMemcpy(data_, sample.data(), n_ * sizeof(float), cudaMemcpyHostToDevice));
        PASS(cudaMallocHost(&band_, 2 * sizeof(float)));
        PASS(cudaMalloc(&out_, 2 * sizeof(float)));
        PASS(cudaDeviceSynchronize());
    }
    ~Bootstrap() { cudaFree(data_); cudaFree(out_); cudaFreeHost(band_); }
    cudaError_t run(int reps) {
        Recording& rec = by_reps_[reps];
        if (!rec && !rec.make(s_, [&](cudaStream_t s) {
                float* rep = nullptr;
                if (!PASS(cudaMallocAsync(&rep, reps * sizeof(float), s))) return false;  // HAZARD memory_pool
                resample<<<(reps + 63) / 64, 64, 0, s>>>(data_, rep, n_, reps, 3u);
                widest<<<1, 1, 0, s>>>(rep, reps, out_);
                cudaMemcpyAsync(band_, out_, 2 * sizeof(float), cudaMemcpyDeviceToHost, s);
                return PASS(cudaGetLastError());
            }))
            return cudaErrorUnknown;
        return rec.play(s_);
    }
    float mid() const { return band_[0]; }
private:
    cudaStream_t s_;
    int n_;
    float *data_ = nullptr, *band_ = nullptr, *out_ = nullptr;
    std::map<int, Recording> by_reps_;
};

int main() {
    bool ok = false;
    {
        Gauge gauge(0.5f);
        bool fed = true;
        float want = 0.f;
        for (float z : {4.f, 8.f, 6.f}) {
            fed = fed && gauge.observe(z);
            want += 0.5f * (z - want);
        }
        std::vector<float> sample(25);
        std::iota(sample.begin(), sample.end(), 0.f);
        Bootstrap boot(gauge.stream(), sample);
        cudaError_t first = boot.run(200), second = boot.run(200);
        (void)cudaGetLastError();
        ok = fed && gauge.level() == 3.5f && want == 5.5f && gauge.seen().size() == 1 && first == cudaSuccess && second == cudaErrorInvalidValue;
        std::printf("LABEL %s (level %g want %g seen %zu, boot %d %d mid %g, line %d)\n", ok ? "CONFIRMED" : "REFUTED",
                    gauge.level(), want, gauge.seen().size(), int(first), int(second), boot.mid(), g_failed_line);
    }
    return 0;
}
