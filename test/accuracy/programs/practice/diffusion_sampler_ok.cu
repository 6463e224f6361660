// Latent diffusion sampler (Euler ancestral). A single denoising step is recorded and replayed for every sigma of the
// schedule.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define RT_CHECK(call)                                                                                    \
    do {                                                                                                  \
        const cudaError_t rc = (call);                                                                    \
        if (rc != cudaSuccess) {                                                                          \
            std::fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc));  \
            g_errors++;                                                                                   \
        }                                                                                                 \
    } while (0)

static int g_errors = 0;

constexpr int kLatent = 4096;
constexpr int kSteps = 10;
constexpr int kThreads = 256;

// Counter-based generator: one value per (seed, step, element).
__host__ __device__ inline float noise_at(uint32_t seed, uint32_t step, uint32_t i) {
    uint32_t h = seed * 0x9E3779B9u ^ (step * 0x85EBCA6Bu + i * 0xC2B2AE35u);
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    h ^= h >> 16;
    return static_cast<float>(h >> 8) * (1.0f / 8388608.0f) - 1.0f;
}

__host__ __device__ inline float predict_eps(float x, float sigma) { return 0.4f * x / (1.0f + sigma); }

struct Schedule {
    std::vector<float> sigmas;
    Schedule() {
        for (int i = 0; i <= kSteps; ++i) sigmas.push_back(6.0f * std::pow(1.0f - float(i) / (kSteps + 1), 2.0f));
    }
};

struct SamplerState {
    uint32_t seed;
    uint32_t step;
};

__global__ void euler_step(float* x, const float* sigmas, const SamplerState* state) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sigma = sigmas[state->step];
    const float sigma_next = sigmas[state->step + 1];
    if (i < kLatent) x[i] += (sigma_next - sigma) * predict_eps(x[i], sigma);
}

__global__ void inject_noise(float* x, float scale, const SamplerState* state) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kLatent) x[i] += scale * noise_at(state->seed, state->step, i);
}

__global__ void advance(SamplerState* state) { state->step += 1; }

class AncestralSampler {
public:
    explicit AncestralSampler(float eta) : eta_(eta) {
        RT_CHECK(cudaStreamCreate(&stream_));
        RT_CHECK(cudaMalloc(&latent_, kLatent * sizeof(float)));
        RT_CHECK(cudaMalloc(&sigmas_, schedule_.sigmas.size() * sizeof(float)));
        RT_CHECK(cudaMalloc(&state_, sizeof(SamplerState)));
        RT_CHECK(cudaMemcpy(sigmas_, schedule_.sigmas.data(), schedule_.sigmas.size() * sizeof(float),
                            cudaMemcpyHostToDevice));
    }
    ~AncestralSampler() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(latent_);
        cudaFree(sigmas_);
        cudaFree(state_);
        cudaStreamDestroy(stream_);
    }

    std::vector<float> sample(uint32_t seed) {
        std::vector<float> host(kLatent);
        for (int i = 0; i < kLatent; ++i) host[i] = schedule_.sigmas[0] * noise_at(seed, 1000, i);
        RT_CHECK(cudaMemcpy(latent_, host.data(), kLatent * sizeof(float), cudaMemcpyHostToDevice));
        const SamplerState start{seed, 0};
        RT_CHECK(cudaMemcpy(state_, &start, sizeof(start), cudaMemcpyHostToDevice));
        if (!exec_) record();
        for (int i = 0; i < kSteps; ++i) RT_CHECK(cudaGraphLaunch(exec_, stream_));
        RT_CHECK(cudaStreamSynchronize(stream_));
        RT_CHECK(cudaMemcpy(host.data(), latent_, kLatent * sizeof(float), cudaMemcpyDeviceToHost));
        return host;
    }

    std::vector<float> reference(uint32_t seed) const {
        std::vector<float> x(kLatent);
        for (int i = 0; i < kLatent; ++i) {
            x[i] = schedule_.sigmas[0] * noise_at(seed, 1000, i);
            for (int s = 0; s < kSteps; ++s) {
                const float sigma = schedule_.sigmas[s];
                x[i] += (schedule_.sigmas[s + 1] - sigma) * predict_eps(x[i], sigma);
                x[i] += eta_ * noise_at(seed, s, i);
            }
        }
        return x;
    }

    int recordings() const { return recordings_; }

private:
    void enqueue_step() {
        const int blocks = (kLatent + kThreads - 1) / kThreads;
        euler_step<<<blocks, kThreads, 0, stream_>>>(latent_, sigmas_, state_);
        inject_noise<<<blocks, kThreads, 0, stream_>>>(latent_, eta_, state_);
        advance<<<1, 1, 0, stream_>>>(state_);
    }

    void record() {
        cudaGraph_t graph = nullptr;
        RT_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        enqueue_step();
        ++recordings_;
        RT_CHECK(cudaStreamEndCapture(stream_, &graph));
        RT_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
        RT_CHECK(cudaGraphDestroy(graph));
    }

    Schedule schedule_;
    const float eta_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float* latent_ = nullptr;
    float* sigmas_ = nullptr;
    SamplerState* state_ = nullptr;
    int recordings_ = 0;
};

int main() {
    AncestralSampler sampler(0.3f);
    int wrong_images = 0;
    for (uint32_t seed : {17u, 4242u, 99u}) {
        const std::vector<float> got = sampler.sample(seed);
        const std::vector<float> want = sampler.reference(seed);
        float worst = 0.0f;
        for (int i = 0; i < kLatent; ++i) worst = std::fmax(worst, std::fabs(got[i] - want[i]));
        if (worst > 1e-3f) ++wrong_images;
        std::printf("seed %u: max deviation %g\n", seed, worst);
    }
    std::printf("recordings: %d, wrong images: %d, errors: %d\n", sampler.recordings(), wrong_images, g_errors);
    std::puts(wrong_images == 0 && g_errors == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
