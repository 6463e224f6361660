/*
 * sensor_pipe.cu - fused sensor front end of the mobile base.
 *
 * Stages are plain function tables. A pipeline may run its stages directly or
 * through a graph that is built when the stage list changes.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_SAMPLES 1024
#define SP_MAX_STAGES 8
#define SP_EOFFLINE 5000

#define SP_TRY(call, label)                                                 \
	do {                                                                \
		if ((rc = (call)) != 0) {                                   \
			fprintf(stderr, "sensor_pipe:%d: rc %d\n",          \
				__LINE__, rc);                              \
			goto label;                                         \
		}                                                           \
	} while (0)

struct sp_stage;

struct sp_stage_ops {
	const char *name;
	int (*open)(struct sp_stage *st);
	int (*run)(struct sp_stage *st, float *frame, cudaStream_t stream);
	void (*reference)(float *frame);
	void (*close)(struct sp_stage *st);
};

struct sp_stage {
	const struct sp_stage_ops *ops;
	void *priv;
	int offline;
};

typedef struct sp_pipeline {
	struct sp_stage stage[SP_MAX_STAGES];
	int nstages;
	cudaStream_t stream;
	cudaGraphExec_t exec;
	float *frame_dev;
	unsigned int frames;
} *sp_handle;

/* ---- bias stage -------------------------------------------------------- */

__global__ void bias_kernel(float *f, const float *bias, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		f[i] -= bias[i % 4];
}

static const float bias_table[4] = { 0.25f, -0.5f, 0.125f, 1.0f };

static int bias_open(struct sp_stage *st)
{
	int rc;

	SP_TRY(cudaMalloc(&st->priv, sizeof(bias_table)), out);
	SP_TRY(cudaMemcpy(st->priv, bias_table, sizeof(bias_table),
			  cudaMemcpyHostToDevice), out);
out:
	return rc;
}

static int bias_run(struct sp_stage *st, float *frame, cudaStream_t stream)
{
	bias_kernel<<<SP_SAMPLES / 128, 128, 0, stream>>>(
		frame, (const float *)st->priv, SP_SAMPLES);
	return cudaGetLastError();
}

static void bias_reference(float *f)
{
	for (int i = 0; i < SP_SAMPLES; i++)
		f[i] -= bias_table[i % 4];
}

static void priv_free(struct sp_stage *st)
{
	cudaFree(st->priv);
	st->priv = NULL;
}

/* ---- clamp stage ------------------------------------------------------- */

__global__ void clamp_kernel(float *f, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		f[i] = fminf(fmaxf(f[i], -8.0f), 8.0f);
}

static int noop_open(struct sp_stage *st)
{
	st->priv = NULL;
	return 0;
}

static int clamp_run(struct sp_stage *st, float *frame, cudaStream_t stream)
{
	if (st->offline)
		return SP_EOFFLINE;
	clamp_kernel<<<SP_SAMPLES / 128, 128, 0, stream>>>(frame, SP_SAMPLES);
	return cudaGetLastError();
}

static void clamp_reference(float *f)
{
	for (int i = 0; i < SP_SAMPLES; i++)
		f[i] = f[i] < -8.0f ? -8.0f : (f[i] > 8.0f ? 8.0f : f[i]);
}

/* ---- reverse stage (works out of place) --------------------------------- */

__global__ void reverse_kernel(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[n - 1 - i];
}

static int reverse_open(struct sp_stage *st)
{
	return cudaMalloc(&st->priv, SP_SAMPLES * sizeof(float));
}

static int reverse_run(struct sp_stage *st, float *frame, cudaStream_t stream)
{
	int rc;

	SP_TRY(cudaMemcpyAsync(st->priv, frame, SP_SAMPLES * sizeof(float),
			       cudaMemcpyDeviceToDevice, stream), out);
	reverse_kernel<<<SP_SAMPLES / 128, 128, 0, stream>>>(
		(const float *)st->priv, frame, SP_SAMPLES);
	rc = cudaGetLastError();
out:
	return rc;
}

static void reverse_reference(float *f)
{
	for (int i = 0; i < SP_SAMPLES / 2; i++) {
		float t = f[i];

		f[i] = f[SP_SAMPLES - 1 - i];
		f[SP_SAMPLES - 1 - i] = t;
	}
}

static const struct sp_stage_ops sp_bias = {
	"bias", bias_open, bias_run, bias_reference, priv_free
};
static const struct sp_stage_ops sp_clamp = {
	"clamp", noop_open, clamp_run, clamp_reference, priv_free
};
static const struct sp_stage_ops sp_reverse = {
	"reverse", reverse_open, reverse_run, reverse_reference, priv_free
};

