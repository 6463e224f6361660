// decode loop of one attention layer with a KV cache, split over the context ("flash decoding"), plain CUDA.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADS 8
#define HDIM 64
#define MAX_CTX 1024
#define CHUNK 64
#define MAX_CHUNKS (MAX_CTX / CHUNK)

#define CUDACHECK(call)                                                                    \
    {                                                                                      \
        cudaError_t err = call;                                                            \
        if (err != cudaSuccess) {                                                          \
            fprintf(stderr, "CUDA error %d (%s) at %s:%d\n", (int)err,                     \
                    cudaGetErrorString(err), __FILE__, __LINE__);                          \
            exit(EXIT_FAILURE);                                                            \
        }                                                                                  \
    }

typedef struct {
    float *x;              // (HEADS*HDIM) activation, also the output
    float *q;
    float *k_cache;        // (MAX_CTX, HEADS*HDIM)
    float *v_cache;
    float *part_acc;       // (MAX_CHUNKS, HEADS, HDIM)
    float *part_m;         // (MAX_CHUNKS, HEADS)
    float *part_l;
    int *pos;              // device position of the token being decoded
    int n_past;            // host mirror of pos
    cudaStream_t stream;
    cudaGraphExec_t decode;
} RunState;

__global__ void qkv_kernel(const float *x, float *q, float *kc, float *vc, const int *pos) {
    int i = blockIdx.x * HDIM + threadIdx.x, p = *pos;
    float xi = x[i], ph = 0.01f * (float)((i * 13 + p * 7) % 251);
    q[i] = xi + sinf(ph);
    kc[p * HEADS * HDIM + i] = 0.5f * xi + cosf(3.0f * ph);
    vc[p * HEADS * HDIM + i] = 0.5f * xi + sinf(5.0f * ph);
}

__device__ float block_sum(float v, float *sh) {
    sh[threadIdx.x] = v;
    __syncthreads();
    for (int s = HDIM / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
        __syncthreads();
    }
    float r = sh[0];
    __syncthreads();
    return r;
}

__global__ void attn_chunk_kernel(const float *q, const float *kc, const float *vc, float *acc_out, float *m_out,
                                  float *l_out, const int *pos) {
    __shared__ float sh[HDIM];
    int h = blockIdx.x, c = blockIdx.y, d = threadIdx.x, len = *pos + 1;
    int lo = c * CHUNK, hi = min(lo + CHUNK, len);
    if (lo >= len) return;
    float qd = q[h * HDIM + d], m = -1e30f, l = 0.f, acc = 0.f;
    for (int t = lo; t < hi; t++) {
        float s = block_sum(qd * kc[(t * HEADS + h) * HDIM + d], sh) * 0.125f;
        float mn = fmaxf(m, s), w = expf(s - mn), r = expf(m - mn);
        acc = acc * r + w * vc[(t * HEADS + h) * HDIM + d];
        l = l * r + w;
        m = mn;
    }
    acc_out[(c * HEADS + h) * HDIM + d] = acc;
    if (d == 0) { m_out[c * HEADS + h] = m; l_out[c * HEADS + h] = l; }
}

__global__ void attn_merge_kernel(const float *acc, const float *m, const float *l, float *x, const int *pos) {
    int h = blockIdx.x, d = threadIdx.x, nc = (*pos + CHUNK) / CHUNK;
    float M = -1e30f, L = 0.f, o = 0.f;
    for (int c = 0; c < nc; c++) M = fmaxf(M, m[c * HEADS + h]);
    for (int c = 0; c < nc; c++) {
        float w = expf(m[c * HEADS + h] - M);
        L += w * l[c * HEADS + h];
        o += w * acc[(c * HEADS + h) * HDIM + d];
    }
    x[h * HDIM + d] = o / fmaxf(L, 1e-20f);
}

__global__ void next_pos_kernel(int *pos) { *pos += 1; }

static dim3 chunk_grid(const RunState *s) {
    int chunks = (s->n_past + CHUNK) / CHUNK;
    return dim3(HEADS, chunks);
}

