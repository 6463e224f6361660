/*
 * dsp_xcorr - cross correlation plans on a shared library context
 *
 * dsp_ctx_t    stream, scratch arena, last CUDA status
 * dsp_xcorr_t  one plan per block length, replayed with dsp_xcorr_execute()
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum dsp_status {
	DSP_SUCCESS = 0,
	DSP_INVALID_VALUE,
	DSP_ALLOC_FAILED,
	DSP_EXEC_FAILED,
	DSP_NOT_READY
} dsp_status;

#define DSP_SCRATCH_INITIAL (16u * 1024u)
#define DSP_CHUNK           256u
#define DSP_MAX_RETIRED     16

typedef struct dsp_ctx {
	cudaStream_t stream;
	cudaError_t  last_cuda;
	void        *scratch;
	size_t       scratch_bytes;
	void        *retired[DSP_MAX_RETIRED]; /* still referenced by older plans */
	int          n_retired;
} dsp_ctx_t;

typedef struct dsp_xcorr {
	dsp_ctx_t      *ctx;
	uint32_t        n;
	uint32_t        lags;
	int32_t        *d_x, *d_y, *d_r;
	int32_t        *h_r;
	cudaGraphExec_t exec;
} dsp_xcorr_t;

static dsp_status ctx_status(dsp_ctx_t *ctx, cudaError_t e, dsp_status on_error)
{
	if (e == cudaSuccess)
		return DSP_SUCCESS;
	ctx->last_cuda = e;
	return on_error;
}

/* ---- context -------------------------------------------------------------- */

static dsp_status dsp_ctx_create(dsp_ctx_t **out)
{
	dsp_ctx_t *ctx = (dsp_ctx_t *)calloc(1, sizeof *ctx);
	dsp_status st;
	if (!ctx)
		return DSP_ALLOC_FAILED;
	st = ctx_status(ctx, cudaStreamCreateWithFlags(&ctx->stream, cudaStreamNonBlocking), DSP_EXEC_FAILED);
	if (st == DSP_SUCCESS)
		st = ctx_status(ctx, cudaMalloc(&ctx->scratch, DSP_SCRATCH_INITIAL), DSP_ALLOC_FAILED);
	ctx->scratch_bytes = DSP_SCRATCH_INITIAL;
	*out = ctx;
	return st;
}

static void dsp_ctx_destroy(dsp_ctx_t *ctx)
{
	for (int i = 0; i < ctx->n_retired; i++)
		cudaFree(ctx->retired[i]);
	cudaFree(ctx->scratch);
	cudaStreamDestroy(ctx->stream);
	free(ctx);
}

static dsp_status ctx_scratch(dsp_ctx_t *ctx, size_t bytes, void **ptr)
{
	if (bytes > ctx->scratch_bytes) {
		void *grown = NULL;
		dsp_status st;
		if (ctx->n_retired == DSP_MAX_RETIRED)
			return DSP_ALLOC_FAILED;
		enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
		st = ctx_status(ctx, cudaThreadExchangeStreamCaptureMode(&mode), DSP_EXEC_FAILED);
		if (st != DSP_SUCCESS)
			return st;
		cudaError_t e = cudaMalloc(&grown, bytes);
		cudaThreadExchangeStreamCaptureMode(&mode);
		st = ctx_status(ctx, e, DSP_ALLOC_FAILED);
		if (st != DSP_SUCCESS)
			return st;
		ctx->retired[ctx->n_retired++] = ctx->scratch;
		ctx->scratch = grown;
		ctx->scratch_bytes = bytes;
	}
	*ptr = ctx->scratch;
	return DSP_SUCCESS;
}

/* ---- kernels ---------------------------------------------------------------- */

