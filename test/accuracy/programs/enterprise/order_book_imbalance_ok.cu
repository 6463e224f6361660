// Order book imbalance signal. Snapshots arrive with a varying number of levels; one recorded plan per instrument.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace signals {

enum class Code { Ok, CudaFailure, TooDeep };
struct Status {
    Code code = Code::Ok;
    std::string message;
    bool ok() const { return code == Code::Ok; }
    static Status cuda(cudaError_t rc) {
        if (rc == cudaSuccess) return {};
        return {Code::CudaFailure, cudaGetErrorString(rc)};
    }
};
template <class T>
struct Expected {
    std::optional<T> value;
    Status status;
    Expected(T v) : value(std::move(v)) {}
    Expected(Status s) : status(std::move(s)) {}
    explicit operator bool() const { return value.has_value(); }
};

struct Level {
    int bidQty;
    int askQty;
};

__global__ void sumImbalance(const Level* levels, const int* depth, int* imbalance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *depth) atomicAdd(imbalance, levels[i].bidQty - levels[i].askQty);
}

class GraphRecorder {
public:
    static Expected<GraphRecorder> start(cudaStream_t stream) {
        if (Status s = Status::cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); !s.ok()) return s;
        return GraphRecorder(stream);
    }
    GraphRecorder(GraphRecorder&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    GraphRecorder& operator=(GraphRecorder&&) = delete;
    ~GraphRecorder() {
        if (!stream_) return;
        cudaGraph_t graph = nullptr;
        (void)cudaStreamEndCapture(stream_, &graph);
        if (graph) (void)cudaGraphDestroy(graph);
    }
    Expected<cudaGraphExec_t> finish() {
        cudaGraph_t graph = nullptr;
        if (Status s = Status::cuda(cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph)); !s.ok()) return s;
        cudaGraphExec_t exec = nullptr;
        const Status made = Status::cuda(cudaGraphInstantiate(&exec, graph, 0));
        (void)cudaGraphDestroy(graph);
        if (!made.ok()) return made;
        return exec;
    }

private:
    explicit GraphRecorder(cudaStream_t stream) : stream_(stream) {}
    cudaStream_t stream_;
};

class ImbalanceService {
public:
    static constexpr int kMaxDepth = 4096;
    static constexpr int kThreads = 64;

    ~ImbalanceService() {
        for (auto& entry : plans_) (void)cudaGraphExecDestroy(entry.second);
        (void)cudaFree(levels_);
        (void)cudaFree(depth_);
        (void)cudaFree(result_);
        if (stream_) (void)cudaStreamDestroy(stream_);
    }

    Status start() {
        for (cudaError_t rc : {cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                               cudaMalloc(&levels_, kMaxDepth * sizeof(Level)), cudaMalloc(&depth_, sizeof(int)),
                               cudaMalloc(&result_, sizeof(int))})
            if (rc != cudaSuccess) return Status::cuda(rc);
        return {};
    }

    Expected<int> onSnapshot(const std::string& instrument, const std::vector<Level>& book) {
        const int depth = static_cast<int>(book.size());
        if (depth > kMaxDepth) return Status{Code::TooDeep, instrument};
        Status s = Status::cuda(
            cudaMemcpyAsync(levels_, book.data(), depth * sizeof(Level), cudaMemcpyHostToDevice, stream_));
        if (s.ok()) s = Status::cuda(cudaMemcpyAsync(depth_, &depth, sizeof depth, cudaMemcpyHostToDevice, stream_));
        if (!s.ok()) return s;

        auto plan = planFor(instrument, depth);
        if (!plan) return plan.status;
        int imbalance = 0;
        s = Status::cuda(cudaGraphLaunch(*plan.value, stream_));
        if (s.ok()) s = Status::cuda(cudaMemcpyAsync(&imbalance, result_, sizeof(int), cudaMemcpyDeviceToHost, stream_));
        const Status drained = Status::cuda(cudaStreamSynchronize(stream_));
        if (!s.ok()) return s;
        if (!drained.ok()) return drained;
        return imbalance;
    }

private:
    using PlanKey = std::pair<std::string, int>;

    static int bucketFor(int depth) {
        int bucket = kThreads;
        while (bucket < depth) bucket *= 2;
        return bucket;
    }

    Expected<cudaGraphExec_t> planFor(const std::string& instrument, int depth) {
        const PlanKey key{instrument, bucketFor(depth)};
        if (auto it = plans_.find(key); it != plans_.end()) return it->second;
        auto recorder = GraphRecorder::start(stream_);
        if (!recorder) return recorder.status;
        if (Status s = enqueue(key.second); !s.ok()) return s;
        auto exec = recorder.value->finish();
        if (exec) plans_.emplace(key, *exec.value);
        return exec;
    }

    Status enqueue(int lanes) {
        if (Status s = Status::cuda(cudaMemsetAsync(result_, 0, sizeof(int), stream_)); !s.ok()) return s;
        const int blocks = (lanes + kThreads - 1) / kThreads;
        sumImbalance<<<blocks, kThreads, 0, stream_>>>(levels_, depth_, result_);
        return Status::cuda(cudaGetLastError());
    }

    cudaStream_t stream_ = nullptr;
    Level* levels_ = nullptr;
    int* depth_ = nullptr;
    int* result_ = nullptr;
    std::map<PlanKey, cudaGraphExec_t> plans_;
};

}  // namespace signals

int main() {
    using namespace signals;
    ImbalanceService service;
    if (Status s = service.start(); !s.ok()) {
        std::printf("%s\nLABEL REFUTED\n", s.message.c_str());
        return 0;
    }
    bool failed = false, right = true;
    for (int depth : {100, 700, 90, 1500}) {
        auto got = service.onSnapshot("ESZ5", std::vector<Level>(depth, Level{5, 2}));
        failed |= !got;
        right &= got && *got.value == 3 * depth;
        std::printf("depth %d: %d, expected %d\n", depth, got ? *got.value : -1, 3 * depth);
    }
    std::puts(!failed && right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
