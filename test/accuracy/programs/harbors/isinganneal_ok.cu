// Simulated annealing of a batch of 2-D Ising lattices, checkerboard Metropolis, Philox streams from cuRAND.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

constexpr int L = 32;         // lattice side
constexpr int V = L * L;      // sites
constexpr int R = 6;          // replicas
constexpr int n_levels = 5;   // possible values of s * (sum of neighbours): -4, -2, 0, 2, 4
constexpr unsigned long long seed = 0x5eed1234abcdULL;

inline void ck(cudaError_t rc) {
    if (rc != cudaSuccess) throw std::runtime_error(cudaGetErrorString(rc));
}

struct stream_deleter { void operator()(cudaStream_t s) const { cudaStreamDestroy(s); } };
struct graph_deleter { void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); } };
struct exec_deleter { void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); } };
struct device_deleter { void operator()(void* p) const { cudaFree(p); } };
struct pinned_deleter { void operator()(void* p) const { cudaFreeHost(p); } };
using stream_ptr = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, stream_deleter>;
using graph_ptr = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, graph_deleter>;
using exec_ptr = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, exec_deleter>;
template <class T> using device_ptr = std::unique_ptr<T, device_deleter>;
template <class T> using pinned_ptr = std::unique_ptr<T, pinned_deleter>;

template <class T> device_ptr<T> device_array(std::size_t n) {
    T* p = nullptr;
    ck(cudaMalloc(&p, n * sizeof(T)));
    ck(cudaMemset(p, 0, n * sizeof(T)));
    return device_ptr<T>(p);
}
template <class T> pinned_ptr<T> pinned_array(std::size_t n) {
    T* p = nullptr;
    ck(cudaMallocHost(&p, n * sizeof(T)));
    return pinned_ptr<T>(p);
}

__host__ __device__ inline int neighbour_sum(const int* s, int x, int y) {
    return s[y * L + (x + 1) % L] + s[y * L + (x + L - 1) % L] + s[((y + 1) % L) * L + x] + s[((y + L - 1) % L) * L + x];
}

// One thread per site of one colour; every thread consumes one group of four numbers of its own subsequence.
__global__ void half_sweep(int* spins, const std::uint32_t* accept, int colour,
                           const unsigned long long* sweep) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= V / 2) return;
    int replica = blockIdx.y;
    int y = k / (L / 2), x = 2 * (k % (L / 2)) + ((y + colour) & 1);
    int* s = spins + replica * V;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, static_cast<unsigned long long>(replica) * V + y * L + x, 4 * (2 * *sweep + colour),
                &state);
    std::uint32_t r = curand4(&state).x;
    int level = (s[y * L + x] * neighbour_sum(s, x, y) + 4) / 2;
    if (r <= accept[replica * n_levels + level]) s[y * L + x] = -s[y * L + x];
}

__global__ void next_sweep(unsigned long long* sweep) { ++*sweep; }

__global__ void magnetisation(const int* spins, int* m) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int local = 0;
    for (int i = threadIdx.x; i < V; i += blockDim.x) local += spins[blockIdx.x * V + i];
    atomicAdd(&sum, local);
    __syncthreads();
    if (threadIdx.x == 0) m[blockIdx.x] = sum;
}

void fill_acceptance(std::uint32_t* accept, int t) {
    for (int r = 0; r < R; ++r) {
        double beta = 0.2 + 0.05 * r + 0.03 * t;
        for (int l = 0; l < n_levels; ++l) {
            double p = std::min(1.0, std::exp(-2.0 * beta * (2 * l - 4)));
            accept[r * n_levels + l] = static_cast<std::uint32_t>(p * 4294967295.0);
        }
    }
}

template <class Body>
exec_ptr capture(cudaStream_t q, Body&& body) {
    ck(cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal));
    cudaError_t inside = body(q);
    cudaGraph_t raw = nullptr;
    cudaError_t ended = cudaStreamEndCapture(q, &raw);
    graph_ptr g(raw);
    ck(inside);
    ck(ended);
    cudaGraphExec_t e = nullptr;
    ck(cudaGraphInstantiate(&e, g.get(), 0));
    return exec_ptr(e);
}

struct annealer {
    stream_ptr q;
    device_ptr<int> spins, m;
    device_ptr<std::uint32_t> accept;
    pinned_ptr<std::uint32_t> accept_host;
    pinned_ptr<int> m_host;
    device_ptr<unsigned long long> sweep;
    exec_ptr exec;

