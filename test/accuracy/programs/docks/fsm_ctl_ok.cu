/*
 * ctl.cu - sequencer for the actuator filter bank
 *
 * The sequencer is a table driven state machine. On (re)configuration it programs
 * the accelerator by walking the REC_* states, then stays in RUN where every tick
 * replays the program.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CTL_CH        128
#define CTL_TAPS      4
#define CTL_MAX_STEPS 32
#define CTL_FAULT_MAX 3

enum ctl_state {
	ST_IDLE = 0,
	ST_ARM,
	ST_REC_SENSE,
	ST_REC_FILTER,
	ST_REC_DRIVE,
	ST_SEAL,
	ST_RUN,
	ST_FAULT,
	ST_HALT,
	ST_COUNT
};

enum ctl_fault { FAULT_NONE = 0, FAULT_GAIN, FAULT_COEFF, FAULT_DRIVER };

struct fir_cfg {
	float gain;
	float tap[CTL_TAPS];
	float limit;
};

struct ctl {
	enum ctl_state  state;
	enum ctl_fault  fault;
	unsigned        fault_count;
	cudaError_t     err;
	struct fir_cfg  cfg;
	cudaStream_t    strm;
	cudaGraphExec_t prog;
	float          *raw;     /* CTL_CH samples of this tick, written by the bus */
	float          *hist;    /* CTL_TAPS * CTL_CH */
	float          *out;
	uint32_t        trace[ST_COUNT];
};

typedef enum ctl_state (*state_fn)(struct ctl *c);

static const struct fir_cfg k_safe_cfg = { 1.0f, { 0.25f, 0.25f, 0.25f, 0.25f }, 10.0f };

/* ---- device side ------------------------------------------------------ */

__global__ void k_sense(const float *raw, float *hist, float gain)
{
	int ch = threadIdx.x;

	for (int t = CTL_TAPS - 1; t > 0; t--)
		hist[t * CTL_CH + ch] = hist[(t - 1) * CTL_CH + ch];
	hist[ch] = raw[ch] * gain;
}

__global__ void k_filter(const float *hist, float *out, struct fir_cfg cfg)
{
	int ch = threadIdx.x;
	float acc = 0.0f;

	for (int t = 0; t < CTL_TAPS; t++)
		acc += cfg.tap[t] * hist[t * CTL_CH + ch];
	out[ch] = acc;
}

__global__ void k_drive(float *out, float limit)
{
	int ch = threadIdx.x;
	out[ch] = fminf(fmaxf(out[ch], -limit), limit);
}

/* ---- helpers ---------------------------------------------------------- */

static int coeff_ok(const struct fir_cfg *cfg)
{
	float sum = 0.0f;

	for (int t = 0; t < CTL_TAPS; t++)
		sum += fabsf(cfg->tap[t]);
	return sum <= 2.0f;
}

static enum ctl_state raise_fault(struct ctl *c, enum ctl_fault f, cudaError_t err)
{
	c->fault = f;
	if (err != cudaSuccess)
		c->err = err;
	c->fault_count++;
	return ST_FAULT;
}

#define TRY(c, call)                                                        \
	do {                                                                \
		cudaError_t e_ = (call);                                    \
		if (e_ != cudaSuccess)                                      \
			return raise_fault((c), FAULT_DRIVER, e_);          \
	} while (0)

/* Leaves program mode if the sequencer was thrown out of one of the REC_* states. */
static cudaError_t abort_program(struct ctl *c)
{
	cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
	cudaGraph_t g = NULL;

	if (cudaStreamIsCapturing(c->strm, &st) != cudaSuccess || st == cudaStreamCaptureStatusNone)
		return cudaGetLastError();
	if (cudaStreamEndCapture(c->strm, &g) != cudaSuccess)
		return cudaGetLastError();
	return cudaGraphDestroy(g);
}

/* ---- states ----------------------------------------------------------- */

static enum ctl_state st_idle(struct ctl *c)
{
	c->fault = FAULT_NONE;
	return ST_ARM;
}

static enum ctl_state st_arm(struct ctl *c)
{
	if (c->cfg.gain <= 0.0f)
		return raise_fault(c, FAULT_GAIN, cudaSuccess);
	if (c->prog) {
		TRY(c, cudaStreamSynchronize(c->strm));
		TRY(c, cudaGraphExecDestroy(c->prog));
		c->prog = NULL;
	}
	TRY(c, cudaMemsetAsync(c->hist, 0, CTL_TAPS * CTL_CH * sizeof(float), c->strm));
	TRY(c, cudaStreamBeginCapture(c->strm, cudaStreamCaptureModeThreadLocal));
	return ST_REC_SENSE;
}

static enum ctl_state st_rec_sense(struct ctl *c)
{
	k_sense<<<1, CTL_CH, 0, c->strm>>>(c->raw, c->hist, c->cfg.gain);
	return ST_REC_FILTER;
}

static enum ctl_state st_rec_filter(struct ctl *c)
{
	if (!coeff_ok(&c->cfg))
		return raise_fault(c, FAULT_COEFF, cudaSuccess);
	k_filter<<<1, CTL_CH, 0, c->strm>>>(c->hist, c->out, c->cfg);
	return ST_REC_DRIVE;
}

static enum ctl_state st_rec_drive(struct ctl *c)
{
	k_drive<<<1, CTL_CH, 0, c->strm>>>(c->out, c->cfg.limit);
	return ST_SEAL;
}

static enum ctl_state st_seal(struct ctl *c)
{
	cudaGraph_t g = NULL;

