// Simulation: tides in a channel. A step predicts into a scratch array and corrects from it; a scenario captures its
// step when it is created. Scenarios are made by a factory and live in a registry.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tides {

void guard(cudaError_t rc) {
    if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorName(rc));
}

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t n) : n_(n) { guard(cudaMalloc(&data_, n * sizeof(T))); }
    DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)), n_(other.n_) {}
    DeviceArray& operator=(DeviceArray&&) = delete;
    ~DeviceArray() { cudaFree(data_); }
    T* get() const { return data_; }
    std::size_t size() const { return n_; }
    void fill(T value) {
        const std::vector<T> host(n_, value);
        guard(cudaMemcpy(data_, host.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> download() const {
        std::vector<T> host(n_);
        guard(cudaMemcpy(host.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }

private:
    T* data_ = nullptr;
    std::size_t n_;
};

__global__ void predict(const float* level, float* predicted, float rise) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    predicted[i] = level[i] + rise;
}
__global__ void correct(float* level, const float* predicted) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    level[i] = 0.5f * (level[i] + predicted[i]);
}

class Scenario {
public:
    static std::unique_ptr<Scenario> create(int blocks, float rise, cudaStream_t stream) {
        std::unique_ptr<Scenario> scenario(new Scenario(blocks, stream));
        DeviceArray<float> predicted(blocks * 256);
        guard(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        predict<<<blocks, 256, 0, stream>>>(scenario->level_.get(), predicted.get(), rise);  // HAZARD dangling #scratch
        correct<<<blocks, 256, 0, stream>>>(scenario->level_.get(), predicted.get());        // HAZARD dangling #scratch
        cudaGraph_t graph;
        guard(cudaStreamEndCapture(stream, &graph));
        guard(cudaGraphInstantiate(&scenario->exec_, graph, 0));
        guard(cudaGraphDestroy(graph));
        scenario->scratchAddress_ = reinterpret_cast<std::uintptr_t>(predicted.get());
        return scenario;
    }
    ~Scenario() { cudaGraphExecDestroy(exec_); }

    void step() {
        guard(cudaGraphLaunch(exec_, stream_));
        guard(cudaStreamSynchronize(stream_));
    }
    float level() const { return level_.download().back(); }
    std::uintptr_t scratchAddress() const { return scratchAddress_; }

private:
    Scenario(int blocks, cudaStream_t stream) : level_(blocks * 256), stream_(stream) { level_.fill(0.0f); }

    DeviceArray<float> level_;
    cudaStream_t stream_;
    cudaGraphExec_t exec_ = nullptr;
    std::uintptr_t scratchAddress_ = 0;  // for reports
};

}  // namespace tides

int main() {
    using namespace tides;
    try {
        cudaStream_t stream;
        guard(cudaStreamCreate(&stream));
        constexpr int kBlocks = 8192;  // 8 MB an array
        std::map<std::string, std::unique_ptr<Scenario>> registry;
        registry.emplace("spring", Scenario::create(kBlocks, 4.0f, stream));

        DeviceArray<float> depth(kBlocks * 256);  // the map of the channel, which nothing else may change
        depth.fill(-30.0f);
        bool failed = false;
        try {
            for (int i = 0; i < 5; ++i) registry.at("spring")->step();
        } catch (const std::runtime_error& e) {
            std::printf("step: %s\n", e.what());
            failed = true;
        }
        const bool reused = reinterpret_cast<std::uintptr_t>(depth.get()) == registry.at("spring")->scratchAddress();
        const bool overwritten = !failed && depth.download().front() != -30.0f;
        std::printf("failed %d, address reused %d, map overwritten %d\n", failed, reused, overwritten);
        if (failed || (reused && overwritten)) {
            std::puts("LABEL CONFIRMED");
            return 0;
        }
        std::puts("LABEL NOT CONFIRMED: the arrays are not as expected");
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
