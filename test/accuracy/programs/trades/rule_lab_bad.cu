// Research toy: two elementary cellular automata ("universes") evolve side by side on the GPU and
// their population is tracked. Everything lives in globals; a few checks drive it from main().
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int CELLS = 256;
constexpr int GENERATIONS = 4000;
constexpr int UNIVERSES = 2;
constexpr int REPLAYS = 5;

const int RULES[UNIVERSES] = {30, 45};

cudaStream_t g_main, g_side, g_stats;
cudaEvent_t g_fork, g_join;
int* g_cells;    // UNIVERSES x CELLS, the persistent state
int* g_scratch;  // neighbour exchange
int* g_pop;      // population per universe
int *h_cells, *h_pop;
cudaGraphExec_t g_exec;

#define CK(x) ck((x), #x, __LINE__)
static void ck(cudaError_t e, const char* what, int line)
{
    if (e == cudaSuccess) return;
    std::printf("line %d: %s: %s\nLABEL UNOBSERVED\n", line, what, cudaGetErrorString(e));
    std::exit(1);
}

// One block per universe. Cells are exchanged through L2 so that larger universes could use a
// cooperative launch later.
__global__ void evolve(int* cells, int* scratch, int rule, int generations)
{
    const int i = threadIdx.x, l = (i + CELLS - 1) % CELLS, r = (i + 1) % CELLS;
    int c = cells[i];
    for (int g = 0; g < generations; ++g) {
        __stcg(&scratch[i], c);
        __syncthreads();
        int idx = __ldcg(&scratch[l]) * 4 + c * 2 + __ldcg(&scratch[r]);
        __syncthreads();
        c = (rule >> idx) & 1;
    }
    cells[i] = c;
}

__global__ void population(const int* cells, int* pop)
{
    int u = threadIdx.x, n = 0;
    for (int i = 0; i < CELLS; ++i) n += cells[u * CELLS + i];
    pop[u] = n;
}

static void cpu_evolve(std::vector<int>& c, int rule)
{
    std::vector<int> t(CELLS);
    for (int g = 0; g < GENERATIONS; ++g) {
        for (int i = 0; i < CELLS; ++i)
            t[i] = (rule >> (c[(i + CELLS - 1) % CELLS] * 4 + c[i] * 2 + c[(i + 1) % CELLS])) & 1;
        c.swap(t);
    }
}

static void create_lab()
{
    CK(cudaStreamCreateWithFlags(&g_main, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&g_side, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&g_stats, cudaStreamNonBlocking));
    CK(cudaEventCreateWithFlags(&g_fork, cudaEventDisableTiming));
    CK(cudaEventCreateWithFlags(&g_join, cudaEventDisableTiming));
    CK(cudaMalloc(&g_cells, sizeof(int) * UNIVERSES * CELLS));
    CK(cudaMalloc(&g_scratch, sizeof(int) * CELLS));
    CK(cudaMalloc(&g_pop, sizeof(int) * UNIVERSES));
    CK(cudaMallocHost(&h_cells, sizeof(int) * UNIVERSES * CELLS));
    CK(cudaMallocHost(&h_pop, sizeof(int) * UNIVERSES));
    CK(cudaMemsetAsync(g_pop, 0, sizeof(int) * UNIVERSES, g_main));
    for (int u = 0; u < UNIVERSES; ++u)
        for (int i = 0; i < CELLS; ++i) h_cells[u * CELLS + i] = (i * i + 3 * u * i + i / 7) % 5 == 1;
    CK(cudaMemcpyAsync(g_cells, h_cells, sizeof(int) * UNIVERSES * CELLS, cudaMemcpyHostToDevice, g_main));
    CK(cudaStreamSynchronize(g_main));
}

static void track_population()
{
    population<<<1, UNIVERSES, 0, g_stats>>>(g_cells, g_pop);  // HAZARD escape
}

static void record_epoch()
{
    cudaGraph_t graph = nullptr;
    CK(cudaStreamBeginCapture(g_main, cudaStreamCaptureModeThreadLocal));
    CK(cudaEventRecord(g_fork, g_main));
    CK(cudaStreamWaitEvent(g_side, g_fork, 0));
    evolve<<<1, CELLS, 0, g_main>>>(g_cells, g_scratch, RULES[0], GENERATIONS);          // HAZARD concurrent #scratch
    evolve<<<1, CELLS, 0, g_side>>>(g_cells + CELLS, g_scratch, RULES[1], GENERATIONS);  // HAZARD concurrent #scratch
    CK(cudaEventRecord(g_join, g_side));
    CK(cudaStreamWaitEvent(g_main, g_join, 0));
    track_population();
    CK(cudaMemcpyAsync(h_cells, g_cells, sizeof(int) * UNIVERSES * CELLS, cudaMemcpyDeviceToHost, g_main));
    CK(cudaMemcpyAsync(h_pop, g_pop, sizeof(int) * UNIVERSES, cudaMemcpyDeviceToHost, g_main));
    CK(cudaStreamEndCapture(g_main, &graph));
    CK(cudaGraphInstantiate(&g_exec, graph, 0));
    CK(cudaGraphDestroy(graph));
}

static bool check_cells(std::vector<int> (&ref)[UNIVERSES])
{
    bool same = true;
    for (int u = 0; u < UNIVERSES; ++u) {
        cpu_evolve(ref[u], RULES[u]);
        for (int i = 0; i < CELLS; ++i) same = same && h_cells[u * CELLS + i] == ref[u][i];
    }
    return same;
}

// The tracked population has to belong to the cells that were read back in the same epoch.
static bool check_population()
{
    bool same = true;
    for (int u = 0; u < UNIVERSES; ++u) {
        int n = 0;
        for (int i = 0; i < CELLS; ++i) n += h_cells[u * CELLS + i];
        same = same && n == h_pop[u];
    }
    return same;
}

int main()
{
    create_lab();
    std::vector<int> ref[UNIVERSES];
    for (int u = 0; u < UNIVERSES; ++u) ref[u].assign(h_cells + u * CELLS, h_cells + (u + 1) * CELLS);
    record_epoch();

    int wrong_cells = 0, wrong_pop = 0;
    for (int r = 0; r < REPLAYS; ++r) {
        CK(cudaGraphLaunch(g_exec, g_main));
        CK(cudaStreamSynchronize(g_main));
        if (!check_cells(ref)) ++wrong_cells;
        if (!check_population()) ++wrong_pop;
    }
    std::printf("epochs %d wrong cells %d wrong population %d\n", REPLAYS, wrong_cells, wrong_pop);
    CK(cudaGraphExecDestroy(g_exec));
    CK(cudaDeviceSynchronize());
    std::printf(wrong_cells > 0 && wrong_pop > 0 ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
