#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

typedef enum { MB_OK = 0, MB_ERR_CUDA = -1, MB_ERR_RANGE = -2 } mb_status_t;
enum { MB_AXES = 96, MB_STAGES = 3 };

typedef struct {
    float kp;
    float target;
} mb_gain_t;

struct mb_bank;
typedef mb_status_t (*mb_stage_fn)(struct mb_bank *);

typedef struct mb_bank {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float *d_pos;
    float *d_err;
    unsigned *d_limit_hits;
    mb_gain_t gain;
    unsigned ticks;
    mb_stage_fn stage[MB_STAGES];
} mb_bank_t;

#define MB_TRY(call)                                                        \
    do {                                                                    \
        cudaError_t e_ = (call);                                            \
        if (e_ != cudaSuccess) {                                            \
            printf("%s -> %s\n", #call, cudaGetErrorName(e_));              \
            return MB_ERR_CUDA;                                             \
        }                                                                   \
    } while (0)

__global__ void k_error(const float *pos, float *err, float target, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) err[i] = target - pos[i];
}

__global__ void k_move(float *pos, const float *err, float kp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pos[i] += kp * err[i];
}

__global__ void k_limit(const float *pos, unsigned *hits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && pos[i] > 100.0f) atomicAdd(hits, 1u);
}

static mb_status_t stage_error(mb_bank_t *b)
{
    k_error<<<1, 128, 0, b->stream>>>(b->d_pos, b->d_err, b->gain.target, MB_AXES); // HAZARD frozen
    return cudaPeekAtLastError() == cudaSuccess ? MB_OK : MB_ERR_CUDA;
}

static mb_status_t stage_move(mb_bank_t *b)
{
    k_move<<<1, 128, 0, b->stream>>>(b->d_pos, b->d_err, b->gain.kp, MB_AXES);
    return cudaPeekAtLastError() == cudaSuccess ? MB_OK : MB_ERR_CUDA;
}

static mb_status_t stage_limit(mb_bank_t *b)
{
    k_limit<<<1, 128, 0, b->stream>>>(b->d_pos, b->d_limit_hits, MB_AXES);
    b->ticks++; // HAZARD host_logic
    return cudaPeekAtLastError() == cudaSuccess ? MB_OK : MB_ERR_CUDA;
}

static mb_status_t mb_open(mb_bank_t *b, float kp, float target)
{
    if (kp <= 0.0f || kp >= 1.0f) return MB_ERR_RANGE;
    memset(b, 0, sizeof *b);
    b->gain.kp = kp;
    b->gain.target = target;
    b->stage[0] = stage_error;
    b->stage[1] = stage_move;
    b->stage[2] = stage_limit;
    MB_TRY(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    MB_TRY(cudaMalloc((void **)&b->d_pos, MB_AXES * sizeof(float)));
    MB_TRY(cudaMalloc((void **)&b->d_err, MB_AXES * sizeof(float)));
    MB_TRY(cudaMalloc((void **)&b->d_limit_hits, sizeof(unsigned)));
    MB_TRY(cudaMemsetAsync(b->d_pos, 0, MB_AXES * sizeof(float), b->stream));
    MB_TRY(cudaMemsetAsync(b->d_limit_hits, 0, sizeof(unsigned), b->stream));
    MB_TRY(cudaStreamSynchronize(b->stream));
    return MB_OK;
}

static mb_status_t mb_record(mb_bank_t *b)
{
    mb_status_t st = MB_OK;
    MB_TRY(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < MB_STAGES && st == MB_OK; ++i) st = b->stage[i](b);
    MB_TRY(cudaStreamEndCapture(b->stream, &b->graph));
    if (st != MB_OK) return st;
    MB_TRY(cudaGraphInstantiate(&b->exec, b->graph, 0));
    return MB_OK;
}

static mb_status_t mb_set_target(mb_bank_t *b, float target)
{
    if (target < -50.0f || target > 50.0f) return MB_ERR_RANGE;
    b->gain.target = target;
    return MB_OK;
}

static mb_status_t mb_cycle(mb_bank_t *b)
{
    MB_TRY(cudaGraphLaunch(b->exec, b->stream));
    MB_TRY(cudaStreamSynchronize(b->stream));
    return MB_OK;
}

int main(void)
{
    mb_bank_t bank;
    float pos = -1.0f;
    mb_status_t st = mb_open(&bank, 0.5f, 8.0f);
    if (st != MB_OK) goto done;
    if ((st = mb_record(&bank)) != MB_OK) goto done;
    if ((st = mb_cycle(&bank)) != MB_OK) goto done;
    if ((st = mb_cycle(&bank)) != MB_OK) goto done;
    if ((st = mb_set_target(&bank, 2.0f)) != MB_OK) goto done;
    if ((st = mb_cycle(&bank)) != MB_OK) goto done;
    if ((st = mb_cycle(&bank)) != MB_OK) goto done;
    if (cudaMemcpy(&pos, bank.d_pos + 7, sizeof pos, cudaMemcpyDeviceToHost) != cudaSuccess) st = MB_ERR_CUDA;
done:
    if (st == MB_OK && pos == 7.5f && bank.ticks == 1) printf("LABEL CONFIRMED\n");
    else printf("LABEL REFUTED status %d pos %f ticks %u\n", (int)st, pos, bank.ticks);
    return 0;
}
