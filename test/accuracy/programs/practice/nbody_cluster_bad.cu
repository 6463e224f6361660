// Star cluster integrator: symplectic Euler with softened gravity. Energy diagnostics run on a second stream beside the force
// calculation. The whole time step is one CUDA graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 2048;
constexpr int BLOCK = 256;
constexpr float EPS2 = 1.0e-3f;
constexpr float DT = 0.05f;

struct Bodies {
    float4* pos;   // xyz, mass
    float4* vel;
    float4* acc;
    float* mass_rank;   // mass of all stars lighter than this one
    double* potential;  // total potential energy at the start of the step
    double* light_half; // potential energy of the lighter half of the stars
};

int g_fail = 0;

bool good(cudaError_t err, const char* what) {
    if (err == cudaSuccess) return true;
    std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(err));
    ++g_fail;
    return false;
}

__global__ void forces(const float4* pos, float4* acc) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 p = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < N; ++j) {
        const float4 o = pos[j];
        const float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z;
        const float inv = rsqrtf(dx * dx + dy * dy + dz * dz + EPS2);
        const float s = o.w * inv * inv * inv;
        ax += s * dx;
        ay += s * dy;
        az += s * dz;
    }
    acc[i] = make_float4(ax, ay, az, 0.0f);
}

__global__ void kick(float4* vel, const float4* acc, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    vel[i].x += dt * acc[i].x;
    vel[i].y += dt * acc[i].y;
    vel[i].z += dt * acc[i].z;
}

__global__ void drift(float4* pos, const float4* vel, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    pos[i].x += dt * vel[i].x;
    pos[i].y += dt * vel[i].y;
    pos[i].z += dt * vel[i].z;
}

// Cumulative mass function; one block because it is not time critical. Masses never change (pos[].w).
__global__ void mass_function(const float* mass, float* rank) {
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        float lighter = 0.0f;
        for (int j = 0; j < N; ++j)
            if (mass[j] < mass[i]) lighter += sqrtf(mass[j]) * sqrtf(mass[j]);
        rank[i] = lighter;
    }
}

__global__ void potential_energy(const float4* pos, const float* rank, double* total, double* light_half) {
    __shared__ double sum[BLOCK], light[BLOCK];
    double s = 0.0, l = 0.0;
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        const float4 p = pos[i];
        float phi = 0.0f;
        for (int j = 0; j < N; ++j) {
            if (j == i) continue;
            const float4 o = pos[j];
            const float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z;
            phi -= o.w * rsqrtf(dx * dx + dy * dy + dz * dz + EPS2);
        }
        s += 0.5 * p.w * phi;
        if (rank[i] < 0.5f) l += 0.5 * p.w * phi;
    }
    sum[threadIdx.x] = s;
    light[threadIdx.x] = l;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < BLOCK; ++t) {
            s += sum[t];
            l += light[t];
        }
        *total = s;
        *light_half = l;
    }
}

double host_potential(const std::vector<float4>& pos) {
    double e = 0.0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < i; ++j) {
            const double dx = pos[i].x - pos[j].x, dy = pos[i].y - pos[j].y, dz = pos[i].z - pos[j].z;
            e -= double(pos[i].w) * pos[j].w / std::sqrt(dx * dx + dy * dy + dz * dz + EPS2);
        }
    return e;
}

