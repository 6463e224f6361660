// Phased-array pipeline. Work forks from the main stream into one lane per beam
// and an optional quality monitor, each on its own stream.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

constexpr int kAntennas = 256;
constexpr int kBeams = 2;

struct Options {
    bool monitor = false;
};

// First error wins, as in a status register.
struct Sticky {
    cudaError_t first = cudaSuccess;
    Sticky& operator<<(cudaError_t e) {
        if (first == cudaSuccess) first = e;
        return *this;
    }
};

__global__ void steer_weights(float* weights, int beam) {
    weights[threadIdx.x] = static_cast<float>((threadIdx.x + 1) * (beam + 1));
}

// Iterative calibration of the antenna gains; converges to 1 slowly.
__global__ void settle_gains(float* gains, int iterations) {
    float g = gains[threadIdx.x];
    for (int i = 0; i < iterations; ++i) g = 0.5f * (g + 1.0f / g);
    gains[threadIdx.x] = g;
}

__global__ void form_beam(const float* samples, const float* weights, const float* gains, float* beam) {
    int i = threadIdx.x;
    beam[i] = samples[i] * weights[i] * gains[i];
}

__global__ void monitor_power(const float* samples, float* power) {
    int i = threadIdx.x;
    power[i] = samples[i] * samples[i];
}

struct Lane {
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
    float* gains = nullptr;
    float* weights = nullptr;
    float* beam = nullptr;
};

struct Array {
    cudaStream_t main = nullptr, watch = nullptr;
    cudaEvent_t start = nullptr, watched = nullptr;
    float *samples = nullptr, *power = nullptr, *weights = nullptr;
    Lane lane[kBeams];
};

static cudaError_t open_array(Array& a) {
    Sticky st;
    const std::size_t bytes = kAntennas * sizeof(float);
    auto device = [&](float** p) {
        st << cudaMalloc(reinterpret_cast<void**>(p), bytes);
        if (st.first == cudaSuccess) st << cudaMemset(*p, 0, bytes);
    };
    st << cudaStreamCreateWithFlags(&a.main, cudaStreamNonBlocking)
       << cudaStreamCreateWithFlags(&a.watch, cudaStreamNonBlocking)
       << cudaEventCreateWithFlags(&a.start, cudaEventDisableTiming)
       << cudaEventCreateWithFlags(&a.watched, cudaEventDisableTiming);
    for (float** p : {&a.samples, &a.power, &a.weights}) device(p);
    const std::vector<float> start_gain(kAntennas, 1.0f);
    for (Lane& l : a.lane) {
        st << cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking)
           << cudaEventCreateWithFlags(&l.done, cudaEventDisableTiming);
        device(&l.gains);
        device(&l.beam);
        l.weights = a.weights;  // HAZARD concurrent #weights
        if (st.first == cudaSuccess) st << cudaMemcpy(l.gains, start_gain.data(), bytes, cudaMemcpyHostToDevice);
    }
    return (st << cudaDeviceSynchronize()).first;
}

static void close_array(Array& a) {
    cudaDeviceSynchronize();
    for (Lane& l : a.lane) {
        cudaFree(l.beam);
        cudaFree(l.gains);
        cudaEventDestroy(l.done);
        cudaStreamDestroy(l.stream);
    }
    for (float* p : {a.samples, a.power, a.weights}) cudaFree(p);
    cudaEventDestroy(a.watched);
    cudaEventDestroy(a.start);
    cudaStreamDestroy(a.watch);
    cudaStreamDestroy(a.main);
}

static cudaError_t record(Array& a, const Options& opt, cudaGraphExec_t* exec) {
    Sticky st;
    cudaGraph_t graph = nullptr;
    *exec = nullptr;
    st << cudaStreamBeginCapture(a.main, cudaStreamCaptureModeThreadLocal);
    if (st.first != cudaSuccess) return st.first;
    st << cudaEventRecord(a.start, a.main);
    if (opt.monitor) {
        st << cudaStreamWaitEvent(a.watch, a.start, 0);
        monitor_power<<<1, kAntennas, 0, a.watch>>>(a.samples, a.power);  // HAZARD dependency #watch
    }
    for (int b = 0; b < kBeams; ++b) {
        Lane& l = a.lane[b];
        st << cudaStreamWaitEvent(l.stream, a.start, 0);
        steer_weights<<<1, kAntennas, 0, l.stream>>>(l.weights, b);  // HAZARD concurrent #weights
        settle_gains<<<1, kAntennas, 0, l.stream>>>(l.gains, 400000);
        form_beam<<<1, kAntennas, 0, l.stream>>>(a.samples, l.weights, l.gains, l.beam);
        st << cudaEventRecord(l.done, l.stream);
    }
    for (Lane& l : a.lane) st << cudaStreamWaitEvent(a.main, l.done, 0);
    st << cudaStreamEndCapture(a.main, &graph);  // HAZARD dependency #watch
    if (st.first == cudaSuccess) st << cudaGraphInstantiate(exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return st.first;
}

static cudaError_t process(Array& a, cudaGraphExec_t exec, float tone, int& wrong_beams, int& wrong_power) {
    std::vector<float> samples(kAntennas), got(kAntennas);
    const std::size_t bytes = kAntennas * sizeof(float);
    for (int i = 0; i < kAntennas; ++i) samples[i] = tone + static_cast<float>(i % 5);
    Sticky st;
    st << cudaMemcpyAsync(a.samples, samples.data(), bytes, cudaMemcpyHostToDevice, a.main)
       << cudaGraphLaunch(exec, a.main);
    for (int b = 0; b < kBeams; ++b) {
        st << cudaMemcpyAsync(got.data(), a.lane[b].beam, bytes, cudaMemcpyDeviceToHost, a.main)
           << cudaStreamSynchronize(a.main);
        bool bad = false;
        for (int i = 0; i < kAntennas; ++i)
            bad |= std::fabs(got[i] - samples[i] * static_cast<float>((i + 1) * (b + 1))) > 1e-2f;
        wrong_beams += bad;
    }
    st << cudaMemcpyAsync(got.data(), a.power, bytes, cudaMemcpyDeviceToHost, a.main)
       << cudaStreamSynchronize(a.main);
    for (int i = 0; i < kAntennas; ++i) wrong_power += got[i] != samples[i] * samples[i];
    return st.first;
}

int main() {
    Array a;
    cudaError_t opened = open_array(a), ran = cudaSuccess;
    cudaGraphExec_t plain = nullptr, watched = nullptr;
    int wrong_beams = 0, wrong_power = 0, unused = 0;

    cudaError_t made_plain = record(a, Options{false}, &plain);
    for (int i = 0; i < 3 && made_plain == cudaSuccess && ran == cudaSuccess; ++i)
        ran = process(a, plain, 1.0f + i, wrong_beams, unused);
    cudaError_t made_watched = record(a, Options{true}, &watched);
    for (int i = 0; i < 3 && made_watched == cudaSuccess && ran == cudaSuccess; ++i)
        ran = process(a, watched, 4.0f + i, wrong_beams, wrong_power);

    std::printf("plain: %s, watched: %s, wrong beams %d, wrong power %d\n", cudaGetErrorName(made_plain),
                cudaGetErrorName(made_watched), wrong_beams, wrong_power);
    if (plain) cudaGraphExecDestroy(plain);
    if (watched) cudaGraphExecDestroy(watched);
    close_array(a);
    const bool base = opened == cudaSuccess && made_plain == cudaSuccess && ran == cudaSuccess;
    const bool seen = base && wrong_beams > 0 && made_watched == cudaErrorStreamCaptureUnjoined;
    std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
