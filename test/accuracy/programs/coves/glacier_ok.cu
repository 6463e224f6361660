// Flowline model of a glacier, decomposed into strips along the flow.
//
// Each strip has a stream of its own. A time step seals the edge thickness of every strip (which includes the drag
// iteration at the strip's ends), exchanges the edges with the neighbours, and advances the thickness. One step is
// recorded as a CUDA graph, the time loop replays it.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ICE_CHECK(call)                                                                          \
    do {                                                                                         \
        cudaError_t rc_ = (call);                                                                \
        if (rc_ != cudaSuccess) {                                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_));    \
            std::printf("LABEL WRONG\n");                                                        \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (0)

constexpr int kStrips = 3;
constexpr int kCells = 512;  // per strip
constexpr float kDiffusion = 0.2f;
constexpr float kAccumulation = 0.05f;

// The drag at a strip end relaxes to the thickness there; floating ice needs far more rounds than grounded ice.
__global__ void sealEdges(const float* thickness, float* edges, int rounds) {
    if (threadIdx.x > 1) return;
    float end = thickness[threadIdx.x == 0 ? 0 : kCells - 1];
    float drag = end;
    for (int r = 0; r < rounds; ++r) drag = 0.5f * drag + 0.5f * end;
    edges[threadIdx.x] = drag;
}

// Without a neighbour the end of the strip is closed.
__global__ void advanceStrip(const float* thickness, float* next, const float* upEdge, const float* downEdge) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kCells) return;
    float here = thickness[i];
    float up = i > 0 ? thickness[i - 1] : (upEdge ? *upEdge : here);
    float down = i < kCells - 1 ? thickness[i + 1] : (downEdge ? *downEdge : here);
    next[i] = here + kDiffusion * (up - 2.f * here + down) + kAccumulation;
}

struct MassLog {
    double total;  // summed over the steps
    int steps;
};

__global__ void addMass(const float* thickness, MassLog* log) {
    __shared__ double part[256];
    double sum = 0;
    for (int i = threadIdx.x; i < kStrips * kCells; i += blockDim.x) sum += thickness[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < blockDim.x; ++t) sum += part[t];
        log->total += sum;
        log->steps += 1;
    }
}

struct Strip {
    float* thickness = nullptr;  // part of the flowline array
    float* next = nullptr;
    float* edges = nullptr;  // upstream end, downstream end
    int dragRounds = 0;
    cudaStream_t stream = nullptr;
    cudaEvent_t sealed = nullptr;
    cudaEvent_t done = nullptr;
};

class GlacierModel {
public:
    explicit GlacierModel(const std::vector<float>& initial) {
        ICE_CHECK(cudaMalloc(&thickness_, kStrips * kCells * sizeof(float)));
        ICE_CHECK(cudaMalloc(&next_, kStrips * kCells * sizeof(float)));
        ICE_CHECK(cudaMalloc(&edges_, kStrips * 2 * sizeof(float)));
        ICE_CHECK(cudaMalloc(&massLog_, sizeof(MassLog)));
        ICE_CHECK(cudaMemset(edges_, 0, kStrips * 2 * sizeof(float)));
        ICE_CHECK(cudaMemset(massLog_, 0, sizeof(MassLog)));
        ICE_CHECK(cudaMemcpy(thickness_, initial.data(), initial.size() * sizeof(float), cudaMemcpyHostToDevice));
        for (int s = 0; s < kStrips; ++s) {
            Strip& strip = strips_[s];
            strip.thickness = thickness_ + s * kCells;
            strip.next = next_ + s * kCells;
            strip.edges = edges_ + 2 * s;
            strip.dragRounds = s == kStrips - 1 ? 12000000 : 50;
            ICE_CHECK(cudaStreamCreateWithFlags(&strip.stream, cudaStreamNonBlocking));
            ICE_CHECK(cudaEventCreateWithFlags(&strip.sealed, cudaEventDisableTiming));
            ICE_CHECK(cudaEventCreateWithFlags(&strip.done, cudaEventDisableTiming));
        }
        ICE_CHECK(cudaStreamCreateWithFlags(&survey_, cudaStreamNonBlocking));
        ICE_CHECK(cudaEventCreateWithFlags(&stepBegin_, cudaEventDisableTiming));
        ICE_CHECK(cudaEventCreateWithFlags(&surveyed_, cudaEventDisableTiming));
        ICE_CHECK(cudaDeviceSynchronize());
        recordStep();
        ICE_CHECK(cudaDeviceSynchronize());
    }

    ~GlacierModel() {
        cudaGraphExecDestroy(step_);
        for (Strip& strip : strips_) {
            cudaEventDestroy(strip.sealed);
            cudaEventDestroy(strip.done);
            cudaStreamDestroy(strip.stream);
        }
        cudaEventDestroy(stepBegin_);
        cudaEventDestroy(surveyed_);
        cudaStreamDestroy(survey_);
        for (void* p : {(void*)thickness_, (void*)next_, (void*)edges_, (void*)massLog_}) cudaFree(p);
    }
    GlacierModel(const GlacierModel&) = delete;
    GlacierModel& operator=(const GlacierModel&) = delete;

    // A snapshot of the middle strip is taken beside the time loop, on the survey stream.
    std::vector<float> run(int steps) {
        for (int n = 0; n < steps; ++n) ICE_CHECK(cudaGraphLaunch(step_, strips_[0].stream));
        ICE_CHECK(cudaStreamSynchronize(strips_[0].stream));
        std::vector<float> middle(kCells);
        ICE_CHECK(cudaMemcpyAsync(middle.data(), strips_[1].thickness, kCells * sizeof(float),
                                  cudaMemcpyDeviceToHost, survey_));
        ICE_CHECK(cudaStreamSynchronize(survey_));
        return middle;
    }

