// spark_emitter: particle emission with a counter-based generator.  Distributions are selected by tag dispatch,
// the emission shape by a policy class; one frame of emission is recorded once and replayed.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace spark {

#define SPARK_CHECK(x)                                                                        \
    do {                                                                                      \
        if (cudaError_t e_ = (x); e_ != cudaSuccess) throw std::runtime_error(cudaGetErrorName(e_)); \
    } while (0)

// ---- counter-based generator: value = hash(seed, frame, index) ----
__host__ __device__ inline std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}
__host__ __device__ inline float unit(std::uint32_t seed, std::uint32_t frame, std::uint32_t idx) {
    return (mix(seed ^ mix(frame * 0x9e3779b9u + idx)) >> 8) * (1.0f / 16777216.0f);
}

// ---- distributions, by tag ----
struct uniform_tag {};
struct triangular_tag {};

__host__ __device__ inline float draw(uniform_tag, std::uint32_t seed, std::uint32_t frame, std::uint32_t i) {
    return unit(seed, frame, 2 * i);
}
__host__ __device__ inline float draw(triangular_tag, std::uint32_t seed, std::uint32_t frame, std::uint32_t i) {
    return 0.5f * (unit(seed, frame, 2 * i) + unit(seed, frame, 2 * i + 1));
}

// ---- shape policies ----
struct Fountain {
    using distribution = triangular_tag;
    static constexpr std::uint32_t seed = 77u;
    __host__ __device__ static float place(float u) { return 4.0f * u - 2.0f; }
};
struct Rain {
    using distribution = uniform_tag;
    static constexpr std::uint32_t seed = 1234u;
    __host__ __device__ static float place(float u) { return 64.0f * u; }
};

// Lives in device memory; refreshed from a pinned copy at the head of each replay.
struct FrameParams {
    std::uint32_t frame;
    int alive;
};

template <class Shape>
__global__ void emit(float* pos, const FrameParams* p) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->alive) pos[i] = Shape::place(draw(typename Shape::distribution{}, Shape::seed, p->frame, i));
}

template <class Shape>
class Emitter {
public:
    explicit Emitter(int capacity) : capacity_(capacity) {
        SPARK_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        SPARK_CHECK(cudaMalloc(&pos_, sizeof(float) * capacity));
        SPARK_CHECK(cudaMallocHost(&host_pos_, sizeof(float) * capacity));
        SPARK_CHECK(cudaMallocHost(&host_params_, sizeof(FrameParams)));
        SPARK_CHECK(cudaMalloc(&params_, sizeof(FrameParams)));
        SPARK_CHECK(cudaMemsetAsync(pos_, 0, sizeof(float) * capacity, stream_));
    }
    ~Emitter() {
        if (exec_) cudaGraphExecDestroy(exec_);
        cudaFree(pos_);
        cudaFreeHost(host_pos_);
        cudaFree(params_);
        cudaFreeHost(host_params_);
        cudaStreamDestroy(stream_);
    }
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    const float* frame(std::uint32_t number, int alive) {
        *host_params_ = {number, alive};
        if (!exec_) record();
        SPARK_CHECK(cudaGraphLaunch(exec_, stream_));
        SPARK_CHECK(cudaStreamSynchronize(stream_));
        return host_pos_;
    }

private:
    void enqueue() {
        const int blocks = (capacity_ + 127) / 128;
        cudaMemcpyAsync(params_, host_params_, sizeof(FrameParams), cudaMemcpyHostToDevice, stream_);
        emit<Shape><<<blocks, 128, 0, stream_>>>(pos_, params_);
        cudaMemcpyAsync(host_pos_, pos_, sizeof(float) * capacity_, cudaMemcpyDeviceToHost, stream_);
    }

    void record() {
        cudaGraph_t graph = nullptr;
        SPARK_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        enqueue();
        SPARK_CHECK(cudaStreamEndCapture(stream_, &graph));
        const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        SPARK_CHECK(made);
    }

    int capacity_;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
    float *pos_ = nullptr, *host_pos_ = nullptr;
    FrameParams *params_ = nullptr, *host_params_ = nullptr;
};

template <class Shape>
int count_wrong(const float* pos, std::uint32_t frame, int alive) {
    int wrong = 0;
    for (int i = 0; i < alive; ++i) {
        const float want = Shape::place(draw(typename Shape::distribution{}, Shape::seed, frame, i));
        wrong += std::fabs(pos[i] - want) > 1e-4f;
    }
    return wrong;
}

template <class Shape>
int run_show(const std::vector<int>& alive_per_frame, int capacity) {
    Emitter<Shape> emitter(capacity);
    int wrong = 0;
    std::uint32_t number = 0;
    for (int alive : alive_per_frame) {
        const float* pos = emitter.frame(++number, alive);
        wrong += count_wrong<Shape>(pos, number, alive);
    }
    return wrong;
}

}  // namespace spark

int main() {
    bool failed = false;
    int wrong_fountain = 0, wrong_rain = 0;
    try {
        wrong_fountain = spark::run_show<spark::Fountain>({500, 900, 4000, 3000}, 4096);
        wrong_rain = spark::run_show<spark::Rain>({64, 64, 8192}, 8192);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        failed = true;
    }
    std::printf("wrong: fountain %d, rain %d\n", wrong_fountain, wrong_rain);
    const bool seen = !failed && wrong_fountain == 0 && wrong_rain == 0;
    std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
