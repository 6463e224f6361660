// Ranking server with two execution lanes. A dispatcher hands batches to the lanes in
// turn; graphs are cached per batch size.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kDim = 64;
constexpr int kMaxBatch = 8;
constexpr int kNewtonIters = 150000;

__global__ void project(const float* x, float* act, int n, float w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) act[i] = x[i] * w;
}

__global__ void norm_factors(float* norm, int n, int iters) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = 2.f + i % kDim, v = a;
    for (int k = 0; k < iters; ++k) v = 0.5f * (v + a / v);
    norm[i] = v;
}

__global__ void combine(const float* act, const float* norm, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = act[i] / norm[i];
}

// Linear arena; blocks live as long as the arena.
class Arena {
  public:
    explicit Arena(size_t bytes) : cap_(bytes) { check(cudaMalloc(&base_, bytes), "arena"); }
    ~Arena() { cudaFree(base_); }
    Arena(const Arena&) = delete;
    float* floats(size_t n) {
        size_t bytes = (n * sizeof(float) + 255) & ~size_t(255);
        if (used_ + bytes > cap_) throw std::runtime_error("arena full");
        auto* p = reinterpret_cast<float*>(base_ + used_);
        used_ += bytes;
        return p;
    }

  private:
    char* base_ = nullptr;
    size_t cap_, used_ = 0;
};

struct Activations {
    float* act;
    float* norm;
};

struct Lane {
    cudaStream_t stream = nullptr;
    cudaEvent_t idle = nullptr;
    float* host_in = nullptr;
    float* host_out = nullptr;
    float* x = nullptr;
    float* y = nullptr;
    Activations scratch{};
    std::map<int, cudaGraphExec_t> graphs;

    explicit Lane(Arena& arena) {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        check(cudaEventCreateWithFlags(&idle, cudaEventDisableTiming), "event");
        check(cudaMallocHost(&host_in, kMaxBatch * kDim * sizeof(float)), "host_in");
        check(cudaMallocHost(&host_out, kMaxBatch * kDim * sizeof(float)), "host_out");
        x = arena.floats(kMaxBatch * kDim);
        y = arena.floats(kMaxBatch * kDim);
    }
    ~Lane() {
        for (auto& g : graphs) cudaGraphExecDestroy(g.second);
        cudaFreeHost(host_in);
        cudaFreeHost(host_out);
        cudaEventDestroy(idle);
        cudaStreamDestroy(stream);
    }
};

class RankServer {
  public:
    explicit RankServer(float weight) : weight_(weight), arena_(4 << 20) {
        Activations shared{arena_.floats(kMaxBatch * kDim), arena_.floats(kMaxBatch * kDim)};
        for (auto& l : lanes_) {
            l = std::make_unique<Lane>(arena_);
            l->scratch = shared;
        }
        for (auto& l : lanes_)
            for (int b : {2, 4, 8}) l->graphs[b] = record(*l, b);
    }

    // Returns the lane which got the batch.
    int submit(const std::vector<float>& items) {
        int lane_id = next_++ % (int)lanes_.size();
        Lane& lane = *lanes_[lane_id];
        check(cudaEventSynchronize(lane.idle), "lane idle");
        int batch = 2;
        while (batch * kDim < (int)items.size()) batch *= 2;
        for (size_t i = 0; i < items.size(); ++i) lane.host_in[i] = items[i];
        check(cudaGraphLaunch(lane.graphs.at(batch), lane.stream), "launch");  // HAZARD concurrent #a
        check(cudaEventRecord(lane.idle, lane.stream), "record idle");
        return lane_id;
    }

    std::vector<float> result(int lane_id, size_t n) {
        Lane& lane = *lanes_[lane_id];
        check(cudaStreamSynchronize(lane.stream), "sync");
        return {lane.host_out, lane.host_out + n};
    }

    long served() const { return served_; }
    long captures() const { return captures_; }

  private:
    cudaGraphExec_t record(Lane& lane, int batch) {
        const int n = batch * kDim, threads = 64, blocks = (n + threads - 1) / threads;
        const size_t bytes = n * sizeof(float);
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        check(cudaStreamBeginCapture(lane.stream, cudaStreamCaptureModeGlobal), "begin");
        check(cudaMemcpyAsync(lane.x, lane.host_in, bytes, cudaMemcpyHostToDevice, lane.stream), "h2d");
        project<<<blocks, threads, 0, lane.stream>>>(lane.x, lane.scratch.act, n, weight_);  // HAZARD concurrent #a
        norm_factors<<<blocks, threads, 0, lane.stream>>>(lane.scratch.norm, n, kNewtonIters);
        combine<<<blocks, threads, 0, lane.stream>>>(lane.scratch.act, lane.scratch.norm, lane.y, n);
        check(cudaMemcpyAsync(lane.host_out, lane.y, bytes, cudaMemcpyDeviceToHost, lane.stream), "d2h");
        served_ += batch;  // HAZARD host_logic
        ++captures_;
        check(cudaStreamEndCapture(lane.stream, &graph), "end");
        check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        check(cudaGraphDestroy(graph), "destroy");
        return exec;
    }

    const float weight_;
    Arena arena_;
    std::array<std::unique_ptr<Lane>, 2> lanes_;
    int next_ = 0;
    long served_ = 0;
    long captures_ = 0;
};

std::vector<float> make_items(int batch, float base) {
    std::vector<float> v(batch * kDim);
    for (size_t i = 0; i < v.size(); ++i) v[i] = base + 0.01f * i;
    return v;
}

bool matches(const std::vector<float>& in, const std::vector<float>& out, float w) {
    for (size_t i = 0; i < in.size(); ++i) {
        float want = in[i] * w / std::sqrt(2.f + i % kDim);
        if (std::fabs(out[i] - want) > 1e-3f * (1.f + std::fabs(want))) return false;
    }
    return true;
}

}  // namespace

int main() {
    try {
        const float w = 1.5f;
        RankServer server(w);
        bool first = true, second = true;
        long submitted = 0;
        for (int round = 0; round < 4; ++round) {
            auto a = make_items(8, 1.f + round);
            auto b = make_items(4, -300.f - round);
            int la = server.submit(a);
            int lb = server.submit(b);
            first &= matches(a, server.result(la, a.size()), w);
            second &= matches(b, server.result(lb, b.size()), w);
            submitted += 12;
        }
        bool counted = server.served() == submitted && server.captures() == 6;
        std::printf("first=%d second=%d served=%ld of %ld\n", first, second, server.served(), submitted);
        bool pass = !(first && second) && !counted;
        std::puts(pass ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::puts("LABEL WRONG");
    }
    return 0;
}
