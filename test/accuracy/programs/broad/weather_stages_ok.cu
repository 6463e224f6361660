// Forecast post-processing: the stages and their order come from a configuration, the chain becomes one graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace forecast {

struct Grid {
    float* temperature = nullptr;
    int cells = 0;
};
using Stage = std::function<cudaError_t(const Grid&, cudaStream_t)>;

__global__ void lapseRate(float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] -= 6.5f;
}
__global__ void toFahrenheit(float* t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = t[i] * 1.8f + 32.0f;
}

template <void (*Kernel)(float*, int)>
cudaError_t launchOver(const Grid& g, cudaStream_t s) {
    Kernel<<<(g.cells + 127) / 128, 128, 0, s>>>(g.temperature, g.cells);
    return cudaGetLastError();
}

const char* describe(cudaError_t rc) { return cudaGetErrorString(rc); }

class Chain {
public:
    Chain(Grid grid, cudaStream_t stream) : grid_(grid), stream_(stream) {
        stages_["lapse"] = launchOver<lapseRate>;
        stages_["fahrenheit"] = launchOver<toFahrenheit>;
    }
    Chain(const Chain&) = delete;
    ~Chain() {
        if (exec_) cudaGraphExecDestroy(exec_);
    }

    void build(const std::vector<std::string>& order) {
        cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
        if (rc != cudaSuccess) throw std::runtime_error(describe(rc));
        cudaError_t first = cudaSuccess;
        std::string unknown;
        for (const auto& name : order) {
            const auto stage = stages_.find(name);
            if (stage == stages_.end()) {
                unknown = name;
                break;
            }
            rc = stage->second(grid_, stream_);
            if (first == cudaSuccess) first = rc;
        }
        cudaGraph_t graph = nullptr;
        rc = cudaStreamEndCapture(stream_, &graph);
        if (rc != cudaSuccess) throw std::runtime_error(describe(rc));
        if (first == cudaSuccess && unknown.empty()) first = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        if (!unknown.empty()) throw std::out_of_range("no stage " + unknown);
        if (first != cudaSuccess) throw std::runtime_error(describe(first));
    }

    // Known stages only, one by one; used when the configuration cannot become a graph.
    void runEagerly(const std::vector<std::string>& order) {
        for (const auto& name : order) {
            const auto stage = stages_.find(name);
            if (stage == stages_.end()) continue;
            const cudaError_t rc = stage->second(grid_, stream_);
            if (rc != cudaSuccess) throw std::runtime_error(describe(rc));
        }
        finish();
    }
    void replay() {
        const cudaError_t rc = cudaGraphLaunch(exec_, stream_);
        if (rc != cudaSuccess) throw std::runtime_error(describe(rc));
        finish();
    }
    bool ready() const { return exec_ != nullptr; }

private:
    void finish() {
        const cudaError_t rc = cudaStreamSynchronize(stream_);
        if (rc != cudaSuccess) throw std::runtime_error(describe(rc));
    }

    Grid grid_;
    cudaStream_t stream_;
    std::map<std::string, Stage> stages_;
    cudaGraphExec_t exec_ = nullptr;
};

// Runs one forecast; falls back to single launches when the chain has an unknown stage.
void forecastOnce(Chain& chain, const std::vector<std::string>& order) {
    if (!chain.ready()) {
        try {
            chain.build(order);
        } catch (const std::out_of_range& e) {
            std::printf("configuration: %s\n", e.what());
            chain.runEagerly(order);
            return;
        }
    }
    chain.replay();
}

}  // namespace forecast

int main() {
    constexpr int kCells = 2048;
    std::vector<float> host(kCells, 20.0f);
    forecast::Grid grid{nullptr, kCells};
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMalloc(&grid.temperature, kCells * sizeof(float)) != cudaSuccess) {
        std::puts("LABEL REFUTED");
        return 0;
    }
    bool good = true;
    const std::vector<std::vector<std::string>> configurations = {{"lapse", "fahrenheit"},
                                                                  {"lapse", "dewpoint", "fahrenheit"}};
    try {
        for (const auto& order : configurations) {
            forecast::Chain chain(grid, stream);
            for (int day = 0; day < 2; ++day) {
                host.assign(kCells, 20.0f);
                good = good && cudaMemcpy(grid.temperature, host.data(), kCells * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
                good = good && cudaDeviceSynchronize() == cudaSuccess;
                forecast::forecastOnce(chain, order);
                good = good && cudaMemcpy(host.data(), grid.temperature, kCells * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
                good = good && std::fabs(host.back() - (13.5f * 1.8f + 32.0f)) < 1e-3f;
            }
        }
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        good = false;
    }
    std::puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
    cudaFree(grid.temperature);
    cudaStreamDestroy(stream);
    return 0;
}
