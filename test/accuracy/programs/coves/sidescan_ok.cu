// Side-scan sonar: time-varying gain, bottom tracking and display for a towed fish.
// Each ping is uploaded, amplified and tracked by one recorded graph; pings wait in a ring buffer.
#include <cuda_runtime.h>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace sonar {

constexpr int kSamples = 2048;
constexpr int kRing = 4;
constexpr int kArchive = 64;
constexpr int kThreshold = 5000;

struct Ping {
    int number = 0;
    std::array<int, kSamples> echo{};
};

class PingRing {
public:
    bool push(const Ping& p) {
        if (count_ == kRing) return false;
        slots_[(head_ + count_++) % kRing] = p;
        return true;
    }
    bool pop(Ping& p) {
        if (!count_) return false;
        p = slots_[head_];
        head_ = (head_ + 1) % kRing;
        --count_;
        return true;
    }

private:
    std::array<Ping, kRing> slots_;
    int head_ = 0, count_ = 0;
};

// The gain stage also resamples the raw echo, which is most of its work.
__global__ void gainStage(const int* raw, const int* gain, int* out, long long resampleCycles) {
    long long t0 = clock64();
    while (clock64() - t0 < resampleCycles) {
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSamples) out[i] = raw[i] * gain[i] / 16;
}

__global__ void trackBottom(const int* samples, int* bottom) {
    __shared__ int first;
    if (threadIdx.x == 0) first = kSamples;
    __syncthreads();
    for (int i = threadIdx.x; i < kSamples; i += blockDim.x)
        if (samples[i] > kThreshold) atomicMin(&first, i);
    __syncthreads();
    if (threadIdx.x == 0) *bottom = first;
}

// Mean of the raw echo, before any gain.
__global__ void noiseLevel(const int* raw, long long* level) {
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < kSamples; i += blockDim.x) atomicAdd(&sum, (unsigned long long)raw[i]);
    __syncthreads();
    if (threadIdx.x == 0) *level = (long long)(sum / kSamples);
}

// Copies the display line into the next row of the archive.
__global__ void archiveLine(const int* image, int* archive, int* rows) {
    int row = *rows % kArchive;
    for (int i = threadIdx.x; i < kSamples; i += blockDim.x) archive[row * kSamples + i] = image[i];
    __syncthreads();
    if (threadIdx.x == 0) ++*rows;
}

struct Display {
    int* image = nullptr;    // device, kSamples
    int* archive = nullptr;  // device, kArchive x kSamples
    int* rows = nullptr;     // device, lines archived up to now
    const int* bottom = nullptr;  // pinned
    std::atomic<int> published{0};
    std::atomic<int> shallowest{kSamples};
};

