// Film look for video frames: a lift stage, a grain stage and a logo stage, connected by
// a small pipeline object which records one graph for all frames.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace film {

void require(cudaError_t e, const char* what) {
    if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kLogo = 16;

template <class T>
std::shared_ptr<T> make_device(size_t n) {
    T* p = nullptr;
    require(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
    return std::shared_ptr<T>(p, [](T* q) { cudaFree(q); });
}

struct Surface {
    std::shared_ptr<float> pixels;
    int width, height;
    int count() const { return width * height; }
};

struct FrameContext {
    Surface surface;
    cudaStream_t stream;
};

__global__ void lift_kernel(float* img, int n, float lift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] = img[i] * (1.f - lift) + lift;
}

__global__ void grain_setup(curandStatePhilox4_32_10_t* states, int n, unsigned long long seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) curand_init(seed, i, 0, &states[i]);
}

__global__ void grain_kernel(float* img, int n, curandStatePhilox4_32_10_t* states, float strength) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    curandStatePhilox4_32_10_t st = states[i];
    img[i] += strength * curand_normal(&st);
    states[i] = st;
}

__global__ void logo_kernel(float* img, int width, const float* logo) {
    int x = threadIdx.x, y = threadIdx.y;
    img[y * width + x] = logo[y * kLogo + x];
}

class Stage {
  public:
    virtual ~Stage() = default;
    virtual void attach(const FrameContext&) {}
    virtual void enqueue(const FrameContext& ctx) = 0;
};

class LiftStage final : public Stage {
  public:
    explicit LiftStage(float lift) : lift_(lift) {}
    void enqueue(const FrameContext& ctx) override {
        int n = ctx.surface.count();
        lift_kernel<<<(n + 255) / 256, 256, 0, ctx.stream>>>(ctx.surface.pixels.get(), n, lift_);
        require(cudaGetLastError(), "lift");
    }

  private:
    const float lift_;
};

class GrainStage final : public Stage {
  public:
    GrainStage(float strength, unsigned seed) : strength_(strength), rng_(seed) {}
    void attach(const FrameContext& ctx) override {
        int n = ctx.surface.count();
        states_ = make_device<curandStatePhilox4_32_10_t>(n);
        grain_setup<<<(n + 255) / 256, 256>>>(states_.get(), n, rng_());
        require(cudaGetLastError(), "grain setup");
        require(cudaDeviceSynchronize(), "grain setup");
    }
    void enqueue(const FrameContext& ctx) override {
        int n = ctx.surface.count();
        grain_kernel<<<(n + 255) / 256, 256, 0, ctx.stream>>>(ctx.surface.pixels.get(), n, states_.get(), strength_);
        require(cudaGetLastError(), "grain");
    }

  private:
    const float strength_;
    std::mt19937_64 rng_;
    std::shared_ptr<curandStatePhilox4_32_10_t> states_;
};

class LogoStage final : public Stage {
  public:
    explicit LogoStage(float level) : level_(level) {}
    void attach(const FrameContext&) override {
        std::vector<float> host(kLogo * kLogo, level_);
        logo_ = make_device<float>(host.size());
        require(cudaMemcpy(logo_.get(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice), "logo");
    }
    void enqueue(const FrameContext& ctx) override {
        logo_kernel<<<1, dim3(kLogo, kLogo), 0, ctx.stream>>>(ctx.surface.pixels.get(), ctx.surface.width, logo_.get());
        require(cudaGetLastError(), "logo");
    }

  private:
    const float level_;
    std::shared_ptr<float> logo_;
};

class FilmPipeline {
  public:
    FilmPipeline(int w, int h) {
        require(cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking), "stream");
        ctx_.surface = {make_device<float>((size_t)w * h), w, h};
        require(cudaMallocHost(&in_, bytes()), "in");
        require(cudaMallocHost(&out_, bytes()), "out");
    }
    ~FilmPipeline() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFreeHost(in_);
        cudaFreeHost(out_);
        cudaStreamDestroy(ctx_.stream);
    }

    template <class S, class... A>
    FilmPipeline& stage(A&&... args) {
        stages_.push_back(std::make_unique<S>(std::forward<A>(args)...));
        stages_.back()->attach(ctx_);
        return *this;
    }

    std::vector<float> frame(float level) {
        for (int i = 0; i < ctx_.surface.count(); ++i) in_[i] = level;
        if (!exec_) record();
        require(cudaGraphLaunch(exec_, ctx_.stream), "launch");
        require(cudaStreamSynchronize(ctx_.stream), "sync");
        return {out_, out_ + ctx_.surface.count()};
    }

  private:
    size_t bytes() const { return ctx_.surface.count() * sizeof(float); }

    void record() {
        cudaGraph_t graph = nullptr;
        float* px = ctx_.surface.pixels.get();
        require(cudaStreamBeginCapture(ctx_.stream, cudaStreamCaptureModeRelaxed), "begin");
        require(cudaMemcpyAsync(px, in_, bytes(), cudaMemcpyHostToDevice, ctx_.stream), "upload");
        for (auto& s : stages_) s->enqueue(ctx_);
        require(cudaMemcpyAsync(out_, px, bytes(), cudaMemcpyDeviceToHost, ctx_.stream), "download");
        require(cudaStreamEndCapture(ctx_.stream, &graph), "end");
        require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
        require(cudaGraphDestroy(graph), "destroy");
    }

    FrameContext ctx_{};
    float *in_ = nullptr, *out_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace film

int main() {
    using namespace film;
    try {
        const int w = 128, h = 96;
        const float lift = 0.1f;
        FilmPipeline pipe(w, h);
        pipe.stage<LiftStage>(lift).stage<GrainStage>(0.05f, 42u).stage<LogoStage>(0.9f);

        std::vector<std::vector<float>> grain;
        int logos = 0;
        bool means = true;
        for (float level : {0.3f, 0.5f, 0.6f}) {
            auto img = pipe.frame(level);
            bool logo = true;
            for (int y = 0; y < kLogo; ++y)
                for (int x = 0; x < kLogo; ++x) logo &= std::fabs(img[y * w + x] - 0.9f) < 1e-5f;
            logos += logo;
            std::vector<float> g;
            double mean = 0;
            for (int i = kLogo * w; i < w * h; ++i) {
                g.push_back(img[i] - (level * (1.f - lift) + lift));
                mean += g.back();
            }
            means &= std::fabs(mean / g.size()) < 0.01;
            grain.push_back(std::move(g));
        }
        int repeated = 0;
        for (size_t f = 1; f < grain.size(); ++f) {
            float d = 0.f;
            for (size_t i = 0; i < grain[f].size(); ++i) d = std::fmax(d, std::fabs(grain[f][i] - grain[f - 1][i]));
            repeated += d < 1e-4f;
        }
        std::printf("logos=%d repeated=%d means=%d\n", logos, repeated, means);
        bool pass = logos == 3 && repeated == 0 && means;
        std::puts(pass ? "LABEL CONFIRMED" : "LABEL WRONG");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::puts("LABEL WRONG");
    }
    return 0;
}
