// Monte-Carlo lattice: thermal kicks come from per-site generator states on the
// device, proposals from a counter-based generator keyed by a host engine.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

constexpr int kSites = 1024;
constexpr int kThreads = 128;

inline void expect(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "lattice_noise:%d: %s\n", line, cudaGetErrorString(e));
    std::puts("LABEL UNOBSERVED");
    std::exit(1);
}
#define EXPECT(x) expect((x), __LINE__)

__host__ __device__ inline std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

__host__ __device__ inline std::uint32_t advance(std::uint32_t s) { return s * 1664525u + 1013904223u; }

__global__ void seed_states(std::uint32_t* state) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSites) state[i] = mix(i + 1u);
}

__global__ void thermal_kick(std::uint32_t* state, std::uint32_t* kick) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kSites) return;
    state[i] = advance(state[i]);
    kick[i] = state[i] >> 8;
}

__global__ void propose(std::uint32_t* proposal, const std::uint32_t* key) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSites) proposal[i] = mix(*key ^ static_cast<std::uint32_t>(i));
}

struct Thermostat {
    std::uint32_t* state = nullptr;
    bool seeded = false;

    void ensure_seeded(cudaStream_t s) {
        if (seeded) return;
        seed_states<<<kSites / kThreads, kThreads, 0, s>>>(state);
        EXPECT(cudaGetLastError());
        seeded = true;
    }

    void kick(std::uint32_t* out, cudaStream_t s) {
        ensure_seeded(s);
        thermal_kick<<<kSites / kThreads, kThreads, 0, s>>>(state, out);
        EXPECT(cudaGetLastError());
    }
};

struct Lattice {
    std::function<std::uint32_t()> next_key;
    Thermostat bath;
    std::uint32_t *kick = nullptr, *proposal = nullptr;
    std::uint32_t *h_key = nullptr, *d_key = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
};

template <class T>
T* device_array(int n) {
    T* p = nullptr;
    EXPECT(cudaMalloc(reinterpret_cast<void**>(&p), n * sizeof(T)));
    return p;
}

static void lattice_open(Lattice& l, std::function<std::uint32_t()> next_key) {
    l.next_key = std::move(next_key);
    EXPECT(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
    l.bath.state = device_array<std::uint32_t>(kSites);
    l.kick = device_array<std::uint32_t>(kSites);
    l.proposal = device_array<std::uint32_t>(kSites);
    l.d_key = device_array<std::uint32_t>(1);
    EXPECT(cudaMallocHost(reinterpret_cast<void**>(&l.h_key), sizeof(std::uint32_t)));
    l.bath.ensure_seeded(l.stream);

    cudaGraph_t graph = nullptr;
    EXPECT(cudaStreamBeginCapture(l.stream, cudaStreamCaptureModeThreadLocal));
    l.bath.kick(l.kick, l.stream);
    EXPECT(cudaMemcpyAsync(l.d_key, l.h_key, sizeof(std::uint32_t), cudaMemcpyHostToDevice, l.stream));
    propose<<<kSites / kThreads, kThreads, 0, l.stream>>>(l.proposal, l.d_key);
    EXPECT(cudaGetLastError());
    EXPECT(cudaStreamEndCapture(l.stream, &graph));
    EXPECT(cudaGraphInstantiate(&l.exec, graph, 0));
    EXPECT(cudaGraphDestroy(graph));
}

static void lattice_step(Lattice& l, std::vector<std::uint32_t>& kick, std::vector<std::uint32_t>& proposal) {
    const std::size_t bytes = kSites * sizeof(std::uint32_t);
    *l.h_key = l.next_key();  // the previous step has been waited for
    EXPECT(cudaGraphLaunch(l.exec, l.stream));
    EXPECT(cudaMemcpyAsync(kick.data(), l.kick, bytes, cudaMemcpyDeviceToHost, l.stream));
    EXPECT(cudaMemcpyAsync(proposal.data(), l.proposal, bytes, cudaMemcpyDeviceToHost, l.stream));
    EXPECT(cudaStreamSynchronize(l.stream));
}

static void lattice_close(Lattice& l) {
    EXPECT(cudaStreamSynchronize(l.stream));
    EXPECT(cudaGraphExecDestroy(l.exec));
    for (std::uint32_t* p : {l.bath.state, l.kick, l.proposal}) EXPECT(cudaFree(p));
    EXPECT(cudaFree(l.d_key));
    EXPECT(cudaFreeHost(l.h_key));
    EXPECT(cudaStreamDestroy(l.stream));
}

int main() {
    std::mt19937 engine(2024u), mirror(2024u);
    Lattice lattice;
    lattice_open(lattice, [&engine] { return static_cast<std::uint32_t>(engine()); });

    constexpr int kSteps = 4;
    std::vector<std::uint32_t> state(kSites), kick(kSites), proposal(kSites);
    for (int i = 0; i < kSites; ++i) state[i] = mix(i + 1u);
    int stale_kicks = 0, stale_proposals = 0;
    for (int step = 0; step < kSteps; ++step) {
        lattice_step(lattice, kick, proposal);
        const std::uint32_t key = static_cast<std::uint32_t>(mirror());
        bool kick_differs = false, proposal_differs = false;
        for (int i = 0; i < kSites; ++i) {
            state[i] = advance(state[i]);
            kick_differs |= kick[i] != state[i] >> 8;
            proposal_differs |= proposal[i] != mix(key ^ static_cast<std::uint32_t>(i));
        }
        stale_kicks += kick_differs;
        stale_proposals += proposal_differs;
    }
    lattice_close(lattice);
    std::printf("of %d steps: %d with wrong kicks, %d with wrong proposals\n", kSteps, stale_kicks, stale_proposals);
    std::puts(stale_kicks == 0 && stale_proposals == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
