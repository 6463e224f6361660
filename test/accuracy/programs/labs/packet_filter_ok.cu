// packet_filter: evaluates a list of firewall rules over batches of packet headers.  The rule list is compiled once
// into a graph (driver API); batches are then classified by replaying it.
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PF_OK = 0, PF_E_DRIVER = -1, PF_E_RULE = -2, PF_E_NOMEM = -3, PF_BATCH = 4096 };

typedef struct pf_header {
    unsigned short length, port;
    unsigned char proto, ttl;
} pf_header;

typedef enum pf_kind { PF_MIN_LENGTH, PF_DENY_PORT, PF_ONLY_PROTO, PF_GEO_BLOCK, PF_KIND_COUNT } pf_kind;

typedef struct pf_rule {
    pf_kind kind;
    int operand;
} pf_rule;

typedef struct pf_engine {
    CUcontext ctx;
    CUdevice dev;
    CUstream stream;
    CUdeviceptr d_headers, d_verdict;
    pf_header *h_headers;
    unsigned char *h_verdict;
    CUgraphExec exec;
} pf_engine;

__global__ void k_min_length(const pf_header *h, unsigned char *v, int n, int operand) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] &= h[i].length >= operand;
}
__global__ void k_deny_port(const pf_header *h, unsigned char *v, int n, int operand) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] &= h[i].port != operand;
}
__global__ void k_only_proto(const pf_header *h, unsigned char *v, int n, int operand) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] &= h[i].proto == operand;
}

typedef void (*pf_launcher)(pf_engine *e, int operand);

#define PF_LAUNCHER(name)                                                                                   \
    static void launch_##name(pf_engine *e, int operand) {                                                  \
        k_##name<<<PF_BATCH / 256, 256, 0, e->stream>>>((const pf_header *)e->d_headers,                    \
                                                        (unsigned char *)e->d_verdict, PF_BATCH, operand);  \
    }
PF_LAUNCHER(min_length)
PF_LAUNCHER(deny_port)
PF_LAUNCHER(only_proto)

/* PF_GEO_BLOCK is evaluated by the slow path on the host: no launcher. */
static const pf_launcher k_launchers[PF_KIND_COUNT] = {launch_min_length, launch_deny_port, launch_only_proto, NULL};

#define PF_DRV(call, label)                                                         \
    do {                                                                            \
        CUresult r_ = (call);                                                       \
        if (r_ != CUDA_SUCCESS) {                                                   \
            fprintf(stderr, "packet_filter:%d: error %d\n", __LINE__, (int)r_);     \
            rc = PF_E_DRIVER;                                                       \
            goto label;                                                             \
        }                                                                           \
    } while (0)

static int pf_open(pf_engine *e) {
    int rc = PF_OK;
    memset(e, 0, sizeof *e);
    PF_DRV(cuInit(0), out);
    PF_DRV(cuDeviceGet(&e->dev, 0), out);
    PF_DRV(cuDevicePrimaryCtxRetain(&e->ctx, e->dev), out);
    PF_DRV(cuCtxSetCurrent(e->ctx), out);
    PF_DRV(cuStreamCreate(&e->stream, CU_STREAM_NON_BLOCKING), out);
    PF_DRV(cuMemAlloc(&e->d_headers, sizeof(pf_header) * PF_BATCH), out);
    PF_DRV(cuMemAlloc(&e->d_verdict, PF_BATCH), out);
    PF_DRV(cuMemAllocHost((void **)&e->h_headers, sizeof(pf_header) * PF_BATCH), out);
    PF_DRV(cuMemAllocHost((void **)&e->h_verdict, PF_BATCH), out);
out:
    return rc;
}

