// Skeletal animation: advances joint poses on the GPU and builds the skinning palette for each frame.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace engine {

#define ENGINE_GPU(expr)                                                                              \
    do {                                                                                              \
        cudaError_t err_ = (expr);                                                                    \
        if (err_ != cudaSuccess) {                                                                    \
            std::fprintf(stderr, "[gpu] %s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));    \
            return false;                                                                             \
        }                                                                                             \
    } while (0)

struct BufferHandle {
    uint16_t index = 0xffff;
    uint16_t generation = 0;
};

// Owns every device buffer of the animation module; systems only keep handles.
class BufferManager {
public:
    ~BufferManager() {
        for (Slot& s : slots_) cudaFree(s.ptr);
    }
    bool create(size_t count, BufferHandle* out) {
        Slot s;
        ENGINE_GPU(cudaMalloc(&s.ptr, count * sizeof(float)));
        ENGINE_GPU(cudaMemset(s.ptr, 0, count * sizeof(float)));
        s.generation = static_cast<uint16_t>(slots_.size() + 1);
        slots_.push_back(s);
        out->index = static_cast<uint16_t>(slots_.size() - 1);
        out->generation = s.generation;
        return true;
    }
    float* resolve(BufferHandle h) const {
        if (h.index >= slots_.size() || slots_[h.index].generation != h.generation) return nullptr;
        return slots_[h.index].ptr;
    }

private:
    struct Slot {
        float* ptr = nullptr;
        uint16_t generation = 0;
    };
    std::vector<Slot> slots_;
};

constexpr int kJoints = 256;
constexpr int kThreads = 128;
constexpr int kPropagatePasses = 2;

__global__ void advancePose(const float* previous, const float* velocity, float* next, int joints) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < joints) next[j] = previous[j] + velocity[j];
}

__global__ void propagate(const float* src, float* dst, int joints) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < joints) dst[j] = src[j] + 1.0f;
}

class AnimationSystem {
public:
    explicit AnimationSystem(BufferManager& buffers) : buffers_(buffers) {}
    ~AnimationSystem() {
        for (cudaGraphExec_t e : exec_) {
            if (e) cudaGraphExecDestroy(e);
        }
        if (stream_) cudaStreamDestroy(stream_);
    }

    bool init(const std::vector<float>& velocity) {
        ENGINE_GPU(cudaStreamCreate(&stream_));
        if (!buffers_.create(kJoints, &pose_[0]) || !buffers_.create(kJoints, &pose_[1])) return false;
        if (!buffers_.create(kJoints, &scratch_[0]) || !buffers_.create(kJoints, &scratch_[1])) return false;
        if (!buffers_.create(kJoints, &velocity_)) return false;
        ENGINE_GPU(cudaMemcpy(buffers_.resolve(velocity_), velocity.data(), kJoints * sizeof(float),
                              cudaMemcpyHostToDevice));
        ENGINE_GPU(cudaDeviceSynchronize());
        return buildGraph(0, &exec_[0]) && buildGraph(1, &exec_[1]);
    }

    bool tick() {
        ENGINE_GPU(cudaGraphLaunch(exec_[front_], stream_));
        front_ ^= 1;
        return true;
    }

    bool readPalette(std::vector<float>* out) {
        out->resize(kJoints);
        ENGINE_GPU(cudaStreamSynchronize(stream_));
        ENGINE_GPU(cudaMemcpy(out->data(), buffers_.resolve(scratch_[0]), kJoints * sizeof(float),
                              cudaMemcpyDeviceToHost));
        return true;
    }

private:
    bool recordFrame(int front) {
        const dim3 grid(kJoints / kThreads);
        const float* previous = buffers_.resolve(pose_[front]);
        float* next = buffers_.resolve(pose_[front ^ 1]);
        advancePose<<<grid, kThreads, 0, stream_>>>(previous, buffers_.resolve(velocity_), next, kJoints);
        ENGINE_GPU(cudaGetLastError());

        // The palette passes ping-pong between the two scratch buffers and always finish in scratch 0.
        float* src = buffers_.resolve(scratch_[0]);
        float* dst = buffers_.resolve(scratch_[1]);
        ENGINE_GPU(cudaMemcpyAsync(src, next, kJoints * sizeof(float), cudaMemcpyDeviceToDevice, stream_));
        for (int pass = 0; pass < kPropagatePasses; ++pass) {
            propagate<<<grid, kThreads, 0, stream_>>>(src, dst, kJoints);
            ENGINE_GPU(cudaGetLastError());
            std::swap(src, dst);
        }
        return true;
    }

    bool buildGraph(int front, cudaGraphExec_t* exec) {
        ENGINE_GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        const bool recorded = recordFrame(front);
        cudaGraph_t graph = nullptr;
        ENGINE_GPU(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t inst = recorded ? cudaGraphInstantiate(exec, graph, 0) : cudaErrorUnknown;
        ENGINE_GPU(cudaGraphDestroy(graph));
        ENGINE_GPU(inst);
        return true;
    }

    BufferManager& buffers_;
    BufferHandle pose_[2];
    BufferHandle scratch_[2];
    BufferHandle velocity_;
    int front_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_[2] = {nullptr, nullptr};  // one per parity of the pose buffers
};

}  // namespace engine

int main() {
    std::vector<float> velocity(engine::kJoints);
    for (int j = 0; j < engine::kJoints; ++j) velocity[j] = static_cast<float>(1 + j % 7);

    bool calls = true, right = true;
    {
        engine::BufferManager buffers;
        engine::AnimationSystem animation(buffers);
        calls = animation.init(velocity);
        std::vector<float> palette;
        for (int frame = 1; calls && frame <= 5; ++frame) {
            calls = animation.tick() && animation.readPalette(&palette);
            for (int j = 0; calls && j < engine::kJoints; ++j) {
                const float want = velocity[j] * static_cast<float>(frame) + engine::kPropagatePasses;
                if (palette[j] != want) right = false;
            }
        }
    }
    std::printf("calls %d palettes %d\n", calls, right);
    std::puts(calls && right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
