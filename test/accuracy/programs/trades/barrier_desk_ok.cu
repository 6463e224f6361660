// Monte Carlo pricer for down-and-out calls. Spot and volatility come from observable quotes,
// trade terms from a settings object; the simulation graph is built once and replayed per tick.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define MUST(call)                                                                             \
    do {                                                                                       \
        cudaError_t err_ = (call);                                                             \
        if (err_ != cudaSuccess) {                                                             \
            std::printf("%s:%d %s\nLABEL UNOBSERVED\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

struct TradeSettings {
    double strike = 100.0;
    double barrier = 80.0;
    double rate = 0.02;
    double expiry = 1.0;
    int steps = 16;
    unsigned long long seed = 20240611ull;
};

struct McInputs {
    double spot, vol, strike, barrier, rate, dt;
    int steps;
    unsigned long long seed;
};

constexpr int kBlocks = 32;
constexpr int kThreads = 128;

__global__ void simulate(McInputs in, unsigned long long offset, double* partial)
{
    __shared__ double acc[kThreads];
    curandStatePhilox4_32_10_t st;
    curand_init(in.seed, blockIdx.x * blockDim.x + threadIdx.x, offset, &st);
    double s = in.spot;
    bool alive = true;
    for (int k = 0; k < in.steps; ++k) {
        double z = curand_normal(&st);
        s *= exp((in.rate - 0.5 * in.vol * in.vol) * in.dt + in.vol * sqrt(in.dt) * z);
        if (s <= in.barrier) alive = false;
    }
    acc[threadIdx.x] = alive && s > in.strike ? s - in.strike : 0.0;
    __syncthreads();
    for (int k = kThreads / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) acc[threadIdx.x] += acc[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = acc[0];
}

class Quote {
public:
    explicit Quote(double v) : value_(v) {}
    double value() const { return value_; }
    void set(double v)
    {
        value_ = v;
        for (auto& o : observers_) o();
    }
    void observe(std::function<void()> o) { observers_.push_back(std::move(o)); }

private:
    double value_;
    std::vector<std::function<void()>> observers_;
};

class BarrierEngine {
public:
    BarrierEngine(const TradeSettings& s, Quote& spot, Quote& vol) : settings_(s), spot_(spot), vol_(vol)
    {
        MUST(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        MUST(cudaMalloc(&partial_, sizeof(double) * kBlocks));
        MUST(cudaMallocHost(&hostPartial_, sizeof(double) * kBlocks));
        spot_.observe([this] { refresh(); });
        vol_.observe([this] { refresh(); });
        refresh();
    }
    ~BarrierEngine()
    {
        cudaGraphExecDestroy(exec_);
        cudaGraphDestroy(graph_);
        cudaFree(partial_);
        cudaFreeHost(hostPartial_);
        cudaStreamDestroy(stream_);
    }

    void build()
    {
        MUST(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        simulate<<<kBlocks, kThreads, 0, stream_>>>(in_, offset_, partial_);
        MUST(cudaMemcpyAsync(hostPartial_, partial_, sizeof(double) * kBlocks, cudaMemcpyDeviceToHost, stream_));
        MUST(cudaStreamEndCapture(stream_, &graph_));
        MUST(cudaGraphInstantiate(&exec_, graph_, 0));
        locateKernelNode();
    }

    // Price with a fresh set of random numbers; repeated calls are averaged by the caller.
    double price()
    {
        void* args[] = {&in_, &offset_, &partial_};
        kernel_.kernelParams = args;
        MUST(cudaGraphExecKernelNodeSetParams(exec_, kernelNode_, &kernel_));
        MUST(cudaGraphLaunch(exec_, stream_));
        MUST(cudaStreamSynchronize(stream_));
        double v = discountedMean();
        offset_ += settings_.steps;
        return v;
    }

    // Independent run of the simulation for audit, without the graph.
    double audit(unsigned long long offset)
    {
        simulate<<<kBlocks, kThreads, 0, stream_>>>(in_, offset, partial_);
        MUST(cudaMemcpyAsync(hostPartial_, partial_, sizeof(double) * kBlocks, cudaMemcpyDeviceToHost, stream_));
        MUST(cudaStreamSynchronize(stream_));
        return discountedMean();
    }
    unsigned long long offset() const { return offset_; }

private:
    void refresh()
    {
        in_.spot = spot_.value();
        in_.vol = vol_.value();
        in_.strike = settings_.strike;
        in_.barrier = settings_.barrier;
        in_.rate = settings_.rate;
        in_.steps = settings_.steps;
        in_.dt = settings_.expiry / settings_.steps;
        in_.seed = settings_.seed;
    }
    double discountedMean() const
    {
        double sum = 0.0;
        for (int b = 0; b < kBlocks; ++b) sum += hostPartial_[b];
        return std::exp(-settings_.rate * settings_.expiry) * sum / (kBlocks * kThreads);
    }
    void locateKernelNode()
    {
        size_t n = 0;
        MUST(cudaGraphGetNodes(graph_, nullptr, &n));
        std::vector<cudaGraphNode_t> nodes(n);
        MUST(cudaGraphGetNodes(graph_, nodes.data(), &n));
        for (cudaGraphNode_t node : nodes) {
            cudaGraphNodeType type;
            MUST(cudaGraphNodeGetType(node, &type));
            if (type == cudaGraphNodeTypeKernel) kernelNode_ = node;
        }
        kernel_.func = reinterpret_cast<void*>(simulate);
        kernel_.gridDim = dim3(kBlocks);
        kernel_.blockDim = dim3(kThreads);
        kernel_.sharedMemBytes = 0;
        kernel_.extra = nullptr;
    }

    const TradeSettings settings_;
    Quote &spot_, &vol_;
    McInputs in_{};
    unsigned long long offset_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    cudaGraphNode_t kernelNode_ = nullptr;
    cudaKernelNodeParams kernel_{};
    double *partial_ = nullptr, *hostPartial_ = nullptr;
};

int main()
{
    Quote spot(100.0), vol(0.25);
    BarrierEngine engine(TradeSettings{}, spot, vol);
    engine.build();

    int stale = 0, repeated = 0, prices = 0;
    const double ticks[3] = {100.0, 104.0, 97.5};
    for (double s : ticks) {
        spot.set(s);
        double last = -1.0;
        for (int rep = 0; rep < 3; ++rep, ++prices) {
            const unsigned long long used = engine.offset();
            double v = engine.price();
            double ref = engine.audit(used);
            if (std::fabs(v - ref) > 1e-9) ++stale;
            if (v == last) ++repeated;
            last = v;
            std::printf("spot %.1f price %.5f audit %.5f\n", s, v, ref);
        }
    }
    bool confirmed = prices == 9 && stale == 0 && repeated == 0;
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
