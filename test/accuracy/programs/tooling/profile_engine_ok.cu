#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

struct Dims { int32_t nb = 1; int64_t d[4] = {0, 0, 0, 0}; };

class IPlugin {
public:
    virtual ~IPlugin() = default;
    virtual int32_t enqueue(int64_t n, const float* in, float* out, cudaStream_t stream) noexcept = 0;
};

__global__ void kCenter(const float* x, float* y, int64_t n) {
    int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = x[i] - 100.f;
}
__global__ void kFloor(const float* x, float* y, int64_t n) {
    int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = x[i] < 0.f ? 0.f : x[i];
}

class CenterPlugin final : public IPlugin {
public:
    int32_t enqueue(int64_t n, const float* in, float* out, cudaStream_t stream) noexcept override {
        const unsigned blocks = unsigned((n + 127) / 128);
        kCenter<<<blocks, 128, 0, stream>>>(in, out, n);
        return cudaPeekAtLastError() == cudaSuccess ? 0 : -1;
    }
};

class FloorPlugin final : public IPlugin {
public:
    explicit FloorPlugin(int64_t maxElems) : mBlocks(unsigned((maxElems + 127) / 128)), mMax(maxElems) {}
    int32_t enqueue(int64_t, const float* in, float* out, cudaStream_t stream) noexcept override {
        kFloor<<<mBlocks, 128, 0, stream>>>(in, out, mMax);
        return cudaPeekAtLastError() == cudaSuccess ? 0 : -1;
    }
private:
    unsigned mBlocks;
    int64_t mMax;
};

class IExecutionContext {
public:
    virtual ~IExecutionContext() = default;
    virtual bool setOptimizationProfileAsync(int32_t p, cudaStream_t) = 0;
    virtual bool setInputShape(const char* name, const Dims& d) = 0;
    virtual bool setTensorAddress(const char* name, void* p) = 0;
    virtual bool enqueueV3(cudaStream_t stream) = 0;
    virtual int32_t profile() const = 0;
    virtual int64_t volume() const = 0;
};

class SpectraContext final : public IExecutionContext {
public:
    explicit SpectraContext(int64_t maxElems) {
        cudaMalloc(&mScratch, maxElems * sizeof(float));
        cudaMemset(mScratch, 0, maxElems * sizeof(float));
        mLayers.emplace_back(new CenterPlugin);
        mLayers.emplace_back(new FloorPlugin(maxElems));
    }
    ~SpectraContext() override { cudaFree(mScratch); }
    bool setOptimizationProfileAsync(int32_t p, cudaStream_t) override { mProfile = p; return p >= 0 && p < 2; }
    bool setInputShape(const char*, const Dims& d) override { mDims = d; return true; }
    bool setTensorAddress(const char* name, void* p) override { mBindings[name] = static_cast<float*>(p); return true; }
    bool enqueueV3(cudaStream_t stream) override {
        if (mLayers[0]->enqueue(volume(), mBindings["in"], mScratch, stream) != 0) return false;
        return mLayers[1]->enqueue(volume(), mScratch, mBindings["out"], stream) == 0;
    }
    int32_t profile() const override { return mProfile; }
    int64_t volume() const override { return mDims.d[0] * mDims.d[1]; }
private:
    std::vector<std::unique_ptr<IPlugin>> mLayers;
    std::map<std::string, float*> mBindings;
    Dims mDims;
    int32_t mProfile = 0;
    float* mScratch = nullptr;
};

class GraphRunner {
public:
    explicit GraphRunner(IExecutionContext& ctx) : mCtx(ctx) {}
    ~GraphRunner() { for (auto& kv : mExecs) cudaGraphExecDestroy(kv.second); }
    cudaError_t infer(cudaStream_t stream) {
        const Key key{mCtx.profile(), mCtx.volume()};
        auto it = mExecs.find(key);
        if (it == mExecs.end()) {
            if (!mCtx.enqueueV3(stream)) return cudaErrorUnknown;
            if (cudaError_t e = cudaStreamSynchronize(stream)) return e;
            cudaGraph_t g = nullptr;
            cudaGraphExec_t x = nullptr;
            if (cudaError_t e = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)) return e;
            const bool ok = mCtx.enqueueV3(stream);
            if (cudaError_t e = cudaStreamEndCapture(stream, &g)) return e;
            cudaError_t e = ok ? cudaGraphInstantiate(&x, g, 0) : cudaErrorUnknown;
            cudaGraphDestroy(g);
            if (e != cudaSuccess) return e;
            it = mExecs.emplace(key, x).first;
        }
        return cudaGraphLaunch(it->second, stream);
    }
private:
    using Key = std::tuple<int32_t, int64_t>;
    IExecutionContext& mCtx;
    std::map<Key, cudaGraphExec_t> mExecs;
};

int main() {
    const int64_t kMax = 1024;
    cudaStream_t user;
    cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking);
    float *in, *out;
    cudaMalloc(&in, kMax * sizeof(float));
    cudaMalloc(&out, kMax * sizeof(float));
    std::vector<float> h(kMax), r(kMax);
    cudaError_t worst = cudaSuccess;
    bool first = false, second = false;
    {
        SpectraContext ctx(kMax);
        GraphRunner runner(ctx);
        ctx.setTensorAddress("in", in);
        ctx.setTensorAddress("out", out);
        ctx.setOptimizationProfileAsync(1, user);
        auto pass = [&](int64_t rows, float v) {
            for (auto& e : h) e = v;
            cudaMemcpy(in, h.data(), kMax * sizeof(float), cudaMemcpyHostToDevice);
            cudaDeviceSynchronize();
            ctx.setInputShape("in", Dims{2, {rows, 64}});
            for (int i = 0; i < 2; ++i)
                if (cudaError_t e = runner.infer(user)) worst = e;
            if (cudaError_t e = cudaDeviceSynchronize()) worst = e;
            cudaMemcpy(r.data(), out, kMax * sizeof(float), cudaMemcpyDeviceToHost);
        };
        pass(4, 150.f);
        pass(4, 175.f);
        first = r[5] == 75.f;
        pass(12, 190.f);
        second = r[5] == 90.f && r[700] == 90.f;
    }
    const bool ok = worst == cudaSuccess && first && second;
    std::printf("LABEL %s (%s, %g %g)\n", ok ? "CONFIRMED" : "REFUTED", cudaGetErrorName(worst), r[5], r[700]);
    cudaFree(in); cudaFree(out); cudaStreamDestroy(user);
    return 0;
}
