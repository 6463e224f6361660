// Leapfrog integration of the damped 1-D wave equation for a set of strings.
// Three time levels per string, rotated after each step.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace config {
int n_points = 1000;
int n_strings = 3;
int n_steps = 26;
int report_every = 6;
float dt = 0.4f;
float dx = 1.0f;
float damping = 0.002f;
bool use_graph = true;
const int levels = 3;
} // namespace config

#define CUDA_OK(call)                                                         \
    if (cudaError_t err_ = (call)) {                                          \
        std::fprintf(stderr, "%s at line %d\n", cudaGetErrorString(err_), __LINE__); \
        std::printf("LABEL WRONG\n");                                         \
        std::exit(1);                                                         \
    }

struct Coeff {
    float courant2;
    float keep;
};

__host__ __device__ inline float leap(const float* prev, const float* cur, int i, Coeff k) {
    float lap = cur[i - 1] - 2.0f * cur[i] + cur[i + 1];
    float v = cur[i] - prev[i];
    return cur[i] + k.keep * v + k.courant2 * lap;
}

__global__ void step_kernel(const float* prev, const float* cur, float* next, int n, Coeff k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        next[i] = leap(prev, cur, i, k);
    else if (i < n)
        next[i] = 0.0f; // clamped ends
}

__global__ void energy_kernel(const float* prev, const float* cur, int n, float* energy) {
    __shared__ float part[256];
    float acc = 0.0f;
    for (int i = threadIdx.x + 1; i < n; i += blockDim.x) {
        float v = cur[i] - prev[i], g = cur[i] - cur[i - 1];
        acc += v * v + g * g;
    }
    part[threadIdx.x] = acc;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (threadIdx.x < w)
            part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *energy = part[0];
}

struct Levels {
    float *prev = nullptr, *cur = nullptr, *next = nullptr;
    void rotate() {
        float* t = prev;
        prev = cur;
        cur = next;
        next = t;
    }
};

struct HostString {
    std::vector<float> prev, cur, next;
    void step(int n, Coeff k) {
        next.assign(n, 0.0f);
        for (int i = 1; i < n - 1; ++i)
            next[i] = leap(prev.data(), cur.data(), i, k);
        prev.swap(cur);
        cur.swap(next);
    }
};

struct StringContext {
    std::string name;
    Coeff coeff;
    Levels u;
    float* energy = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t ready = nullptr;
    HostString host;
};

