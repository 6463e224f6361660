#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>

// ------------------------------------------------------------ graphed_filter.h
namespace est {

#define EST_TRY(x)                                                          \
    do {                                                                    \
        const cudaError_t est_e = (x);                                      \
        if (est_e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(est_e)); \
    } while (0)

// CRTP base: Derived::enqueue() is recorded on the first tick and replayed on later ones.
template <class Derived>
class GraphedFilter {
public:
    GraphedFilter(const GraphedFilter&) = delete;
    GraphedFilter& operator=(const GraphedFilter&) = delete;

    void tick() {
        if (!exec_) record();
        EST_TRY(cudaGraphLaunch(exec_, stream_));
        EST_TRY(cudaStreamSynchronize(stream_));
    }

protected:
    GraphedFilter() { EST_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~GraphedFilter() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    cudaStream_t stream() const { return stream_; }

private:
    void record() {
        EST_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        cudaGraph_t graph = nullptr;
        try {
            static_cast<Derived*>(this)->enqueue(stream_);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        EST_TRY(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        EST_TRY(e);
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

struct State {
    float height;
    float speed;
    float variance;
};

__global__ void predict(State* s, float dt, float q) {
    s->height += s->speed * dt;
    s->variance += q * dt;
}

__global__ void correct(State* s, const float* z, float r) {
    const float gain = s->variance / (s->variance + r);
    s->height += gain * (z[0] - s->height);
    s->variance *= 1.0f - gain;
}

// ------------------------------------------------------------ altitude_filter.h
class AltitudeFilter : public GraphedFilter<AltitudeFilter> {
    friend class GraphedFilter<AltitudeFilter>;

public:
    AltitudeFilter(float q, float r, const State& initial) : q_(q), r_(r) {
        EST_TRY(cudaMalloc(&state_, sizeof(State)));
        EST_TRY(cudaMalloc(&input_, 2 * sizeof(float)));
        EST_TRY(cudaMallocHost(&hostInput_, 2 * sizeof(float)));
        EST_TRY(cudaMemcpy(state_, &initial, sizeof(State), cudaMemcpyHostToDevice));
        EST_TRY(cudaDeviceSynchronize());
    }
    ~AltitudeFilter() {
        cudaFreeHost(hostInput_);
        cudaFree(input_);
        cudaFree(state_);
    }

    void update(float measured, float seconds) {
        hostInput_[0] = measured;
        dt_ = seconds;
        tick();
    }

    State state() const {
        State s;
        EST_TRY(cudaMemcpy(&s, state_, sizeof(State), cudaMemcpyDeviceToHost));
        return s;
    }

private:
    void enqueue(cudaStream_t stream) {
        EST_TRY(cudaMemcpyAsync(input_, hostInput_, sizeof(float), cudaMemcpyHostToDevice, stream));
        predict<<<1, 1, 0, stream>>>(state_, dt_, q_); // HAZARD frozen
        EST_TRY(cudaGetLastError());
        correct<<<1, 1, 0, stream>>>(state_, input_, r_);
        EST_TRY(cudaGetLastError());
    }

    const float q_;
    const float r_;
    float dt_ = 0.0f;
    State* state_ = nullptr;
    float* input_ = nullptr;
    float* hostInput_ = nullptr;
};

}  // namespace est

// ------------------------------------------------------------ replay_log.cu
int main() {
    struct Sample {
        float seconds;
        float altitude;
    };
    const Sample log[] = {{0.010f, 10.1f}, {0.013f, 10.2f}, {0.250f, 12.4f}, {0.008f, 12.5f}, {0.500f, 17.9f}};
    const float q = 0.5f, r = 2.0f;
    bool good = true;
    try {
        est::State host = {10.0f, 9.0f, 1.0f};
        est::AltitudeFilter filter(q, r, host);
        for (const Sample& sample : log) {
            filter.update(sample.altitude, sample.seconds);

            host.height += host.speed * sample.seconds;
            host.variance += q * sample.seconds;
            const float gain = host.variance / (host.variance + r);
            host.height += gain * (sample.altitude - host.height);
            host.variance *= 1.0f - gain;

            const est::State got = filter.state();
            std::printf("dt %.3f: %.4f (host %.4f)\n", sample.seconds, got.height, host.height);
            good = good && std::fabs(got.height - host.height) < 1e-3f && std::fabs(got.variance - host.variance) < 1e-3f;
        }
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
        return 0;
    }
    std::printf(good ? "LABEL REFUTED\n" : "LABEL CONFIRMED\n");
    return 0;
}