static int pf_compile(pf_engine *e, const pf_rule *rules, int n_rules) {
    int rc = PF_OK;
    CUgraph graph = NULL;
    CUgraphExec fresh = NULL;

    PF_DRV(cuStreamBeginCapture(e->stream, CU_STREAM_CAPTURE_MODE_GLOBAL), out);
    PF_DRV(cuMemcpyHtoDAsync(e->d_headers, e->h_headers, sizeof(pf_header) * PF_BATCH, e->stream), stop);
    PF_DRV(cuMemsetD8Async(e->d_verdict, 1, PF_BATCH, e->stream), stop);
    for (int i = 0; i < n_rules; ++i) {
        pf_launcher launch = rules[i].kind < PF_KIND_COUNT ? k_launchers[rules[i].kind] : NULL;
        if (!launch) {
            fprintf(stderr, "packet_filter: rule %d has no device implementation\n", i);
            rc = PF_E_RULE;
            goto stop;
        }
        launch(e, rules[i].operand);
    }
    PF_DRV(cuMemcpyDtoHAsync(e->h_verdict, e->d_verdict, PF_BATCH, e->stream), stop);
stop: {
    CUresult end = cuStreamEndCapture(e->stream, &graph);
    if (end != CUDA_SUCCESS && rc == PF_OK) rc = PF_E_DRIVER;
}
    if (rc != PF_OK) goto out;
    PF_DRV(cuGraphInstantiate(&fresh, graph, 0), out);
    if (e->exec) cuGraphExecDestroy(e->exec);
    e->exec = fresh;
out:
    if (graph) cuGraphDestroy(graph);
    return rc;
}

static int pf_classify(pf_engine *e, const pf_header *batch, unsigned char *verdict) {
    int rc = PF_OK;
    memcpy(e->h_headers, batch, sizeof(pf_header) * PF_BATCH);
    PF_DRV(cuGraphLaunch(e->exec, e->stream), out);
    PF_DRV(cuStreamSynchronize(e->stream), out);
    memcpy(verdict, e->h_verdict, PF_BATCH);
out:
    return rc;
}

static void pf_close(pf_engine *e) {
    if (e->exec) cuGraphExecDestroy(e->exec);
    if (e->d_headers) cuMemFree(e->d_headers);
    if (e->d_verdict) cuMemFree(e->d_verdict);
    if (e->h_headers) cuMemFreeHost(e->h_headers);
    if (e->h_verdict) cuMemFreeHost(e->h_verdict);
    if (e->stream) cuStreamDestroy(e->stream);
    if (e->ctx) cuDevicePrimaryCtxRelease(e->dev);
}

static int host_verdict(const pf_header *h) { return h->length >= 64 && h->port != 23 && h->proto == 6; }

int main(void) {
    static const pf_rule site_rules[] = {{PF_MIN_LENGTH, 64}, {PF_GEO_BLOCK, 850}, {PF_DENY_PORT, 23}};
    static const pf_rule base_rules[] = {{PF_MIN_LENGTH, 64}, {PF_DENY_PORT, 23}, {PF_ONLY_PROTO, 6}};
    static pf_header batch[PF_BATCH];
    static unsigned char verdict[PF_BATCH];
    pf_engine eng;
    int wrong = 0;

    int rc = pf_open(&eng);
    if (rc != PF_OK) {
        puts("LABEL UNOBSERVED");
        return 1;
    }
    /* The site's own list is preferred; when the device cannot run it, the base list is used. */
    int first = pf_compile(&eng, site_rules, 3);
    rc = first == PF_E_RULE ? pf_compile(&eng, base_rules, 3) : first;
    for (int b = 0; b < 4 && rc == PF_OK; ++b) {
        for (int i = 0; i < PF_BATCH; ++i) {
            batch[i].length = (unsigned short)(40 + (i * 11 + b * 5) % 200);
            batch[i].port = (unsigned short)((i + b) % 29);
            batch[i].proto = (i * 3 + b) % 4 == 0 ? 17 : 6;
            batch[i].ttl = 64;
        }
        rc = pf_classify(&eng, batch, verdict);
        for (int i = 0; i < PF_BATCH && rc == PF_OK; ++i) wrong += verdict[i] != host_verdict(&batch[i]);
    }
    pf_close(&eng);
    printf("site list %d, then %d, wrong %d\n", first, rc, wrong);
    puts(first == PF_E_RULE && rc == PF_OK && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
