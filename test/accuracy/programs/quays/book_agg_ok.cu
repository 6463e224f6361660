// book_agg: per-symbol aggregation of quote bursts from the feed handler
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace feed {

#define feed_check(call)                                                              \
    do {                                                                              \
        cudaError_t rc_ = (call);                                                     \
        if (rc_ != cudaSuccess) {                                                     \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                    \
                         cudaGetErrorString(rc_));                                    \
            std::printf("LABEL WRONG\n");                                             \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)

struct quote {
    std::uint32_t symbol;
    std::int32_t price_ticks;
    std::int32_t quantity;
    std::uint32_t flags;
};
static_assert(std::is_trivially_copyable<quote>::value, "wire type");

struct burst_header {
    std::uint32_t count;
    std::uint32_t sequence;
};

constexpr int n_symbols = 32;

// ---- column policies: what is summed per symbol ---------------------------

struct notional_column {
    static __host__ __device__ long long value(const quote &q)
    {
        return static_cast<long long>(q.price_ticks) * q.quantity;
    }
};

struct volume_column {
    static __host__ __device__ long long value(const quote &q) { return q.quantity; }
};

template <class column>
__host__ __device__ inline bool accepts(const quote &q)
{
    return (q.flags & 1u) == 0u && q.quantity > 0 && column::value(q) != 0;
}

template <class column>
__global__ void aggregate(const burst_header *hdr, const quote *quotes, long long *out)
{
    __shared__ unsigned long long bins[n_symbols];
    if (threadIdx.x < n_symbols) bins[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t count = hdr->count;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x)
        if (accepts<column>(quotes[i]))
            atomicAdd(&bins[quotes[i].symbol % n_symbols],
                      static_cast<unsigned long long>(column::value(quotes[i])));
    __syncthreads();
    if (threadIdx.x < n_symbols)
        atomicAdd(reinterpret_cast<unsigned long long *>(&out[threadIdx.x]), bins[threadIdx.x]);
}

// ---- storage --------------------------------------------------------------

// Page-locked burst: the feed thread writes, the copy engine reads.
class pinned_burst {
public:
    explicit pinned_burst(std::size_t capacity) : capacity_(capacity)
    {
        feed_check(cudaMallocHost(&header_, sizeof(burst_header)));
        feed_check(cudaMallocHost(&quotes_, capacity * sizeof(quote)));
        std::memset(header_, 0, sizeof(burst_header));
        std::memset(quotes_, 0, capacity * sizeof(quote));
    }
    ~pinned_burst()
    {
        cudaFreeHost(header_);
        cudaFreeHost(quotes_);
    }
    pinned_burst(const pinned_burst &) = delete;
    pinned_burst &operator=(const pinned_burst &) = delete;

    void assign(const std::vector<quote> &q)
    {
        header_->count = static_cast<std::uint32_t>(std::min(q.size(), capacity_));
        header_->sequence++;
        std::memcpy(quotes_, q.data(), header_->count * sizeof(quote));
    }
    std::size_t size() const { return header_->count; }
    std::size_t capacity() const { return capacity_; }
    const burst_header *header() const { return header_; }
    const quote *data() const { return quotes_; }

private:
    std::size_t capacity_;
    burst_header *header_ = nullptr;
    quote *quotes_ = nullptr;
};

template <class T>
struct device_array {
    explicit device_array(std::size_t n) : size(n) { feed_check(cudaMalloc(&ptr, n * sizeof(T))); }
    ~device_array() { cudaFree(ptr); }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    std::size_t bytes() const { return size * sizeof(T); }
    T *ptr = nullptr;
    std::size_t size;
};

// ---- launch policy --------------------------------------------------------

template <int threads, int max_blocks>
struct strided_blocks {
    static constexpr int block = threads;
    static int grid(std::size_t n)
    {
        return std::min<int>(max_blocks, static_cast<int>((n + threads - 1) / threads));
    }
};

// ---- aggregator -----------------------------------------------------------

template <class launch, class... columns>
class book_aggregator {
public:
    static constexpr std::size_t n_columns = sizeof...(columns);
    using totals = std::array<long long, n_columns * n_symbols>;

    explicit book_aggregator(std::size_t capacity)
        : staging_(capacity), header_(1), quotes_(capacity), sums_(n_columns * n_symbols)
    {
        feed_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        feed_check(cudaMemset(quotes_.ptr, 0, quotes_.bytes()));
        feed_check(cudaDeviceSynchronize());
    }
    ~book_aggregator()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    totals on_burst(const std::vector<quote> &burst)
    {
        staging_.assign(burst);
        if (!exec_) build();
        feed_check(cudaGraphLaunch(exec_, stream_));
        totals t;
        feed_check(cudaMemcpyAsync(t.data(), sums_.ptr, sums_.bytes(), cudaMemcpyDeviceToHost, stream_));
        feed_check(cudaStreamSynchronize(stream_));
        return t;
    }

private:
    void build()
    {
        cudaGraph_t g = nullptr;
        feed_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        upload();
        reduce();
        feed_check(cudaStreamEndCapture(stream_, &g));
        feed_check(cudaGraphInstantiate(&exec_, g, 0));
        feed_check(cudaGraphDestroy(g));
    }

    void upload()
    {
        feed_check(cudaMemcpyAsync(header_.ptr, staging_.header(), sizeof(burst_header),
                                   cudaMemcpyHostToDevice, stream_));
        feed_check(cudaMemcpyAsync(quotes_.ptr, staging_.data(),
                                   staging_.capacity() * sizeof(quote),
                                   cudaMemcpyHostToDevice, stream_));
    }

    void reduce()
    {
        feed_check(cudaMemsetAsync(sums_.ptr, 0, sums_.bytes(), stream_));
        std::size_t column = 0;
        (reduce_column<columns>(column++), ...);
    }

    template <class column>
    void reduce_column(std::size_t index)
    {
        aggregate<column><<<launch::grid(staging_.size()), launch::block, 0, stream_>>>(
            header_.ptr, quotes_.ptr, sums_.ptr + index * n_symbols);
        feed_check(cudaGetLastError());
    }

    pinned_burst staging_;
    device_array<burst_header> header_;
    device_array<quote> quotes_;
    device_array<long long> sums_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

// ---- replay of a recorded session -----------------------------------------

class session {
public:
    explicit session(unsigned seed) : rng_(seed) {}

    std::vector<quote> next(std::size_t n)
    {
        std::vector<quote> out(n);
        for (auto &q : out) {
            q.symbol = rng_() % n_symbols;
            q.price_ticks = 1000 + static_cast<int>(rng_() % 500);
            q.quantity = static_cast<int>(rng_() % 40);
            q.flags = (rng_() % 16) == 0;
        }
        return out;
    }

private:
    std::mt19937 rng_;
};

template <class column>
void host_sum(const std::vector<quote> &burst, long long *out)
{
    for (const auto &q : burst)
        if (accepts<column>(q)) out[q.symbol % n_symbols] += column::value(q);
}

}  // namespace feed

int main()
{
    using aggregator = feed::book_aggregator<feed::strided_blocks<128, 24>,
                                             feed::notional_column, feed::volume_column>;
    aggregator agg(8192);
    feed::session recorded(2024);

    const std::size_t bursts[] = {1500, 900, 1499, 4000, 1200, 7777};
    int matched = 0, total = 0;
    for (std::size_t n : bursts) {
        const auto burst = recorded.next(n);
        const auto got = agg.on_burst(burst);
        aggregator::totals want{};
        feed::host_sum<feed::notional_column>(burst, want.data());
        feed::host_sum<feed::volume_column>(burst, want.data() + feed::n_symbols);
        const bool same = got == want;
        std::printf("burst of %zu: %s\n", n, same ? "match" : "differs");
        matched += same;
        ++total;
    }
    const bool confirmed = matched == total;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return confirmed ? 0 : 1;
}
