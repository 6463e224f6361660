// Robot arm control loop: a state machine picks one pre-recorded graph per control mode.
#include <cuda_runtime.h>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

enum class Mode : int { Idle = 0, Track = 1, Grasp = 2, Count = 3 };
enum class Event { Start, TargetSeen, ContactLost, Stop };

static const char* modeName(Mode m) {
    static const char* names[] = {"idle", "track", "grasp"};
    return names[int(m)];
}

struct ArmConfig {
    int joints = 256;
    bool forceFeedback = true;
};

__global__ void planJoints(float* joints, int n, float step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) joints[i] += step;
}
__global__ void filterVision(float* target, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) target[i] += 2.0f;
}
__global__ void filterForce(float* force, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) force[i] += 1.0f;
}
__global__ void correct(float* joints, const float* sense, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) joints[i] += sense[i];
}

class StateMachine {
public:
    Mode state() const { return state_; }
    void handle(Event e) {
        switch (state_) {
            case Mode::Idle:
                if (e == Event::Start) state_ = Mode::Track;
                break;
            case Mode::Track:
                if (e == Event::TargetSeen) state_ = Mode::Grasp;
                if (e == Event::Stop) state_ = Mode::Idle;
                break;
            case Mode::Grasp:
                if (e == Event::ContactLost) state_ = Mode::Track;
                if (e == Event::Stop) state_ = Mode::Idle;
                break;
            default: break;
        }
    }
private:
    Mode state_ = Mode::Idle;
};

class ArmController {
public:
    explicit ArmController(const ArmConfig& cfg) : cfg_(cfg) {
        status(cudaStreamCreateWithFlags(&control_, cudaStreamNonBlocking), "control stream");
        status(cudaStreamCreateWithFlags(&sensing_, cudaStreamNonBlocking), "sensing stream");
        status(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming), "event");
        status(cudaEventCreateWithFlags(&sensed_, cudaEventDisableTiming), "event");
        for (float** p : {&joints_, &target_, &force_}) {
            status(cudaMalloc(p, cfg_.joints * sizeof(float)), "malloc");
            status(cudaMemsetAsync(*p, 0, cfg_.joints * sizeof(float), control_), "memset");
        }
        status(cudaStreamSynchronize(control_), "setup");
    }
    ~ArmController() {
        cudaStreamSynchronize(control_);
        for (cudaGraphExec_t e : loops_) if (e) cudaGraphExecDestroy(e);
        cudaFree(joints_);
        cudaFree(target_);
        cudaFree(force_);
        cudaEventDestroy(forked_);
        cudaEventDestroy(sensed_);
        cudaStreamDestroy(sensing_);
        cudaStreamDestroy(control_);
    }
    ArmController(const ArmController&) = delete;
    ArmController& operator=(const ArmController&) = delete;

    bool tick(Mode m) {
        cudaGraphExec_t& loop = loops_[int(m)];
        if (!loop && !build(m, loop)) return false;
        return status(cudaGraphLaunch(loop, control_), "launch") && status(cudaStreamSynchronize(control_), "tick");
    }
    cudaError_t fault() const { return fault_; }
    float joint(int i) {
        std::vector<float> h(cfg_.joints);
        status(cudaMemcpy(h.data(), joints_, h.size() * sizeof(float), cudaMemcpyDeviceToHost), "read");
        for (float v : h) if (v != h[0]) return -1.0f;
        return h[i];
    }

private:
    bool status(cudaError_t rc, const char* what) {
        if (rc == cudaSuccess) return true;
        std::printf("[arm] %s: %s\n", what, cudaGetErrorName(rc));
        if (fault_ == cudaSuccess) fault_ = rc;
        return false;
    }
    void fork() {
        status(cudaEventRecord(forked_, control_), "fork");
        status(cudaStreamWaitEvent(sensing_, forked_, 0), "fork wait");
    }
    void join() {
        status(cudaEventRecord(sensed_, sensing_), "join");
        status(cudaStreamWaitEvent(control_, sensed_, 0), "join wait");
    }
    void describe(Mode m) {
        const int n = cfg_.joints, grid = (n + 127) / 128;
        switch (m) {
            case Mode::Idle:
                planJoints<<<grid, 128, 0, control_>>>(joints_, n, 0.0f);
                break;
            case Mode::Track:
                fork();
                filterVision<<<grid, 128, 0, sensing_>>>(target_, n);
                planJoints<<<grid, 128, 0, control_>>>(joints_, n, 1.0f);
                join();
                correct<<<grid, 128, 0, control_>>>(joints_, target_, n);
                break;
            case Mode::Grasp:
                fork();
                filterForce<<<grid, 128, 0, sensing_>>>(force_, n);
                planJoints<<<grid, 128, 0, control_>>>(joints_, n, 0.5f);
                join();
                if (!cfg_.forceFeedback) break;
                correct<<<grid, 128, 0, control_>>>(joints_, force_, n);
                break;
            default: break;
        }
        status(cudaGetLastError(), "describe");
    }
    bool build(Mode m, cudaGraphExec_t& out) {
        cudaGraph_t g = nullptr;
        if (!status(cudaStreamBeginCapture(control_, cudaStreamCaptureModeThreadLocal), "begin")) return false;
        describe(m);
        bool good = status(cudaStreamEndCapture(control_, &g), modeName(m));
        good = good && status(cudaGraphInstantiate(&out, g, 0), "instantiate");
        if (g) cudaGraphDestroy(g);
        return good;
    }

    ArmConfig cfg_;
    cudaStream_t control_ = nullptr, sensing_ = nullptr;
    cudaEvent_t forked_ = nullptr, sensed_ = nullptr;
    float *joints_ = nullptr, *target_ = nullptr, *force_ = nullptr;
    std::array<cudaGraphExec_t, int(Mode::Count)> loops_{};
    cudaError_t fault_ = cudaSuccess;
};

static bool drive(ArmController& arm, float& expected, bool feedback) {
    StateMachine sm;
    float target = 0.0f, force = 0.0f;
    const Event script[] = {Event::Start, Event::Start, Event::TargetSeen, Event::Start, Event::ContactLost, Event::Stop};
    expected = 0.0f;
    for (Event e : script) {
        sm.handle(e);
        if (sm.state() == Mode::Track) { target += 2.0f; expected += 1.0f + target; }
        if (sm.state() == Mode::Grasp) { force += 1.0f; expected += 0.5f + (feedback ? force : 0.0f); }
        if (!arm.tick(sm.state())) return false;
    }
    return true;
}

int main() {
    bool withForce, withoutForce;
    float want = 0.0f;
    {
        ArmController arm{ArmConfig{}};
        withForce = drive(arm, want, true) && arm.joint(5) == want;
        std::printf("with force sensor: want %.2f, %s\n", want, withForce ? "ok" : "differs");
    }
    ArmConfig light;
    light.forceFeedback = false;
    ArmController arm(light);
    withoutForce = drive(arm, want, false) && arm.joint(5) == want;
    std::printf("without force sensor: %s, fault %s\n", withoutForce ? "ok" : "differs", cudaGetErrorName(arm.fault()));
    bool seen = withForce && withoutForce && arm.fault() == cudaSuccess;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
