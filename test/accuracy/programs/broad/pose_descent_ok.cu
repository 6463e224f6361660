// Pose graph relaxation for SLAM: gradient steps with a trust region that shrinks or grows between iterations.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace slam {

void verify(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}
void verify(cublasStatus_t s) {
    if (s != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cublas status " + std::to_string(int(s)));
}

__global__ void residualGradient(const float* x, const float* target, float* g, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) g[i] = x[i] - target[i];
}

struct Problem {
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    int n = 0;
    float *x = nullptr, *target = nullptr, *grad = nullptr, *devStep = nullptr;
    float step = -1.0f;
};

using Stage = void (*)(Problem&);

void gradientStage(Problem& p) {
    residualGradient<<<(p.n + 127) / 128, 128, 0, p.stream>>>(p.x, p.target, p.grad, p.n);
    verify(cudaGetLastError());
}
void updateStage(Problem& p) {
    verify(cublasSaxpy(p.blas, p.n, p.devStep, p.grad, 1, p.x, 1));
}

constexpr Stage kIteration[] = {&gradientStage, &updateStage};

class Optimizer {
public:
    explicit Optimizer(const std::vector<float>& target) {
        p_.n = int(target.size());
        verify(cudaStreamCreateWithFlags(&p_.stream, cudaStreamNonBlocking));
        verify(cublasCreate(&p_.blas));
        verify(cublasSetStream(p_.blas, p_.stream));
        verify(cublasSetPointerMode(p_.blas, CUBLAS_POINTER_MODE_DEVICE));
        const std::size_t bytes = target.size() * sizeof(float);
        for (float** buffer : {&p_.x, &p_.target, &p_.grad}) verify(cudaMalloc(buffer, bytes));
        verify(cudaMalloc(&p_.devStep, sizeof(float)));
        verify(cudaMemcpyAsync(p_.target, target.data(), bytes, cudaMemcpyHostToDevice, p_.stream));
        trust(0.5f);
        restart();
        for (Stage stage : kIteration) stage(p_);
        restart();
        capture();
    }
    Optimizer(const Optimizer&) = delete;
    ~Optimizer() {
        cudaStreamSynchronize(p_.stream);
        if (exec_) cudaGraphExecDestroy(exec_);
        for (float* buffer : {p_.x, p_.target, p_.grad, p_.devStep}) cudaFree(buffer);
        cublasDestroy(p_.blas);
        cudaStreamDestroy(p_.stream);
    }

    void trust(float radius) {
        p_.step = -radius;
        verify(cudaMemcpyAsync(p_.devStep, &p_.step, sizeof p_.step, cudaMemcpyHostToDevice, p_.stream));
    }

    void iterate() {
        verify(cudaGraphLaunch(exec_, p_.stream));
        verify(cudaStreamSynchronize(p_.stream));
    }

    float firstPose() const {
        float v = 0.0f;
        verify(cudaMemcpy(&v, p_.x, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }

private:
    void restart() {
        verify(cudaMemsetAsync(p_.x, 0, p_.n * sizeof(float), p_.stream));
        verify(cudaStreamSynchronize(p_.stream));
    }

    void capture() {
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(p_.stream, cudaStreamCaptureModeGlobal));
        std::string failure;
        try {
            for (Stage stage : kIteration) stage(p_);
        } catch (const std::exception& e) {
            failure = e.what();
        }
        const cudaError_t ended = cudaStreamEndCapture(p_.stream, &graph);
        if (!failure.empty()) {
            if (graph) cudaGraphDestroy(graph);
            throw std::runtime_error(failure);
        }
        verify(ended);
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        verify(made);
    }

    Problem p_;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace slam

int main() {
    try {
        slam::Optimizer optimizer(std::vector<float>(600, 8.0f));
        float expected = 0.0f, frozen = 0.0f, worst = 0.0f, worstFrozen = 0.0f;
        for (float radius : {0.5f, 0.25f, 1.0f / 16, 0.75f}) {
            optimizer.trust(radius);
            optimizer.iterate();
            expected += radius * (8.0f - expected);
            frozen += 0.5f * (8.0f - frozen);
            worst = std::fmax(worst, std::fabs(optimizer.firstPose() - expected));
            worstFrozen = std::fmax(worstFrozen, std::fabs(optimizer.firstPose() - frozen));
        }
        std::printf("deviation %g, from a fixed step %g\n", worst, worstFrozen);
        std::puts(worst < 1e-4f ? "LABEL CONFIRMED" : "LABEL REFUTED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
    }
    return 0;
}
