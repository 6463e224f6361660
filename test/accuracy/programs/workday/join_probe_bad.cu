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
    cudaStream_t stream;
    cudaGraphExec_t exec;
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

static void join_build_plan(join_op *op)
{
    cudaGraph_t graph;
    int c, chunks = chunk_count(op->staging);
    TRY(cudaStreamBeginCapture(op->stream, cudaStreamCaptureModeGlobal));
    TRY(cudaMemcpyAsync(op->dev_batch, op->staging, sizeof(batch_t), cudaMemcpyHostToDevice, op->stream));
    TRY(cudaMemsetAsync(op->dev_matches, 0, MAX_CHUNKS * sizeof(unsigned int), op->stream));
    for (c = 0; c < chunks; c++) { // HAZARD dynamic_shape #chunks
        probe<<<blocks_for(op->staging, c), THREADS, 0, op->stream>>>( // HAZARD dynamic_shape #grid
            op->dev_batch, c, op->dev_table, op->dev_matches);
        TRY(cudaGetLastError());
    }
    TRY(cudaMemcpyAsync(op->matches, op->dev_matches, MAX_CHUNKS * sizeof(unsigned int), cudaMemcpyDeviceToHost,
                        op->stream));
    TRY(cudaStreamEndCapture(op->stream, &graph));
    TRY(cudaGraphInstantiate(&op->exec, graph, 0));
    TRY(cudaGraphDestroy(graph));
}

static const unsigned int *join_next(join_op *op, const batch_t *batch)
{
    memcpy(op->staging, batch, sizeof *batch);
    if (op->exec == NULL) join_build_plan(op);
    TRY(cudaGraphLaunch(op->exec, op->stream));
    TRY(cudaStreamSynchronize(op->stream));
    return op->matches;
}

static void join_close(join_op *op)
{
    TRY(cudaStreamSynchronize(op->stream));
    if (op->exec) TRY(cudaGraphExecDestroy(op->exec));
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
    unsigned int a, b, c;
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
    join_close(&op);

    if (a == 500 && b == 2 * THREADS && c == 0) {
        puts("LABEL CONFIRMED");
        return 0;
    }
    printf("LABEL NOT CONFIRMED: matches %u, %u, %u\n", a, b, c);
    return 1;
}
