// tissue_photon_walk.cu - Monte Carlo transport of photons in a two layer tissue slab (optical biopsy).
//
// Each run sends N_PHOTONS photons into the slab and tallies where they end: reflected, transmitted, or absorbed in one
// of the depth bins. A run is one replay of a graph; runs are independent samples and are averaged in the report.

#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N_PHOTONS (1 << 16)
#define N_BINS 50
#define TALLY_REFLECTED N_BINS
#define TALLY_TRANSMITTED (N_BINS + 1)
#define N_TALLY (N_BINS + 2)
#define MAX_EVENTS 400
#define N_RUNS 4

#define SLAB_DEPTH 2.0f   // mm
#define LAYER_BORDER 0.6f // mm

#define CHECK(call)                                                                                      \
    do {                                                                                                 \
        cudaError_t err__ = (call);                                                                      \
        if (err__ != cudaSuccess) {                                                                      \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(err__));            \
            puts("LABEL WRONG");                                                                         \
            exit(EXIT_FAILURE);                                                                          \
        }                                                                                                \
    } while (0)

#define LAUNCH(kernel, n, ...)                                                                           \
    do {                                                                                                 \
        kernel<<<((n) + 127) / 128, 128, 0, g_stream>>>(__VA_ARGS__);                                    \
        CHECK(cudaGetLastError());                                                                       \
    } while (0)

struct Layer {
    float mu_a, mu_s, g; // absorption and scattering per mm, anisotropy
};

// ------------------------------------------------------------------------------------------------------------------
// globals

__constant__ Layer c_layer[2];

static cudaStream_t g_stream;
static cudaGraphExec_t g_run;
static unsigned *d_tally, *h_tally;
static float *d_profile, *h_profile; // absorbed fraction per bin
static unsigned *d_run;                // number of the run, selects the part of each photon's sequence
static const unsigned long long g_seed = 20240611ull;

static unsigned g_tally[N_RUNS][N_TALLY];
static float g_profile[N_RUNS][N_BINS];

// ------------------------------------------------------------------------------------------------------------------
// kernels

__device__ float scatter_cosine(float g, float u)
{
    if (fabsf(g) < 1e-3f) return 2.0f * u - 1.0f;
    float t = (1.0f - g * g) / (1.0f - g + 2.0f * g * u);
    return (1.0f + g * g - t * t) / (2.0f * g);
}

__global__ void walk(unsigned *tally, unsigned long long seed, const unsigned *run, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    curandStatePhilox4_32_10_t rng;
    curand_init(seed, id, 4ull * MAX_EVENTS * *run, &rng);

    float z = 0.0f, uz = 1.0f;
    int end = N_BINS - 1;
    for (int event = 0; event < MAX_EVENTS; event++) {
        Layer l = c_layer[z > LAYER_BORDER];
        float4 u = curand_uniform4(&rng);
        z += uz * (-logf(u.x) / (l.mu_a + l.mu_s));
        if (z < 0.0f) {
            end = TALLY_REFLECTED;
            break;
        }
        if (z >= SLAB_DEPTH) {
            end = TALLY_TRANSMITTED;
            break;
        }
        if (u.y < l.mu_a / (l.mu_a + l.mu_s)) {
            end = min(N_BINS - 1, (int)(z / SLAB_DEPTH * N_BINS));
            break;
        }
        float c = scatter_cosine(l.g, u.z), s = sqrtf(fmaxf(0.0f, 1.0f - c * c));
        uz = uz * c + sqrtf(fmaxf(0.0f, 1.0f - uz * uz)) * s * cosf(6.2831853f * u.w);
    }
    atomicAdd(&tally[end], 1u);
}

__global__ void normalize(const unsigned *tally, float *profile, int bins, float weight)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bins) profile[b] = tally[b] * weight;
}

__global__ void next_run(unsigned *run) { *run += 1; }

// ------------------------------------------------------------------------------------------------------------------
// setup and runs

