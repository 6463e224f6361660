#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* shot gather migration: a recorder thread lays down the kernels, the
 * controller collects the finished graph and fires it once per shot */

#define NS 2048
#define GO(call) do { rc = (call); if (rc != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __func__, __LINE__, cudaGetErrorName(rc)); goto out; } } while (0)

struct gather {
	cudaStream_t st;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	float *trace;
	float *image;
};

typedef cudaError_t (*op_fn)(struct gather *g);

struct task {
	const op_fn *ops;
	int nops;
	struct gather *g;
	cudaError_t rc;
};

__global__ void k_mute(float *t, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && i < 16)
		t[i] = 0.0f;
}

__global__ void k_stack(const float *t, float *img, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		img[i] += t[i];
}

static cudaError_t op_open(struct gather *g)
{
	return cudaStreamBeginCapture(g->st, cudaStreamCaptureModeRelaxed);
}

static cudaError_t op_mute(struct gather *g)
{
	k_mute<<<1, 32, 0, g->st>>>(g->trace, NS);
	return cudaGetLastError();
}

static cudaError_t op_stack(struct gather *g)
{
	k_stack<<<NS / 256, 256, 0, g->st>>>(g->trace, g->image, NS);
	return cudaGetLastError();
}

static const op_fn record_ops[] = { op_open, op_mute, op_stack };

static void *recorder(void *arg)
{
	struct task *t = (struct task *)arg;
	int i;

	t->rc = cudaSuccess;
	for (i = 0; i < t->nops && t->rc == cudaSuccess; i++)
		t->rc = t->ops[i](t->g);
	return NULL;
}

static cudaError_t gather_open(struct gather *g)
{
	float h[NS];
	cudaError_t rc;
	int i;

	memset(g, 0, sizeof *g);
	for (i = 0; i < NS; i++)
		h[i] = (float)(i % 7);
	GO(cudaStreamCreateWithFlags(&g->st, cudaStreamNonBlocking));
	GO(cudaMalloc((void **)&g->trace, sizeof h));
	GO(cudaMalloc((void **)&g->image, sizeof h));
	GO(cudaMemcpy(g->trace, h, sizeof h, cudaMemcpyHostToDevice));
	GO(cudaMemset(g->image, 0, sizeof h));
	GO(cudaDeviceSynchronize());
out:
	return rc;
}

static cudaError_t gather_collect(struct gather *g)
{
	cudaError_t rc;

	GO(cudaStreamEndCapture(g->st, &g->graph));
	GO(cudaGraphInstantiate(&g->exec, g->graph, 0));
out:
	return rc;
}

static void gather_close(struct gather *g)
{
	if (g->exec)
		cudaGraphExecDestroy(g->exec);
	if (g->graph)
		cudaGraphDestroy(g->graph);
	cudaFree(g->trace);
	cudaFree(g->image);
	cudaStreamDestroy(g->st);
}

int main(void)
{
	struct gather g;
	struct task t;
	pthread_t th;
	float v[2] = { -1.0f, -1.0f };
	cudaError_t rc;
	int shot, recorded = 0, good = 0;

	GO(gather_open(&g));
	t.ops = record_ops;
	t.nops = (int)(sizeof record_ops / sizeof record_ops[0]);
	t.g = &g;
	if (pthread_create(&th, NULL, recorder, &t) != 0) {
		rc = cudaErrorUnknown;
		goto out;
	}
	pthread_join(th, NULL);
	recorded = t.rc == cudaSuccess;
	rc = gather_collect(&g);
	if (!recorded)
		rc = t.rc;
	if (rc != cudaSuccess)
		goto out;
	for (shot = 0; shot < 3; shot++)
		GO(cudaGraphLaunch(g.exec, g.st));
	GO(cudaMemcpyAsync(&v[0], g.image + 3, sizeof v[0], cudaMemcpyDeviceToHost, g.st));
	GO(cudaMemcpyAsync(&v[1], g.image + 20, sizeof v[1], cudaMemcpyDeviceToHost, g.st));
	GO(cudaStreamSynchronize(g.st));
	good = v[0] == 0.0f && v[1] == 18.0f;
out:
	gather_close(&g);
	puts(rc == cudaSuccess && good ? "LABEL CONFIRMED" : "LABEL REFUTED");
	return 0;
}
