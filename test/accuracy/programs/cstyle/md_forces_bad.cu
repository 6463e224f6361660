/* 1-D molecular dynamics: a list of force terms, evaluated by one exec per system */
#include <cuda_runtime.h>

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

struct list_head { struct list_head *next, *prev; };

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)

static void list_init(struct list_head *h) { h->next = h->prev = h; }
static void list_add_tail(struct list_head *n, struct list_head *h)
{
    n->prev = h->prev;
    n->next = h;
    h->prev->next = n;
    h->prev = n;
}

#define TRY(call) do { if ((call) != cudaSuccess) return -EIO; } while (0)

struct md_force;
struct md_system {
    struct list_head forces;
    int n;
    float *x, *f;
    unsigned topo_dirty : 1;
    cudaStream_t stream;
    cudaGraphExec_t exec;
};

struct md_force_ops {
    const char *name;
    int (*emit)(struct md_system *sys, struct md_force *force);
    int (*rebuild)(struct md_system *sys, struct md_force *force, const int *pairs, int per_atom);
    void (*release)(struct md_force *force);
};

struct md_force {
    const struct md_force_ops *ops;
    struct list_head node;
};

/* neighbour list, slot-major: idx[slot * n + atom] */
struct nlist {
    int *idx, *cnt;
    int cap;
};

struct pair_force {
    struct md_force base;
    struct nlist nl;
    float k;
};

struct wall_force {
    struct md_force base;
    float k;
};

__global__ void pair_kernel(const float *x, float *f, const int *idx, const int *cnt, int n, float k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; i < n && s < *cnt; s++)
        f[i] += k * (x[idx[s * n + i]] - x[i]);
}

__global__ void wall_kernel(const float *x, float *f, int n, float k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0.0f)
        f[i] -= k * x[i];
}

static int nlist_reserve(struct md_system *sys, struct nlist *nl, int per_atom)
{
    int *idx;

    if (per_atom <= nl->cap)
        return 0;
    TRY(cudaMalloc(&idx, sizeof(int) * per_atom * sys->n));
    TRY(cudaFree(nl->idx)); // HAZARD dangling #1
    nl->idx = idx;
    nl->cap = per_atom;
    return 0;
}

static int pair_emit(struct md_system *sys, struct md_force *force)
{
    struct pair_force *p = container_of(force, struct pair_force, base);

    pair_kernel<<<(sys->n + 63) / 64, 64, 0, sys->stream>>>(sys->x, sys->f, p->nl.idx, p->nl.cnt, sys->n, p->k); // HAZARD dangling #1
    TRY(cudaGetLastError());
    return 0;
}

static int pair_rebuild(struct md_system *sys, struct md_force *force, const int *pairs, int per_atom)
{
    struct pair_force *p = container_of(force, struct pair_force, base);
    int rc = nlist_reserve(sys, &p->nl, per_atom);
    if (rc)
        return rc;
    TRY(cudaMemcpyAsync(p->nl.idx, pairs, sizeof(int) * per_atom * sys->n, cudaMemcpyHostToDevice, sys->stream));
    TRY(cudaMemcpyAsync(p->nl.cnt, &per_atom, sizeof(int), cudaMemcpyHostToDevice, sys->stream));
    TRY(cudaStreamSynchronize(sys->stream));
    return 0;
}

static void pair_release(struct md_force *force)
{
    struct pair_force *p = container_of(force, struct pair_force, base);
    cudaFree(p->nl.idx);
    cudaFree(p->nl.cnt);
}

static int wall_emit(struct md_system *sys, struct md_force *force)
{
    struct wall_force *w = container_of(force, struct wall_force, base);
    wall_kernel<<<(sys->n + 63) / 64, 64, 0, sys->stream>>>(sys->x, sys->f, sys->n, w->k);
    TRY(cudaGetLastError());
    return 0;
}

static const struct md_force_ops pair_ops = {"pair", pair_emit, pair_rebuild, pair_release};
static const struct md_force_ops wall_ops = {"wall", wall_emit, NULL, NULL};

static void md_add_force(struct md_system *sys, struct md_force *force, const struct md_force_ops *ops)
{
    force->ops = ops;
    list_add_tail(&force->node, &sys->forces);
    sys->topo_dirty = 1;
}

static int md_capture(struct md_system *sys)
{
    struct list_head *pos;
    cudaGraph_t graph = NULL;
    int rc = 0;
    TRY(cudaStreamBeginCapture(sys->stream, cudaStreamCaptureModeRelaxed));
    if (cudaMemsetAsync(sys->f, 0, sizeof(float) * sys->n, sys->stream) != cudaSuccess)
        rc = -EIO;
    list_for_each(pos, &sys->forces) {
        struct md_force *force = container_of(pos, struct md_force, node);
        if (rc == 0)
            rc = force->ops->emit(sys, force);
    }
    if (cudaStreamEndCapture(sys->stream, &graph) != cudaSuccess)
        rc = -EIO;
    if (rc == 0 && sys->exec) {
        cudaGraphExecDestroy(sys->exec);
        sys->exec = NULL;
    }
    if (rc == 0 && cudaGraphInstantiate(&sys->exec, graph, 0) != cudaSuccess)
        rc = -EIO;
    if (graph)
        cudaGraphDestroy(graph);
    if (rc == 0)
        sys->topo_dirty = 0;
    return rc;
}

static int md_forces(struct md_system *sys, float *f)
{
    int rc = sys->topo_dirty ? md_capture(sys) : 0;
    if (rc)
        return rc;
    TRY(cudaGraphLaunch(sys->exec, sys->stream));
    TRY(cudaMemcpyAsync(f, sys->f, sizeof(float) * sys->n, cudaMemcpyDeviceToHost, sys->stream));
    TRY(cudaStreamSynchronize(sys->stream));
    return 0;
}

static int run(int *right)
{
    enum { N = 256 };
    static float x[N], f[N];
    static int pairs[N * 4];
    struct md_system sys = {};
    struct pair_force pf = {};
    struct wall_force wf = {};

    list_init(&sys.forces);
    sys.n = N;
    pf.k = wf.k = 2.0f;
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    TRY(cudaStreamCreateWithFlags(&sys.stream, cudaStreamNonBlocking));
    TRY(cudaMalloc(&sys.x, sizeof(x)));
    TRY(cudaMalloc(&sys.f, sizeof(f)));
    TRY(cudaMalloc(&pf.nl.cnt, sizeof(int)));
    TRY(cudaMemcpyAsync(sys.x, x, sizeof(x), cudaMemcpyHostToDevice, sys.stream));
    md_add_force(&sys, &pf.base, &pair_ops);
    md_add_force(&sys, &wf.base, &wall_ops);

    for (int per_atom = 1; per_atom <= 4; per_atom += 3) { /* 1, then 4 neighbours */
        for (int s = 0; s < per_atom; s++)
            for (int i = 0; i < N; i++)
                pairs[s * N + i] = (i + s + per_atom) % N;
        if (pf.base.ops->rebuild(&sys, &pf.base, pairs, per_atom) || md_forces(&sys, f))
            return -EIO;
        /* sum of k * (s + per_atom) */
        *right += fabsf(f[3] - 2.0f * (per_atom == 1 ? 1 : 4 + 5 + 6 + 7)) < 1e-3f;
    }
    TRY(cudaGraphExecDestroy(sys.exec));
    pf.base.ops->release(&pf.base);
    cudaFree(sys.x);
    cudaFree(sys.f);
    return 0;
}

int main(void)
{
    int right = 0, rc = run(&right);
    puts(rc || right != 2 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
    return 0;
}
