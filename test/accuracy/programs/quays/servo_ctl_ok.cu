/*
 * servo_ctl.cu - joint controller back end.
 *
 * Host side memory comes from page-locked arenas.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NAXES		64
#define NCOEFF		4
#define ARENA_BYTES	(64u * 1024u)

#define CHECK_GOTO(expr, label)						\
	do {								\
		err = (int)(expr);					\
		if (err) {						\
			fprintf(stderr, "servo: line %d err %d\n",	\
				__LINE__, err);				\
			goto label;					\
		}							\
	} while (0)

struct arena {
	uint8_t *base;
	size_t cap;
	size_t used;
};

static int arena_open(struct arena *a, size_t cap)
{
	memset(a, 0, sizeof(*a));
	a->cap = cap;
	return cudaHostAlloc((void **)&a->base, cap, cudaHostAllocDefault);
}

static void *arena_take(struct arena *a, size_t n)
{
	void *p;

	n = (n + 63u) & ~(size_t)63u;
	if (a->used + n > a->cap)
		return NULL;
	p = a->base + a->used;
	a->used += n;
	return p;
}

static void arena_reset(struct arena *a) { a->used = 0; }
static void arena_close(struct arena *a) { cudaFreeHost(a->base); }

struct gain_table {
	float kp[NAXES], kd[NAXES];
};

struct spline {
	float c[NAXES][NCOEFF];
};

struct ctl_input {
	float t, q[NAXES], dq[NAXES];
};

__host__ __device__ static inline float spline_eval(const float *c, float t)
{
	return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

__global__ void pd_law(const struct gain_table *g, const struct spline *sp,
		       const struct ctl_input *in, float *u)
{
	int i = threadIdx.x;

	if (i < NAXES)
		u[i] = g->kp[i] * (spline_eval(sp->c[i], in->t) - in->q[i]) -
		       g->kd[i] * in->dq[i];
}

static void stiff_gains(struct gain_table *g)
{
	for (int i = 0; i < NAXES; i++) {
		g->kp[i] = 20.0f + (float)(i % 7);
		g->kd[i] = 1.5f;
	}
}

static void compliant_gains(struct gain_table *g)
{
	for (int i = 0; i < NAXES; i++) {
		g->kp[i] = 4.0f + 0.25f * (float)(i % 3);
		g->kd[i] = 0.5f + 0.1f * (float)(i % 5);
	}
}

struct law_ops {
	const char *name;
	void (*fill)(struct gain_table *g);
};

static const struct law_ops laws[] = {
	{ "stiff", stiff_gains }, { "compliant", compliant_gains },
};

typedef struct ctl {
	struct arena scratch;	/* one call */
	struct arena law_mem;	/* until the next law */
	const struct law_ops *law;
	cudaStream_t stream;
	cudaGraphExec_t exec;
	struct gain_table *gains_dev;
	struct spline *spline_dev;
	struct ctl_input *in_host, *in_dev;
	float *u_host, *u_dev;
} *ctl_t;

static void ctl_close(ctl_t c)
{
	if (!c)
		return;
	if (c->exec)
		cudaGraphExecDestroy(c->exec);
	cudaFree(c->gains_dev);
	cudaFree(c->spline_dev);
	cudaFree(c->in_dev);
	cudaFree(c->u_dev);
	cudaFreeHost(c->in_host);
	cudaFreeHost(c->u_host);
	arena_close(&c->scratch);
	arena_close(&c->law_mem);
	cudaStreamDestroy(c->stream);
	free(c);
}

static int ctl_open(ctl_t *out)
{
	ctl_t c = (ctl_t)calloc(1, sizeof(*c));
	int err;

	CHECK_GOTO(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), fail);
	CHECK_GOTO(arena_open(&c->scratch, ARENA_BYTES), fail);
	CHECK_GOTO(arena_open(&c->law_mem, sizeof(struct gain_table)), fail);
	CHECK_GOTO(cudaMalloc(&c->gains_dev, sizeof(struct gain_table)), fail);
	CHECK_GOTO(cudaMalloc(&c->spline_dev, sizeof(struct spline)), fail);
	CHECK_GOTO(cudaMalloc(&c->in_dev, sizeof(struct ctl_input)), fail);
	CHECK_GOTO(cudaMalloc(&c->u_dev, NAXES * sizeof(float)), fail);
	CHECK_GOTO(cudaMallocHost(&c->in_host, sizeof(struct ctl_input)), fail);
	CHECK_GOTO(cudaMallocHost(&c->u_host, NAXES * sizeof(float)), fail);
	*out = c;
	return 0;
fail:
	ctl_close(c);
	return err;
}

