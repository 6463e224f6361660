#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>

namespace svc {

void must(cudaError_t e, const char *what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(e));
}

struct Shape { int rows; int cols; };

struct Key {
    int tenant;
    int rows;
    int cols;
    bool operator<(const Key &o) const {
        return std::tie(tenant, rows, cols) < std::tie(o.tenant, o.rows, o.cols);
    }
};

struct GraphHandle {
    cudaGraphExec_t exec = nullptr;
    float *scratch = nullptr;
    GraphHandle() = default;
    GraphHandle(const GraphHandle &) = delete;
    ~GraphHandle() {
        if (exec) cudaGraphExecDestroy(exec);
        if (scratch) cudaFree(scratch);
    }
};

constexpr int kCapacity = 4096;

struct Tenant {
    int id;
    cudaStream_t stream = nullptr;
    float *out = nullptr;
    explicit Tenant(int i) : id(i) {
        must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "tenant stream");
        must(cudaMalloc(&out, kCapacity * sizeof(float)), "tenant buffer");
        must(cudaMemset(out, 0, kCapacity * sizeof(float)), "tenant buffer");
        must(cudaDeviceSynchronize(), "tenant buffer");
    }
};

__global__ void stage(float *tmp, float tag, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tmp[i] = tag;
}
__global__ void enrich(long long cycles) {
    long long t0 = clock64();
    while (clock64() - t0 < cycles) {}
}
__global__ void emit(const float *tmp, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tmp[i];
}

class GraphRegistry {
public:
    std::shared_ptr<GraphHandle> acquire(const Tenant &t, Shape s) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto &slot = graphs_[Key{t.id, s.rows, s.cols}];
        if (!slot) slot = create(t, s);
        return slot;
    }
    std::size_t size() const { std::lock_guard<std::mutex> lock(mutex_); return graphs_.size(); }
private:
    std::shared_ptr<GraphHandle> create(const Tenant &t, Shape s) {
        auto handle = std::make_shared<GraphHandle>();
        const int n = s.rows * s.cols, blocks = (n + 255) / 256;
        must(cudaMalloc(&handle->scratch, kCapacity * sizeof(float)), "scratch");
        cudaGraph_t g = nullptr;
        must(cudaStreamBeginCapture(t.stream, cudaStreamCaptureModeThreadLocal), "begin");
        stage<<<kCapacity / 256, 256, 0, t.stream>>>(handle->scratch, float(t.id), kCapacity);
        enrich<<<1, 1, 0, t.stream>>>(200000000LL);
        emit<<<blocks, 256, 0, t.stream>>>(handle->scratch, t.out, n);
        must(cudaStreamEndCapture(t.stream, &g), "end");
        const cudaError_t rc = cudaGraphInstantiate(&handle->exec, g, 0);
        cudaGraphDestroy(g);
        must(rc, "instantiate");
        return handle;
    }
    mutable std::mutex mutex_;
    std::map<Key, std::shared_ptr<GraphHandle>> graphs_;
};

class RequestHandler {
public:
    RequestHandler(GraphRegistry &r, Tenant &t) : registry_(r), tenant_(t) {}
    void prepare(Shape s) { registry_.acquire(tenant_, s); }
    void handle(Shape s) {
        auto graph = registry_.acquire(tenant_, s);
        must(cudaGraphLaunch(graph->exec, tenant_.stream), "launch");
        must(cudaStreamSynchronize(tenant_.stream), "sync");
    }
    float cell(int i) const {
        float v = -1.0f;
        must(cudaMemcpy(&v, tenant_.out + i, sizeof v, cudaMemcpyDeviceToHost), "cell");
        return v;
    }
private:
    GraphRegistry &registry_;
    Tenant &tenant_;
};

}  // namespace svc

int main() {
    using namespace svc;
    try {
        GraphRegistry registry;
        Tenant acme(1), globex(2);
        RequestHandler a(registry, acme), b(registry, globex);
        a.prepare({8, 16});
        b.prepare({8, 16});
        a.handle({8, 16});
        a.handle({8, 32});
        const float wide = a.cell(200);
        b.handle({8, 16});

        std::atomic<int> ready{0}, failed{0};
        auto work = [&](RequestHandler &h) {
            ready.fetch_add(1);
            while (ready.load() < 2) std::this_thread::yield();
            try { h.handle({8, 16}); } catch (const std::exception &) { failed.fetch_add(1); }
        };
        std::thread ta(work, std::ref(a)), tb(work, std::ref(b));
        ta.join();
        tb.join();
        const float va = a.cell(5), vb = b.cell(5);
        const bool hit = wide == 1.0f && va == 1.0f && vb == 2.0f && registry.size() == 3;
        if (hit && failed == 0) std::printf("LABEL CONFIRMED\n");
        else std::printf("LABEL REFUTED wide %g a %g b %g failed %d\n", wide, va, vb, failed.load());
    } catch (const std::exception &e) {
        std::printf("LABEL REFUTED %s\n", e.what());
    }
    return 0;
}