class Pipeline {
public:
    Pipeline() {
        ok(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
        ok(cudaStreamCreateWithFlags(&track_, cudaStreamNonBlocking));
        ok(cudaStreamCreateWithFlags(&noise_, cudaStreamNonBlocking));
        ok(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
        for (cudaEvent_t* e : {&tracked_, &measured_}) ok(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
        for (int** p : {&raw_, &gain_, &display_.image}) ok(cudaMalloc(p, kSamples * sizeof(int)));
        ok(cudaMalloc(&display_.archive, size_t(kArchive) * kSamples * sizeof(int)));
        ok(cudaMalloc(&bottom_, sizeof(int)));
        ok(cudaMalloc(&level_, sizeof(long long)));
        ok(cudaMalloc(&display_.rows, sizeof(int)));
        ok(cudaMemset(display_.rows, 0, sizeof(int)));
        ok(cudaMemset(display_.image, 0, kSamples * sizeof(int)));
        ok(cudaMallocHost(&rawHost_, kSamples * sizeof(int)));
        ok(cudaMallocHost(&bottomHost_, sizeof(int)));
        ok(cudaMallocHost(&levelHost_, sizeof(long long)));
        display_.bottom = bottomHost_;
        configure(16);
    }
    ~Pipeline() {
        cudaGraphExecDestroy(exec_);
        for (void* p : {(void*)raw_, (void*)gain_, (void*)display_.image, (void*)display_.archive, (void*)bottom_,
                        (void*)level_, (void*)display_.rows})
            cudaFree(p);
        cudaFreeHost(rawHost_);
        cudaFreeHost(bottomHost_);
        cudaFreeHost(levelHost_);
        for (cudaEvent_t e : {ready_, tracked_, measured_}) cudaEventDestroy(e);
        for (cudaStream_t s : {main_, track_, noise_}) cudaStreamDestroy(s);
    }

    // New gain curve; its buffer stays where it is.
    void configure(int slope) {
        std::vector<int> g(kSamples);
        for (int i = 0; i < kSamples; ++i) g[i] = 16 + slope * i / kSamples;
        ok(cudaMemcpy(gain_, g.data(), kSamples * sizeof(int), cudaMemcpyHostToDevice));
        ok(cudaDeviceSynchronize());
    }

    void build() {
        openCapture();
        recordUpload();
        recordNoise();
        recordGain();
        recordTracking();
        recordPublish();
        closeCapture();
    }

    int process(const Ping& p) {
        std::memcpy(rawHost_, p.echo.data(), kSamples * sizeof(int));
        ok(cudaGraphLaunch(exec_, main_));
        ok(cudaStreamSynchronize(main_));
        return *bottomHost_;
    }

    long long level() const { return *levelHost_; }
    int archivedSample(int row, int i) {
        int v = -1;
        ok(cudaMemcpy(&v, display_.archive + row * kSamples + i, sizeof(int), cudaMemcpyDeviceToHost));
        return v;
    }
    const Display& display() const { return display_; }
    bool healthy() const { return status_ == cudaSuccess; }

private:
    void ok(cudaError_t e) {
        if (e != cudaSuccess && status_ == cudaSuccess) {
            status_ = e;
            std::printf("pipeline: %s\n", cudaGetErrorString(e));
        }
    }

    void openCapture() { ok(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal)); }

    void recordUpload() {
        ok(cudaMemcpyAsync(raw_, rawHost_, kSamples * sizeof(int), cudaMemcpyHostToDevice, main_));
        ok(cudaEventRecord(ready_, main_));
    }

    // The noise level needs only the raw echo, so that it runs beside the gain stage.
    void recordNoise() {
        ok(cudaStreamWaitEvent(noise_, ready_, 0));
        noiseLevel<<<1, 256, 0, noise_>>>(raw_, level_);
        ok(cudaMemcpyAsync(levelHost_, level_, sizeof(long long), cudaMemcpyDeviceToHost, noise_));
        ok(cudaEventRecord(measured_, noise_));
    }

    void recordGain() {
        gainStage<<<kSamples / 256, 256, 0, main_>>>(raw_, gain_, display_.image, 4000000);
        ok(cudaEventRecord(ready_, main_));
    }

    // The tracker has a stream of its own.
    void recordTracking() {
        ok(cudaStreamWaitEvent(track_, ready_, 0));
        trackBottom<<<1, 256, 0, track_>>>(display_.image, bottom_);
        ok(cudaMemcpyAsync(bottomHost_, bottom_, sizeof(int), cudaMemcpyDeviceToHost, track_));
        ok(cudaEventRecord(tracked_, track_));
        archiveLine<<<1, 256, 0, main_>>>(display_.image, display_.archive, display_.rows);
        ok(cudaStreamWaitEvent(main_, tracked_, 0));
        ok(cudaStreamWaitEvent(main_, measured_, 0));
    }

    static void CUDART_CB publish(void* arg) {
        auto* d = static_cast<Display*>(arg);
        d->published.fetch_add(1);
        if (*d->bottom < d->shallowest) d->shallowest = *d->bottom;
    }

    void recordPublish() { ok(cudaLaunchHostFunc(main_, &Pipeline::publish, &display_)); }

    void closeCapture() {
        cudaGraph_t g = nullptr;
        ok(cudaStreamEndCapture(main_, &g));
        ok(cudaGraphInstantiate(&exec_, g, 0));
        ok(cudaGraphDestroy(g));
    }

    cudaStream_t main_ = nullptr, track_ = nullptr, noise_ = nullptr;
    cudaEvent_t ready_ = nullptr, tracked_ = nullptr, measured_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *raw_ = nullptr, *gain_ = nullptr, *bottom_ = nullptr, *rawHost_ = nullptr, *bottomHost_ = nullptr;
    long long *level_ = nullptr, *levelHost_ = nullptr;
    Display display_;
    cudaError_t status_ = cudaSuccess;
};

Ping simulatePing(int number) {
    Ping p;
    p.number = number;
    int bottom = 200 + 150 * (number % 9);
    for (int i = 0; i < kSamples; ++i) p.echo[i] = i < bottom ? (i * 13 + number) % 97 : 9000;
    return p;
}

int bottomOnCpu(const Ping& p, int slope) {
    for (int i = 0; i < kSamples; ++i)
        if (p.echo[i] * (16 + slope * i / kSamples) / 16 > kThreshold) return i;
    return kSamples;
}

}  // namespace sonar

int main() {
    using namespace sonar;
    auto pipeline = std::make_unique<Pipeline>();
    auto ring = std::make_unique<PingRing>();
    pipeline->build();
    int slope = 16, wrong = 0, shallowest = kSamples, done = 0;
    for (int n = 0; n < 8;) {
        while (n < 8 && ring->push(simulatePing(n))) ++n;
        Ping p;
        while (ring->pop(p)) {
            int got = pipeline->process(p), want = bottomOnCpu(p, slope);
            long long sum = 0;
            for (int v : p.echo) sum += v;
            std::printf("ping %d: bottom %d, expected %d, noise %lld\n", p.number, got, want, pipeline->level());
            wrong += got != want || pipeline->level() != sum / kSamples;
            wrong += pipeline->archivedSample(done, 150) != p.echo[150] * (16 + slope * 150 / kSamples) / 16;
            if (want < shallowest) shallowest = want;
            ++done;
        }
        pipeline->configure(slope = 32);
    }
    const Display& d = pipeline->display();
    std::printf("wrong %d, published %d, shallowest %d\n", wrong, d.published.load(), d.shallowest.load());
    bool confirmed = pipeline->healthy() && done == 8 && wrong == 0 && d.published == 8 && d.shallowest == shallowest;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
