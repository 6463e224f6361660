// Volcanic dust plume: Lagrangian particles with drag and wind, emitted from a vent in bursts.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

struct Vec2 {
    float x, y;
};

struct Config {
    float dt = 0.01f;
    float gravity = 9.81f;
    float drag = 0.4f;
    float wind = 6.0f;
    int initial = 300;
    int burst = 180;
    int steps_per_burst = 5;
    int bursts = 4;
} g_cfg;

struct Slab {
    char* base = nullptr;
    size_t size = 0;
    struct Piece {
        size_t offset, bytes;
        bool used;
    };
    std::vector<Piece> pieces;
} g_slab;

struct Particles {
    Vec2* pos = nullptr;
    Vec2* vel = nullptr;
    int capacity = 0;
    int count = 0;
} g_particles;

constexpr int kBins = 64;
constexpr float kBinWidth = 2.0f;

cudaStream_t g_stream;
cudaGraphExec_t g_step_exec;
int* g_device_count;
std::vector<float*> g_density_frames;
std::vector<Vec2> g_ref_pos, g_ref_vel;

static bool failed(cudaError_t s, const char* what) {
    if (s != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(s));
    return s != cudaSuccess;
}
#define CK(call)                               \
    do {                                       \
        cudaError_t ck_ = (call);              \
        if (failed(ck_, #call)) return ck_;    \
    } while (0)

// First-fit allocation from one slab that is reserved at start.
static void* slab_alloc(size_t bytes) {
    bytes = (bytes + 255) & ~size_t(255);
    for (size_t i = 0; i < g_slab.pieces.size(); ++i) {
        Slab::Piece& p = g_slab.pieces[i];
        if (p.used || p.bytes < bytes) continue;
        Slab::Piece rest{p.offset + bytes, p.bytes - bytes, false};
        p.bytes = bytes;
        p.used = true;
        char* result = g_slab.base + p.offset;
        if (rest.bytes > 0) g_slab.pieces.insert(g_slab.pieces.begin() + i + 1, rest);
        return result;
    }
    return nullptr;
}

static void slab_free(void* memory) {
    size_t offset = static_cast<char*>(memory) - g_slab.base;
    for (Slab::Piece& p : g_slab.pieces)
        if (p.offset == offset) p.used = false;
}

__global__ void advect(Vec2* pos, Vec2* vel, const int* count, Config cfg) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x) {
        Vec2 v = vel[i];
        v.x += cfg.drag * (cfg.wind - v.x) * cfg.dt;
        v.y += (-cfg.gravity - cfg.drag * v.y) * cfg.dt;
        vel[i] = v;
        pos[i].x += v.x * cfg.dt;
        pos[i].y += v.y * cfg.dt;
    }
}

__global__ void deposit(const Vec2* pos, const int* count, float* density) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x) {
        int bin = int(pos[i].y / kBinWidth);
        if (bin >= 0 && bin < kBins) atomicAdd(&density[bin], 1.0f);
    }
}

static cudaError_t capture_step() {
    cudaGraph_t graph = nullptr;
    CK(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeThreadLocal));
    advect<<<16, 64, 0, g_stream>>>(g_particles.pos, g_particles.vel, g_device_count, g_cfg);
    cudaError_t launched = cudaGetLastError();
    cudaError_t ended = cudaStreamEndCapture(g_stream, &graph);
    if (launched == cudaSuccess && ended == cudaSuccess) launched = cudaGraphInstantiate(&g_step_exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return launched != cudaSuccess ? launched : ended;
}

static cudaError_t reserve_particles(int wanted) {
    if (wanted <= g_particles.capacity) return cudaSuccess;
    int capacity = g_particles.capacity ? g_particles.capacity * 2 : 512;
    while (capacity < wanted) capacity *= 2;
    Vec2* pos = static_cast<Vec2*>(slab_alloc(capacity * sizeof(Vec2)));
    Vec2* vel = static_cast<Vec2*>(slab_alloc(capacity * sizeof(Vec2)));
    if (!pos || !vel) return cudaErrorMemoryAllocation;
    if (g_particles.count > 0) {
        size_t bytes = g_particles.count * sizeof(Vec2);
        CK(cudaMemcpyAsync(pos, g_particles.pos, bytes, cudaMemcpyDeviceToDevice, g_stream));
        CK(cudaMemcpyAsync(vel, g_particles.vel, bytes, cudaMemcpyDeviceToDevice, g_stream));
        CK(cudaStreamSynchronize(g_stream));
        slab_free(g_particles.pos);
        slab_free(g_particles.vel);
        if (g_step_exec) CK(cudaGraphExecDestroy(g_step_exec));
        g_step_exec = nullptr;
    }
    g_particles.pos = pos;
    g_particles.vel = vel;
    g_particles.capacity = capacity;
    return cudaSuccess;
}

