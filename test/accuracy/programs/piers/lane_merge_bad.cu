/*
 * lane_merge.cu - two acquisition lanes (optical, acoustic) and a merger, each lane driven by a table of operations.
 */
#include <cuda_runtime.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSAMP  4096
#define NLANES 2
#define ROUNDS 32

#define TRY(call)                                                           \
	do {                                                                \
		cudaError_t e_ = (call);                                    \
		if (e_ != cudaSuccess) {                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,  \
				cudaGetErrorString(e_));                    \
			rc = -EIO;                                          \
			goto out;                                           \
		}                                                           \
	} while (0)

struct lane;

struct lane_ops {
	const char *name;
	int (*front)(struct lane *ln);    /* raw -> work */
	int (*settle)(struct lane *ln);   /* work -> out, or NULL */
};

struct lane {
	const struct lane_ops *ops;
	cudaStream_t stream;
	cudaEvent_t ready;                /* output may be read */
	cudaEvent_t idle;                 /* lane has nothing to do */
	float *raw;
	float *work;
	float *out;
	float gain;
};

struct rig {
	cudaStream_t main;
	cudaEvent_t go;
	struct lane lane[NLANES];
	float *merged;
	float *peak;
	cudaGraphExec_t exec;
};

/* ---- kernels -------------------------------------------------------------------------------------------------- */

__global__ void k_gain(const float *raw, float *dst, float gain, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		dst[i] = gain * raw[i];
}

/* first order recursive filter on a periodic trace: run round until it has settled; one thread, as the state carries */
__global__ void k_settle(const float *src, float *dst, int n, int rounds)
{
	float y = 0.0f;

	for (int r = 1; r < rounds; r++)
		for (int i = 0; i < n; i++)
			y = 0.75f * y + 0.25f * src[i];
	for (int i = 0; i < n; i++) {
		y = 0.75f * y + 0.25f * src[i];
		dst[i] = y;
	}
}

__global__ void k_peak(const float *src, float *peak, int n)
{
	__shared__ float best[256];
	float m = 0.0f;

	for (int i = threadIdx.x; i < n; i += 256)
		m = fmaxf(m, fabsf(src[i]));
	best[threadIdx.x] = m;
	__syncthreads();
	for (int s = 128; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + s]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*peak = best[0];
}

__global__ void k_merge(const float *a, const float *b, float *dst, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		dst[i] = a[i] - b[i];
}

/* ---- lane drivers --------------------------------------------------------------------------------------------- */

static int optical_front(struct lane *ln)
{
	k_gain<<<NSAMP / 256, 256, 0, ln->stream>>>(ln->raw, ln->work, ln->gain, NSAMP);
	return cudaGetLastError() == cudaSuccess ? 0 : -EIO;
}

static int optical_settle(struct lane *ln)
{
	k_settle<<<1, 1, 0, ln->stream>>>(ln->work, ln->out, NSAMP, ROUNDS);
	return cudaGetLastError() == cudaSuccess ? 0 : -EIO;
}

static int acoustic_front(struct lane *ln)
{
	k_gain<<<NSAMP / 256, 256, 0, ln->stream>>>(ln->raw, ln->out, ln->gain, NSAMP);
	return cudaGetLastError() == cudaSuccess ? 0 : -EIO;
}

static const struct lane_ops optical_ops  = { "optical",  optical_front,  optical_settle };
static const struct lane_ops acoustic_ops = { "acoustic", acoustic_front, NULL };

static int lane_init(struct lane *ln, const struct lane_ops *ops, float gain)
{
	int rc = 0;

	ln->ops = ops;
	ln->gain = gain;
	TRY(cudaStreamCreateWithFlags(&ln->stream, cudaStreamNonBlocking));
	TRY(cudaEventCreateWithFlags(&ln->ready, cudaEventDisableTiming));
	TRY(cudaEventCreateWithFlags(&ln->idle, cudaEventDisableTiming));
	TRY(cudaMalloc((void **)&ln->raw, NSAMP * sizeof(float)));
	TRY(cudaMalloc((void **)&ln->work, NSAMP * sizeof(float)));
	TRY(cudaMalloc((void **)&ln->out, NSAMP * sizeof(float)));
out:
	return rc;
}

static int lane_start(struct lane *ln, cudaEvent_t go)
{
	int rc = 0;

	TRY(cudaStreamWaitEvent(ln->stream, go, 0));
	if ((rc = ln->ops->front(ln)) != 0)
		goto out;
	TRY(cudaEventRecord(ln->ready, ln->stream)); // HAZARD dependency #ready
	if (ln->ops->settle && (rc = ln->ops->settle(ln)) != 0)
		goto out;
	TRY(cudaEventRecord(ln->idle, ln->stream));
out:
	return rc;
}

/* ---- rig ------------------------------------------------------------------------------------------------------ */

