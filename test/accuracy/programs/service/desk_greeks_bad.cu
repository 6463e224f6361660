#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPATH 1024
#define TRY(call) do { e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); goto out; } } while (0)

struct mkt {
	float rate;
	float vol;
	float strike;
};

struct desk {
	cudaStream_t st;
	cudaGraphExec_t exec;
	float *spot;
	float *value;
	float *scratch;
	struct mkt *mkt_dev;
};

struct stage {
	const char *name;
	cudaError_t (*record)(struct desk *d, const struct mkt *m);
};

__global__ void k_drift(const float *spot, const struct mkt *m, float *scratch, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		scratch[i] = spot[i] * (1.0f + m->rate) + m->vol;
}

__global__ void k_payoff(const float *scratch, const struct mkt *m, float *value, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		value[i] = fmaxf(scratch[i] - m->strike, 0.0f);
}

static cudaError_t rec_upload(struct desk *d, const struct mkt *m)
{
	return cudaMemcpyAsync(d->mkt_dev, m, sizeof *m, cudaMemcpyHostToDevice, d->st); /* pushed with the book */ // HAZARD dangling #1
}

static cudaError_t rec_drift(struct desk *d, const struct mkt *m)
{
	(void)m;
	k_drift<<<NPATH / 128, 128, 0, d->st>>>(d->spot, d->mkt_dev, d->scratch, NPATH); // HAZARD dangling #2
	return cudaGetLastError();
}

static cudaError_t rec_payoff(struct desk *d, const struct mkt *m)
{
	(void)m;
	k_payoff<<<NPATH / 128, 128, 0, d->st>>>(d->scratch, d->mkt_dev, d->value, NPATH); // HAZARD dangling #2
	return cudaGetLastError();
}

static const struct stage book[] = {
	{"upload", rec_upload},
	{"drift", rec_drift},
	{"payoff", rec_payoff},
};

static cudaError_t desk_open(struct desk *d)
{
	float h[NPATH];
	cudaError_t e;
	int i;

	memset(d, 0, sizeof *d);
	for (i = 0; i < NPATH; i++)
		h[i] = 100.0f;
	TRY(cudaStreamCreateWithFlags(&d->st, cudaStreamNonBlocking));
	TRY(cudaMalloc((void **)&d->spot, sizeof h));
	TRY(cudaMalloc((void **)&d->value, sizeof h));
	TRY(cudaMalloc((void **)&d->mkt_dev, sizeof *d->mkt_dev));
	TRY(cudaMemcpy(d->spot, h, sizeof h, cudaMemcpyHostToDevice));
out:
	return e;
}

static cudaError_t desk_build(struct desk *d, float rate, float vol)
{
	cudaGraph_t g = NULL;
	cudaError_t e, rc = cudaSuccess;
	size_t i;
	struct mkt m;

	m.rate = rate;
	m.vol = vol;
	m.strike = 90.0f;
	TRY(cudaMallocAsync((void **)&d->scratch, NPATH * sizeof(float), d->st));
	TRY(cudaStreamBeginCapture(d->st, cudaStreamCaptureModeRelaxed));
	for (i = 0; i < sizeof book / sizeof book[0] && rc == cudaSuccess; i++)
		rc = book[i].record(d, &m); // HAZARD dangling #1
	TRY(cudaStreamEndCapture(d->st, &g));
	TRY(rc);
	TRY(cudaGraphInstantiate(&d->exec, g, 0));
	TRY(cudaFreeAsync(d->scratch, d->st)); // HAZARD dangling #2
	d->scratch = NULL;
	TRY(cudaStreamSynchronize(d->st));
out:
	if (g)
		cudaGraphDestroy(g);
	return e;
}

static cudaError_t desk_value(struct desk *d, float *first)
{
	cudaError_t e;

	TRY(cudaGraphLaunch(d->exec, d->st));
	TRY(cudaMemcpyAsync(first, d->value, sizeof *first, cudaMemcpyDeviceToHost, d->st));
	TRY(cudaStreamSynchronize(d->st));
out:
	return e;
}

static void desk_close(struct desk *d)
{
	if (d->exec)
		cudaGraphExecDestroy(d->exec);
	if (d->scratch)
		cudaFreeAsync(d->scratch, d->st);
	cudaFree(d->mkt_dev);
	cudaFree(d->value);
	cudaFree(d->spot);
	cudaStreamDestroy(d->st);
}

int main(void)
{
	struct desk d;
	float v = 0.0f, w = 0.0f;
	cudaError_t e;
	int good = 0;

	TRY(desk_open(&d));
	TRY(desk_build(&d, 0.5f, 2.0f));
	TRY(desk_value(&d, &v));
	TRY(desk_value(&d, &w));
	good = fabsf(v - 62.0f) < 1e-3f && fabsf(w - 62.0f) < 1e-3f;
out:
	desk_close(&d);
	puts(e != cudaSuccess || !good ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
	return 0;
}
