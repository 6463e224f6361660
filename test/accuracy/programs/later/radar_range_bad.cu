// Signal processing: a radar pulse is windowed and then scaled by its gain; detector and recorder work on two more
// streams at the same time. All of that is one graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace radar {

constexpr int kSamples = 256;

inline void require(cudaError_t rc, const char* expression, int line)
{
    if (rc == cudaSuccess) return;
    std::printf("LABEL NOT CONFIRMED: line %d: %s: %s\n", line, expression, cudaGetErrorString(rc));
    std::exit(1);
}
#define REQUIRE(x) ::radar::require((x), #x, __LINE__)

__global__ void applyWindow(const float* pulse, float* windowed)
{
    const int i = threadIdx.x;
    windowed[i] = (i < kSamples / 4 || i >= 3 * kSamples / 4) ? 0.0f : pulse[i];
}

// Estimates the gain from many passes over the samples; a real estimator takes about as long.
__global__ void applyGain(float* windowed, const float* gain, long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    windowed[threadIdx.x] *= *gain;
}

__global__ void detect(const float* windowed, int* echoes, float threshold)
{
    int found = 0;
    for (int i = 0; i < kSamples; ++i) found += windowed[i] > threshold;
    *echoes = found;
}

__global__ void keep(const float* windowed, float* archive) { archive[threadIdx.x] = windowed[threadIdx.x]; }

struct Buffers {
    float* pulse;
    float* windowed;
    float* gain;
    float* archive;
    int* echoes;
};

struct Lanes {
    cudaStream_t main, detector, recorder;
    cudaEvent_t processed, detected, recorded;
};

static Buffers allocate()
{
    Buffers b{};
    REQUIRE(cudaMalloc(&b.pulse, kSamples * sizeof(float)));
    REQUIRE(cudaMalloc(&b.windowed, kSamples * sizeof(float)));
    REQUIRE(cudaMalloc(&b.gain, sizeof(float)));
    REQUIRE(cudaMalloc(&b.archive, kSamples * sizeof(float)));
    REQUIRE(cudaMallocManaged(&b.echoes, sizeof(int)));
    return b;
}

static Lanes openLanes()
{
    Lanes l{};
    cudaStream_t* const streams[] = {&l.main, &l.detector, &l.recorder};
    cudaEvent_t* const events[] = {&l.processed, &l.detected, &l.recorded};
    for (auto* s : streams) REQUIRE(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    for (auto* e : events) REQUIRE(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
    return l;
}

static cudaGraphExec_t buildChain(const Lanes& l, const Buffers& b)
{
    cudaGraph_t graph{};
    cudaGraphExec_t exec{};
    REQUIRE(cudaStreamBeginCapture(l.main, cudaStreamCaptureModeThreadLocal));
    applyWindow<<<1, kSamples, 0, l.main>>>(b.pulse, b.windowed);
    REQUIRE(cudaEventRecord(l.processed, l.main)); // HAZARD dependency #early
    applyGain<<<1, kSamples, 0, l.main>>>(b.windowed, b.gain, 20000000LL);

    REQUIRE(cudaStreamWaitEvent(l.detector, l.processed, 0));
    detect<<<1, 1, 0, l.detector>>>(b.windowed, b.echoes, 5.0f); // HAZARD dependency #early
    REQUIRE(cudaEventRecord(l.detected, l.detector));

    REQUIRE(cudaStreamWaitEvent(l.recorder, l.processed, 0));
    keep<<<1, kSamples, 0, l.recorder>>>(b.windowed, b.archive); // HAZARD dependency #early
    REQUIRE(cudaEventRecord(l.recorded, l.recorder));

    for (cudaEvent_t joined : {l.detected, l.recorded}) REQUIRE(cudaStreamWaitEvent(l.main, joined, 0));
    REQUIRE(cudaStreamEndCapture(l.main, &graph));
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0));
    REQUIRE(cudaGraphDestroy(graph));
    return exec;
}

} // namespace radar

int main()
{
    using namespace radar;
    const Buffers b = allocate();
    const Lanes l = openLanes();
    const cudaGraphExec_t chain = buildChain(l, b);

    int complete = 0, missed = 0;
    for (int pulse = 1; pulse <= 4; ++pulse) {
        float samples[kSamples];
        for (float& s : samples) s = 1.0f;
        const float gain = 10.0f * pulse;
        REQUIRE(cudaMemcpy(b.pulse, samples, sizeof samples, cudaMemcpyHostToDevice));
        REQUIRE(cudaMemcpy(b.gain, &gain, sizeof gain, cudaMemcpyHostToDevice));
        REQUIRE(cudaGraphLaunch(chain, l.main));
        REQUIRE(cudaStreamSynchronize(l.main));
        float archived = 0.0f;
        REQUIRE(cudaMemcpy(&archived, b.archive + kSamples / 2, sizeof archived, cudaMemcpyDeviceToHost));
        if (*b.echoes == kSamples / 2 && archived == gain) ++complete;
        else if (*b.echoes == 0 && archived == 1.0f) ++missed;
    }
    std::printf("complete pulses %d, missed pulses %d\n", complete, missed);
    if (missed > 0) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::puts("LABEL NOT CONFIRMED: detector and recorder saw other samples");
    return 1;
}
