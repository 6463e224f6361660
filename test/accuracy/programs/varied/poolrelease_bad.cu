#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* image scaler: the intermediate is sized for the current mode; a mode change
 * releases the old one and records the program anew */

#define OUTW 512
#define DO(call) do { rc = (call); if (rc != cudaSuccess) { fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(rc)); goto done; } } while (0)

struct scaler;

struct scaler_ops {
	void (*release)(struct scaler *s);
	cudaError_t (*acquire)(struct scaler *s, int width);
	cudaError_t (*emit)(struct scaler *s);
};

struct scaler {
	const struct scaler_ops *ops;
	cudaStream_t st;
	cudaGraphExec_t exec;
	int width;
	float *in, *out;
	float *mid;	/* from the pool */
	float *old;	/* waits for its release */
};

__global__ void k_prefilter(const float *in, float *mid, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		mid[i] = in[i % OUTW] * 2.0f;
}

__global__ void k_resample(const float *mid, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = mid[i * (n / OUTW)] + 1.0f;
}

static void pool_release(struct scaler *s)
{
	if (s->old)
		cudaFreeAsync(s->old, s->st); // HAZARD ignored #1
	s->old = NULL;
}

static cudaError_t pool_acquire(struct scaler *s, int width)
{
	s->old = s->mid;
	s->mid = NULL;
	s->width = width;
	return cudaMallocAsync((void **)&s->mid, (size_t)width * sizeof(float), s->st);
}

static cudaError_t emit_two_pass(struct scaler *s)
{
	void *first[] = { &s->in, &s->mid, &s->width };
	void *second[] = { &s->mid, &s->out, &s->width };
	cudaError_t rc;

	rc = cudaLaunchKernel((const void *)k_prefilter, dim3((s->width + 127) / 128), dim3(128), first, 0, s->st);
	if (rc == cudaSuccess)
		rc = cudaLaunchKernel((const void *)k_resample, dim3(OUTW / 128), dim3(128), second, 0, s->st);
	return rc;
}

static const struct scaler_ops two_pass = { pool_release, pool_acquire, emit_two_pass };

static cudaError_t scaler_mode(struct scaler *s, int width)
{
	cudaGraph_t g = NULL;
	cudaError_t rc, step;

	DO(s->ops->acquire(s, width));
	if (s->exec) {
		DO(cudaStreamSynchronize(s->st));
		DO(cudaGraphExecDestroy(s->exec));
		s->exec = NULL;
	}
	DO(cudaStreamBeginCapture(s->st, cudaStreamCaptureModeThreadLocal));
	s->ops->release(s); // HAZARD ignored #1
	step = s->ops->emit(s);
	DO(cudaStreamEndCapture(s->st, &g));
	DO(step);
	DO(cudaGraphInstantiate(&s->exec, g, 0));
done:
	if (g)
		cudaGraphDestroy(g);
	return rc;
}

static cudaError_t scaler_frame(struct scaler *s, const float *px, float *out)
{
	cudaError_t rc;

	DO(cudaMemcpyAsync(s->in, px, OUTW * sizeof(float), cudaMemcpyHostToDevice, s->st));
	DO(cudaGraphLaunch(s->exec, s->st));
	DO(cudaMemcpyAsync(out, s->out, sizeof(float), cudaMemcpyDeviceToHost, s->st));
	DO(cudaStreamSynchronize(s->st));
done:
	return rc;
}

static cudaError_t pool_used(uint64_t *bytes)
{
	cudaMemPool_t pool;
	cudaError_t rc;

	DO(cudaDeviceSynchronize());
	DO(cudaDeviceGetDefaultMemPool(&pool, 0));
	DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, bytes));
done:
	return rc;
}

int main(void)
{
	static float px[OUTW];
	struct scaler s;
	uint64_t first = 0, later = 0;
	float v = 0.0f;
	cudaError_t rc;
	int i, ran = 0, values = 1;

	memset(&s, 0, sizeof s);
	s.ops = &two_pass;
	DO(cudaStreamCreateWithFlags(&s.st, cudaStreamNonBlocking));
	DO(cudaMalloc((void **)&s.in, sizeof px));
	DO(cudaMalloc((void **)&s.out, sizeof px));
	DO(scaler_mode(&s, 1 << 20));
	DO(pool_used(&first));
	for (i = 1; i <= 4; i++) {
		px[0] = (float)i;
		DO(scaler_mode(&s, 1 << 20));
		DO(scaler_frame(&s, px, &v));
		values = values && v == 2.0f * (float)i + 1.0f;
	}
	DO(pool_used(&later));
	ran = 1;
done:
	/* every mode change left its predecessor's intermediate in the pool */
	puts(ran && values && later >= 5 * first ? "LABEL CONFIRMED" : "LABEL REFUTED");
	return 0;
}
