// Cloth simulation on two GPU queues: wind and normals run on the async queue next to the solver.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <vector>

namespace cloth {

enum class QueueId : unsigned { Main = 0, Async = 1, Count = 2 };

struct FenceHandle {
    unsigned id;
};

// Remembers the first failure so that a whole frame can be recorded without checks in between.
struct GpuStatus {
    cudaError_t first = cudaSuccess;
    void note(cudaError_t e) {
        if (e != cudaSuccess && first == cudaSuccess) first = e;
    }
    bool good() const { return first == cudaSuccess; }
};

class QueueManager {
public:
    explicit QueueManager(GpuStatus& status) : status_(status) {
        for (cudaStream_t& q : queues_) status_.note(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking));
    }
    ~QueueManager() {
        for (cudaEvent_t e : fences_) cudaEventDestroy(e);
        for (cudaStream_t q : queues_) cudaStreamDestroy(q);
    }
    cudaStream_t native(QueueId q) const { return queues_[static_cast<unsigned>(q)]; }

    FenceHandle createFence() {
        cudaEvent_t e = nullptr;
        status_.note(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
        fences_.push_back(e);
        return FenceHandle{static_cast<unsigned>(fences_.size() - 1)};
    }
    void signal(QueueId q, FenceHandle f) { status_.note(cudaEventRecord(fences_[f.id], native(q))); }
    void wait(QueueId q, FenceHandle f) { status_.note(cudaStreamWaitEvent(native(q), fences_[f.id], 0)); }

private:
    GpuStatus& status_;
    std::array<cudaStream_t, static_cast<unsigned>(QueueId::Count)> queues_{};
    std::vector<cudaEvent_t> fences_;
};

constexpr int kVerts = 2048;
constexpr int kBlock = 256;
constexpr int kGrid = kVerts / kBlock;

__global__ void windForce(float* force, int verts) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < verts) force[v] = 1.0f + static_cast<float>(v % 3);
}

__global__ void predict(const float* position, float* predicted, int verts) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < verts) predicted[v] = position[v] + 4.0f;
}

__global__ void resolveConstraints(float* position, const float* predicted, const float* force, int verts) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < verts) position[v] = predicted[v] - force[v];
}

__global__ void buildNormals(const float* position, float* normal, int verts) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < verts) normal[v] = position[(v + 1) % verts] - position[v];
}

__global__ void packVertices(const float* position, float* packed, int verts) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < verts) packed[v] = 2.0f * position[v];
}

class ClothSystem {
public:
    ClothSystem(QueueManager& queues, GpuStatus& status) : queues_(queues), status_(status) {
        for (float** b : {&position_, &predicted_, &force_, &normal_, &packed_}) {
            status_.note(cudaMalloc(b, kVerts * sizeof(float)));
            status_.note(cudaMemset(*b, 0, kVerts * sizeof(float)));
        }
        status_.note(cudaDeviceSynchronize());
        begin_ = queues_.createFence();
        windReady_ = queues_.createFence();
        solved_ = queues_.createFence();
        normalsReady_ = queues_.createFence();
    }
    ~ClothSystem() {
        if (exec_) cudaGraphExecDestroy(exec_);
        for (float* b : {position_, predicted_, force_, normal_, packed_}) cudaFree(b);
    }

    cudaError_t record() {
        const cudaStream_t main = queues_.native(QueueId::Main);
        status_.note(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
        recordSolve();
        recordSurface();
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(main, &graph);
        status_.note(ended);
        if (!status_.good()) return status_.first;
        status_.note(cudaGraphInstantiate(&exec_, graph, 0));
        status_.note(cudaGraphDestroy(graph));
        return status_.first;
    }

    bool simulate() {
        status_.note(cudaGraphLaunch(exec_, queues_.native(QueueId::Main)));
        status_.note(cudaStreamSynchronize(queues_.native(QueueId::Main)));
        return status_.good();
    }

    bool download(std::vector<float>& normals, std::vector<float>& packed) {
        normals.assign(kVerts, 0.0f);
        packed.assign(kVerts, 0.0f);
        status_.note(cudaMemcpy(normals.data(), normal_, kVerts * sizeof(float), cudaMemcpyDeviceToHost));
        status_.note(cudaMemcpy(packed.data(), packed_, kVerts * sizeof(float), cudaMemcpyDeviceToHost));
        return status_.good();
    }

private:
    void recordSolve() {
        const cudaStream_t main = queues_.native(QueueId::Main);
        const cudaStream_t async = queues_.native(QueueId::Async);
        queues_.signal(QueueId::Main, begin_);
        queues_.wait(QueueId::Async, begin_);
        windForce<<<kGrid, kBlock, 0, async>>>(force_, kVerts);
        queues_.signal(QueueId::Async, windReady_);
        predict<<<kGrid, kBlock, 0, main>>>(position_, predicted_, kVerts);
        queues_.wait(QueueId::Main, windReady_);
        resolveConstraints<<<kGrid, kBlock, 0, main>>>(position_, predicted_, force_, kVerts);
        status_.note(cudaGetLastError());
    }

    // The surface data is only read after the frame, so normals overlap with the vertex packing.
    void recordSurface() {
        const cudaStream_t main = queues_.native(QueueId::Main);
        const cudaStream_t async = queues_.native(QueueId::Async);
        queues_.signal(QueueId::Main, solved_);
        queues_.wait(QueueId::Async, solved_);
        buildNormals<<<kGrid, kBlock, 0, async>>>(position_, normal_, kVerts);
        queues_.signal(QueueId::Async, normalsReady_);
        packVertices<<<kGrid, kBlock, 0, main>>>(position_, packed_, kVerts);
        queues_.wait(QueueId::Main, normalsReady_);
        status_.note(cudaGetLastError());
    }

    QueueManager& queues_;
    GpuStatus& status_;
    float *position_ = nullptr, *predicted_ = nullptr, *force_ = nullptr, *normal_ = nullptr, *packed_ = nullptr;
    FenceHandle begin_{}, windReady_{}, solved_{}, normalsReady_{};
    cudaGraphExec_t exec_ = nullptr;
};

static float positionAfter(int frames, int v) { return static_cast<float>(frames * (4 - (1 + v % 3))); }

}  // namespace cloth

int main() {
    using namespace cloth;
    GpuStatus status;
    QueueManager queues(status);
    ClothSystem system(queues, status);
    const bool ready = status.good();
    const cudaError_t recorded = system.record();
    bool right = recorded == cudaSuccess;
    std::vector<float> normals, packed;
    for (int frame = 1; right && frame <= 4; ++frame) {
        right = system.simulate() && system.download(normals, packed);
        for (int v = 0; right && v < kVerts; ++v) {
            const float p = positionAfter(frame, v);
            right = packed[v] == 2.0f * p && normals[v] == positionAfter(frame, (v + 1) % kVerts) - p;
        }
    }
    std::printf("record: %s, frames right: %d\n", cudaGetErrorName(recorded), right);
    std::puts(ready && right ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
