// Header-only particle system: emitters are policies (CRTP), particles live in a growing device array, and a simulation
// step is a captured graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fx {

inline void expect(cudaError_t rc, const char* what) {
    if (rc != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(rc));
}

struct Particle {
    float height, speed;
};

__global__ void integrate(Particle* particles, const int* count, float gravity, float dt) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x) {
        particles[i].speed -= gravity * dt;
        particles[i].height += particles[i].speed * dt;
    }
}

template <class T>
class DeviceVector {
    static_assert(std::is_trivially_copyable<T>::value, "copied bytewise");

public:
    DeviceVector() = default;
    DeviceVector(const DeviceVector&) = delete;
    DeviceVector& operator=(const DeviceVector&) = delete;
    ~DeviceVector() { cudaFree(data_); }

    void append(const std::vector<T>& values, cudaStream_t stream) {
        if (size_ + values.size() > capacity_) reserve(2 * (size_ + values.size()), stream);
        expect(cudaMemcpyAsync(data_ + size_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream), "append");
        expect(cudaStreamSynchronize(stream), "append");
        size_ += values.size();
    }
    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    unsigned generation() const { return generation_; }

private:
    void reserve(std::size_t capacity, cudaStream_t stream) {
        T* grown = nullptr;
        expect(cudaMalloc(&grown, capacity * sizeof(T)), "grow");
        if (size_) expect(cudaMemcpyAsync(grown, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice, stream), "grow");
        expect(cudaStreamSynchronize(stream), "grow");
        expect(cudaFree(data_), "grow");
        data_ = grown;
        capacity_ = capacity;
        ++generation_;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
    unsigned generation_ = 0;
};

template <class Derived>
class ParticleSystem {
public:
    ParticleSystem() {
        expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        expect(cudaMalloc(&count_, sizeof(int)), "count");
    }
    ~ParticleSystem() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(count_);
        cudaStreamDestroy(stream_);
    }

    void emit(int n) {
        std::vector<Particle> born;
        for (int k = 0; k < n; ++k) born.push_back(static_cast<Derived*>(this)->spawn(int(particles_.size()) + k));
        particles_.append(born, stream_);
        const int total = int(particles_.size());
        expect(cudaMemcpyAsync(count_, &total, sizeof(int), cudaMemcpyHostToDevice, stream_), "count");
        expect(cudaStreamSynchronize(stream_), "count");
    }

    cudaError_t step() {
        if (!exec_ || builtFor_ != particles_.generation()) build();
        const cudaError_t rc = cudaGraphLaunch(exec_, stream_);
        return rc != cudaSuccess ? rc : cudaStreamSynchronize(stream_);
    }

    std::vector<Particle> snapshot() const {
        std::vector<Particle> out(particles_.size());
        if (cudaMemcpy(out.data(), particles_.data(), out.size() * sizeof(Particle), cudaMemcpyDeviceToHost) != cudaSuccess) out.clear();
        return out;
    }

private:
    void build() {
        if (exec_) expect(cudaGraphExecDestroy(std::exchange(exec_, nullptr)), "discard");
        cudaGraph_t graph = nullptr;
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
        integrate<<<8, 64, 0, stream_>>>(particles_.data(), count_, Derived::kGravity, Derived::kStep);
        expect(cudaStreamEndCapture(stream_, &graph), "end");
        expect(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        expect(cudaGraphDestroy(graph), "destroy");
        builtFor_ = particles_.generation();
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int* count_ = nullptr;
    unsigned builtFor_ = 0;
    DeviceVector<Particle> particles_;
};

struct Fountain : ParticleSystem<Fountain> {
    static constexpr float kGravity = 9.81f, kStep = 0.02f;
    Particle spawn(int index) const { return {0.0f, 5.0f + 0.01f * float(index)}; }
};

}  // namespace fx

int main() {
    try {
        fx::Fountain fountain;
        std::vector<fx::Particle> reference;
        int wrongBefore = 0, wrongAfter = 0;
        cudaError_t status = cudaSuccess;
        for (int wave = 0; wave < 2; ++wave) {
            const int n = wave == 0 ? 200 : 3000;
            fountain.emit(n);
            for (int k = 0; k < n; ++k) reference.push_back(fountain.spawn(int(reference.size())));
            for (int s = 0; s < 5 && status == cudaSuccess; ++s) {
                status = fountain.step();
                for (auto& p : reference) {
                    p.speed -= fx::Fountain::kGravity * fx::Fountain::kStep;
                    p.height += p.speed * fx::Fountain::kStep;
                }
            }
            const auto particles = fountain.snapshot();
            int wrong = particles.size() == reference.size() ? 0 : int(reference.size());
            for (std::size_t i = 0; i < particles.size(); ++i) wrong += !(std::fabs(particles[i].height - reference[i].height) < 1e-3f);
            (wave == 0 ? wrongBefore : wrongAfter) = wrong;
        }
        std::printf("status %s, wrong particles: %d before growth, %d after\n", cudaGetErrorName(status), wrongBefore, wrongAfter);
        const bool confirmed = wrongBefore == 0 && wrongAfter == 0 && status == cudaSuccess;
        std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL NOT CONFIRMED: a particle is wrong");
        return confirmed ? 0 : 1;
    } catch (const std::exception& e) {
        std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    }
    return 1;
}
