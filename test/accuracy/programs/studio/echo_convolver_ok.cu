#include <cuda_runtime.h>
#include <cufft.h>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

// Small block allocator for intermediate spectra.
class ScratchPool {
public:
    class Lease {
    public:
        Lease(ScratchPool& p, void* b, size_t n) : pool_(&p), block_(b), bytes_(n) {}
        Lease(Lease&& o) noexcept : pool_(o.pool_), block_(o.block_), bytes_(o.bytes_) { o.block_ = nullptr; }
        Lease& operator=(Lease&&) = delete;
        ~Lease() { if (block_) pool_->free_.emplace(bytes_, block_); }
        template <class T> T* as() const { return static_cast<T*>(block_); }

    private:
        ScratchPool* pool_;
        void* block_;
        size_t bytes_;
    };
    Lease take(size_t bytes)
    {
        auto it = free_.lower_bound(bytes);
        if (it != free_.end()) {
            Lease l(*this, it->second, it->first);
            free_.erase(it);
            return l;
        }
        void* p = nullptr;
        if (cudaMalloc(&p, bytes) != cudaSuccess) p = nullptr;
        return Lease(*this, p, bytes);
    }
    ~ScratchPool() { for (auto& kv : free_) cudaFree(kv.second); }

private:
    std::multimap<size_t, void*> free_;
};

__global__ void mulSpectrum(cufftComplex* x, const cufftComplex* h, int n, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cufftComplex a = x[i], b = h[i];
    x[i] = {(a.x * b.x - a.y * b.y) * scale, (a.x * b.y + a.y * b.x) * scale};
}

class EchoConvolver {
public:
    EchoConvolver(ScratchPool& pool, int n) : pool_(pool), n_(n) {}
    ~EchoConvolver()
    {
        if (exec_) cudaGraphExecDestroy(exec_);
        if (fwd_) cufftDestroy(fwd_);
        if (inv_) cufftDestroy(inv_);
        cudaFree(line_);
        if (s_) cudaStreamDestroy(s_);
    }
    bool open()
    {
        return cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking) == cudaSuccess &&
               cudaMalloc(&line_, n_ * sizeof(cufftComplex)) == cudaSuccess &&
               cufftPlan1d(&fwd_, n_, CUFFT_C2C, 1) == CUFFT_SUCCESS &&
               cufftPlan1d(&inv_, n_, CUFFT_C2C, 1) == CUFFT_SUCCESS &&
               cufftSetStream(fwd_, s_) == CUFFT_SUCCESS && cufftSetStream(inv_, s_) == CUFFT_SUCCESS;
    }
    bool arm(float gain)
    {
        std::vector<cufftComplex> flat(n_, cufftComplex{gain, 0.0f});
        if (!response_) response_.emplace(pool_.take(n_ * sizeof(cufftComplex)));
        auto* h = response_->as<cufftComplex>();
        if (cudaMemcpy(h, flat.data(), n_ * sizeof(cufftComplex), cudaMemcpyHostToDevice) != cudaSuccess) return false;
        if (cufftExecC2C(fwd_, line_, line_, CUFFT_FORWARD) != CUFFT_SUCCESS) return false;
        if (cufftExecC2C(inv_, line_, line_, CUFFT_INVERSE) != CUFFT_SUCCESS) return false;
        if (cudaDeviceSynchronize() != cudaSuccess) return false;

        cudaGraph_t g = nullptr;
        if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return false;
        bool ok = cufftExecC2C(fwd_, line_, line_, CUFFT_FORWARD) == CUFFT_SUCCESS;
        mulSpectrum<<<(n_ + 63) / 64, 64, 0, s_>>>(line_, h, n_, 1.0f / n_);
        ok = ok && cufftExecC2C(inv_, line_, line_, CUFFT_INVERSE) == CUFFT_SUCCESS;
        ok = cudaStreamEndCapture(s_, &g) == cudaSuccess && ok;
        if (ok && exec_) { cudaGraphExecDestroy(exec_); exec_ = nullptr; }
        if (ok) ok = cudaGraphInstantiate(&exec_, g, 0) == cudaSuccess;
        if (g) cudaGraphDestroy(g);
        return ok;
    }
    std::optional<std::vector<cufftComplex>> process(const std::vector<cufftComplex>& in)
    {
        std::vector<cufftComplex> out(n_);
        if (cudaMemcpyAsync(line_, in.data(), n_ * sizeof(cufftComplex), cudaMemcpyHostToDevice, s_) != cudaSuccess)
            return std::nullopt;
        if (cudaGraphLaunch(exec_, s_) != cudaSuccess) return std::nullopt;
        if (cudaMemcpyAsync(out.data(), line_, n_ * sizeof(cufftComplex), cudaMemcpyDeviceToHost, s_) != cudaSuccess)
            return std::nullopt;
        if (cudaStreamSynchronize(s_) != cudaSuccess) return std::nullopt;
        return out;
    }

private:
    ScratchPool& pool_;
    int n_;
    cudaStream_t s_ = nullptr;
    cufftHandle fwd_ = 0, inv_ = 0;
    cufftComplex* line_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::optional<ScratchPool::Lease> response_;
};

int main()
{
    const int n = 256;
    ScratchPool pool;
    EchoConvolver conv(pool, n);
    if (!conv.open() || !conv.arm(2.0f)) { std::printf("LABEL REFUTED setup\n"); return 0; }
    auto meter = pool.take(n * sizeof(cufftComplex));
    std::vector<cufftComplex> window(n, cufftComplex{5.0f, 0.0f}), impulse(n, cufftComplex{0, 0});
    cudaMemcpy(meter.as<cufftComplex>(), window.data(), n * sizeof(cufftComplex), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    impulse[0].x = 1.0f;
    auto a = conv.process(impulse);
    auto b = conv.process(impulse);
    if (!a || !b) { std::printf("LABEL REFUTED process\n"); return 0; }
    float x0 = (*b)[0].x, x9 = (*b)[9].x;
    bool label = std::fabs(x0 - 2.0f) < 1e-4f && std::fabs(x9) < 1e-4f && std::fabs((*a)[0].x - 2.0f) < 1e-4f;
    std::printf("LABEL %s x0=%g x9=%g\n", label ? "CONFIRMED" : "REFUTED", x0, x9);
    return 0;
}
