/*
 * Probe side of a hash join, written as a pull operator: open, next, close. Each batch of probe rows
 * is split into chunks of at most CHUNK_ROWS; a batch is one graph launch.
 */
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_ROWS 2048
#define MAX_CHUNKS 4
#define TABLE_SLOTS 1024
#define THREADS 256
#define MAX_PLANS 8

#define TRY(call)                                                                              \
    do {                                                                                       \
        cudaError_t rc_ = (call);                                                              \
        if (rc_ != cudaSuccess) {                                                              \
            printf("LABEL NOT CONFIRMED: %s failed: %s\n", #call, cudaGetErrorString(rc_));    \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

typedef struct {
    int32_t chunk_rows[MAX_CHUNKS];
    uint32_t keys[MAX_CHUNKS][CHUNK_ROWS];
} batch_t;

typedef struct {
    int chunks;
    int blocks[MAX_CHUNKS];
    cudaGraphExec_t exec;
} plan_t;

typedef struct {
    cudaStream_t stream;
    plan_t plans[MAX_PLANS];
    int plan_count;
    batch_t *staging;    /* pinned */
    batch_t *dev_batch;
    uint32_t *dev_table; /* slot -> key + 1, 0 if empty */
    unsigned int *dev_matches;
    unsigned int *matches;
} join_op;

__global__ void probe(const batch_t *batch, int chunk, const uint32_t *table, unsigned int *matches)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= batch->chunk_rows[chunk]) return;
    uint32_t key = batch->keys[chunk][row];
    if (table[key % TABLE_SLOTS] == key + 1) atomicAdd(&matches[chunk], 1u);
}

static int chunk_count(const batch_t *b)
{
    int n = 0;
    while (n < MAX_CHUNKS && b->chunk_rows[n] > 0) n++;
    return n;
}

static int blocks_for(const batch_t *b, int chunk)
{
    return (b->chunk_rows[chunk] + THREADS - 1) / THREADS;
}

static void join_open(join_op *op, const uint32_t *table)
{
    memset(op, 0, sizeof *op);
    TRY(cudaStreamCreateWithFlags(&op->stream, cudaStreamNonBlocking));
    TRY(cudaMallocHost((void **)&op->staging, sizeof(batch_t)));
    TRY(cudaMallocHost((void **)&op->matches, MAX_CHUNKS * sizeof(unsigned int)));
    TRY(cudaMalloc((void **)&op->dev_batch, sizeof(batch_t)));
    TRY(cudaMalloc((void **)&op->dev_table, TABLE_SLOTS * sizeof(uint32_t)));
    TRY(cudaMalloc((void **)&op->dev_matches, MAX_CHUNKS * sizeof(unsigned int)));
    TRY(cudaMemcpyAsync(op->dev_table, table, TABLE_SLOTS * sizeof(uint32_t), cudaMemcpyHostToDevice, op->stream));
    TRY(cudaStreamSynchronize(op->stream));
}

static plan_t *join_find_plan(join_op *op)
{
    int p, c, chunks = chunk_count(op->staging);
    for (p = 0; p < op->plan_count; p++) {
        plan_t *plan = &op->plans[p];
        if (plan->chunks != chunks) continue;
        for (c = 0; c < chunks && plan->blocks[c] == blocks_for(op->staging, c); c++) {}
        if (c == chunks) return plan;
    }
    return NULL;
}

static plan_t *join_build_plan(join_op *op)
{
    cudaGraph_t graph;
    plan_t *plan;
    int c;
    if (op->plan_count == MAX_PLANS) TRY(cudaGraphExecDestroy(op->plans[--op->plan_count].exec));
    plan = &op->plans[op->plan_count++];
    plan->chunks = chunk_count(op->staging);
    for (c = 0; c < plan->chunks; c++) plan->blocks[c] = blocks_for(op->staging, c);
    TRY(cudaStreamBeginCapture(op->stream, cudaStreamCaptureModeGlobal));
    TRY(cudaMemcpyAsync(op->dev_batch, op->staging, sizeof(batch_t), cudaMemcpyHostToDevice, op->stream));
    TRY(cudaMemsetAsync(op->dev_matches, 0, MAX_CHUNKS * sizeof(unsigned int), op->stream));
    for (c = 0; c < plan->chunks; c++) {
        probe<<<plan->blocks[c], THREADS, 0, op->stream>>>(op->dev_batch, c, op->dev_table, op->dev_matches);
        TRY(cudaGetLastError());
    }
    TRY(cudaMemcpyAsync(op->matches, op->dev_matches, MAX_CHUNKS * sizeof(unsigned int), cudaMemcpyDeviceToHost,
                        op->stream));
    TRY(cudaStreamEndCapture(op->stream, &graph));
    TRY(cudaGraphInstantiate(&plan->exec, graph, 0));
    TRY(cudaGraphDestroy(graph));
    return plan;
}

static const unsigned int *join_next(join_op *op, const batch_t *batch)
{
    plan_t *plan;
    memcpy(op->staging, batch, sizeof *batch);
    plan = join_find_plan(op);
    if (plan == NULL) plan = join_build_plan(op);
    TRY(cudaGraphLaunch(plan->exec, op->stream));
    TRY(cudaStreamSynchronize(op->stream));
    return op->matches;
}

static void join_close(join_op *op)
{
    int p;
    TRY(cudaStreamSynchronize(op->stream));
    for (p = 0; p < op->plan_count; p++) TRY(cudaGraphExecDestroy(op->plans[p].exec));
    TRY(cudaFreeHost(op->staging));
    TRY(cudaFreeHost(op->matches));
    TRY(cudaFree(op->dev_batch));
    TRY(cudaFree(op->dev_table));
    TRY(cudaFree(op->dev_matches));
    TRY(cudaStreamDestroy(op->stream));
}

static void fill_batch(batch_t *b, const int *rows, int chunks)
{
    int c, r;
    memset(b, 0, sizeof *b);
    for (c = 0; c < chunks; c++) {
        b->chunk_rows[c] = rows[c];
        for (r = 0; r < rows[c]; r++) b->keys[c][r] = (uint32_t)(r % TABLE_SLOTS); /* each row matches */
    }
}

int main(void)
{
    static uint32_t table[TABLE_SLOTS];
    static batch_t batch;
    const int small[] = {500}, wide[] = {2000}, deep[] = {500, 300};
    unsigned int a, b, c, d;
    join_op op;
    int i;

    for (i = 0; i < TABLE_SLOTS; i++) table[i] = (uint32_t)i + 1;
    join_open(&op, table);
    fill_batch(&batch, small, 1);
    a = join_next(&op, &batch)[0];
    fill_batch(&batch, wide, 1);
    b = join_next(&op, &batch)[0];
    fill_batch(&batch, deep, 2);
    c = join_next(&op, &batch)[1];
    fill_batch(&batch, small, 1);
    d = join_next(&op, &batch)[0];
    join_close(&op);

    if (a == 500 && b == 2000 && c == 300 && d == 500) {
        puts("LABEL CONFIRMED");
        return 0;
    }
    printf("LABEL NOT CONFIRMED: matches %u, %u, %u, %u\n", a, b, c, d);
    return 1;
}
