// mc_pricer: policy-based Monte Carlo engine for vanilla and digital payoffs
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace qx {

inline void check(cudaError_t e, const char *where, int line)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s:%d %s\n", where, line, cudaGetErrorString(e));
    std::printf("LABEL WRONG\n");
    std::exit(1);
}
#define qx_check(e) ::qx::check((e), __func__, __LINE__)

// ---- generator policies ---------------------------------------------------

struct splitmix_policy {
    using counter_type = std::uint64_t;

    static __host__ __device__ double uniform(std::uint64_t seed, counter_type n)
    {
        std::uint64_t z = seed + n * 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        z ^= z >> 31;
        return (static_cast<double>(z >> 11) + 0.5) * (1.0 / 9007199254740992.0);
    }
};

template <class counter>
__global__ void skip_counter(counter *next, std::uint64_t draws)
{
    *next += draws;
}

template <class policy>
class counter_stream {
public:
    using counter_type = typename policy::counter_type;

    explicit counter_stream(std::uint64_t seed) : seed_(seed)
    {
        qx_check(cudaMalloc(&next_, sizeof(counter_type)));
        qx_check(cudaMemset(next_, 0, sizeof(counter_type)));
    }
    ~counter_stream() { cudaFree(next_); }
    counter_stream(const counter_stream &) = delete;
    counter_stream &operator=(const counter_stream &) = delete;

    std::uint64_t seed() const { return seed_; }
    const counter_type *position() const { return next_; }

    void enqueue_skip(std::uint64_t draws, cudaStream_t s)
    {
        skip_counter<<<1, 1, 0, s>>>(next_, draws);
        qx_check(cudaGetLastError());
    }

private:
    std::uint64_t seed_;
    counter_type *next_ = nullptr;
};

// ---- payoff policies ------------------------------------------------------

struct market {
    double spot = 100.0;
    double vol = 0.25;
    double expiry = 0.75;
};

struct call_payoff {
    double strike;
    __host__ __device__ double operator()(double terminal) const
    {
        return terminal > strike ? terminal - strike : 0.0;
    }
};

struct digital_payoff {
    double strike;
    __host__ __device__ double operator()(double terminal) const
    {
        return terminal > strike ? 10.0 : 0.0;
    }
};

// logistic approximation of the normal quantile
__host__ __device__ inline double terminal_price(const market &m, double u)
{
    const double z = log(u / (1.0 - u)) * 0.5513289;
    return m.spot * exp(-0.5 * m.vol * m.vol * m.expiry + m.vol * sqrt(m.expiry) * z);
}

