#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_FRAMES 512
#define MAX_FX 8
#define CHECK(call) do { rc = (call); if (rc != cudaSuccess) { fprintf(stderr, "synth: %s (%d)\n", cudaGetErrorName(rc), __LINE__); goto fail; } } while (0)

struct fx;

struct fx_ops {
	const char *name;
	cudaError_t (*process)(struct fx *fx, float *buf, cudaStream_t st);
};

struct fx {
	const struct fx_ops *ops;
	cudaStream_t st;
	float amount;
};

struct engine {
	cudaStream_t st;
	cudaGraphExec_t exec;
	float *in;
	float *buf;
	struct fx chain[MAX_FX];
	int nfx;
};

__global__ void k_gain(float *b, float g, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		b[i] *= g;
}

__global__ void k_clip(float *b, float lim, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		b[i] = fminf(fmaxf(b[i], -lim), lim);
}

static cudaError_t gain_process(struct fx *fx, float *buf, cudaStream_t st)
{
	k_gain<<<BLOCK_FRAMES / 128, 128, 0, st>>>(buf, fx->amount, BLOCK_FRAMES);
	return cudaGetLastError();
}

static cudaError_t clip_process(struct fx *fx, float *buf, cudaStream_t st)
{
	if (fx->st != NULL && fx->st != st)
		return cudaErrorInvalidValue; /* belongs to another engine */
	k_clip<<<BLOCK_FRAMES / 128, 128, 0, st>>>(buf, fx->amount, BLOCK_FRAMES);
	return cudaGetLastError();
}

static const struct fx_ops gain_ops = { "gain", gain_process };
static const struct fx_ops clip_ops = { "clip", clip_process };

static int engine_add(struct engine *e, const struct fx_ops *ops, float amount)
{
	struct fx *fx;

	if (e->nfx == MAX_FX)
		return -1;
	fx = &e->chain[e->nfx++];
	fx->ops = ops;
	fx->amount = amount;
	fx->st = e->st; /* patches are loaded before the device is opened */
	return 0;
}

static cudaError_t engine_open(struct engine *e)
{
	cudaError_t rc;

	CHECK(cudaStreamCreateWithFlags(&e->st, cudaStreamNonBlocking));
	CHECK(cudaMalloc((void **)&e->in, BLOCK_FRAMES * sizeof(float)));
	CHECK(cudaMalloc((void **)&e->buf, BLOCK_FRAMES * sizeof(float)));
fail:
	return rc;
}

static cudaError_t engine_freeze(struct engine *e)
{
	cudaGraph_t g = NULL;
	cudaError_t rc, step;
	int i;

	CHECK(cudaStreamBeginCapture(e->st, cudaStreamCaptureModeThreadLocal));
	step = cudaMemcpyAsync(e->buf, e->in, BLOCK_FRAMES * sizeof(float), cudaMemcpyDeviceToDevice, e->st);
	for (i = 0; i < e->nfx && step == cudaSuccess; i++)
		step = e->chain[i].ops->process(&e->chain[i], e->buf, e->st);
	CHECK(cudaStreamEndCapture(e->st, &g));
	CHECK(step);
	CHECK(cudaGraphInstantiate(&e->exec, g, 0));
fail:
	if (g)
		cudaGraphDestroy(g);
	return rc;
}

static cudaError_t engine_block(struct engine *e, float *frames)
{
	cudaError_t rc;

	CHECK(cudaMemcpyAsync(e->in, frames, BLOCK_FRAMES * sizeof(float), cudaMemcpyHostToDevice, e->st));
	CHECK(cudaGraphLaunch(e->exec, e->st));
	CHECK(cudaMemcpyAsync(frames, e->buf, BLOCK_FRAMES * sizeof(float), cudaMemcpyDeviceToHost, e->st));
	CHECK(cudaStreamSynchronize(e->st));
fail:
	return rc;
}

static void engine_close(struct engine *e)
{
	if (e->exec)
		cudaGraphExecDestroy(e->exec);
	cudaFree(e->buf);
	cudaFree(e->in);
	if (e->st)
		cudaStreamDestroy(e->st);
}

int main(void)
{
	struct engine e;
	float frames[BLOCK_FRAMES];
	cudaError_t rc;
	int n, i, ran = 0, good = 1;

	memset(&e, 0, sizeof e);
	if (engine_add(&e, &gain_ops, 4.0f) || engine_add(&e, &clip_ops, 1.0f) || engine_add(&e, &gain_ops, 0.5f)) {
		puts("LABEL REFUTED");
		return 0;
	}
	CHECK(engine_open(&e));
	CHECK(engine_freeze(&e));
	for (n = 1; n <= 3; n++) {
		for (i = 0; i < BLOCK_FRAMES; i++)
			frames[i] = (float)n;
		CHECK(engine_block(&e, frames));
		good = good && frames[n] == 0.5f;
	}
	ran = 1;
fail:
	engine_close(&e);
	puts(ran && good ? "LABEL CONFIRMED" : "LABEL REFUTED");
	return 0;
}
