/* cipher_session: XTEA record encryption through the driver API. One graph per session, replayed per record.
 * A host callback books every finished record in the session's journal; journals are rotated by the operator. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CS_BLOCKS 512 /* 64-bit blocks in a record */

struct journal {
    uint64_t period, reserved[3];
    uint64_t records, blocks, pad[2];
};

struct session {
    CUcontext ctx;
    CUstream stream;
    CUfunction encrypt;
    CUgraphExec exec;
    CUdeviceptr d_record, d_key;
    uint32_t *h_record;
    struct journal *journal;
};

#define DRV(call)                                                                     \
    do {                                                                              \
        CUresult r_ = (call);                                                         \
        if (r_ != CUDA_SUCCESS) {                                                     \
            const char *s_ = "?";                                                     \
            cuGetErrorString(r_, &s_);                                                \
            fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, s_);         \
            return (int)r_;                                                           \
        }                                                                             \
    } while (0)

__host__ __device__ static void xtea(uint32_t v[2], const uint32_t k[4])
{
    uint32_t a = v[0], b = v[1], sum = 0;
    for (int i = 0; i < 32; ++i) {
        a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + k[sum & 3]);
        sum += 0x9e3779b9u;
        b += (((a << 4) ^ (a >> 5)) + a) ^ (sum + k[(sum >> 11) & 3]);
    }
    v[0] = a;
    v[1] = b;
}

__global__ void xtea_record(uint32_t *data, const uint32_t *key, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < blocks) xtea(data + 2 * i, key);
}

static void CUDA_CB on_record_done(void *user)
{
    struct journal *j = (struct journal *)user;
    j->records += 1;
    j->blocks += CS_BLOCKS;
}

static struct journal *journal_new(uint64_t period)
{
    struct journal *j = (struct journal *)malloc(sizeof *j);
    if (!j) abort();
    memset(j, 0, sizeof *j);
    j->period = period;
    return j;
}

static int session_record_graph(struct session *s)
{
    CUgraph graph = NULL;
    int blocks = CS_BLOCKS;
    void *args[] = { &s->d_record, &s->d_key, &blocks };
    CUresult q[4];

    DRV(cuStreamBeginCapture(s->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    q[0] = cuMemcpyHtoDAsync(s->d_record, s->h_record, CS_BLOCKS * 8, s->stream);
    q[1] = cuLaunchKernel(s->encrypt, CS_BLOCKS / 128, 1, 1, 128, 1, 1, 0, s->stream, args, NULL);
    q[2] = cuMemcpyDtoHAsync(s->h_record, s->d_record, CS_BLOCKS * 8, s->stream);
    q[3] = cuLaunchHostFunc(s->stream, on_record_done, s->journal); // HAZARD dangling #journal
    DRV(cuStreamEndCapture(s->stream, &graph));
    for (int i = 0; i < 4; ++i) DRV(q[i]);
    DRV(cuGraphInstantiateWithFlags(&s->exec, graph, 0));
    DRV(cuGraphDestroy(graph));
    return 0;
}

static int session_open(struct session *s)
{
    cudaFunction_t fn;
    memset(s, 0, sizeof *s);
    DRV(cuInit(0));
    DRV(cuDevicePrimaryCtxRetain(&s->ctx, 0));
    DRV(cuCtxSetCurrent(s->ctx));
    if (cudaGetFuncBySymbol(&fn, (const void *)xtea_record) != cudaSuccess) return -1;
    s->encrypt = fn;
    DRV(cuStreamCreate(&s->stream, CU_STREAM_NON_BLOCKING));
    DRV(cuMemAlloc(&s->d_record, CS_BLOCKS * 8));
    DRV(cuMemAlloc(&s->d_key, 16));
    DRV(cuMemAllocHost((void **)&s->h_record, CS_BLOCKS * 8));
    s->journal = journal_new(1);
    return session_record_graph(s);
}

static int session_rekey(struct session *s, const uint32_t key[4])
{
    DRV(cuMemcpyHtoDAsync(s->d_key, key, 16, s->stream));
    DRV(cuStreamSynchronize(s->stream));
    return 0;
}

static int session_encrypt(struct session *s, uint32_t *record)
{
    memcpy(s->h_record, record, CS_BLOCKS * 8);
    DRV(cuGraphLaunch(s->exec, s->stream));
    DRV(cuStreamSynchronize(s->stream));
    memcpy(record, s->h_record, CS_BLOCKS * 8);
    return 0;
}

/* Starts a new journal and hands back the totals of the closed one. */
static struct journal session_rotate(struct session *s)
{
    struct journal closed = *s->journal, *next = journal_new(closed.period + 1);
    free(s->journal); // HAZARD dangling #journal
    s->journal = next;
    return closed;
}

static void session_close(struct session *s)
{
    cuGraphExecDestroy(s->exec);
    cuMemFreeHost(s->h_record);
    cuMemFree(s->d_record);
    cuMemFree(s->d_key);
    cuStreamDestroy(s->stream);
    free(s->journal);
    cuDevicePrimaryCtxRelease(0);
}

static int encrypt_and_verify(struct session *s, int count, const uint32_t key[4], int *wrong)
{
    static uint32_t record[2 * CS_BLOCKS], want[2 * CS_BLOCKS];
    for (int r = 0; r < count; ++r) {
        for (int i = 0; i < 2 * CS_BLOCKS; ++i) want[i] = record[i] = i * 2246822519u + r;
        for (int i = 0; i < CS_BLOCKS; ++i) xtea(want + 2 * i, key);
        int rc = session_encrypt(s, record);
        if (rc) return rc;
        *wrong += memcmp(record, want, sizeof want) != 0;
    }
    return 0;
}

int main(void)
{
    const uint32_t keys[2][4] = { { 1, 2, 3, 4 }, { 0xdeadbeefu, 0x01234567u, 0x89abcdefu, 42 } };
    struct session s;
    int wrong = 0, rc = session_open(&s);
    if (rc) { printf("open failed %d\nLABEL UNOBSERVED\n", rc); return 1; }

    rc = session_rekey(&s, keys[0]);
    if (!rc) rc = encrypt_and_verify(&s, 3, keys[0], &wrong);
    struct journal first = session_rotate(&s);
    struct journal *archive = (struct journal *)malloc(sizeof *archive);
    *archive = first;
    if (!rc) rc = session_rekey(&s, keys[1]);
    if (!rc) rc = encrypt_and_verify(&s, 4, keys[1], &wrong);

    int books_ok = archive->records == 3 && archive->blocks == 3 * CS_BLOCKS && s.journal->period == 2 &&
                   s.journal->records == 4 && s.journal->blocks == 4 * CS_BLOCKS;
    printf("period 1: %llu records, period 2: %llu records, %d wrong records, rc %d\n",
           (unsigned long long)archive->records, (unsigned long long)s.journal->records, wrong, rc);
    printf(rc || wrong || !books_ok ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
    fflush(stdout);
    free(archive);
    session_close(&s);
    return 0;
}
