// Control loop of a robot gripper. The control law of a cycle is captured once and replayed at each tick of the loop;
// a small state machine moves from approach to grasp to lift.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gripper {

enum class Phase { Approach, Grasp, Lift };
constexpr int kJoints = 32;

static void check(cudaError_t rc, const char* where) {
    if (rc == cudaSuccess) return;
    std::printf("%s failed: %s\nLABEL NOT CONFIRMED\n", where, cudaGetErrorString(rc));
    std::exit(1);
}

__global__ void predictPose(float* pose, const float* velocity, float dt) {
    const int j = threadIdx.x;
    pose[j] += dt * velocity[j];
}

__global__ void servoToTarget(const float* pose, float* velocity, const float* target, float gain) {
    const int j = threadIdx.x;
    velocity[j] = gain * (target[j] - pose[j]);
}

__global__ void closeFingers(float* velocity, float speed) { velocity[threadIdx.x] = -speed; }

__global__ void raiseArm(float* velocity, float speed) { velocity[threadIdx.x] = speed; }

class Controller {
public:
    Controller() {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        check(cudaMalloc(&pose_, 3 * kJoints * sizeof(float)), "joint memory");
        velocity_ = pose_ + kJoints;
        target_ = pose_ + 2 * kJoints;
        float start[3 * kJoints] = {};
        for (int j = 0; j < kJoints; ++j) start[2 * kJoints + j] = 1.0f + 0.125f * float(j);
        check(cudaMemcpyAsync(pose_, start, sizeof(start), cudaMemcpyHostToDevice, stream_), "start pose");
        check(cudaStreamSynchronize(stream_), "start pose");
        openRecording();
        controlLaw();
        cycle_ = closeRecording();
    }

    ~Controller() {
        cudaGraphExecDestroy(cycle_);
        cudaFree(pose_);
        cudaStreamDestroy(stream_);
    }

    Phase phase() const { return phase_; }

    void tick() {
        check(cudaGraphLaunch(cycle_, stream_), "cycle");
        check(cudaStreamSynchronize(stream_), "cycle");
        advancePhase();
    }

    void readVelocity(float* out) const {
        check(cudaMemcpy(out, velocity_, kJoints * sizeof(float), cudaMemcpyDeviceToHost), "velocity");
    }

private:
    void openRecording() { check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin"); }

    cudaGraphExec_t closeRecording() {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        check(cudaStreamEndCapture(stream_, &graph), "end");
        check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        check(cudaGraphDestroy(graph), "destroy");
        return exec;
    }

    void controlLaw() {
        predictPose<<<1, kJoints, 0, stream_>>>(pose_, velocity_, 0.01f);
        switch (phase_) {  // HAZARD host_logic #phase
            case Phase::Approach:
                servoToTarget<<<1, kJoints, 0, stream_>>>(pose_, velocity_, target_, 4.0f);
                break;
            case Phase::Grasp:
                closeFingers<<<1, kJoints, 0, stream_>>>(velocity_, 0.2f);
                break;
            case Phase::Lift:
                raiseArm<<<1, kJoints, 0, stream_>>>(velocity_, 0.5f);
                break;
        }
        check(cudaGetLastError(), "control law");
    }

    void advancePhase() {
        ++ticks_;
        if (phase_ == Phase::Approach && ticks_ == 10) {
            phase_ = Phase::Grasp;  // HAZARD host_logic #phase
        } else if (phase_ == Phase::Grasp && ticks_ == 20) {
            phase_ = Phase::Lift;
        }
    }

    Phase phase_ = Phase::Approach;
    int ticks_ = 0;
    cudaStream_t stream_ = nullptr;
    float* pose_ = nullptr;
    float* velocity_ = nullptr;
    float* target_ = nullptr;
    cudaGraphExec_t cycle_ = nullptr;
};

}  // namespace gripper

int main() {
    using gripper::Phase;
    gripper::Controller controller;
    float velocity[gripper::kJoints];
    int approachRight = 0, graspRight = 0, liftRight = 0;
    for (int t = 0; t < 30; ++t) {
        const Phase active = controller.phase();
        controller.tick();
        controller.readVelocity(velocity);
        int closing = 0, raising = 0, moving = 0;
        for (float v : velocity) {
            closing += std::fabs(v + 0.2f) < 1e-5f;
            raising += std::fabs(v - 0.5f) < 1e-5f;
            moving += v > 0.51f;
        }
        if (active == Phase::Approach) approachRight += moving == gripper::kJoints;
        if (active == Phase::Grasp) graspRight += closing == gripper::kJoints;
        if (active == Phase::Lift) liftRight += raising == gripper::kJoints;
    }
    std::printf("right ticks: approach %d, grasp %d, lift %d\n", approachRight, graspRight, liftRight);
    if (approachRight == 10 && graspRight == 0 && liftRight == 0) {
        std::printf("LABEL CONFIRMED\n");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: only the approach should have been replayed\n");
    return 1;
}
