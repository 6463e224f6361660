// link: -lcuda
// Effect plugin host: driver API graphs per plugin slot, work memory leased from a host-owned arena.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <vector>

#define DRV(x) do { CUresult r_ = (x); if (r_ != CUDA_SUCCESS) { const char* s_ = nullptr; cuGetErrorName(r_, &s_); \
    std::printf("%s: %s\n", #x, s_ ? s_ : "?"); return false; } } while (0)

struct HostServices;
struct PluginApi {
    const char* name;
    void* (*open)(HostServices*, int n);
    bool (*record)(void*, CUstream, CUdeviceptr io);
    void (*idle)(void*);
    bool (*verify)(void*);
    void (*close)(void*);
};
struct HostServices {
    void* ctx;
    CUdeviceptr (*lease)(void* ctx, size_t bytes);
    void (*release)(void* ctx, CUdeviceptr p);
};

class Arena {
public:
    bool init(size_t bytes) { size_ = bytes; DRV(cuMemAlloc(&base_, bytes)); return true; }
    ~Arena() { if (base_) cuMemFree(base_); }
    static CUdeviceptr lease(void* ctx, size_t bytes) {
        Arena* a = static_cast<Arena*>(ctx);
        for (Span& s : a->spans_)
            if (s.free && s.bytes >= bytes) { s.free = false; return s.ptr; }
        if (a->top_ + bytes > a->size_) return 0;
        a->spans_.push_back({a->base_ + a->top_, bytes, false});
        a->top_ += (bytes + 255) & ~size_t(255);
        return a->spans_.back().ptr;
    }
    static void release(void* ctx, CUdeviceptr p) {
        for (Span& s : static_cast<Arena*>(ctx)->spans_) if (s.ptr == p) s.free = true;
    }
private:
    struct Span { CUdeviceptr ptr; size_t bytes; bool free; };
    CUdeviceptr base_ = 0;
    size_t size_ = 0, top_ = 0;
    std::vector<Span> spans_;
};

__global__ void diffuse(const float* io, float* tail, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tail[i] = io[i] * 2.0f;
}
__global__ void mixTail(float* io, const float* tail, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) io[i] = tail[i] + 1.0f;
}
__global__ void shape(float* io, const float* table, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) io[i] += table[i];
}

// ---- reverb: scratch is leased on demand
struct Reverb { HostServices* svc; CUdeviceptr tail; int n; };
static void* reverbOpen(HostServices* s, int n) { return new Reverb{s, 0, n}; }
static bool reverbRecord(void* p, CUstream st, CUdeviceptr io) {
    Reverb* r = static_cast<Reverb*>(p);
    if (!r->tail) r->tail = r->svc->lease(r->svc->ctx, r->n * sizeof(float));
    if (!r->tail) return false;
    diffuse<<<(r->n + 127) / 128, 128, 0, st>>>((const float*)io, (float*)r->tail, r->n);
    mixTail<<<(r->n + 127) / 128, 128, 0, st>>>((float*)io, (const float*)r->tail, r->n);
    return cudaGetLastError() == cudaSuccess;
}
static void reverbIdle(void* p) {
    Reverb* r = static_cast<Reverb*>(p);
    if (r->tail) r->svc->release(r->svc->ctx, r->tail);
    r->tail = 0;
}
static bool reverbVerify(void*) { return true; }
static void reverbClose(void* p) { reverbIdle(p); delete static_cast<Reverb*>(p); }

// ---- shaper: keeps a transfer table for its whole life
struct Shaper { HostServices* svc; CUdeviceptr table; int n; };
static void shaperClose(void* p) {
    Shaper* s = static_cast<Shaper*>(p);
    if (s->table) s->svc->release(s->svc->ctx, s->table);
    delete s;
}
static void* shaperOpen(HostServices* svc, int n) {
    Shaper* s = new Shaper{svc, svc->lease(svc->ctx, n * sizeof(float)), n};
    std::vector<float> t(n, 7.0f);
    if (s->table && cuMemcpyHtoD(s->table, t.data(), n * sizeof(float)) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS)
        return s;
    shaperClose(s);
    return nullptr;
}
static bool shaperRecord(void* p, CUstream st, CUdeviceptr io) {
    Shaper* s = static_cast<Shaper*>(p);
    shape<<<(s->n + 127) / 128, 128, 0, st>>>((float*)io, (const float*)s->table, s->n);
    return cudaGetLastError() == cudaSuccess;
}
static void shaperIdle(void*) {}
static bool shaperVerify(void* p) {
    Shaper* s = static_cast<Shaper*>(p);
    std::vector<float> t(s->n);
    DRV(cuMemcpyDtoH(t.data(), s->table, s->n * sizeof(float)));
    for (float v : t) if (v != 7.0f) { std::printf("shaper table holds %f\n", v); return false; }
    return true;
}

