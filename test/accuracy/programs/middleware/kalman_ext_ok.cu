#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace kx {

struct Storage {
    explicit Storage(int n) : size(n) { rc = cudaMalloc(&ptr, n * sizeof(float)); }
    ~Storage() { if (ptr) cudaFree(ptr); }
    Storage(const Storage&) = delete;
    float* ptr = nullptr;
    int size = 0;
    cudaError_t rc = cudaSuccess;
};

class Tensor {
public:
    Tensor() = default;
    static Tensor empty(int n) {
        Tensor t;
        t.s_ = std::make_shared<Storage>(n);
        return t;
    }
    static Tensor of(const std::vector<float>& v) {
        Tensor t = empty(static_cast<int>(v.size()));
        cudaMemcpy(t.data(), v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
        cudaDeviceSynchronize();
        return t;
    }
    float* data() const { return s_->ptr; }
    int numel() const { return s_->size; }
    float at(int i) const {
        float v = 0;
        cudaMemcpy(&v, data() + i, sizeof(float), cudaMemcpyDeviceToHost);
        return v;
    }

private:
    std::shared_ptr<Storage> s_;
};

}  // namespace kx

__global__ void propagate(float* x, const float* v, float* scratch, float dt, int n) {
    int i = threadIdx.x;
    if (i < n) {
        scratch[i] = v[i] * dt;
        x[i] += scratch[i];
    }
}
__global__ void residual(float* r, const float* z, const float* x, int n) {
    int i = threadIdx.x;
    if (i < n) r[i] = z[i] - x[i];
}

struct ProcessScratch {
    ProcessScratch() { rc = cudaMalloc(&ptr, 64 * sizeof(float)); }
    float* ptr = nullptr;
    cudaError_t rc;
};
static ProcessScratch& process_scratch() {
    static ProcessScratch s;
    return s;
}

struct Outcome {
    cudaError_t begin = cudaSuccess, end = cudaSuccess;
    cudaGraphExec_t exec = nullptr;
};

class Tracker {
public:
    Tracker() : x_(kx::Tensor::of({1, 1, 1, 1})), v_(kx::Tensor::of({2, 2, 2, 2})), z_(kx::Tensor::of({5, 5, 5, 5})),
                h_(kx::Tensor::of({2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2})), y_(kx::Tensor::of({0, 0, 0, 0})) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        r_ = kx::Tensor::empty(4);
        workspace_ = kx::Tensor::empty(8 << 20);
        blas_status = cublasCreate(&blas_);
        cublasSetStream(blas_, stream);
        cublasSetWorkspace(blas_, workspace_.data(), (8u << 20) * sizeof(float));
        project();
        predict(0.0f);
        cudaStreamSynchronize(stream);
    }
    ~Tracker() {
        for (auto& o : compiled_)
            if (o.exec) cudaGraphExecDestroy(o.exec);
        cublasDestroy(blas_);
        cudaStreamDestroy(stream);
    }

    template <class F> const Outcome& compile(F&& fn) {
        Outcome o;
        cudaGraph_t graph = nullptr;
        o.begin = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        fn(*this);
        o.end = cudaStreamEndCapture(stream, &graph);
        if (o.end == cudaSuccess) o.end = cudaGraphInstantiate(&o.exec, graph, 0);
        if (graph) cudaGraphDestroy(graph);
        cudaGetLastError();
        compiled_.push_back(o);
        return compiled_.back();
    }

    void predict(float dt) {
        float* tmp = process_scratch().ptr;
        propagate<<<1, 32, 0, stream>>>(x_.data(), v_.data(), tmp, dt, x_.numel());
    }
    void innovate() {
        residual<<<1, 32, 0, stream>>>(r_.data(), z_.data(), x_.data(), x_.numel());
    }
    void project() {
        const float one = 1.0f, zero = 0.0f;
        cublasSgemv(blas_, CUBLAS_OP_N, 4, 4, &one, h_.data(), 4, x_.data(), 1, &zero, y_.data(), 1);
    }
    void step(int times) {
        for (int t = 0; t < times; ++t)
            for (auto& o : compiled_)
                if (o.exec) cudaGraphLaunch(o.exec, stream);
        cudaStreamSynchronize(stream);
    }
    float predicted() const { return x_.at(1); }
    float innovation() const { return r_.at(1); }
    float projected() const { return y_.at(3); }

    cudaStream_t stream = nullptr;
    cublasStatus_t blas_status = CUBLAS_STATUS_SUCCESS;

private:
    kx::Tensor x_, v_, z_, h_, y_, r_;
    kx::Tensor workspace_;
    cublasHandle_t blas_ = nullptr;
    std::vector<Outcome> compiled_;
};

int main() {
    Tracker tracker;
    Outcome predict = tracker.compile([](Tracker& t) { t.predict(0.5f); });
    Outcome innovate = tracker.compile([](Tracker& t) { t.innovate(); });
    Outcome project = tracker.compile([](Tracker& t) { t.project(); });
    tracker.step(3);
    bool ok = predict.end == cudaSuccess && innovate.end == cudaSuccess && project.end == cudaSuccess &&
              tracker.blas_status == CUBLAS_STATUS_SUCCESS && tracker.predicted() == 4.0f &&
              tracker.innovation() == 1.0f && std::fabs(tracker.projected() - 8.0f) < 1e-4f;
    std::printf(ok ? "LABEL CONFIRMED\n" : "LABEL REFUTED %d %d %d blas=%d\n", predict.end, innovate.end, project.end,
                (int)tracker.blas_status);
    return 0;
}
