// Weight prefetcher for a layered model: copy stream, loader thread for adapters, captured forward pass.
#include <cuda_runtime.h>
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

struct Layer {
    float* weights = nullptr;
    cudaEvent_t ready = nullptr;
};

__global__ void dense(const float* w, float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * w[i] + 1.0f;
}

struct LoaderReport {
    cudaError_t alloc = cudaErrorUnknown;
    cudaError_t fill = cudaErrorUnknown;
    float* adapter = nullptr;
};

class Model {
public:
    static constexpr int kDim = 512;
    static constexpr int kLayers = 3;

    Model() {
        cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&copy_, cudaStreamNonBlocking);
        cudaMalloc(&x_, kDim * sizeof(float));
        for (auto& l : layers_) {
            cudaMalloc(&l.weights, kDim * sizeof(float));
            cudaEventCreateWithFlags(&l.ready, cudaEventDisableTiming);
        }
        cudaMallocHost(&stage_, kLayers * kDim * sizeof(float));
    }
    ~Model() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (auto& l : layers_) {
            cudaFree(l.weights);
            cudaEventDestroy(l.ready);
        }
        cudaFree(x_);
        cudaFreeHost(stage_);
        cudaStreamDestroy(copy_);
        cudaStreamDestroy(compute_);
    }

    void prefetch(float base) {
        for (int l = 0; l < kLayers; ++l) {
            float* host = stage_ + l * kDim;
            for (int i = 0; i < kDim; ++i) host[i] = base + l;
            cudaMemcpyAsync(layers_[l].weights, host, kDim * sizeof(float), cudaMemcpyHostToDevice, copy_);
            cudaEventRecord(layers_[l].ready, copy_);
        }
    }

    // adapters arrive while the forward pass is being recorded
    static void loadAdapter(std::atomic<int>& stage, LoaderReport& report) {
        while (stage.load() == 0) std::this_thread::yield();
        float* adapter = nullptr;
        report.alloc = cudaMalloc(&adapter, 1 << 16);
        if (report.alloc == cudaSuccess) {
            cudaStream_t own;
            report.fill = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
            if (report.fill == cudaSuccess) report.fill = cudaMemsetAsync(adapter, 0, 1 << 16, own);
            if (report.fill == cudaSuccess) report.fill = cudaStreamSynchronize(own);
            cudaStreamDestroy(own);
        }
        report.adapter = adapter;
        stage.store(2);
    }

    cudaError_t record(LoaderReport& report) {
        std::atomic<int> stage{0};
        std::thread loader(&Model::loadAdapter, std::ref(stage), std::ref(report));
        for (auto& layer : layers_) cudaStreamWaitEvent(compute_, layer.ready, 0);
        cudaError_t first = cudaStreamBeginCapture(compute_, cudaStreamCaptureModeThreadLocal);
        stage.store(1);
        while (stage.load() != 2) std::this_thread::yield();
        for (auto& layer : layers_) {
            dense<<<kDim / 128, 128, 0, compute_>>>(layer.weights, x_, kDim);
        }
        cudaGraph_t graph = nullptr;
        cudaError_t ended = cudaStreamEndCapture(compute_, &graph);
        loader.join();
        if (first == cudaSuccess) first = ended;
        if (first != cudaSuccess) {
            if (graph) cudaGraphDestroy(graph);
            return first;
        }
        first = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        return first;
    }

    cudaError_t forward(float in, float& out) {
        std::vector<float> x(kDim, in);
        if (!exec_) return cudaErrorNotReady;
        for (auto& layer : layers_) cudaStreamWaitEvent(compute_, layer.ready, 0);
        cudaError_t e = cudaMemcpyAsync(x_, x.data(), kDim * sizeof(float), cudaMemcpyHostToDevice, compute_);
        if (e == cudaSuccess) e = cudaGraphLaunch(exec_, compute_);
        if (e == cudaSuccess) e = cudaMemcpyAsync(x.data(), x_, kDim * sizeof(float), cudaMemcpyDeviceToHost, compute_);
        if (e == cudaSuccess) e = cudaStreamSynchronize(compute_);
        out = x.back();
        return e;
    }

private:
    std::array<Layer, kLayers> layers_{};
    cudaStream_t compute_ = nullptr, copy_ = nullptr;
    float* x_ = nullptr;
    float* stage_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static float expected(float in, float base) {
    for (int l = 0; l < Model::kLayers; ++l) in = in * (base + l) + 1.0f;
    return in;
}

int main() {
    Model model;
    LoaderReport report;
    model.prefetch(1.0f);
    cudaError_t recorded = model.record(report);
    float a = 0.0f, b = 0.0f;
    cudaError_t f1 = model.forward(2.0f, a);
    bool loader = report.alloc == cudaSuccess && report.fill == cudaSuccess;
    model.prefetch(2.0f);
    cudaError_t f2 = model.forward(3.0f, b);
    bool confirmed = loader && recorded == cudaSuccess && f1 == cudaSuccess && f2 == cudaSuccess &&
                     a == expected(2.0f, 1.0f) && b == expected(3.0f, 2.0f);
    std::printf("%s: record=%s forward=%s,%s loader=%s values %g %g (%g %g)\n",
                confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", cudaGetErrorName(recorded), cudaGetErrorName(f1),
                cudaGetErrorName(f2), cudaGetErrorName(report.alloc), a, b, expected(2.0f, 1.0f), expected(3.0f, 2.0f));
    cudaFree(report.adapter);
    return 0;
}
