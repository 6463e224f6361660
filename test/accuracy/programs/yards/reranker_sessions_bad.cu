// Reranking service: several model sessions on their own streams, activations from a shared workspace pool.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

namespace rerank {

constexpr int kFeatures = 128;
constexpr long long kAttentionCycles = 40000000;

void check(cudaError_t s, const char* what) {
    if (s != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(s));
}

struct Query {
    int session;
    std::array<float, kFeatures> features;
};

__host__ __device__ inline float projectValue(float x, float weight) { return x * weight + 0.5f; }
__host__ __device__ inline float scoreValue(float self, float neighbor, float weight) {
    return self * 0.75f + neighbor * 0.25f * weight;
}

__global__ void projectKernel(const float* input, float* activation, float weight) {
    activation[threadIdx.x] = projectValue(input[threadIdx.x], weight);
}

// Long context attention; the arithmetic is reduced to its duration and a neighbor mix.
__global__ void attentionKernel(const float* activation, float* score, float weight, long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
    int i = threadIdx.x;
    score[i] = scoreValue(activation[i], activation[(i + 1) % kFeatures], weight);
}

class WorkspacePool {
public:
    ~WorkspacePool() {
        for (auto& entry : blocks_) cudaFree(entry.second.memory);
    }
    // Activations are scratch: every session that asks for the same tag gets the same block.
    float* acquire(const std::string& tag, size_t count) {
        Block& b = blocks_[tag];
        if (!b.memory) {
            check(cudaMalloc(&b.memory, count * sizeof(float)), "workspace");
            b.count = count;
        }
        if (b.count < count) throw std::runtime_error("workspace too small: " + tag);
        return b.memory;
    }

private:
    struct Block {
        float* memory = nullptr;
        size_t count = 0;
    };
    std::map<std::string, Block> blocks_;
};

class Session {
public:
    Session(WorkspacePool& pool, const std::string& model, float weight) : weight_(weight) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        activation_ = pool.acquire(model + ".activation", kFeatures);  // HAZARD concurrent #scratch
        check(cudaMalloc(&input_, kFeatures * sizeof(float)), "input");
        check(cudaMalloc(&score_, kFeatures * sizeof(float)), "score");
        check(cudaMallocHost(&hostInput_, kFeatures * sizeof(float)), "pinned input");
        check(cudaMallocHost(&hostScore_, kFeatures * sizeof(float)), "pinned score");
        for (int i = 0; i < kFeatures; ++i) hostInput_[i] = 0.0f;
        capture();
    }
    ~Session() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(hostScore_);
        cudaFreeHost(hostInput_);
        cudaFree(score_);
        cudaFree(input_);
        cudaStreamDestroy(stream_);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void stage(const Query& q) {
        for (int i = 0; i < kFeatures; ++i) hostInput_[i] = q.features[i];
    }
    void launch() { check(cudaGraphLaunch(exec_, stream_), "launch"); }  // HAZARD concurrent #scratch
    void wait() { check(cudaStreamSynchronize(stream_), "wait"); }
    bool matches(const Query& q) const {
        for (int i = 0; i < kFeatures; ++i) {
            float self = projectValue(q.features[i], weight_);
            float neighbor = projectValue(q.features[(i + 1) % kFeatures], weight_);
            if (!(std::fabs(scoreValue(self, neighbor, weight_) - hostScore_[i]) < 1e-3f)) return false;
        }
        return true;
    }

private:
    void enqueueForward() {
        const size_t bytes = kFeatures * sizeof(float);
        check(cudaMemcpyAsync(input_, hostInput_, bytes, cudaMemcpyHostToDevice, stream_), "copy input");
        projectKernel<<<1, kFeatures, 0, stream_>>>(input_, activation_, weight_);  // HAZARD concurrent #scratch
        check(cudaGetLastError(), "project");
        attentionKernel<<<1, kFeatures, 0, stream_>>>(activation_, score_, weight_, kAttentionCycles);  // HAZARD concurrent #scratch
        check(cudaGetLastError(), "attention");
        check(cudaMemcpyAsync(hostScore_, score_, bytes, cudaMemcpyDeviceToHost, stream_), "copy score");
    }
    void capture() {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        try {
            enqueueForward();
        } catch (...) {
            if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        check(cudaStreamEndCapture(stream_, &graph), "end");
        cudaError_t s = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        check(s, "instantiate");
        check(cudaGraphUpload(exec_, stream_), "upload");
        check(cudaStreamSynchronize(stream_), "upload");
    }

    float weight_;
    cudaStream_t stream_ = nullptr;
    float* activation_ = nullptr;
    float *input_ = nullptr, *score_ = nullptr, *hostInput_ = nullptr, *hostScore_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

class Server {
public:
    explicit Server(int sessions) {
        for (int i = 0; i < sessions; ++i) sessions_.push_back(std::make_unique<Session>(pool_, "cross-encoder", 1.0f + i));
    }
    void submit(const Query& q) { queue_.push(q); }

    // Takes one query per session, runs them side by side and counts the right answers.
    std::array<int, 2> dispatchRound() {
        std::vector<Query> active;
        while (!queue_.empty() && active.size() < sessions_.size()) {
            active.push_back(queue_.front());
            queue_.pop();
        }
        for (const Query& q : active) sessions_[q.session]->stage(q);
        for (const Query& q : active) start(*sessions_[q.session]);
        std::array<int, 2> tally{0, 0};
        for (const Query& q : active) sessions_[q.session]->wait();
        for (const Query& q : active) ++tally[sessions_[q.session]->matches(q) ? 0 : 1];
        return tally;
    }
    bool empty() const { return queue_.empty(); }

private:
    void start(Session& session) { session.launch(); }  // HAZARD concurrent #scratch

    WorkspacePool pool_;
    std::vector<std::unique_ptr<Session>> sessions_;
    std::queue<Query> queue_;
};

Query makeQuery(int session, int seed) {
    Query q{session, {}};
    for (int i = 0; i < kFeatures; ++i) q.features[i] = 0.1f * ((i * 13 + seed * 29) % 50) + seed;
    return q;
}

}  // namespace rerank

int main() {
    using namespace rerank;
    try {
        Server server(2);
        // One query at a time first, then both sessions in each round.
        server.submit(makeQuery(0, 1));
        std::array<int, 2> alone = server.dispatchRound();
        server.submit(makeQuery(1, 2));
        std::array<int, 2> second = server.dispatchRound();
        alone[0] += second[0];
        for (int round = 0; round < 4; ++round) {
            server.submit(makeQuery(0, 3 + 2 * round));
            server.submit(makeQuery(1, 4 + 2 * round));
        }
        int right = 0, wrong = 0;
        while (!server.empty()) {
            std::array<int, 2> tally = server.dispatchRound();
            right += tally[0];
            wrong += tally[1];
        }
        std::printf("alone right %d, together right %d wrong %d\n", alone[0], right, wrong);
        bool observed = alone[0] == 2 && wrong > 0;
        std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
        return observed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL WRONG\n", e.what());
        return 1;
    }
}
