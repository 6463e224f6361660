#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int kHidden = 64;

struct RunnerError : std::runtime_error { using std::runtime_error::runtime_error; };

static void cu(cudaError_t e, const char *where) {
    if (e != cudaSuccess) throw RunnerError(std::string(where) + ": " + cudaGetErrorName(e));
}

struct Adapter {
    std::string name;
    float *down = nullptr;
    Adapter(std::string n, float diag) : name(std::move(n)) {
        std::vector<float> w(kHidden * kHidden, 0.0f);
        for (int i = 0; i < kHidden; ++i) w[i * kHidden + i] = diag;
        cu(cudaMalloc(&down, w.size() * sizeof(float)), "adapter");
        cu(cudaMemcpy(down, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice), "adapter");
        cu(cudaDeviceSynchronize(), "adapter");
    }
    ~Adapter() { cudaFree(down); }
    Adapter(const Adapter &) = delete;
};

__global__ void base_layer(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

class LoraRunner {
public:
    LoraRunner() {
        cu(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        cu(cudaMalloc(&x_, kHidden * sizeof(float)), "x");
        cu(cudaMalloc(&y_, kHidden * sizeof(float)), "y");
        std::vector<float> ones(kHidden, 1.0f);
        cu(cudaMemcpy(x_, ones.data(), kHidden * sizeof(float), cudaMemcpyHostToDevice), "x");
        cu(cudaDeviceSynchronize(), "x");
    }
    ~LoraRunner() {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (blas_) cublasDestroy(blas_);
    }

    void add(const std::string &name, float diag) { adapters_[name] = std::make_unique<Adapter>(name, diag); }

    void select(const std::string &name) {
        active_ = adapters_.at(name).get();
    }

    void warmup() {
        forward();
        cu(cudaStreamSynchronize(stream_), "warmup");
    }

    cudaError_t capture() {
        cudaGraph_t g = nullptr;
        cu(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
        const bool ok = forward();
        cudaError_t e = cudaStreamEndCapture(stream_, &g);
        if (!ok || e != cudaSuccess) {
            if (g) cudaGraphDestroy(g);
            (void)cudaGetLastError();
            return e != cudaSuccess ? e : cudaErrorUnknown;
        }
        e = cudaGraphInstantiate(&exec_, g, 0);
        cudaGraphDestroy(g);
        return e;
    }

    float infer() {
        float v = 0.0f;
        cu(cudaGraphLaunch(exec_, stream_), "launch");
        cu(cudaMemcpyAsync(&v, y_ + 11, sizeof v, cudaMemcpyDeviceToHost, stream_), "read");
        cu(cudaStreamSynchronize(stream_), "infer");
        return v;
    }

private:
    cublasHandle_t blas() {
        if (!blas_) {
            if (cublasCreate(&blas_) != CUBLAS_STATUS_SUCCESS) blas_ = nullptr; // HAZARD library_handle
            else cublasSetStream(blas_, stream_);
        }
        return blas_;
    }

    bool forward() {
        base_layer<<<1, kHidden, 0, stream_>>>(x_, y_, kHidden);
        cublasHandle_t h = blas();
        if (!h) return false;
        const float alpha = scale_, beta = 1.0f;
        return cublasSgemv(h, CUBLAS_OP_N, kHidden, kHidden, &alpha, active_->down, kHidden, x_, 1, &beta, y_, 1) == CUBLAS_STATUS_SUCCESS; // HAZARD frozen
    }

    const float scale_ = 2.0f;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *x_ = nullptr;
    float *y_ = nullptr;
    std::map<std::string, std::unique_ptr<Adapter>> adapters_;
    Adapter *active_ = nullptr;
};

int main() {
    try {
        LoraRunner runner;
        runner.add("chat", 1.0f);
        runner.add("code", 5.0f);
        runner.select("chat");
        const cudaError_t first = runner.capture();
        if (first != cudaSuccess) {
            runner.warmup();
            const cudaError_t second = runner.capture();
            if (second != cudaSuccess) throw RunnerError(std::string("recapture: ") + cudaGetErrorName(second));
        }
        const float chat = runner.infer();
        runner.select("code");
        const float code = runner.infer();
        runner.select("chat");
        const float again = runner.infer();
        const bool hit = first != cudaSuccess && chat == 3.0f && code == 3.0f && again == 3.0f;
        if (hit) std::printf("LABEL CONFIRMED\n");
        else std::printf("LABEL REFUTED first %s chat %g code %g again %g\n", cudaGetErrorName(first), chat, code, again);
    } catch (const std::exception &e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
