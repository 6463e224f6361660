// Transaction fraud scoring: a champion and a challenger model score every batch. Models are loaded by a background thread
// through IModelRepository; the scoring pipeline is recorded once by the service.
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fraud {

constexpr int kFeatures = 16;
constexpr int kBatch = 512;

inline void throw_on_error(cudaError_t code, const char* action) {
    if (code != cudaSuccess) throw std::runtime_error(std::string(action) + ": " + cudaGetErrorString(code));
}

struct DeviceModel {
    float* weights = nullptr;
    explicit DeviceModel(float* w) : weights(w) {}
    DeviceModel(const DeviceModel&) = delete;
    DeviceModel& operator=(const DeviceModel&) = delete;
    ~DeviceModel() { cudaFree(weights); }
};
using ModelPtr = std::shared_ptr<DeviceModel>;

class IModelSource {
public:
    virtual ~IModelSource() = default;
    virtual std::vector<float> read(const std::string& name) = 0;
};

class IModelRepository {
public:
    virtual ~IModelRepository() = default;
    virtual std::future<ModelPtr> loadAsync(const std::string& name) = 0;
};

// Stands for the model registry; parsing takes a while.
class RegistrySource final : public IModelSource {
public:
    std::vector<float> read(const std::string& name) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        std::vector<float> w(kFeatures);
        for (int f = 0; f < kFeatures; ++f) w[f] = 0.01f * float((f * 7 + static_cast<int>(name.size())) % 11) - 0.04f;
        return w;
    }
};

class BackgroundRepository final : public IModelRepository {
public:
    explicit BackgroundRepository(std::shared_ptr<IModelSource> source) : source_(std::move(source)) {}

    std::future<ModelPtr> loadAsync(const std::string& name) override {
        return std::async(std::launch::async, [source = source_, name] { return upload(source->read(name)); });
    }

private:
    static ModelPtr upload(const std::vector<float>& host) {
        float* weights = nullptr;
        cudaStream_t copy_stream = nullptr;
        throw_on_error(cudaMalloc(&weights, host.size() * sizeof(float)), "allocate model");  // HAZARD mode #loader
        auto model = std::make_shared<DeviceModel>(weights);
        throw_on_error(cudaStreamCreateWithFlags(&copy_stream, cudaStreamNonBlocking), "create copy stream");
        cudaError_t rc = cudaMemcpyAsync(weights, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice, copy_stream);
        if (rc == cudaSuccess) rc = cudaStreamSynchronize(copy_stream);
        cudaStreamDestroy(copy_stream);
        throw_on_error(rc, "upload model");
        return model;
    }
    std::shared_ptr<IModelSource> source_;
};

__global__ void score(const float* features, const float* weights, float* scores) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= kBatch) return;
    float z = 0.0f;
    for (int f = 0; f < kFeatures; ++f) z += features[row * kFeatures + f] * weights[f];
    scores[row] = z;
}

class ScoringService {
public:
    explicit ScoringService(std::shared_ptr<IModelRepository> repository) : repository_(std::move(repository)) {
        throw_on_error(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create stream");
        throw_on_error(cudaMalloc(&features_, kBatch * kFeatures * sizeof(float)), "allocate features");
        throw_on_error(cudaMalloc(&scores_, 2 * kBatch * sizeof(float)), "allocate scores");
    }
    ~ScoringService() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(features_);
        cudaFree(scores_);
        cudaStreamDestroy(stream_);
    }

    void start() {
        champion_ = repository_->loadAsync("champion").get();
        std::future<ModelPtr> pending = repository_->loadAsync("challenger-b");
        cudaGraph_t graph = nullptr;
        throw_on_error(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin capture");  // HAZARD mode #loader
        try {
            score<<<kBatch / 128, 128, 0, stream_>>>(features_, champion_->weights, scores_);
            challenger_ = pending.get();  // needed from here on
            score<<<kBatch / 128, 128, 0, stream_>>>(features_, challenger_->weights, scores_ + kBatch);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            throw;
        }
        throw_on_error(cudaStreamEndCapture(stream_, &graph), "end capture");
        const cudaError_t rc = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        throw_on_error(rc, "instantiate");
    }

    std::vector<float> scoreBatch(const std::vector<float>& features) {
        std::vector<float> scores(2 * kBatch);
        throw_on_error(cudaMemcpyAsync(features_, features.data(), features.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
        throw_on_error(cudaGraphLaunch(exec_, stream_), "launch");
        throw_on_error(cudaMemcpyAsync(scores.data(), scores_, scores.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
        throw_on_error(cudaStreamSynchronize(stream_), "synchronize");
        return scores;
    }

private:
    std::shared_ptr<IModelRepository> repository_;
    ModelPtr champion_, challenger_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* features_ = nullptr;
    float* scores_ = nullptr;
};

}  // namespace fraud

int main() {
    int wrong = 0;
    bool failed = false;
    try {
        auto source = std::make_shared<fraud::RegistrySource>();
        fraud::ScoringService service(std::make_shared<fraud::BackgroundRepository>(source));
        service.start();
        const std::vector<float> models[2] = {source->read("champion"), source->read("challenger-b")};
        std::vector<float> features(fraud::kBatch * fraud::kFeatures);
        for (int batch = 0; batch < 4; ++batch) {
            for (size_t i = 0; i < features.size(); ++i) features[i] = float((i * (batch + 5)) % 19) * 0.1f;
            const std::vector<float> scores = service.scoreBatch(features);
            for (int m = 0; m < 2; ++m)
                for (int row = 0; row < fraud::kBatch; ++row) {
                    float z = 0.0f;
                    for (int f = 0; f < fraud::kFeatures; ++f) z += features[row * fraud::kFeatures + f] * models[m][f];
                    if (std::fabs(z - scores[m * fraud::kBatch + row]) > 1e-4f) ++wrong;
                }
        }
    } catch (const std::exception& e) {
        std::printf("exception: %s\n", e.what());
        failed = true;
    }
    std::printf("wrong scores: %d\n", wrong);
    std::puts(wrong || failed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
