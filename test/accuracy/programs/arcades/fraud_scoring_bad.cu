// Card fraud scoring. A model repository publishes new weight sets at run time; the scoring service
// evaluates transaction batches through a captured graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fraud {

void ensure(cudaError_t code, const char* action) {
    if (code != cudaSuccess) throw std::runtime_error(std::string(action) + ": " + cudaGetErrorString(code));
}

constexpr int kFeatures = 32;
constexpr int kBatch = 512;

// Device memory is reserved once at start-up and lent out in equal blocks.
class DeviceSlab {
public:
    DeviceSlab(size_t blockFloats, size_t blocks) : blockFloats_(blockFloats) {
        ensure(cudaMalloc(&base_, blockFloats * blocks * sizeof(float)), "reserve slab");
        for (size_t i = blocks; i > 0; --i) free_.push_back(base_ + (i - 1) * blockFloats);
    }
    ~DeviceSlab() { cudaFree(base_); }
    DeviceSlab(const DeviceSlab&) = delete;
    DeviceSlab& operator=(const DeviceSlab&) = delete;

    std::shared_ptr<float> acquire() {
        if (free_.empty()) throw std::runtime_error("slab exhausted");
        float* block = free_.back();
        free_.pop_back();
        return std::shared_ptr<float>(block, [this](float* p) { free_.push_back(p); });
    }
    size_t blockFloats() const { return blockFloats_; }

private:
    size_t blockFloats_;
    float* base_ = nullptr;
    std::vector<float*> free_;
};

__global__ void scoreTransactions(const float* features, const float* weights, float* scores, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float z = weights[kFeatures];
    for (int f = 0; f < kFeatures; ++f) z += weights[f] * features[i * kFeatures + f];
    scores[i] = 1.f / (1.f + expf(-z));
}

class Model {
public:
    Model(int version, std::shared_ptr<float> weights) : version_(version), weights_(std::move(weights)) {}
    int version() const { return version_; }
    const float* deviceWeights() const { return weights_.get(); }

private:
    int version_;
    std::shared_ptr<float> weights_;
};

class IModelRepository {
public:
    virtual ~IModelRepository() = default;
    virtual std::shared_ptr<const Model> active() const = 0;
};

class GpuModelRepository final : public IModelRepository {
public:
    GpuModelRepository(DeviceSlab& slab, cudaStream_t stream) : slab_(slab), stream_(stream) {}

    void publish(const std::vector<float>& weights) {
        std::shared_ptr<float> block = slab_.acquire();
        ensure(cudaMemcpyAsync(block.get(), weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice,
                               stream_), "upload model");
        ensure(cudaStreamSynchronize(stream_), "upload model");
        const int version = active_ ? active_->version() + 1 : 1;
        active_ = std::make_shared<Model>(version, std::move(block));  // HAZARD dangling #weights
    }
    std::shared_ptr<const Model> active() const override { return active_; }

private:
    DeviceSlab& slab_;
    cudaStream_t stream_;
    std::shared_ptr<const Model> active_;
};

// Merchant risk table, refreshed from the ledger from time to time.
class MerchantCache {
public:
    MerchantCache(DeviceSlab& slab, cudaStream_t stream) : slab_(slab), stream_(stream) {}
    void refresh(float level) {
        table_ = slab_.acquire();
        std::vector<float> risks(slab_.blockFloats(), level);
        ensure(cudaMemcpyAsync(table_.get(), risks.data(), risks.size() * sizeof(float), cudaMemcpyHostToDevice,
                               stream_), "refresh merchants");
        ensure(cudaStreamSynchronize(stream_), "refresh merchants");
    }

private:
    DeviceSlab& slab_;
    cudaStream_t stream_;
    std::shared_ptr<float> table_;
};

