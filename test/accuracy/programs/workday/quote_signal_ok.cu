// Trading engine: a feed handler uploads quotes on its stream, the signal is computed by a graph on another stream.
// Uses the driver API for streams, events, and graphs.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

namespace trading {

struct Status {
    CUresult code = CUDA_SUCCESS;
    std::string where;
    explicit operator bool() const { return code == CUDA_SUCCESS; }
    std::string text() const
    {
        const char* name = "?";
        cuGetErrorName(code, &name);
        return where + ": " + name;
    }
};

#define RETURN_IF_FAILED(call)                                                    \
    if (const CUresult result_ = (call); result_ != CUDA_SUCCESS) {               \
        return Status{result_, #call};                                            \
    }

constexpr int kSymbols = 32;

struct Quote {
    float bid;
    float ask;
};

__global__ void midPrices(const Quote* quotes, float* mid)
{
    mid[threadIdx.x] = 0.5f * (quotes[threadIdx.x].bid + quotes[threadIdx.x].ask);
}

__global__ void basketSignal(const float* mid, float* signal)
{
    float sum = 0.0f;
    for (int i = 0; i < kSymbols; ++i) sum += mid[i];
    *signal = sum;
}

__global__ void widestSpread(const Quote* quotes, float* spread)
{
    float widest = 0.0f;
    for (int i = 0; i < kSymbols; ++i) widest = fmaxf(widest, quotes[i].ask - quotes[i].bid);
    *spread = widest;
}

class FeedHandler {
public:
    Status open()
    {
        RETURN_IF_FAILED(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
        RETURN_IF_FAILED(cuEventCreate(&uploaded_, CU_EVENT_DISABLE_TIMING));
        RETURN_IF_FAILED(cuMemAlloc(&book_, kSymbols * sizeof(Quote)));
        RETURN_IF_FAILED(cuMemAllocHost(reinterpret_cast<void**>(&staging_), kSymbols * sizeof(Quote)));
        return {};
    }
    Status onTick(float bid, float ask)
    {
        RETURN_IF_FAILED(cuEventSynchronize(uploaded_));
        for (int i = 0; i < kSymbols; ++i) staging_[i] = {bid, ask};
        RETURN_IF_FAILED(cuMemcpyHtoDAsync(book_, staging_, kSymbols * sizeof(Quote), stream_));
        RETURN_IF_FAILED(cuEventRecord(uploaded_, stream_));
        return {};
    }
    CUevent uploaded() const { return uploaded_; }
    const Quote* book() const { return reinterpret_cast<const Quote*>(book_); }

private:
    CUstream stream_ = nullptr;
    CUevent uploaded_ = nullptr;
    CUdeviceptr book_ = 0;
    Quote* staging_ = nullptr;
};

class SignalEngine {
public:
    explicit SignalEngine(const FeedHandler& feed) : feed_(feed) {}

    Status open()
    {
        RETURN_IF_FAILED(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
        RETURN_IF_FAILED(cuStreamCreate(&side_, CU_STREAM_NON_BLOCKING));
        RETURN_IF_FAILED(cuEventCreate(&forked_, CU_EVENT_DISABLE_TIMING));
        RETURN_IF_FAILED(cuEventCreate(&joined_, CU_EVENT_DISABLE_TIMING));
        RETURN_IF_FAILED(cuMemAlloc(&spread_, sizeof(float)));
        RETURN_IF_FAILED(cuMemAlloc(&mid_, kSymbols * sizeof(float)));
        RETURN_IF_FAILED(cuMemAlloc(&signal_, sizeof(float)));
        return {};
    }

    Status build()
    {
        CUgraph graph = nullptr;
        RETURN_IF_FAILED(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        const Status recorded = record();
        const CUresult ended = cuStreamEndCapture(stream_, &graph);
        if (!recorded) return recorded;
        if (ended != CUDA_SUCCESS) return {ended, "cuStreamEndCapture"};
        RETURN_IF_FAILED(cuGraphInstantiate(&exec_, graph, 0));
        RETURN_IF_FAILED(cuGraphDestroy(graph));
        return {};
    }

    Status evaluate(float& value, float& spread)
    {
        RETURN_IF_FAILED(cuStreamWaitEvent(stream_, feed_.uploaded(), 0));
        RETURN_IF_FAILED(cuGraphLaunch(exec_, stream_));
        RETURN_IF_FAILED(cuMemcpyDtoHAsync(&value, signal_, sizeof value, stream_));
        RETURN_IF_FAILED(cuMemcpyDtoHAsync(&spread, spread_, sizeof spread, stream_));
        RETURN_IF_FAILED(cuStreamSynchronize(stream_));
        return {};
    }

private:
    Status record()
    {
        float* mid = reinterpret_cast<float*>(mid_);
        RETURN_IF_FAILED(cuEventRecord(forked_, stream_));
        RETURN_IF_FAILED(cuStreamWaitEvent(side_, forked_, 0));
        widestSpread<<<1, 1, 0, side_>>>(feed_.book(), reinterpret_cast<float*>(spread_));
        RETURN_IF_FAILED(cuEventRecord(joined_, side_));
        midPrices<<<1, kSymbols, 0, stream_>>>(feed_.book(), mid);
        basketSignal<<<1, 1, 0, stream_>>>(mid, reinterpret_cast<float*>(signal_));
        RETURN_IF_FAILED(cuStreamWaitEvent(stream_, joined_, 0));
        return {};
    }

    const FeedHandler& feed_;
    CUstream stream_ = nullptr;
    CUdeviceptr mid_ = 0;
    CUdeviceptr signal_ = 0;
    CUdeviceptr spread_ = 0;
    CUstream side_ = nullptr;
    CUevent forked_ = nullptr;
    CUevent joined_ = nullptr;
    CUgraphExec exec_ = nullptr;
};

} // namespace trading

static int fail(const std::string& why)
{
    std::printf("LABEL NOT CONFIRMED: %s\n", why.c_str());
    return 1;
}

int main()
{
    if (cudaFree(nullptr) != cudaSuccess) return fail("no device"); // makes the primary context current
    trading::FeedHandler feed;
    if (const auto s = feed.open(); !s) return fail(s.text());
    trading::SignalEngine engine(feed);
    if (const auto s = engine.open(); !s) return fail(s.text());
    if (const auto s = feed.onTick(99.0f, 101.0f); !s) return fail(s.text());

    if (const auto s = engine.build(); !s) return fail(s.text());
    for (int tick = 0; tick < 5; ++tick) {
        const float bid = 50.0f + tick, ask = 52.0f + 3.0f * tick;
        float value = 0.0f, spread = 0.0f;
        if (const auto s = feed.onTick(bid, ask); !s) return fail(s.text());
        if (const auto s = engine.evaluate(value, spread); !s) return fail(s.text());
        if (value != trading::kSymbols * 0.5f * (bid + ask)) return fail("wrong signal");
        if (spread != ask - bid) return fail("wrong spread");
    }
    std::puts("LABEL CONFIRMED");
    return 0;
}