static std::vector<StringContext> make_contexts() {
    std::vector<StringContext> all(config::n_strings);
    const int n = config::n_points;
    const size_t bytes = n * sizeof(float);
    for (int s = 0; s < config::n_strings; ++s) {
        StringContext& c = all[s];
        c.name = "string" + std::to_string(s);
        float courant = config::dt / config::dx * (1.0f + 0.3f * s);
        c.coeff = {courant * courant, 1.0f - config::damping * config::dt};
        std::vector<float> u0(n, 0.0f);
        for (int i = 1; i < n - 1; ++i) {
            float x = (i - 300.0f - 120.0f * s) / 9.0f;
            u0[i] = std::exp(-x * x);
        }
        c.host.prev = u0;
        c.host.cur = u0;
        for (float** p : {&c.u.prev, &c.u.cur, &c.u.next}) {
            CUDA_OK(cudaMalloc(p, bytes));
            CUDA_OK(cudaMemcpy(*p, u0.data(), bytes, cudaMemcpyHostToDevice));
        }
        CUDA_OK(cudaMalloc(&c.energy, sizeof(float)));
        CUDA_OK(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
        CUDA_OK(cudaEventCreateWithFlags(&c.ready, cudaEventDisableTiming));
    }
    CUDA_OK(cudaDeviceSynchronize());
    return all;
}

static void free_contexts(std::vector<StringContext>& all) {
    for (StringContext& c : all) {
        for (float* p : {c.u.prev, c.u.cur, c.u.next, c.energy})
            cudaFree(p);
        cudaEventDestroy(c.ready);
        cudaStreamDestroy(c.stream);
    }
}

int main(int argc, char** argv) {
    if (argc > 1) {
        std::ifstream file(argv[1]);
        file >> config::n_steps >> config::damping;
    }
    std::vector<StringContext> strings = make_contexts();
    const int n = config::n_points;
    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;

    cudaStream_t lead = nullptr;
    cudaEvent_t start = nullptr;
    CUDA_OK(cudaStreamCreateWithFlags(&lead, cudaStreamNonBlocking));
    CUDA_OK(cudaEventCreateWithFlags(&start, cudaEventDisableTiming));

    auto enqueue_step = [&](StringContext& c) {
        step_kernel<<<blocks, threads, 0, c.stream>>>(c.u.prev, c.u.cur, c.u.next, n, c.coeff);
        CUDA_OK(cudaGetLastError());
    };
    auto enqueue_all = [&](int steps) {
        CUDA_OK(cudaEventRecord(start, lead));
        for (StringContext& c : strings) {
            CUDA_OK(cudaStreamWaitEvent(c.stream, start, 0));
            for (int k = 0; k < steps; ++k) {
                enqueue_step(c);
                c.u.rotate();
            }
            CUDA_OK(cudaEventRecord(c.ready, c.stream));
        }
        for (StringContext& c : strings)
            CUDA_OK(cudaStreamWaitEvent(lead, c.ready, 0));
    };
    auto capture = [&](auto&& body) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        CUDA_OK(cudaStreamBeginCapture(lead, cudaStreamCaptureModeThreadLocal));
        body();
        CUDA_OK(cudaStreamEndCapture(lead, &graph));
        CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
        CUDA_OK(cudaGraphDestroy(graph));
        return exec;
    };

    // A full turn of the levels ends on the pointers that it began with.
    cudaGraphExec_t turn_graph = nullptr;
    if (config::use_graph)
        turn_graph = capture([&] { enqueue_all(config::levels); });

    // Returns the number of steps taken; a remainder is done without the graph.
    auto advance = [&](int left) {
        if (turn_graph && left >= config::levels) {
            CUDA_OK(cudaGraphLaunch(turn_graph, lead));
            return config::levels;
        }
        enqueue_all(1);
        return 1;
    };
    auto deviation = [&](StringContext& c) {
        std::vector<float> got(n);
        CUDA_OK(cudaMemcpyAsync(got.data(), c.u.cur, n * sizeof(float), cudaMemcpyDeviceToHost, lead));
        CUDA_OK(cudaStreamSynchronize(lead));
        float worst = 0.0f;
        for (int i = 0; i < n; ++i)
            worst = std::max(worst, std::fabs(got[i] - c.host.cur[i]));
        return worst;
    };
    auto report = [&](int step) {
        for (StringContext& c : strings) {
            float e = 0.0f;
            energy_kernel<<<1, 256, 0, lead>>>(c.u.prev, c.u.cur, n, c.energy);
            CUDA_OK(cudaGetLastError());
            CUDA_OK(cudaMemcpyAsync(&e, c.energy, sizeof(e), cudaMemcpyDeviceToHost, lead));
            CUDA_OK(cudaStreamSynchronize(lead));
            std::printf("step %3d %s energy %.6f\n", step, c.name.c_str(), e);
        }
    };

    float worst = 0.0f;
    for (int step = 0; step < config::n_steps;) {
        const int taken = advance(config::n_steps - step);
        step += taken;
        for (StringContext& c : strings) {
            for (int k = 0; k < taken; ++k)
                c.host.step(n, c.coeff);
            worst = std::max(worst, deviation(c));
        }
        if (step % config::report_every == 0)
            report(step);
    }
    std::printf("largest deviation: %g\n", worst);

    const bool confirmed = worst < 1e-4f;
    if (turn_graph)
        CUDA_OK(cudaGraphExecDestroy(turn_graph));
    free_contexts(strings);
    std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
    return confirmed ? 0 : 1;
}
