// Bed evolution of a river reach: erosion by the flow and deposition of suspended load.
//
// A time step is a CUDA graph on two streams. The peak of the bed and the level at a gauge come back to pinned memory
// with every step.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace river {

constexpr int kCells = 4096;
constexpr int kGauge = 1000;
constexpr float kErosion = 0.125f;
constexpr float kSupply = 0.25f;

inline void require(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(rc));
}

// The shear stress of a cell is iterated to equilibrium with the bed before material is taken.
__global__ void erodeBed(float* bed, int cells, float rate, int sweeps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float level = bed[i];
    float stress = level;
    for (int s = 0; s < sweeps; ++s) stress = 0.5f * stress + 0.5f * level;
    bed[i] = stress - rate;
}

// The suspended load settles to the supply from upstream and is added to the bed.
__global__ void depositLoad(float* bed, int cells, float supply, int sweeps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float settled = supply;
    for (int s = 0; s < sweeps; ++s) settled = 0.5f * settled + 0.5f * supply;
    bed[i] += settled;
}

__global__ void peakLevel(const float* bed, int cells, float* peak) {
    __shared__ float best[256];
    float m = -1e30f;
    for (int i = threadIdx.x; i < cells; i += blockDim.x) m = fmaxf(m, bed[i]);
    best[threadIdx.x] = m;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) *peak = best[0];
}

struct Settings {
    float erosion = kErosion;
    float supply = kSupply;
    int stressSweeps = 16000000;
    int loadSweeps = 2000000;
};

class BedModel {
public:
    BedModel(const Settings& settings, const std::vector<float>& initial) : settings_(settings) {
        require(cudaStreamCreateWithFlags(&flow_, cudaStreamNonBlocking), "flow stream");
        require(cudaStreamCreateWithFlags(&load_, cudaStreamNonBlocking), "load stream");
        require(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming), "event");
        require(cudaEventCreateWithFlags(&settled_, cudaEventDisableTiming), "event");
        require(cudaMalloc(&bed_, kCells * sizeof(float)), "bed");
        require(cudaMalloc(&peak_, sizeof(float)), "peak");
        require(cudaMallocHost(&peakHost_, sizeof(float)), "peak host");
        require(cudaMallocHost(&gaugeHost_, sizeof(float)), "gauge host");
        *peakHost_ = 0.f;
        *gaugeHost_ = 0.f;
        require(cudaMemcpy(bed_, initial.data(), kCells * sizeof(float), cudaMemcpyHostToDevice), "bed");
        require(cudaDeviceSynchronize(), "setup");
    }

    ~BedModel() {
        if (step_) cudaGraphExecDestroy(step_);
        cudaFree(bed_);
        cudaFree(peak_);
        cudaFreeHost(peakHost_);
        cudaFreeHost(gaugeHost_);
        cudaEventDestroy(begin_);
        cudaEventDestroy(settled_);
        cudaStreamDestroy(flow_);
        cudaStreamDestroy(load_);
    }
    BedModel(const BedModel&) = delete;
    BedModel& operator=(const BedModel&) = delete;

    void prepare() {
        openStep();
        recordTransport();
        recordMonitor();
        closeStep();
    }

    void advance(int steps) {
        for (int n = 0; n < steps; ++n) require(cudaGraphLaunch(step_, flow_), "step");
        require(cudaStreamSynchronize(flow_), "advance");
    }

    std::vector<float> bed() const {
        std::vector<float> levels(kCells);
        require(cudaMemcpy(levels.data(), bed_, kCells * sizeof(float), cudaMemcpyDeviceToHost), "bed");
        return levels;
    }
    const std::vector<float>& peaks() const { return peaks_; }
    float gauge() const { return *gaugeHost_; }
    const std::vector<float>& gauges() const { return gauges_; }

