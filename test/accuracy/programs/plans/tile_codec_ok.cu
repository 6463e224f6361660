/* Tile compressor with C-style completion callbacks: opaque pointers, a function
 * table per client and completion records recycled through a free list. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 1024
#define MAX_COMPLETIONS 8

#define GUARD(call)                                                                   \
    do {                                                                              \
        cudaError_t guard_err = (call);                                               \
        if (guard_err != cudaSuccess) {                                               \
            fprintf(stderr, "%s -> %s\n", #call, cudaGetErrorString(guard_err));      \
            goto fail;                                                                \
        }                                                                             \
    } while (0)

typedef struct completion {
    void (*notify)(void *opaque);
    void *opaque;
    struct completion *next_free;
} completion;

typedef struct {
    completion record[MAX_COMPLETIONS];
    completion *free_list;
} completion_pool;

static void pool_init(completion_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    for (int i = 0; i < MAX_COMPLETIONS; ++i) {
        pool->record[i].next_free = pool->free_list;
        pool->free_list = &pool->record[i];
    }
}

static completion *completion_get(completion_pool *pool, void (*notify)(void *), void *opaque)
{
    completion *c = pool->free_list;
    if (!c)
        return NULL;
    pool->free_list = c->next_free;
    c->notify = notify;
    c->opaque = opaque;
    return c;
}

static void completion_put(completion_pool *pool, completion *c)
{
    c->next_free = pool->free_list;
    pool->free_list = c;
}

__global__ void delta_encode(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < TILE)
        out[i] = i == 0 ? in[0] : in[i] - in[i - 1];
}

struct client_stats {
    const char *name;
    int tiles_done;
};

static void count_tile(void *opaque)
{
    struct client_stats *stats = (struct client_stats *)opaque;
    stats->tiles_done++;
}

static void CUDART_CB on_encoded(void *user)
{
    completion *c = (completion *)user;
    c->notify(c->opaque);
}

typedef struct {
    completion_pool *pool;
    completion *done;
    int *d_in, *d_out, *h_in, *h_out;
    cudaStream_t stream;
    cudaGraphExec_t exec;
} encoder;

static void encoder_close(encoder *e)
{
    if (e->stream)
        cudaStreamSynchronize(e->stream);
    if (e->exec)
        cudaGraphExecDestroy(e->exec);
    if (e->done)
        completion_put(e->pool, e->done);
    cudaFree(e->d_in);
    cudaFree(e->d_out);
    cudaFreeHost(e->h_in);
    cudaFreeHost(e->h_out);
    if (e->stream)
        cudaStreamDestroy(e->stream);
    memset(e, 0, sizeof *e);
}

static int encoder_open(encoder *e, completion_pool *pool, struct client_stats *stats)
{
    int rc = -1;
    cudaGraph_t graph = NULL;
    cudaError_t steps[4];
    memset(e, 0, sizeof *e);
    e->pool = pool;
    GUARD(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking));
    GUARD(cudaMalloc((void **)&e->d_in, TILE * sizeof(int)));
    GUARD(cudaMalloc((void **)&e->d_out, TILE * sizeof(int)));
    GUARD(cudaMallocHost((void **)&e->h_in, TILE * sizeof(int)));
    GUARD(cudaMallocHost((void **)&e->h_out, TILE * sizeof(int)));
    if (!(e->done = completion_get(pool, count_tile, stats)))
        goto fail;

    GUARD(cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal));
    steps[0] = cudaMemcpyAsync(e->d_in, e->h_in, TILE * sizeof(int), cudaMemcpyHostToDevice, e->stream);
    delta_encode<<<TILE / 128, 128, 0, e->stream>>>(e->d_in, e->d_out);
    steps[1] = cudaMemcpyAsync(e->h_out, e->d_out, TILE * sizeof(int), cudaMemcpyDeviceToHost, e->stream);
    steps[2] = cudaLaunchHostFunc(e->stream, on_encoded, e->done);
    steps[3] = cudaStreamEndCapture(e->stream, &graph);
    for (int i = 0; i < 4; ++i)
        GUARD(steps[i]);
    GUARD(cudaGraphInstantiate(&e->exec, graph, 0));
    /* The record stays ours: the graph calls it at every launch. */
    rc = 0;
fail:
    if (graph)
        cudaGraphDestroy(graph);
    if (rc != 0)
        encoder_close(e);
    return rc;
}

static int encoder_push(encoder *e, int seed)
{
    for (int i = 0; i < TILE; ++i)
        e->h_in[i] = i * i + seed;
    GUARD(cudaGraphLaunch(e->exec, e->stream));
    GUARD(cudaStreamSynchronize(e->stream));
    for (int i = 1; i < TILE; ++i)
        if (e->h_out[i] != 2 * i - 1)
            return -1;
    return e->h_out[0] == seed ? 0 : -1;
fail:
    return -1;
}

int main(void)
{
    static completion_pool pool;
    struct client_stats map = {"map", 0}, photo = {"photo", 0};
    encoder map_encoder, photo_encoder;
    int failures = 0;

    pool_init(&pool);
    failures += encoder_open(&map_encoder, &pool, &map) != 0;
    failures += encoder_open(&photo_encoder, &pool, &photo) != 0;
    if (failures == 0) {
        for (int i = 0; i < 5; ++i)
            failures += encoder_push(&map_encoder, i) != 0;
        for (int i = 0; i < 3; ++i)
            failures += encoder_push(&photo_encoder, 100 + i) != 0;
        encoder_close(&photo_encoder);
        encoder_close(&map_encoder);
    }
    printf("%s: %d tiles, %s: %d tiles, failures: %d\n", map.name, map.tiles_done, photo.name, photo.tiles_done,
           failures);
    puts(failures == 0 && map.tiles_done == 5 && photo.tiles_done == 3 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
