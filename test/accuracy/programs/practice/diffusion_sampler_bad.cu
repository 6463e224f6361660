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

__global__ void euler_step(float* x, float sigma, float sigma_next) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kLatent) x[i] += (sigma_next - sigma) * predict_eps(x[i], sigma);
}

__global__ void inject_noise(float* x, float scale, uint32_t seed, uint32_t step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kLatent) x[i] += scale * noise_at(seed, step, i);
}

class AncestralSampler {
public:
    explicit AncestralSampler(float eta) : eta_(eta) {
        RT_CHECK(cudaStreamCreate(&stream_));
        RT_CHECK(cudaMalloc(&latent_, kLatent * sizeof(float)));
    }
    ~AncestralSampler() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(latent_);
        cudaStreamDestroy(stream_);
    }

    std::vector<float> sample(uint32_t seed) {
        std::vector<float> host(kLatent);
        for (int i = 0; i < kLatent; ++i) host[i] = schedule_.sigmas[0] * noise_at(seed, 1000, i);
        RT_CHECK(cudaMemcpy(latent_, host.data(), kLatent * sizeof(float), cudaMemcpyHostToDevice));
        seed_ = seed;
        step_ = 0;
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
        const float sigma = schedule_.sigmas[step_];
        const float sigma_next = schedule_.sigmas[step_ + 1];
        euler_step<<<blocks, kThreads, 0, stream_>>>(latent_, sigma, sigma_next);    // HAZARD frozen #sigma
        inject_noise<<<blocks, kThreads, 0, stream_>>>(latent_, eta_, seed_, step_);  // HAZARD random #noise
        ++step_;                                                                       // HAZARD host_logic #step
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
    uint32_t seed_ = 0;
    uint32_t step_ = 0;
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
    std::puts(wrong_images > 0 || g_errors > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
