#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

extern "C" {
typedef struct dn_device_s* dn_device;
typedef struct dn_filter_s* dn_filter;
typedef enum { DN_SUCCESS = 0, DN_BAD_ARGUMENT = 1, DN_OUT_OF_MEMORY = 2, DN_DEVICE_LOST = 3, DN_NOT_COMMITTED = 4 } dn_result;

dn_result dn_device_open(dn_device* out);
dn_result dn_device_close(dn_device dev);
dn_result dn_filter_create(dn_device dev, uint32_t width, dn_filter* out);
dn_result dn_filter_set1f(dn_filter f, const char* key, float v);
dn_result dn_filter_commit(dn_filter f);
dn_result dn_filter_execute(dn_filter f, float* pixels_dev);
}
namespace {
struct Constants {
    float sigma, bias, weights[14];
};

__global__ void blend(float* px, const Constants* c, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    px[i] = px[i] * c->sigma * c->weights[i % 14] * 14.0f + c->bias;
}

}  // namespace
struct dn_device_s {
    cudaStream_t stream = nullptr;
    std::vector<std::unique_ptr<dn_filter_s>> filters;
};

struct dn_filter_s {
    dn_device_s* owner = nullptr;
    uint32_t width = 0;
    float sigma = 1.0f, bias = 0.0f;
    float* pixels = nullptr;
    Constants* constants = nullptr;
    Constants* staged = nullptr;
    cudaGraphExec_t exec = nullptr;

    Constants resolve() const
    {
        Constants c{sigma, bias, {}};
        for (float& w : c.weights) w = 1.0f / 14.0f;
        return c;
    }
    cudaError_t encode(cudaStream_t s)
    {
        cudaError_t e = cudaMemcpyAsync(constants, staged, sizeof *staged, cudaMemcpyHostToDevice, s);
        if (e != cudaSuccess) return e;
        blend<<<(width + 127) / 128, 128, 0, s>>>(pixels, constants, width);
        return cudaGetLastError();
    }
    ~dn_filter_s()
    {
        if (exec) cudaGraphExecDestroy(exec);
        cudaFree(pixels), cudaFree(constants);
        cudaFreeHost(staged);
    }
};

dn_result dn_device_open(dn_device* out)
{
    auto dev = std::make_unique<dn_device_s>();
    if (cudaStreamCreateWithFlags(&dev->stream, cudaStreamNonBlocking) != cudaSuccess) return DN_DEVICE_LOST;
    *out = dev.release();
    return DN_SUCCESS;
}

dn_result dn_device_close(dn_device dev)
{
    dev->filters.clear();
    cudaError_t e = cudaStreamDestroy(dev->stream);
    delete dev;
    return e == cudaSuccess ? DN_SUCCESS : DN_DEVICE_LOST;
}

dn_result dn_filter_create(dn_device dev, uint32_t width, dn_filter* out)
{
    if (!dev || !out || width == 0) return DN_BAD_ARGUMENT;
    auto f = std::make_unique<dn_filter_s>();
    f->owner = dev, f->width = width;
    if (cudaMalloc(&f->pixels, width * sizeof(float)) != cudaSuccess) return DN_OUT_OF_MEMORY;
    if (cudaMalloc(&f->constants, sizeof(Constants)) != cudaSuccess) return DN_OUT_OF_MEMORY;
    if (cudaMallocHost(&f->staged, sizeof(Constants)) != cudaSuccess) return DN_OUT_OF_MEMORY;
    *f->staged = f->resolve();
    dev->filters.push_back(std::move(f));
    *out = dev->filters.back().get();
    return DN_SUCCESS;
}

dn_result dn_filter_set1f(dn_filter f, const char* key, float v)
{
    if (std::strcmp(key, "sigma") && std::strcmp(key, "bias")) return DN_BAD_ARGUMENT;
    (key[0] == 's' ? f->sigma : f->bias) = v;
    *f->staged = f->resolve();
    return DN_SUCCESS;
}

dn_result dn_filter_commit(dn_filter f)
{
    cudaStream_t s = f->owner->stream;
    cudaGraph_t g = nullptr;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess) return DN_DEVICE_LOST;
    cudaError_t body = f->encode(s);
    if (cudaStreamEndCapture(s, &g) != cudaSuccess || body != cudaSuccess) return DN_DEVICE_LOST;
    if (f->exec) { cudaGraphExecDestroy(f->exec); f->exec = nullptr; }
    cudaError_t e = cudaGraphInstantiate(&f->exec, g, 0);
    cudaGraphDestroy(g);
    return e == cudaSuccess ? DN_SUCCESS : DN_DEVICE_LOST;
}

dn_result dn_filter_execute(dn_filter f, float* pixels)
{
    if (!f->exec) return DN_NOT_COMMITTED;
    cudaStream_t s = f->owner->stream;
    size_t bytes = f->width * sizeof(float);
    if (cudaMemcpyAsync(f->pixels, pixels, bytes, cudaMemcpyDeviceToDevice, s) != cudaSuccess) return DN_DEVICE_LOST;
    if (cudaGraphLaunch(f->exec, s) != cudaSuccess) return DN_DEVICE_LOST;
    if (cudaMemcpyAsync(pixels, f->pixels, bytes, cudaMemcpyDeviceToDevice, s) != cudaSuccess) return DN_DEVICE_LOST;
    return cudaStreamSynchronize(s) == cudaSuccess ? DN_SUCCESS : DN_DEVICE_LOST;
}

static float run_once(dn_filter f, dn_result* rc)
{
    std::vector<float> img(64, 2.0f);
    float* d = nullptr;
    cudaMalloc(&d, 64 * sizeof(float));
    cudaMemcpy(d, img.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    *rc = dn_filter_execute(f, d);
    cudaMemcpy(img.data(), d, 64 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return img[5];
}

int main()
{
    dn_device dev = nullptr;
    dn_filter f = nullptr;
    dn_result rc = dn_device_open(&dev);
    if (!rc) rc = dn_filter_create(dev, 64, &f);
    if (!rc) rc = dn_filter_set1f(f, "sigma", 3.0f);
    if (!rc) rc = dn_filter_commit(f);
    if (rc) { std::printf("LABEL REFUTED rc=%d\n", rc); return 0; }
    float a = run_once(f, &rc);
    dn_result rc2 = dn_filter_set1f(f, "bias", 1.0f);
    float b = rc2 ? 0.0f : run_once(f, &rc2);
    bool right = !rc && !rc2 && a > 5.99f && a < 6.01f && b > 6.99f && b < 7.01f;
    dn_device_close(dev);
    std::printf("LABEL %s rc=%d a=%g b=%g\n", right ? "CONFIRMED" : "REFUTED", rc, a, b);
    return 0;
}
