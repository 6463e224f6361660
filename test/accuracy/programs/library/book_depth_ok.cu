/* Order book depth snapshots, one book per instrument. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOOK_MAX_LEVELS 64

enum book_err { BOOK_OK = 0, BOOK_ECUDA = -1, BOOK_ERANGE = -2, BOOK_EARMED = -3 };

struct book {
    float *d_qty;      /* resting quantity per level   */
    float *d_depth;    /* cumulated depth per level    */
    int *d_levels;     /* visible levels, device copy  */
    float *h_snap;     /* pinned snapshot, host        */
    int levels;
    cudaStream_t stream;
    cudaGraphExec_t exec;
};

#define TRY(x)                                                                         \
    do {                                                                               \
        cudaError_t e_ = (x);                                                          \
        if (e_ != cudaSuccess) {                                                       \
            fprintf(stderr, "book: %s: %s\n", #x, cudaGetErrorString(e_));             \
            return BOOK_ECUDA;                                                         \
        }                                                                              \
    } while (0)

__global__ void k_depth(const float *qty, float *depth, const int *levels)
{
    int i = threadIdx.x;
    if (i >= *levels)
        return;
    for (int k = 0; k <= i; ++k)
        depth[i] += qty[k];
}

static int book_open(struct book *b, int levels)
{
    float ones[BOOK_MAX_LEVELS];
    memset(b, 0, sizeof *b);
    for (int i = 0; i < BOOK_MAX_LEVELS; ++i)
        ones[i] = 1.0f;
    TRY(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking));
    TRY(cudaMalloc((void **)&b->d_qty, sizeof ones));
    TRY(cudaMalloc((void **)&b->d_depth, sizeof ones));
    TRY(cudaMalloc((void **)&b->d_levels, sizeof(int)));
    TRY(cudaMallocHost((void **)&b->h_snap, sizeof ones));
    memset(b->h_snap, 0, sizeof ones);
    TRY(cudaMemcpy(b->d_qty, ones, sizeof ones, cudaMemcpyHostToDevice));
    TRY(cudaMemset(b->d_depth, 0, sizeof ones));
    TRY(cudaMemcpy(b->d_levels, &levels, sizeof levels, cudaMemcpyHostToDevice));
    TRY(cudaDeviceSynchronize());
    b->levels = levels;
    return BOOK_OK;
}

static int book_set_levels(struct book *b, int levels)
{
    if (levels < 1 || levels > BOOK_MAX_LEVELS)
        return BOOK_ERANGE;
    if (b->exec)
        return levels == b->levels ? BOOK_OK : BOOK_EARMED;
    b->levels = levels;
    TRY(cudaMemcpyAsync(b->d_levels, &b->levels, sizeof b->levels, cudaMemcpyHostToDevice, b->stream));
    TRY(cudaStreamSynchronize(b->stream));
    return BOOK_OK;
}

static cudaError_t book_encode(const struct book *b)
{
    const size_t bytes = (size_t)b->levels * sizeof(float);
    cudaError_t e;
    if ((e = cudaMemsetAsync(b->d_depth, 0, bytes, b->stream)) != cudaSuccess)
        return e;
    k_depth<<<1, BOOK_MAX_LEVELS, 0, b->stream>>>(b->d_qty, b->d_depth, b->d_levels);
    if ((e = cudaGetLastError()) != cudaSuccess)
        return e;
    return cudaMemcpyAsync(b->h_snap, b->d_depth, bytes, cudaMemcpyDeviceToHost, b->stream);
}

static int book_arm(struct book *b)
{
    cudaGraph_t g = NULL;
    cudaError_t body, end;
    TRY(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeGlobal));
    body = book_encode(b);
    end = cudaStreamEndCapture(b->stream, &g);
    if (body != cudaSuccess || end != cudaSuccess) {
        if (g)
            cudaGraphDestroy(g);
        return BOOK_ECUDA;
    }
    body = cudaGraphInstantiate(&b->exec, g, 0);
    cudaGraphDestroy(g);
    return body == cudaSuccess ? BOOK_OK : BOOK_ECUDA;
}

static int book_disarm(struct book *b)
{
    if (b->exec)
        TRY(cudaGraphExecDestroy(b->exec));
    b->exec = NULL;
    return BOOK_OK;
}

static int book_snapshot(struct book *b)
{
    if (!b->exec) {
        int rc = book_arm(b);
        if (rc)
            return rc;
    }
    TRY(cudaGraphLaunch(b->exec, b->stream));
    TRY(cudaStreamSynchronize(b->stream));
    return BOOK_OK;
}

static void book_close(struct book *b)
{
    if (b->exec)
        cudaGraphExecDestroy(b->exec);
    cudaStreamDestroy(b->stream);
    cudaFree(b->d_qty);
    cudaFree(b->d_depth);
    cudaFree(b->d_levels);
    cudaFreeHost(b->h_snap);
}

static int snap_right(const struct book *b)
{
    for (int i = 0; i < b->levels; ++i)
        if (b->h_snap[i] != (float)(i + 1))
            return 0;
    return 1;
}

int main(void)
{
    static const int feed[] = {4, 4, 12, 12, 31};
    struct book b;
    int right = 1;
    if (book_open(&b, feed[0]))
        return 2;
    for (size_t i = 0; i < sizeof feed / sizeof *feed; ++i) {
        int rc = book_set_levels(&b, feed[i]);
        if (rc == BOOK_EARMED)
            rc = book_disarm(&b) || book_set_levels(&b, feed[i]);
        if (rc || book_snapshot(&b))
            return 2;
        printf("levels %d last %.0f\n", b.levels, b.h_snap[b.levels - 1]);
        right = right && snap_right(&b);
    }
    book_close(&b);
    puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
