/* k-mer histogram of a read batch; memory comes from a small table of allocators. */
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K 4
#define N_KMERS (1 << (2 * K))
#define MAX_BASES 8192

enum mem_kind { MEM_DEVICE, MEM_PINNED, MEM_KIND_COUNT };

struct mem_ops {
    const char *name;
    cudaError_t (*alloc)(void **p, size_t size);
    cudaError_t (*release)(void *p);
};

struct mem_block {
    void *ptr;
    size_t size;
    enum mem_kind kind;
};

static cudaError_t device_alloc(void **p, size_t size)
{
    return cudaMalloc(p, size);
}

static cudaError_t pinned_alloc(void **p, size_t size)
{
    return cudaHostAlloc(p, size, cudaHostAllocPortable);
}

static cudaError_t device_release(void *p)
{
    return cudaFree(p);
}

static cudaError_t pinned_release(void *p)
{
    return cudaFreeHost(p);
}

static const struct mem_ops mem_table[MEM_KIND_COUNT] = {
    {"device", device_alloc, device_release},
    {"pinned", pinned_alloc, pinned_release},
};

static cudaError_t mem_get(struct mem_block *b, enum mem_kind kind, size_t size)
{
    b->size = size;
    b->kind = kind;
    return mem_table[kind].alloc(&b->ptr, size);
}

static void mem_put(struct mem_block *b)
{
    if (b->ptr && mem_table[b->kind].release(b->ptr) != cudaSuccess)
        fprintf(stderr, "kmer: leaked %zu bytes of %s memory\n", b->size, mem_table[b->kind].name);
    b->ptr = NULL;
}

struct kmer_job {
    struct mem_block bases;     /* 2-bit codes, one byte each */
    struct mem_block hist;
    struct mem_block result;    /* host copy of hist */
    cudaStream_t stream;
    cudaGraphExec_t exec;
    unsigned ready : 1;
};

#define JOB_TRY(call)                                                              \
    do {                                                                           \
        err = (call);                                                              \
        if (err != cudaSuccess)                                                    \
            goto out;                                                              \
    } while (0)

static __global__ void count_kmers(const uint8_t *bases, int n, unsigned *hist)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned code = 0;

    if (i + K > n)
        return;
    for (int k = 0; k < K; k++)
        code = code << 2 | bases[i + k];
    atomicAdd(&hist[code], 1u);
}

static cudaError_t emit_count(struct kmer_job *job)
{
    cudaError_t err;

    JOB_TRY(cudaMemsetAsync(job->hist.ptr, 0, job->hist.size, job->stream));
    count_kmers<<<MAX_BASES / 256, 256, 0, job->stream>>>((const uint8_t *)job->bases.ptr, MAX_BASES, (unsigned *)job->hist.ptr);
    JOB_TRY(cudaGetLastError());
out:
    return err;
}

static cudaError_t emit_result(struct kmer_job *job)
{
    cudaError_t err;

    JOB_TRY(cudaMemcpyAsync(job->result.ptr, job->hist.ptr, job->result.size, cudaMemcpyDeviceToHost, job->stream));
out:
    return err;
}

static cudaError_t (*const job_steps[])(struct kmer_job *) = {emit_count, emit_result};

static cudaError_t job_build(struct kmer_job *job)
{
    cudaGraph_t graph = NULL;
    cudaError_t err, end;

    JOB_TRY(cudaStreamBeginCapture(job->stream, cudaStreamCaptureModeThreadLocal));
    for (size_t i = 0; err == cudaSuccess && i < sizeof(job_steps) / sizeof(job_steps[0]); i++)
        err = job_steps[i](job);
    end = cudaStreamEndCapture(job->stream, &graph);
    if (err != cudaSuccess)
        goto out;
    JOB_TRY(end);
    JOB_TRY(cudaGraphInstantiate(&job->exec, graph, 0));
    job->ready = 1;
out:
    if (graph)
        cudaGraphDestroy(graph);
    return err;
}

static cudaError_t job_open(struct kmer_job *job)
{
    cudaError_t err;

    memset(job, 0, sizeof(*job));
    JOB_TRY(cudaStreamCreateWithFlags(&job->stream, cudaStreamNonBlocking));
    JOB_TRY(mem_get(&job->bases, MEM_DEVICE, MAX_BASES));
    JOB_TRY(mem_get(&job->hist, MEM_DEVICE, N_KMERS * sizeof(unsigned)));
    JOB_TRY(mem_get(&job->result, MEM_PINNED, job->hist.size));
out:
    return err;
}

static cudaError_t job_run(struct kmer_job *job, const uint8_t *bases)
{
    cudaError_t err;

    if (!job->ready)
        JOB_TRY(job_build(job));
    JOB_TRY(cudaMemcpyAsync(job->bases.ptr, bases, MAX_BASES, cudaMemcpyHostToDevice, job->stream));
    JOB_TRY(cudaGraphLaunch(job->exec, job->stream));
    JOB_TRY(cudaStreamSynchronize(job->stream));
out:
    return err;
}

static void job_close(struct kmer_job *job)
{
    if (job->exec)
        cudaGraphExecDestroy(job->exec);
    mem_put(&job->bases);
    mem_put(&job->hist);
    mem_put(&job->result);
    if (job->stream)
        cudaStreamDestroy(job->stream);
}

int main(void)
{
    static uint8_t bases[MAX_BASES];
    struct kmer_job job;
    cudaError_t err = job_open(&job);
    int right = 0;

    for (int batch = 0; batch < 3 && err == cudaSuccess; batch++) {
        memset(bases, batch, sizeof(bases)); /* poly-A, poly-C, poly-G */
        err = job_run(&job, bases);
        if (err == cudaSuccess)
            right += ((const unsigned *)job.result.ptr)[batch * 0x55] == MAX_BASES - K + 1;
    }
    job_close(&job);
    puts(err == cudaSuccess && right == 3 ? "LABEL CONFIRMED" : "LABEL REFUTED");
    return 0;
}
