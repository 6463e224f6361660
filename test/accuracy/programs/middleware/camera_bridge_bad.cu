#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ecu {

enum class Phase { Unconfigured, Inactive, Active };

class Component {
public:
    virtual ~Component() = default;
    virtual cudaError_t on_activate() = 0;
    virtual cudaError_t on_deactivate() = 0;
    Phase phase = Phase::Inactive;
};

class CallbackGroup {
public:
    CallbackGroup(std::string name, bool own_thread) : name_(std::move(name)), own_thread_(own_thread) {}
    template <class F> auto execute(F&& f) -> decltype(f()) {
        ++dispatched_;
        if (!own_thread_) return f();
        decltype(f()) rc{};
        std::thread worker([&] { rc = f(); });
        worker.join();
        return rc;
    }

private:
    std::string name_;
    bool own_thread_;
    int dispatched_ = 0;
};

class LifecycleManager {
public:
    void add(const std::string& id, std::shared_ptr<Component> c) { table_[id] = std::move(c); }
    cudaError_t activate(const std::string& id) {
        auto rc = control_.execute([&] { return table_.at(id)->on_activate(); });
        if (rc == cudaSuccess) table_[id]->phase = Phase::Active;
        return rc;
    }
    cudaError_t deactivate(const std::string& id) {
        return shutdown_.execute([&] { return table_.at(id)->on_deactivate(); });
    }

private:
    std::map<std::string, std::shared_ptr<Component>> table_;
    CallbackGroup control_{"control", false}, shutdown_{"shutdown", true};
};

}  // namespace ecu

constexpr int kW = 64 * 64;

__global__ void debayer(float* rgb, const unsigned char* raw, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) rgb[i] = raw[i] * 2.0f;
}
__global__ void exposure_stats(float* stats, const float* rgb) {
    if (threadIdx.x == 0) stats[0] += rgb[0];
}

class CameraNode {
public:
    CameraNode() {
        cudaStreamCreateWithFlags(&dma_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming);
        cudaMalloc(&raw_, kW);
        cudaMalloc(&rgb_, kW * sizeof(float));
        cudaMallocHost(&pinned_, kW);
    }
    ~CameraNode() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(raw_), cudaFree(rgb_), cudaFreeHost(pinned_);
        cudaEventDestroy(arrived_), cudaStreamDestroy(dma_), cudaStreamDestroy(compute_);
    }
    void on_frame(unsigned char level) {
        for (int i = 0; i < kW; ++i) pinned_[i] = level;
        cudaMemcpyAsync(raw_, pinned_, kW, cudaMemcpyHostToDevice, dma_);
        cudaEventRecord(arrived_, dma_);
        if (!exec_ && failure_ == cudaSuccess) failure_ = record();
        if (!exec_) { cudaStreamSynchronize(dma_); return; }
        failure_ = cudaGraphLaunch(exec_, compute_);
        cudaStreamSynchronize(compute_);
    }
    float pixel() {
        float v = -1;
        cudaMemcpy(&v, rgb_ + 10, sizeof(float), cudaMemcpyDeviceToHost);
        return v;
    }
    cudaError_t failure() const { return failure_; }

private:
    cudaError_t record() {
        cudaGraph_t graph = nullptr;
        cudaError_t rc = cudaStreamBeginCapture(compute_, cudaStreamCaptureModeThreadLocal);
        if (rc != cudaSuccess) return rc;
        rc = cudaStreamWaitEvent(compute_, arrived_, 0);  // HAZARD stream_dependency
        debayer<<<kW / 256, 256, 0, compute_>>>(rgb_, raw_, kW);
        cudaError_t end = cudaStreamEndCapture(compute_, &graph);
        if (rc != cudaSuccess || end != cudaSuccess) return rc != cudaSuccess ? rc : end;
        rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        return rc;
    }
    cudaStream_t dma_, compute_;
    cudaEvent_t arrived_;
    unsigned char *raw_ = nullptr, *pinned_ = nullptr;
    float* rgb_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    cudaError_t failure_ = cudaSuccess;
};

class ExposureRecorder : public ecu::Component {
public:
    ExposureRecorder() {
        cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
        cudaMalloc(&buf_, 2 * sizeof(float));
        cudaMemset(buf_, 0, 2 * sizeof(float));
        cudaDeviceSynchronize();
    }
    cudaError_t on_activate() override {
        auto rc = cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);  // HAZARD capture_scope #lifecycle
        if (rc == cudaSuccess) exposure_stats<<<1, 32, 0, s_>>>(buf_, buf_ + 1);
        return rc;
    }
    cudaError_t on_deactivate() override {
        return cudaStreamEndCapture(s_, &graph);  // HAZARD capture_scope #lifecycle
    }
    cudaGraph_t graph = nullptr;

private:
    cudaStream_t s_;
    float* buf_ = nullptr;
};

int main() {
    CameraNode camera;
    for (unsigned char level : {10, 20, 30}) camera.on_frame(level);
    cudaError_t frame_rc = camera.failure();
    float px = camera.pixel();
    ecu::LifecycleManager manager;
    auto recorder = std::make_shared<ExposureRecorder>();
    manager.add("exposure", recorder);
    cudaError_t up = manager.activate("exposure"), down = manager.deactivate("exposure");
    bool ok = frame_rc == cudaErrorStreamCaptureIsolation && up == cudaSuccess && down == cudaErrorStreamCaptureWrongThread;
    std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED %d %d %d %f\n", frame_rc, up, down, px);
    return 0;
}
