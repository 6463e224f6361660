// Codon usage of both strands of a genome, counted on parallel branches of one graph.
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace codon {

constexpr int kBins = 64;
using histogram = std::array<unsigned, kBins>;

// ---- strand policies --------------------------------------------------------------------------------------------
struct forward_strand {
    __host__ __device__ static int index(const uint8_t* b, int i) { return b[i] * 16 + b[i + 1] * 4 + b[i + 2]; }
};
struct reverse_strand {
    __host__ __device__ static int index(const uint8_t* b, int i) {
        return (3 - b[i + 2]) * 16 + (3 - b[i + 1]) * 4 + (3 - b[i]);
    }
};

template <class Strand>
__global__ void tally(const uint8_t* bases, int codons, unsigned* bins) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < codons; i += stride) {
        atomicAdd(&bins[Strand::index(bases, i)], 1u);
    }
}

__global__ void publish(const unsigned* bins, unsigned* result) { result[threadIdx.x] = bins[threadIdx.x]; }

__global__ void addBins(const unsigned* a, const unsigned* b, unsigned* out) {
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

// ---- owning device array ----------------------------------------------------------------------------------------
template <class T>
class device_array {
public:
    explicit device_array(size_t n) {
        if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess) data_ = nullptr;
    }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    T* get() const { return data_; }

private:
    T* data_ = nullptr;
};

// ---- status accumulation ----------------------------------------------------------------------------------------
struct status {
    cudaError_t code = cudaSuccess;
    status& operator&=(cudaError_t rc) {
        if (code == cudaSuccess) code = rc;
        return *this;
    }
};

// One branch: clear the working bins, tally, publish. The working bins may be lent by the caller.
template <class Strand>
class branch {
public:
    branch(unsigned* working, unsigned* result) : working_(working), result_(result) {}
    void enqueue(const uint8_t* bases, int codons, cudaStream_t stream, status& st) const {
        st &= cudaMemsetAsync(working_, 0, kBins * sizeof(unsigned), stream);  // HAZARD concurrent #working
        tally<Strand><<<4, 128, 0, stream>>>(bases, codons, working_);  // HAZARD concurrent #working
        publish<<<1, kBins, 0, stream>>>(working_, result_);  // HAZARD concurrent #working
        st &= cudaGetLastError();
    }

private:
    unsigned* working_;
    unsigned* result_;
};

// Forks the second branch to its own stream and joins it again.
template <class First, class Second>
void fork_join(const First& first, const Second& second, const uint8_t* bases, int codons, cudaStream_t main,
               cudaStream_t side, cudaEvent_t forked, cudaEvent_t joined, status& st) {
    st &= cudaEventRecord(forked, main);
    st &= cudaStreamWaitEvent(side, forked, 0);
    first.enqueue(bases, codons, main, st);
    second.enqueue(bases, codons, side, st);
    st &= cudaEventRecord(joined, side);
    st &= cudaStreamWaitEvent(main, joined, 0);
}

inline histogram reference(const std::vector<uint8_t>& bases, bool forward) {
    histogram h{};
    for (size_t i = 0; i + 2 < bases.size(); ++i) {
        const int at = static_cast<int>(i);
        ++h[forward ? forward_strand::index(bases.data(), at) : reverse_strand::index(bases.data(), at)];
    }
    return h;
}

}  // namespace codon

int main() {
    using namespace codon;
    constexpr int kBases = 8 << 20;
    std::vector<uint8_t> genome(kBases);

    status st;
    cudaStream_t main = nullptr, side = nullptr;
    cudaEvent_t forked = nullptr, joined = nullptr;
    st &= cudaStreamCreate(&main);
    st &= cudaStreamCreate(&side);
    st &= cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    st &= cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);

    bool separate = true, summed = true;
    {
        device_array<uint8_t> bases(kBases);
        device_array<unsigned> working(kBins);
        device_array<unsigned> plus(kBins), minus(kBins), both(kBins);
        const branch<forward_strand> sense(working.get(), plus.get());
        const branch<reverse_strand> antisense(working.get(), minus.get());  // HAZARD concurrent #working

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        st &= cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal);
        if (st.code == cudaSuccess) {
            fork_join(sense, antisense, bases.get(), kBases - 2, main, side, forked, joined, st);
            // Both branches are over here: the working bins serve for the sum of the strands.
            addBins<<<1, kBins, 0, main>>>(plus.get(), minus.get(), working.get());
            publish<<<1, kBins, 0, main>>>(working.get(), both.get());
            st &= cudaGetLastError();
            st &= cudaStreamEndCapture(main, &graph);
        }
        if (st.code == cudaSuccess) st &= cudaGraphInstantiate(&exec, graph, 0);

        for (int sample = 1; st.code == cudaSuccess && sample <= 3; ++sample) {
            uint32_t state = 17u * sample;
            for (uint8_t& b : genome) {
                state = state * 1664525u + 1013904223u;
                b = static_cast<uint8_t>((state >> 24) % 7u & 3u);
            }
            st &= cudaMemcpy(bases.get(), genome.data(), genome.size(), cudaMemcpyHostToDevice);
            st &= cudaDeviceSynchronize();
            st &= cudaGraphLaunch(exec, main);
            st &= cudaStreamSynchronize(main);
            histogram p{}, m{}, b{};
            st &= cudaMemcpy(p.data(), plus.get(), sizeof(p), cudaMemcpyDeviceToHost);
            st &= cudaMemcpy(m.data(), minus.get(), sizeof(m), cudaMemcpyDeviceToHost);
            st &= cudaMemcpy(b.data(), both.get(), sizeof(b), cudaMemcpyDeviceToHost);
            const histogram rp = reference(genome, true), rm = reference(genome, false);
            separate = separate && p == rp && m == rm;
            for (int i = 0; i < kBins; ++i) summed = summed && b[i] == rp[i] + rm[i];
        }
        if (exec) st &= cudaGraphExecDestroy(exec);
        if (graph) st &= cudaGraphDestroy(graph);
    }
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
    cudaStreamDestroy(side);
    cudaStreamDestroy(main);
    std::printf("status %s, strands %d, sum %d\n", cudaGetErrorName(st.code), separate, summed);
    std::puts(st.code == cudaSuccess && !separate ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
