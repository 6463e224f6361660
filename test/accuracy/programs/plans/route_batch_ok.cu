/* Route costing: a planner handle turns batches of legs into graphs. Kernel-style
 * error handling: negative codes, one exit label per function. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define RB_EBATCH (-1000)

#define RB_DO(expr)                                                              \
    do {                                                                         \
        cudaError_t rb_e = (expr);                                               \
        if (rb_e != cudaSuccess) {                                               \
            fprintf(stderr, "%s: %s\n", #expr, cudaGetErrorString(rb_e));        \
            (void)cudaGetLastError(); /* reported here, not at the next launch */ \
            rc = -(int)rb_e;                                                     \
            goto exit;                                                           \
        }                                                                        \
    } while (0)

struct leg {
    int32_t metres;
    int32_t toll;
};

struct leg_group {
    int first, count;
    int rate; /* cost per metre of this vehicle class */
};

struct planner {
    int capacity;
    struct leg *h_legs, *d_legs;
    int32_t *h_cost, *d_cost;
    cudaStream_t stream;
    cudaEvent_t mark;
    int trace;
};

struct route_plan {
    int legs;
    cudaGraphExec_t exec;
};

__global__ void cost_legs(const struct leg *legs, int32_t *cost, int first, int count, int rate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        cost[first + i] = legs[first + i].metres * rate + legs[first + i].toll;
}

static int planner_open(struct planner *p, int capacity)
{
    int rc = 0;
    p->capacity = capacity;
    RB_DO(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    RB_DO(cudaEventCreate(&p->mark));
    RB_DO(cudaMallocHost((void **)&p->h_legs, capacity * sizeof(struct leg)));
    RB_DO(cudaMallocHost((void **)&p->h_cost, capacity * sizeof(int32_t)));
    RB_DO(cudaMalloc((void **)&p->d_legs, capacity * sizeof(struct leg)));
    RB_DO(cudaMalloc((void **)&p->d_cost, capacity * sizeof(int32_t)));
exit:
    return rc;
}

static void planner_close(struct planner *p)
{
    if (p->stream)
        cudaStreamSynchronize(p->stream);
    cudaFree(p->d_cost);
    cudaFree(p->d_legs);
    cudaFreeHost(p->h_cost);
    cudaFreeHost(p->h_legs);
    if (p->mark)
        cudaEventDestroy(p->mark);
    if (p->stream)
        cudaStreamDestroy(p->stream);
}

/* Puts a mark behind the group; with tracing on, tells how far the work has come. */
static int planner_mark(struct planner *p, int group)
{
    int rc = 0;
    RB_DO(cudaEventRecord(p->mark, p->stream));
    if (p->trace) {
        cudaStreamCaptureStatus status;
        RB_DO(cudaStreamIsCapturing(p->stream, &status));
        if (status == cudaStreamCaptureStatusNone)
            RB_DO(cudaEventSynchronize(p->mark));
        printf("group %d %s\n", group, status == cudaStreamCaptureStatusNone ? "done" : "recorded");
    }
exit:
    return rc;
}

static int plan_build(struct planner *p, const struct leg_group *groups, int n_groups, struct route_plan *plan)
{
    int rc = 0;
    int capturing = 0;
    cudaGraph_t graph = NULL;
    int legs = groups[n_groups - 1].first + groups[n_groups - 1].count;

    plan->exec = NULL;
    plan->legs = legs;
    if (legs > p->capacity)
        return RB_EBATCH;
    RB_DO(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal));
    capturing = 1;
    RB_DO(cudaMemcpyAsync(p->d_legs, p->h_legs, legs * sizeof(struct leg), cudaMemcpyHostToDevice, p->stream));
    for (int g = 0; g < n_groups; ++g) {
        const struct leg_group *grp = &groups[g];
        if (grp->count <= 0) {
            fprintf(stderr, "group %d is empty\n", g);
            rc = RB_EBATCH;
            goto exit;
        }
        cost_legs<<<(grp->count + 127) / 128, 128, 0, p->stream>>>(p->d_legs, p->d_cost, grp->first, grp->count,
                                                                   grp->rate);
        RB_DO(cudaGetLastError());
        if ((rc = planner_mark(p, g)) != 0)
            goto exit;
    }
    RB_DO(cudaMemcpyAsync(p->h_cost, p->d_cost, legs * sizeof(int32_t), cudaMemcpyDeviceToHost, p->stream));
    capturing = 0; /* EndCapture leaves capture mode even if it fails */
    RB_DO(cudaStreamEndCapture(p->stream, &graph));
    RB_DO(cudaGraphInstantiate(&plan->exec, graph, 0));
exit:
    if (capturing)
        cudaStreamEndCapture(p->stream, &graph); /* rc already tells the reason */
    if (graph)
        cudaGraphDestroy(graph);
    return rc;
}

static int plan_run(struct planner *p, const struct route_plan *plan, const struct leg_group *groups, int n_groups,
                    int salt)
{
    int rc = 0;
    for (int i = 0; i < plan->legs; ++i) {
        p->h_legs[i].metres = 100 + (i * salt) % 700;
        p->h_legs[i].toll = i % 9;
    }
    RB_DO(cudaGraphLaunch(plan->exec, p->stream));
    RB_DO(cudaStreamSynchronize(p->stream));
    for (int g = 0; g < n_groups; ++g)
        for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i)
            if (p->h_cost[i] != p->h_legs[i].metres * groups[g].rate + p->h_legs[i].toll)
                rc = RB_EBATCH;
exit:
    return rc;
}

int main(void)
{
    static const struct leg_group holey[] = {{0, 300, 2}, {300, 0, 5}, {300, 400, 3}};
    static const struct leg_group solid[] = {{0, 300, 2}, {300, 100, 5}, {400, 400, 3}};
    struct planner first = {}, second = {};
    struct route_plan plan;
    int rejected, after_reject, traced, failures = 0, runs = 0;

    failures += planner_open(&first, 1000) != 0;
    failures += planner_open(&second, 1000) != 0;

    rejected = plan_build(&first, holey, 3, &plan); /* a bad batch ... */
    after_reject = plan_build(&first, solid, 3, &plan); /* ... followed by a good one */
    for (int salt = 1; after_reject == 0 && salt <= 3; ++salt)
        runs += plan_run(&first, &plan, solid, 3, salt) == 0;
    if (plan.exec)
        cudaGraphExecDestroy(plan.exec);

    second.trace = 1;
    traced = plan_build(&second, solid, 3, &plan);
    for (int salt = 4; traced == 0 && salt <= 6; ++salt)
        runs += plan_run(&second, &plan, solid, 3, salt) == 0;
    if (plan.exec)
        cudaGraphExecDestroy(plan.exec);
    planner_close(&second);
    planner_close(&first);

    printf("rejected %d, after it %d, traced %d, good runs %d\n", rejected, after_reject, traced, runs);
    puts(failures == 0 && rejected == RB_EBATCH && after_reject == 0 && traced == 0 && runs == 6 ? "LABEL CONFIRMED"
                                                                                                 : "LABEL UNOBSERVED");
    return 0;
}
