#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Frame {
    float* px = nullptr;
    int n = 0;
};

class Filter {
public:
    virtual ~Filter() = default;
    virtual cudaError_t prepare(const Frame&) { return cudaSuccess; }
    virtual cudaError_t apply(const Frame&, cudaStream_t) = 0;
    virtual void finished(const Frame&, cudaStream_t) {}
};

class Registry {
public:
    using Maker = std::function<std::unique_ptr<Filter>()>;
    static Registry& get() { static Registry r; return r; }
    bool add(const std::string& n, Maker m) { makers_[n] = std::move(m); return true; }
    std::unique_ptr<Filter> make(const std::string& n) const { return makers_.at(n)(); }
private:
    std::map<std::string, Maker> makers_;
};
#define REGISTER_FILTER(Type, name) \
    static const bool reg_##Type = Registry::get().add(name, [] { return std::unique_ptr<Filter>(new Type); })

__global__ void k_add(float* px, int n, float v) { int i = threadIdx.x; if (i < n) px[i] += v; }
__global__ void k_peak(const float* px, int n, float* peak) {
    float m = px[0];
    for (int i = 1; i < n; ++i) m = fmaxf(m, px[i]);
    *peak = m;
}
__global__ void k_div(float* px, int n, const float* peak) { int i = threadIdx.x; if (i < n) px[i] /= *peak; }
__global__ void k_copy(const float* a, float* b, int n) { int i = threadIdx.x; if (i < n) b[i] = a[i]; }
__global__ void k_soften(const float* t, float* px, int n) {
    int i = threadIdx.x;
    if (i < n) px[i] = 0.5f * (t[i] + t[i ? i - 1 : 0]);
}

class AutoLevel : public Filter {
public:
    AutoLevel() { cudaMallocHost(&shown_, sizeof(float)); cudaMalloc(&peak_, sizeof(float)); }
    ~AutoLevel() override { cudaFreeHost(shown_); cudaFree(peak_); }
    cudaError_t apply(const Frame& f, cudaStream_t s) override {
        k_peak<<<1, 1, 0, s>>>(f.px, f.n, peak_);
        cudaMemcpyAsync(shown_, peak_, sizeof(float), cudaMemcpyDeviceToHost, s);
        k_div<<<1, 64, 0, s>>>(f.px, f.n, peak_);
        return cudaGetLastError();
    }
    void finished(const Frame&, cudaStream_t s) override {
        if (cudaStreamSynchronize(s) == cudaSuccess) last_peak = *shown_;
    }
    float last_peak = 0.f;
private:
    float *shown_ = nullptr, *peak_ = nullptr;
};
REGISTER_FILTER(AutoLevel, "auto_level");

class ExposureMeter : public Filter {
public:
    cudaError_t apply(const Frame& f, cudaStream_t s) override {
        k_add<<<1, 64, 0, s>>>(f.px, f.n, 1.f);
        return cudaLaunchHostFunc(s, &ExposureMeter::ticked, this);
    }
    std::atomic<int> ticks{0};
private:
    static void CUDART_CB ticked(void* self) { static_cast<ExposureMeter*>(self)->ticks++; }
};
REGISTER_FILTER(ExposureMeter, "meter");

class Soften : public Filter {
public:
    ~Soften() override { cudaFree(tmp_); }
    cudaError_t prepare(const Frame& f) override { return reserve(f.n); }
    cudaError_t apply(const Frame& f, cudaStream_t s) override {
        if (cudaError_t e = reserve(f.n)) return e;
        k_copy<<<1, 64, 0, s>>>(f.px, tmp_, f.n);
        k_soften<<<1, 64, 0, s>>>(tmp_, f.px, f.n);
        return cudaGetLastError();
    }
private:
    cudaError_t reserve(int n) {
        if (n <= have_) return cudaSuccess;
        if (tmp_) cudaFree(tmp_);
        tmp_ = nullptr;
        cudaError_t e = cudaMalloc(&tmp_, n * sizeof(float));
        have_ = e == cudaSuccess ? n : 0;
        return e;
    }
    float* tmp_ = nullptr;
    int have_ = 0;
};
REGISTER_FILTER(Soften, "soften");

class Preset {
public:
    Preset(const std::string& name, const Frame& f) : frame_(f), filter_(Registry::get().make(name)) {
        cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    }
    ~Preset() { if (x_) cudaGraphExecDestroy(x_); cudaStreamDestroy(s_); }
    cudaError_t freeze() {
        if (cudaError_t e = filter_->prepare(frame_)) return e;
        cudaGraph_t g = nullptr;
        if (cudaError_t e = cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal)) return e;
        cudaError_t body = filter_->apply(frame_, s_);
        cudaError_t end = cudaStreamEndCapture(s_, &g);
        (void)cudaGetLastError();
        if (body != cudaSuccess || end != cudaSuccess) {
            if (g) cudaGraphDestroy(g);
            return body != cudaSuccess ? body : end;
        }
        end = cudaGraphInstantiate(&x_, g, 0);
        cudaGraphDestroy(g);
        return end;
    }
    cudaError_t develop() {
        if (cudaError_t e = cudaGraphLaunch(x_, s_)) return e;
        filter_->finished(frame_, s_);
        return cudaStreamSynchronize(s_);
    }
    Filter& filter() { return *filter_; }
private:
    Frame frame_;
    std::unique_ptr<Filter> filter_;
    cudaStream_t s_ = nullptr;
    cudaGraphExec_t x_ = nullptr;
};

int main() {
    Frame f;
    f.n = 64;
    std::vector<float> h(64, 4.f);
    cudaMalloc(&f.px, 64 * sizeof(float));
    cudaMemcpy(f.px, h.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    int codes[3], i = 0;
    bool right = true;
    for (const char* name : {"auto_level", "meter", "soften"}) {
        Preset p(name, f);
        codes[i] = p.freeze();
        if (codes[i] == cudaSuccess) right = p.develop() == cudaSuccess && p.develop() == cudaSuccess && right;
        if (auto* a = dynamic_cast<AutoLevel*>(&p.filter())) right = right && a->last_peak == 1.f;
        if (auto* m = dynamic_cast<ExposureMeter*>(&p.filter())) right = right && m->ticks == 2;
        ++i;
    }
    cudaMemcpy(h.data(), f.px, 64 * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = right && !codes[0] && !codes[1] && !codes[2] && h[5] == 3.f;
    std::printf("LABEL %s (%d %d %d, %g)\n", ok ? "CONFIRMED" : "REFUTED", codes[0], codes[1], codes[2], h[5]);
    cudaFree(f.px);
    return 0;
}