template <class generator, class payoff>
__global__ void simulate(market m, payoff f, std::uint64_t seed,
                         const typename generator::counter_type *next, int paths, double *sum)
{
    const auto first = *next;
    __shared__ double partial[128];
    double acc = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x)
        acc += f(terminal_price(m, generator::uniform(seed, first + i)));
    partial[threadIdx.x] = acc;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) partial[threadIdx.x] += partial[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

// ---- engines --------------------------------------------------------------

template <class derived>
class graph_engine {
public:
    graph_engine() { qx_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~graph_engine()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaStreamDestroy(stream_);
    }
    graph_engine(const graph_engine &) = delete;
    graph_engine &operator=(const graph_engine &) = delete;

    void run_round()
    {
        if (!exec_) record();
        qx_check(cudaGraphLaunch(exec_, stream_));
        ++rounds_;
        self().on_round_launched();
    }

    int rounds() const { return rounds_; }

protected:
    void wait() const { qx_check(cudaStreamSynchronize(stream_)); }
    cudaStream_t stream() const { return stream_; }

private:
    derived &self() { return static_cast<derived &>(*this); }

    void record()
    {
        cudaGraph_t graph = nullptr;
        qx_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        self().enqueue_round(stream_);
        qx_check(cudaStreamEndCapture(stream_, &graph));
        qx_check(cudaGraphInstantiate(&exec_, graph, 0));
        qx_check(cudaGraphDestroy(graph));
    }

    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    int rounds_ = 0;
};

template <class payoff, class generator = splitmix_policy>
class mc_engine : public graph_engine<mc_engine<payoff, generator>> {
    using base = graph_engine<mc_engine<payoff, generator>>;
    friend base;

public:
    mc_engine(std::string name, market m, payoff f, std::uint64_t seed, int batch)
        : name_(std::move(name)), market_(m), payoff_(f), numbers_(seed), batch_(batch)
    {
        qx_check(cudaMalloc(&sum_, sizeof(double)));
        qx_check(cudaMemset(sum_, 0, sizeof(double)));
        qx_check(cudaDeviceSynchronize());
    }
    ~mc_engine() { cudaFree(sum_); }

    double total() const
    {
        double h = 0.0;
        this->wait();
        qx_check(cudaMemcpy(&h, sum_, sizeof h, cudaMemcpyDeviceToHost));
        return h;
    }
    double price() const { return total() / static_cast<double>(paths_done_); }
    long paths_done() const { return paths_done_; }
    int times_recorded() const { return times_recorded_; }
    const std::string &name() const { return name_; }

private:
    void enqueue_round(cudaStream_t s)
    {
        const int blocks = (batch_ + 511) / 512;
        simulate<generator, payoff><<<blocks, 128, 0, s>>>(
            market_, payoff_, numbers_.seed(), numbers_.position(), batch_, sum_);
        qx_check(cudaGetLastError());
        numbers_.enqueue_skip(batch_, s);
        ++times_recorded_;
    }

    void on_round_launched() { paths_done_ += batch_; }

    std::string name_;
    market market_;
    payoff payoff_;
    counter_stream<generator> numbers_;
    int batch_;
    long paths_done_ = 0;
    int times_recorded_ = 0;
    double *sum_ = nullptr;
};

// ---- reference ------------------------------------------------------------

template <class payoff>
double host_total(const market &m, payoff f, std::uint64_t seed, std::uint64_t first, int n)
{
    double acc = 0.0;
    for (int i = 0; i < n; ++i)
        acc += f(terminal_price(m, splitmix_policy::uniform(seed, first + i)));
    return acc;
}

inline bool close(double a, double b) { return std::fabs(a - b) <= 1e-8 * (1.0 + std::fabs(b)); }

struct verdict {
    int good_rounds = 0;
    int times_recorded = 0;
};

template <class payoff>
verdict exercise(mc_engine<payoff> &engine, const market &m, payoff f, std::uint64_t seed, int batch)
{
    verdict v;
    double expected = 0.0;
    for (int round = 0; round < 5; ++round) {
        engine.run_round();
        expected += host_total(m, f, seed, std::uint64_t(round) * batch, batch);
        const bool total_ok = close(engine.total(), expected);
        const bool count_ok = engine.paths_done() == long(batch) * engine.rounds();
        const bool price_ok = close(engine.price(), expected / (double(batch) * (round + 1)));
        v.good_rounds += total_ok && count_ok && price_ok;
        std::printf("%s round %d price %.6f\n", engine.name().c_str(), round, engine.price());
    }
    v.times_recorded = engine.times_recorded();
    return v;
}

}  // namespace qx

int main()
{
    const qx::market m;
    const qx::call_payoff call{105.0};
    const qx::digital_payoff digital{98.0};
    const int batch = 1 << 14;

    qx::mc_engine<qx::call_payoff> call_engine("call", m, call, 17, batch);
    qx::mc_engine<qx::digital_payoff> digital_engine("digital", m, digital, 91, batch);

    bool confirmed = true;
    for (const auto &v : {qx::exercise(call_engine, m, call, 17, batch),
                          qx::exercise(digital_engine, m, digital, 91, batch)})
        confirmed = confirmed && v.good_rounds == 5 && v.times_recorded == 1;

    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return confirmed ? 0 : 1;
}
