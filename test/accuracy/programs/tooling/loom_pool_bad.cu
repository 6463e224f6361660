#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

typedef enum { LOOM_OK = 0, LOOM_FAILED = 1 } loom_status;

struct loom_first_error {
    cudaError_t code = cudaSuccess;
    const char * expr = "";
    bool note(cudaError_t e, const char * x) {
        if (e != cudaSuccess && code == cudaSuccess) { code = e; expr = x; }
        return e == cudaSuccess;
    }
};
static loom_first_error g_err;
#define LOOM_TRY(x) do { if (!g_err.note((x), #x)) return LOOM_FAILED; } while (0)

struct loom_tables {
    int * twill = nullptr;
    int   period = 0;
};

static loom_tables loom_upload_tables() {
    static const int pattern[8] = {0, 1, 1, 2, 2, 3, 3, 0};
    loom_tables t;
    t.period = 8;
    g_err.note(cudaMalloc(&t.twill, sizeof(pattern)), "cudaMalloc(twill)"); // HAZARD lazy_initialization #tables
    if (t.twill) g_err.note(cudaMemcpy(t.twill, pattern, sizeof(pattern), cudaMemcpyHostToDevice), "cudaMemcpy(twill)");
    return t;
}

static const loom_tables & loom_global_tables() {
    static loom_tables tables = loom_upload_tables();
    return tables;
}

// fixed block pool: everything is taken from one slab made with the context
struct loom_pool {
    char * slab = nullptr;
    size_t size = 0, used = 0;
    void * alloc(size_t n) {
        n = (n + 255) & ~size_t(255);
        if (used + n > size) return nullptr;
        void * p = slab + used;
        used += n;
        return p;
    }
    void rewind() { used = 0; }
};

template <typename T> struct loom_pool_scope {
    loom_pool & pool;
    size_t mark;
    T * ptr;
    loom_pool_scope(loom_pool & p, size_t n) : pool(p), mark(p.used), ptr(static_cast<T *>(p.alloc(n * sizeof(T)))) {}
    ~loom_pool_scope() { pool.used = mark; }
};

struct loom_ctx {
    cudaStream_t stream = nullptr;
    loom_pool pool;
    std::map<int, cudaGraphExec_t> execs;
    std::map<int, int> visits;
};

__global__ void k_warp(const int * twill, int period, int * tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tmp[i] = twill[i % period];
}
__global__ void k_weft(const int * tmp, int * cloth, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cloth[i] += tmp[i] * 10;
}

static loom_status loom_weave(loom_ctx * c, int * cloth, int width) {
    const loom_tables & t = loom_global_tables(); // HAZARD lazy_initialization #tables
    if (!t.twill) return LOOM_FAILED;
    loom_pool_scope<int> tmp(c->pool, width);
    if (!tmp.ptr) return LOOM_FAILED;
    k_warp<<<(width + 63) / 64, 64, 0, c->stream>>>(t.twill, t.period, tmp.ptr, width);
    k_weft<<<(width + 63) / 64, 64, 0, c->stream>>>(tmp.ptr, cloth, width);
    LOOM_TRY(cudaGetLastError());
    return LOOM_OK;
}

static loom_status loom_compute(loom_ctx * c, int * cloth, int width) {
    auto it = c->execs.find(width);
    if (it == c->execs.end()) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        LOOM_TRY(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal));
        loom_status s = loom_weave(c, cloth, width);
        cudaError_t e = cudaStreamEndCapture(c->stream, &graph);
        if (s != LOOM_OK) return s;
        LOOM_TRY(e);
        cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        LOOM_TRY(made);
        it = c->execs.emplace(width, exec).first;
    }
    LOOM_TRY(cudaGraphLaunch(it->second, c->stream));
    return LOOM_OK;
}

int main() {
    loom_ctx ctx;
    const int width = 200, picks = 4;
    int * cloth = nullptr;
    std::vector<int> host(width, -1);
    cudaStreamCreateWithFlags(&ctx.stream, cudaStreamNonBlocking);
    ctx.pool.size = 1 << 16;
    cudaMalloc(reinterpret_cast<void **>(&ctx.pool.slab), ctx.pool.size);
    cudaMalloc(&cloth, width * sizeof(int));
    cudaMemset(cloth, 0, width * sizeof(int));
    cudaDeviceSynchronize();

    int done = 0;
    for (int p = 0; p < picks; ++p) {
        if (loom_compute(&ctx, cloth, width) != LOOM_OK) break;
        ++done;
    }
    cudaError_t sync = cudaStreamSynchronize(ctx.stream);
    cudaMemcpy(host.data(), cloth, width * sizeof(int), cudaMemcpyDeviceToHost);

    bool ok = done == 0 && g_err.code == cudaErrorStreamCaptureUnsupported && std::strstr(g_err.expr, "twill");
    std::printf("LABEL %s (done %d, first %d at %s, sync %d, cell %d)\n", ok ? "CONFIRMED" : "REFUTED", done,
                int(g_err.code), g_err.expr, int(sync), host[3]);
    for (auto & kv : ctx.execs) cudaGraphExecDestroy(kv.second);
    cudaFree(cloth);
    cudaFree(ctx.pool.slab);
    cudaStreamDestroy(ctx.stream);
    return 0;
}
