// Trains a small linear probe. The runtime keeps one CUDA graph per batch size and one shared activation workspace.
#include <cuda_runtime.h>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <vector>

static void expect(cudaError_t e, const char* where) {
    if (e == cudaSuccess) return;
    std::printf("%s: %s\nLABEL UNOBSERVED\n", where, cudaGetErrorString(e));
    std::exit(1);
}

constexpr int kHidden = 64;
constexpr int kMaxBatch = 256;
constexpr float kLearningRate = 0.125f;

__global__ void fillKernel(float* p, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}

__global__ void forwardKernel(const float* x, const float* w, float* act, int batch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < batch * kHidden) act[i] = x[i / kHidden] * w[i % kHidden];
}

__global__ void backwardKernel(const float* x, const float* y, const float* act, float* grad, int batch) {
    int h = threadIdx.x;
    float g = 0.0f;
    for (int b = 0; b < batch; ++b) g += (act[b * kHidden + h] - y[b]) * x[b];
    grad[h] = g / batch;
}

__global__ void sgdKernel(float* w, const float* grad, float lr) { w[threadIdx.x] -= lr * grad[threadIdx.x]; }

// Blocks go back to a free list by size, as in any caching allocator.
class BlockCache {
public:
    ~BlockCache() {
        for (auto& b : sizes_) cudaFree(b.first);
    }
    float* acquire(std::size_t count) {
        auto it = free_.find(count);
        if (it != free_.end()) {
            float* p = it->second;
            free_.erase(it);
            return p;
        }
        float* p = nullptr;
        expect(cudaMalloc(&p, count * sizeof(float)), "acquire");
        sizes_[p] = count;
        return p;
    }
    void release(float* p) { if (p) free_.emplace(sizes_[p], p); }

private:
    std::map<float*, std::size_t> sizes_;
    std::multimap<std::size_t, float*> free_;
};

class GraphCache {
public:
    ~GraphCache() { clear(); }
    cudaGraphExec_t find(int batch) const {
        auto it = byBatch_.find(batch);
        return it == byBatch_.end() ? nullptr : it->second;
    }
    void insert(int batch, cudaGraphExec_t exec) { byBatch_[batch] = exec; }
    void clear() {
        for (auto& entry : byBatch_) cudaGraphExecDestroy(entry.second);
        byBatch_.clear();
    }

private:
    std::unordered_map<int, cudaGraphExec_t> byBatch_;
};

class ProbeTrainer {
public:
    explicit ProbeTrainer(BlockCache& blocks) : blocks_(blocks) {
        expect(cudaStreamCreate(&stream_), "stream");
        x_ = blocks_.acquire(kMaxBatch);
        y_ = blocks_.acquire(kMaxBatch);
        weights_ = blocks_.acquire(kHidden);
        grad_ = blocks_.acquire(kHidden);
        fillKernel<<<1, kHidden, 0, stream_>>>(weights_, kHidden, 0.0f);
        expect(cudaGetLastError(), "init");
        expect(cudaStreamSynchronize(stream_), "init");
    }
    ~ProbeTrainer() {
        for (float* p : {x_, y_, weights_, grad_, workspace_}) blocks_.release(p);
        graphs_.clear();
        cudaStreamDestroy(stream_);
    }

    void step(const std::vector<float>& x, const std::vector<float>& y) {
        const int batch = static_cast<int>(x.size());
        expect(cudaMemcpyAsync(x_, x.data(), batch * sizeof(float), cudaMemcpyHostToDevice, stream_), "x");
        expect(cudaMemcpyAsync(y_, y.data(), batch * sizeof(float), cudaMemcpyHostToDevice, stream_), "y");
        reserveWorkspace(static_cast<std::size_t>(batch) * kHidden);
        cudaGraphExec_t exec = graphs_.find(batch);
        if (!exec) {
            exec = record(batch);
            graphs_.insert(batch, exec);
            ++recordings_;
        }
        expect(cudaGraphLaunch(exec, stream_), "launch");
        expect(cudaStreamSynchronize(stream_), "step");
    }

    std::vector<float> weights() const {
        std::vector<float> host(kHidden);
        expect(cudaMemcpy(host.data(), weights_, kHidden * sizeof(float), cudaMemcpyDeviceToHost), "weights");
        return host;
    }
    int recordings() const { return recordings_; }

private:
    void reserveWorkspace(std::size_t count) {
        if (count <= workspaceCount_) return;
        blocks_.release(workspace_);  // HAZARD dangling #workspace
        workspace_ = blocks_.acquire(count);
        workspaceCount_ = count;
    }

    cudaGraphExec_t record(int batch) {
        const int grid = (batch * kHidden + 127) / 128;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
        forwardKernel<<<grid, 128, 0, stream_>>>(x_, weights_, workspace_, batch);  // HAZARD dangling #workspace
        backwardKernel<<<1, kHidden, 0, stream_>>>(x_, y_, workspace_, grad_, batch);  // HAZARD dangling #workspace
        sgdKernel<<<1, kHidden, 0, stream_>>>(weights_, grad_, kLearningRate);
        expect(cudaGetLastError(), "record");
        expect(cudaStreamEndCapture(stream_, &graph), "end");
        expect(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
        expect(cudaGraphDestroy(graph), "destroy");
        return exec;
    }

    BlockCache& blocks_;
    GraphCache graphs_;
    cudaStream_t stream_ = nullptr;
    float *x_ = nullptr, *y_ = nullptr, *weights_ = nullptr, *grad_ = nullptr, *workspace_ = nullptr;
    std::size_t workspaceCount_ = 0;
    int recordings_ = 0;
};

static void makeBatch(int batch, int seed, std::vector<float>& x, std::vector<float>& y) {
    x.resize(batch);
    y.resize(batch);
    for (int b = 0; b < batch; ++b) {
        x[b] = 0.25f * ((b + seed) % 5 - 2);
        y[b] = 1.5f * x[b] + 0.125f * ((b * 3 + seed) % 2);
    }
}

int main() {
    BlockCache blocks;
    int wrongWeights = 0, damaged = 0, recordings = 0;
    {
        ProbeTrainer trainer(blocks);
        const int schedule[] = {32, 32, 128, 32, 128, 32};   // a large evaluation-sized batch now and then
        const int baselineCount = 32 * kHidden;
        float* baseline = nullptr;                           // reference activations, kept for a later comparison
        float w = 0.0f;                                      // all weights start equal and see the same data
        std::vector<float> x, y;
        for (int i = 0; i < 6; ++i) {
            makeBatch(schedule[i], i, x, y);
            trainer.step(x, y);
            float g = 0.0f;
            for (std::size_t b = 0; b < x.size(); ++b) g += (x[b] * w - y[b]) * x[b];
            w -= kLearningRate * g / x.size();
            for (float v : trainer.weights()) wrongWeights += std::fabs(v - w) > 1e-4f;
            if (i == 2) {
                baseline = blocks.acquire(baselineCount);
                fillKernel<<<baselineCount / 128, 128>>>(baseline, baselineCount, 7.0f);
                expect(cudaDeviceSynchronize(), "baseline");
            }
        }
        std::vector<float> kept(baselineCount);
        expect(cudaMemcpy(kept.data(), baseline, baselineCount * sizeof(float), cudaMemcpyDeviceToHost), "kept");
        for (float v : kept) damaged += v != 7.0f;
        blocks.release(baseline);
        recordings = trainer.recordings();
    }
    std::printf("recordings %d, wrong weights %d, damaged baseline values %d\n", recordings, wrongWeights, damaged);
    std::puts(damaged > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
