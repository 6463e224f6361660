// Robot arm: the controller borrows streams from a small pool that hands them out in turn. The control law of the
// joints is recorded by a helper that takes a callback.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace arm {

constexpr int kJoints = 7;

class StreamPool {
public:
    explicit StreamPool(int size) : streams_(size) {
        for (auto& s : streams_) ok_ = ok_ && cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess;
    }
    ~StreamPool() {
        for (auto s : streams_) cudaStreamDestroy(s);
    }
    bool ok() const { return ok_; }
    cudaStream_t next() { return streams_[turn_++ % streams_.size()]; }

private:
    std::vector<cudaStream_t> streams_;
    std::size_t turn_ = 0;
    bool ok_ = true;
};

struct ExecDeleter {
    void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using Exec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, ExecDeleter>;

__global__ void torque(const float* target, const float* angle, float* out) {
    const int j = threadIdx.x;
    out[j] = 4.0f * (target[j] - angle[j]);
}
__global__ void integrate(float* angle, const float* torque) { angle[threadIdx.x] += 0.125f * torque[threadIdx.x]; }

struct Recorder {
    StreamPool& pool;
    cudaError_t error = cudaSuccess;

    Exec record(const std::function<void(cudaStream_t)>& work) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        if ((error = cudaStreamBeginCapture(pool.next(), cudaStreamCaptureModeThreadLocal)) != cudaSuccess) return nullptr;  // HAZARD scope #turn
        work(pool.next());  // HAZARD scope #turn
        if ((error = cudaStreamEndCapture(pool.next(), &graph)) != cudaSuccess) return nullptr;  // HAZARD scope #turn
        error = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        return Exec(exec);
    }
};

class Controller {
public:
    bool open() {
        float** const all[] = {&target_, &angle_, &torque_};
        for (float** p : all) {
            if (cudaMalloc(p, kJoints * sizeof(float)) != cudaSuccess) return false;
            if (cudaMemset(*p, 0, kJoints * sizeof(float)) != cudaSuccess) return false;
        }
        return cudaDeviceSynchronize() == cudaSuccess;
    }
    ~Controller() {
        for (float* p : {target_, angle_, torque_}) cudaFree(p);
    }
    void law(cudaStream_t s) const {
        torque<<<1, kJoints, 0, s>>>(target_, angle_, torque_);
        integrate<<<1, kJoints, 0, s>>>(angle_, torque_);
    }
    bool aim(float angle) {
        const std::vector<float> all(kJoints, angle);
        return cudaMemcpy(target_, all.data(), kJoints * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
    }
    bool angle(float& out) const { return cudaMemcpy(&out, angle_ + kJoints - 1, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess; }

private:
    float* target_ = nullptr;
    float* angle_ = nullptr;
    float* torque_ = nullptr;
};

}  // namespace arm

int main() {
    arm::StreamPool pool(4);
    arm::Controller controller;
    if (!pool.ok() || !controller.open() || !controller.aim(1.0f)) {
        std::puts("LABEL NOT CONFIRMED: setup");
        return 1;
    }
    arm::Recorder recorder{pool};
    const arm::Exec exec = recorder.record([&](cudaStream_t s) { controller.law(s); });
    std::printf("recorded: %s\n", cudaGetErrorName(recorder.error));
    if (exec || recorder.error != cudaErrorIllegalState) {
        std::puts("LABEL NOT CONFIRMED: another status than expected");
        return 1;
    }
    std::puts("LABEL CONFIRMED");
    return 0;
}
