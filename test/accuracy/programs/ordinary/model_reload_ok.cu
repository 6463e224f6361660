#include <cuda_runtime.h>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace serve {

constexpr int kHidden = 256;
constexpr int kLayers = 48;
constexpr int kShards = 200;

inline void Check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

__global__ void LayerKernel(const float* w, float* act) {
    int i = blockIdx.x * kHidden + threadIdx.x;
    act[i] = act[i] + w[threadIdx.x];
}

__global__ void DequantKernel(const signed char* q, float* w) { w[threadIdx.x] = 0.01f * q[threadIdx.x]; }

// Device wide work (allocation, capture) takes turns here.
std::mutex g_deviceGate;

class WeightLoader {
public:
    WeightLoader() {
        Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "loader stream");
        Check(cudaMalloc(&standby_, kHidden * sizeof(float)), "standby");
    }
    ~WeightLoader() {
        if (thread_.joinable()) thread_.join();
        cudaFree(standby_);
        cudaStreamDestroy(stream_);
    }

    void StartReload() { thread_ = std::thread(&WeightLoader::Run, this); }
    void Join() { thread_.join(); }
    bool Running() const { return running_.load(); }
    bool Failed() const { return failed_.load(); }
    const float* Standby() const { return standby_; }

private:
    void Run() {
        for (int shard = 0; shard < kShards && !failed_; ++shard)
            if (!LoadShard()) failed_ = true;
        running_ = false;
    }

    bool LoadShard() {
        std::vector<signed char> raw(kHidden, 50);
        std::lock_guard<std::mutex> turn(g_deviceGate);
        signed char* staging = nullptr;
        if (cudaMalloc(&staging, kHidden) != cudaSuccess) return false;
        bool ok = cudaMemcpyAsync(staging, raw.data(), kHidden, cudaMemcpyHostToDevice, stream_) == cudaSuccess;
        DequantKernel<<<1, kHidden, 0, stream_>>>(staging, standby_);
        ok = ok && cudaStreamSynchronize(stream_) == cudaSuccess;
        return cudaFree(staging) == cudaSuccess && ok;
    }

    cudaStream_t stream_ = nullptr;
    float* standby_ = nullptr;
    std::thread thread_;
    std::atomic<bool> running_{true};
    std::atomic<bool> failed_{false};
};

class Engine {
public:
    explicit Engine(int maxBatch) : maxBatch_(maxBatch) {
        Check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "engine stream");
        Check(cudaMalloc(&weights_, kHidden * sizeof(float)), "weights");
        Check(cudaMalloc(&act_, maxBatch_ * kHidden * sizeof(float)), "activations");
        Check(cudaMemsetAsync(weights_, 0, kHidden * sizeof(float), stream_), "weights");
        Check(cudaStreamSynchronize(stream_), "init");
    }
    ~Engine() {
        for (auto& kv : graphs_) cudaGraphExecDestroy(kv.second);
        cudaFree(act_);
        cudaFree(weights_);
        cudaStreamDestroy(stream_);
    }

    void PrepareBatch(int batch) {
        if (graphs_.count(batch)) return;
        std::lock_guard<std::mutex> turn(g_deviceGate);
        Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
        Forward(batch);
        cudaGraph_t graph = nullptr;
        Check(cudaStreamEndCapture(stream_, &graph), "end");
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        Check(made, "instantiate");
        graphs_[batch] = exec;
    }

    void Promote(const float* standby) {
        Check(cudaMemcpyAsync(weights_, standby, kHidden * sizeof(float), cudaMemcpyDeviceToDevice, stream_), "promote");
    }

    float Infer(int batch) {
        float last = 0.0f;
        Check(cudaMemsetAsync(act_, 0, maxBatch_ * kHidden * sizeof(float), stream_), "reset");
        Check(cudaGraphLaunch(graphs_.at(batch), stream_), "launch");
        Check(cudaMemcpyAsync(&last, act_ + batch * kHidden - 1, sizeof(float), cudaMemcpyDeviceToHost, stream_), "out");
        Check(cudaStreamSynchronize(stream_), "sync");
        return last;
    }

private:
    void Forward(int batch) {
        for (int l = 0; l < kLayers; ++l) LayerKernel<<<batch, kHidden, 0, stream_>>>(weights_, act_);
    }

    const int maxBatch_;
    cudaStream_t stream_ = nullptr;
    float* weights_ = nullptr;
    float* act_ = nullptr;
    std::map<int, cudaGraphExec_t> graphs_;
};

}  // namespace serve

int main() {
    constexpr int kMaxBatch = 128;
    bool good = true;
    try {
        serve::Engine engine(kMaxBatch);
        serve::WeightLoader loader;
        loader.StartReload();
        for (int b = 1; b <= kMaxBatch; ++b) engine.PrepareBatch(b);
        loader.Join();
        good = !loader.Failed();
        if (good) {
            engine.Promote(loader.Standby());
            for (int b : {1, 7, kMaxBatch}) good = good && std::fabs(engine.Infer(b) - 0.5f * serve::kLayers) < 1e-2f;
        }
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        good = false;
    }
    std::printf(good ? "LABEL CONFIRMED\n" : "LABEL REFUTED\n");
    return 0;
}
