#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace host {

constexpr int kBlock = 64;

struct Context {
    cudaStream_t stream = nullptr;
    float* bus = nullptr;
};

class Plugin {
public:
    virtual ~Plugin() = default;
    virtual bool prepare() = 0;
    virtual bool process(const Context& ctx) = 0;
};

using Maker = std::function<std::unique_ptr<Plugin>()>;
std::map<std::string, Maker>& registry()
{
    static std::map<std::string, Maker> r;
    return r;
}
struct Registrar {
    Registrar(const char* id, Maker m) { registry()[id] = std::move(m); }
};

}  // namespace host

// --- generator ---------------------------------------------------------------
__global__ void fillBus(float* bus, float v) { bus[threadIdx.x] = v; }

struct Source final : host::Plugin {
    bool prepare() override { return true; }
    bool process(const host::Context& c) override
    {
        fillBus<<<1, host::kBlock, 0, c.stream>>>(c.bus, 1.0f);
        return cudaGetLastError() == cudaSuccess;
    }
};
static host::Registrar regSource("source", [] { return std::make_unique<Source>(); });

// --- tremolo -----------------------------------------------------------------
__global__ void tremolo(float* bus, int* step)
{
    bus[threadIdx.x] *= 1.0f + float(*step + 1);
    __syncthreads();
    if (threadIdx.x == 0) *step = (*step + 1) % 4;
}

class Tremolo final : public host::Plugin {
public:
    ~Tremolo() override { cudaFree(step_); }
    bool prepare() override
    {
        return cudaMalloc(&step_, sizeof(int)) == cudaSuccess && cudaMemset(step_, 0, sizeof(int)) == cudaSuccess;
    }
    bool process(const host::Context& c) override
    {
        tremolo<<<1, host::kBlock, 0, c.stream>>>(c.bus, step_);
        return cudaGetLastError() == cudaSuccess;
    }

private:
    int* step_ = nullptr;
};
static host::Registrar regTremolo("tremolo", [] { return std::make_unique<Tremolo>(); });

// --- reverb ------------------------------------------------------------------
__global__ void tail(float* bus, float* line)
{
    line[threadIdx.x] += 100.0f;
    bus[threadIdx.x] += line[threadIdx.x];
}

class Reverb final : public host::Plugin {
public:
    ~Reverb() override
    {
        cudaFree(line_);
        if (tailStream_) cudaStreamDestroy(tailStream_);
        if (dry_) cudaEventDestroy(dry_);
        if (wet_) cudaEventDestroy(wet_);
    }
    bool prepare() override
    {
        if (cudaEventCreateWithFlags(&dry_, cudaEventDisableTiming) != cudaSuccess) return false;
        if (cudaEventCreateWithFlags(&wet_, cudaEventDisableTiming) != cudaSuccess) return false;
        return cudaStreamCreateWithFlags(&tailStream_, cudaStreamNonBlocking) == cudaSuccess &&
               cudaMalloc(&line_, host::kBlock * sizeof(float)) == cudaSuccess &&
               cudaMemset(line_, 0, host::kBlock * sizeof(float)) == cudaSuccess;
    }
    bool process(const host::Context& c) override
    {
        if (cudaEventRecord(dry_, c.stream) != cudaSuccess) return false;
        if (cudaStreamWaitEvent(tailStream_, dry_, 0) != cudaSuccess) return false;
        tail<<<1, host::kBlock, 0, tailStream_>>>(c.bus, line_);
        if (cudaEventRecord(wet_, tailStream_) != cudaSuccess) return false;
        return cudaStreamWaitEvent(c.stream, wet_, 0) == cudaSuccess;
    }

private:
    cudaStream_t tailStream_ = nullptr;
    float* line_ = nullptr;
    cudaEvent_t dry_ = nullptr, wet_ = nullptr;
};
static host::Registrar regReverb("reverb", [] { return std::make_unique<Reverb>(); });

int main()
{
    host::Context ctx;
    cudaStreamCreateWithFlags(&ctx.stream, cudaStreamNonBlocking);
    cudaMalloc(&ctx.bus, host::kBlock * sizeof(float));
    std::vector<std::unique_ptr<host::Plugin>> chain;
    bool ok = true;
    for (const char* id : {"source", "tremolo", "reverb"}) {
        chain.push_back(host::registry().at(id)());
        ok = chain.back()->prepare() && ok;
    }
    ok = cudaDeviceSynchronize() == cudaSuccess && ok;

    cudaGraph_t g = nullptr;
    cudaGraphExec_t exec = nullptr;
    ok = ok && cudaStreamBeginCapture(ctx.stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    for (auto& p : chain) ok = p->process(ctx) && ok;
    ok = cudaStreamEndCapture(ctx.stream, &g) == cudaSuccess && ok;
    ok = ok && cudaGraphInstantiate(&exec, g, 0) == cudaSuccess;
    if (!ok) { std::printf("LABEL REFUTED %s\n", cudaGetErrorString(cudaGetLastError())); return 0; }
    cudaDeviceSynchronize();

    float v[3] = {};
    for (float& x : v) {
        ok = cudaGraphLaunch(exec, ctx.stream) == cudaSuccess && ok;
        ok = cudaMemcpyAsync(&x, ctx.bus + 3, sizeof x, cudaMemcpyDeviceToHost, ctx.stream) == cudaSuccess && ok;
        ok = cudaStreamSynchronize(ctx.stream) == cudaSuccess && ok;
    }
    bool label = ok && v[0] == 102.0f && v[1] == 203.0f && v[2] == 304.0f;
    std::printf("LABEL %s %g %g %g\n", label ? "CONFIRMED" : "REFUTED", v[0], v[1], v[2]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(g);
    chain.clear();
    cudaFree(ctx.bus);
    cudaStreamDestroy(ctx.stream);
    return 0;
}