    explicit annealer(const std::vector<int>& s0) {
        cudaStream_t raw = nullptr;
        ck(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking));
        q.reset(raw);
        spins = device_array<int>(R * V);
        m = device_array<int>(R);
        sweep = device_array<unsigned long long>(1);
        accept = device_array<std::uint32_t>(R * n_levels);
        accept_host = pinned_array<std::uint32_t>(R * n_levels);
        m_host = pinned_array<int>(R);
        ck(cudaMemcpy(spins.get(), s0.data(), R * V * sizeof(int), cudaMemcpyHostToDevice));
        ck(cudaDeviceSynchronize());
        exec = capture(q.get(), [this](cudaStream_t s) { return one_sweep(s); });
    }

    cudaError_t one_sweep(cudaStream_t s) {
        cudaError_t rc = cudaMemcpyAsync(accept.get(), accept_host.get(), R * n_levels * sizeof(std::uint32_t),
                                         cudaMemcpyHostToDevice, s);
        const dim3 grid((V / 2 + 127) / 128, R);
        for (int colour = 0; colour < 2 && rc == cudaSuccess; ++colour) {
            half_sweep<<<grid, 128, 0, s>>>(spins.get(), accept.get(), colour, sweep.get());
            rc = cudaGetLastError();
        }
        if (rc != cudaSuccess) return rc;
        next_sweep<<<1, 1, 0, s>>>(sweep.get());
        if ((rc = cudaGetLastError()) != cudaSuccess) return rc;
        magnetisation<<<R, 128, 0, s>>>(spins.get(), m.get());
        if ((rc = cudaGetLastError()) != cudaSuccess) return rc;
        return cudaMemcpyAsync(m_host.get(), m.get(), R * sizeof(int), cudaMemcpyDeviceToHost, s);
    }

    std::array<int, R> step(int t) {
        fill_acceptance(accept_host.get(), t);
        ck(cudaGraphLaunch(exec.get(), q.get()));
        ck(cudaStreamSynchronize(q.get()));
        std::array<int, R> out;
        std::copy_n(m_host.get(), R, out.begin());
        return out;
    }
};

// ---- host reference -------------------------------------------------------------------------------------------------

std::uint32_t philox_first(std::uint64_t key, std::uint64_t subsequence, std::uint64_t group) {
    std::uint32_t c[4] = {std::uint32_t(group), std::uint32_t(group >> 32), std::uint32_t(subsequence),
                          std::uint32_t(subsequence >> 32)};
    std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
    for (int round = 0; round < 10; ++round) {
        std::uint64_t a = std::uint64_t(0xD2511F53u) * c[0], b = std::uint64_t(0xCD9E8D57u) * c[2];
        std::uint32_t n0 = std::uint32_t(b >> 32) ^ c[1] ^ k0, n2 = std::uint32_t(a >> 32) ^ c[3] ^ k1;
        c[1] = std::uint32_t(b);
        c[3] = std::uint32_t(a);
        c[0] = n0;
        c[2] = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c[0];
}

std::array<int, R> reference_sweep(std::vector<int>& spins, int t) {
    std::vector<std::uint32_t> accept(R * n_levels);
    fill_acceptance(accept.data(), t);
    std::array<int, R> m{};
    for (int r = 0; r < R; ++r) {
        int* s = spins.data() + r * V;
        for (int colour = 0; colour < 2; ++colour)
            for (int y = 0; y < L; ++y)
                for (int x = (y + colour) & 1; x < L; x += 2) {
                    int level = (s[y * L + x] * neighbour_sum(s, x, y) + 4) / 2;
                    std::uint32_t u = philox_first(seed, std::uint64_t(r) * V + y * L + x, 2ull * t + colour);
                    if (u <= accept[r * n_levels + level]) s[y * L + x] = -s[y * L + x];
                }
        for (int i = 0; i < V; ++i) m[r] += s[i];
    }
    return m;
}

int main() {
    std::vector<int> spins(R * V);
    for (int i = 0; i < R * V; ++i) spins[i] = (philox_first(99, i, 0) & 1) ? 1 : -1;
    int first_mismatch = -1, mismatches = 0;
    bool finished = false;
    try {
        annealer a(spins);
        for (int t = 0; t < 12; ++t) {
            std::array<int, R> got = a.step(t), want = reference_sweep(spins, t);
            if (got != want) {
                ++mismatches;
                if (first_mismatch < 0) first_mismatch = t;
            }
        }
        std::vector<int> final_spins(R * V);
        ck(cudaMemcpy(final_spins.data(), a.spins.get(), R * V * sizeof(int), cudaMemcpyDeviceToHost));
        mismatches += final_spins != spins;
        finished = true;
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
    }
    std::printf("mismatches %d, first at sweep %d\n", mismatches, first_mismatch);
    const bool confirmed = finished && mismatches == 0 && first_mismatch < 0;
    std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return confirmed ? 0 : 1;
}
