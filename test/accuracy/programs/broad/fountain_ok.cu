// Particle fountain for a game: emits particles at any frame, simulates the living ones with one replayed step.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

constexpr int kCapacity = 4096;
constexpr int kBlock = 128;

class CudaFailure : public std::runtime_error {
public:
    explicit CudaFailure(cudaError_t rc) : std::runtime_error(cudaGetErrorString(rc)) {}
};
inline void check(cudaError_t rc) {
    if (rc != cudaSuccess) throw CudaFailure(rc);
}

template <class T>
class Device {
public:
    explicit Device(std::size_t n) { check(cudaMalloc(reinterpret_cast<void**>(&p_), n * sizeof(T))); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device() { cudaFree(p_); }
    T* get() const { return p_; }

private:
    T* p_ = nullptr;
};

__global__ void fall(float2* pos, float2* vel, const int* alive) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *alive) return;
    vel[i].y -= 1.0f;
    pos[i].x += vel[i].x;
    pos[i].y += vel[i].y;
}

class Fountain {
public:
    Fountain() : pos_(kCapacity), vel_(kCapacity), count_(1) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    Fountain(const Fountain&) = delete;
    ~Fountain() {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    void emit(const std::vector<float2>& at, float2 velocity) {
        const std::vector<float2> v(at.size(), velocity);
        const std::size_t bytes = at.size() * sizeof(float2);
        check(cudaMemcpyAsync(pos_.get() + alive_, at.data(), bytes, cudaMemcpyHostToDevice, stream_));
        check(cudaMemcpyAsync(vel_.get() + alive_, v.data(), bytes, cudaMemcpyHostToDevice, stream_));
        alive_ += int(at.size());
        check(cudaMemcpyAsync(count_.get(), &alive_, sizeof alive_, cudaMemcpyHostToDevice, stream_));
        check(cudaStreamSynchronize(stream_));
    }

    void tick() {
        switch (phase_) {
        case Phase::Fresh:
            exec_ = bake();
            phase_ = Phase::Baked;
            [[fallthrough]];
        case Phase::Baked:
            check(cudaGraphLaunch(exec_, stream_));
            break;
        }
        check(cudaStreamSynchronize(stream_));
    }

    std::vector<float2> positions() const {
        std::vector<float2> out(alive_);
        check(cudaMemcpy(out.data(), pos_.get(), out.size() * sizeof(float2), cudaMemcpyDeviceToHost));
        return out;
    }

private:
    enum class Phase { Fresh, Baked };

    static dim3 blocksFor(int particles) { return dim3(unsigned((particles + kBlock - 1) / kBlock)); }

    cudaError_t simulate() const {
        fall<<<blocksFor(kCapacity), kBlock, 0, stream_>>>(pos_.get(), vel_.get(), count_.get());
        return cudaGetLastError();
    }

    cudaGraphExec_t bake() const {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        const cudaError_t simulated = simulate();
        const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
        check(ended);
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = simulated == cudaSuccess ? cudaGraphInstantiate(&exec, graph, 0) : simulated;
        cudaGraphDestroy(graph);
        check(made);
        return exec;
    }

    Device<float2> pos_, vel_;
    Device<int> count_;
    int alive_ = 0;
    Phase phase_ = Phase::Fresh;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

int main() {
    try {
        Fountain fountain;
        fountain.emit(std::vector<float2>(100, float2{0.0f, 0.0f}), float2{1.0f, 10.0f});
        fountain.tick();
        fountain.emit(std::vector<float2>(900, float2{5.0f, 0.0f}), float2{1.0f, 10.0f});
        fountain.tick();
        fountain.tick();
        int unmoved = 0, wrong = 0;
        const auto pos = fountain.positions();
        for (std::size_t i = 0; i < pos.size(); ++i) {
            const float2 expected = i < 100 ? float2{3.0f, 9.0f + 8.0f + 7.0f} : float2{7.0f, 9.0f + 8.0f};
            if (std::fabs(pos[i].x - expected.x) + std::fabs(pos[i].y - expected.y) > 1e-4f) ++wrong;
            if (pos[i].x == 5.0f) ++unmoved;
        }
        std::printf("%zu particles, %d wrong, %d never moved\n", pos.size(), wrong, unmoved);
        std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    } catch (const std::exception& e) {
        std::printf("%s\nLABEL REFUTED\n", e.what());
    }
    return 0;
}
