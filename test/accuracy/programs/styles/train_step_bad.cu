#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t status_ = (call);                                                      \
        if (status_ != cudaSuccess) throw StepError(status_, std::string(#call));          \
    } while (0)

struct StepError : std::runtime_error {
    StepError(cudaError_t c, const std::string &w) : std::runtime_error(w + " " + cudaGetErrorName(c)), code(c) {}
    cudaError_t code;
};

constexpr int kParams = 256;

struct AdamConfig {
    float lr = 1.0f;
    float beta1 = 0.5f;
    bool overlap_loader = true;
};

__global__ void load_batch(float *batch, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) batch[i] = v;
}
__global__ void backward(const float *batch, float *grad, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) grad[i] = batch[i];
}
__global__ void grad_norm(const float *grad, float *norm, int n) {
    float s = 0.0f;
    for (int i = 0; i < n; ++i) s += grad[i] * grad[i];
    *norm = sqrtf(s);
}
__global__ void adam(float *w, const float *grad, const float *lr, float correction, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] -= *lr * grad[i] / correction;
}

class Trainer {
public:
    explicit Trainer(AdamConfig cfg) : cfg_(cfg) {
        for (cudaStream_t *s : {&compute_, &loader_, &aux_}) CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
        for (cudaEvent_t *e : {&batch_ready_, &grad_ready_, &norm_done_}) CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
        CHECK(cudaMalloc(&arena_, (3 * kParams + 2) * sizeof(float)));
        CHECK(cudaMemset(arena_, 0, (3 * kParams + 2) * sizeof(float)));
        w_ = arena_;
        grad_ = w_ + kParams;
        batch_ = grad_ + kParams;
        norm_ = batch_ + kParams;
        lr_dev_ = norm_ + 1;
        CHECK(cudaDeviceSynchronize());
        set_lr(cfg_.lr);
    }

    void set_lr(float lr) {
        cfg_.lr = lr;
        CHECK(cudaMemcpyAsync(lr_dev_, &cfg_.lr, sizeof(float), cudaMemcpyHostToDevice, compute_));
    }
    void set_overlap(bool on) { cfg_.overlap_loader = on; }

    void prefetch(float v) {
        load_batch<<<1, kParams, 0, loader_>>>(batch_, v, kParams);
        CHECK(cudaEventRecord(batch_ready_, loader_));
    }

    void capture() {
        cudaGraph_t g = nullptr;
        CHECK(cudaStreamBeginCapture(compute_, cudaStreamCaptureModeGlobal));
        try {
            record_step();
        } catch (...) {
            if (cudaStreamEndCapture(compute_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
            throw;
        }
        CHECK(cudaStreamEndCapture(compute_, &g));
        CHECK(cudaGraphInstantiate(&exec_, g, 0));
        CHECK(cudaGraphDestroy(g));
    }

    void step() {
        if (!cfg_.overlap_loader) CHECK(cudaStreamWaitEvent(compute_, batch_ready_, 0));
        CHECK(cudaGraphLaunch(exec_, compute_));
    }

    float weight(int i) {
        float v = 0.0f;
        CHECK(cudaStreamSynchronize(compute_));
        CHECK(cudaMemcpy(&v, w_ + i, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }

private:
    void record_step() {
        if (cfg_.overlap_loader) CHECK(cudaStreamWaitEvent(compute_, batch_ready_, 0)); // HAZARD stream_dependency
        backward<<<1, kParams, 0, compute_>>>(batch_, grad_, kParams);
        CHECK(cudaEventRecord(grad_ready_, compute_));
        CHECK(cudaStreamWaitEvent(aux_, grad_ready_, 0));
        grad_norm<<<1, 1, 0, aux_>>>(grad_, norm_, kParams);
        CHECK(cudaEventRecord(norm_done_, aux_));
        ++step_; // HAZARD host_logic #bias
        const float correction = 1.0f - std::pow(cfg_.beta1, float(step_)); // HAZARD host_logic #bias
        adam<<<1, kParams, 0, compute_>>>(w_, grad_, lr_dev_, correction, kParams); // HAZARD host_logic #bias
        CHECK(cudaStreamWaitEvent(compute_, norm_done_, 0));
    }

    AdamConfig cfg_;
    cudaStream_t compute_ = nullptr, loader_ = nullptr, aux_ = nullptr;
    cudaEvent_t batch_ready_ = nullptr, grad_ready_ = nullptr, norm_done_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *arena_ = nullptr, *w_, *grad_, *batch_, *norm_, *lr_dev_;
    int step_ = 0;
};

int main() {
    cudaError_t refused = cudaSuccess;
    float w = 0.0f;
    try {
        Trainer t(AdamConfig{});
        t.prefetch(1.0f);
        try {
            t.capture();
        } catch (const StepError &e) {
            refused = e.code;
            (void)cudaGetLastError();
            t.set_overlap(false);
            t.capture();
        }
        t.step();
        t.step();
        t.set_lr(0.5f);
        t.step();
        w = t.weight(17);
    } catch (const std::exception &e) {
        std::printf("LABEL REFUTED %s\n", e.what());
        return 0;
    }
    if (refused == cudaErrorStreamCaptureIsolation && std::fabs(w + 5.0f) < 1e-4f) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED %s w %g\n", cudaGetErrorName(refused), w);
    return 0;
}
