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
    // Returns memory of at least this size.
    cudaError_t take(std::size_t bytes, cudaStream_t stream, float** out) {
        return cudaMallocAsync(reinterpret_cast<void**>(out), bytes, stream);
    }
    cudaError_t give(float* memory, cudaStream_t stream) { return cudaFreeAsync(memory, stream); }
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
    auto workspace = std::make_shared<Workspace>();
    Trainer trainer(config, workspace);
    cudaError_t rc = trainer.init();
    if (rc != cudaSuccess) return std::printf("LABEL NOT CONFIRMED: init: %s\n", cudaGetErrorName(rc)), 1;
    rc = trainer.freeze();
    std::printf("frozen: %s\n", cudaGetErrorName(rc));
    if (rc != cudaSuccess) return std::puts("LABEL NOT CONFIRMED: not frozen"), 1;
    std::vector<float> returns;
    for (float reward = 1.0f; reward < 5.0f; reward += 1.0f) {
        rc = trainer.run(std::vector<float>(config.episodes * config.horizon, reward), returns);
        if (rc != cudaSuccess) return std::printf("LABEL NOT CONFIRMED: %s\n", cudaGetErrorName(rc)), 1;
        if (std::fabs(returns.back() - 2.0f * reward) > 1e-4f) return std::puts("LABEL NOT CONFIRMED: wrong return"), 1;
    }
    std::puts("LABEL CONFIRMED");
    return 0;
}