__global__ void k_partial(int32_t *partial, const int32_t *x, const int32_t *y, uint32_t n, uint32_t chunks)
{
	__shared__ int32_t red[DSP_CHUNK];
	const uint32_t lag = blockIdx.y;
	const uint32_t i = blockIdx.x * DSP_CHUNK + threadIdx.x;
	red[threadIdx.x] = (i + lag < n) ? x[i] * y[i + lag] : 0;
	__syncthreads();
	for (uint32_t s = DSP_CHUNK / 2; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			red[threadIdx.x] += red[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		partial[lag * chunks + blockIdx.x] = red[0];
}

__global__ void k_collect(int32_t *r, const int32_t *partial, uint32_t chunks, uint32_t lags)
{
	const uint32_t lag = blockIdx.x * blockDim.x + threadIdx.x;
	if (lag >= lags)
		return;
	int32_t acc = 0;
	for (uint32_t c = 0; c < chunks; c++)
		acc += partial[lag * chunks + c];
	r[lag] = acc;
}

/* ---- correlation plan ---------------------------------------------------------- */

static dsp_status xcorr_enqueue(dsp_xcorr_t *p)
{
	dsp_ctx_t *ctx = p->ctx;
	const uint32_t chunks = (p->n + DSP_CHUNK - 1) / DSP_CHUNK;
	void *partial = NULL;
	dsp_status st = ctx_scratch(ctx, (size_t)chunks * p->lags * sizeof(int32_t), &partial);
	if (st != DSP_SUCCESS)
		return st;
	k_partial<<<dim3(chunks, p->lags), DSP_CHUNK, 0, ctx->stream>>>((int32_t *)partial, p->d_x, p->d_y, p->n, chunks);
	k_collect<<<(p->lags + 63) / 64, 64, 0, ctx->stream>>>(p->d_r, (const int32_t *)partial, chunks, p->lags);
	return ctx_status(ctx, cudaMemcpyAsync(p->h_r, p->d_r, p->lags * sizeof(int32_t), cudaMemcpyDeviceToHost,
	                                       ctx->stream), DSP_EXEC_FAILED);
}

static dsp_status xcorr_record(dsp_xcorr_t *p)
{
	dsp_ctx_t *ctx = p->ctx;
	cudaGraph_t graph = NULL;
	dsp_status st = ctx_status(ctx, cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeGlobal), DSP_EXEC_FAILED);
	if (st != DSP_SUCCESS)
		return st;
	st = xcorr_enqueue(p);
	cudaError_t end = cudaStreamEndCapture(ctx->stream, &graph);
	if (st == DSP_SUCCESS)
		st = ctx_status(ctx, end, DSP_EXEC_FAILED);
	if (st == DSP_SUCCESS)
		st = ctx_status(ctx, cudaGraphInstantiate(&p->exec, graph, 0), DSP_EXEC_FAILED);
	if (graph)
		cudaGraphDestroy(graph);
	return st;
}

static dsp_status dsp_xcorr_create(dsp_xcorr_t **out, dsp_ctx_t *ctx, uint32_t n, uint32_t lags)
{
	dsp_xcorr_t *p = (dsp_xcorr_t *)calloc(1, sizeof *p);
	if (!p)
		return DSP_ALLOC_FAILED;
	p->ctx = ctx;
	p->n = n;
	p->lags = lags;
	*out = p;
	if (cudaMalloc((void **)&p->d_x, n * sizeof(int32_t)) != cudaSuccess ||
	    cudaMalloc((void **)&p->d_y, n * sizeof(int32_t)) != cudaSuccess ||
	    cudaMalloc((void **)&p->d_r, lags * sizeof(int32_t)) != cudaSuccess ||
	    cudaMallocHost((void **)&p->h_r, lags * sizeof(int32_t)) != cudaSuccess)
		return DSP_ALLOC_FAILED;
	return xcorr_record(p);
}

static dsp_status dsp_xcorr_execute(dsp_xcorr_t *p, const int32_t *x, const int32_t *y, int32_t *r)
{
	if (!p->exec)
		return DSP_NOT_READY;
	cudaStream_t s = p->ctx->stream;
	cudaMemcpyAsync(p->d_x, x, p->n * sizeof(int32_t), cudaMemcpyHostToDevice, s);
	cudaMemcpyAsync(p->d_y, y, p->n * sizeof(int32_t), cudaMemcpyHostToDevice, s);
	dsp_status st = ctx_status(p->ctx, cudaGraphLaunch(p->exec, s), DSP_EXEC_FAILED);
	if (st == DSP_SUCCESS)
		st = ctx_status(p->ctx, cudaStreamSynchronize(s), DSP_EXEC_FAILED);
	if (st == DSP_SUCCESS)
		memcpy(r, p->h_r, p->lags * sizeof(int32_t));
	return st;
}

static void dsp_xcorr_destroy(dsp_xcorr_t *p)
{
	if (p->exec)
		cudaGraphExecDestroy(p->exec);
	cudaFree(p->d_x);
	cudaFree(p->d_y);
	cudaFree(p->d_r);
	cudaFreeHost(p->h_r);
	free(p);
}

/* ---- self test -------------------------------------------------------------------- */

static int check_plan(dsp_xcorr_t *p, int rounds)
{
	int32_t *x = (int32_t *)malloc(p->n * sizeof(int32_t));
	int32_t *y = (int32_t *)malloc(p->n * sizeof(int32_t));
	int32_t *r = (int32_t *)calloc(p->lags, sizeof(int32_t));
	int bad = 0;
	for (int k = 0; k < rounds; k++) {
		for (uint32_t i = 0; i < p->n; i++) {
			x[i] = (int32_t)((i * 7u + k) % 11u) - 5;
			y[i] = (int32_t)((i * 5u + 3u * k) % 13u) - 6;
		}
		if (dsp_xcorr_execute(p, x, y, r) != DSP_SUCCESS)
			bad++;
		for (uint32_t l = 0; l < p->lags; l++) {
			int32_t acc = 0;
			for (uint32_t i = 0; i + l < p->n; i++)
				acc += x[i] * y[i + l];
			bad += acc != r[l];
		}
	}
	free(x);
	free(y);
	free(r);
	return bad;
}

int main(void)
{
	dsp_ctx_t *ctx = NULL;
	dsp_xcorr_t *small = NULL, *large = NULL;
	int ok = dsp_ctx_create(&ctx) == DSP_SUCCESS;

	ok = ok && dsp_xcorr_create(&small, ctx, 2048, 64) == DSP_SUCCESS;
	ok = ok && check_plan(small, 3) == 0;
	if (!ok) {
		puts("LABEL WRONG");
		return 1;
	}
	dsp_status st = dsp_xcorr_create(&large, ctx, 131072, 64);
	printf("large plan: status %d, cuda %s\n", (int)st, cudaGetErrorName(ctx->last_cuda));
	if (st != DSP_SUCCESS) {
		puts("LABEL WRONG");
		return 1;
	}
	const int large_bad = check_plan(large, 3);
	const int small_bad = check_plan(small, 2);

	puts(ctx->last_cuda == cudaSuccess && large_bad == 0 && small_bad == 0 && ctx->n_retired == 1
	     ? "LABEL CONFIRMED" : "LABEL WRONG");
	dsp_xcorr_destroy(large);
	dsp_xcorr_destroy(small);
	dsp_ctx_destroy(ctx);
	return 0;
}
