// Fisher-KPP reaction-diffusion on a lattice; only the rows that the invasion front can have reached are updated.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct LatticeConfig {
    int nx = 80;
    int ny = 128;
    double diffusion = 0.2;
    double growth = 0.3;
    int seed_row = 64;
    int seed_half = 2;
};

struct RowWindow {
    int first;
    int last;  // exclusive
    int rows() const { return last - first; }
};

struct Field {
    double* now;
    double* next;
};

struct Measurement {
    double biomass;
    int widest_row;
};

static LatticeConfig cfg;
static RowWindow window;
static Field field;
static cudaStream_t stream;
static cudaGraphExec_t sweep_exec;
static long long sweeps_done;
static long long rebuilds;

static size_t field_bytes() { return size_t(cfg.nx) * cfg.ny * sizeof(double); }

static bool good(cudaError_t s, const char* what) {
    if (s == cudaSuccess) return true;
    std::fprintf(stderr, "fisher_front: %s failed: %s\n", what, cudaGetErrorString(s));
    return false;
}

__host__ __device__ static double lattice_update(const double* u, int x, int y, const LatticeConfig& c) {
    int xl = x == 0 ? c.nx - 1 : x - 1, xr = x == c.nx - 1 ? 0 : x + 1;
    double center = u[y * c.nx + x];
    double down = y > 0 ? u[(y - 1) * c.nx + x] : 0.0, up = y < c.ny - 1 ? u[(y + 1) * c.nx + x] : 0.0;
    double laplacian = u[y * c.nx + xl] + u[y * c.nx + xr] + down + up - 4.0 * center;
    return center + c.diffusion * laplacian + c.growth * center * (1.0 - center);
}

__global__ void update_rows(const double* u, double* out, int first_row, LatticeConfig c) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = first_row + blockIdx.y;
    if (x < c.nx && y < c.ny) out[y * c.nx + x] = lattice_update(u, x, y, c);
}

static RowWindow initial_window() {
    return {cfg.seed_row - cfg.seed_half - 2, cfg.seed_row + cfg.seed_half + 3};
}

// The front moves at most one row per update, two updates make a sweep.
static RowWindow grown(RowWindow w) { return {std::max(0, w.first - 2), std::min(cfg.ny, w.last + 2)}; }

static bool setup(std::vector<double>& host) {
    host.assign(size_t(cfg.nx) * cfg.ny, 0.0);
    for (int y = cfg.seed_row - cfg.seed_half; y <= cfg.seed_row + cfg.seed_half; ++y)
        for (int x = 0; x < cfg.nx; ++x) host[y * cfg.nx + x] = 0.5 + 0.4 * std::sin(0.3 * x);
    window = initial_window();
    return good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream") &&
           good(cudaMalloc(&field.now, field_bytes()), "field") &&
           good(cudaMalloc(&field.next, field_bytes()), "field") &&
           good(cudaMemcpyAsync(field.now, host.data(), field_bytes(), cudaMemcpyHostToDevice, stream), "seed") &&
           good(cudaMemsetAsync(field.next, 0, field_bytes(), stream), "clear") &&
           good(cudaStreamSynchronize(stream), "setup");
}

static void teardown() {
    if (sweep_exec) cudaGraphExecDestroy(sweep_exec);
    cudaFree(field.next);
    cudaFree(field.now);
    if (stream) cudaStreamDestroy(stream);
}

static cudaError_t enqueue_update(const double* from, double* to, const RowWindow& w) {
    const dim3 block(32), grid((cfg.nx + 31) / 32, w.rows());
    update_rows<<<grid, block, 0, stream>>>(from, to, w.first, cfg);  // HAZARD dynamic_shape #front
    return cudaGetLastError();
}

static bool build_sweep() {
    cudaGraph_t graph = nullptr;
    if (!good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture")) return false;
    cudaError_t a = enqueue_update(field.now, field.next, window);
    cudaError_t b = enqueue_update(field.next, field.now, window);
    cudaError_t end = cudaStreamEndCapture(stream, &graph);
    bool ok = good(a, "first update") && good(b, "second update") && good(end, "end capture");
    ok = ok && good(cudaGraphInstantiate(&sweep_exec, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
    if (ok) ++rebuilds;
    return ok;
}

static bool advance(int sweeps) {
    for (int s = 0; s < sweeps; ++s) {
        if (!sweep_exec && !build_sweep()) return false;
        if (!good(cudaGraphLaunch(sweep_exec, stream), "sweep")) return false;
        window = grown(window);  // HAZARD dynamic_shape #front
        ++sweeps_done;
    }
    return good(cudaStreamSynchronize(stream), "advance");
}

static bool download(std::vector<double>& host) {
    return good(cudaMemcpyAsync(host.data(), field.now, field_bytes(), cudaMemcpyDeviceToHost, stream), "download") &&
           good(cudaStreamSynchronize(stream), "download");
}

static Measurement measure(const std::vector<double>& u) {
    Measurement m{0.0, 0};
    for (int y = 0; y < cfg.ny; ++y) {
        double row = 0.0;
        for (int x = 0; x < cfg.nx; ++x) row += u[y * cfg.nx + x];
        m.biomass += row;
        if (row > 0.0) m.widest_row = std::max(m.widest_row, std::abs(y - cfg.seed_row));
    }
    return m;
}

static void reference_sweep(std::vector<double>& u) {
    std::vector<double> v(u.size());
    for (int half = 0; half < 2; ++half) {
        for (int y = 0; y < cfg.ny; ++y)
            for (int x = 0; x < cfg.nx; ++x) v[y * cfg.nx + x] = lattice_update(u.data(), x, y, cfg);
        u.swap(v);
    }
}

static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double d = 0.0;
    for (size_t i = 0; i < a.size(); ++i) d = std::max(d, std::fabs(a[i] - b[i]));
    return d;
}

int main() {
    std::vector<double> reference, computed;
    bool ran = setup(reference);
    computed.resize(reference.size());
    double first = 1.0, last = 0.0;
    for (int round = 0; round < 8 && ran; ++round) {
        ran = advance(1) && download(computed);
        reference_sweep(reference);
        last = distance(computed, reference);
        if (round == 0) first = last;
        Measurement g = measure(computed), r = measure(reference);
        std::printf("sweep %lld biomass %.6f (%.6f) reach %d (%d)\n", sweeps_done, g.biomass, r.biomass, g.widest_row,
                    r.widest_row);
    }
    teardown();
    std::printf("ran %d, graphs %lld, error first %.3e last %.3e\n", ran, rebuilds, first, last);
    bool observed = ran && first < 1e-12 && last > 1e-4 && rebuilds == 1;
    std::puts(observed ? "LABEL CONFIRMED" : "LABEL WRONG");
    return observed ? 0 : 1;
}
