// Request scheduler with a small least-recently-used cache of executable graphs.
#include <cuda_runtime.h>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

struct Request {
    int batch;
    int seq;
};

struct Buffers {
    static constexpr int kMaxBatch = 16, kMaxSeq = 256;
    int* scores = nullptr;
    Buffers() { cudaMalloc(&scores, sizeof(int) * kMaxBatch * kMaxSeq); }
    ~Buffers() { cudaFree(scores); }
};

__global__ void scoreTokens(int* scores, int seq, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < seq) scores[blockIdx.y * stride + t] += 1;
}

using ExecRef = cudaGraphExec_t;
using Key = int;
static Key keyOf(const Request& r) { return r.batch; }

class GraphCache {
public:
    explicit GraphCache(std::size_t limit) : limit_(limit) {}
    ~GraphCache() {
        for (auto& kv : entries_) cudaGraphExecDestroy(kv.second);
    }
    ExecRef find(const Key& k) {
        auto it = entries_.find(k);
        if (it == entries_.end()) return nullptr;
        order_.remove(k);
        order_.push_front(k);
        return it->second;
    }
    void put(const Key& k, ExecRef e) {
        if (entries_.size() == limit_) {
            auto victim = entries_.find(order_.back());
            cudaGraphExecDestroy(victim->second);
            entries_.erase(victim);
            order_.pop_back();
        }
        entries_.emplace(k, std::move(e));
        order_.push_front(k);
    }
private:
    std::size_t limit_;
    std::map<Key, ExecRef> entries_;
    std::list<Key> order_;
};

struct Ticket {
    Request request;
    ExecRef exec;
};

class Scheduler {
public:
    explicit Scheduler(std::size_t cacheSize) : cache_(cacheSize) { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
    ~Scheduler() { cudaStreamDestroy(stream_); }

    cudaError_t reset() {
        cudaError_t e = cudaMemsetAsync(buffers_.scores, 0, sizeof(int) * Buffers::kMaxBatch * Buffers::kMaxSeq, stream_);
        return e == cudaSuccess ? cudaStreamSynchronize(stream_) : e;
    }

    cudaError_t submit(const Request& r, Ticket& ticket) {
        ExecRef exec = cache_.find(keyOf(r));
        if (!exec) {
            cudaGraphExec_t fresh = nullptr;
            cudaError_t e = capture(r, &fresh);
            if (e != cudaSuccess) return e;
            exec = fresh;
            cache_.put(keyOf(r), exec);
        }
        ticket = Ticket{r, exec};
        cudaError_t e = cudaGraphLaunch(exec, stream_);
        return e == cudaSuccess ? cudaStreamSynchronize(stream_) : e;
    }

    cudaError_t repeat(const Ticket& ticket) {
        cudaError_t e = cudaGraphLaunch(ticket.exec, stream_); // HAZARD graph_lifetime
        return e == cudaSuccess ? cudaStreamSynchronize(stream_) : e;
    }

    int score(int b, int t) const {
        int v = -1;
        cudaMemcpy(&v, buffers_.scores + b * Buffers::kMaxSeq + t, sizeof v, cudaMemcpyDeviceToHost);
        return v;
    }

private:
    cudaError_t capture(const Request& r, cudaGraphExec_t* exec) {
        cudaGraph_t g = nullptr;
        cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
        if (e != cudaSuccess) return e;
        dim3 grid((r.seq + 31) / 32, r.batch);
        scoreTokens<<<grid, 32, 0, stream_>>>(buffers_.scores, r.seq, Buffers::kMaxSeq); // HAZARD dynamic_shape
        e = cudaStreamEndCapture(stream_, &g);
        if (e == cudaSuccess) e = cudaGraphInstantiate(exec, g, 0);
        if (g) cudaGraphDestroy(g);
        return e;
    }

    Buffers buffers_;
    GraphCache cache_;
    cudaStream_t stream_ = nullptr;
};

int main(int argc, char**) {
    Scheduler scheduler(2);
    Ticket first{}, other{};
    cudaError_t e = scheduler.reset();
    if (e == cudaSuccess) e = scheduler.submit({4, 40}, first);
    if (e == cudaSuccess) e = scheduler.submit({4, 200}, other);
    int tail = scheduler.score(3, 199);
    if (e == cudaSuccess) e = scheduler.submit({8, 64}, other);
    if (e == cudaSuccess) e = scheduler.submit({2, 64}, other);
    bool confirmed = e == cudaSuccess && tail == 0;
    if (argc > 1) std::printf("repeat: %s\n", cudaGetErrorName(scheduler.repeat(first)));
    std::printf("%s: tail=%d %s (repeat of the first ticket runs only with an argument)\n",
                confirmed ? "LABEL UNOBSERVED" : "LABEL REFUTED", tail, cudaGetErrorName(e));
    return 0;
}