    std::vector<float> flowline() const {
        std::vector<float> all(kStrips * kCells);
        ICE_CHECK(cudaMemcpy(all.data(), thickness_, all.size() * sizeof(float), cudaMemcpyDeviceToHost));
        return all;
    }

    MassLog massLog() const {
        MassLog log{};
        ICE_CHECK(cudaMemcpy(&log, massLog_, sizeof log, cudaMemcpyDeviceToHost));
        return log;
    }

private:
    void recordStep() {
        cudaStream_t lead = strips_[0].stream;
        ICE_CHECK(cudaStreamBeginCapture(lead, cudaStreamCaptureModeGlobal));
        ICE_CHECK(cudaEventRecord(stepBegin_, lead));
        for (int s = 1; s < kStrips; ++s) ICE_CHECK(cudaStreamWaitEvent(strips_[s].stream, stepBegin_, 0));

        for (Strip& strip : strips_) {
            sealEdges<<<1, 32, 0, strip.stream>>>(strip.thickness, strip.edges, strip.dragRounds);
            ICE_CHECK(cudaGetLastError());
            ICE_CHECK(cudaEventRecord(strip.sealed, strip.stream));
        }

        for (int s = 0; s < kStrips; ++s) {
            Strip& strip = strips_[s];
            const float* upEdge = nullptr;
            const float* downEdge = nullptr;
            if (s > 0) {
                ICE_CHECK(cudaStreamWaitEvent(strip.stream, strips_[s - 1].sealed, 0));
                upEdge = strips_[s - 1].edges + 1;
            }
            if (s < kStrips - 1) {
                ICE_CHECK(cudaStreamWaitEvent(strip.stream, strips_[s + 1].sealed, 0));
                downEdge = strips_[s + 1].edges;
            }
            advanceStrip<<<kCells / 128, 128, 0, strip.stream>>>(strip.thickness, strip.next, upEdge, downEdge);
            ICE_CHECK(cudaGetLastError());
            ICE_CHECK(cudaMemcpyAsync(strip.thickness, strip.next, kCells * sizeof(float),
                                      cudaMemcpyDeviceToDevice, strip.stream));
            ICE_CHECK(cudaEventRecord(strip.done, strip.stream));
        }
        for (int s = 1; s < kStrips; ++s) ICE_CHECK(cudaStreamWaitEvent(lead, strips_[s].done, 0));

        // The begin event is free again, it now marks the end of the exchange.
        ICE_CHECK(cudaEventRecord(stepBegin_, lead));
        ICE_CHECK(cudaStreamWaitEvent(survey_, stepBegin_, 0));
        addMass<<<1, 256, 0, survey_>>>(thickness_, massLog_);
        ICE_CHECK(cudaGetLastError());
        ICE_CHECK(cudaEventRecord(surveyed_, survey_));
        ICE_CHECK(cudaStreamWaitEvent(lead, surveyed_, 0));

        cudaGraph_t graph = nullptr;
        ICE_CHECK(cudaStreamEndCapture(lead, &graph));
        ICE_CHECK(cudaGraphInstantiate(&step_, graph, 0));
        ICE_CHECK(cudaGraphDestroy(graph));
    }

    std::array<Strip, kStrips> strips_;
    float* thickness_ = nullptr;
    float* next_ = nullptr;
    float* edges_ = nullptr;
    MassLog* massLog_ = nullptr;
    cudaStream_t survey_ = nullptr;
    cudaEvent_t stepBegin_ = nullptr;
    cudaEvent_t surveyed_ = nullptr;
    cudaGraphExec_t step_ = nullptr;
};

// Serial reference; returns the sum of the mass after every step.
static double advanceReference(std::vector<float>& h, int steps) {
    double total = 0;
    std::vector<float> next(h.size());
    for (int n = 0; n < steps; ++n) {
        for (size_t i = 0; i < h.size(); ++i) {
            float up = i > 0 ? h[i - 1] : h[i];
            float down = i + 1 < h.size() ? h[i + 1] : h[i];
            next[i] = h[i] + kDiffusion * (up - 2.f * h[i] + down) + kAccumulation;
        }
        h.swap(next);
        for (float v : h) total += v;
    }
    return total;
}

int main() {
    const int steps = 6;
    std::vector<float> reference(kStrips * kCells);
    for (size_t i = 0; i < reference.size(); ++i) reference[i] = 240.f - 0.12f * i + 8.f * std::sin(0.05f * i);

    GlacierModel model(reference);
    std::vector<float> middle = model.run(steps);
    std::vector<float> all = model.flowline();
    MassLog log = model.massLog();
    double mass = advanceReference(reference, steps);

    int offThickness = 0, offSnapshot = 0;
    for (size_t i = 0; i < reference.size(); ++i) offThickness += std::fabs(all[i] - reference[i]) > 0.02f;
    for (int i = 0; i < kCells; ++i) offSnapshot += middle[i] != all[kCells + i];
    bool massKept = log.steps == steps && std::fabs(log.total - mass) < 1e-4 * mass;
    std::printf("cells off %d, snapshot off %d, mass log %.1f of %.1f in %d steps\n", offThickness, offSnapshot,
                log.total, mass, log.steps);
    bool confirmed = offThickness == 0 && offSnapshot == 0 && massKept;
    std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