/* ---- pipeline ----------------------------------------------------------- */

static int sp_open(sp_handle *out)
{
	sp_handle p = (sp_handle)calloc(1, sizeof(*p));
	int rc;

	SP_TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), fail);
	SP_TRY(cudaMalloc(&p->frame_dev, SP_SAMPLES * sizeof(float)), fail);
	*out = p;
	return 0;
fail:
	free(p);
	return rc;
}

static int sp_add(sp_handle p, const struct sp_stage_ops *ops)
{
	struct sp_stage *st = &p->stage[p->nstages];

	st->ops = ops;
	p->nstages++;
	return ops->open(st);
}

static int sp_run_stages(sp_handle p)
{
	int rc = 0;

	for (int i = 0; i < p->nstages; i++) {
		struct sp_stage *st = &p->stage[i];

		SP_TRY(st->ops->run(st, p->frame_dev, p->stream), out);
	}
out:
	return rc;
}

static int sp_build(sp_handle p)
{
	cudaGraph_t graph = NULL;
	int rc, end_rc;

	if (p->exec) {
		cudaGraphExecDestroy(p->exec);
		p->exec = NULL;
	}
	SP_TRY(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal), out);
	rc = sp_run_stages(p);
	end_rc = cudaStreamEndCapture(p->stream, &graph);
	if (rc != 0)
		goto out;
	SP_TRY(end_rc, out);
	SP_TRY(cudaGraphInstantiate(&p->exec, graph, 0), out);
out:
	if (graph)
		cudaGraphDestroy(graph);
	return rc;
}

static int sp_process(sp_handle p, const float *in, float *out_frame)
{
	size_t bytes = SP_SAMPLES * sizeof(float);
	int rc;

	SP_TRY(cudaMemcpyAsync(p->frame_dev, in, bytes, cudaMemcpyHostToDevice,
			       p->stream), out);
	if (p->exec)
		SP_TRY(cudaGraphLaunch(p->exec, p->stream), out);
	else
		SP_TRY(sp_run_stages(p), out);
	SP_TRY(cudaMemcpyAsync(out_frame, p->frame_dev, bytes,
			       cudaMemcpyDeviceToHost, p->stream), out);
	SP_TRY(cudaStreamSynchronize(p->stream), out);
	p->frames++;
out:
	return rc;
}

static int sp_selftest(sp_handle p, int frames)
{
	static float in[SP_SAMPLES], want[SP_SAMPLES], got[SP_SAMPLES];
	int good = 0;

	for (int k = 0; k < frames; k++) {
		for (int i = 0; i < SP_SAMPLES; i++)
			in[i] = (float)((i * 7 + k * 13) % 97) * 0.25f - 12.0f;
		memcpy(want, in, sizeof(in));
		memset(got, 0, sizeof(got));
		for (int i = 0; i < p->nstages; i++)
			p->stage[i].ops->reference(want);
		if (sp_process(p, in, got) == 0 && !memcmp(want, got, sizeof(want)))
			good++;
	}
	return good;
}

int main(void)
{
	cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	sp_handle p = NULL;
	int rc, good[4], confirmed = 0;

	SP_TRY(sp_open(&p), done);
	SP_TRY(sp_add(p, &sp_bias), done);
	SP_TRY(sp_add(p, &sp_clamp), done);
	SP_TRY(sp_build(p), done);
	good[0] = sp_selftest(p, 4);

	SP_TRY(sp_add(p, &sp_reverse), done);
	SP_TRY(sp_build(p), done);
	good[1] = sp_selftest(p, 4);

	/* the sensor drops out: the rebuild fails and frames are run directly */
	p->stage[1].offline = 1;
	rc = sp_build(p);
	p->stage[1].offline = 0;
	if (rc != SP_EOFFLINE || p->exec)
		goto done;
	SP_TRY(cudaStreamIsCapturing(p->stream, &status), done);
	good[2] = sp_selftest(p, 4);

	SP_TRY(sp_build(p), done);
	good[3] = sp_selftest(p, 4);
	printf("frames good: %d %d %d %d\n", good[0], good[1], good[2], good[3]);
	confirmed = good[0] == 4 && good[1] == 4 && good[2] == 4 && good[3] == 4 &&
		    status == cudaStreamCaptureStatusNone;
done:
	printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
	return !confirmed;
}
