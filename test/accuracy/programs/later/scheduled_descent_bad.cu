// Research code: descends along a fixed direction field with a step size that a schedule object decays. The
// vector updates are done by cuBLAS and replayed as a graph, once per epoch.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define CHECK(expr)                                                                             \
    do {                                                                                        \
        if (const int rc_ = int(expr); rc_ != 0) {                                              \
            std::printf("LABEL NOT CONFIRMED: line %d, %s gave %d\n", __LINE__, #expr, rc_);    \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (0)

using Schedule = std::function<float(int epoch)>;

static Schedule halvingEvery(int period, float first) {
    return [=](int epoch) { return first / float(1 << (epoch / period)); };
}

struct Options {
    int dimension = 512;
    float momentum = 0.5f;  // fixed for a run
    Schedule rate = halvingEvery(2, 0.5f);
};

class Descent {
public:
    explicit Descent(Options options) : options_(std::move(options)), rate_(options_.rate(0)) {
        const std::size_t bytes = options_.dimension * sizeof(float);
        CHECK(cudaStreamCreate(&stream_));
        CHECK(cublasCreate(&blas_));
        CHECK(cublasSetStream(blas_, stream_));
        CHECK(cudaMalloc(&workspace_, kWorkspace));
        CHECK(cublasSetWorkspace(blas_, workspace_, kWorkspace));
        CHECK(cudaMalloc(&gradient_, bytes));
        CHECK(cudaMalloc(&velocity_, bytes));
        CHECK(cudaMalloc(&position_, bytes));
        const std::vector<float> ones(options_.dimension, 1.0f);
        CHECK(cudaMemcpy(gradient_, ones.data(), bytes, cudaMemcpyHostToDevice));
    }

    void reset() {
        CHECK(cudaMemset(velocity_, 0, options_.dimension * sizeof(float)));
        CHECK(cudaMemset(position_, 0, options_.dimension * sizeof(float)));
        CHECK(cudaDeviceSynchronize());
    }

    void prepare() {
        update();  // cuBLAS initializes itself at its first calls
        CHECK(cudaStreamSynchronize(stream_));
        cudaGraph_t graph;
        CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        update();
        CHECK(cudaStreamEndCapture(stream_, &graph));
        CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        CHECK(cudaGraphDestroy(graph));
        reset();
    }

    void epoch(int number) {
        rate_ = options_.rate(number);
        CHECK(cudaGraphLaunch(exec_, stream_));
    }

    float first() {
        float value = 0.0f;
        CHECK(cudaMemcpyAsync(&value, position_, sizeof value, cudaMemcpyDeviceToHost, stream_));
        CHECK(cudaStreamSynchronize(stream_));
        return value;
    }

private:
    void update() {
        const int n = options_.dimension;
        CHECK(cublasSscal(blas_, n, &options_.momentum, velocity_, 1));
        CHECK(cublasSaxpy(blas_, n, &rate_, gradient_, 1, velocity_, 1));  // HAZARD frozen
        const float one = 1.0f;
        CHECK(cublasSaxpy(blas_, n, &one, velocity_, 1, position_, 1));
    }

    static constexpr std::size_t kWorkspace = 4u << 20;
    Options options_;
    float rate_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    void* workspace_ = nullptr;
    float* gradient_ = nullptr;
    float* velocity_ = nullptr;
    float* position_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

static float reference(const Schedule& rate, float momentum, int epochs) {
    float velocity = 0.0f, position = 0.0f;
    for (int e = 0; e < epochs; ++e) {
        velocity = momentum * velocity + rate(e);
        position += velocity;
    }
    return position;
}

int main() {
    const Options options;
    Descent descent(options);
    descent.prepare();
    constexpr int kEpochs = 6;
    for (int e = 0; e < kEpochs; ++e) descent.epoch(e);
    const float reached = descent.first();
    const float scheduled = reference(options.rate, options.momentum, kEpochs);
    const float constant = reference([](int) { return 0.5f; }, options.momentum, kEpochs);
    std::printf("reached %f, scheduled %f, constant rate %f\n", reached, scheduled, constant);
    if (std::fabs(reached - constant) < 1e-4f && std::fabs(reached - scheduled) > 0.1f) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::puts("LABEL NOT CONFIRMED: unexpected position");
    return 1;
}
