#include <cuda_runtime.h>
#include <atomic>
#include <cstddef>
#include <cstdio>

// Renderer back end: each pass is a row of function pointers, recorded into its own graph.

struct Backend {
    cudaStream_t stream;
    float* color;
    float* histogram;
    float* shared_copy;
    float* mips;
    float* readback;
    int pixels;
    std::atomic<int> finished;
};

struct PassVtbl {
    const char* name;
    cudaError_t (*prepare)(Backend*);
    cudaError_t (*record)(Backend*);
    void (*release)(Backend*);
};

__global__ void brighten(float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += 1.0f;
}

__global__ void binPixels(const float* c, float* h, int n)
{
    float s = 0;
    for (int i = 0; i < n; ++i) s += c[i];
    *h = s;
}

__global__ void halve(const float* c, float* m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) m[i] = 0.5f * (c[2 * i] + c[2 * i + 1]);
}

static cudaError_t nothing(Backend*) { return cudaSuccess; }
static void leave(Backend*) {}

// ---- present: counts finished frames on the host ---------------------------
static void CUDART_CB onPresented(void* user)
{
    static_cast<Backend*>(user)->finished.fetch_add(1);
}

static cudaError_t recordPresent(Backend* b)
{
    brighten<<<(b->pixels + 127) / 128, 128, 0, b->stream>>>(b->color, b->pixels);
    return cudaLaunchHostFunc(b->stream, onPresented, b);
}

// ---- histogram: one value back to the host ---------------------------------
static cudaError_t prepareHistogram(Backend* b)
{
    return b->readback ? cudaSuccess : cudaHostAlloc((void**)&b->readback, sizeof(float), cudaHostAllocDefault);
}

static cudaError_t recordHistogram(Backend* b)
{
    binPixels<<<1, 1, 0, b->stream>>>(b->color, b->histogram, b->pixels);
    return cudaMemcpyAsync(b->readback, b->histogram, sizeof(float), cudaMemcpyDeviceToHost, b->stream);
}

static void releaseHistogram(Backend* b)
{
    if (b->readback) cudaFreeHost(b->readback);
    b->readback = nullptr;
}

// ---- mips ------------------------------------------------------------------
static cudaError_t prepareMips(Backend* b) { return cudaMalloc((void**)&b->mips, b->pixels / 2 * sizeof(float)); }

static cudaError_t recordMips(Backend* b)
{
    float* mips = b->mips;
    halve<<<(b->pixels / 2 + 127) / 128, 128, 0, b->stream>>>(b->color, mips, b->pixels);
    return cudaMemcpyAsync(b->shared_copy, mips, b->pixels / 2 * sizeof(float), cudaMemcpyDeviceToDevice, b->stream);
}

static void releaseMips(Backend* b) { cudaFree(b->mips); }

static const PassVtbl kPasses[] = {
    {"present", nothing, recordPresent, leave},
    {"histogram", prepareHistogram, recordHistogram, releaseHistogram},
    {"mips", prepareMips, recordMips, releaseMips},
};
constexpr size_t kPassCount = sizeof kPasses / sizeof kPasses[0];

static cudaError_t compilePass(Backend* b, const PassVtbl& p, cudaGraphExec_t* out)
{
    cudaGraph_t g = nullptr;
    cudaError_t e = p.prepare(b);
    if (e != cudaSuccess) return e;
    e = cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    cudaError_t body = p.record(b);
    e = cudaStreamEndCapture(b->stream, &g);
    if (body != cudaSuccess) e = body;
    if (e == cudaSuccess) e = cudaGraphInstantiate(out, g, 0);
    if (g) cudaGraphDestroy(g);
    cudaGetLastError();
    return e;
}

int main()
{
    static Backend b{};
    b.pixels = 256;
    cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking);
    cudaMalloc((void**)&b.color, b.pixels * sizeof(float));
    cudaMalloc((void**)&b.histogram, sizeof(float));
    cudaMalloc((void**)&b.shared_copy, b.pixels / 2 * sizeof(float));
    cudaMemset(b.color, 0, b.pixels * sizeof(float));
    cudaDeviceSynchronize();

    cudaGraphExec_t exec[kPassCount] = {};
    cudaError_t rc[kPassCount] = {};
    for (size_t i = 0; i < kPassCount; ++i) rc[i] = compilePass(&b, kPasses[i], &exec[i]);
    cudaError_t run = cudaSuccess;
    for (int frame = 0; frame < 3; ++frame)
        for (size_t i = 0; i < kPassCount; ++i)
            if (exec[i] && run == cudaSuccess) run = cudaGraphLaunch(exec[i], b.stream);
    cudaError_t done = cudaStreamSynchronize(b.stream);

    float mip = 0;
    cudaError_t rd = cudaMemcpy(&mip, b.shared_copy + 3, sizeof mip, cudaMemcpyDeviceToHost);
    bool label = !run && !done && !rd && b.finished == 3 && b.readback && *b.readback == 3.0f * b.pixels && mip == 3.0f;
    for (cudaError_t e : rc) label = label && e == cudaSuccess;
    std::printf("LABEL %s rc=%d,%d,%d finished=%d\n", label ? "CONFIRMED" : "REFUTED", int(rc[0]), int(rc[1]),
                int(rc[2]), b.finished.load());
    for (size_t i = 0; i < kPassCount; ++i) {
        if (exec[i]) cudaGraphExecDestroy(exec[i]);
        kPasses[i].release(&b);
    }
    cudaFree(b.color);
    cudaFree(b.histogram);
    cudaFree(b.shared_copy);
    cudaStreamDestroy(b.stream);
    return 0;
}
