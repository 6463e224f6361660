#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

static void must(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    std::printf("LABEL REFUTED %s: %s\n", what, cudaGetErrorString(e));
    std::exit(0);
}

constexpr int kVerts = 64;

class Slab {
public:
    explicit Slab(int blocks) {
        must(cudaMalloc(&base_, blocks * kVerts * sizeof(float)), "slab");
        must(cudaMemset(base_, 0, blocks * kVerts * sizeof(float)), "slab");
        for (int b = blocks; b-- > 0;) free_.push_back(base_ + b * kVerts);
    }
    ~Slab() { cudaFree(base_); }
    float* get() {
        float* p = free_.back();
        free_.pop_back();
        return p;
    }
    void put(float* p) { free_.push_back(p); }
private:
    float* base_ = nullptr;
    std::vector<float*> free_;
};

using Ring = std::shared_ptr<float>;
static Ring make_ring(Slab& slab) { return Ring(slab.get(), [&slab](float* p) { slab.put(p); }); }

__global__ void inflate(float* v, float by) { v[threadIdx.x] += by; }
__global__ void stamp(float* v, float c) { v[threadIdx.x] = c; }
__global__ void dup(const float* a, float* b) { b[threadIdx.x] = a[threadIdx.x]; }

class Subject {
public:
    void attach(std::function<void(int)> f) { obs_.push_back(std::move(f)); }
    void notify(int rev) { for (auto& f : obs_) f(rev); }
private:
    std::vector<std::function<void(int)>> obs_;
};

class Document {
public:
    Document() : slab_(6) {
        must(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream");
        outline_ = make_ring(slab_);
        must(cudaDeviceSynchronize(), "init");
    }
    ~Document() {
        if (brush_) cudaGraphExecDestroy(brush_);
        cudaStreamSynchronize(s_);
        cudaStreamDestroy(s_);
    }
    Subject& changed() { return changed_; }

    void checkpoint() {
        Ring copy = make_ring(slab_);
        dup<<<1, kVerts, 0, s_>>>(outline_.get(), copy.get());
        undo_.push_back(std::move(outline_));
        outline_ = std::move(copy);
        dirty_ = true;
    }
    void undo() {
        if (undo_.empty()) return;
        must(cudaStreamSynchronize(s_), "undo");
        outline_ = std::move(undo_.back());
        undo_.pop_back();
    }
    Ring add_guide(float at) {
        Ring g = make_ring(slab_);
        stamp<<<1, kVerts, 0, s_>>>(g.get(), at);
        return g;
    }
    void stroke() {
        if (dirty_ || !brush_) rebuild();
        must(cudaGraphLaunch(brush_, s_), "stroke");
    }
    float sample(const Ring& r, int i) {
        float v = 0.f;
        must(cudaMemcpyAsync(&v, r.get() + i, sizeof v, cudaMemcpyDeviceToHost, s_), "sample");
        must(cudaStreamSynchronize(s_), "sample");
        return v;
    }
    const Ring& outline() const { return outline_; }

private:
    void rebuild() {
        cudaGraph_t g = nullptr;
        must(cudaStreamBeginCapture(s_, cudaStreamCaptureModeRelaxed), "begin");
        inflate<<<1, kVerts, 0, s_>>>(outline_.get(), 1.5f); // HAZARD dangling
        changed_.notify(++revision_); // HAZARD host_logic
        must(cudaStreamEndCapture(s_, &g), "end");
        if (brush_) {
            cudaGraphExecUpdateResultInfo info{};
            if (cudaGraphExecUpdate(brush_, g, &info) != cudaSuccess) {
                (void)cudaGetLastError();
                must(cudaGraphExecDestroy(brush_), "drop");
                brush_ = nullptr;
            }
        }
        if (!brush_) must(cudaGraphInstantiate(&brush_, g, 0), "instantiate");
        must(cudaGraphDestroy(g), "graph");
        dirty_ = false;
    }

    Slab slab_;
    cudaStream_t s_ = nullptr;
    Ring outline_;
    std::vector<Ring> undo_;
    Subject changed_;
    cudaGraphExec_t brush_ = nullptr;
    bool dirty_ = false;
    int revision_ = 0;
};

struct StatusBar {
    int shown = 0, repaints = 0;
    void operator()(int rev) { shown = rev; ++repaints; }
};

int main() {
    float outline = -1.f, guide = -1.f;
    StatusBar bar;
    {
        Document doc;
        doc.changed().attach(std::ref(bar));
        doc.stroke();
        doc.stroke();
        doc.checkpoint();
        doc.stroke();
        doc.undo();
        Ring g = doc.add_guide(20.f);
        doc.stroke();
        doc.stroke();
        outline = doc.sample(doc.outline(), 9);
        guide = doc.sample(g, 9);
    }
    bool ok = outline == 3.f && guide == 23.f && bar.repaints == 2 && bar.shown == 2;
    std::printf("LABEL %s (outline %g guide %g repaints %d)\n", ok ? "CONFIRMED" : "REFUTED", outline, guide, bar.repaints);
    return 0;
}
