// Trainer internals: pinned staging pool, data loader, loss scaler, and a recorded training step.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace train {

#define CUDA_CHECK(expr)                                                              \
    do {                                                                              \
        cudaError_t status_ = (expr);                                                 \
        if (status_ != cudaSuccess)                                                   \
            throw std::runtime_error(std::string(#expr) + " " + cudaGetErrorString(status_)); \
    } while (0)

constexpr int kFeatures = 16;
constexpr int kBatch = 64;
constexpr size_t kStagingFloats = size_t(kBatch) * (kFeatures + 1);

// ------------------------------------------------------------------ pinned memory

class PinnedPool {
public:
    ~PinnedPool() {
        for (auto& entry : idle_) cudaFreeHost(entry.second);
    }
    void* acquire(size_t bytes) {
        auto it = idle_.find(bytes);
        if (it != idle_.end()) {
            void* p = it->second;
            idle_.erase(it);
            return p;
        }
        void* p = nullptr;
        CUDA_CHECK(cudaHostAlloc(&p, bytes, cudaHostAllocDefault));
        return p;
    }
    void release(void* p, size_t bytes) { idle_.emplace(bytes, p); }

private:
    std::multimap<size_t, void*> idle_;
};

class PinnedLease {
public:
    PinnedLease(PinnedPool& pool, size_t floats)
        : pool_(&pool), bytes_(floats * sizeof(float)), ptr_(static_cast<float*>(pool.acquire(bytes_))) {}
    PinnedLease(PinnedLease&& other) noexcept { swap(other); }
    PinnedLease& operator=(PinnedLease&& other) noexcept {
        PinnedLease tmp(std::move(other));
        swap(tmp);
        return *this;
    }
    ~PinnedLease() {
        if (ptr_) pool_->release(ptr_, bytes_);
    }
    float* get() const { return ptr_; }
    size_t bytes() const { return bytes_; }

private:
    void swap(PinnedLease& o) {
        std::swap(pool_, o.pool_);
        std::swap(bytes_, o.bytes_);
        std::swap(ptr_, o.ptr_);
    }
    PinnedPool* pool_ = nullptr;
    size_t bytes_ = 0;
    float* ptr_ = nullptr;
};

// ------------------------------------------------------------------ data

struct Dataset {
    std::vector<float> x, y;
    Dataset(int rows, float slope, unsigned seed) : x(size_t(rows) * kFeatures), y(rows) {
        std::mt19937 gen(seed);
        std::uniform_real_distribution<float> u(-1.f, 1.f);
        for (int r = 0; r < rows; ++r)
            for (int f = 0; f < kFeatures; ++f) {
                x[size_t(r) * kFeatures + f] = u(gen);
                y[r] += slope * float(f % 5 - 2) * x[size_t(r) * kFeatures + f] + 0.1f * slope;
            }
    }
    int rows() const { return int(y.size()); }
};

class DataLoader {
public:
    DataLoader(PinnedPool& pool, const Dataset& data) : pool_(pool), data_(data), staging_(pool, kStagingFloats) {}

    int batches() const { return data_.rows() / kBatch; }
    const PinnedLease& staging() const { return staging_; }
    int generation() const { return generation_; }

    // Rewinds to the first batch; worker state and staging belong to one pass over the data.
    void start_epoch(int epoch) {
        order_ = epoch;
        cursor_ = 0;
        if (epoch > 0) {
            staging_ = PinnedLease(pool_, kStagingFloats);  // HAZARD dangling #staging
            ++generation_;
        }
    }

    void next() {
        int b = (cursor_++ * 3 + order_) % batches();
        float* out = staging_.get();
        std::memcpy(out, &data_.x[size_t(b) * kBatch * kFeatures], sizeof(float) * kBatch * kFeatures);
        std::memcpy(out + kBatch * kFeatures, &data_.y[size_t(b) * kBatch], sizeof(float) * kBatch);
    }

private:
    PinnedPool& pool_;
    const Dataset& data_;
    PinnedLease staging_;
    int order_ = 0, cursor_ = 0, generation_ = 0;
};

// ------------------------------------------------------------------ model

struct ScalerState {
    float scale;
    int good_steps;
    int found_inf;
};

__global__ void forward_backward(const float* batch, const float* w, float* grad, const ScalerState* scaler) {
    int f = threadIdx.x;
    const float* y = batch + kBatch * kFeatures;
    float acc = 0.f;
    for (int r = 0; r < kBatch; ++r) {
        float pred = 0.f;
        for (int k = 0; k < kFeatures; ++k) pred += batch[r * kFeatures + k] * w[k];
        acc += (pred - y[r]) * batch[r * kFeatures + f];
    }
    grad[f] = acc / kBatch * scaler->scale;
}

__global__ void check_finite(const float* grad, ScalerState* scaler) {
    if (!isfinite(grad[threadIdx.x])) scaler->found_inf = 1;
}

__global__ void momentum_sgd(float* w, float* m, const float* grad, const ScalerState* scaler, float lr) {
    if (scaler->found_inf) return;
    int f = threadIdx.x;
    m[f] = 0.8f * m[f] + grad[f] / scaler->scale;
    w[f] -= lr * m[f];
}

__global__ void update_scale(ScalerState* s) {
    s->good_steps = s->found_inf ? 0 : s->good_steps + 1;
    if (s->found_inf) s->scale *= 0.5f;
    else if (s->good_steps % 4 == 0) s->scale *= 2.f;
    s->found_inf = 0;
}

__global__ void mean_abs_error(const float* batch, const float* w, float* out) {
    float pred = 0.f;
    for (int k = 0; k < kFeatures; ++k) pred += batch[threadIdx.x * kFeatures + k] * w[k];
    atomicAdd(out, fabsf(pred - batch[kBatch * kFeatures + threadIdx.x]) / kBatch);
}

class Trainer {
public:
    Trainer(PinnedPool& pool, DataLoader& loader) : pool_(pool), loader_(loader) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc(&batch_, kStagingFloats * sizeof(float)));
        CUDA_CHECK(cudaMalloc(&state_, sizeof(State)));
        State init{};
        init.scaler.scale = 256.f;
        CUDA_CHECK(cudaMemcpy(state_, &init, sizeof init, cudaMemcpyHostToDevice));
    }
    ~Trainer() {
        if (step_) cudaGraphExecDestroy(step_);
        cudaFree(batch_);
        cudaFree(state_);
        cudaStreamDestroy(stream_);
    }

    void step(float lr) {
        loader_.next();
        if (!step_) step_ = record(lr);
        CUDA_CHECK(cudaGraphLaunch(step_, stream_));
        CUDA_CHECK(cudaStreamSynchronize(stream_));
    }

    float evaluate(const Dataset& data) {
        DataLoader eval(pool_, data);
        eval.next();
        float mae = 0.f;
        CUDA_CHECK(cudaMemsetAsync(&state_->metric, 0, sizeof(float), stream_));
        CUDA_CHECK(cudaMemcpyAsync(batch_, eval.staging().get(), eval.staging().bytes(), cudaMemcpyHostToDevice, stream_));
        mean_abs_error<<<1, kBatch, 0, stream_>>>(batch_, state_->w, &state_->metric);
        CUDA_CHECK(cudaMemcpyAsync(&mae, &state_->metric, sizeof mae, cudaMemcpyDeviceToHost, stream_));
        CUDA_CHECK(cudaStreamSynchronize(stream_));
        return mae;
    }

    std::vector<float> weights() const {
        std::vector<float> w(kFeatures);
        CUDA_CHECK(cudaMemcpy(w.data(), state_->w, sizeof(float) * kFeatures, cudaMemcpyDeviceToHost));
        return w;
    }

private:
    struct State {
        float w[kFeatures], m[kFeatures], grad[kFeatures];
        ScalerState scaler;
        float metric;
    };

    void enqueue(float lr) {
        const PinnedLease& src = loader_.staging();
        CUDA_CHECK(cudaMemcpyAsync(batch_, src.get(), src.bytes(), cudaMemcpyHostToDevice, stream_));  // HAZARD dangling #staging
        forward_backward<<<1, kFeatures, 0, stream_>>>(batch_, state_->w, state_->grad, &state_->scaler);
        check_finite<<<1, kFeatures, 0, stream_>>>(state_->grad, &state_->scaler);
        momentum_sgd<<<1, kFeatures, 0, stream_>>>(state_->w, state_->m, state_->grad, &state_->scaler, lr);
        update_scale<<<1, 1, 0, stream_>>>(&state_->scaler);
    }

    cudaGraphExec_t record(float lr) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        enqueue(lr);
        CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
        return exec;
    }

    PinnedPool& pool_;
    DataLoader& loader_;
    cudaStream_t stream_ = nullptr;
    float* batch_ = nullptr;
    State* state_ = nullptr;
    cudaGraphExec_t step_ = nullptr;
};

}  // namespace train

