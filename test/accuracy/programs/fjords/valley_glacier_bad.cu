// valley_glacier.cu - explicit shallow ice model of a valley glacier on a 64 x 64 grid.
//
// Units: length in grid cells, thickness in 100 m, time in years. The model runs in output intervals; in each interval
// the step length is taken from the schedule (short steps while the initial surface is rough, longer steps later).

#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define NX 64
#define NY 64
#define NCELL (NX * NY)
#define IDX(i, j) ((j) * NX + (i))
#define GAMMA 0.05f
#define STEPS_PER_INTERVAL 4
#define N_INTERVALS 3

#define CHECK(call)                                                                           \
    do {                                                                                      \
        cudaError_t e_ = (call);                                                              \
        if (e_ != cudaSuccess) {                                                              \
            printf("%s failed at line %d: %s\n", #call, __LINE__, cudaGetErrorString(e_));    \
            puts("LABEL WRONG");                                                              \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

#define GRID2D dim3(NX / 16, NY / 16), dim3(16, 16), 0, g_stream
#define SWAP(a, b)      \
    do {                \
        float *t_ = a;  \
        a = b;          \
        b = t_;         \
    } while (0)

// ------------------------------------------------------------------------------------------------------------------
// state

static float *d_H, *d_Hn;          // thickness, now and next
static float *d_qx, *d_qy;         // fluxes through the east and the north face of a cell
static float *d_bed, *d_mb;        // bed elevation, mass balance
static float *d_year;              // model clock
static float g_dt;                 // step length of this interval
static cudaStream_t g_stream;
static cudaGraphExec_t g_step;

static std::vector<float> h_bed(NCELL), h_mb(NCELL), h_H0(NCELL);
static const float DT_SCHEDULE[N_INTERVALS] = {0.25f, 0.5f, 1.0f};

// ------------------------------------------------------------------------------------------------------------------
// physics

__host__ __device__ inline float face_flux(float h0, float h1, float b0, float b1)
{
    float hm = 0.5f * (h0 + h1);
    return -GAMMA * hm * hm * ((b1 + h1) - (b0 + h0));
}

__global__ void flux(const float *H, const float *bed, float *qx, float *qy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int c = IDX(i, j);
    qx[c] = i + 1 < NX ? face_flux(H[c], H[c + 1], bed[c], bed[c + 1]) : 0.0f;
    qy[c] = j + 1 < NY ? face_flux(H[c], H[c + NX], bed[c], bed[c + NX]) : 0.0f;
}

__global__ void thickness(const float *H, float *Hn, const float *qx, const float *qy, const float *mb, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int c = IDX(i, j);
    float div = qx[c] - (i ? qx[c - 1] : 0.0f) + qy[c] - (j ? qy[c - NX] : 0.0f);
    Hn[c] = fmaxf(0.0f, H[c] + dt * (mb[c] - div));
}

__global__ void advance_clock(float *year, float dt) { *year += dt; }

// the same step on the host, for the comparison at the end
static void host_step(std::vector<float> &H, float dt)
{
    std::vector<float> qx(NCELL), qy(NCELL), Hn(NCELL);
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            int c = IDX(i, j);
            qx[c] = i + 1 < NX ? face_flux(H[c], H[c + 1], h_bed[c], h_bed[c + 1]) : 0.0f;
            qy[c] = j + 1 < NY ? face_flux(H[c], H[c + NX], h_bed[c], h_bed[c + NX]) : 0.0f;
        }
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            int c = IDX(i, j);
            float div = qx[c] - (i ? qx[c - 1] : 0.0f) + qy[c] - (j ? qy[c - NX] : 0.0f);
            Hn[c] = fmaxf(0.0f, H[c] + dt * (h_mb[c] - div));
        }
    H.swap(Hn);
}

// ------------------------------------------------------------------------------------------------------------------
// setup

static void init_fields()
{
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            float across = (i - NX / 2) / (float)(NX / 2);
            h_bed[IDX(i, j)] = 2.0f * across * across + 3.0f * (NY - j) / NY;
            h_mb[IDX(i, j)] = 0.05f - 0.08f * j / NY;
            h_H0[IDX(i, j)] = fmaxf(0.0f, 1.5f - 2.0f * fabsf(across)) * (j < NY / 2) + 0.1f * ((i * 5 + j * 3) % 7 == 0);
        }
}

static void init_device()
{
    const size_t bytes = NCELL * sizeof(float);
    CHECK(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
    float **fields[] = {&d_H, &d_Hn, &d_qx, &d_qy, &d_bed, &d_mb};
    for (float **f : fields) CHECK(cudaMalloc(f, bytes));
    CHECK(cudaMalloc(&d_year, sizeof(float)));
    CHECK(cudaMemset(d_year, 0, sizeof(float)));
    CHECK(cudaMemcpy(d_H, h_H0.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_Hn, h_H0.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_bed, h_bed.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_mb, h_mb.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
}

// ------------------------------------------------------------------------------------------------------------------
// time stepping

static void make_step_graph()
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
    flux<<<GRID2D>>>(d_H, d_bed, d_qx, d_qy);
    thickness<<<GRID2D>>>(d_H, d_Hn, d_qx, d_qy, d_mb, g_dt); // HAZARD frozen #a
    advance_clock<<<1, 1, 0, g_stream>>>(d_year, g_dt); // HAZARD frozen #a
    SWAP(d_H, d_Hn); // HAZARD host_logic
    CHECK(cudaStreamEndCapture(g_stream, &graph));
    CHECK(cudaGraphInstantiate(&g_step, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

static void run_interval(int k)
{
    g_dt = DT_SCHEDULE[k];
    if (!g_step) make_step_graph();
    for (int s = 0; s < STEPS_PER_INTERVAL; s++) CHECK(cudaGraphLaunch(g_step, g_stream));
    CHECK(cudaStreamSynchronize(g_stream));
}

// ------------------------------------------------------------------------------------------------------------------

static float max_difference(const std::vector<float> &a, const std::vector<float> &b)
{
    float m = 0.0f;
    for (int c = 0; c < NCELL; c++) m = fmaxf(m, fabsf(a[c] - b[c]));
    return m;
}

int main()
{
    init_fields();
    init_device();

    std::vector<float> expected = h_H0, one_step = h_H0, H(NCELL);
    float expected_year = 0.0f, year = 0.0f;
    host_step(one_step, DT_SCHEDULE[0]);

    for (int k = 0; k < N_INTERVALS; k++) {
        run_interval(k);
        for (int s = 0; s < STEPS_PER_INTERVAL; s++) {
            host_step(expected, DT_SCHEDULE[k]);
            expected_year += DT_SCHEDULE[k];
        }
        CHECK(cudaMemcpy(H.data(), d_H, NCELL * sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&year, d_year, sizeof(float), cudaMemcpyDeviceToHost));
        printf("interval %d: year %.2f (%.2f), difference to the reference %.5f, to a single step %.5f\n", k, year,
               expected_year, max_difference(H, expected), max_difference(H, one_step));
    }

    bool clock_slow = fabsf(year - N_INTERVALS * STEPS_PER_INTERVAL * DT_SCHEDULE[0]) < 1e-4f && expected_year - year > 1.0f;
    bool no_progress = max_difference(H, expected) > 1e-2f && max_difference(H, one_step) < 1e-4f;
    puts(clock_slow && no_progress ? "LABEL CONFIRMED" : "LABEL WRONG");
    return clock_slow && no_progress ? 0 : 1;
}