static int rig_enqueue(struct rig *rg)
{
	struct lane *a = &rg->lane[0], *b = &rg->lane[1];
	int rc = 0;

	TRY(cudaEventRecord(rg->go, rg->main));
	for (int i = 0; i < NLANES; i++)
		if ((rc = lane_start(&rg->lane[i], rg->go)) != 0)
			goto out;
	for (int i = 0; i < NLANES; i++)
		TRY(cudaStreamWaitEvent(rg->main, rg->lane[i].ready, 0)); // HAZARD dependency #ready
	k_merge<<<NSAMP / 256, 256, 0, rg->main>>>(a->out, b->out, rg->merged, NSAMP);
	k_peak<<<1, 256, 0, rg->main>>>(b->out, rg->peak, NSAMP);
	TRY(cudaGetLastError());
	for (int i = 0; i < NLANES; i++)
		TRY(cudaStreamWaitEvent(rg->main, rg->lane[i].idle, 0));
out:
	return rc;
}

static int rig_record(struct rig *rg)
{
	cudaGraph_t graph = NULL;
	int rc = 0;

	TRY(cudaStreamBeginCapture(rg->main, cudaStreamCaptureModeThreadLocal));
	rc = rig_enqueue(rg);
	if (cudaStreamEndCapture(rg->main, &graph) != cudaSuccess || rc != 0) {
		rc = rc ? rc : -EIO;
		goto out;
	}
	TRY(cudaGraphInstantiate(&rg->exec, graph, 0));
out:
	if (graph)
		cudaGraphDestroy(graph);
	return rc;
}

static int rig_load(struct rig *rg, float trace[NLANES][NSAMP])
{
	int rc = 0;

	for (int i = 0; i < NLANES; i++)
		TRY(cudaMemcpyAsync(rg->lane[i].raw, trace[i], NSAMP * sizeof(float), cudaMemcpyHostToDevice, rg->main));
out:
	return rc;
}

static float reference(struct rig *rg, float trace[NLANES][NSAMP], float *merged)
{
	float y = 0.0f, peak = 0.0f;

	for (int i = 0; i < NSAMP * (ROUNDS - 1); i++)
		y = 0.75f * y + 0.25f * (rg->lane[0].gain * trace[0][i % NSAMP]);
	for (int i = 0; i < NSAMP; i++) {
		float b = rg->lane[1].gain * trace[1][i];

		y = 0.75f * y + 0.25f * (rg->lane[0].gain * trace[0][i]);
		merged[i] = y - b;
		peak = fmaxf(peak, fabsf(b));
	}
	return peak;
}

static void fill(float trace[NLANES][NSAMP], int shot)
{
	for (int i = 0; i < NSAMP; i++) {
		trace[0][i] = (float)((i * 13 + shot * 31) % 64) + 10.0f * shot;
		trace[1][i] = (float)((i * 7 + shot * 17) % 32) - 16.0f;
	}
}

int main(void)
{
	static float trace[NLANES][NSAMP], merged[NSAMP], want[NSAMP];
	struct rig rg;
	float peak, want_peak, err;
	int rc = 0, good_first = 0, bad_later = 0;

	memset(&rg, 0, sizeof(rg));
	TRY(cudaStreamCreateWithFlags(&rg.main, cudaStreamNonBlocking));
	TRY(cudaEventCreateWithFlags(&rg.go, cudaEventDisableTiming));
	TRY(cudaMalloc((void **)&rg.merged, NSAMP * sizeof(float)));
	TRY(cudaMalloc((void **)&rg.peak, sizeof(float)));
	if (lane_init(&rg.lane[0], &optical_ops, 0.5f) || lane_init(&rg.lane[1], &acoustic_ops, 2.0f))
		goto out;

	/* dry run with the first shot loads the modules and fills the buffers */
	fill(trace, 0);
	if (rig_load(&rg, trace) || rig_enqueue(&rg))
		goto out;
	TRY(cudaDeviceSynchronize());
	if (rig_record(&rg))
		goto out;

	for (int shot = 0; shot < 6; shot++) {
		fill(trace, shot);
		if (rig_load(&rg, trace))
			goto out;
		TRY(cudaGraphLaunch(rg.exec, rg.main));
		TRY(cudaMemcpyAsync(merged, rg.merged, sizeof(merged), cudaMemcpyDeviceToHost, rg.main));
		TRY(cudaMemcpyAsync(&peak, rg.peak, sizeof(peak), cudaMemcpyDeviceToHost, rg.main));
		TRY(cudaStreamSynchronize(rg.main));

		want_peak = reference(&rg, trace, want);
		err = fabsf(peak - want_peak);
		for (int i = 0; i < NSAMP; i++)
			err = fmaxf(err, fabsf(merged[i] - want[i]));
		printf("shot %d: error %g\n", shot, err);
		if (shot == 0)
			good_first = err < 1e-2f;
		else if (err > 1.0f)
			bad_later++;
	}
out:
	if (rg.exec)
		cudaGraphExecDestroy(rg.exec);
	printf(rc == 0 && good_first && bad_later ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
	return 0;
}
