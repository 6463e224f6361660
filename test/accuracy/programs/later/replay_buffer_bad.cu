// Training: returns of episodes are discounted with the help of a workspace. The workspace belongs to the trainer and
// is sized by the configuration of the run.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

struct TrainConfig {
    int episodes = 8;
    int horizon = 64;
    float discount = 0.5f;
};

class Workspace {
public:
    explicit Workspace(std::size_t bytes) { reserve(bytes); }
    ~Workspace() { cudaFree(data_); }

    // Returns memory of at least this size.
    cudaError_t take(std::size_t bytes, cudaStream_t, float** out) {
        const cudaError_t rc = bytes > capacity_ ? reserve(bytes) : cudaSuccess;
        *out = data_;
        return rc;
    }
    cudaError_t give(float*, cudaStream_t) { return cudaSuccess; }

private:
    cudaError_t reserve(std::size_t bytes) {
        float* larger = nullptr;
        const cudaError_t rc = cudaMalloc(&larger, bytes);  // HAZARD memory #grow
        if (rc != cudaSuccess) return rc;
        cudaFree(data_);  // HAZARD memory #grow
        data_ = larger;
        capacity_ = bytes;
        return cudaSuccess;
    }
    float* data_ = nullptr;
    std::size_t capacity_ = 0;
};

// Weights of the steps of an episode, from the discount.
__global__ void weigh(const float* discount, float* weights) { weights[threadIdx.x] = powf(*discount, float(threadIdx.x)); }

__global__ void accumulate(const float* rewards, const float* weights, float* returns, int horizon) {
    float sum = 0.0f;
    for (int t = 0; t < horizon; ++t) sum += weights[t] * rewards[threadIdx.x * horizon + t];
    returns[threadIdx.x] = sum;
}

class Trainer {
public:
    Trainer(const TrainConfig& config, std::shared_ptr<Workspace> workspace) : config_(config), workspace_(std::move(workspace)) {}

    cudaError_t init() {
        if (auto rc = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)) return rc;
        if (auto rc = cudaMalloc(&rewards_, config_.episodes * config_.horizon * sizeof(float))) return rc;
        if (auto rc = cudaMalloc(&returns_, config_.episodes * sizeof(float))) return rc;
        if (auto rc = cudaMalloc(&discount_, sizeof(float))) return rc;
        return cudaMemcpy(discount_, &config_.discount, sizeof(float), cudaMemcpyHostToDevice);
    }

    // Records the evaluation; returns the first error.
    cudaError_t freeze() {
        cudaGraph_t graph = nullptr;
        if (auto rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal)) return rc;
        const cudaError_t first = evaluate();
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        if (first != cudaSuccess) return first;
        if (ended != cudaSuccess) return ended;
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        return made;
    }

    cudaError_t run(const std::vector<float>& rewards, std::vector<float>& returns) {
        returns.resize(config_.episodes);
        if (auto rc = cudaMemcpyAsync(rewards_, rewards.data(), rewards.size() * sizeof(float), cudaMemcpyHostToDevice, stream_)) return rc;
        if (auto rc = cudaGraphLaunch(exec_, stream_)) return rc;
        if (auto rc = cudaMemcpyAsync(returns.data(), returns_, returns.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_)) return rc;
        return cudaStreamSynchronize(stream_);
    }

private:
    cudaError_t evaluate() {
        float* weights = nullptr;
        if (auto rc = workspace_->take(config_.horizon * sizeof(float), stream_, &weights)) return rc;
        weigh<<<1, config_.horizon, 0, stream_>>>(discount_, weights);
        accumulate<<<1, config_.episodes, 0, stream_>>>(rewards_, weights, returns_, config_.horizon);
        return workspace_->give(weights, stream_);
    }

    const TrainConfig config_;
    std::shared_ptr<Workspace> workspace_;
    cudaStream_t stream_ = nullptr;
    float* rewards_ = nullptr;
    float* returns_ = nullptr;
    float* discount_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    const TrainConfig config;
    auto workspace = std::make_shared<Workspace>(32 * sizeof(float));  // enough for the short episodes of the tests
    Trainer trainer(config, workspace);
    cudaError_t rc = trainer.init();
    if (rc != cudaSuccess) return std::printf("LABEL NOT CONFIRMED: init: %s\n", cudaGetErrorName(rc)), 1;
    rc = trainer.freeze();
    std::printf("frozen: %s\n", cudaGetErrorName(rc));
    if (rc != cudaErrorStreamCaptureUnsupported) return std::puts("LABEL NOT CONFIRMED: another status"), 1;
    std::puts("LABEL CONFIRMED");
    return 0;
}
