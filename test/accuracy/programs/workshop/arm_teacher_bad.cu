// Teach-in controller of a robot arm. Between Teach and Commit every motion event is recorded into a graph;
// Play repeats the taught sequence. Each event is a separate call from the control panel.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <future>
#include <vector>

namespace arm {

constexpr int kJoints = 6;

enum class State { Idle, Recording, Ready };

struct Event {
    enum Kind { Teach, Move, LoadTool, Abort, Commit, Play } kind;
    int joint = 0;
    float degrees = 0.0f;
};

__global__ void moveJoint(float* pose, int joint, float degrees, float* odometer) {
    pose[joint] += degrees;
    *odometer += fabsf(degrees);
}

__global__ void applyTool(float* pose, const float* offsets) {
    int j = threadIdx.x;
    pose[j] += offsets[j];
}

class Controller {
public:
    Controller() {
        note(cudaStreamCreateWithFlags(&motion_, cudaStreamNonBlocking));
        note(cudaStreamCreateWithFlags(&loader_, cudaStreamNonBlocking));
        note(cudaMalloc(&pose_, kJoints * sizeof(float)));
        note(cudaMalloc(&odometer_, sizeof(float)));
        note(cudaMemset(pose_, 0, kJoints * sizeof(float)));
        note(cudaMemset(odometer_, 0, sizeof(float)));
        note(cudaDeviceSynchronize());
    }
    ~Controller() {
        dropProgram();
        cudaFree(tool_);
        cudaFree(odometer_);
        cudaFree(pose_);
        cudaStreamDestroy(loader_);
        cudaStreamDestroy(motion_);
    }
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;

    State state() const { return state_; }
    cudaError_t setupError() const { return setupError_; }

    // Handles one event; events that make no sense in the present state are reported as not permitted.
    cudaError_t handle(const Event& ev) {
        switch (ev.kind) {
            case Event::Teach: return onTeach();
            case Event::Move: return onMove(ev.joint, ev.degrees);
            case Event::LoadTool: return onLoadTool();
            case Event::Abort: return onAbort();
            case Event::Commit: return onCommit();
            case Event::Play: return onPlay();
        }
        return cudaErrorInvalidValue;
    }

    cudaError_t readPose(std::vector<float>* pose, float* odometer) {
        pose->resize(kJoints);
        cudaError_t e = cudaMemcpyAsync(pose->data(), pose_, kJoints * sizeof(float), cudaMemcpyDeviceToHost, motion_);
        if (e == cudaSuccess) e = cudaMemcpyAsync(odometer, odometer_, sizeof(float), cudaMemcpyDeviceToHost, motion_);
        if (e == cudaSuccess) e = cudaStreamSynchronize(motion_);
        return e;
    }

private:
    void note(cudaError_t e) {
        if (setupError_ == cudaSuccess) setupError_ = e;
    }

    cudaError_t onTeach() {
        if (state_ == State::Recording) return cudaErrorNotPermitted;
        dropProgram();
        cudaError_t e = cudaStreamBeginCapture(motion_, cudaStreamCaptureModeGlobal);  // HAZARD mode #tool
        if (e == cudaSuccess) state_ = State::Recording;
        return e;
    }

    cudaError_t onMove(int joint, float degrees) {
        if (state_ == State::Ready) return cudaErrorNotPermitted;
        moveJoint<<<1, 1, 0, motion_>>>(pose_, joint, degrees, odometer_);
        return cudaGetLastError();
    }

    // The tool file is parsed and uploaded by a worker, like every other file access of the panel.
    cudaError_t onLoadTool() {
        if (state_ != State::Recording || tool_) return cudaErrorNotPermitted;
        std::future<cudaError_t> loaded = std::async(std::launch::async, [this] { return uploadTool(); });
        cudaError_t e = loaded.get();
        if (e != cudaSuccess) return e;
        applyTool<<<1, kJoints, 0, motion_>>>(pose_, tool_);
        return cudaGetLastError();
    }

    cudaError_t uploadTool() {
        const float offsets[kJoints] = {0.5f, -0.25f, 0.0f, 1.0f, 0.125f, -2.0f};
        cudaError_t e = cudaMalloc(&tool_, sizeof offsets);  // HAZARD mode #tool
        if (e == cudaSuccess) e = cudaMemcpyAsync(tool_, offsets, sizeof offsets, cudaMemcpyHostToDevice, loader_);
        if (e == cudaSuccess) e = cudaStreamSynchronize(loader_);
        return e;
    }

    cudaError_t onAbort() {
        if (state_ != State::Recording) return cudaErrorNotPermitted;
        state_ = State::Idle;  // HAZARD scope
        return cudaSuccess;
    }

    cudaError_t onCommit() {
        if (state_ != State::Recording) return cudaErrorNotPermitted;
        state_ = State::Idle;
        cudaGraph_t graph = nullptr;
        cudaError_t e = cudaStreamEndCapture(motion_, &graph);
        if (e != cudaSuccess) return cudaGetLastError();  // also clears it for the launches to come
        e = cudaGraphInstantiate(&program_, graph, 0);
        if (e == cudaSuccess) state_ = State::Ready;
        cudaGraphDestroy(graph);
        return e;
    }

    cudaError_t onPlay() {
        if (state_ != State::Ready) return cudaErrorNotPermitted;
        return cudaGraphLaunch(program_, motion_);
    }

    void dropProgram() {
        if (!program_) return;
        cudaStreamSynchronize(motion_);
        cudaGraphExecDestroy(program_);
        program_ = nullptr;
        state_ = State::Idle;
    }

    State state_ = State::Idle;
    cudaError_t setupError_ = cudaSuccess;
    cudaStream_t motion_ = nullptr, loader_ = nullptr;
    cudaGraphExec_t program_ = nullptr;
    float *pose_ = nullptr, *odometer_ = nullptr, *tool_ = nullptr;
};

int failures(Controller& c, const std::vector<Event>& events) {
    int failed = 0;
    for (const Event& ev : events) {
        const cudaError_t e = c.handle(ev);
        if (e == cudaSuccess) continue;
        ++failed;
        std::printf("event %d: %s\n", ev.kind, cudaGetErrorName(e));
    }
    return failed;
}

}  // namespace arm

int main() {
    using arm::Event;
    arm::Controller panel;
    bool good = panel.setupError() == cudaSuccess;
    std::vector<float> pose;
    float odometer = 0.0f;

    const int simple = arm::failures(panel, {{Event::Teach}, {Event::Move, 0, 10.0f}, {Event::Move, 2, -4.0f},
                                             {Event::Commit}, {Event::Play}, {Event::Play}, {Event::Play}});
    good = good && simple == 0 && panel.readPose(&pose, &odometer) == cudaSuccess;
    good = good && pose[0] == 30.0f && pose[2] == -12.0f && odometer == 42.0f;

    const int tool = arm::failures(panel, {{Event::Teach}, {Event::Move, 1, 3.0f}, {Event::LoadTool}, {Event::Commit}});
    const int aborted = arm::failures(panel, {{Event::Teach}, {Event::Move, 5, 90.0f}, {Event::Abort}});
    const int again = arm::failures(panel, {{Event::Teach}});
    std::printf("simple %d, tool %d, aborted %d, again %d\n", simple, tool, aborted, again);
    const bool confirmed = good && tool >= 1 && aborted == 0 && again == 1;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
