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
__global__ void tremolo(float* bus, float depth) { bus[threadIdx.x] *= depth; }

class Tremolo final : public host::Plugin {
public:
    bool prepare() override { step_ = 0; return true; }
    bool process(const host::Context& c) override
    {
        step_ = step_ % 4 + 1;  // HAZARD host_logic #lfo
        tremolo<<<1, host::kBlock, 0, c.stream>>>(c.bus, 1.0f + float(step_));  // HAZARD host_logic #lfo
        return cudaGetLastError() == cudaSuccess;
    }

private:
    int step_ = 0;
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
    }
    bool prepare() override
    {
        return cudaStreamCreateWithFlags(&tailStream_, cudaStreamNonBlocking) == cudaSuccess &&
               cudaMalloc(&line_, host::kBlock * sizeof(float)) == cudaSuccess &&
               cudaMemset(line_, 0, host::kBlock * sizeof(float)) == cudaSuccess;
    }
    bool process(const host::Context& c) override
    {
        tail<<<1, host::kBlock, 0, tailStream_>>>(c.bus, line_);  // HAZARD default_stream
        return cudaGetLastError() == cudaSuccess;
    }

private:
    cudaStream_t tailStream_ = nullptr;
    float* line_ = nullptr;
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
    bool label = ok && v[0] == 2.0f && v[1] == 2.0f && v[2] == 2.0f;
    std::printf("LABEL %s %g %g %g\n", label ? "CONFIRMED" : "REFUTED", v[0], v[1], v[2]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(g);
    chain.clear();
    cudaFree(ctx.bus);
    cudaStreamDestroy(ctx.stream);
    return 0;
}