private:
    static int blocks(int cells) { return (cells + 255) / 256; }

    void openStep() {
        require(cudaStreamBeginCapture(flow_, cudaStreamCaptureModeThreadLocal), "begin step");
        require(cudaEventRecord(begin_, flow_), "fork");
        require(cudaStreamWaitEvent(load_, begin_, 0), "fork");
    }

    // The upper and the lower half of the reach are independent of each other.
    void recordTransport() {
        recordReach(flow_, bed_, kCells / 2);
        recordReach(load_, bed_ + kCells / 2, kCells - kCells / 2);
        require(cudaEventRecord(settled_, load_), "join");
        require(cudaStreamWaitEvent(flow_, settled_, 0), "join");
    }

    void recordReach(cudaStream_t stream, float* bed, int cells) {
        erodeBed<<<blocks(cells), 256, 0, stream>>>(bed, cells, settings_.erosion, settings_.stressSweeps);
        require(cudaGetLastError(), "erosion");
        depositLoad<<<blocks(cells), 256, 0, stream>>>(bed, cells, settings_.supply, settings_.loadSweeps);
        require(cudaGetLastError(), "deposition");
    }

    void recordMonitor() {
        peakLevel<<<1, 256, 0, flow_>>>(bed_, kCells, peak_);
        require(cudaGetLastError(), "peak");
        require(cudaMemcpyAsync(peakHost_, peak_, sizeof(float), cudaMemcpyDeviceToHost, flow_), "peak");
        require(cudaMemcpyAsync(gaugeHost_, bed_ + kGauge, sizeof(float), cudaMemcpyDeviceToHost, flow_), "gauge");
        require(cudaLaunchHostFunc(flow_, &BedModel::noteLevels, this), "levels");
        peaks_.reserve(256);
        gauges_.reserve(256);
    }

    static void CUDART_CB noteLevels(void* self) {
        auto* model = static_cast<BedModel*>(self);
        model->peaks_.push_back(*model->peakHost_);
        model->gauges_.push_back(*model->gaugeHost_);
    }

    void closeStep() {
        cudaGraph_t graph = nullptr;
        require(cudaStreamEndCapture(flow_, &graph), "end step");
        cudaError_t rc = cudaGraphInstantiate(&step_, graph, 0);
        cudaGraphDestroy(graph);
        require(rc, "instantiate step");
    }

    const Settings settings_;
    cudaStream_t flow_ = nullptr;
    cudaStream_t load_ = nullptr;
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t settled_ = nullptr;
    float* bed_ = nullptr;
    float* peak_ = nullptr;
    float* peakHost_ = nullptr;
    float* gaugeHost_ = nullptr;
    std::vector<float> peaks_;
    std::vector<float> gauges_;
    cudaGraphExec_t step_ = nullptr;
};

}  // namespace river

static bool simulate() {
    const int steps = 4;
    std::vector<float> initial(river::kCells);
    for (int i = 0; i < river::kCells; ++i) initial[i] = 6.f - 0.125f * (i / 256) + 0.25f * (i % 3);

    river::BedModel model(river::Settings{}, initial);
    model.prepare();
    model.advance(steps);

    const float change = river::kSupply - river::kErosion;
    std::vector<float> bed = model.bed();
    int offCells = 0;
    for (int i = 0; i < river::kCells; ++i) offCells += std::fabs(bed[i] - (initial[i] + steps * change)) > 1e-3f;

    int offPeaks = 0;
    float top = 0.f;
    for (float level : initial) top = std::fmax(top, level);
    for (size_t n = 0; n < model.peaks().size(); ++n) {
        float want = top + (n + 1) * change;
        offPeaks += std::fabs(model.peaks()[n] - want) > 1e-3f;
    }
    std::printf("cells off %d, peaks noted %zu (%d off), gauge %.3f\n", offCells, model.peaks().size(), offPeaks,
                model.gauge());
    bool gauges = model.gauges().size() == steps;
    for (size_t n = 0; n < model.gauges().size(); ++n)
        gauges = gauges && std::fabs(model.gauges()[n] - (initial[river::kGauge] + (n + 1) * change)) < 1e-3f;
    return offCells == 0 && model.peaks().size() == steps && offPeaks == 0 && gauges;
}

int main() {
    bool confirmed = false;
    try {
        confirmed = simulate();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "riverbed: %s\n", e.what());
    }
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
