// Spatial SIR model on a ring of regions with a long-range contact kernel.
// Two transmission rates are integrated side by side (one graph branch each) to fill the machine.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

const int REGIONS = 4096;
const int REACH = 24;
const int PARALLEL = 2;
const int STEPS = 40;       // time steps in one graph
const int REPLAYS = 4;
const float DT = 0.05f, RECOVERY = 0.1f;

struct Field { float *s, *i, *r; };

cudaStream_t origin, lane[PARALLEL];
cudaEvent_t start, finished[PARALLEL];
Field field[PARALLEL];
float* contact;             // weights by distance, read by everybody
float* pressure;            // force of infection per region, one slice per branch
int* hot_regions;

void ok(cudaError_t e, const char* file, int line)
{
    if (e == cudaSuccess) return;
    printf("%s:%d: %s\n", file, line, cudaGetErrorString(e));
    printf("LABEL UNOBSERVED\n");
    exit(1);
}
#define OK(x) ok((x), __FILE__, __LINE__)

__global__ void seed_regions(Field f, int center)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= REGIONS) return;
    float inf = (k % 512 == center) ? 0.2f : 0.001f;
    f.s[k] = 1.f - inf;
    f.i[k] = inf;
    f.r[k] = 0.f;
}

__global__ void infection_pressure(const float* inf, const float* w, float* out)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= REGIONS) return;
    float sum = w[0] * inf[k];
    for (int d = 1; d <= REACH; ++d)
        sum += w[d] * (inf[(k + d) % REGIONS] + inf[(k + REGIONS - d) % REGIONS]);
    out[k] = sum;
}

__global__ void advance(Field f, const float* force, float beta)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= REGIONS) return;
    float caught = DT * beta * f.s[k] * force[k];
    float healed = DT * RECOVERY * f.i[k];
    f.s[k] -= caught;
    f.i[k] += caught - healed;
    f.r[k] += healed;
}

__global__ void count_hot(Field f, int* hot)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < REGIONS && f.i[k] > 0.05f) atomicAdd(hot, 1);
}

cudaGraphExec_t record(const float beta[PARALLEL])
{
    const int grid = REGIONS / 128;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(hot_regions, 0, sizeof(int), origin));
    OK(cudaEventRecord(start, origin));
    for (int p = 0; p < PARALLEL; ++p) {
        float* slice = pressure + p * REGIONS;
        OK(cudaStreamWaitEvent(lane[p], start, 0));
        for (int t = 0; t < STEPS; ++t) {
            infection_pressure<<<grid, 128, 0, lane[p]>>>(field[p].i, contact, slice);
            advance<<<grid, 128, 0, lane[p]>>>(field[p], slice, beta[p]);
        }
        // both branches count into one integer; the order of the additions does not matter
        count_hot<<<grid, 128, 0, lane[p]>>>(field[p], hot_regions);
        OK(cudaGetLastError());
        OK(cudaEventRecord(finished[p], lane[p]));
        OK(cudaStreamWaitEvent(origin, finished[p], 0));
    }
    OK(cudaStreamEndCapture(origin, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    return exec;
}

void cpu_run(std::vector<float>& s, std::vector<float>& i, const std::vector<float>& w, float beta, int steps)
{
    std::vector<float> force(REGIONS);
    for (int t = 0; t < steps; ++t) {
        for (int k = 0; k < REGIONS; ++k) {
            float sum = w[0] * i[k];
            for (int d = 1; d <= REACH; ++d)
                sum += w[d] * (i[(k + d) % REGIONS] + i[(k + REGIONS - d) % REGIONS]);
            force[k] = sum;
        }
        for (int k = 0; k < REGIONS; ++k) {
            float caught = DT * beta * s[k] * force[k];
            s[k] -= caught;
            i[k] += caught - DT * RECOVERY * i[k];
        }
    }
}

int main()
{
    std::vector<float> w(REACH + 1), got(REGIONS);
    float norm = 0.f;
    for (int d = 0; d <= REACH; ++d) { w[d] = expf(-0.15f * d); norm += d ? 2 * w[d] : w[d]; }
    for (float& v : w) v /= norm;

    OK(cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&start, cudaEventDisableTiming));
    OK(cudaMalloc(&contact, w.size() * sizeof(float)));
    OK(cudaMalloc(&hot_regions, sizeof(int)));
    OK(cudaMalloc(&pressure, PARALLEL * REGIONS * sizeof(float)));
    for (int p = 0; p < PARALLEL; ++p) {
        OK(cudaStreamCreateWithFlags(&lane[p], cudaStreamNonBlocking));
        OK(cudaEventCreateWithFlags(&finished[p], cudaEventDisableTiming));
        OK(cudaMalloc(&field[p].s, REGIONS * sizeof(float)));
        OK(cudaMalloc(&field[p].i, REGIONS * sizeof(float)));
        OK(cudaMalloc(&field[p].r, REGIONS * sizeof(float)));
    }
    OK(cudaMemcpyAsync(contact, w.data(), w.size() * sizeof(float), cudaMemcpyHostToDevice, origin));

    const float scan[][PARALLEL] = { { 0.4f, 1.2f }, { 0.7f, 2.0f } };
    int wrong = 0;
    for (const auto& beta : scan) {
        for (int p = 0; p < PARALLEL; ++p)
            seed_regions<<<REGIONS / 128, 128, 0, origin>>>(field[p], 100 + 200 * p);
        cudaGraphExec_t exec = record(beta);
        for (int n = 0; n < REPLAYS; ++n)
            OK(cudaGraphLaunch(exec, origin));

        int hot = 0, hot_ref = 0, marginal = 0;
        OK(cudaMemcpyAsync(&hot, hot_regions, sizeof hot, cudaMemcpyDeviceToHost, origin));
        for (int p = 0; p < PARALLEL; ++p) {
            OK(cudaMemcpyAsync(got.data(), field[p].i, REGIONS * sizeof(float), cudaMemcpyDeviceToHost, origin));
            OK(cudaStreamSynchronize(origin));
            std::vector<float> s(REGIONS), i(REGIONS);
            for (int k = 0; k < REGIONS; ++k) {
                i[k] = (k % 512 == 100 + 200 * p) ? 0.2f : 0.001f;
                s[k] = 1.f - i[k];
            }
            cpu_run(s, i, w, beta[p], STEPS * REPLAYS);
            int off = 0;
            for (int k = 0; k < REGIONS; ++k) {
                off += !(fabsf(got[k] - i[k]) < 1e-4f);
                hot_ref += i[k] > 0.05f;
                marginal += fabsf(i[k] - 0.05f) < 1e-4f;
            }
            printf("beta %.2f: %d regions off\n", beta[p], off);
            wrong += off;
        }
        if (abs(hot - hot_ref) > marginal) ++wrong;
        OK(cudaGraphExecDestroy(exec));
    }
    for (int p = 0; p < PARALLEL; ++p) {
        cudaFree(field[p].s); cudaFree(field[p].i); cudaFree(field[p].r);
        cudaEventDestroy(finished[p]); cudaStreamDestroy(lane[p]);
    }
    cudaFree(contact); cudaFree(hot_regions); cudaFree(pressure);
    cudaEventDestroy(start); cudaStreamDestroy(origin);
    printf(!wrong ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    return 0;
}