static void setup()
{
    const Layer skin[2] = {{0.4f, 18.0f, 0.80f}, {0.2f, 12.0f, 0.85f}};
    CHECK(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&d_tally, N_TALLY * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_profile, N_BINS * sizeof(float)));
    CHECK(cudaMalloc(&d_run, sizeof(unsigned)));
    CHECK(cudaMemset(d_run, 0, sizeof(unsigned)));
    CHECK(cudaMallocHost(&h_tally, N_TALLY * sizeof(unsigned)));
    CHECK(cudaMallocHost(&h_profile, N_BINS * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(c_layer, skin, sizeof skin));
    CHECK(cudaDeviceSynchronize());
}

static void record_run()
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(d_tally, 0, N_TALLY * sizeof(unsigned), g_stream));
    LAUNCH(walk, N_PHOTONS, d_tally, g_seed, d_run, N_PHOTONS);
    next_run<<<1, 1, 0, g_stream>>>(d_run);
    LAUNCH(normalize, N_BINS, d_tally, d_profile, N_BINS, 1.0f / N_PHOTONS);
    CHECK(cudaMemcpyAsync(h_tally, d_tally, N_TALLY * sizeof(unsigned), cudaMemcpyDeviceToHost, g_stream));
    CHECK(cudaMemcpyAsync(h_profile, d_profile, N_BINS * sizeof(float), cudaMemcpyDeviceToHost, g_stream));
    CHECK(cudaStreamEndCapture(g_stream, &graph));
    CHECK(cudaGraphInstantiate(&g_run, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

// Starts the series again at its first run. The legacy stream does not wait for g_stream, hence the synchronization on
// both sides.
static void restart()
{
    CHECK(cudaStreamSynchronize(g_stream));
    CHECK(cudaMemset(d_run, 0, sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
}

static void sample(int run)
{
    if (!g_run) record_run();
    CHECK(cudaGraphLaunch(g_run, g_stream));
    CHECK(cudaStreamSynchronize(g_stream));
    memcpy(g_tally[run], h_tally, sizeof g_tally[run]);
    memcpy(g_profile[run], h_profile, sizeof g_profile[run]);
}

static unsigned total(const unsigned *tally)
{
    unsigned t = 0;
    for (int b = 0; b < N_TALLY; b++) t += tally[b];
    return t;
}

static void report(int run)
{
    double mean = 0.0, sum = 0.0;
    for (int b = 0; b < N_BINS; b++) {
        mean += g_profile[run][b] * (b + 0.5) * SLAB_DEPTH / N_BINS;
        sum += g_profile[run][b];
    }
    printf("run %d: photons %u, reflected %u, transmitted %u, absorbed %.4f at mean depth %.4f mm\n", run,
           total(g_tally[run]), g_tally[run][TALLY_REFLECTED], g_tally[run][TALLY_TRANSMITTED], sum, mean / sum);
}

// ------------------------------------------------------------------------------------------------------------------

int main()
{
    setup();
    for (int run = 0; run < N_RUNS; run++) {
        sample(run);
        report(run);
    }

    static unsigned first[N_TALLY];
    memcpy(first, g_tally[0], sizeof first);
    bool complete = true, distinct = true, close = true;
    for (int run = 0; run < N_RUNS; run++) {
        complete = complete && total(g_tally[run]) == N_PHOTONS;
        for (int other = 0; other < run; other++)
            distinct = distinct && memcmp(g_tally[run], g_tally[other], sizeof g_tally[run]) != 0;
        double d = (double)g_tally[run][TALLY_REFLECTED] - first[TALLY_REFLECTED];
        close = close && fabs(d) < 0.03 * N_PHOTONS;
    }
    restart();
    sample(0);
    bool reproducible = memcmp(first, g_tally[0], sizeof first) == 0;
    printf("complete %d, distinct %d, close %d, reproducible %d\n", complete, distinct, close, reproducible);

    CHECK(cudaGraphExecDestroy(g_run));
    CHECK(cudaStreamDestroy(g_stream));
    puts(complete && distinct && close && reproducible ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
