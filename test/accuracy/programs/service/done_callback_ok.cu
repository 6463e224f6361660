#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* tomography reader: two detector panels are gathered into one sinogram,
 * scaled, and the owner is told by a completion request */

#define PANEL 256
#define NREQ 4
#define TRY(call) do { rc = (call); if (rc != cudaSuccess) { fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorName(rc)); goto done; } } while (0)

struct req_pool;

struct req {
	struct req *next;
	struct req_pool *pool;
	int completions;
};

struct req_pool {
	struct req slot[NREQ];
	struct req *head;
};

struct reader {
	cudaStream_t st;
	cudaGraphExec_t exec;
	float *panel[2];
	float *sino;
	struct req *rq;
};

typedef cudaError_t (*rec_fn)(struct reader *r);

static void pool_init(struct req_pool *p)
{
	int i;

	memset(p, 0, sizeof *p);
	for (i = 0; i < NREQ; i++) {
		p->slot[i].next = p->head;
		p->slot[i].pool = p;
		p->head = &p->slot[i];
	}
}

static struct req *req_get(struct req_pool *p)
{
	struct req *r = p->head;

	if (r)
		p->head = r->next;
	return r;
}

static void req_put(struct req *r)
{
	r->next = r->pool->head;
	r->pool->head = r;
}

__global__ void k_scale(float *s, float by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		s[i] *= by;
}

static void CUDART_CB on_complete(void *arg)
{
	struct req *rq = (struct req *)arg;

	rq->completions++;
}

static cudaError_t gather_panels(struct reader *r, int eager)
{
	void *dst[2] = { r->sino, r->sino + PANEL };
	const void *src[2] = { r->panel[0], r->panel[1] };
	size_t bytes[2] = { PANEL * sizeof(float), PANEL * sizeof(float) };
	size_t first = 0;
	struct cudaMemcpyAttributes attr;
	cudaError_t rc;
	int i;

	memset(&attr, 0, sizeof attr);
	attr.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	if (eager)
		return cudaMemcpyBatchAsync(dst, src, bytes, 2, &attr, &first, 1, r->st);
	for (i = 0; i < 2; i++)
		TRY(cudaMemcpyAsync(dst[i], src[i], bytes[i], cudaMemcpyDeviceToDevice, r->st));
done:
	return rc;
}

static cudaError_t rec_gather(struct reader *r)
{
	return gather_panels(r, 0);
}

static cudaError_t rec_scale(struct reader *r)
{
	float by = 2.0f;
	int n = 2 * PANEL;
	void *args[] = { &r->sino, &by, &n };

	return cudaLaunchKernel((const void *)k_scale, dim3(2 * PANEL / 128), dim3(128), args, 0, r->st);
}

static cudaError_t rec_notify(struct reader *r)
{
	return cudaLaunchHostFunc(r->st, on_complete, r->rq);
}

static const rec_fn program[] = { rec_gather, rec_scale, rec_notify };

static cudaError_t reader_open(struct reader *r, struct req_pool *pool)
{
	float h[PANEL];
	cudaGraph_t g = NULL;
	cudaError_t rc, step = cudaSuccess;
	int i, j;

	memset(r, 0, sizeof *r);
	r->rq = req_get(pool);
	TRY(cudaStreamCreateWithFlags(&r->st, cudaStreamNonBlocking));
	TRY(cudaMalloc((void **)&r->sino, 2 * sizeof h));
	TRY(cudaMemset(r->sino, 0, 2 * sizeof h));
	for (i = 0; i < 2; i++) {
		for (j = 0; j < PANEL; j++)
			h[j] = (float)(i + 3);
		TRY(cudaMalloc((void **)&r->panel[i], sizeof h));
		TRY(cudaMemcpy(r->panel[i], h, sizeof h, cudaMemcpyHostToDevice));
	}
	TRY(cudaDeviceSynchronize());
	TRY(gather_panels(r, 1)); /* first frame is shown unscaled */
	TRY(cudaStreamBeginCapture(r->st, cudaStreamCaptureModeThreadLocal));
	for (i = 0; i < (int)(sizeof program / sizeof program[0]) && step == cudaSuccess; i++)
		step = program[i](r);
	TRY(cudaStreamEndCapture(r->st, &g));
	TRY(step);
	TRY(cudaGraphInstantiate(&r->exec, g, 0));
done:
	if (g)
		cudaGraphDestroy(g);
	return rc;
}

static cudaError_t reader_frame(struct reader *r, float *out)
{
	cudaError_t rc;

	TRY(cudaGraphLaunch(r->exec, r->st));
	TRY(cudaMemcpyAsync(out, r->sino + PANEL, sizeof *out, cudaMemcpyDeviceToHost, r->st));
	TRY(cudaStreamSynchronize(r->st));
done:
	return rc;
}

static void reader_close(struct reader *r)
{
	if (r->exec)
		cudaGraphExecDestroy(r->exec);
	r->exec = NULL;
	req_put(r->rq);
	cudaFree(r->panel[0]);
	cudaFree(r->panel[1]);
	cudaFree(r->sino);
	if (r->st)
		cudaStreamDestroy(r->st);
}

int main(void)
{
	static struct req_pool pool;
	struct reader r;
	struct req *other = NULL, *third = NULL;
	float v[2] = { 0.0f, 0.0f };
	cudaError_t rc;
	int ran = 0, completions = 0;

	pool_init(&pool);
	TRY(reader_open(&r, &pool));
	TRY(reader_frame(&r, &v[0]));
	other = req_get(&pool);
	TRY(reader_frame(&r, &v[1]));
	third = req_get(&pool);
	completions = r.rq->completions;
	ran = 1;
done:
	reader_close(&r);
	puts(ran && other && third && other != third && completions == 2 && v[0] == 8.0f && v[1] == 8.0f ? "LABEL CONFIRMED" : "LABEL REFUTED");
	return 0;
}
