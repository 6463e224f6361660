/* Session API: a session compiles a list of operations, replicas run it on lanes of their own. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { SES_OK = 0, SES_EINVAL = -1, SES_ECUDA = -2 } ses_status;
typedef enum { OP_ADD = 1, OP_SCALE = 2 } op_kind;
typedef struct { int kind; int operand; } ses_op;
typedef struct session session;

typedef struct {
    ses_status (*open)(session **out);
    ses_status (*load)(session *s, const ses_op *ops, int count);
    ses_status (*run)(session *s);
    ses_status (*value)(session *s, int *out);
    void (*close)(session *s);
} session_api;

enum { LANES = 2, WIDTH = 32 };

struct session {
    cudaStream_t lane[LANES];
    cudaGraphExec_t replica[LANES];
    cudaEvent_t lane_done;
    cudaGraph_t graph;
    int *state;
    cudaError_t cuda;
};

__global__ void op_add(int *state, int operand) {
    const int v = state[threadIdx.x];
    const long long start = clock64();
    while (clock64() - start < 40000000LL) {
    }
    state[threadIdx.x] = v + operand;
}

__global__ void op_scale(int *state, int operand) { state[threadIdx.x] *= operand; }

#define SES_TRY(s, x)                                          \
    do {                                                       \
        if (((s)->cuda = (x)) != cudaSuccess) return SES_ECUDA; \
    } while (0)

static ses_status ses_open(session **out) {
    session *s = (session *)calloc(1, sizeof(*s));
    *out = s;
    for (int i = 0; i < LANES; ++i) SES_TRY(s, cudaStreamCreateWithFlags(&s->lane[i], cudaStreamNonBlocking));
    SES_TRY(s, cudaEventCreateWithFlags(&s->lane_done, cudaEventDisableTiming));
    SES_TRY(s, cudaMalloc((void **)&s->state, WIDTH * sizeof(int)));
    SES_TRY(s, cudaMemset(s->state, 0, WIDTH * sizeof(int)));
    return SES_OK;
}

static ses_status ses_load(session *s, const ses_op *ops, int count) {
    SES_TRY(s, cudaStreamBeginCapture(s->lane[0], cudaStreamCaptureModeThreadLocal)); // HAZARD capture_scope
    for (int i = 0; i < count; ++i) {
        switch (ops[i].kind) {
        case OP_ADD:
            op_add<<<1, WIDTH, 0, s->lane[0]>>>(s->state, ops[i].operand); // HAZARD concurrent_work #lanes
            break;
        case OP_SCALE:
            op_scale<<<1, WIDTH, 0, s->lane[0]>>>(s->state, ops[i].operand);
            break;
        default:
            fprintf(stderr, "session: unknown operation %d\n", ops[i].kind);
            return SES_EINVAL;
        }
    }
    SES_TRY(s, cudaStreamEndCapture(s->lane[0], &s->graph));
    for (int i = 0; i < LANES; ++i) SES_TRY(s, cudaGraphInstantiate(&s->replica[i], s->graph, 0));
    return SES_OK;
}

static ses_status ses_run(session *s) {
    for (int i = 0; i < LANES; ++i) {
        SES_TRY(s, cudaGraphLaunch(s->replica[i], s->lane[i])); // HAZARD concurrent_work #lanes
    }
    for (int i = 0; i < LANES; ++i) SES_TRY(s, cudaStreamSynchronize(s->lane[i]));
    return SES_OK;
}

static ses_status ses_value(session *s, int *out) {
    SES_TRY(s, cudaMemcpy(out, s->state, sizeof(int), cudaMemcpyDeviceToHost));
    return SES_OK;
}

static void ses_close(session *s) {
    for (int i = 0; i < LANES; ++i) {
        if (s->replica[i]) cudaGraphExecDestroy(s->replica[i]);
        cudaStreamDestroy(s->lane[i]);
    }
    if (s->graph) cudaGraphDestroy(s->graph);
    cudaEventDestroy(s->lane_done);
    cudaFree(s->state);
    free(s);
}

static const session_api api = {ses_open, ses_load, ses_run, ses_value, ses_close};

int main(void) {
    const ses_op broken[] = {{OP_ADD, 1}, {77, 0}};
    const ses_op program[] = {{OP_SCALE, 1}, {OP_ADD, 1}};
    session *first = NULL, *second = NULL;
    int value = -1;
    if (api.open(&first) || api.open(&second)) {
        printf("LABEL REFUTED open\n");
        return 0;
    }
    const ses_status refused = api.load(first, broken, 2);
    const ses_status retried = api.load(first, program, 2);
    const cudaError_t retry_cuda = first->cuda;
    cudaGraph_t abandoned = NULL;
    cudaStreamEndCapture(first->lane[0], &abandoned);
    if (abandoned) cudaGraphDestroy(abandoned);
    cudaGetLastError();

    ses_status rc = api.load(second, program, 2);
    for (int round = 0; round < 3 && rc == SES_OK; ++round) rc = api.run(second);
    if (rc == SES_OK) rc = api.value(second, &value);

    if (refused == SES_EINVAL && retried == SES_ECUDA && retry_cuda == cudaErrorIllegalState && rc == SES_OK && value < 6)
        printf("LABEL CONFIRMED\n");
    else
        printf("LABEL REFUTED refused=%d retried=%d (%d) rc=%d value=%d\n", refused, retried, retry_cuda, rc, value);
    api.close(first);
    api.close(second);
    return 0;
}