static const PluginApi kReverb = {"reverb", reverbOpen, reverbRecord, reverbIdle, reverbVerify, reverbClose};
static const PluginApi kShaper = {"shaper", shaperOpen, shaperRecord, shaperIdle, shaperVerify, shaperClose};

class Host {
public:
    bool init(int n) {
        n_ = n;
        DRV(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
        if (!arena_.init(1 << 20)) return false;
        svc_ = HostServices{&arena_, Arena::lease, Arena::release};
        DRV(cuMemAlloc(&io_, n * sizeof(float)));
        return true;
    }
    ~Host() {
        if (stream_) cuStreamSynchronize(stream_);
        for (Slot& s : slots_) {
            drop(s);
            s.api->close(s.self);
        }
        if (io_) cuMemFree(io_);
        if (stream_) cuStreamDestroy(stream_);
    }
    bool load(const PluginApi& api) {
        void* self = api.open(&svc_, n_);
        if (!self) return false;
        slots_.push_back({&api, self, nullptr});
        return true;
    }
    bool process(size_t k, float in, float want) {
        Slot& s = slots_.at(k);
        if (!s.exec && !build(s)) return false;
        std::vector<float> buf(n_, in);
        DRV(cuMemcpyHtoDAsync(io_, buf.data(), n_ * sizeof(float), stream_));
        DRV(cuStreamSynchronize(stream_));
        DRV(cuGraphLaunch(s.exec, stream_));
        DRV(cuStreamSynchronize(stream_));
        DRV(cuMemcpyDtoH(buf.data(), io_, n_ * sizeof(float)));
        for (float v : buf) if (v != want) { std::printf("%s gave %f, want %f\n", s.api->name, v, want); return false; }
        return true;
    }
    void trim() {
        cuStreamSynchronize(stream_);
        for (Slot& s : slots_) {
            drop(s);
            s.api->idle(s.self);
        }
    }
    bool verify() {
        bool all = true;
        for (Slot& s : slots_) all &= s.api->verify(s.self);
        return all;
    }
private:
    struct Slot { const PluginApi* api; void* self; CUgraphExec exec; };
    static void drop(Slot& s) {
        if (s.exec) cuGraphExecDestroy(s.exec);
        s.exec = nullptr;
    }
    bool build(Slot& s) {
        CUgraph g = nullptr;
        DRV(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        bool recorded = s.api->record(s.self, stream_, io_);
        CUresult end = cuStreamEndCapture(stream_, &g);
        if (recorded && end == CUDA_SUCCESS) end = cuGraphInstantiateWithFlags(&s.exec, g, 0);
        if (g) cuGraphDestroy(g);
        return recorded && end == CUDA_SUCCESS;
    }
    int n_ = 0;
    CUstream stream_ = nullptr;
    CUdeviceptr io_ = 0;
    HostServices svc_{};
    Arena arena_;
    std::vector<Slot> slots_;
};

int main() {
    bool ok = cuInit(0) == CUDA_SUCCESS && cudaFree(nullptr) == cudaSuccess;
    bool intact = false, shaped = false;
    if (ok) {
        Host host;
        ok = host.init(1500) && host.load(kReverb);
        for (int k = 0; k < 3 && ok; ++k) ok = host.process(0, float(k), 2.0f * k + 1.0f);
        host.trim();
        ok = ok && host.load(kShaper) && host.process(1, 1.0f, 8.0f);
        for (int k = 0; k < 3 && ok; ++k) ok = host.process(0, float(k), 2.0f * k + 1.0f);
        intact = ok && host.verify();
        shaped = ok && host.process(1, 1.0f, 8.0f);
    }
    std::printf("ok %d intact %d shaped %d\n", ok, intact, shaped);
    bool seen = ok && intact && shaped;
    std::printf(seen ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return seen ? 0 : 1;
}