class ScoringService {
public:
    ScoringService(std::shared_ptr<IModelRepository> models, cudaStream_t stream)
        : models_(std::move(models)), stream_(stream) {
        ensure(cudaMalloc(&features_, kBatch * kFeatures * sizeof(float)), "features");
        ensure(cudaMalloc(&scores_, kBatch * sizeof(float)), "scores");
        ensure(cudaMallocHost(&inbox_, kBatch * kFeatures * sizeof(float)), "inbox");
        ensure(cudaMallocHost(&outbox_, kBatch * sizeof(float)), "outbox");
    }
    ~ScoringService() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(features_);
        cudaFree(scores_);
        cudaFreeHost(inbox_);
        cudaFreeHost(outbox_);
    }
    ScoringService(const ScoringService&) = delete;
    ScoringService& operator=(const ScoringService&) = delete;

    std::vector<float> score(const std::vector<float>& transactions) {
        std::copy(transactions.begin(), transactions.end(), inbox_);
        if (!exec_) buildPlan();
        ensure(cudaGraphLaunch(exec_, stream_), "launch");
        ensure(cudaStreamSynchronize(stream_), "score");
        return std::vector<float>(outbox_, outbox_ + kBatch);
    }

private:
    cudaError_t enqueue(const Model& model) {
        cudaError_t e = cudaMemcpyAsync(features_, inbox_, kBatch * kFeatures * sizeof(float), cudaMemcpyHostToDevice,
                                        stream_);
        if (e != cudaSuccess) return e;
        scoreTransactions<<<(kBatch + 127) / 128, 128, 0, stream_>>>(features_, model.deviceWeights(), scores_, kBatch);  // HAZARD dangling #weights
        if ((e = cudaGetLastError()) != cudaSuccess) return e;
        return cudaMemcpyAsync(outbox_, scores_, kBatch * sizeof(float), cudaMemcpyDeviceToHost, stream_);
    }

    void buildPlan() {
        const std::shared_ptr<const Model> model = models_->active();
        if (!model) throw std::runtime_error("no model published");
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
        const cudaError_t queued = enqueue(*model);
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        ensure(queued, "capture body");
        ensure(ended, "end capture");
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        ensure(made, "instantiate");
    }

    std::shared_ptr<IModelRepository> models_;
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
    float* features_ = nullptr;
    float* scores_ = nullptr;
    float* inbox_ = nullptr;
    float* outbox_ = nullptr;
};

std::vector<float> trainedWeights(int version) {
    std::vector<float> w(kFeatures + 1);
    for (int f = 0; f <= kFeatures; ++f) w[f] = 0.05f * ((f * 7 + version * 5) % 11 - 5);
    return w;
}

std::vector<float> transactionBatch(int seq) {
    std::vector<float> t(kBatch * kFeatures);
    for (size_t i = 0; i < t.size(); ++i) t[i] = 0.1f * ((i * 13 + seq * 17) % 21) - 1.f;
    return t;
}

int countDeviations(const std::vector<float>& t, const std::vector<float>& w, const std::vector<float>& scores) {
    int off = 0;
    for (int i = 0; i < kBatch; ++i) {
        float z = w[kFeatures];
        for (int f = 0; f < kFeatures; ++f) z += w[f] * t[i * kFeatures + f];
        if (!(std::fabs(scores[i] - 1.f / (1.f + std::exp(-z))) < 1e-4f)) ++off;
    }
    return off;
}

bool runScenario(cudaStream_t stream) {
    DeviceSlab slab(64, 8);
    auto repository = std::make_shared<GpuModelRepository>(slab, stream);
    MerchantCache merchants(slab, stream);
    ScoringService service(repository, stream);
    int deviations[3] = {0, 0, 0};
    for (int version = 1; version <= 3; ++version) {
        repository->publish(trainedWeights(version));
        merchants.refresh(0.9f * version);
        for (int b = 0; b < 3; ++b) {
            const std::vector<float> batch = transactionBatch(version * 10 + b);
            deviations[version - 1] += countDeviations(batch, trainedWeights(version), service.score(batch));
        }
        std::printf("model %d: %d scores off\n", version, deviations[version - 1]);
    }
    return deviations[0] == 0 && deviations[1] > 0 && deviations[2] > 0;
}

}  // namespace fraud

int main() {
    bool confirmed = false;
    try {
        cudaStream_t stream = nullptr;
        fraud::ensure(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        confirmed = fraud::runScenario(stream);
        fraud::ensure(cudaStreamDestroy(stream), "stream");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return 0;
}
