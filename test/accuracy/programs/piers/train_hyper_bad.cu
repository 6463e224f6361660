// Gradient accumulation with loss scaling. Two recordings: one micro batch
// (forward and backward) and the optimizer step.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#define TRY(x)                                                                \
    do {                                                                      \
        if (cudaError_t e_ = (x); e_ != cudaSuccess)                          \
            throw std::runtime_error(std::string(#x) + ": " +                 \
                                     cudaGetErrorString(e_));                 \
    } while (0)

constexpr int N = 256;
constexpr int ACCUM = 2;

__global__ void backward_kernel(const float *w, const float *target, const float *hyper, __half *g16)
{
    int i = threadIdx.x;
    g16[i] = __float2half(hyper[1] * (w[i] - target[i]));
}

__global__ void accumulate_kernel(float *acc, const __half *g16)
{
    acc[threadIdx.x] += __half2float(g16[threadIdx.x]);
}

// hyper: learning rate, loss scale
__global__ void apply_kernel(float *w, float *acc, const float *hyper)
{
    int i = threadIdx.x;
    w[i] -= hyper[0] * acc[i] / (hyper[1] * ACCUM);
    acc[i] = 0.0f;
}

// Page-locked staging blocks of one size, recycled through a free list.
class StagingPool {
public:
    explicit StagingPool(int blocks)
    {
        TRY(cudaMallocHost(&base_, blocks * N * sizeof(float)));
        for (int b = blocks - 1; b >= 0; --b)
            free_.push_back(base_ + b * N);
    }
    ~StagingPool() { cudaFreeHost(base_); }
    StagingPool(const StagingPool &) = delete;

    class Lease {
    public:
        Lease(StagingPool *pool, float *p) : pool_(pool), p_(p) {}
        Lease(Lease &&o) noexcept : pool_(o.pool_), p_(std::exchange(o.p_, nullptr)) {}
        Lease &operator=(Lease &&) = delete;
        ~Lease() { if (p_) pool_->free_.push_back(p_); }
        float *data() const { return p_; }

    private:
        StagingPool *pool_;
        float *p_;
    };

    Lease acquire()
    {
        if (free_.empty())
            throw std::runtime_error("staging pool is empty");
        float *p = free_.back();
        free_.pop_back();
        return Lease(this, p);
    }

private:
    float *base_ = nullptr;
    std::vector<float *> free_;
};

struct Constant { float lr; };
struct Cosine { float peak; int period; };
using Schedule = std::variant<Constant, Cosine>;

static float lr_at(const Schedule &s, int step)
{
    if (const auto *c = std::get_if<Constant>(&s))
        return c->lr;
    const auto &[peak, period] = std::get<Cosine>(s);
    return 0.5f * peak * (1.0f + std::cos(3.14159265f * (step % period) / period));
}

class Recording {
public:
    explicit Recording(cudaStream_t s, const std::function<void()> &body)
    {
        cudaGraph_t g;
        TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
        body();
        TRY(cudaStreamEndCapture(s, &g));
        TRY(cudaGraphInstantiate(&exec_, g, 0));
        TRY(cudaGraphDestroy(g));
    }
    Recording(const Recording &) = delete;
    ~Recording() { cudaGraphExecDestroy(exec_); }
    void launch(cudaStream_t s) const { TRY(cudaGraphLaunch(exec_, s)); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

struct LossScaler {
    float scale = 8.0f;
    int good = 0;
    bool update(bool overflow)
    {
        const float before = scale;
        if (overflow)
            scale = std::max(1.0f, scale / 2), good = 0;
        else if (++good == 3)
            scale = std::min(64.0f, scale * 2), good = 0;
        return scale != before;
    }
};

class Loop {
public:
    Loop() : pool_(4)
    {
        TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        for (float **p : {&w_, &acc_, &target_, &d_hyper_}) {
            TRY(cudaMalloc(p, N * sizeof(float)));
            TRY(cudaMemset(*p, 0, N * sizeof(float)));
        }
        TRY(cudaMalloc(&g16_, N * sizeof(__half)));
        TRY(cudaDeviceSynchronize());
        set_schedule(Constant{0.1f});
    }
    ~Loop()
    {
        for (void *p : {(void *)w_, (void *)acc_, (void *)target_, (void *)d_hyper_, (void *)g16_})
            cudaFree(p);
        cudaStreamDestroy(stream_);
    }

    // Takes effect with the next step.
    void set_schedule(const Schedule &s)
    {
        finish();
        schedule_ = s;
        schedule_start_ = step_;
        hyper_.emplace(pool_.acquire());  // HAZARD dangling #hyper
        publish();
    }

    void on_step(std::function<void(int, float)> hook) { hooks_.push_back(std::move(hook)); }

    template <class MakeTarget> void step(MakeTarget &&make_target)
    {
        publish();
        if (!begin_)
            begin_.emplace(stream_, [this] { record_begin(); });
        if (!micro_)
            micro_.emplace(stream_, [this] { record_micro(); });
        if (!apply_)
            apply_.emplace(stream_, [this] { record_apply(); });

        begin_->launch(stream_);
        std::vector<StagingPool::Lease> batches;
        for (int m = 0; m < ACCUM; ++m) {
            batches.push_back(pool_.acquire());
            for (int i = 0; i < N; ++i)
                batches.back().data()[i] = make_target(m, i);
            TRY(cudaMemcpyAsync(target_, batches.back().data(), N * sizeof(float),
                                cudaMemcpyHostToDevice, stream_));
            micro_->launch(stream_);
        }
        apply_->launch(stream_);
        finish();
        for (auto &h : hooks_)
            h(step_, current_lr());
        scaler_.update(false);
        ++step_;
    }

    std::vector<float> weights()
    {
        std::vector<float> v(N);
        TRY(cudaMemcpy(v.data(), w_, N * sizeof(float), cudaMemcpyDeviceToHost));
        return v;
    }

private:
    float current_lr() const { return lr_at(schedule_, step_ - schedule_start_); }
    void finish() { TRY(cudaStreamSynchronize(stream_)); }
    void publish()
    {
        hyper_->data()[0] = current_lr();
        hyper_->data()[1] = scaler_.scale;
    }

    void record_begin()
    {
        TRY(cudaMemcpyAsync(d_hyper_, hyper_->data(), 2 * sizeof(float), cudaMemcpyHostToDevice, stream_));  // HAZARD dangling #hyper
    }
    void record_micro()
    {
        backward_kernel<<<1, N, 0, stream_>>>(w_, target_, d_hyper_, g16_);
        accumulate_kernel<<<1, N, 0, stream_>>>(acc_, g16_);
    }
    void record_apply() { apply_kernel<<<1, N, 0, stream_>>>(w_, acc_, d_hyper_); }

    StagingPool pool_;
    std::optional<StagingPool::Lease> hyper_;
    std::optional<Recording> begin_, micro_, apply_;
    Schedule schedule_;
    LossScaler scaler_;
    std::vector<std::function<void(int, float)>> hooks_;
    cudaStream_t stream_ = nullptr;
    float *w_ = nullptr, *acc_ = nullptr, *target_ = nullptr, *d_hyper_ = nullptr;
    __half *g16_ = nullptr;
    int step_ = 0, schedule_start_ = 0;
};

int main()
try {
    Loop loop;
    auto target = [](int m, int i) { return 2.0f + float((i + m) % 5); };
    std::vector<float> ref(N, 0.0f), lrs;
    loop.on_step([&](int, float lr) { lrs.push_back(lr); });

    int wrong_before = 0, wrong_after = 0;
    for (int s = 0; s < 16; ++s) {
        if (s == 6)
            loop.set_schedule(Cosine{0.2f, 5});
        loop.step(target);
        const auto w = loop.weights();
        bool bad = false;
        for (int i = 0; i < N; ++i) {
            float g = 0.0f;
            for (int m = 0; m < ACCUM; ++m)
                g += ref[i] - target(m, i);
            ref[i] -= lrs.back() * g / ACCUM;
            bad |= !(std::fabs(w[i] - ref[i]) < 0.05f);
        }
        (s < 6 ? wrong_before : wrong_after) += bad;
    }
    std::printf("before=%d after=%d\n", wrong_before, wrong_after);
    std::puts(wrong_before == 0 && wrong_after > 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
} catch (const std::exception &e) {
    std::printf("%s\nLABEL WRONG\n", e.what());
    return 1;
}
