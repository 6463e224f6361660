// Dominant eigenvalue of a symmetric matrix by power iteration.
// Two CUDA graphs: one assembles the matrix in three replays, the other one
// is a single iteration. If the second one is not available the script
// iterates with plain launches.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

const int N = 256;
const int TPB = 128;
const int MAX_ITER = 60;
const double TOL = 1e-6;

float *A, *x, *y, *d_norm, *h_norm;
cudaStream_t g_stream;
cudaEvent_t g_mark;
cudaGraphExec_t g_assemble, g_iterate;
int g_replays = 0;

#define TRY(call)                                                                       \
    do {                                                                                \
        cudaError_t err_ = (call);                                                      \
        if (err_ != cudaSuccess) {                                                      \
            printf("  %s (line %d): %s\n", #call, __LINE__, cudaGetErrorString(err_));  \
            return err_;                                                                \
        }                                                                               \
    } while (0)

__global__ void add_rank_one(float* a, float c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * N) a[i] += c;
}

__global__ void matvec(const float* a, const float* in, float* out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= N) return;
    float s = 0.f;
    for (int j = 0; j < N; j++) s += a[j * N + row] * in[j];
    out[row] = s;
}

__global__ void norm2(const float* v, float* out)
{
    __shared__ float part[TPB];
    float s = 0.f;
    for (int i = threadIdx.x; i < N; i += TPB) s += v[i] * v[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int w = TPB / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = sqrtf(part[0]);
}

__global__ void scale_into(const float* in, const float* norm, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = in[i] / *norm;
}

cudaError_t setup()
{
    std::vector<float> eye(N * N, 0.f), start(N);
    for (int i = 0; i < N; i++) {
        eye[i * N + i] = 1.f;
        start[i] = 0.1f + 0.01f * (i % 17);
    }
    TRY(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
    TRY(cudaEventCreateWithFlags(&g_mark, cudaEventDisableTiming));
    TRY(cudaMalloc(&A, N * N * sizeof(float)));
    TRY(cudaMalloc(&x, N * sizeof(float)));
    TRY(cudaMalloc(&y, N * sizeof(float)));
    TRY(cudaMalloc(&d_norm, sizeof(float)));
    TRY(cudaMallocHost(&h_norm, sizeof(float)));
    TRY(cudaMemcpy(A, eye.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(x, start.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    TRY(cudaDeviceSynchronize());
    return cudaSuccess;
}

cudaError_t record_assembly()
{
    cudaGraph_t graph;
    TRY(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
    add_rank_one<<<(N * N + TPB - 1) / TPB, TPB, 0, g_stream>>>(A, 1.f / (3.f * N));
    TRY(cudaStreamEndCapture(g_stream, &graph));
    TRY(cudaGraphInstantiate(&g_assemble, graph, 0));
    TRY(cudaGraphDestroy(graph));
    return cudaSuccess;
}

void enqueue_iteration()
{
    matvec<<<N / TPB, TPB, 0, g_stream>>>(A, x, y);
    norm2<<<1, TPB, 0, g_stream>>>(y, d_norm);
    scale_into<<<N / TPB, TPB, 0, g_stream>>>(y, d_norm, x);
}

cudaError_t record_iteration()
{
    cudaGraph_t graph = nullptr;
    TRY(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
    enqueue_iteration();
    cudaError_t e = cudaMemcpyAsync(h_norm, d_norm, sizeof(float), cudaMemcpyDeviceToHost, g_stream);
    if (e == cudaSuccess) e = cudaStreamSynchronize(g_stream); // HAZARD refused
    if (e != cudaSuccess) {
        printf("  iteration not recorded: %s\n", cudaGetErrorName(e));
        return e; // HAZARD scope
    }
    TRY(cudaStreamEndCapture(g_stream, &graph));
    TRY(cudaGraphInstantiate(&g_iterate, graph, 0));
    TRY(cudaGraphDestroy(graph));
    return cudaSuccess;
}

cudaError_t assemble()
{
    for (int k = 0; k < 3; k++) {
        TRY(cudaGraphLaunch(g_assemble, g_stream));
        g_replays++;
    }
    TRY(cudaStreamSynchronize(g_stream));
    return cudaSuccess;
}

// One iteration, with the graph if there is one.
cudaError_t iterate(bool use_graph, float* norm)
{
    if (use_graph) {
        TRY(cudaGraphLaunch(g_iterate, g_stream));
        g_replays++;
    } else {
        enqueue_iteration();
        TRY(cudaGetLastError());
        TRY(cudaMemcpyAsync(h_norm, d_norm, sizeof(float), cudaMemcpyDeviceToHost, g_stream));
    }
    TRY(cudaStreamSynchronize(g_stream));
    *norm = *h_norm;
    return cudaSuccess;
}

cudaError_t solve(bool use_graph, float* lambda)
{
    float last = 0.f, norm = 0.f;
    for (int k = 0; k < MAX_ITER; k++) {
        TRY(iterate(use_graph, &norm));
        if (k > 4 && std::fabs(norm - last) < TOL) break;
        last = norm;
    }
    *lambda = norm;
    return cudaSuccess;
}

int main()
{
    if (setup() != cudaSuccess || record_assembly() != cudaSuccess || assemble() != cudaSuccess) {
        printf("LABEL WRONG\n");
        return 1;
    }
    std::vector<float> a(N * N);
    cudaMemcpy(a.data(), A, N * N * sizeof(float), cudaMemcpyDeviceToHost);
    bool assembled = std::fabs(a[1] - 1.f / N) < 1e-6f && std::fabs(a[0] - 1.f - 1.f / N) < 1e-6f;
    printf("matrix %s after %d replays\n", assembled ? "good" : "not good", g_replays);

    cudaError_t rec = record_iteration();
    cudaGetLastError();
    float lambda = 0.f;
    cudaError_t run = solve(rec == cudaSuccess, &lambda);
    printf("record: %s, solve: %s, lambda %.6f, replays %d\n", cudaGetErrorName(rec), cudaGetErrorName(run), lambda, g_replays);
    bool label = assembled && rec == cudaErrorStreamCaptureUnsupported && run != cudaSuccess;
    printf("%s\n", label ? "LABEL CONFIRMED" : "LABEL WRONG");
    return 0;
}
