// Two-band signal path on parallel lanes. A small fork/join helper spreads the bands over streams, and a
// monitor lane counts clipped input samples beside them. The whole frame is one graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#define CUDA_OK(call) cudaOk((call), #call, __LINE__)
static void cudaOk(cudaError_t e, const char* what, int line) {
    if (e == cudaSuccess) return;
    std::printf("line %d: %s: %s\nLABEL UNOBSERVED\n", line, what, cudaGetErrorString(e));
    std::exit(1);
}

constexpr int kFrame = 1024;
constexpr int kBands = 2;
constexpr int kSettle = 1 << 21;  // steps until the dither generator of a band has settled
constexpr int kClip = 900;

__host__ __device__ inline uint32_t ditherStep(uint32_t d) { return (d * 1664525u + 1013904223u) ^ (d >> 13); }

__global__ void splitBand(const int* frame, int* scratch, int band) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kFrame) scratch[i] = band == 0 ? frame[i] / 2 : frame[i] - frame[i] / 2 + 5000;
}

__global__ void shapeBand(const int* scratch, int* band, uint32_t seed, int settle, int* processed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t d = seed;
    for (int k = 0; k < settle; ++k) d = ditherStep(d);
    if (i < kFrame) {
        band[i] = 3 * scratch[i] + static_cast<int>(d & 1u);
        atomicAdd(processed, 1);
    }
}

__global__ void countClips(const int* frame, int* clips) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kFrame && frame[i] > kClip) atomicAdd(clips, 1);
}

__global__ void merge(const int* low, const int* high, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kFrame) out[i] = low[i] - high[i];
}

// A stream with the event that marks the end of its share of the work.
class Lane {
public:
    Lane() {
        CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CUDA_OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    }
    ~Lane() {
        CUDA_OK(cudaEventDestroy(done));
        CUDA_OK(cudaStreamDestroy(stream));
    }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
};

static void forkLanes(Lane& trunk, std::initializer_list<Lane*> lanes) {
    CUDA_OK(cudaEventRecord(trunk.done, trunk.stream));
    for (Lane* lane : lanes) CUDA_OK(cudaStreamWaitEvent(lane->stream, trunk.done, 0));
}

static void joinLanes(Lane& trunk, std::initializer_list<Lane*> lanes) {
    for (Lane* lane : lanes) {
        CUDA_OK(cudaEventRecord(lane->done, lane->stream));
        CUDA_OK(cudaStreamWaitEvent(trunk.stream, lane->done, 0));
    }
}

class BandMerger {
public:
    BandMerger() {
        for (int** p : {&frame_, &band_[0], &band_[1], &out_}) CUDA_OK(cudaMalloc(p, kFrame * sizeof(int)));
        CUDA_OK(cudaMalloc(&scratch_, kBands * kFrame * sizeof(int)));
        CUDA_OK(cudaMalloc(&counters_, 2 * sizeof(int)));
        CUDA_OK(cudaMemset(counters_, 0, 2 * sizeof(int)));
        CUDA_OK(cudaMemset(frame_, 0, kFrame * sizeof(int)));
        CUDA_OK(cudaDeviceSynchronize());
        record();
    }
    ~BandMerger() {
        CUDA_OK(cudaGraphExecDestroy(exec_));
        for (int* p : {frame_, band_[0], band_[1], out_, scratch_, counters_}) CUDA_OK(cudaFree(p));
    }
    BandMerger(const BandMerger&) = delete;
    BandMerger& operator=(const BandMerger&) = delete;

    void process(const std::vector<int>& in, std::vector<int>& out) {
        CUDA_OK(cudaMemcpyAsync(frame_, in.data(), kFrame * sizeof(int), cudaMemcpyHostToDevice, trunk_.stream));
        CUDA_OK(cudaGraphLaunch(exec_, trunk_.stream));
        CUDA_OK(cudaMemcpyAsync(out.data(), out_, kFrame * sizeof(int), cudaMemcpyDeviceToHost, trunk_.stream));
        CUDA_OK(cudaStreamSynchronize(trunk_.stream));
    }

    // counters[0]: samples shaped by both bands, counters[1]: clipped samples
    void counters(int (&host)[2]) {
        CUDA_OK(cudaDeviceSynchronize());
        CUDA_OK(cudaMemcpy(host, counters_, sizeof host, cudaMemcpyDeviceToHost));
    }

private:
    void record() {
        const int grid = kFrame / 256;
        cudaGraph_t graph = nullptr;
        CUDA_OK(cudaStreamBeginCapture(trunk_.stream, cudaStreamCaptureModeGlobal));
        forkLanes(trunk_, {&lane_[0], &lane_[1], &monitor_});
        for (int b = 0; b < kBands; ++b) {
            cudaStream_t s = lane_[b].stream;
            int* scratch = scratch_ + b * kFrame;
            splitBand<<<grid, 256, 0, s>>>(frame_, scratch, b);
            shapeBand<<<grid, 256, 0, s>>>(scratch, band_[b], 77u + b, kSettle, counters_ + 0);
        }
        countClips<<<grid, 256, 0, monitor_.stream>>>(frame_, counters_ + 1);
        CUDA_OK(cudaGetLastError());
        joinLanes(trunk_, {&lane_[0], &lane_[1], &monitor_});
        merge<<<grid, 256, 0, trunk_.stream>>>(band_[0], band_[1], out_);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaStreamEndCapture(trunk_.stream, &graph));
        CUDA_OK(cudaGraphInstantiate(&exec_, graph, 0));
        CUDA_OK(cudaGraphDestroy(graph));
    }

    Lane trunk_, lane_[kBands], monitor_;
    cudaGraphExec_t exec_ = nullptr;
    int *frame_ = nullptr, *band_[kBands] = {}, *out_ = nullptr, *scratch_ = nullptr, *counters_ = nullptr;
};

int main() {
    constexpr int kFrames = 5;
    int dither[kBands];
    for (int b = 0; b < kBands; ++b) {
        uint32_t d = 77u + b;
        for (int k = 0; k < kSettle; ++k) d = ditherStep(d);
        dither[b] = static_cast<int>(d & 1u);
    }
    std::vector<int> in(kFrame), out(kFrame);
    int wrong = 0, clips = 0, counted[2] = {0, 0};
    {
        BandMerger merger;
        for (int f = 0; f < kFrames; ++f) {
            for (int i = 0; i < kFrame; ++i) in[i] = (i * 37 + f * 101) % 1000;
            merger.process(in, out);
            for (int i = 0; i < kFrame; ++i) {
                const int low = 3 * (in[i] / 2) + dither[0], high = 3 * (in[i] - in[i] / 2 + 5000) + dither[1];
                wrong += out[i] != low - high;
                clips += in[i] > kClip;
            }
        }
        merger.counters(counted);
    }
    std::printf("wrong samples %d, shaped %d, clips %d of %d\n", wrong, counted[0], counted[1], clips);
    const bool confirmed = wrong == 0 && counted[0] == kFrames * kBands * kFrame && counted[1] == clips;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
