// Bedside ECG monitor. Blocks of samples run through a fixed chain: calibration table, then either baseline learning
// or beat detection, depending on the state of the device, with a trend accumulator beside it.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace ecg {

constexpr int kBlock = 128;
constexpr int kLeads = 4;
constexpr int kLearningBlocks = 3;

enum class State { Learning, Monitoring };

#define DEVICE_OK(expr) ::ecg::deviceOk((expr), #expr)
inline void deviceOk(cudaError_t e, const char* expr) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "device fault in %s: %s\n", expr, cudaGetErrorString(e));
    std::exit(3);  // the watchdog restarts the module
}

// Per-lead gain, measured at the factory.
using CalibrationTable = std::array<int, kLeads>;

struct Vitals {
    int baseline;    // sum of the learned blocks
    int beats;       // samples over the learned level
    int trendSum;    // filtered signal, all blocks
    int trendCount;  // blocks seen by the trend
};

__global__ void calibrate(const int* raw, const int* gain, int* filtered) {
    filtered[threadIdx.x] = raw[threadIdx.x] * gain[threadIdx.x % kLeads];
}
__global__ void learnBaseline(const int* filtered, Vitals* v) { atomicAdd(&v->baseline, filtered[threadIdx.x]); }
__global__ void detectBeats(const int* filtered, Vitals* v) {
    if (filtered[threadIdx.x] * kBlock * kLearningBlocks > v->baseline) atomicAdd(&v->beats, 1);
}
__global__ void accumulateTrend(const int* filtered, Vitals* v) {
    atomicAdd(&v->trendSum, filtered[threadIdx.x]);
    if (threadIdx.x == 0) v->trendCount += 1;
}

class Monitor {
public:
    explicit Monitor(const CalibrationTable& table) {
        DEVICE_OK(cudaStreamCreateWithFlags(&signal_, cudaStreamNonBlocking));
        DEVICE_OK(cudaStreamCreateWithFlags(&trend_, cudaStreamNonBlocking));
        DEVICE_OK(cudaEventCreateWithFlags(&filteredReady_, cudaEventDisableTiming));
        DEVICE_OK(cudaEventCreateWithFlags(&trendDone_, cudaEventDisableTiming));
        DEVICE_OK(cudaMallocHost(&raw_, kBlock * sizeof(int)));
        DEVICE_OK(cudaMalloc(&deviceRaw_, kBlock * sizeof(int)));
        DEVICE_OK(cudaMalloc(&filtered_, kBlock * sizeof(int)));
        DEVICE_OK(cudaMalloc(&gain_, sizeof table));
        DEVICE_OK(cudaMalloc(&vitals_, sizeof(Vitals)));
        DEVICE_OK(cudaMemcpy(gain_, table.data(), sizeof table, cudaMemcpyHostToDevice));
        DEVICE_OK(cudaMemset(filtered_, 0, kBlock * sizeof(int)));
        DEVICE_OK(cudaMemset(vitals_, 0, sizeof(Vitals)));
        DEVICE_OK(cudaDeviceSynchronize());
        learning_ = recordChain(State::Learning);
        monitoring_ = recordChain(State::Monitoring);
    }
    ~Monitor() {
        cudaGraphExecDestroy(monitoring_);
        cudaGraphExecDestroy(learning_);
        cudaFree(vitals_);
        cudaFree(gain_);
        cudaFree(filtered_);
        cudaFree(deviceRaw_);
        cudaFreeHost(raw_);
        cudaEventDestroy(trendDone_);
        cudaEventDestroy(filteredReady_);
        cudaStreamDestroy(trend_);
        cudaStreamDestroy(signal_);
    }
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    void process(const std::array<int, kBlock>& samples) {
        for (int i = 0; i < kBlock; ++i) raw_[i] = samples[i];
        DEVICE_OK(cudaGraphLaunch(state_ == State::Learning ? learning_ : monitoring_, signal_));
        DEVICE_OK(cudaStreamSynchronize(signal_));
        advance();
    }

