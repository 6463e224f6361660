// Serves requests of small models in batches. The forward pass of a model is captured at its first batch.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace serving {

inline void throwOnError(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(rc));
}

constexpr int kWidth = 64;
constexpr int kMaxBatch = 16;

__global__ void embedRows(const float* tokens, float* hidden, float scale) {
    const int at = blockIdx.x * kWidth + threadIdx.x;
    hidden[at] = tokens[at] * scale;
}

__global__ void scoreRows(const float* hidden, float* scores) {
    __shared__ float partial[kWidth];
    partial[threadIdx.x] = hidden[blockIdx.x * kWidth + threadIdx.x];
    __syncthreads();
    for (int step = kWidth / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) scores[blockIdx.x] = partial[0];
}

struct Request {
    int id;
    std::vector<float> tokens;
};

struct Model {
    std::string name;
    float scale;
};

class BatchRunner {
public:
    BatchRunner() {
        throwOnError(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        throwOnError(cudaMalloc(&tokens_, kMaxBatch * kWidth * sizeof(float)), "tokens");
        throwOnError(cudaMalloc(&hidden_, kMaxBatch * kWidth * sizeof(float)), "hidden");
        throwOnError(cudaMalloc(&scores_, kMaxBatch * sizeof(float)), "scores");
        throwOnError(cudaMemset(scores_, 0, kMaxBatch * sizeof(float)), "scores");
        throwOnError(cudaMemset(tokens_, 0, kMaxBatch * kWidth * sizeof(float)), "tokens");
        throwOnError(cudaDeviceSynchronize(), "setup");
    }
    ~BatchRunner() {
        for (auto& entry : graphs_) cudaGraphExecDestroy(entry.second);
        for (float* p : {tokens_, hidden_, scores_}) cudaFree(p);
        cudaStreamDestroy(stream_);
    }

    std::vector<float> infer(const Model& model, const std::vector<Request>& batch) {
        const int rows = int(batch.size());
        std::vector<float> packed(std::size_t(rows) * kWidth);
        for (int r = 0; r < rows; ++r) std::copy(batch[r].tokens.begin(), batch[r].tokens.end(), &packed[r * kWidth]);
        throwOnError(cudaMemcpyAsync(tokens_, packed.data(), packed.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
        throwOnError(cudaGraphLaunch(graphFor(model, rows), stream_), "launch");
        std::vector<float> scores(rows);
        throwOnError(cudaMemcpyAsync(scores.data(), scores_, rows * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
        throwOnError(cudaStreamSynchronize(stream_), "wait");
        return scores;
    }

private:
    cudaGraphExec_t graphFor(const Model& model, int rows) {
        int bucket = 1;
        while (bucket < rows) bucket *= 2;
        const auto key = std::make_pair(model.name, bucket);
        const auto found = graphs_.find(key);
        if (found != graphs_.end()) return found->second;

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        throwOnError(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        embedRows<<<bucket, kWidth, 0, stream_>>>(tokens_, hidden_, model.scale);
        scoreRows<<<bucket, kWidth, 0, stream_>>>(hidden_, scores_);
        throwOnError(cudaStreamEndCapture(stream_, &graph), "end");
        throwOnError(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        cudaGraphDestroy(graph);
        graphs_.emplace(key, exec);
        return exec;
    }

    cudaStream_t stream_ = nullptr;
    float* tokens_ = nullptr;
    float* hidden_ = nullptr;
    float* scores_ = nullptr;
    std::map<std::pair<std::string, int>, cudaGraphExec_t> graphs_;
};

}  // namespace serving

static std::vector<serving::Request> makeBatch(int size, int seed) {
    std::vector<serving::Request> batch;
    for (int r = 0; r < size; ++r) {
        serving::Request request{seed * 100 + r, std::vector<float>(serving::kWidth)};
        for (int c = 0; c < serving::kWidth; ++c) request.tokens[c] = 0.01f * float((seed + 3 * r + c) % 50 + 1);
        batch.push_back(std::move(request));
    }
    return batch;
}

int main() {
    try {
        serving::BatchRunner runner;
        const serving::Model models[] = {{"intent", 2.0f}, {"toxicity", 0.5f}};
        int rightRows = 0, wrongRows = 0, seed = 1;
        for (int size : {3, 3, 7, 12, 2}) {
            for (const auto& model : models) {
                const auto batch = makeBatch(size, ++seed);
                const auto scores = runner.infer(model, batch);
                for (int r = 0; r < size; ++r) {
                    float expected = 0.0f;
                    for (float t : batch[r].tokens) expected += t * model.scale;
                    (std::fabs(expected - scores[r]) < 1e-2f ? rightRows : wrongRows)++;
                }
            }
        }
        std::printf("right rows %d, wrong rows %d\n", rightRows, wrongRows);
        if (wrongRows == 0 && rightRows == 54) {
            std::puts("LABEL CONFIRMED");
            return 0;
        }
        std::puts("LABEL NOT CONFIRMED: some rows are wrong");
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
