// Option book revaluation. The desk switches the market regime during the day, every tick reprices the book.
#include <cuda_runtime.h>
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace desk {

enum class Regime { Calm, Stressed };

struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void ensure(cudaError_t rc) {
    if (rc != cudaSuccess) throw CudaError(cudaGetErrorString(rc));
}

__global__ void intrinsicValue(const float* spot, float* value, int n, float strike) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) value[i] = fmaxf(spot[i] - strike, 0.0f);
}
__global__ void gapValue(const float* spot, float* value, int n, float strike) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) value[i] = 1.5f * fmaxf(spot[i] - strike, 0.0f) + 1.0f;
}

using Exec = std::unique_ptr<CUgraphExec_st, decltype(&cudaGraphExecDestroy)>;
using Enqueue = std::function<void(cudaStream_t)>;

Exec record(cudaStream_t s, const Enqueue& enqueue) {
    cudaGraph_t graph = nullptr;
    ensure(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    try {
        enqueue(s);
    } catch (...) {
        if (cudaStreamEndCapture(s, &graph) == cudaSuccess) cudaGraphDestroy(graph);
        throw;
    }
    ensure(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t exec = nullptr;
    const cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    ensure(rc);
    return Exec(exec, &cudaGraphExecDestroy);
}

class Book {
public:
    explicit Book(int positions) : n_(positions) {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ensure(cudaMalloc(&spot_, n_ * sizeof(float)));
        ensure(cudaMalloc(&value_, n_ * sizeof(float)));
        models_[Regime::Calm] = [this](cudaStream_t s) {
            intrinsicValue<<<(n_ + 255) / 256, 256, 0, s>>>(spot_, value_, n_, kStrike);
            ensure(cudaGetLastError());
        };
        models_[Regime::Stressed] = [this](cudaStream_t s) {
            gapValue<<<(n_ + 255) / 256, 256, 0, s>>>(spot_, value_, n_, kStrike);
            ensure(cudaGetLastError());
        };
        seedSpots();
    }
    Book(const Book&) = delete;
    ~Book() {
        cudaStreamSynchronize(stream_);
        cudaFree(spot_);
        cudaFree(value_);
        cudaStreamDestroy(stream_);
    }

    void onRegime(Regime r) { regime_ = r; }

    void onTick() {
        auto it = execs_.find(regime_);
        if (it == execs_.end()) {
            it = execs_.emplace(regime_, record(stream_, [this](cudaStream_t s) {
                models_.at(regime_)(s);
            })).first;
        }
        ensure(cudaGraphLaunch(it->second.get(), stream_));
        ensure(cudaStreamSynchronize(stream_));
    }

    std::vector<float> spots() const { return download(spot_); }
    std::vector<float> values() const { return download(value_); }
    static constexpr float kStrike = 0.4f;

private:
    void seedSpots() {
        curandGenerator_t gen = nullptr;
        if (curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_PHILOX4_32_10) != CURAND_STATUS_SUCCESS)
            throw std::runtime_error("curand");
        const bool ok = curandSetPseudoRandomGeneratorSeed(gen, 1234ULL) == CURAND_STATUS_SUCCESS &&
                        curandGenerateUniform(gen, spot_, n_) == CURAND_STATUS_SUCCESS;
        ensure(cudaDeviceSynchronize());
        curandDestroyGenerator(gen);
        if (!ok) throw std::runtime_error("curand");
    }
    std::vector<float> download(const float* p) const {
        std::vector<float> out(n_);
        ensure(cudaMemcpy(out.data(), p, n_ * sizeof(float), cudaMemcpyDeviceToHost));
        return out;
    }

    const int n_;
    cudaStream_t stream_ = nullptr;
    float* spot_ = nullptr;
    float* value_ = nullptr;
    Regime regime_ = Regime::Calm;
    std::map<Regime, Enqueue> models_;
    std::map<Regime, Exec> execs_;
};

}  // namespace desk

int main() {
    using desk::Regime;
    try {
        desk::Book book(5000);
        const auto spots = book.spots();
        int wrong = 0;
        for (Regime r : {Regime::Calm, Regime::Stressed, Regime::Calm, Regime::Stressed}) {
            book.onRegime(r);
            book.onTick();
            const auto values = book.values();
            for (std::size_t i = 0; i < spots.size(); ++i) {
                const float intrinsic = std::fmax(spots[i] - desk::Book::kStrike, 0.0f);
                const float expected = r == Regime::Calm ? intrinsic : 1.5f * intrinsic + 1.0f;
                if (std::fabs(expected - values[i]) > 1e-4f) ++wrong;
            }
        }
        std::printf("wrong values: %d\n", wrong);
        std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
    }
    return 0;
}