    Vitals vitals() const {
        Vitals v;
        DEVICE_OK(cudaDeviceSynchronize());
        DEVICE_OK(cudaMemcpy(&v, vitals_, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }
    State state() const { return state_; }

private:
    void advance() {
        ++blocks_;
        if (state_ == State::Learning && blocks_ == kLearningBlocks) state_ = State::Monitoring;
    }

    cudaGraphExec_t recordChain(State forState) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        DEVICE_OK(cudaStreamBeginCapture(signal_, cudaStreamCaptureModeThreadLocal));
        DEVICE_OK(cudaMemcpyAsync(deviceRaw_, raw_, kBlock * sizeof(int), cudaMemcpyHostToDevice, signal_));
        calibrate<<<1, kBlock, 0, signal_>>>(deviceRaw_, gain_, filtered_);
        DEVICE_OK(cudaEventRecord(filteredReady_, signal_));
        DEVICE_OK(cudaStreamWaitEvent(trend_, filteredReady_, 0));
        accumulateTrend<<<1, kBlock, 0, trend_>>>(filtered_, vitals_);
        if (forState == State::Learning) {
            learnBaseline<<<1, kBlock, 0, signal_>>>(filtered_, vitals_);
        } else {
            detectBeats<<<1, kBlock, 0, signal_>>>(filtered_, vitals_);
        }
        DEVICE_OK(cudaGetLastError());
        DEVICE_OK(cudaEventRecord(trendDone_, trend_));
        DEVICE_OK(cudaStreamWaitEvent(signal_, trendDone_, 0));
        DEVICE_OK(cudaStreamEndCapture(signal_, &graph));
        DEVICE_OK(cudaGraphInstantiate(&exec, graph, 0));
        DEVICE_OK(cudaGraphDestroy(graph));
        return exec;
    }

    State state_ = State::Learning;
    int blocks_ = 0;
    cudaStream_t signal_ = nullptr;
    cudaStream_t trend_ = nullptr;
    cudaEvent_t filteredReady_ = nullptr;
    cudaEvent_t trendDone_ = nullptr;
    int* raw_ = nullptr;  // pinned
    int* deviceRaw_ = nullptr;
    int* filtered_ = nullptr;
    int* gain_ = nullptr;
    Vitals* vitals_ = nullptr;
    cudaGraphExec_t learning_ = nullptr;
    cudaGraphExec_t monitoring_ = nullptr;
};

}  // namespace ecg

int main() {
    const ecg::CalibrationTable table{1, 2, 1, 3};
    ecg::Monitor monitor(table);
    ecg::Vitals want{};
    bool stateRight = true, trendRight = true;
    for (int block = 0; block < 8; ++block) {
        std::array<int, ecg::kBlock> samples;
        for (int i = 0; i < ecg::kBlock; ++i) samples[i] = 1 + (i + block) % 10;
        const bool learning = monitor.state() == ecg::State::Learning;
        int sum = 0;
        for (int i = 0; i < ecg::kBlock; ++i) sum += samples[i] * table[i % ecg::kLeads];
        if (learning) want.baseline += sum;
        for (int i = 0; i < ecg::kBlock && !learning; ++i)
            if (samples[i] * table[i % ecg::kLeads] * ecg::kBlock * ecg::kLearningBlocks > want.baseline) ++want.beats;
        want.trendSum += sum;
        want.trendCount += 1;
        monitor.process(samples);
        const ecg::Vitals got = monitor.vitals();
        stateRight = stateRight && got.baseline == want.baseline && got.beats == want.beats;
        trendRight = trendRight && got.trendSum == want.trendSum && got.trendCount == want.trendCount;
    }
    std::printf("detection %s, trend %s\n", stateRight ? "right" : "wrong", trendRight ? "right" : "wrong");
    std::puts(stateRight && trendRight ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
