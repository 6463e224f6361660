// packet_filter.cu - first-match rule filter for bursts coming from a NIC ring.
// The engine is an opaque handle; the kernel pipeline is recorded on the first burst.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef enum { PF_OK, PF_E_NOMEM, PF_E_TOO_LONG, PF_E_DEVICE } pf_status;

typedef struct {
    uint32_t src, dst;
    uint16_t sport, dport;
    uint8_t proto, pad[3];
} pf_packet;

typedef struct {
    uint32_t net, mask;
    uint16_t port_lo, port_hi;
    uint8_t proto, verdict;
} pf_rule;

typedef struct pf_engine *pf_handle;

enum { PF_MAX_BURST = 1024, PF_BLOCK = 128, PF_DEFAULT_VERDICT = 7 };

struct pf_engine {
    int n_rules;
    pf_rule *d_rules;
    pf_packet *ring;      // pinned, filled by the caller of pf_submit
    pf_packet *d_packets;
    uint8_t *d_verdicts;
    uint8_t *verdicts;    // pinned
    cudaStream_t stream;
    cudaGraphExec_t exec;
    cudaError_t last;
};

#define PF_TRY(eng, call)                                      \
    do {                                                       \
        (eng)->last = (call);                                  \
        if ((eng)->last != cudaSuccess) return PF_E_DEVICE;    \
    } while (0)

__host__ __device__ static inline uint8_t pf_classify(const pf_packet &p, const pf_rule *rules, int n_rules)
{
    for (int r = 0; r < n_rules; ++r) {
        const pf_rule &k = rules[r];
        if ((p.dst & k.mask) == k.net && p.dport >= k.port_lo && p.dport <= k.port_hi &&
            (k.proto == 0 || k.proto == p.proto))
            return k.verdict;
    }
    return PF_DEFAULT_VERDICT;
}

__global__ void filter_kernel(const pf_packet *packets, int count, const pf_rule *rules, int n_rules, uint8_t *verdicts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) verdicts[i] = pf_classify(packets[i], rules, n_rules);
}

static pf_status pf_create(pf_handle *out, const pf_rule *rules, int n_rules)
{
    pf_handle e = (pf_handle)calloc(1, sizeof *e);
    if (!e) return PF_E_NOMEM;
    *out = e;
    e->n_rules = n_rules;
    PF_TRY(e, cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking));
    PF_TRY(e, cudaMalloc(&e->d_rules, n_rules * sizeof(pf_rule)));
    PF_TRY(e, cudaMalloc(&e->d_packets, PF_MAX_BURST * sizeof(pf_packet)));
    PF_TRY(e, cudaMalloc(&e->d_verdicts, PF_MAX_BURST));
    PF_TRY(e, cudaHostAlloc(&e->ring, PF_MAX_BURST * sizeof(pf_packet), cudaHostAllocDefault));
    PF_TRY(e, cudaHostAlloc(&e->verdicts, PF_MAX_BURST, cudaHostAllocDefault));
    PF_TRY(e, cudaMemcpyAsync(e->d_rules, rules, n_rules * sizeof(pf_rule), cudaMemcpyHostToDevice, e->stream));
    PF_TRY(e, cudaMemsetAsync(e->d_verdicts, 0, PF_MAX_BURST, e->stream));
    PF_TRY(e, cudaStreamSynchronize(e->stream));
    return PF_OK;
}

static pf_status pf_record(pf_handle e, int count)
{
    cudaGraph_t graph = nullptr;
    PF_TRY(e, cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal));
    cudaError_t up = cudaMemcpyAsync(e->d_packets, e->ring, count * sizeof(pf_packet), cudaMemcpyHostToDevice, e->stream); // HAZARD dynamic_shape #burst
    filter_kernel<<<(count + PF_BLOCK - 1) / PF_BLOCK, PF_BLOCK, 0, e->stream>>>(e->d_packets, count, e->d_rules, e->n_rules, e->d_verdicts); // HAZARD dynamic_shape #burst
    cudaError_t run = cudaGetLastError();
    cudaError_t down = cudaMemcpyAsync(e->verdicts, e->d_verdicts, count, cudaMemcpyDeviceToHost, e->stream); // HAZARD dynamic_shape #burst
    e->last = cudaStreamEndCapture(e->stream, &graph);
    if (e->last == cudaSuccess && (up || run || down))
        e->last = up ? up : run ? run : down;
    if (e->last == cudaSuccess)
        e->last = cudaGraphInstantiate(&e->exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return e->last == cudaSuccess ? PF_OK : PF_E_DEVICE;
}

static pf_status pf_submit(pf_handle e, const pf_packet *packets, int count, uint8_t *verdicts)
{
    if (count > PF_MAX_BURST) return PF_E_TOO_LONG;
    memcpy(e->ring, packets, count * sizeof(pf_packet));
    if (!e->exec) {
        pf_status st = pf_record(e, count);
        if (st != PF_OK) return st;
    }
    PF_TRY(e, cudaGraphLaunch(e->exec, e->stream));
    PF_TRY(e, cudaStreamSynchronize(e->stream));
    memcpy(verdicts, e->verdicts, count);
    return PF_OK;
}

static void pf_destroy(pf_handle e)
{
    if (!e) return;
    if (e->exec) cudaGraphExecDestroy(e->exec);
    cudaFree(e->d_rules);
    cudaFree(e->d_packets);
    cudaFree(e->d_verdicts);
    cudaFreeHost(e->ring);
    cudaFreeHost(e->verdicts);
    if (e->stream) cudaStreamDestroy(e->stream);
    free(e);
}

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static void synth_burst(pf_packet *p, int count, uint32_t seed)
{
    for (int i = 0; i < count; ++i) {
        uint32_t h = mix(seed * 7919u + i);
        memset(&p[i], 0, sizeof p[i]);
        p[i].src = h;
        p[i].dst = 0x0a000000u | (mix(h) & 0x0003ffffu);
        p[i].sport = (uint16_t)(h >> 8);
        p[i].dport = (uint16_t)(mix(h + 1) % 2048);
        p[i].proto = (h & 1) ? 6 : 17;
    }
}

int main()
{
    const pf_rule rules[] = {
        { 0x0a000000u, 0xffff0000u, 22, 22, 6, 1 },
        { 0x0a010000u, 0xffff0000u, 0, 1023, 0, 2 },
        { 0x0a020000u, 0xfffe0000u, 512, 2047, 17, 3 },
        { 0x0a000000u, 0xff000000u, 80, 443, 6, 4 },
    };
    const int bursts[] = { 300, 900, 120, 1024, 640 };
    static pf_packet packets[PF_MAX_BURST];
    static uint8_t got[PF_MAX_BURST];

    pf_handle eng = nullptr;
    pf_status st = pf_create(&eng, rules, 4);
    int mismatches = 0;
    for (int b = 0; b < 5 && st == PF_OK; ++b) {
        synth_burst(packets, bursts[b], 11u + b);
        st = pf_submit(eng, packets, bursts[b], got);
        int bad = 0;
        for (int i = 0; i < bursts[b]; ++i)
            bad += got[i] != pf_classify(packets[i], rules, 4);
        printf("burst %d: %4d packets, %d wrong verdicts\n", b, bursts[b], bad);
        mismatches += bad;
    }
    if (st != PF_OK) printf("status %d (%s)\n", st, eng ? cudaGetErrorString(eng->last) : "no engine");
    pf_destroy(eng);
    puts(st != PF_OK || mismatches > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
