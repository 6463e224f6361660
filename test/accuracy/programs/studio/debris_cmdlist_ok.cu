#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace debris {

__global__ void fallKernel(float* y, const float* vy, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += vy[i] * dt;
}
__global__ void fallLiveKernel(float* y, const float* vy, const int* live, int capacity, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < capacity && i < *live) y[i] += vy[i] * dt;
}

__global__ void boundsKernel(const float* y, int n, float* top)
{
    float m = -1e30f;
    for (int i = 0; i < n; ++i) m = fmaxf(m, y[i]);
    *top = m;
}

struct Clear { float* dst; size_t bytes; };
struct Fall { float* y; const float* vy; const int* live; int capacity; float dt; };
struct Bounds { const float* y; int n; float* top; };
using Command = std::variant<Clear, Fall, Bounds>;

struct Telemetry { unsigned dispatches = 0; unsigned frames = 0; };
void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

class Encoder {
public:
    Encoder(cudaStream_t s, Telemetry& t) : stream_(s), telemetry_(t) {}
    void operator()(const Clear& c)
    {
        check(cudaMemsetAsync(c.dst, 0, c.bytes, stream_), "clear");
    }
    void operator()(const Fall& c)
    {
        fallLiveKernel<<<(c.capacity + 127) / 128, 128, 0, stream_>>>(c.y, c.vy, c.live, c.capacity, c.dt);
    }
    void operator()(const Bounds& c)
    {
        boundsKernel<<<1, 1, 0, stream_>>>(c.y, c.n, c.top);
    }

private:
    cudaStream_t stream_;
    Telemetry& telemetry_;
};

class CommandList {
public:
    void push(Command c) { commands_.push_back(std::move(c)); }
    void record(cudaStream_t s, Telemetry& t)
    {
        cudaGraph_t g = nullptr;
        check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin");
        Encoder enc(s, t);
        for (const auto& c : commands_) std::visit(enc, c);
        check(cudaStreamEndCapture(s, &g), "end");
        check(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
        check(cudaGraphDestroy(g), "graph");
    }
    void submit(cudaStream_t s, Telemetry& t)
    {
        check(cudaGraphLaunch(exec_, s), "launch");
        ++t.frames;
        t.dispatches += static_cast<unsigned>(commands_.size());
    }
    ~CommandList() { if (exec_) cudaGraphExecDestroy(exec_); }

private:
    std::vector<Command> commands_;
    cudaGraphExec_t exec_ = nullptr;
};

class World {
public:
    explicit World(int capacity) : capacity_(capacity)
    {
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
        check(cudaMalloc(&y_, capacity * sizeof(float)), "y");
        check(cudaMalloc(&vy_, capacity * sizeof(float)), "vy");
        check(cudaMalloc(&top_, sizeof(float)), "top");
        check(cudaMalloc(&liveDev_, sizeof(int)), "live");
        std::vector<float> v(capacity, 2.0f);
        check(cudaMemcpy(vy_, v.data(), capacity * sizeof(float), cudaMemcpyHostToDevice), "vy");
        check(cudaMemset(y_, 0, capacity * sizeof(float)), "y");
        check(cudaDeviceSynchronize(), "init");
    }
    ~World()
    {
        cudaFree(y_); cudaFree(vy_); cudaFree(top_);
        cudaFree(liveDev_);
        cudaStreamDestroy(stream);
    }
    void spawn(int k)
    {
        live_ = std::min(capacity_, live_ + k);
        check(cudaMemcpyAsync(liveDev_, &live_, sizeof(int), cudaMemcpyHostToDevice, stream), "live");
        check(cudaStreamSynchronize(stream), "spawn");
    }
    void build()
    {
        list_.push(Clear{top_, sizeof(float)});
        list_.push(Fall{y_, vy_, liveDev_, capacity_, 0.5f});
        list_.push(Bounds{y_, capacity_, top_});
        list_.record(stream, telemetry);
    }
    void frame() { list_.submit(stream, telemetry); }
    std::vector<float> heights()
    {
        std::vector<float> h(capacity_);
        check(cudaStreamSynchronize(stream), "sync");
        check(cudaMemcpy(h.data(), y_, capacity_ * sizeof(float), cudaMemcpyDeviceToHost), "read");
        return h;
    }
    cudaStream_t stream = nullptr;
    Telemetry telemetry;

private:
    int capacity_, live_ = 0;
    float *y_ = nullptr, *vy_ = nullptr, *top_ = nullptr;
    int* liveDev_ = nullptr;
    CommandList list_;
};

}  // namespace debris
int main()
{
    try {
        debris::World world(1024);
        world.spawn(100);
        world.build();
        world.frame();
        world.spawn(400);
        world.frame();
        auto h = world.heights();
        bool first = h[50] == 2.0f, second = h[450] == 1.0f, unused = h[900] == 0.0f;
        bool counted = world.telemetry.frames == 2 && world.telemetry.dispatches == 6;
        bool label = first && second && unused && counted;
        std::printf("LABEL %s y50=%g y450=%g dispatches=%u\n", label ? "CONFIRMED" : "REFUTED", h[50], h[450],
                    world.telemetry.dispatches);
    } catch (const std::exception& e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