/* Fits one spline per axis through start and goal and hands it to the device. */
static int ctl_load_trajectory(ctl_t c, const float *start, const float *goal)
{
	struct spline *sp = (struct spline *)arena_take(&c->scratch, sizeof(*sp));
	int err = -1;

	if (!sp)
		goto out;
	for (int i = 0; i < NAXES; i++) {
		sp->c[i][0] = start[i];
		sp->c[i][1] = 0.0f;
		sp->c[i][2] = 3.0f * (goal[i] - start[i]);
		sp->c[i][3] = -2.0f * (goal[i] - start[i]);
	}
	CHECK_GOTO(cudaMemcpyAsync(c->spline_dev, sp, sizeof(*sp), cudaMemcpyHostToDevice,
				   c->stream), out);
	CHECK_GOTO(cudaStreamSynchronize(c->stream), out);
out:
	arena_reset(&c->scratch);
	return err;
}

static int ctl_enqueue_cycle(ctl_t c, const struct gain_table *gains)
{
	int err;
	CHECK_GOTO(cudaMemcpyAsync(c->gains_dev, gains, sizeof(*gains),
				   cudaMemcpyHostToDevice, c->stream), out);
	CHECK_GOTO(cudaMemcpyAsync(c->in_dev, c->in_host, sizeof(*c->in_host),
				   cudaMemcpyHostToDevice, c->stream), out);
	pd_law<<<1, NAXES, 0, c->stream>>>(c->gains_dev, c->spline_dev,
					   c->in_dev, c->u_dev);
	CHECK_GOTO(cudaGetLastError(), out);
	CHECK_GOTO(cudaMemcpyAsync(c->u_host, c->u_dev, NAXES * sizeof(float),
				   cudaMemcpyDeviceToHost, c->stream), out);
out:
	return err;
}

static int ctl_set_law(ctl_t c, const struct law_ops *law)
{
	struct gain_table *gains;
	cudaGraph_t graph = NULL;
	int err, end_err;

	c->law = law;
	CHECK_GOTO(cudaStreamSynchronize(c->stream), out);
	if (c->exec)
		cudaGraphExecDestroy(c->exec);
	c->exec = NULL;
	arena_reset(&c->law_mem);
	gains = (struct gain_table *)arena_take(&c->law_mem, sizeof(*gains));
	CHECK_GOTO(!gains, out);
	law->fill(gains);

	CHECK_GOTO(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeRelaxed), out);
	err = ctl_enqueue_cycle(c, gains);
	end_err = cudaStreamEndCapture(c->stream, &graph);
	if (err)
		goto out;
	CHECK_GOTO(end_err, out);
	CHECK_GOTO(cudaGraphInstantiate(&c->exec, graph, 0), out);
out:
	if (graph)
		cudaGraphDestroy(graph);
	return err;
}

/* One control cycle; the command vector is valid until the next call. */
static int ctl_cycle(ctl_t c, float t, const float *q, const float *dq,
		     const float **u)
{
	int err;

	c->in_host->t = t;
	memcpy(c->in_host->q, q, sizeof(c->in_host->q));
	memcpy(c->in_host->dq, dq, sizeof(c->in_host->dq));
	CHECK_GOTO(cudaGraphLaunch(c->exec, c->stream), out);
	CHECK_GOTO(cudaStreamSynchronize(c->stream), out);
	*u = c->u_host;
out:
	return err;
}

static float start_pos[NAXES], goal_pos[NAXES];

static int run_motion(ctl_t c, int cycles, int *good)
{
	static struct gain_table g;
	const float *u = NULL;
	float q[NAXES], dq[NAXES];
	int err = 0;

	*good = 0;
	c->law->fill(&g);
	for (int k = 0; k < cycles; k++) {
		float t = 0.2f * (float)(k + 1), worst = 0.0f;
		for (int i = 0; i < NAXES; i++) {
			q[i] = start_pos[i] + 0.03f * (float)(i % 11 - 5);
			dq[i] = 0.1f * (float)(k - i % 4);
		}
		CHECK_GOTO(ctl_cycle(c, t, q, dq, &u), out);
		for (int i = 0; i < NAXES; i++) {
			float d = goal_pos[i] - start_pos[i];
			float ref = start_pos[i] + (3.0f - 2.0f * t) * t * t * d;
			float want = g.kp[i] * (ref - q[i]) - g.kd[i] * dq[i];

			worst = fmaxf(worst, fabsf(want - u[i]));
		}
		*good += worst < 1e-2f;
	}
out:
	return err;
}

static void pick_motion(int seed)
{
	for (int i = 0; i < NAXES; i++) {
		start_pos[i] = 0.01f * (float)((i * 5 + seed) % 50);
		goal_pos[i] = 0.5f + 0.02f * (float)((i * 3 + seed) % 40);
	}
}

int main(void)
{
	ctl_t c = NULL;
	int err, good, total = 0, confirmed = 0;

	CHECK_GOTO(ctl_open(&c), done);
	for (int l = 0; l < 2; l++) {
		CHECK_GOTO(ctl_set_law(c, &laws[l]), done);
		for (int seed = 1; seed <= 17; seed += 8) {
			pick_motion(seed);
			CHECK_GOTO(ctl_load_trajectory(c, start_pos, goal_pos), done);
			CHECK_GOTO(run_motion(c, 4, &good), done);
			total += good;
		}
	}
	printf("cycles within tolerance: %d of 24\n", total);
	confirmed = total == 24;
done:
	ctl_close(c);
	printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
	return !confirmed;
}