	TRY(c, cudaStreamEndCapture(c->strm, &g));
	TRY(c, cudaGetLastError());
	TRY(c, cudaGraphInstantiate(&c->prog, g, 0));
	TRY(c, cudaGraphDestroy(g));
	return ST_RUN;
}

static enum ctl_state st_run(struct ctl *c)
{
	TRY(c, cudaGraphLaunch(c->prog, c->strm));
	TRY(c, cudaStreamSynchronize(c->strm));
	return ST_RUN;
}

/* Outputs go to zero, then the sequencer comes up again with the safe profile. */
static enum ctl_state st_fault(struct ctl *c)
{
	if (abort_program(c) != cudaSuccess)
		return ST_HALT;
	if (c->fault == FAULT_DRIVER || c->fault_count > CTL_FAULT_MAX)
		return ST_HALT;
	if (cudaMemsetAsync(c->out, 0, CTL_CH * sizeof(float), c->strm) != cudaSuccess)
		return ST_HALT;
	c->cfg = k_safe_cfg;
	return ST_IDLE;
}

static enum ctl_state st_halt(struct ctl *) { return ST_HALT; }

static const struct {
	const char *name;
	state_fn    fn;
} k_table[ST_COUNT] = {
	{ "idle",       st_idle       },
	{ "arm",        st_arm        },
	{ "rec_sense",  st_rec_sense  },
	{ "rec_filter", st_rec_filter },
	{ "rec_drive",  st_rec_drive  },
	{ "seal",       st_seal       },
	{ "run",        st_run        },
	{ "fault",      st_fault      },
	{ "halt",       st_halt       },
};

/* ---- sequencer API ---------------------------------------------------- */

static void ctl_step(struct ctl *c)
{
	enum ctl_state next = k_table[c->state].fn(c);

	c->trace[next]++;
	if (next != c->state)
		printf("  %s -> %s\n", k_table[c->state].name, k_table[next].name);
	c->state = next;
}

static void ctl_configure(struct ctl *c, const struct fir_cfg *cfg)
{
	c->cfg = *cfg;
	c->state = ST_IDLE;
	for (int n = 0; n < CTL_MAX_STEPS && c->state != ST_RUN && c->state != ST_HALT; n++)
		ctl_step(c);
}

static int ctl_init(struct ctl *c)
{
	memset(c, 0, sizeof(*c));
	return cudaStreamCreateWithFlags(&c->strm, cudaStreamNonBlocking) == cudaSuccess &&
	       cudaMalloc((void **)&c->raw, CTL_CH * sizeof(float)) == cudaSuccess &&
	       cudaMalloc((void **)&c->hist, CTL_TAPS * CTL_CH * sizeof(float)) == cudaSuccess &&
	       cudaMalloc((void **)&c->out, CTL_CH * sizeof(float)) == cudaSuccess;
}

/* ---- bench ------------------------------------------------------------ */

static int bench_ticks(struct ctl *c, int ticks)
{
	float hist[CTL_TAPS][CTL_CH], in[CTL_CH], got[CTL_CH];
	int good = 0;

	memset(hist, 0, sizeof(hist));
	for (int k = 0; k < ticks && c->state == ST_RUN; k++) {
		int ok = 1;

		for (int ch = 0; ch < CTL_CH; ch++)
			in[ch] = sinf(0.3f * k + 0.05f * ch) * 8.0f;
		if (cudaMemcpyAsync(c->raw, in, sizeof(in), cudaMemcpyHostToDevice, c->strm) != cudaSuccess)
			return -1;
		ctl_step(c);
		if (cudaMemcpy(got, c->out, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess)
			return -1;
		memmove(hist[1], hist[0], (CTL_TAPS - 1) * sizeof(hist[0]));
		for (int ch = 0; ch < CTL_CH; ch++) {
			float acc = 0.0f;

			hist[0][ch] = in[ch] * c->cfg.gain;
			for (int t = 0; t < CTL_TAPS; t++)
				acc += c->cfg.tap[t] * hist[t][ch];
			acc = fminf(fmaxf(acc, -c->cfg.limit), c->cfg.limit);
			ok = ok && fabsf(acc - got[ch]) < 1e-4f;
		}
		good += ok;
	}
	return good;
}

int main(void)
{
	static struct ctl c;
	const struct fir_cfg profile_a = { 2.0f, { 0.5f, 0.3f, 0.2f, 0.1f }, 9.0f };
	const struct fir_cfg profile_b = { 1.5f, { 1.0f, -0.5f, 0.25f, 0.0f }, 12.0f };
	const struct fir_cfg profile_c = { 1.0f, { 3.0f, -2.0f, 1.0f, 0.0f }, 12.0f };
	cudaStreamCaptureStatus cap = cudaStreamCaptureStatusNone;
	int a, b, r;

	if (!ctl_init(&c))
		return puts("LABEL WRONG") < 0;
	ctl_configure(&c, &profile_a);
	a = bench_ticks(&c, 6);
	ctl_configure(&c, &profile_b);
	b = bench_ticks(&c, 6);
	ctl_configure(&c, &profile_c);
	r = bench_ticks(&c, 6);
	cudaStreamIsCapturing(c.strm, &cap);
	printf("a %d b %d recovered %d state %s err %s\n", a, b, r, k_table[c.state].name,
	       cudaGetErrorName(c.err));
	puts(a == 6 && b == 6 && r == 6 && c.state == ST_RUN && c.err == cudaSuccess &&
	     c.trace[ST_FAULT] == 1 && cap == cudaStreamCaptureStatusNone ? "LABEL CONFIRMED" : "LABEL WRONG");
	return 0;
}
