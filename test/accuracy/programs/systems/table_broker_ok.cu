// Multi-tenant memory broker: leases of fixed device slices, recipes compiled to graphs.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define GPU_CHECK(expr)                                                                       \
    do {                                                                                      \
        cudaError_t rc_ = (expr);                                                             \
        if (rc_ != cudaSuccess) {                                                             \
            std::printf("LABEL REFUTED: %s -> %s\n", #expr, cudaGetErrorString(rc_));         \
            std::exit(0);                                                                     \
        }                                                                                     \
    } while (0)

constexpr int kSliceFloats = 1024;

class MemoryBroker {
public:
    explicit MemoryBroker(int slices) {
        GPU_CHECK(cudaMalloc(&slab_, sizeof(float) * kSliceFloats * slices));
        for (int i = slices - 1; i >= 0; --i) free_.push_back(slab_ + i * kSliceFloats);
    }
    ~MemoryBroker() { cudaFree(slab_); }

    class Lease {
    public:
        Lease(MemoryBroker& broker, float* p) : broker_(broker), p_(p) {}
        ~Lease() { broker_.free_.push_back(p_); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        float* data() const { return p_; }
    private:
        MemoryBroker& broker_;
        float* p_;
    };

    std::shared_ptr<Lease> lease() {
        float* p = free_.back();
        free_.pop_back();
        return std::make_shared<Lease>(*this, p);
    }
private:
    float* slab_ = nullptr;
    std::vector<float*> free_;
};

__global__ void applyTable(const float* in, float* out, const float* table, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * table[i % kSliceFloats];
}
__global__ void fillTable(float* t, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSliceFloats) t[i] = v;
}

class ILogger {
public:
    virtual ~ILogger() = default;
    virtual void info(const std::string& line) = 0;
};
class ConsoleLogger : public ILogger {
public:
    void info(const std::string& line) override { std::printf("[info] %s\n", line.c_str()); }
};

struct CompiledRecipe {
    cudaGraphExec_t exec = nullptr;
    std::vector<std::shared_ptr<MemoryBroker::Lease>> holds;
    CompiledRecipe() = default;
    CompiledRecipe(const CompiledRecipe&) = delete;
    CompiledRecipe& operator=(const CompiledRecipe&) = delete;
    ~CompiledRecipe() { if (exec) cudaGraphExecDestroy(exec); }
};

class RecipeCompiler {
public:
    RecipeCompiler(MemoryBroker& broker, ILogger& log, cudaStream_t s) : broker_(broker), log_(log), stream_(s) {}

    std::unique_ptr<CompiledRecipe> compile(const float* in, float* out, int n, float weight) {
        auto table = broker_.lease();
        fillTable<<<kSliceFloats / 128, 128, 0, stream_>>>(table->data(), weight);
        GPU_CHECK(cudaStreamSynchronize(stream_));

        cudaGraph_t graph = nullptr;
        GPU_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        applyTable<<<(n + 127) / 128, 128, 0, stream_>>>(in, out, table->data(), n);
        GPU_CHECK(cudaStreamEndCapture(stream_, &graph));
        auto recipe = std::make_unique<CompiledRecipe>();
        GPU_CHECK(cudaGraphInstantiate(&recipe->exec, graph, 0));
        GPU_CHECK(cudaGraphDestroy(graph));
        recipe->holds.push_back(std::move(table));
        log_.info("recipe compiled, weight " + std::to_string(weight));
        return recipe;
    }
private:
    MemoryBroker& broker_;
    ILogger& log_;
    cudaStream_t stream_;
};

static float runOnce(const CompiledRecipe& r, const float* out, int n, cudaStream_t s) {
    float last = 0.0f;
    GPU_CHECK(cudaGraphLaunch(r.exec, s));
    GPU_CHECK(cudaMemcpyAsync(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost, s));
    GPU_CHECK(cudaStreamSynchronize(s));
    return last;
}

int main() {
    const int n = 5000;
    ConsoleLogger log;
    MemoryBroker broker(4);
    cudaStream_t stream;
    GPU_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    float *in, *out;
    GPU_CHECK(cudaMalloc(&in, n * sizeof(float)));
    GPU_CHECK(cudaMalloc(&out, n * sizeof(float)));
    std::vector<float> ones(n, 1.0f);
    GPU_CHECK(cudaMemcpy(in, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    GPU_CHECK(cudaDeviceSynchronize());

    RecipeCompiler compiler(broker, log, stream);
    auto recipe = compiler.compile(in, out, n, 3.0f);
    float a = runOnce(*recipe, out, n, stream);
    float b, c;
    {
        auto tenant = broker.lease();
        fillTable<<<kSliceFloats / 128, 128, 0, stream>>>(tenant->data(), 50.0f);
        b = runOnce(*recipe, out, n, stream);
    }
    c = runOnce(*recipe, out, n, stream);
    bool confirmed = a == 3.0f && b == 3.0f && c == 3.0f;
    std::printf("%s: %g %g %g\n", confirmed ? "LABEL CONFIRMED" : "LABEL REFUTED", a, b, c);
    recipe.reset();
    cudaFree(in);
    cudaFree(out);
    cudaStreamDestroy(stream);
    return 0;
}