static void forward(RunState *s) {
    qkv_kernel<<<HEADS, HDIM, 0, s->stream>>>(s->x, s->q, s->k_cache, s->v_cache, s->pos);
    attn_chunk_kernel<<<chunk_grid(s), HDIM, 0, s->stream>>>(s->q, s->k_cache, s->v_cache, s->part_acc, s->part_m,  // HAZARD dynamic_shape
                                                             s->part_l, s->pos);
    attn_merge_kernel<<<HEADS, HDIM, 0, s->stream>>>(s->part_acc, s->part_m, s->part_l, s->x, s->pos);
    next_pos_kernel<<<1, 1, 0, s->stream>>>(s->pos);
    CUDACHECK(cudaGetLastError());
}

static void decode_token(RunState *s) {
    if (s->decode == NULL) {
        cudaGraph_t graph;
        CUDACHECK(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeGlobal));
        forward(s);
        CUDACHECK(cudaStreamEndCapture(s->stream, &graph));
        CUDACHECK(cudaGraphInstantiate(&s->decode, graph, 0));
        CUDACHECK(cudaGraphDestroy(graph));
    }
    CUDACHECK(cudaGraphLaunch(s->decode, s->stream));
    s->n_past++;
}

static void run_state_init(RunState *s) {
    size_t kv = (size_t)MAX_CTX * HEADS * HDIM * sizeof(float);
    memset(s, 0, sizeof *s);
    CUDACHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    CUDACHECK(cudaMalloc(&s->x, HEADS * HDIM * sizeof(float)));
    CUDACHECK(cudaMalloc(&s->q, HEADS * HDIM * sizeof(float)));
    CUDACHECK(cudaMalloc(&s->k_cache, kv));
    CUDACHECK(cudaMalloc(&s->v_cache, kv));
    CUDACHECK(cudaMalloc(&s->part_acc, MAX_CHUNKS * HEADS * HDIM * sizeof(float)));
    CUDACHECK(cudaMalloc(&s->part_m, MAX_CHUNKS * HEADS * sizeof(float)));
    CUDACHECK(cudaMalloc(&s->part_l, MAX_CHUNKS * HEADS * sizeof(float)));
    CUDACHECK(cudaMalloc(&s->pos, sizeof(int)));
    CUDACHECK(cudaMemset(s->x, 0, HEADS * HDIM * sizeof(float)));
    CUDACHECK(cudaMemset(s->part_acc, 0, MAX_CHUNKS * HEADS * HDIM * sizeof(float)));
    CUDACHECK(cudaMemset(s->part_m, 0, MAX_CHUNKS * HEADS * sizeof(float)));
    CUDACHECK(cudaMemset(s->part_l, 0, MAX_CHUNKS * HEADS * sizeof(float)));
    CUDACHECK(cudaMemset(s->pos, 0, sizeof(int)));
    CUDACHECK(cudaDeviceSynchronize());
}

static void fetch(RunState *s, float *out) {
    CUDACHECK(cudaMemcpyAsync(out, s->x, HEADS * HDIM * sizeof(float), cudaMemcpyDeviceToHost, s->stream));
    CUDACHECK(cudaStreamSynchronize(s->stream));
}

int main(int argc, char **argv) {
    int prompt = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 300;
    if (prompt + steps > MAX_CTX) steps = MAX_CTX - prompt;
    static float a[HEADS * HDIM], b[HEADS * HDIM];
    RunState ref, gen;
    run_state_init(&ref);
    run_state_init(&gen);
    for (int t = 0; t < prompt + steps; t++) { forward(&ref); ref.n_past++; }
    for (int t = 0; t < prompt; t++) { forward(&gen); gen.n_past++; }      // prefill, token by token
    for (int t = 0; t < steps; t++) decode_token(&gen);
    fetch(&ref, a);
    fetch(&gen, b);
    double err = 0;
    for (int i = 0; i < HEADS * HDIM; i++) err = fmax(err, fabs((double)a[i] - b[i]));
    printf("tokens %d, max difference %.3e\n", gen.n_past, err);
    CUDACHECK(cudaGraphExecDestroy(gen.decode));
    printf("%s\n", err > 1e-5 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