static cudaError_t emit_burst(int n, int seed) {
    std::vector<Vec2> pos(n), vel(n);
    for (int i = 0; i < n; ++i) {
        float a = 0.37f * ((i * 17 + seed * 5) % 41);
        pos[i] = Vec2{0.1f * (i % 13), 20.0f + 0.05f * i};
        vel[i] = Vec2{3.0f * std::sin(a), 40.0f + 10.0f * std::cos(a)};
    }
    CK(reserve_particles(g_particles.count + n));
    CK(cudaMemcpyAsync(g_particles.pos + g_particles.count, pos.data(), n * sizeof(Vec2), cudaMemcpyHostToDevice, g_stream));
    CK(cudaMemcpyAsync(g_particles.vel + g_particles.count, vel.data(), n * sizeof(Vec2), cudaMemcpyHostToDevice, g_stream));
    g_particles.count += n;
    CK(cudaMemcpyAsync(g_device_count, &g_particles.count, sizeof(int), cudaMemcpyHostToDevice, g_stream));
    CK(cudaStreamSynchronize(g_stream));
    g_ref_pos.insert(g_ref_pos.end(), pos.begin(), pos.end());
    g_ref_vel.insert(g_ref_vel.end(), vel.begin(), vel.end());
    return cudaSuccess;
}

static cudaError_t run_steps(int steps) {
    if (!g_step_exec) CK(capture_step());
    for (int s = 0; s < steps; ++s) CK(cudaGraphLaunch(g_step_exec, g_stream));
    CK(cudaStreamSynchronize(g_stream));
    return cudaSuccess;
}

// A new density frame is kept for the movie after every burst.
static cudaError_t store_density_frame() {
    float* frame = static_cast<float*>(slab_alloc(kBins * sizeof(float)));
    if (!frame) return cudaErrorMemoryAllocation;
    g_density_frames.push_back(frame);
    CK(cudaMemsetAsync(frame, 0, kBins * sizeof(float), g_stream));
    deposit<<<8, 64, 0, g_stream>>>(g_particles.pos, g_device_count, frame);
    CK(cudaGetLastError());
    return cudaStreamSynchronize(g_stream);
}

static void reference_steps(int steps) {
    for (int s = 0; s < steps; ++s)
        for (size_t i = 0; i < g_ref_pos.size(); ++i) {
            Vec2& v = g_ref_vel[i];
            v.x += g_cfg.drag * (g_cfg.wind - v.x) * g_cfg.dt;
            v.y += (-g_cfg.gravity - g_cfg.drag * v.y) * g_cfg.dt;
            g_ref_pos[i].x += v.x * g_cfg.dt;
            g_ref_pos[i].y += v.y * g_cfg.dt;
        }
}

static cudaError_t compare(bool* same) {
    std::vector<Vec2> pos(g_particles.count);
    CK(cudaMemcpyAsync(pos.data(), g_particles.pos, pos.size() * sizeof(Vec2), cudaMemcpyDeviceToHost, g_stream));
    CK(cudaStreamSynchronize(g_stream));
    *same = true;
    for (size_t i = 0; i < pos.size(); ++i)
        if (!(std::fabs(pos[i].x - g_ref_pos[i].x) < 1e-2f && std::fabs(pos[i].y - g_ref_pos[i].y) < 1e-2f)) *same = false;
    return cudaSuccess;
}

static cudaError_t simulate(char* outcome) {
    CK(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
    g_slab.size = size_t(4) << 20;
    CK(cudaMalloc(&g_slab.base, g_slab.size));
    g_slab.pieces.push_back({0, g_slab.size, false});
    CK(cudaMalloc(&g_device_count, sizeof(int)));
    CK(emit_burst(g_cfg.initial, 1));
    for (int b = 0; b < g_cfg.bursts; ++b) {
        bool same = false;
        CK(run_steps(g_cfg.steps_per_burst));
        reference_steps(g_cfg.steps_per_burst);
        CK(store_density_frame());
        CK(compare(&same));
        outcome[b] = same ? '1' : '0';
        CK(emit_burst(g_cfg.burst, b + 2));
    }
    return cudaSuccess;
}

static void shutdown_simulation() {
    if (g_step_exec) cudaGraphExecDestroy(g_step_exec);
    cudaFree(g_device_count);
    cudaFree(g_slab.base);
    if (g_stream) cudaStreamDestroy(g_stream);
}

int main() {
    char outcome[16] = {0};
    cudaError_t status = simulate(outcome);
    shutdown_simulation();
    std::printf("status %d, bursts %s\n", int(status), outcome);
    bool observed = status == cudaSuccess && std::strcmp(outcome, "1111") == 0;
    std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return observed ? 0 : 1;
}
