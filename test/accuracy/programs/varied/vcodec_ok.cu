#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Toy hybrid encoder: predict, quantise. Frame type follows the GOP, the
 * quantiser follows the rate control. */

#define NPEL 2048
#define GOP 4
#define CHECKED(call) do { rc = (call); if (rc != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc)); goto out; } } while (0)

enum ftype { FT_INTRA, FT_INTER, FT_COUNT };

struct ratectl {
	int qp;
	long bits;
};

struct enc {
	cudaStream_t st;
	cudaGraphExec_t exec[FT_COUNT];
	unsigned frame;
	struct ratectl rc;
	int *src, *ref, *res, *coef;
	int *qp_dev;
	int *qp_pin;
};

typedef cudaError_t (*op_fn)(struct enc *e);

__global__ void k_intra(const int *src, int *res)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	res[i] = src[i] - 128;
}

__global__ void k_inter(const int *src, const int *ref, int *res)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	res[i] = src[i] - ref[i];
}

__global__ void k_quant(const int *res, int *coef, const int *qp)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	coef[i] = res[i] / *qp;
}

static enum ftype frame_type(const struct enc *e)
{
	return e->frame % GOP == 0 ? FT_INTRA : FT_INTER;
}

static cudaError_t op_predict(struct enc *e)
{
	if (frame_type(e) == FT_INTRA)
		k_intra<<<NPEL / 128, 128, 0, e->st>>>(e->src, e->res);
	else
		k_inter<<<NPEL / 128, 128, 0, e->st>>>(e->src, e->ref, e->res);
	return cudaGetLastError();
}

static cudaError_t op_quant(struct enc *e)
{
	k_quant<<<NPEL / 128, 128, 0, e->st>>>(e->res, e->coef, e->qp_dev);
	return cudaGetLastError();
}

static const struct {
	const char *name;
	op_fn record;
} ops[] = {
	{ "predict", op_predict },
	{ "quant", op_quant },
};

static cudaError_t enc_record(struct enc *e, cudaGraphExec_t *exec)
{
	cudaGraph_t g = NULL;
	cudaError_t rc, step = cudaSuccess;
	size_t i;

	CHECKED(cudaStreamBeginCapture(e->st, cudaStreamCaptureModeThreadLocal));
	for (i = 0; i < sizeof ops / sizeof ops[0] && step == cudaSuccess; i++)
		step = ops[i].record(e);
	CHECKED(cudaStreamEndCapture(e->st, &g));
	CHECKED(step);
	CHECKED(cudaGraphInstantiate(exec, g, 0));
out:
	if (g)
		cudaGraphDestroy(g);
	return rc;
}

static void rate_update(struct ratectl *r, long bits)
{
	r->bits += bits;
	r->qp = r->bits > 1000 ? 4 : 2;
}

static cudaError_t enc_frame(struct enc *e, const int *pel, int *coef, long bits)
{
	cudaError_t rc;
	cudaGraphExec_t *exec = &e->exec[frame_type(e)]; /* one graph for each frame type */

	CHECKED(cudaMemcpyAsync(e->src, pel, NPEL * sizeof(int), cudaMemcpyHostToDevice, e->st));
	if (!*exec)
		CHECKED(enc_record(e, exec));
	*e->qp_pin = e->rc.qp;
	CHECKED(cudaMemcpyAsync(e->qp_dev, e->qp_pin, sizeof(int), cudaMemcpyHostToDevice, e->st));
	CHECKED(cudaGraphLaunch(*exec, e->st));
	CHECKED(cudaMemcpyAsync(coef, e->coef, sizeof(int), cudaMemcpyDeviceToHost, e->st));
	CHECKED(cudaStreamSynchronize(e->st));
	rate_update(&e->rc, bits);
	e->frame++;
out:
	return rc;
}

static cudaError_t enc_open(struct enc *e)
{
	static int ref[NPEL];
	cudaError_t rc;
	int i;

	memset(e, 0, sizeof *e);
	e->rc.qp = 2;
	for (i = 0; i < NPEL; i++)
		ref[i] = 40;
	CHECKED(cudaStreamCreateWithFlags(&e->st, cudaStreamNonBlocking));
	CHECKED(cudaMalloc((void **)&e->src, sizeof ref));
	CHECKED(cudaMalloc((void **)&e->ref, sizeof ref));
	CHECKED(cudaMalloc((void **)&e->res, sizeof ref));
	CHECKED(cudaMalloc((void **)&e->coef, sizeof ref));
	CHECKED(cudaMalloc((void **)&e->qp_dev, sizeof(int)));
	CHECKED(cudaMallocHost((void **)&e->qp_pin, sizeof(int)));
	CHECKED(cudaMemcpy(e->ref, ref, sizeof ref, cudaMemcpyHostToDevice));
out:
	return rc;
}

static void enc_close(struct enc *e)
{
	int i;

	for (i = 0; i < FT_COUNT; i++)
		if (e->exec[i])
			cudaGraphExecDestroy(e->exec[i]);
	cudaFree(e->src);
	cudaFree(e->ref);
	cudaFree(e->res);
	cudaFree(e->coef);
	cudaFree(e->qp_dev);
	cudaFreeHost(e->qp_pin);
	if (e->st)
		cudaStreamDestroy(e->st);
}

int main(void)
{
	static int pel[NPEL];
	struct enc e;
	cudaError_t rc;
	int i, c, ran = 0, type_wrong = 0, qp_wrong = 0;

	for (i = 0; i < NPEL; i++)
		pel[i] = 200;
	CHECKED(enc_open(&e));
	for (i = 0; i < 6; i++) {
		const int intra = i % GOP == 0, qp = i >= 3 ? 4 : 2; /* 400 bits a frame */
		CHECKED(enc_frame(&e, pel, &c, 400));
		if (!intra && (c == 36 || c == 18))
			type_wrong++;
		if (qp == 4 && (c == 36 || c == 80))
			qp_wrong++;
		if (c != (intra ? 72 : 160) / qp)
			ran |= 2;
	}
	ran |= 1;
out:
	enc_close(&e);
	puts(ran == 1 && !type_wrong && !qp_wrong ? "LABEL CONFIRMED" : "LABEL REFUTED");
	return 0;
}
