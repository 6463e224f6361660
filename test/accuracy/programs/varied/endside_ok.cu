#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

/* packet inspector: parse on lane 0, the two classifiers run on lanes of
 * their own and meet again before the verdict */

#define NPKT 1024
#define NLANE 3
#define OK(call) do { rc = (call); if (rc != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __func__, __LINE__, cudaGetErrorName(rc)); goto out; } } while (0)

struct insp {
	cudaStream_t lane[NLANE];
	cudaEvent_t mark[NLANE];
	int cur;	/* lane that stages submit to */
	cudaGraphExec_t exec;
	int *pkt, *hdr, *cls[2], *verdict;
};

struct stage {
	const char *name;
	int lane;
	int waits;	/* bit mask of lanes */
	void (*submit)(struct insp *in, cudaStream_t st);
};

__global__ void k_parse(const int *pkt, int *hdr) { int i = blockIdx.x * blockDim.x + threadIdx.x; hdr[i] = pkt[i] & 0xff; }
__global__ void k_class(const int *hdr, int *cls, int mul) { int i = blockIdx.x * blockDim.x + threadIdx.x; cls[i] = hdr[i] * mul; }
__global__ void k_verdict(const int *a, const int *b, int *v) { int i = blockIdx.x * blockDim.x + threadIdx.x; v[i] = a[i] + b[i]; }

static void do_parse(struct insp *in, cudaStream_t st) { k_parse<<<NPKT / 128, 128, 0, st>>>(in->pkt, in->hdr); }
static void do_port(struct insp *in, cudaStream_t st) { k_class<<<NPKT / 128, 128, 0, st>>>(in->hdr, in->cls[0], 2); }
static void do_rate(struct insp *in, cudaStream_t st) { k_class<<<NPKT / 128, 128, 0, st>>>(in->hdr, in->cls[1], 5); }
static void do_verdict(struct insp *in, cudaStream_t st) { k_verdict<<<NPKT / 128, 128, 0, st>>>(in->cls[0], in->cls[1], in->verdict); }

static const struct stage plan[] = {
	{ "parse", 0, 0, do_parse },
	{ "port", 1, 1 << 0, do_port },
	{ "rate", 2, 1 << 0, do_rate },
	{ "verdict", 0, 1 << 1 | 1 << 2, do_verdict },
};

static cudaError_t use_lane(struct insp *in, int lane, int waits)
{
	cudaError_t rc = cudaSuccess;
	int i;

	for (i = 0; i < NLANE; i++) {
		if (!(waits & 1 << i))
			continue;
		OK(cudaEventRecord(in->mark[i], in->lane[i]));
		OK(cudaStreamWaitEvent(in->lane[lane], in->mark[i], 0));
	}
	in->cur = lane;
out:
	return rc;
}

static cudaError_t plan_record(struct insp *in)
{
	cudaGraph_t g = NULL;
	cudaError_t rc;
	size_t i;

	in->cur = 0;
	OK(cudaStreamBeginCapture(in->lane[in->cur], cudaStreamCaptureModeThreadLocal));
	for (i = 0; i < sizeof plan / sizeof plan[0]; i++) {
		OK(use_lane(in, plan[i].lane, plan[i].waits));
		plan[i].submit(in, in->lane[in->cur]);
	}
	OK(cudaStreamEndCapture(in->lane[in->cur], &g));
	OK(cudaGraphInstantiate(&in->exec, g, 0));
out:
	if (rc != cudaSuccess && !g)
		cudaStreamEndCapture(in->lane[0], &g);
	if (g)
		cudaGraphDestroy(g);
	return rc;
}

static cudaError_t insp_open(struct insp *in)
{
	cudaError_t rc;
	int i;

	memset(in, 0, sizeof *in);
	for (i = 0; i < NLANE; i++) {
		OK(cudaStreamCreateWithFlags(&in->lane[i], cudaStreamNonBlocking));
		OK(cudaEventCreateWithFlags(&in->mark[i], cudaEventDisableTiming));
	}
	OK(cudaMalloc((void **)&in->pkt, NPKT * sizeof(int)));
	OK(cudaMalloc((void **)&in->hdr, NPKT * sizeof(int)));
	OK(cudaMalloc((void **)&in->cls[0], NPKT * sizeof(int)));
	OK(cudaMalloc((void **)&in->cls[1], NPKT * sizeof(int)));
	OK(cudaMalloc((void **)&in->verdict, NPKT * sizeof(int)));
out:
	return rc;
}

static cudaError_t insp_run(struct insp *in, const int *pkt, int *v)
{
	cudaError_t rc;

	OK(cudaMemcpyAsync(in->pkt, pkt, NPKT * sizeof(int), cudaMemcpyHostToDevice, in->lane[0]));
	OK(cudaGraphLaunch(in->exec, in->lane[0]));
	OK(cudaMemcpyAsync(v, in->verdict + 3, sizeof *v, cudaMemcpyDeviceToHost, in->lane[0]));
	OK(cudaStreamSynchronize(in->lane[0]));
out:
	return rc;
}

int main(void)
{
	static int pkt[NPKT];
	struct insp in;
	cudaError_t rc, recorded = cudaSuccess;
	int k, v, opened = 0, right = 0;

	OK(insp_open(&in));
	opened = 1;
	recorded = plan_record(&in);
	OK(recorded);
	right = 1;
	for (k = 1; k <= 3; k++) {
		pkt[3] = 0x100 * k + k;
		OK(insp_run(&in, pkt, &v));
		right = right && v == 7 * k;
	}
out:
	puts(opened && rc == cudaSuccess && right ? "LABEL CONFIRMED" : "LABEL REFUTED");
	return 0;
}
