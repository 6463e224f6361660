// PageRank by power iteration over a compressed in-edge graph. Header-style template library plus a small driver.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace graphs {

inline void ensure(cudaError_t status)
{
    if (status != cudaSuccess) throw std::runtime_error(std::string("cuda: ") + cudaGetErrorString(status));
}

template <class T>
class device_array {
public:
    explicit device_array(std::size_t n) : size_(n) { ensure(cudaMalloc(&data_, n * sizeof(T))); }
    explicit device_array(const std::vector<T>& host) : device_array(host.size())
    {
        ensure(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    friend void swap(device_array& a, device_array& b) noexcept
    {
        std::swap(a.data_, b.data_);
        std::swap(a.size_, b.size_);
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <class Index>
struct csr {
    std::vector<Index> offsets; // in-edges of a vertex
    std::vector<Index> sources;
    std::vector<Index> out_degree;
    Index vertices() const { return static_cast<Index>(out_degree.size()); }
};

template <class Index, class Real>
__global__ void pull(const Index* offsets, const Index* sources, const Index* out_degree, const Real* rank, Real* next,
                     Index n, Real damping)
{
    const Index v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    Real sum = 0;
    for (Index e = offsets[v]; e < offsets[v + 1]; ++e) sum += rank[sources[e]] / out_degree[sources[e]];
    next[v] = (1 - damping) / n + damping * sum;
}

template <class Index, class Real>
class pagerank {
public:
    pagerank(const csr<Index>& g, Real damping)
        : n_(g.vertices()), damping_(damping), offsets_(g.offsets), sources_(g.sources), out_degree_(g.out_degree),
          rank_(std::vector<Real>(g.vertices(), Real(1) / g.vertices())), next_(g.vertices())
    {
        ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        ensure(cudaDeviceSynchronize());
    }
    ~pagerank()
    {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }

    // Two iterations, so that the newest ranks are in the same buffer after every launch.
    void advance()
    {
        if (!exec_) record();
        ensure(cudaGraphLaunch(exec_, stream_));
        iterations_ += 2;
    }

    int iterations() const { return iterations_; }

    std::vector<Real> ranks() const
    {
        std::vector<Real> host(n_);
        ensure(cudaMemcpyAsync(host.data(), rank_.data(), n_ * sizeof(Real), cudaMemcpyDeviceToHost, stream_));
        ensure(cudaStreamSynchronize(stream_));
        return host;
    }

private:
    void iterate()
    {
        pull<<<(n_ + 63) / 64, 64, 0, stream_>>>(offsets_.data(), sources_.data(), out_degree_.data(), rank_.data(),
                                                 next_.data(), n_, damping_);
        ensure(cudaGetLastError());
        swap(rank_, next_);
    }

    void record()
    {
        cudaGraph_t graph = nullptr;
        ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        iterate();
        iterate();
        ensure(cudaStreamEndCapture(stream_, &graph));
        ensure(cudaGraphInstantiate(&exec_, graph, 0));
        ensure(cudaGraphDestroy(graph));
    }

    Index n_;
    Real damping_;
    device_array<Index> offsets_, sources_, out_degree_;
    device_array<Real> rank_, next_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int iterations_ = 0;
};

} // namespace graphs

static graphs::csr<unsigned> star_with_ring(unsigned n)
{
    // Every vertex links to its successor; even vertices also link to vertex 0.
    std::vector<std::vector<unsigned>> in(n);
    graphs::csr<unsigned> g;
    g.out_degree.assign(n, 1);
    for (unsigned v = 0; v < n; ++v) {
        in[(v + 1) % n].push_back(v);
        if (v % 2 == 0 && v != 0) in[0].push_back(v), ++g.out_degree[v];
    }
    g.offsets.push_back(0);
    for (const auto& sources : in) {
        g.sources.insert(g.sources.end(), sources.begin(), sources.end());
        g.offsets.push_back(static_cast<unsigned>(g.sources.size()));
    }
    return g;
}

static std::vector<double> reference(const graphs::csr<unsigned>& g, double damping, int iterations)
{
    const unsigned n = g.vertices();
    std::vector<double> rank(n, 1.0 / n), next(n);
    for (int i = 0; i < iterations; ++i) {
        for (unsigned v = 0; v < n; ++v) {
            double sum = 0;
            for (unsigned e = g.offsets[v]; e < g.offsets[v + 1]; ++e) sum += rank[g.sources[e]] / g.out_degree[g.sources[e]];
            next[v] = (1 - damping) / n + damping * sum;
        }
        rank.swap(next);
    }
    return rank;
}

static double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    double d = 0;
    for (std::size_t i = 0; i < a.size(); ++i) d += std::fabs(a[i] - b[i]);
    return d;
}

int main()
try {
    const auto g = star_with_ring(200);
    graphs::pagerank<unsigned, double> solver(g, 0.85);
    for (int i = 0; i < 3; ++i) solver.advance();
    const auto got = solver.ranks();
    const double toOne = distance(got, reference(g, 0.85, 1)), toSix = distance(got, reference(g, 0.85, 6));
    if (toSix < 1e-9 && toOne > 1e-4 && solver.iterations() == 6) {
        std::puts("LABEL CONFIRMED");
        return 0;
    }
    std::printf("LABEL NOT CONFIRMED: distance to one iteration %g, to six %g, counted %d\n", toOne, toSix,
                solver.iterations());
    return 1;
} catch (const std::exception& e) {
    std::printf("LABEL NOT CONFIRMED: %s\n", e.what());
    return 1;
}
