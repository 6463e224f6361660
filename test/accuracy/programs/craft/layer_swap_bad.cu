// Hot reload of one layer's weights in a small feed-forward model that runs from a captured graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static void ensure(cudaError_t e) {
    if (e != cudaSuccess) throw CudaError(cudaGetErrorString(e));
}

constexpr int kDim = 64;

__global__ void dense(const float* w, const float* x, float* y) {
    const int row = threadIdx.x;
    float acc = 0.f;
    for (int c = 0; c < kDim; ++c) acc += w[row * kDim + c] * x[c];
    y[row] = acc;
}

using Weights = std::vector<float>;

static Weights scaledIdentity(float s) {
    Weights w(kDim * kDim, 0.f);
    for (int i = 0; i < kDim; ++i) w[i * kDim + i] = s;
    return w;
}

class Layer {
public:
    Layer(const Weights& w, cudaStream_t stream) {
        ensure(cudaMalloc(&w_, w.size() * sizeof(float)));
        ensure(cudaMalloc(&y_, kDim * sizeof(float)));
        load(w, stream);
    }
    ~Layer() {
        cudaFree(y_);
        cudaFree(w_);
    }
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;

    void load(const Weights& w, cudaStream_t stream) {
        ensure(cudaMemcpyAsync(w_, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
        ensure(cudaStreamSynchronize(stream));
    }
    const float* enqueue(const float* x, cudaStream_t stream) const {
        dense<<<1, kDim, 0, stream>>>(w_, x, y_);  // HAZARD dangling #weights
        return y_;
    }

private:
    float* w_ = nullptr;
    float* y_ = nullptr;
};

class Model {
public:
    explicit Model(const std::vector<float>& scales) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ensure(cudaMalloc(&x_, kDim * sizeof(float)));
        for (float s : scales) layers_.push_back(std::make_unique<Layer>(scaledIdentity(s), stream_));
        record();
    }
    ~Model() {
        cudaGraphExecDestroy(exec_);
        layers_.clear();
        cudaFree(x_);
        cudaStreamDestroy(stream_);
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    void reload(size_t index, const Weights& w) {
        ensure(cudaStreamSynchronize(stream_));
        layers_.at(index) = std::make_unique<Layer>(w, stream_);  // HAZARD dangling #weights
        ++reloads_;
    }

    std::vector<float> infer(const std::vector<float>& x) {
        std::vector<float> y(kDim);
        ensure(cudaMemcpyAsync(x_, x.data(), kDim * sizeof(float), cudaMemcpyHostToDevice, stream_));
        ensure(cudaGraphLaunch(exec_, stream_));
        ensure(cudaMemcpyAsync(y.data(), result_, kDim * sizeof(float), cudaMemcpyDeviceToHost, stream_));
        ensure(cudaStreamSynchronize(stream_));
        return y;
    }

    int reloads() const { return reloads_; }
    cudaStream_t stream() const { return stream_; }

private:
    void record() {
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        const float* h = x_;
        for (const auto& layer : layers_) h = layer->enqueue(h, stream_);
        ensure(cudaStreamEndCapture(stream_, &graph));
        ensure(cudaGraphInstantiate(&exec_, graph, 0));
        ensure(cudaGraphDestroy(graph));
        result_ = h;
    }

    cudaStream_t stream_ = nullptr;
    float* x_ = nullptr;
    const float* result_ = nullptr;
    std::vector<std::unique_ptr<Layer>> layers_;
    cudaGraphExec_t exec_ = nullptr;
    int reloads_ = 0;
};

static bool allEqual(const std::vector<float>& v, float want) {
    for (float f : v)
        if (f != want) return false;
    return true;
}

int main() {
    bool ok = true;
    try {
        Model model({2.f, 3.f, 1.f});
        const std::vector<float> ones(kDim, 1.f);
        ok = ok && allEqual(model.infer(ones), 6.f);
        ok = ok && allEqual(model.infer(std::vector<float>(kDim, 2.f)), 12.f);

        for (int version = 0; version < 3; ++version) {
            const float s = 4.f + version;
            model.reload(1, scaledIdentity(s));
            // A second model of the same family comes up meanwhile.
            Layer neighbor(scaledIdentity(-1.f), model.stream());
            for (int i = 0; i < 2; ++i) ok = ok && allEqual(model.infer(ones), 2.f * s);
        }
        std::printf("%d reloads\n", model.reloads());
    } catch (const CudaError& e) {
        std::printf("cuda: %s\n", e.what());
        ok = false;
    }
    std::puts(!ok ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
