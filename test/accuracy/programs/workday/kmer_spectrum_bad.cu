// k-mer spectrum of sequencing reads. The counter is a template over k; batches of reads are replayed as a graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#define GX_CHECK(expr)                                                                          \
    if (cudaError_t gx_err = (expr); gx_err != cudaSuccess) {                                   \
        std::cout << "LABEL NOT CONFIRMED: " #expr ": " << cudaGetErrorString(gx_err) << '\n'; \
        std::exit(1);                                                                           \
    }

namespace gx {

constexpr int kBatchBases = 4096;

__device__ inline uint32_t two_bit(char base) { return (base >> 1) & 3; } // A 0, C 1, T 2, G 3

template <int K>
__global__ void encode_kmers(const char* bases, uint32_t* codes, int kmers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= kmers) return;
    uint32_t code = 0;
    for (int j = 0; j < K; ++j) code = code << 2 | two_bit(bases[i + j]);
    codes[i] = code;
}

template <int K>
__global__ void count_kmers(const uint32_t* codes, unsigned* spectrum, int kmers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kmers) atomicAdd(&spectrum[codes[i]], 1u);
}

struct launch_shape {
    dim3 grid, block;
    explicit launch_shape(int items) : grid((items + 127) / 128), block(128) {}
};

template <int K>
class spectrum_counter {
public:
    static constexpr int bins = 1 << (2 * K);
    static constexpr int kmers = kBatchBases - K + 1;

    spectrum_counter()
    {
        GX_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        GX_CHECK(cudaMallocHost(&reads_, kBatchBases));
        GX_CHECK(cudaMalloc(&bases_, kBatchBases));
        GX_CHECK(cudaMalloc(&codes_, kmers * sizeof(uint32_t)));
        GX_CHECK(cudaMalloc(&spectrum_, bins * sizeof(unsigned)));
    }
    ~spectrum_counter()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(reads_);
        cudaFree(bases_);
        cudaFree(codes_);
        cudaFree(spectrum_);
        cudaStreamDestroy(stream_);
    }
    spectrum_counter(const spectrum_counter&) = delete;
    spectrum_counter& operator=(const spectrum_counter&) = delete;

    std::vector<unsigned> operator()(const std::string& reads)
    {
        std::memcpy(reads_, reads.data(), kBatchBases);
        GX_CHECK(cudaMemcpyAsync(bases_, reads_, kBatchBases, cudaMemcpyHostToDevice, stream_));
        GX_CHECK(cudaStreamSynchronize(stream_));
        if (!exec_) record();
        GX_CHECK(cudaGraphLaunch(exec_, stream_));
        std::vector<unsigned> result(bins);
        GX_CHECK(cudaMemcpyAsync(result.data(), spectrum_, bins * sizeof(unsigned), cudaMemcpyDeviceToHost, stream_));
        GX_CHECK(cudaStreamSynchronize(stream_));
        return result;
    }

private:
    void clear()
    {
        GX_CHECK(cudaMemset(spectrum_, 0, bins * sizeof(unsigned))); // HAZARD default_stream
    }

    void record()
    {
        const launch_shape shape(kmers);
        cudaGraph_t graph = nullptr;
        GX_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        clear();
        encode_kmers<K><<<shape.grid, shape.block>>>(bases_, codes_, kmers); // HAZARD default_stream
        count_kmers<K><<<shape.grid, shape.block, 0, stream_>>>(codes_, spectrum_, kmers);
        GX_CHECK(cudaStreamEndCapture(stream_, &graph));
        GX_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        GX_CHECK(cudaGraphDestroy(graph));
        GX_CHECK(cudaDeviceSynchronize());
    }

    cudaStream_t stream_ = nullptr;
    char* reads_ = nullptr;
    char* bases_ = nullptr;
    uint32_t* codes_ = nullptr;
    unsigned* spectrum_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

} // namespace gx

int main()
{
    using counter = gx::spectrum_counter<3>;
    counter count;
    const unsigned all = counter::kmers;
    const auto homopolymer = [](char base) { return std::string(gx::kBatchBases, base); };
    const int aaa = 0, ccc = 21, ttt = 42; // two bits a base

    const auto a = count(homopolymer('A'));
    const auto c = count(homopolymer('C'));
    const auto t = count(homopolymer('T'));
    const bool first = a[aaa] == all;
    const bool encodedOnce = c[ccc] == 0 && t[ttt] == 0;
    const bool accumulates = c[aaa] == 2 * all && t[aaa] == 3 * all;
    if (first && encodedOnce && accumulates) {
        std::cout << "LABEL CONFIRMED\n";
        return 0;
    }
    std::cout << "LABEL NOT CONFIRMED: AAA " << a[aaa] << ' ' << c[aaa] << ' ' << t[aaa] << ", CCC " << c[ccc]
              << ", TTT " << t[ttt] << '\n';
    return 1;
}
