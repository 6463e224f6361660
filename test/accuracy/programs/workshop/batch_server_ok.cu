// Scoring server: requests are queued, batched by sequence length, and each batch is run through a graph
// taken from a cache, so that the launch overhead of the small kernels disappears.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <deque>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace serve {

inline void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kMaxBatch = 16, kMaxSeq = 64;

__global__ void embed(const int* tokens, float* hidden, int batch, int seq) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < batch * seq) hidden[i] = 0.25f * static_cast<float>(tokens[i] % 97);
}

__global__ void pool(const float* hidden, float* score, int seq) {
    float acc = 0.0f;
    for (int t = 0; t < seq; ++t) acc += hidden[blockIdx.x * seq + t];
    score[blockIdx.x] = acc;
}

struct Request {
    std::vector<int> tokens;
    std::promise<float> score;
};

class Engine {
public:
    Engine() {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        check(cudaMalloc(&hidden_, sizeof(float) * kMaxBatch * kMaxSeq), "hidden");
        check(cudaMalloc(&score_, sizeof(float) * kMaxBatch), "score");
        reserveInput(4 * kMaxSeq);
    }
    ~Engine() {
        cudaStreamSynchronize(stream_);
        clearCache();
        cudaFree(tokens_);
        cudaFree(score_);
        cudaFree(hidden_);
        cudaStreamDestroy(stream_);
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    std::vector<float> forward(const std::vector<int>& tokens, int batch, int seq) {
        reserveInput(tokens.size());
        check(cudaMemcpyAsync(tokens_, tokens.data(), tokens.size() * sizeof(int), cudaMemcpyHostToDevice, stream_), "H2D");
        check(cudaGraphLaunch(graphFor(batch, seq), stream_), "launch");
        std::vector<float> out(batch);
        check(cudaMemcpyAsync(out.data(), score_, batch * sizeof(float), cudaMemcpyDeviceToHost, stream_), "D2H");
        check(cudaStreamSynchronize(stream_), "sync");
        return out;
    }

private:
    // The token buffer starts small and grows with the largest batch seen.
    void reserveInput(size_t count) {
        if (count <= tokenCapacity_) return;
        int* bigger = nullptr;
        check(cudaMalloc(&bigger, count * sizeof(int)), "grow tokens");
        if (tokens_) {
            check(cudaStreamSynchronize(stream_), "drain");
            clearCache();  // every cached graph reads the old buffer
            check(cudaFree(tokens_), "free tokens");
        }
        tokens_ = bigger;
        tokenCapacity_ = count;
    }

    cudaGraphExec_t graphFor(int batch, int seq) {
        const auto key = std::make_pair(batch, seq);
        auto hit = cache_.find(key);
        if (hit != cache_.end()) return hit->second;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        embed<<<(batch * seq + 63) / 64, 64, 0, stream_>>>(tokens_, hidden_, batch, seq);
        pool<<<batch, 1, 0, stream_>>>(hidden_, score_, seq);
        const cudaError_t launched = cudaGetLastError();
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        check(launched, "record");
        check(ended, "end");
        const cudaError_t built = cudaGraphInstantiate(&exec, graph, 0);
        check(cudaGraphDestroy(graph), "graph destroy");
        check(built, "instantiate");
        cache_.emplace(key, exec);
        return exec;
    }

    void clearCache() {
        for (auto& entry : cache_) cudaGraphExecDestroy(entry.second);
        cache_.clear();
    }

    cudaStream_t stream_ = nullptr;
    int* tokens_ = nullptr;
    size_t tokenCapacity_ = 0;
    float *hidden_ = nullptr, *score_ = nullptr;
    std::map<std::pair<int, int>, cudaGraphExec_t> cache_;  // by batch size and sequence length
};

class Server {
public:
    std::future<float> submit(std::vector<int> tokens) {
        queue_.push_back(Request{std::move(tokens), {}});
        return queue_.back().score.get_future();
    }
    // Serves everything queued; neighbours of equal length share a batch.
    void drain() {
        while (!queue_.empty()) {
            std::vector<Request> batch;
            const size_t seq = queue_.front().tokens.size();
            while (!queue_.empty() && queue_.front().tokens.size() == seq && batch.size() < kMaxBatch) {
                batch.push_back(std::move(queue_.front()));
                queue_.pop_front();
            }
            std::vector<int> flat;
            for (const Request& r : batch) flat.insert(flat.end(), r.tokens.begin(), r.tokens.end());
            const std::vector<float> scores =
                engine_.forward(flat, static_cast<int>(batch.size()), static_cast<int>(seq));
            for (size_t i = 0; i < batch.size(); ++i) batch[i].score.set_value(scores[i]);
        }
    }

private:
    std::deque<Request> queue_;
    Engine engine_;
};

int serveRound(Server& server, int count, int seq, int salt) {
    std::vector<std::future<float>> answers;
    std::vector<float> want;
    for (int r = 0; r < count; ++r) {
        std::vector<int> tokens(seq);
        float sum = 0.0f;
        for (int t = 0; t < seq; ++t) {
            tokens[t] = (r * 13 + t * 7 + salt * 29) % 97;
            sum += 0.25f * static_cast<float>(tokens[t]);
        }
        want.push_back(sum);
        answers.push_back(server.submit(std::move(tokens)));
    }
    server.drain();
    int wrong = 0;
    for (int r = 0; r < count; ++r) wrong += std::fabs(answers[r].get() - want[r]) > 1e-2f;
    return wrong;
}

}  // namespace serve

int main() {
    bool confirmed = false;
    try {
        serve::Server server;
        const int shortTexts = serve::serveRound(server, 4, 16, 1) + serve::serveRound(server, 4, 16, 2);
        const int longTexts = serve::serveRound(server, 4, 32, 3);
        const int bigBatch = serve::serveRound(server, 16, 64, 4);
        const int afterGrowth = serve::serveRound(server, 4, 16, 5);
        std::printf("wrong scores: %d short, %d long, %d big, %d after growth\n", shortTexts, longTexts, bigBatch, afterGrowth);
        confirmed = shortTexts == 0 && longTexts == 0 && bigBatch == 0 && afterGrowth == 0;
    } catch (const std::exception& e) {
        std::printf("failed: %s\n", e.what());
    }
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
