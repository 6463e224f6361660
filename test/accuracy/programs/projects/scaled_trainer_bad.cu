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

// grad = scale * d/dw (1 / (2 rows)) |X w - y|^2; one thread for each weight
__global__ void backward(const float* X, const float* y, const float* w, float* grad, float scale) {
    const int j = threadIdx.x;
    float g = 0.0f;
    for (int r = 0; r < kRows; ++r) {
        float e = -y[r];
        for (int c = 0; c < kFeatures; ++c) e += X[r * kFeatures + c] * w[c];
        g += e * X[r * kFeatures + j];
    }
    grad[j] = scale * g / kRows;
}

__global__ void sgd_step(float* w, const float* grad, float lr, float scale) {
    const int j = threadIdx.x;
    w[j] -= lr * (grad[j] / scale);
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
    GradScaler(float initial, int interval) : scale_(initial), interval_(interval) {}
    void update() {
        if (++good_steps_ % interval_ == 0) scale_ *= 2.0f;  // HAZARD host_logic #grow
    }
    float scale() const { return scale_; }

private:
    float scale_;
    int interval_;
    int good_steps_ = 0;
};

class Sgd {
public:
    Sgd(float* w, float* grad, float lr, cudaStream_t s) : w_(w), grad_(grad), lr_(lr), stream_(s) {}
    void set_lr(float lr) { lr_ = lr; }
    void step(const GradScaler& scaler) {
        sgd_step<<<1, kFeatures, 0, stream_>>>(w_, grad_, lr_, scaler.scale());  // HAZARD frozen
        MUST(cudaGetLastError());
    }

private:
    float* w_;
    float* grad_;
    float lr_;
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
        {
            CosineSchedule schedule(0.4f, kSteps);
            GradScaler scaler(1024.0f, kInterval);
            Sgd optimizer(dw, dgrad, schedule.at(0), s);
            Iteration iteration;
            iteration.record(s, [&] {
                backward<<<1, kFeatures, 0, s>>>(dX, dy, dw, dgrad, scaler.scale());
                MUST(cudaGetLastError());
                optimizer.step(scaler);
                scaler.update();  // HAZARD host_logic #grow
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
        MUST(cudaStreamDestroy(s));
    } catch (const std::exception& e) {
        std::printf("failed: %s\n", e.what());
        failed = true;
    }
    std::printf("%s\n", failed || !weights_right || !scale_right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
