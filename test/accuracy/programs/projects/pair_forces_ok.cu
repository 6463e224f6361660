// pair_forces: molecular dynamics toy with a neighbor list that lives on the device. The list is rebuilt every few
// steps outside the step graph; the step graph itself is recorded again only when the list had to be reallocated.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#define MD_TRY(call)                                                                        \
    if (cudaError_t md_err = (call); md_err != cudaSuccess) {                               \
        std::fprintf(stderr, "md: line %d: %s\n", __LINE__, cudaGetErrorString(md_err));    \
        return false;                                                                       \
    }

namespace md {

constexpr int   kAtoms = 512;
constexpr int   kBlock = 128;
constexpr int   kRebuildEvery = 5;
constexpr float kCutoff = 1.0f;
constexpr float kSkin = 0.35f;
constexpr float kShrink = 0.96f;

struct NeighborList {
    int2 *pairs = nullptr;
    int  *d_count = nullptr;
    int   capacity = 0;
    int   count = 0;  // host copy, valid after a rebuild
};

__global__ void find_pairs(const float *x, int n, float range, int2 *pairs, int *count, int capacity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = i + 1; j < n; ++j) {
        if (fabsf(x[i] - x[j]) >= range) continue;
        const int slot = atomicAdd(count, 1);
        if (slot < capacity) pairs[slot] = make_int2(i, j);
    }
}

__global__ void coordination(const float *x, const int2 *pairs, const int *count, float cutoff, int *coord) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= *count) return;
    const int2 ij = pairs[p];
    if (fabsf(x[ij.x] - x[ij.y]) < cutoff) {
        atomicAdd(&coord[ij.x], 1);
        atomicAdd(&coord[ij.y], 1);
    }
}

__global__ void sum_coordination(const int *coord, int n, int *total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, coord[i]);
}

__global__ void contract(float *x, int n, float s) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * s;
}

inline int blocks(int n) { return (n + kBlock - 1) / kBlock; }

class System {
public:
    bool init(const std::vector<float> &x) {
        MD_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        MD_TRY(cudaMalloc(&x_, kAtoms * sizeof(float)));
        MD_TRY(cudaMalloc(&coord_, kAtoms * sizeof(int)));
        MD_TRY(cudaMalloc(&total_, sizeof(int)));
        MD_TRY(cudaMalloc(&list_.d_count, sizeof(int)));
        MD_TRY(cudaMemcpy(x_, x.data(), kAtoms * sizeof(float), cudaMemcpyHostToDevice));
        return reserve(2048);
    }

    bool step(int index, int *total) {
        if (index % kRebuildEvery == 0 && !rebuild()) return false;
        if (!exec_ && !record()) return false;
        MD_TRY(cudaGraphLaunch(exec_, stream_));
        MD_TRY(cudaMemcpyAsync(total, total_, sizeof(int), cudaMemcpyDeviceToHost, stream_));
        MD_TRY(cudaStreamSynchronize(stream_));
        return true;
    }

    int pairs() const { return list_.count; }

    ~System() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(x_);
        cudaFree(coord_);
        cudaFree(total_);
        cudaFree(list_.d_count);
        cudaFree(list_.pairs);
        if (stream_) cudaStreamDestroy(stream_);
    }

private:
    bool reserve(int capacity) {
        if (exec_) MD_TRY(cudaGraphExecDestroy(std::exchange(exec_, nullptr)));  // it knows the old list
        MD_TRY(cudaFree(list_.pairs));
        MD_TRY(cudaMalloc(&list_.pairs, capacity * sizeof(int2)));
        list_.capacity = capacity;
        return true;
    }

    bool rebuild() {
        for (;;) {
            MD_TRY(cudaMemsetAsync(list_.d_count, 0, sizeof(int), stream_));
            find_pairs<<<blocks(kAtoms), kBlock, 0, stream_>>>(x_, kAtoms, kCutoff + kSkin, list_.pairs, list_.d_count,
                                                              list_.capacity);
            MD_TRY(cudaGetLastError());
            MD_TRY(cudaMemcpyAsync(&list_.count, list_.d_count, sizeof(int), cudaMemcpyDeviceToHost, stream_));
            MD_TRY(cudaStreamSynchronize(stream_));
            if (list_.count <= list_.capacity) return true;
            if (!reserve(list_.count + list_.count / 2)) return false;
        }
    }

    bool record() {
        MD_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        const bool ok = enqueue_step();
        cudaGraph_t graph = nullptr;
        MD_TRY(cudaStreamEndCapture(stream_, &graph));
        if (ok) MD_TRY(cudaGraphInstantiate(&exec_, graph, 0));
        MD_TRY(cudaGraphDestroy(graph));
        return ok;
    }

    bool enqueue_step() {
        MD_TRY(cudaMemsetAsync(coord_, 0, kAtoms * sizeof(int), stream_));
        MD_TRY(cudaMemsetAsync(total_, 0, sizeof(int), stream_));
        // enough threads for a full list; the number of pairs is read on the device
        coordination<<<blocks(list_.capacity), kBlock, 0, stream_>>>(x_, list_.pairs, list_.d_count, kCutoff, coord_);
        MD_TRY(cudaGetLastError());
        sum_coordination<<<blocks(kAtoms), kBlock, 0, stream_>>>(coord_, kAtoms, total_);
        MD_TRY(cudaGetLastError());
        contract<<<blocks(kAtoms), kBlock, 0, stream_>>>(x_, kAtoms, kShrink);
        MD_TRY(cudaGetLastError());
        return true;
    }

    cudaStream_t    stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float          *x_ = nullptr;
    int            *coord_ = nullptr;
    int            *total_ = nullptr;
    NeighborList    list_;
};

int reference(const std::vector<float> &x) {
    int total = 0;
    for (int i = 0; i < kAtoms; ++i)
        for (int j = i + 1; j < kAtoms; ++j)
            if (std::fabs(x[i] - x[j]) < kCutoff) total += 2;
    return total;
}

}  // namespace md

int main() {
    std::vector<float> x(md::kAtoms);
    for (int i = 0; i < md::kAtoms; ++i) x[i] = 0.9f * float(i);
    md::System system;
    bool ok = system.init(x);
    int  wrong = 0;
    for (int step = 0; ok && step < 50; ++step) {
        int total = -1;
        ok = system.step(step, &total);
        if (ok && total != md::reference(x)) ++wrong;
        if (step % 10 == 0) std::printf("step %2d: %d pairs listed, total coordination %d\n", step, system.pairs(), total);
        for (float &v : x) v = v * md::kShrink;
    }
    std::printf("%d wrong steps\n%s\n", wrong, ok && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
