// Seals blobs with a keyed mix. The pipeline depends on a profile that operations staff may change at run
// time; all functions return Err, resources are guarded by scope guards, and nothing throws.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace seal {

constexpr int kWords = 1024;

enum class Err { kOk, kStream, kMemory, kRecord, kBuild, kReplay };

inline const char* name(Err e) {
    static const char* const names[] = {"ok", "stream", "memory", "record", "build", "replay"};
    return names[static_cast<int>(e)];
}

template <class F>
class ScopeExit {
public:
    explicit ScopeExit(F f) : f_(std::move(f)) {}
    ScopeExit(const ScopeExit&) = delete;
    ScopeExit& operator=(const ScopeExit&) = delete;
    ~ScopeExit() { f_(); }

private:
    F f_;
};

struct Profile {
    uint32_t key;
    int rounds;
    bool whiten;
};

__host__ __device__ inline uint32_t mixWord(uint32_t w, uint32_t key, int rounds) {
    for (int r = 0; r < rounds; ++r) w = (w ^ key) * 2654435761u + static_cast<uint32_t>(r);
    return w;
}
__host__ __device__ inline uint32_t whitenWord(uint32_t w, int i) { return w ^ (0xA5A5A5A5u + 7u * i); }

__global__ void mix(uint32_t* blob, uint32_t key, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kWords) blob[i] = mixWord(blob[i], key, rounds);
}
__global__ void whiten(uint32_t* blob) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kWords) blob[i] = whitenWord(blob[i], i);
}

struct Sealer {
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
    uint32_t* blob = nullptr;

    Sealer() = default;
    Sealer(const Sealer&) = delete;
    Sealer& operator=(const Sealer&) = delete;
    ~Sealer() {
        if (exec) cudaGraphExecDestroy(exec);
        cudaFree(blob);
        if (stream) cudaStreamDestroy(stream);
    }
};

Err open(Sealer& s) {
    if (cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking) != cudaSuccess) return Err::kStream;
    if (cudaMalloc(&s.blob, kWords * sizeof(uint32_t)) != cudaSuccess) return Err::kMemory;
    return Err::kOk;
}

template <class... Params, class... Args>
cudaError_t enqueue(cudaStream_t stream, void (*kernel)(Params...), Args... args) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(kWords / 128);
    config.blockDim = dim3(128);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

Err record(const Sealer& s, const Profile& p, cudaGraph_t* graph) {
    if (cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return Err::kRecord;
    bool finished = false;
    ScopeExit abandon([&] {
        cudaGraph_t partial = nullptr;
        if (!finished && cudaStreamEndCapture(s.stream, &partial) == cudaSuccess) cudaGraphDestroy(partial);
    });
    if (enqueue(s.stream, mix, s.blob, p.key, p.rounds) != cudaSuccess) return Err::kRecord;
    if (p.whiten && enqueue(s.stream, whiten, s.blob) != cudaSuccess) return Err::kRecord;
    finished = true;
    return cudaStreamEndCapture(s.stream, graph) == cudaSuccess ? Err::kOk : Err::kRecord;
}

// Brings the executable in line with the profile. Called while the stream is idle.
Err refresh(Sealer& s, const Profile& p) {
    cudaGraph_t graph = nullptr;
    const Err recorded = record(s, p, &graph);
    if (recorded != Err::kOk) return recorded;
    ScopeExit dropGraph([&] { cudaGraphDestroy(graph); });
    if (s.exec) {
        cudaGraphExecUpdateResultInfo info = {};
        if (cudaGraphExecUpdate(s.exec, graph, &info) == cudaSuccess) return Err::kOk;
        // Another topology: not an error, the executable is built anew.
        (void)cudaGetLastError();
        if (cudaGraphExecDestroy(std::exchange(s.exec, nullptr)) != cudaSuccess) return Err::kBuild;
    }
    return cudaGraphInstantiate(&s.exec, graph, 0) == cudaSuccess ? Err::kOk : Err::kBuild;
}

Err sealBlob(Sealer& s, const std::vector<uint32_t>& in, std::vector<uint32_t>& out) {
    const size_t bytes = kWords * sizeof(uint32_t);
    if (cudaMemcpyAsync(s.blob, in.data(), bytes, cudaMemcpyHostToDevice, s.stream) != cudaSuccess) return Err::kMemory;
    if (cudaGraphLaunch(s.exec, s.stream) != cudaSuccess) return Err::kReplay;
    if (cudaMemcpyAsync(out.data(), s.blob, bytes, cudaMemcpyDeviceToHost, s.stream) != cudaSuccess) return Err::kMemory;
    return cudaStreamSynchronize(s.stream) == cudaSuccess ? Err::kOk : Err::kReplay;
}

}  // namespace seal

int main() {
    using namespace seal;
    const Profile profiles[] = {{0x1234u, 3, false}, {0x9999u, 5, false}, {0x9999u, 5, true}, {0x4321u, 2, true}};
    std::vector<uint32_t> in(kWords), out(kWords);
    int wrong[4] = {0, 0, 0, 0};
    Err err = Err::kOk;
    {
        Sealer sealer;
        err = open(sealer);
        for (int p = 0; p < 4 && err == Err::kOk; ++p) {
            err = refresh(sealer, profiles[p]);
            for (int blob = 0; blob < 3 && err == Err::kOk; ++blob) {
                for (int i = 0; i < kWords; ++i) in[i] = 17u * i + 1000u * blob + p;
                err = sealBlob(sealer, in, out);
                for (int i = 0; i < kWords; ++i) {
                    uint32_t want = mixWord(in[i], profiles[p].key, profiles[p].rounds);
                    if (profiles[p].whiten) want = whitenWord(want, i);
                    wrong[p] += out[i] != want;
                }
            }
        }
    }
    std::printf("err %s, wrong words by profile: %d %d %d %d\n", name(err), wrong[0], wrong[1], wrong[2], wrong[3]);
    const bool confirmed = err == Err::kOk && wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return confirmed ? 0 : 1;
}
