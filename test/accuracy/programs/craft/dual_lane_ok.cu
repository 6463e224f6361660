// Two inference lanes per device, each with its own stream and graph, launched side by side.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

void must(cudaError_t e, const char* where) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "[fatal] %s: %s\n", where, cudaGetErrorString(e));
    std::exit(2);
}

constexpr int kCells = 2048;
constexpr int kLanes = 2;

struct BufferFree {
    void operator()(float* p) const { cudaFree(p); }
};
using DeviceBuffer = std::unique_ptr<float, BufferFree>;

DeviceBuffer makeBuffer(int n) {
    float* p = nullptr;
    must(cudaMalloc(&p, n * sizeof(float)), "cudaMalloc");
    return DeviceBuffer(p);
}

// Expands the request by the (read-only) filter bank.
__global__ void expand(const float* in, const float* bank, float* work) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells) work[i] = in[i] * bank[i];
}

// Relaxation with a long serial dependence: the expensive part of a request.
__global__ void relax(const float* in, float* bias, long long cycles) {
    const long long until = clock64() + cycles;
    float v = in[threadIdx.x];
    while (clock64() < until) v = v * 0.5f + in[threadIdx.x] * 0.5f;
    if (threadIdx.x == 0) *bias = v;
}

__global__ void combine(const float* work, const float* bias, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kCells) out[i] = work[i] + *bias;
}

struct Lane {
    cudaStream_t stream = nullptr;
    cudaGraphExec_t exec = nullptr;
    DeviceBuffer in, out, bias;
    DeviceBuffer work;
    long long launches = 0;
};

struct DeviceContext {
    int device = 0;
    DeviceBuffer bank;  // never written after setup
    std::array<Lane, kLanes> lanes;

    explicit DeviceContext(int dev) : device(dev) {
        must(cudaSetDevice(dev), "cudaSetDevice");
        bank = makeBuffer(kCells);
        std::vector<float> twos(kCells, 2.f);
        must(cudaMemcpy(bank.get(), twos.data(), kCells * sizeof(float), cudaMemcpyHostToDevice), "bank");
        must(cudaDeviceSynchronize(), "setup");
        for (Lane& lane : lanes) {
            must(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking), "stream");
            lane.in = makeBuffer(kCells);
            lane.out = makeBuffer(kCells);
            lane.bias = makeBuffer(1);
            lane.work = makeBuffer(kCells);
            record(lane);
        }
    }
    ~DeviceContext() {
        for (Lane& lane : lanes) {
            cudaStreamSynchronize(lane.stream);
            cudaGraphExecDestroy(lane.exec);
            cudaStreamDestroy(lane.stream);
        }
    }
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    void record(Lane& lane) {
        float* scratch = lane.work.get();
        const dim3 grid(kCells / 256), block(256);
        cudaGraph_t graph = nullptr;
        must(cudaStreamBeginCapture(lane.stream, cudaStreamCaptureModeThreadLocal), "begin");
        expand<<<grid, block, 0, lane.stream>>>(lane.in.get(), bank.get(), scratch);
        relax<<<1, 32, 0, lane.stream>>>(lane.in.get(), lane.bias.get(), 60'000'000LL);
        combine<<<grid, block, 0, lane.stream>>>(scratch, lane.bias.get(), lane.out.get());
        must(cudaStreamEndCapture(lane.stream, &graph), "end");
        must(cudaGraphInstantiate(&lane.exec, graph, 0), "instantiate");
        must(cudaGraphDestroy(graph), "destroy");
        must(cudaGraphUpload(lane.exec, lane.stream), "upload");
        must(cudaStreamSynchronize(lane.stream), "upload sync");
    }

    void feed(int lane, float value) {
        const std::vector<float> host(kCells, value);
        must(cudaMemcpyAsync(lanes[lane].in.get(), host.data(), kCells * sizeof(float), cudaMemcpyHostToDevice,
                             lanes[lane].stream), "feed");
        must(cudaStreamSynchronize(lanes[lane].stream), "feed sync");
    }
    void fire() {
        for (Lane& lane : lanes) {
            must(cudaGraphLaunch(lane.exec, lane.stream), "launch");
            ++lane.launches;
        }
    }
    std::vector<float> collect(int lane) {
        std::vector<float> host(kCells);
        must(cudaMemcpyAsync(host.data(), lanes[lane].out.get(), kCells * sizeof(float), cudaMemcpyDeviceToHost,
                             lanes[lane].stream), "collect");
        must(cudaStreamSynchronize(lanes[lane].stream), "collect sync");
        return host;
    }
};

}  // namespace

int main() {
    int mismatches = 0;
    {
        DeviceContext ctx(0);
        for (int round = 1; round <= 4; ++round) {
            for (int l = 0; l < kLanes; ++l) ctx.feed(l, 8.f * round * (l + 1));
            ctx.fire();
            for (int l = 0; l < kLanes; ++l) {
                const float v = 8.f * round * (l + 1);
                for (float got : ctx.collect(l))
                    if (got != 2.f * v + v) ++mismatches;
            }
        }
        std::printf("%lld launches, %d mismatches\n", ctx.lanes[0].launches + ctx.lanes[1].launches, mismatches);
    }
    std::puts(mismatches ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
    return 0;
}