struct HostModel {
    float w[train::kFeatures] = {}, m[train::kFeatures] = {};
    void step(const train::Dataset& d, int b, float lr) {
        float g[train::kFeatures] = {};
        for (int r = b * train::kBatch; r < (b + 1) * train::kBatch; ++r) {
            float pred = 0.f;
            for (int k = 0; k < train::kFeatures; ++k) pred += d.x[size_t(r) * train::kFeatures + k] * w[k];
            for (int k = 0; k < train::kFeatures; ++k) g[k] += (pred - d.y[r]) * d.x[size_t(r) * train::kFeatures + k];
        }
        for (int k = 0; k < train::kFeatures; ++k) {
            m[k] = 0.8f * m[k] + g[k] / train::kBatch;
            w[k] -= lr * m[k];
        }
    }
};

int main() {
    using namespace train;
    const float lr = 0.1f;
    bool ok[3] = {true, true, true};
    try {
        Dataset training(512, 1.f, 11), validation(64, -2.f, 12);
        PinnedPool pool;
        DataLoader loader(pool, training);
        Trainer trainer(pool, loader);
        HostModel reference;
        for (int epoch = 0; epoch < 3; ++epoch) {
            loader.start_epoch(epoch);
            for (int s = 0; s < loader.batches(); ++s) {
                trainer.step(lr);
                reference.step(training, (s * 3 + epoch) % loader.batches(), lr);
                auto w = trainer.weights();
                for (int k = 0; k < kFeatures; ++k) ok[epoch] = ok[epoch] && std::fabs(w[k] - reference.w[k]) < 1e-3f;
                if (s == 3) std::printf("epoch %d step %d val mae %.4f\n", epoch, s, trainer.evaluate(validation));
            }
        }
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
    std::printf("epochs %d %d %d\n", ok[0], ok[1], ok[2]);
    std::puts(ok[0] && !ok[1] && !ok[2] ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
