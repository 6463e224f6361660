// qg: quoting engine. Contract terms are packed and staged through pooled pinned slabs.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace qg {

inline void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

class slab_pool {
public:
    class lease {
    public:
        lease(slab_pool& p, double* d) : pool_(&p), data_(d) {}
        lease(lease&& o) noexcept : pool_(std::exchange(o.pool_, nullptr)), data_(o.data_) {}
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        ~lease()
        {
            if (pool_) pool_->free_.push_back(data_);
        }
        double* get() const { return data_; }

    private:
        slab_pool* pool_;
        double* data_;
    };

    slab_pool(std::size_t slabs, std::size_t doubles) : doubles_(doubles)
    {
        check(cudaMallocHost(&memory_, slabs * doubles * sizeof(double)), "slab_pool");
        free_.reserve(slabs);
        for (std::size_t i = 0; i < slabs; ++i) free_.push_back(memory_ + i * doubles);
    }
    ~slab_pool() { cudaFreeHost(memory_); }
    slab_pool(const slab_pool&) = delete;
    slab_pool& operator=(const slab_pool&) = delete;

    lease acquire(std::size_t doubles)
    {
        if (doubles > doubles_ || free_.empty()) throw std::length_error("slab_pool");
        double* d = free_.back();
        free_.pop_back();
        return lease(*this, d);
    }

private:
    std::size_t doubles_;
    double* memory_ = nullptr;
    std::vector<double*> free_;
};

template <class Model>
__global__ void quote_kernel(const double* terms, const double* spot, double* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Model::price(terms, spot[i]);
}

struct linear_forward {
    using terms = std::tuple<double, double>;
    __device__ static double price(const double* t, double s) { return t[0] * s - t[1]; }
};
struct capped_forward {
    using terms = std::tuple<double, double, double>;
    __device__ static double price(const double* t, double s) { return fmin(t[0] * s - t[1], t[2]); }
};

template <class Model>
class quoter {
public:
    using terms = typename Model::terms;
    static constexpr std::size_t term_count = std::tuple_size_v<terms>;

    quoter(slab_pool& pool, int n, const terms& t) : pool_(pool), n_(n), terms_(t)
    {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        check(cudaMalloc(&dev_terms_, term_count * sizeof(double)), "terms");
        check(cudaMalloc(&dev_spot_, n * sizeof(double)), "spot");
        check(cudaMalloc(&dev_out_, n * sizeof(double)), "out");
    }
    ~quoter()
    {
        cudaStreamSynchronize(stream_);
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(dev_terms_);
        cudaFree(dev_spot_);
        cudaFree(dev_out_);
        cudaStreamDestroy(stream_);
    }
    quoter(const quoter&) = delete;
    quoter& operator=(const quoter&) = delete;

    std::vector<double> quote(const std::vector<double>& spot)
    {
        if (!exec_) compile(std::make_index_sequence<term_count>{});
        {
            const auto slab = pool_.acquire(n_);
            for (int i = 0; i < n_; ++i) slab.get()[i] = spot[i];
            check(cudaMemcpyAsync(dev_spot_, slab.get(), n_ * sizeof(double), cudaMemcpyHostToDevice, stream_), "spot");
            check(cudaStreamSynchronize(stream_), "spot");
        }
        check(cudaGraphLaunch(exec_, stream_), "launch");
        std::vector<double> out(n_);
        check(cudaMemcpyAsync(out.data(), dev_out_, n_ * sizeof(double), cudaMemcpyDeviceToHost, stream_), "out");
        check(cudaStreamSynchronize(stream_), "out");
        return out;
    }

private:
    struct capture_guard {
        cudaStream_t s;
        bool open = true;
        ~capture_guard()
        {
            cudaGraph_t g = nullptr;
            if (open && cudaStreamEndCapture(s, &g) == cudaSuccess) cudaGraphDestroy(g);
        }
    };

    template <std::size_t... Is>
    void compile(std::index_sequence<Is...>)
    {
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
        capture_guard guard{stream_};
        stage(std::get<Is>(terms_)...);
        quote_kernel<Model><<<(n_ + 63) / 64, 64, 0, stream_>>>(dev_terms_, dev_spot_, dev_out_, n_);
        check(cudaGetLastError(), "quote_kernel");
        cudaGraph_t graph = nullptr;
        guard.open = false;
        check(cudaStreamEndCapture(stream_, &graph), "end");
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        check(made, "instantiate");
    }

    template <class... Ts>
    void stage(Ts... values)
    {
        static_assert((std::is_same_v<Ts, double> && ...), "terms are doubles");
        auto slab = pool_.acquire(sizeof...(Ts));
        double* cursor = slab.get();
        ((*cursor++ = values), ...);
        check(cudaMemcpyAsync(dev_terms_, slab.get(), sizeof...(Ts) * sizeof(double), cudaMemcpyHostToDevice, stream_), "stage"); // HAZARD dangling #1
    } // HAZARD dangling #1

    slab_pool& pool_;
    const int n_;
    const terms terms_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    double* dev_terms_ = nullptr;
    double* dev_spot_ = nullptr;
    double* dev_out_ = nullptr;
};

} // namespace qg

int main()
{
    bool right = true;
    {
        qg::slab_pool pool(4, 256);
        qg::quoter<qg::linear_forward> fwd(pool, 100, {2.0, 5.0});
        qg::quoter<qg::capped_forward> cap(pool, 100, {1.0, 0.0, 50.0});
        for (double level : {40.0, 70.0, 90.0}) {
            const std::vector<double> spot(100, level);
            right = right && std::fabs(fwd.quote(spot)[99] - (2.0 * level - 5.0)) < 1e-9;
            right = right && std::fabs(cap.quote(spot)[99] - std::fmin(level, 50.0)) < 1e-9;
        }
    }
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
    return 0;
}