cudaGraphExec_t record_step(const Bodies& b, const float* mass, cudaStream_t main_stream, cudaStream_t diag_stream,
                            cudaEvent_t start, cudaEvent_t done) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    good(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal), "begin capture");
    good(cudaEventRecord(start, main_stream), "record start");
    good(cudaStreamWaitEvent(diag_stream, start, 0), "fork");
    mass_function<<<1, BLOCK, 0, diag_stream>>>(mass, b.mass_rank);
    potential_energy<<<1, BLOCK, 0, diag_stream>>>(b.pos, b.mass_rank, b.potential, b.light_half);  // HAZARD concurrent #pos
    good(cudaEventRecord(done, diag_stream), "record done");

    forces<<<N / BLOCK, BLOCK, 0, main_stream>>>(b.pos, b.acc);
    kick<<<N / BLOCK, BLOCK, 0, main_stream>>>(b.vel, b.acc, DT);
    drift<<<N / BLOCK, BLOCK, 0, main_stream>>>(b.pos, b.vel, DT);  // HAZARD concurrent #pos
    good(cudaStreamWaitEvent(main_stream, done, 0), "join");
    good(cudaStreamEndCapture(main_stream, &graph), "end capture");
    good(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    good(cudaGraphDestroy(graph), "destroy graph");
    return exec;
}

int main() {
    std::vector<float4> pos(N), vel(N);
    std::vector<float> mass(N);
    std::srand(12345);
    auto uniform = [] { return std::rand() / (RAND_MAX + 1.0f) * 2.0f - 1.0f; };
    for (int i = 0; i < N; ++i) {
        mass[i] = (1.0f + 0.5f * uniform()) / N;
        pos[i] = make_float4(uniform(), uniform(), uniform(), mass[i]);
        vel[i] = make_float4(2.0f * pos[i].x, 2.0f * pos[i].y, 2.0f * pos[i].z, 0.0f);  // expanding cluster
    }

    Bodies b{};
    float* d_mass = nullptr;
    good(cudaMalloc(&b.pos, N * sizeof(float4)), "malloc");
    good(cudaMalloc(&b.vel, N * sizeof(float4)), "malloc");
    good(cudaMalloc(&b.acc, N * sizeof(float4)), "malloc");
    good(cudaMalloc(&b.mass_rank, N * sizeof(float)), "malloc");
    good(cudaMalloc(&b.potential, sizeof(double)), "malloc");
    good(cudaMalloc(&b.light_half, sizeof(double)), "malloc");
    good(cudaMalloc(&d_mass, N * sizeof(float)), "malloc");
    good(cudaMemcpy(b.pos, pos.data(), N * sizeof(float4), cudaMemcpyHostToDevice), "upload");
    good(cudaMemcpy(b.vel, vel.data(), N * sizeof(float4), cudaMemcpyHostToDevice), "upload");
    good(cudaMemcpy(d_mass, mass.data(), N * sizeof(float), cudaMemcpyHostToDevice), "upload");

    cudaStream_t main_stream, diag_stream;
    cudaEvent_t start, done;
    good(cudaStreamCreate(&main_stream), "stream");
    good(cudaStreamCreate(&diag_stream), "stream");
    good(cudaEventCreateWithFlags(&start, cudaEventDisableTiming), "event");
    good(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
    cudaGraphExec_t step = record_step(b, d_mass, main_stream, diag_stream, start, done);

    int wrong = 0;
    for (int n = 0; n < 6; ++n) {
        const double expected = host_potential(pos);  // positions before this step
        double energy = 0.0;
        good(cudaGraphLaunch(step, main_stream), "launch");
        good(cudaStreamSynchronize(main_stream), "sync");
        good(cudaMemcpy(&energy, b.potential, sizeof(double), cudaMemcpyDeviceToHost), "read energy");
        good(cudaMemcpy(pos.data(), b.pos, N * sizeof(float4), cudaMemcpyDeviceToHost), "read positions");
        if (std::fabs(energy - expected) > 1e-3 * std::fabs(expected)) ++wrong;
        std::printf("step %d  U = %.6f  (host %.6f)\n", n, energy, expected);
    }

    cudaGraphExecDestroy(step);
    cudaEventDestroy(start); cudaEventDestroy(done);
    cudaStreamDestroy(main_stream); cudaStreamDestroy(diag_stream);
    cudaFree(b.pos); cudaFree(b.vel); cudaFree(b.acc); cudaFree(b.mass_rank);
    cudaFree(b.potential); cudaFree(b.light_half); cudaFree(d_mass);
    std::puts(wrong > 0 || g_fail > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
