// Card fraud scoring. Models live in a registry and are republished while sessions keep serving.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fraud {

struct CudaFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void verify(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw CudaFailure(std::string(what) + ": " + cudaGetErrorString(rc));
}

class DeviceBuffer {
public:
    explicit DeviceBuffer(std::size_t floats) : floats_(floats) { verify(cudaMalloc(&ptr_, floats * sizeof(float)), "alloc"); }
    ~DeviceBuffer() { (void)cudaFree(ptr_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    float* get() const { return ptr_; }
    std::size_t size() const { return floats_; }
    void upload(const std::vector<float>& host, cudaStream_t stream) {
        verify(cudaMemcpyAsync(ptr_, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice, stream), "upload");
        verify(cudaStreamSynchronize(stream), "upload");
    }

private:
    float* ptr_ = nullptr;
    std::size_t floats_;
};

class Model {
public:
    Model(const std::vector<float>& weights, cudaStream_t stream) : weights_(weights.size()) { weights_.upload(weights, stream); }
    const float* weights() const { return weights_.get(); }
    int features() const { return static_cast<int>(weights_.size()); }

private:
    DeviceBuffer weights_;
};
using ModelPtr = std::shared_ptr<const Model>;

class ModelRegistry {
public:
    void publish(const std::string& id, ModelPtr model) {
        std::unique_lock<std::shared_mutex> lock(mutex_);
        models_[id] = std::move(model);
    }
    ModelPtr find(const std::string& id) const {
        std::shared_lock<std::shared_mutex> lock(mutex_);
        auto it = models_.find(id);
        if (it == models_.end()) throw std::out_of_range("no model " + id);
        return it->second;
    }

private:
    mutable std::shared_mutex mutex_;
    std::map<std::string, ModelPtr> models_;
};

__global__ void scoreCards(const float* features, const float* weights, float* scores, int cards, int width) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cards) return;
    float z = 0.0f;
    for (int k = 0; k < width; ++k) z += features[c * width + k] * weights[k];
    scores[c] = z;
}

struct Plan {
    explicit Plan(ModelPtr m) : model(std::move(m)) {}
    ~Plan() {
        if (exec) (void)cudaGraphExecDestroy(exec);
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    const ModelPtr model;
    cudaGraphExec_t exec = nullptr;
};

class PlanBuilder {
public:
    explicit PlanBuilder(cudaStream_t stream) : stream_(stream) {}
    PlanBuilder& step(std::function<void(cudaStream_t)> fn) {
        steps_.push_back(std::move(fn));
        return *this;
    }
    std::unique_ptr<Plan> build(std::unique_ptr<Plan> plan) const {
        cudaGraph_t graph = nullptr;
        verify(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        try {
            for (const auto& fn : steps_) fn(stream_);
        } catch (...) {
            (void)cudaStreamEndCapture(stream_, &graph);
            if (graph) (void)cudaGraphDestroy(graph);
            throw;
        }
        verify(cudaStreamEndCapture(stream_, &graph), "end capture");
        const cudaError_t rc = cudaGraphInstantiate(&plan->exec, graph, 0);
        (void)cudaGraphDestroy(graph);
        verify(rc, "instantiate");
        return plan;
    }

private:
    cudaStream_t stream_;
    std::vector<std::function<void(cudaStream_t)>> steps_;
};

class ScoringSession {
public:
    ScoringSession(std::shared_ptr<ModelRegistry> registry, std::string modelId, int cards, int width, cudaStream_t stream)
        : registry_(std::move(registry)), modelId_(std::move(modelId)), cards_(cards), stream_(stream),
          features_(cards * width), scores_(cards) {}

    std::vector<float> score(const std::vector<float>& batch) {
        const ModelPtr model = registry_->find(modelId_);
        if (!plan_ || plan_->model != model) plan_ = makePlan(model);
        verify(cudaMemcpyAsync(features_.get(), batch.data(), batch.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "h2d");
        verify(cudaGraphLaunch(plan_->exec, stream_), "launch");
        std::vector<float> out(cards_);
        verify(cudaMemcpyAsync(out.data(), scores_.get(), out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_), "d2h");
        verify(cudaStreamSynchronize(stream_), "score");
        return out;
    }

private:
    std::unique_ptr<Plan> makePlan(const ModelPtr& model) {
        auto plan = std::make_unique<Plan>(model);
        PlanBuilder builder(stream_);
        builder.step([this, model](cudaStream_t s) {
            const int blocks = (cards_ + 63) / 64;
            scoreCards<<<blocks, 64, 0, s>>>(features_.get(), model->weights(), scores_.get(), cards_, model->features());
            verify(cudaGetLastError(), "scoreCards");
        });
        return builder.build(std::move(plan));
    }

    std::shared_ptr<ModelRegistry> registry_;
    const std::string modelId_;
    const int cards_;
    cudaStream_t stream_;
    DeviceBuffer features_, scores_;
    std::unique_ptr<Plan> plan_;
};

}  // namespace fraud

int main() {
    using namespace fraud;
    const int cards = 128, width = 16;
    cudaStream_t stream = nullptr;
    bool warm = false, fresh = false;
    try {
        verify(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        auto registry = std::make_shared<ModelRegistry>();
        registry->publish("cards-eu", std::make_shared<Model>(std::vector<float>(width, 0.5f), stream));
        ScoringSession session(registry, "cards-eu", cards, width, stream);
        const std::vector<float> batch(cards * width, 1.0f);
        warm = session.score(batch)[5] == 8.0f && session.score(batch)[99] == 8.0f;
        registry->publish("cards-eu", std::make_shared<Model>(std::vector<float>(width, 2.0f), stream));
        const float a = session.score(batch)[5], b = session.score(batch)[99];
        fresh = a == 32.0f && b == 32.0f;
        std::printf("after publish: %f %f, expected 32\n", a, b);
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
    }
    if (stream) (void)cudaStreamDestroy(stream);
    std::puts(warm && fresh ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
