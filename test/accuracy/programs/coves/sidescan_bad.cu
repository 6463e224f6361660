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

struct Display {
    int* image = nullptr;    // device, kSamples
    int* archive = nullptr;  // device, kArchive x kSamples
    cudaStream_t archiveStream = nullptr;
    std::atomic<int> published{0};
    std::atomic<int> archiveStatus{0};
};

class Pipeline {
public:
    Pipeline() {
        ok(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
        ok(cudaStreamCreateWithFlags(&track_, cudaStreamNonBlocking));
        ok(cudaStreamCreateWithFlags(&display_.archiveStream, cudaStreamNonBlocking));
        ok(cudaEventCreateWithFlags(&uploaded_, cudaEventDisableTiming));
        ok(cudaEventCreateWithFlags(&tracked_, cudaEventDisableTiming));
        for (int** p : {&raw_, &gain_, &display_.image}) ok(cudaMalloc(p, kSamples * sizeof(int)));
        ok(cudaMalloc(&display_.archive, size_t(kArchive) * kSamples * sizeof(int)));
        ok(cudaMalloc(&bottom_, sizeof(int)));
        ok(cudaMemset(display_.image, 0, kSamples * sizeof(int)));
        ok(cudaMallocHost(&rawHost_, kSamples * sizeof(int)));
        ok(cudaMallocHost(&bottomHost_, sizeof(int)));
        configure(16);
    }
    ~Pipeline() {
        cudaGraphExecDestroy(exec_);
        for (void* p : {(void*)raw_, (void*)gain_, (void*)display_.image, (void*)display_.archive, (void*)bottom_})
            cudaFree(p);
        cudaFreeHost(rawHost_);
        cudaFreeHost(bottomHost_);
        cudaEventDestroy(uploaded_);
        cudaEventDestroy(tracked_);
        for (cudaStream_t s : {main_, track_, display_.archiveStream}) cudaStreamDestroy(s);
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
        ok(cudaEventRecord(uploaded_, main_));  // HAZARD dependency #a
    }

    void recordGain() {
        gainStage<<<kSamples / 256, 256, 0, main_>>>(raw_, gain_, display_.image, 4000000);
        ok(cudaGetLastError());
    }

    // The tracker has a stream of its own.
    void recordTracking() {
        ok(cudaStreamWaitEvent(track_, uploaded_, 0));
        trackBottom<<<1, 256, 0, track_>>>(display_.image, bottom_);  // HAZARD dependency #a
        ok(cudaMemcpyAsync(bottomHost_, bottom_, sizeof(int), cudaMemcpyDeviceToHost, track_));
        ok(cudaEventRecord(tracked_, track_));
        ok(cudaStreamWaitEvent(main_, tracked_, 0));
    }

    static void CUDART_CB publish(void* arg) {
        auto* d = static_cast<Display*>(arg);
        int slot = d->published.fetch_add(1) % kArchive;
        cudaError_t e = cudaMemcpyAsync(d->archive + size_t(slot) * kSamples, d->image,  // HAZARD callback #b
                                        kSamples * sizeof(int), cudaMemcpyDeviceToDevice, d->archiveStream);
        if (e != cudaSuccess) d->archiveStatus = e;
    }

    void recordPublish() {
        ok(cudaLaunchHostFunc(main_, &Pipeline::publish, &display_));  // HAZARD callback #b
    }

    void closeCapture() {
        cudaGraph_t g = nullptr;
        ok(cudaStreamEndCapture(main_, &g));
        ok(cudaGraphInstantiate(&exec_, g, 0));
        ok(cudaGraphDestroy(g));
    }

    cudaStream_t main_ = nullptr, track_ = nullptr;
    cudaEvent_t uploaded_ = nullptr, tracked_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int *raw_ = nullptr, *gain_ = nullptr, *bottom_ = nullptr, *rawHost_ = nullptr, *bottomHost_ = nullptr;
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
    int slope = 16, wrong = 0, late = 0, expectedBefore = kSamples, done = 0;
    for (int n = 0; n < 8;) {
        while (n < 8 && ring->push(simulatePing(n))) ++n;
        Ping p;
        while (ring->pop(p)) {
            int got = pipeline->process(p), want = bottomOnCpu(p, slope);
            std::printf("ping %d: bottom %d, expected %d\n", p.number, got, want);
            wrong += got != want;
            late += got == expectedBefore;
            expectedBefore = want;
            ++done;
        }
        pipeline->configure(slope = 32);
    }
    int archive = pipeline->display().archiveStatus;
    std::printf("wrong %d, equal to the ping before %d, published %d, archive status %d (%s)\n", wrong, late,
                pipeline->display().published.load(), archive, cudaGetErrorString(cudaError_t(archive)));
    bool confirmed = pipeline->healthy() && done == 8 && wrong == 8 && late == 8 && archive != cudaSuccess;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
