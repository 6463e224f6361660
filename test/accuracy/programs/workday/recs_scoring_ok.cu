// Recommender serving: user embeddings live in an LRU cache on the device; a scoring plan per hot user multiplies
// the item matrix with that user's embedding through cuBLAS and is replayed for each request.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace recs {

template <class Status>
void verify(Status status, const char* what)
{
    if (static_cast<int>(status) == 0) return;
    std::printf("LABEL NOT CONFIRMED: %s returned %d\n", what, static_cast<int>(status));
    std::exit(1);
}
#define VERIFY(call) ::recs::verify((call), #call)

constexpr int kDim = 32;
constexpr int kItems = 128;
using UserId = int;

class SlotArena {
public:
    explicit SlotArena(int slots)
    {
        VERIFY(cudaMalloc(&base_, slots * kDim * sizeof(float)));
        for (int s = slots - 1; s >= 0; --s) free_.push_back(base_ + s * kDim);
    }
    ~SlotArena() { VERIFY(cudaFree(base_)); }
    float* take()
    {
        float* slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give(float* slot) { free_.push_back(slot); }

private:
    float* base_ = nullptr;
    std::vector<float*> free_;
};

class Embedding {
public:
    Embedding(SlotArena& arena, UserId user) : arena_(arena), slot_(arena.take())
    {
        const std::vector<float> values(kDim, static_cast<float>(user));
        VERIFY(cudaMemcpy(slot_, values.data(), kDim * sizeof(float), cudaMemcpyHostToDevice));
        VERIFY(cudaDeviceSynchronize());
    }
    ~Embedding() { arena_.give(slot_); }
    Embedding(const Embedding&) = delete;
    Embedding& operator=(const Embedding&) = delete;
    const float* data() const { return slot_; }

private:
    SlotArena& arena_;
    float* slot_;
};

class EmbeddingCache {
public:
    EmbeddingCache(SlotArena& arena, std::size_t capacity) : arena_(arena), capacity_(capacity) {}

    std::shared_ptr<const Embedding> lookup(UserId user)
    {
        if (auto hit = index_.find(user); hit != index_.end()) {
            order_.splice(order_.begin(), order_, hit->second);
            return hit->second->second;
        }
        if (order_.size() == capacity_) {
            index_.erase(order_.back().first);
            order_.pop_back();
        }
        order_.emplace_front(user, std::make_shared<const Embedding>(arena_, user));
        index_[user] = order_.begin();
        return order_.front().second;
    }

private:
    using Entry = std::pair<UserId, std::shared_ptr<const Embedding>>;
    SlotArena& arena_;
    std::size_t capacity_;
    std::list<Entry> order_;
    std::unordered_map<UserId, std::list<Entry>::iterator> index_;
};

struct Options {
    float scale = 1.0f;
};

class Scorer {
public:
    Scorer(EmbeddingCache& cache, Options& options) : cache_(cache), options_(options)
    {
        VERIFY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        VERIFY(cublasCreate(&blas_));
        VERIFY(cublasSetStream(blas_, stream_));
        VERIFY(cudaMalloc(&workspace_, kWorkspace));
        VERIFY(cublasSetWorkspace(blas_, workspace_, kWorkspace));
        VERIFY(cudaMalloc(&items_, kItems * kDim * sizeof(float)));
        VERIFY(cudaMalloc(&scores_, kItems * sizeof(float)));
        VERIFY(cudaMalloc(&scale_, sizeof(float)));
        const std::vector<float> ones(kItems * kDim, 1.0f);
        VERIFY(cudaMemcpy(items_, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
        enqueue(items_); // warm-up of the library
        VERIFY(cudaDeviceSynchronize());
    }
    ~Scorer()
    {
        VERIFY(cudaStreamSynchronize(stream_));
        for (auto& [user, plan] : plans_) VERIFY(cudaGraphExecDestroy(plan.exec));
        VERIFY(cublasDestroy(blas_));
        VERIFY(cudaFree(workspace_));
        VERIFY(cudaFree(items_));
        VERIFY(cudaFree(scores_));
        VERIFY(cudaFree(scale_));
        VERIFY(cudaStreamDestroy(stream_));
    }

    float score(UserId user, int item)
    {
        auto plan = plans_.find(user);
        if (plan == plans_.end()) plan = plans_.emplace(user, makePlan(user)).first;
        VERIFY(cudaMemcpyAsync(scale_, &options_.scale, sizeof(float), cudaMemcpyHostToDevice, stream_));
        VERIFY(cudaGraphLaunch(plan->second.exec, stream_));
        float value = 0.0f;
        VERIFY(cudaMemcpyAsync(&value, scores_ + item, sizeof value, cudaMemcpyDeviceToHost, stream_));
        VERIFY(cudaStreamSynchronize(stream_));
        return value;
    }

private:
    struct Plan {
        cudaGraphExec_t exec = nullptr;
        std::shared_ptr<const Embedding> embedding; // the graph reads it
    };
    static constexpr std::size_t kWorkspace = 4 << 20;

    void enqueue(const float* user)
    {
        const float one = 1.0f, zero = 0.0f;
        VERIFY(cublasSgemv(blas_, CUBLAS_OP_T, kDim, kItems, &one, items_, kDim, user, 1, &zero, scores_, 1));
        VERIFY(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_DEVICE));
        VERIFY(cublasSscal(blas_, kItems, scale_, scores_, 1));
        VERIFY(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_HOST));
    }

    Plan makePlan(UserId user)
    {
        Plan plan;
        cudaGraph_t graph = nullptr;
        plan.embedding = cache_.lookup(user);
        VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        enqueue(plan.embedding->data());
        VERIFY(cudaStreamEndCapture(stream_, &graph));
        VERIFY(cudaGraphInstantiate(&plan.exec, graph, 0));
        VERIFY(cudaGraphDestroy(graph));
        return plan;
    }

    EmbeddingCache& cache_;
    Options& options_;
    cudaStream_t stream_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    void* workspace_ = nullptr;
    float* items_ = nullptr;
    float* scores_ = nullptr;
    float* scale_ = nullptr; // device copy of the option, refreshed for each request
    std::unordered_map<UserId, Plan> plans_;
};

} // namespace recs

int main()
{
    recs::SlotArena arena(4);
    recs::EmbeddingCache cache(arena, 2);
    recs::Options options;
    recs::Scorer scorer(cache, options);
    const auto close = [](float a, float b) { return std::fabs(a - b) < 1e-2f; };

    const float before = scorer.score(7, 5);
    cache.lookup(8);
    cache.lookup(9); // two other users browse
    const float after = scorer.score(7, 5);
    options.scale = 0.5f;
    const float scaled = scorer.score(7, 5);
    if (close(before, 7 * recs::kDim) && close(after, 7 * recs::kDim) && close(scaled, 3.5f * recs::kDim)) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: scores %g, %g, %g\n", before, after, scaled);
    return 1;
}
