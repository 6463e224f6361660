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
        const cudaStream_t borrowed = pool.next();
        if ((error = cudaStreamBeginCapture(borrowed, cudaStreamCaptureModeThreadLocal)) != cudaSuccess) return nullptr;
        work(borrowed);
        if ((error = cudaStreamEndCapture(borrowed, &graph)) != cudaSuccess) return nullptr;
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
    if (!exec) {
        std::printf("LABEL NOT CONFIRMED: %s\n", cudaGetErrorName(recorder.error));
        return 1;
    }
    float model = 0.0f;
    for (const float aim : {1.0f, -2.0f, 0.5f}) {
        if (!controller.aim(aim)) return std::puts("LABEL NOT CONFIRMED: aim"), 1;
        for (int step = 0; step < 4; ++step) {
            model += 0.125f * (4.0f * (aim - model));
            const cudaStream_t s = pool.next();  // each step may run on another stream
            if (cudaGraphLaunch(exec.get(), s) != cudaSuccess || cudaStreamSynchronize(s) != cudaSuccess) {
                std::puts("LABEL NOT CONFIRMED: launch");
                return 1;
            }
        }
        float seen = 0.0f;
        if (!controller.angle(seen) || seen != model) return std::puts("LABEL NOT CONFIRMED: wrong angle"), 1;
    }
    std::puts("LABEL CONFIRMED");
    return 0;
}
