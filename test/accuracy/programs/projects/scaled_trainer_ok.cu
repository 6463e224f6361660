// scaled_trainer: linear regression trained with SGD, a learning-rate schedule and a gradient scaler that grows the
// loss scale after a number of good steps. One training iteration is a graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace train {

void must(cudaError_t e, const char* expr) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(expr) + ": " + cudaGetErrorString(e));
}
#define MUST(expr) ::train::must((expr), #expr)

constexpr int kFeatures = 32;
constexpr int kRows = 64;

struct Knobs {  // what the kernels read at each replay
    float lr;
    float scale;
    int good_steps;
};

// grad = scale * d/dw (1 / (2 rows)) |X w - y|^2; one thread for each weight
__global__ void backward(const float* X, const float* y, const float* w, float* grad, const Knobs* k) {
    const int j = threadIdx.x;
    float g = 0.0f;
    for (int r = 0; r < kRows; ++r) {
        float e = -y[r];
        for (int c = 0; c < kFeatures; ++c) e += X[r * kFeatures + c] * w[c];
        g += e * X[r * kFeatures + j];
    }
    grad[j] = k->scale * g / kRows;
}

__global__ void sgd_step(float* w, const float* grad, const Knobs* k) {
    const int j = threadIdx.x;
    w[j] -= k->lr * (grad[j] / k->scale);
}

__global__ void grow_scale(Knobs* k, int interval) {
    if (++k->good_steps % interval == 0) k->scale *= 2.0f;
}

class CosineSchedule {
public:
    CosineSchedule(float base, int total) : base_(base), total_(total) {}
    float at(int step) const { return 0.5f * base_ * (1.0f + std::cos(3.14159265f * step / total_)); }

private:
    float base_;
    int total_;
};

class GradScaler {
public:
    GradScaler(Knobs* device, cudaStream_t s, float initial, int interval) : knobs_(device), stream_(s), interval_(interval) {
        MUST(cudaMemcpyAsync(&knobs_->scale, &initial, sizeof initial, cudaMemcpyHostToDevice, stream_));
        MUST(cudaMemsetAsync(&knobs_->good_steps, 0, sizeof(int), stream_));
        MUST(cudaStreamSynchronize(stream_));
    }
    void update() {
        grow_scale<<<1, 1, 0, stream_>>>(knobs_, interval_);
        MUST(cudaGetLastError());
    }
    float scale() const {
        float value = 0.0f;
        MUST(cudaMemcpyAsync(&value, &knobs_->scale, sizeof value, cudaMemcpyDeviceToHost, stream_));
        MUST(cudaStreamSynchronize(stream_));
        return value;
    }

private:
    Knobs* knobs_;
    cudaStream_t stream_;
    int interval_;
};

class Sgd {
public:
    Sgd(float* w, float* grad, Knobs* device, cudaStream_t s) : w_(w), grad_(grad), knobs_(device), stream_(s) {}
    void set_lr(float lr) {  // called between replays, ordered before the next one by the stream
        MUST(cudaMemcpyAsync(&knobs_->lr, &lr, sizeof lr, cudaMemcpyHostToDevice, stream_));
    }
    void step() {
        sgd_step<<<1, kFeatures, 0, stream_>>>(w_, grad_, knobs_);
        MUST(cudaGetLastError());
    }

private:
    float* w_;
    float* grad_;
    Knobs* knobs_;
    cudaStream_t stream_;
};

class Iteration {  // graph of one iteration
public:
    template <typename Body>
    void record(cudaStream_t s, Body&& body) {
        cudaGraph_t g = nullptr;
        MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        try {
            body();
        } catch (...) {
            if (cudaStreamEndCapture(s, &g) == cudaSuccess) cudaGraphDestroy(g);
            throw;
        }
        MUST(cudaStreamEndCapture(s, &g));
        MUST(cudaGraphInstantiate(&exec_, g, 0));
        MUST(cudaGraphDestroy(g));
    }
    void replay(cudaStream_t s) { MUST(cudaGraphLaunch(exec_, s)); }
    ~Iteration() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }

private:
    cudaGraphExec_t exec_ = nullptr;
};

float* upload(const std::vector<float>& host, cudaStream_t s) {
    float* p = nullptr;
    MUST(cudaMalloc(&p, host.size() * sizeof(float)));
    MUST(cudaMemcpyAsync(p, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice, s));
    MUST(cudaStreamSynchronize(s));
    return p;
}

void reference_step(const std::vector<float>& X, const std::vector<float>& y, std::vector<float>& w, float lr) {
    std::vector<float> g(kFeatures, 0.0f);
    for (int r = 0; r < kRows; ++r) {
        float e = -y[r];
        for (int c = 0; c < kFeatures; ++c) e += X[r * kFeatures + c] * w[c];
        for (int j = 0; j < kFeatures; ++j) g[j] += e * X[r * kFeatures + j];
    }
    for (int j = 0; j < kFeatures; ++j) w[j] -= lr * (g[j] / kRows);
}

}  // namespace train

int main() {
    using namespace train;
    constexpr int kSteps = 40, kInterval = 8;
    bool failed = false, weights_right = false, scale_right = false;
    try {
        cudaStream_t s;
        MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        std::vector<float> X(kRows * kFeatures), y(kRows), w(kFeatures, 0.0f);
        for (size_t i = 0; i < X.size(); ++i) X[i] = float(int(i * 2654435761u >> 20) % 33 - 16) / 16.0f;
        for (int r = 0; r < kRows; ++r) y[r] = float(r % 9 - 4);
        float *dX = upload(X, s), *dy = upload(y, s), *dw = upload(w, s), *dgrad = upload(w, s);
        Knobs* knobs = nullptr;
        MUST(cudaMalloc(&knobs, sizeof *knobs));
        {
            CosineSchedule schedule(0.4f, kSteps);
            GradScaler scaler(knobs, s, 1024.0f, kInterval);
            Sgd optimizer(dw, dgrad, knobs, s);
            Iteration iteration;
            iteration.record(s, [&] {
                backward<<<1, kFeatures, 0, s>>>(dX, dy, dw, dgrad, knobs);
                MUST(cudaGetLastError());
                optimizer.step();
                scaler.update();
            });
            for (int step = 0; step < kSteps; ++step) {
                optimizer.set_lr(schedule.at(step));
                iteration.replay(s);
                reference_step(X, y, w, schedule.at(step));
            }
            std::vector<float> got(kFeatures);
            MUST(cudaMemcpyAsync(got.data(), dw, kFeatures * sizeof(float), cudaMemcpyDeviceToHost, s));
            MUST(cudaStreamSynchronize(s));
            float worst = 0.0f;
            for (int j = 0; j < kFeatures; ++j) worst = std::fmax(worst, std::fabs(got[j] - w[j]));
            weights_right = worst < 1e-3f;
            scale_right = scaler.scale() == 1024.0f * float(1 << (kSteps / kInterval));
            std::printf("largest weight deviation %g, loss scale %g\n", worst, scaler.scale());
        }
        for (float* p : {dX, dy, dw, dgrad}) MUST(cudaFree(p));
        MUST(cudaFree(knobs));
        MUST(cudaStreamDestroy(s));
    } catch (const std::exception& e) {
        std::printf("failed: %s\n", e.what());
        failed = true;
    }
    std::printf("%s\n", !failed && weights_right && scale_right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
