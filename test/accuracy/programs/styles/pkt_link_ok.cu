#include <cuda_runtime.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>

typedef enum { LNK_OK = 0, LNK_NOMEM = 1, LNK_HW = 2 } lnk_rc;
enum { PBUF_COUNT = 4, PBUF_WORDS = 64 };

typedef struct {
    uint32_t *words;
    int used;
} pbuf_t;

static pbuf_t g_pool[PBUF_COUNT];
static uint32_t *g_slab;

static lnk_rc pbuf_setup(void)
{
    if (cudaMallocHost((void **)&g_slab, PBUF_COUNT * PBUF_WORDS * sizeof(uint32_t)) != cudaSuccess) return LNK_NOMEM;
    for (int i = 0; i < PBUF_COUNT; ++i) {
        g_pool[i].words = g_slab + i * PBUF_WORDS;
        g_pool[i].used = 0;
    }
    return LNK_OK;
}
static pbuf_t *pbuf_get(void)
{
    for (int i = 0; i < PBUF_COUNT; ++i)
        if (!g_pool[i].used) { g_pool[i].used = 1; return &g_pool[i]; }
    return NULL;
}
static void pbuf_put(pbuf_t *p)
{
    if (p) p->used = 0;
}

struct link_port;
typedef struct {
    cudaError_t (*load)(struct link_port *, const uint32_t *);
    cudaError_t (*encode)(struct link_port *);
    cudaError_t (*flush)(struct link_port *);
} link_ops_t;

typedef struct link_port {
    cudaStream_t stream;
    cudaGraphExec_t exec;
    uint32_t *d_key;
    uint32_t *d_data;
    uint32_t *d_marks;
    pbuf_t *key_buf;
    const link_ops_t *ops;
    cudaError_t last;
} link_port_t;

__global__ void k_whiten(uint32_t *data, const uint32_t *key)
{
    data[threadIdx.x] += key[threadIdx.x];
}
__global__ void k_mark(uint32_t *marks)
{
    marks[0]++;
}

static cudaError_t op_load(link_port_t *p, const uint32_t *src)
{
    return cudaMemcpyAsync(p->d_key, src, PBUF_WORDS * sizeof(uint32_t), cudaMemcpyHostToDevice, p->stream);
}
static cudaError_t op_encode(link_port_t *p)
{
    k_whiten<<<1, PBUF_WORDS, 0, p->stream>>>(p->d_data, p->d_key);
    return cudaPeekAtLastError();
}
static cudaError_t op_flush_mark(link_port_t *p)
{
    k_mark<<<1, 1, 0, p->stream>>>(p->d_marks);
    return cudaPeekAtLastError();
}
static cudaError_t op_flush_wait(link_port_t *p)
{
    return cudaStreamSynchronize(p->stream);
}

static const link_ops_t ops_run = {op_load, op_encode, op_flush_mark};
static const link_ops_t ops_diag = {op_load, op_encode, op_flush_mark};
static const link_ops_t ops_direct = {op_load, op_encode, op_flush_wait};

static lnk_rc link_open(link_port_t *p, const link_ops_t *ops)
{
    memset(p, 0, sizeof *p);
    p->ops = ops;
    if ((p->last = cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking)) != cudaSuccess) return LNK_HW;
    if ((p->last = cudaMalloc((void **)&p->d_key, 3 * PBUF_WORDS * sizeof(uint32_t))) != cudaSuccess) return LNK_HW;
    p->d_data = p->d_key + PBUF_WORDS;
    p->d_marks = p->d_data + PBUF_WORDS;
    p->last = cudaMemset(p->d_key, 0, 3 * PBUF_WORDS * sizeof(uint32_t));
    return p->last == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess ? LNK_OK : LNK_HW;
}

static lnk_rc link_record(link_port_t *p, uint32_t key)
{
    lnk_rc rc = LNK_HW;
    cudaError_t e, ee;
    cudaGraph_t g = NULL;
    pbuf_t *b = pbuf_get();
    if (!b) return LNK_NOMEM;
    for (int i = 0; i < PBUF_WORDS; ++i) b->words[i] = key;
    if ((p->last = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal)) != cudaSuccess) goto out;
    e = p->ops->load(p, b->words);
    if (e == cudaSuccess) e = p->ops->encode(p);
    if (e == cudaSuccess) e = p->ops->flush(p);
    ee = cudaStreamEndCapture(p->stream, &g);
    p->last = e != cudaSuccess ? e : ee;
    if (p->last != cudaSuccess) goto out;
    if ((p->last = cudaGraphInstantiate(&p->exec, g, 0)) == cudaSuccess) rc = LNK_OK;
    cudaGraphDestroy(g);
out:
    if (rc == LNK_OK) p->key_buf = b;
    else pbuf_put(b);
    return rc;
}

static lnk_rc link_direct(link_port_t *p, const uint32_t *words)
{
    if ((p->last = ops_direct.load(p, words)) != cudaSuccess) return LNK_HW;
    if ((p->last = ops_direct.encode(p)) != cudaSuccess) return LNK_HW;
    return (p->last = ops_direct.flush(p)) == cudaSuccess ? LNK_OK : LNK_HW;
}

static lnk_rc link_heartbeat(link_port_t *p, uint32_t beat)
{
    pbuf_t *b = pbuf_get();
    if (!b) return LNK_NOMEM;
    for (int i = 0; i < PBUF_WORDS; ++i) b->words[i] = beat;
    lnk_rc rc = link_direct(p, b->words);
    pbuf_put(b);
    return rc;
}

int main(void)
{
    link_port_t diag, run;
    uint32_t word = 0;
    if (pbuf_setup() || link_open(&diag, &ops_diag) || link_open(&run, &ops_run)) { printf("LABEL REFUTED setup\n"); return 0; }
    lnk_rc rd = link_record(&diag, 3);
    (void)cudaGetLastError();
    lnk_rc rr = link_record(&run, 5);
    lnk_rc hb = link_heartbeat(&run, 1000);
    cudaError_t e = run.exec ? cudaGraphLaunch(run.exec, run.stream) : cudaErrorUnknown;
    if (e == cudaSuccess) e = cudaStreamSynchronize(run.stream);
    cudaMemcpy(&word, run.d_data + 9, sizeof word, cudaMemcpyDeviceToHost);
    if (rd == LNK_OK && !rr && !hb && !e && word == 1005) printf("LABEL CONFIRMED\n");
    else printf("LABEL REFUTED rd %d (%d) rr %d hb %d e %d word %u\n", rd, diag.last, rr, hb, e, word);
    return 0;
}
