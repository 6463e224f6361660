// Two-layer elementwise network with dropout and gradient buckets which are
// averaged with a peer replica on a communication stream. The whole step is a
// CUDA graph.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

static void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
#define CHECK(x) check((x), #x)

constexpr int N = 512, TPB = 128, GRID = N / TPB;
constexpr float kKeep = 0.75f;

__host__ __device__ inline uint32_t mix(uint32_t a, uint32_t b) {
    uint32_t h = a * 0x9E3779B1u ^ (b + 0x85EBCA6Bu);
    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

// The deeper part of the model is represented by its duration.
__device__ void deep_layers(long long cycles) {
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {}
}

struct RngState { uint32_t seed, offset; };

__global__ void forward(const float* x, const float* w1, uint8_t* mask, float* h, const RngState* rng) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = mix(rng->seed + 977u * rng->offset, i) < kKeep * 4294967295.0f;
    mask[i] = keep;
    h[i] = keep ? x[i] * w1[i] / kKeep : 0.f;
}

__global__ void advance(RngState* rng) { rng->offset += 1; }

__global__ void loss_grad(const float* h, const float* w2, const float* target, float* d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = h[i] * w2[i] - target[i];
}

__global__ void backward2(const float* h, const float* d, float* g2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    deep_layers(6000000);
    g2[i] = h[i] * d[i];
}

__global__ void backward1(const float* x, const uint8_t* mask, const float* w2, const float* d, float* g1) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    deep_layers(6000000);
    g1[i] = mask[i] ? d[i] * w2[i] * x[i] / kKeep : 0.f;
}

__global__ void reduce_bucket(const float* local, const float* peer, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.5f * (local[i] + peer[i]);
}

__global__ void sgd(float* w, const float* g, float lr) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    w[i] -= lr * g[i];
}

template <class T>
class Buffer {
public:
    Buffer() { CHECK(cudaMalloc(&p_, N * sizeof(T))); CHECK(cudaMemset(p_, 0, N * sizeof(T))); }
    ~Buffer() { cudaFree(p_); }
    Buffer(const Buffer&) = delete;
    T* get() { return p_; }
    void put(const std::vector<T>& v) { CHECK(cudaMemcpy(p_, v.data(), N * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> fetch() const {
        std::vector<T> v(N);
        CHECK(cudaMemcpy(v.data(), p_, N * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
private:
    T* p_ = nullptr;
};

struct Bucket {
    Buffer<float> weight, local, peer, averaged;
    cudaEvent_t ready = nullptr;
};

class DataParallelTrainer {
public:
    explicit DataParallelTrainer(uint32_t seed) : host_rng_(seed) {
        CHECK(cudaStreamCreate(&main_));
        CHECK(cudaStreamCreate(&comm_));
        CHECK(cudaEventCreateWithFlags(&reduced_, cudaEventDisableTiming));
        for (int b = 0; b < 2; ++b) {
            CHECK(cudaEventCreateWithFlags(&buckets_[b].ready, cudaEventDisableTiming));
            std::vector<float> w(N), p(N);
            for (int i = 0; i < N; ++i) { w[i] = 0.5f + 0.001f * i; p[i] = 0.01f * (b + 1); }
            buckets_[b].weight.put(w);
            buckets_[b].peer.put(p);
        }
        RngState init{seed, 0};
        CHECK(cudaMalloc(&rng_, sizeof init));
        CHECK(cudaMemcpy(rng_, &init, sizeof init, cudaMemcpyHostToDevice));
    }
    ~DataParallelTrainer() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (auto& b : buckets_) cudaEventDestroy(b.ready);
        cudaEventDestroy(reduced_);
        cudaFree(rng_);
        cudaStreamDestroy(comm_);
        cudaStreamDestroy(main_);
    }

    void step() {
        next_batch();
        if (!exec_) record();
        CHECK(cudaGraphLaunch(exec_, main_));
        CHECK(cudaStreamSynchronize(main_));
    }
    std::vector<uint8_t> mask() const { return mask_.fetch(); }

    // Number of elements of the averaged buckets that do not match their inputs.
    int bucket_mismatches() const {
        int off = 0;
        for (auto& b : buckets_) {
            auto l = b.local.fetch(), p = b.peer.fetch(), a = b.averaged.fetch();
            for (int i = 0; i < N; ++i) off += std::fabs(a[i] - 0.5f * (l[i] + p[i])) > 1e-5f;
        }
        return off;
    }

private:
    void next_batch() {
        std::uniform_real_distribution<float> u(0.5f, 1.5f);
        std::vector<float> x(N), t(N);
        for (int i = 0; i < N; ++i) { x[i] = u(host_rng_); t[i] = 2.f * x[i] + 1.f; }
        x_.put(x);
        target_.put(t);
    }
    void run_backward(int b) {
        if (b == 0) backward2<<<GRID, TPB, 0, main_>>>(h_.get(), d_.get(), buckets_[0].local.get());
        else backward1<<<GRID, TPB, 0, main_>>>(x_.get(), mask_.get(), buckets_[0].weight.get(), d_.get(), buckets_[1].local.get());
    }
    void record() {
        cudaGraph_t graph = nullptr;
        CHECK(cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal));
        forward<<<GRID, TPB, 0, main_>>>(x_.get(), buckets_[1].weight.get(), mask_.get(), h_.get(), rng_);
        loss_grad<<<GRID, TPB, 0, main_>>>(h_.get(), buckets_[0].weight.get(), target_.get(), d_.get());
        for (int b = 0; b < 2; ++b) {
            run_backward(b);
            CHECK(cudaEventRecord(buckets_[b].ready, main_));
            CHECK(cudaStreamWaitEvent(comm_, buckets_[b].ready, 0));
            reduce_bucket<<<GRID, TPB, 0, comm_>>>(buckets_[b].local.get(), buckets_[b].peer.get(), buckets_[b].averaged.get());
        }
        // Runs beside the reductions; nothing after the forward pass uses the state.
        advance<<<1, 1, 0, main_>>>(rng_);
        CHECK(cudaEventRecord(reduced_, comm_));
        CHECK(cudaStreamWaitEvent(main_, reduced_, 0));
        for (auto& b : buckets_) sgd<<<GRID, TPB, 0, main_>>>(b.weight.get(), b.averaged.get(), lr_);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamEndCapture(main_, &graph));
        CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        CHECK(cudaGraphDestroy(graph));
    }

    std::mt19937 host_rng_;
    cudaStream_t main_ = nullptr, comm_ = nullptr;
    cudaEvent_t reduced_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::array<Bucket, 2> buckets_; // 0: output layer, 1: input layer
    Buffer<float> x_, target_, h_, d_;
    Buffer<uint8_t> mask_;
    RngState* rng_ = nullptr;
    const float lr_ = 0.05f;
};

int main() {
    try {
        DataParallelTrainer trainer(1234);
        std::vector<std::vector<uint8_t>> masks;
        int mismatches = 0;
        for (int s = 0; s < 4; ++s) {
            trainer.step();
            masks.push_back(trainer.mask());
            int m = trainer.bucket_mismatches();
            std::printf("step %d: %d bucket mismatches\n", s, m);
            mismatches += m;
        }
        int repeated = 0;
        for (size_t s = 1; s < masks.size(); ++s) repeated += masks[s] == masks[s - 1];
        std::printf("repeated masks: %d\n", repeated);
        std::puts(mismatches == 0 && repeated == 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        std::puts("LABEL WRONG");
        return 1;
    }
    return 0;
}
