// Robot arm runtime. A control worker executes queued commands on its thread,
// each control cycle is one replay of a CUDA graph, and observers are told
// about every cycle through pooled telemetry slots.
#include <cuda_runtime.h>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

static void ensure(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
#define ENSURE(x) ensure((x), #x)

constexpr int kJoints = 8;
constexpr float kDt = 0.1f;

__global__ void pd_control(const float* target, float* pos, float gain) {
    int j = threadIdx.x;
    if (j < kJoints) pos[j] += kDt * gain * (target[j] - pos[j]);
}

struct CycleObserver {
    explicit CycleObserver(std::string n) : name(std::move(n)) {}
    std::string name;
    std::atomic<int> cycles{0};
};

struct TelemetrySlot {
    CycleObserver* observer = nullptr;
    bool taken = false;
};

class TelemetryPool {
public:
    class Ref {
    public:
        Ref() = default;
        explicit Ref(TelemetrySlot* s) : slot_(s) {}
        Ref(Ref&& o) noexcept : slot_(std::exchange(o.slot_, nullptr)) {}
        Ref& operator=(Ref&& o) noexcept { std::swap(slot_, o.slot_); return *this; }
        ~Ref() { if (slot_) slot_->taken = false; }
        TelemetrySlot* get() const { return slot_; }
    private:
        TelemetrySlot* slot_ = nullptr;
    };
    Ref open(CycleObserver& obs) {
        for (auto& s : slots_)
            if (!s.taken) {
                s.taken = true;
                s.observer = &obs;
                return Ref(&s);
            }
        throw std::runtime_error("no telemetry slot");
    }
private:
    std::array<TelemetrySlot, 8> slots_;
};

static void CUDART_CB on_cycle(void* p) { static_cast<TelemetrySlot*>(p)->observer->cycles.fetch_add(1); }

class WorkerThread {
public:
    WorkerThread() : thread_([this] { loop(); }) {}
    ~WorkerThread() {
        { std::lock_guard<std::mutex> l(m_); done_ = true; }
        cv_.notify_all();
        thread_.join();
    }
    void call(std::function<void()> fn) {
        std::packaged_task<void()> t(std::move(fn));
        auto f = t.get_future();
        { std::lock_guard<std::mutex> l(m_); queue_.push_back(std::move(t)); }
        cv_.notify_all();
        f.get();
    }
private:
    void loop() {
        std::unique_lock<std::mutex> l(m_);
        for (;;) {
            cv_.wait(l, [this] { return done_ || !queue_.empty(); });
            if (queue_.empty()) return;
            auto t = std::move(queue_.front());
            queue_.pop_front();
            l.unlock();
            t();
            l.lock();
        }
    }
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::packaged_task<void()>> queue_;
    bool done_ = false;
    std::thread thread_;
};

enum class ArmState { Idle, Tracking, Braking };

class ArmController {
public:
    ArmController(TelemetryPool& pool, CycleObserver& obs) : pool_(pool), observer_(obs) {
        worker_.call([this] {
            ENSURE(cudaStreamCreate(&stream_));
            ENSURE(cudaMallocHost(&h_target_, kJoints * sizeof(float)));
            ENSURE(cudaMallocHost(&h_pos_, kJoints * sizeof(float)));
            ENSURE(cudaMalloc(&d_target_, kJoints * sizeof(float)));
            ENSURE(cudaMalloc(&d_pos_, kJoints * sizeof(float)));
            ENSURE(cudaMemset(d_pos_, 0, kJoints * sizeof(float)));
            build();
        });
    }
    ~ArmController() {
        worker_.call([this] {
            cudaStreamSynchronize(stream_);
            cudaGraphExecDestroy(exec_);
            cudaGraphDestroy(graph_);
            cudaFree(d_target_);
            cudaFree(d_pos_);
            cudaFreeHost(h_target_);
            cudaFreeHost(h_pos_);
            cudaStreamDestroy(stream_);
        });
    }
    void track(const std::vector<float>& target) {
        worker_.call([&] {
            for (int j = 0; j < kJoints; ++j) h_target_[j] = target[j];
            enter(ArmState::Tracking);
        });
    }
    void brake() { worker_.call([this] { enter(ArmState::Braking); }); }
    void cycle() {
        worker_.call([this] {
            if (state_ == ArmState::Idle) return;
            ENSURE(cudaGraphLaunch(exec_, stream_));
            ENSURE(cudaStreamSynchronize(stream_));
        });
    }
    float position(int j) const { return h_pos_[j]; }
    static float gain_of(ArmState s) { return s == ArmState::Braking ? 0.5f : 4.f; }

private:
    void build() {
        TelemetryPool::Ref slot = pool_.open(observer_);
        ENSURE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        ENSURE(cudaMemcpyAsync(d_target_, h_target_, kJoints * sizeof(float), cudaMemcpyHostToDevice, stream_));
        pd_control<<<1, 32, 0, stream_>>>(d_target_, d_pos_, gain_of(ArmState::Tracking));
        ENSURE(cudaMemcpyAsync(h_pos_, d_pos_, kJoints * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        ENSURE(cudaLaunchHostFunc(stream_, on_cycle, slot.get())); // HAZARD callback
        ENSURE(cudaGetLastError());
        ENSURE(cudaStreamEndCapture(stream_, &graph_));
        control_ = find_kernel();
        ENSURE(cudaGraphInstantiate(&exec_, graph_, 0));
    }
    cudaGraphNode_t find_kernel() const {
        size_t n = 0;
        ENSURE(cudaGraphGetNodes(graph_, nullptr, &n));
        std::vector<cudaGraphNode_t> nodes(n);
        ENSURE(cudaGraphGetNodes(graph_, nodes.data(), &n));
        for (auto node : nodes) {
            cudaGraphNodeType type;
            ENSURE(cudaGraphNodeGetType(node, &type));
            if (type == cudaGraphNodeTypeKernel) return node;
        }
        throw std::runtime_error("no control node");
    }
    void enter(ArmState s) {
        if (s == state_) return;
        state_ = s;
        float gain = gain_of(s);
        void* args[] = {&d_target_, &d_pos_, &gain};
        cudaKernelNodeParams p{};
        p.func = (void*)pd_control;
        p.gridDim = dim3(1);
        p.blockDim = dim3(32);
        p.kernelParams = args;
        ENSURE(cudaGraphKernelNodeSetParams(control_, &p)); // HAZARD lifetime
    }

    TelemetryPool& pool_;
    CycleObserver& observer_;
    ArmState state_ = ArmState::Idle;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphNode_t control_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *h_target_ = nullptr, *h_pos_ = nullptr, *d_target_ = nullptr, *d_pos_ = nullptr;
    WorkerThread worker_;
};

// The battery monitor uses the same pool for its own notifications.
class BatteryMonitor {
public:
    BatteryMonitor(TelemetryPool& pool, CycleObserver& obs) : slot_(pool.open(obs)) {}
private:
    TelemetryPool::Ref slot_;
};

int main() {
    try {
        CycleObserver arm_obs("arm"), battery_obs("battery");
        TelemetryPool pool;
        ArmController arm(pool, arm_obs);
        BatteryMonitor battery(pool, battery_obs);

        float want = 0.f;
        auto simulate = [&](float target, ArmState s) { want += kDt * ArmController::gain_of(s) * (target - want); };
        arm.track(std::vector<float>(kJoints, 1.f));
        for (int i = 0; i < 3; ++i) { arm.cycle(); simulate(1.f, ArmState::Tracking); }
        bool tracking = std::fabs(arm.position(3) - want) < 1e-4f;
        std::printf("tracking %.5f expected %.5f\n", arm.position(3), want);

        arm.brake();
        for (int i = 0; i < 3; ++i) { arm.cycle(); simulate(1.f, ArmState::Braking); }
        bool braking = std::fabs(arm.position(3) - want) < 1e-4f;
        std::printf("braking %.5f expected %.5f\n", arm.position(3), want);
        std::printf("%s %d, %s %d\n", arm_obs.name.c_str(), arm_obs.cycles.load(), battery_obs.name.c_str(), battery_obs.cycles.load());

        bool label = tracking && !braking && arm_obs.cycles == 0 && battery_obs.cycles == 6;
        std::puts(label ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
    return 0;
}
