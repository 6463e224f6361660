#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum vc_err { VC_OK = 0, VC_ECUDA, VC_ERANGE, VC_ENOENT, VC_EBUSY };
enum { VC_VALVES = 32, VC_TABLES = 2, VC_MAX_STAGES = 4 };

struct vc_cmd { float opening_pct; float ramp; };
struct vc_dev {
    cudaStream_t loop_stream, tlm_stream;
    cudaEvent_t ev_fork, ev_join;
    float *pos, *flow, *tlm;
};
typedef enum vc_err (*vc_stage_fn)(struct vc_dev *, const struct vc_cmd *);
struct vc_table { const char *name; vc_stage_fn stage[VC_MAX_STAGES]; cudaGraphExec_t exec; };

static struct vc_dev g_dev;
static cudaError_t g_last;

static enum vc_err vc_cuda(cudaError_t e) {
    if (e == cudaSuccess) return VC_OK;
    g_last = e;
    (void)cudaGetLastError();
    return VC_ECUDA;
}

__global__ void k_move(float *pos, float opening, float ramp) { pos[threadIdx.x] += (opening - pos[threadIdx.x]) * ramp; }
__global__ void k_flow(const float *pos, float *flow) { flow[threadIdx.x] = pos[threadIdx.x] * 0.5f; }
__global__ void k_tlm(const float *pos, float *tlm) { tlm[threadIdx.x] = pos[threadIdx.x] + 1000.0f; }

static enum vc_err st_move(struct vc_dev *d, const struct vc_cmd *c) {
    if (c->opening_pct < 0.0f || c->opening_pct > 100.0f) return VC_ERANGE;
    k_move<<<1, VC_VALVES, 0, d->loop_stream>>>(d->pos, c->opening_pct, c->ramp);
    return vc_cuda(cudaGetLastError());
}
static enum vc_err st_flow(struct vc_dev *d, const struct vc_cmd *) {
    k_flow<<<1, VC_VALVES, 0, d->loop_stream>>>(d->pos, d->flow);
    return vc_cuda(cudaGetLastError());
}
static enum vc_err st_tlm_start(struct vc_dev *d, const struct vc_cmd *) {
    enum vc_err rc;
    if ((rc = vc_cuda(cudaEventRecord(d->ev_fork, d->loop_stream))) != VC_OK) return rc;
    if ((rc = vc_cuda(cudaStreamWaitEvent(d->tlm_stream, d->ev_fork, 0))) != VC_OK) return rc;
    k_tlm<<<1, VC_VALVES, 0, d->tlm_stream>>>(d->pos, d->tlm);
    return vc_cuda(cudaGetLastError());
}
static enum vc_err st_tlm_done(struct vc_dev *d, const struct vc_cmd *) {
    enum vc_err rc = vc_cuda(cudaEventRecord(d->ev_join, d->tlm_stream));
    return rc != VC_OK ? rc : vc_cuda(cudaStreamWaitEvent(d->loop_stream, d->ev_join, 0));
}

static struct vc_table g_tables[VC_TABLES] = {
    {"regulate", {st_move, st_flow, NULL, NULL}, NULL},
    {"observe", {st_tlm_start, st_flow, st_tlm_done, NULL}, NULL},
};

static enum vc_err vc_build(struct vc_dev *d, struct vc_table *t, const struct vc_cmd *c) {
    enum vc_err rc = VC_OK;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    int i;

    if ((rc = vc_cuda(cudaStreamBeginCapture(d->loop_stream, cudaStreamCaptureModeRelaxed))) != VC_OK) goto out;
    for (i = 0; i < VC_MAX_STAGES && t->stage[i]; ++i) {
        if ((rc = t->stage[i](d, c)) != VC_OK) goto abort_capture;
    }
    if ((rc = vc_cuda(cudaStreamEndCapture(d->loop_stream, &graph))) != VC_OK) goto out;
    if ((rc = vc_cuda(cudaGraphInstantiate(&exec, graph, 0))) != VC_OK) goto out;
    if (t->exec) cudaGraphExecDestroy(t->exec);
    t->exec = exec;
    goto out;
abort_capture:
    (void)vc_cuda(cudaStreamEndCapture(d->loop_stream, &graph));
out:
    if (graph) cudaGraphDestroy(graph);
    return rc;
}

static enum vc_err vc_tick(struct vc_dev *d, struct vc_table *t) {
    enum vc_err rc;
    if (!t->exec) return VC_ENOENT;
    if ((rc = vc_cuda(cudaGraphLaunch(t->exec, d->loop_stream))) != VC_OK) return rc;
    return vc_cuda(cudaStreamSynchronize(d->loop_stream));
}

int main(void) {
    struct vc_cmd good = {40.0f, 0.5f}, wild = {140.0f, 0.5f};
    float pos = -1.0f, tlm = -1.0f;
    enum vc_err r_good, r_tick, r_obs, r_wild, r_after;
    cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    int ok;
    cudaStreamCreateWithFlags(&g_dev.loop_stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&g_dev.tlm_stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&g_dev.ev_fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&g_dev.ev_join, cudaEventDisableTiming);
    cudaMalloc((void **)&g_dev.pos, 3 * VC_VALVES * sizeof(float));
    cudaMemset(g_dev.pos, 0, 3 * VC_VALVES * sizeof(float));
    g_dev.flow = g_dev.pos + VC_VALVES;
    g_dev.tlm = g_dev.flow + VC_VALVES;
    cudaDeviceSynchronize();

    r_good = vc_build(&g_dev, &g_tables[0], &good);
    r_tick = vc_tick(&g_dev, &g_tables[0]);
    r_obs = vc_build(&g_dev, &g_tables[1], &good);
    if (r_obs == VC_OK) r_obs = vc_tick(&g_dev, &g_tables[1]);
    r_wild = vc_build(&g_dev, &g_tables[0], &wild);
    cudaStreamIsCapturing(g_dev.loop_stream, &st);
    r_after = vc_tick(&g_dev, &g_tables[0]);
    cudaMemcpy(&pos, g_dev.pos, sizeof pos, cudaMemcpyDeviceToHost);
    cudaMemcpy(&tlm, g_dev.tlm, sizeof tlm, cudaMemcpyDeviceToHost);
    ok = r_good == VC_OK && r_tick == VC_OK && r_obs == VC_OK && r_wild == VC_ERANGE &&
         st == cudaStreamCaptureStatusNone && r_after == VC_OK && pos == 30.0f && tlm == 1020.0f;
    printf("LABEL %s (%d %d %d %d %d st %d last %d pos %g tlm %g)\n", ok ? "CONFIRMED" : "REFUTED", r_good, r_tick, r_obs,
           r_wild, r_after, (int)st, (int)g_last, pos, tlm);
    return 0;
}
