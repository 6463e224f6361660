/* effect rack: a fixed chain of slots, each slot has a table of operations */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RACK_SLOTS 4
#define BLOCK_LEN 512

#define TRY(x)                                                              \
    do {                                                                    \
        cudaError_t e_ = (x);                                               \
        if (e_ != cudaSuccess) {                                            \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            return e_;                                                      \
        }                                                                   \
    } while (0)

struct rack;

typedef struct fx_ops {
    const char *name;
    cudaError_t (*process)(struct rack *r, int slot, cudaStream_t st);
} fx_ops_t;

typedef struct fx_slot {
    const fx_ops_t *ops;
    float amount; /* fixed when the slot is loaded */
} fx_slot_t;

typedef struct rack {
    fx_slot_t slot[RACK_SLOTS];
    int bypass[RACK_SLOTS];
    unsigned long blocks_done;
    float *d_buf;
    cudaStream_t st;
    cudaGraphExec_t exec;
} rack_t;

__global__ void k_gain(float *buf, float g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BLOCK_LEN) buf[i] *= g;
}

__global__ void k_offset(float *buf, float o)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BLOCK_LEN) buf[i] += o;
}

__global__ void k_fold(float *buf, float lim)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BLOCK_LEN && buf[i] > lim) buf[i] = 2.0f * lim - buf[i];
}

static cudaError_t gain_process(rack_t *r, int slot, cudaStream_t st)
{
    k_gain<<<BLOCK_LEN / 128, 128, 0, st>>>(r->d_buf, r->slot[slot].amount);
    return cudaGetLastError();
}

static cudaError_t offset_process(rack_t *r, int slot, cudaStream_t st)
{
    k_offset<<<BLOCK_LEN / 128, 128, 0, st>>>(r->d_buf, r->slot[slot].amount);
    return cudaGetLastError();
}

static cudaError_t fold_process(rack_t *r, int slot, cudaStream_t st)
{
    k_fold<<<BLOCK_LEN / 128, 128, 0, st>>>(r->d_buf, r->slot[slot].amount);
    return cudaGetLastError();
}

static const fx_ops_t fx_gain = { "gain", gain_process };
static const fx_ops_t fx_offset = { "offset", offset_process };
static const fx_ops_t fx_fold = { "fold", fold_process };

static cudaError_t rack_open(rack_t *r)
{
    memset(r, 0, sizeof *r);
    r->slot[0].ops = &fx_gain;   r->slot[0].amount = 2.0f;
    r->slot[1].ops = &fx_offset; r->slot[1].amount = 0.25f;
    r->slot[2].ops = &fx_fold;   r->slot[2].amount = 0.75f;
    r->slot[3].ops = &fx_gain;   r->slot[3].amount = 0.5f;
    TRY(cudaStreamCreateWithFlags(&r->st, cudaStreamNonBlocking));
    TRY(cudaMalloc((void **)&r->d_buf, BLOCK_LEN * sizeof(float)));
    return cudaSuccess;
}

static void rack_close(rack_t *r)
{
    if (r->exec) cudaGraphExecDestroy(r->exec);
    cudaFree(r->d_buf);
    if (r->st) cudaStreamDestroy(r->st);
}

static void rack_set_bypass(rack_t *r, int slot, int on)
{
    r->bypass[slot] = on;
}

static cudaError_t rack_run_chain(rack_t *r)
{
    int i;
    for (i = 0; i < RACK_SLOTS; i++) {
        if (r->bypass[i]) /* slot is out of the chain */ // HAZARD host_logic
            continue;
        TRY(r->slot[i].ops->process(r, i, r->st));
    }
    r->blocks_done++; // HAZARD host_logic
    return cudaSuccess;
}

static cudaError_t rack_record(rack_t *r)
{
    cudaGraph_t g = NULL;
    cudaError_t rc, end;

    TRY(cudaStreamBeginCapture(r->st, cudaStreamCaptureModeGlobal));
    rc = rack_run_chain(r);
    end = cudaStreamEndCapture(r->st, &g);
    if (rc == cudaSuccess) rc = end;
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&r->exec, g, 0);
    if (g) cudaGraphDestroy(g);
    return rc;
}

static cudaError_t rack_process(rack_t *r, float *io)
{
    if (!r->exec) TRY(rack_record(r));
    TRY(cudaMemcpyAsync(r->d_buf, io, BLOCK_LEN * sizeof(float), cudaMemcpyHostToDevice, r->st));
    TRY(cudaGraphLaunch(r->exec, r->st));
    TRY(cudaMemcpyAsync(io, r->d_buf, BLOCK_LEN * sizeof(float), cudaMemcpyDeviceToHost, r->st));
    TRY(cudaStreamSynchronize(r->st));
    return cudaSuccess;
}

static float expected(const rack_t *r, float x)
{
    if (!r->bypass[0]) x *= 2.0f;
    if (!r->bypass[1]) x += 0.25f;
    if (!r->bypass[2] && x > 0.75f) x = 1.5f - x;
    if (!r->bypass[3]) x *= 0.5f;
    return x;
}

int main(void)
{
    rack_t r;
    float io[BLOCK_LEN];
    int b, i, wrong = 0;
    cudaError_t rc = rack_open(&r);

    for (b = 0; b < 4 && rc == cudaSuccess; b++) {
        rack_set_bypass(&r, 1, b == 1 || b == 3);
        rack_set_bypass(&r, 2, b == 2);
        for (i = 0; i < BLOCK_LEN; i++) io[i] = (float)i / BLOCK_LEN;
        rc = rack_process(&r, io);
        for (i = 0; i < BLOCK_LEN; i++)
            if (fabsf(io[i] - expected(&r, (float)i / BLOCK_LEN)) > 1e-5f) { wrong++; break; }
    }
    printf("blocks with wrong audio %d, blocks counted %lu\n", wrong, r.blocks_done);
    rack_close(&r);
    puts(rc == cudaSuccess && wrong > 0 && r.blocks_done == 1 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
