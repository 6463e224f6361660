// Cloth simulation. Constraints are a std::variant; stretch constraints run on the main stream, bend constraints on an
// auxiliary one. A time step is captured and replayed.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <variant>
#include <vector>

namespace cloth {

constexpr int kPoints = 1024;
constexpr int kBlock = 128;
constexpr int kGrid = kPoints / kBlock;

__global__ void stretchForce(const float* x, float* force, float stiffness) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    force[i] = stiffness * (1.0f - x[i]);
}

__global__ void bendForce(const float* x, float* force, float stiffness) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    force[i] = -stiffness * x[i];
}

__global__ void moveParticles(float* x, const float* stretch, const float* bend, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += dt * (stretch[i] + bend[i]);
}

__global__ void bendEnergy(const float* bend, float* energy) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    energy[i] = 0.5f * bend[i] * bend[i];
}

struct Stretch {
    float stiffness;
};
struct Bend {
    float stiffness;
};
using Constraint = std::variant<Stretch, Bend>;

struct State {
    float *x, *stretch, *bend, *energy;
};

class Recorder {
public:
    Recorder(cudaStream_t main, cudaStream_t aux, const State& state) : main_(main), aux_(aux), state_(state) {}
    void operator()(const Stretch& c) const { stretchForce<<<kGrid, kBlock, 0, main_>>>(state_.x, state_.stretch, c.stiffness); }
    void operator()(const Bend& c) const { bendForce<<<kGrid, kBlock, 0, aux_>>>(state_.x, state_.bend, c.stiffness); }

private:
    cudaStream_t main_, aux_;
    const State& state_;
};

class Stepper {
public:
    explicit Stepper(std::vector<Constraint> constraints) : constraints_(std::move(constraints)) {
        cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&aux_, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming);
        cudaMalloc(&memory_, 4 * kPoints * sizeof(float));
        cudaMemsetAsync(memory_, 0, 4 * kPoints * sizeof(float), main_);
        cudaStreamSynchronize(main_);
        state_ = {memory_, memory_ + kPoints, memory_ + 2 * kPoints, memory_ + 3 * kPoints};
    }
    ~Stepper() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(memory_);
        cudaEventDestroy(forked_);
        cudaEventDestroy(joined_);
        cudaStreamDestroy(aux_);
        cudaStreamDestroy(main_);
    }

    cudaError_t build(float dt) {
        cudaGraph_t graph = nullptr;
        cudaError_t rc = cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) return rc;
        recordStep(dt);
        rc = cudaStreamEndCapture(main_, &graph);  // HAZARD dependency #energy
        if (rc != cudaSuccess) return rc;
        rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        return rc;
    }

    cudaError_t step(std::vector<float>& x, std::vector<float>& energy) {
        x.resize(kPoints);
        energy.resize(kPoints);
        const cudaError_t rc = cudaGraphLaunch(exec_, main_);
        if (rc != cudaSuccess) return rc;
        cudaMemcpyAsync(x.data(), state_.x, kPoints * sizeof(float), cudaMemcpyDeviceToHost, main_);
        cudaMemcpyAsync(energy.data(), state_.energy, kPoints * sizeof(float), cudaMemcpyDeviceToHost, main_);
        return cudaStreamSynchronize(main_);
    }

private:
    void recordStep(float dt) {
        cudaEventRecord(forked_, main_);
        cudaStreamWaitEvent(aux_, forked_, 0);
        const Recorder recorder(main_, aux_, state_);
        for (const Constraint& c : constraints_) std::visit(recorder, c);
        cudaEventRecord(joined_, aux_);
        cudaStreamWaitEvent(main_, joined_, 0);
        moveParticles<<<kGrid, kBlock, 0, main_>>>(state_.x, state_.stretch, state_.bend, dt);
        bendEnergy<<<kGrid, kBlock, 0, aux_>>>(state_.bend, state_.energy);  // HAZARD dependency #energy
    }

    std::vector<Constraint> constraints_;
    cudaStream_t main_ = nullptr, aux_ = nullptr;
    cudaEvent_t forked_ = nullptr, joined_ = nullptr;
    float* memory_ = nullptr;
    State state_{};
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace cloth

int main() {
    cloth::Stepper stepper({cloth::Stretch{2.0f}, cloth::Bend{0.5f}});
    const cudaError_t built = stepper.build(0.1f);
    std::printf("build: %s\n", cudaGetErrorName(built));
    if (built == cudaErrorStreamCaptureUnjoined) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::puts("LABEL NOT CONFIRMED: the capture was expected to end unjoined");
    return 1;
}
