/*
 * filter_plan: plan API of a small DSP library (FIR, decimation, power), with recording.
 * Between fp_begin_record() and fp_end_record() executions are stored as a sequence
 * that fp_replay() runs with one launch.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fp_result {
  FP_SUCCESS = 0,
  FP_INVALID_PLAN,
  FP_INVALID_SIZE,
  FP_ALLOC_FAILED,
  FP_EXEC_FAILED,
  FP_RECORD_FAILED,
};

static const char *fp_result_string(fp_result r) {
  static const char *const names[] = {"FP_SUCCESS",      "FP_INVALID_PLAN", "FP_INVALID_SIZE",
                                      "FP_ALLOC_FAILED", "FP_EXEC_FAILED",  "FP_RECORD_FAILED"};
  return names[r];
}

#define FP_MAX_TAPS 32

struct fp_plan_s {
  int length;
  int taps;
  int factor;
  float *d_taps;
  float *d_filtered; /* length */
  cudaStream_t stream;
  int recording;
  cudaEvent_t order;
};
typedef fp_plan_s *fp_plan;

struct fp_sequence_s {
  cudaGraphExec_t exec;
};
typedef fp_sequence_s *fp_sequence;

__global__ void fir_kernel(const float *x, const float *taps, int ntaps, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float acc = 0.f;
  for (int k = 0; k < ntaps && k <= i; ++k) acc += taps[k] * x[i - k];
  y[i] = acc;
}

__global__ void decimate_kernel(const float *x, float *y, int factor, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) y[i] = x[i * factor];
}

__global__ void power_kernel(const float *x, float *p, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) p[i] = x[i] * x[i];
}

void fp_destroy(fp_plan p) {
  if (!p) return;
  if (p->order) cudaEventDestroy(p->order);
  cudaFree(p->d_filtered);
  cudaFree(p->d_taps);
  free(p);
}

fp_result fp_create(fp_plan *out, int length, const float *taps, int ntaps, int factor, cudaStream_t stream) {
  if (length <= 0 || ntaps <= 0 || ntaps > FP_MAX_TAPS || factor < 1 || length % factor) return FP_INVALID_SIZE;
  fp_plan p = (fp_plan)calloc(1, sizeof(*p));
  if (!p) return FP_ALLOC_FAILED;
  p->length = length;
  p->taps = ntaps;
  p->factor = factor;
  p->stream = stream;
  if (cudaMalloc((void **)&p->d_taps, ntaps * sizeof(float)) != cudaSuccess ||
      cudaMalloc((void **)&p->d_filtered, length * sizeof(float)) != cudaSuccess ||
      cudaEventCreateWithFlags(&p->order, cudaEventDisableTiming) != cudaSuccess ||
      cudaMemcpy(p->d_taps, taps, ntaps * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) {
    fp_destroy(p);
    return FP_ALLOC_FAILED;
  }
  *out = p;
  return FP_SUCCESS;
}

/* Later executions of the plan run on 'stream', after everything the plan did before. */
fp_result fp_set_stream(fp_plan p, cudaStream_t stream) {
  if (!p) return FP_INVALID_PLAN;
  if (stream == p->stream) return FP_SUCCESS;
  if (cudaEventRecord(p->order, p->stream) != cudaSuccess) return FP_EXEC_FAILED;
  if (cudaStreamWaitEvent(stream, p->order, 0) != cudaSuccess) return FP_EXEC_FAILED;
  p->stream = stream;
  return FP_SUCCESS;
}

fp_result fp_exec_fir(fp_plan p, const float *d_in) {
  if (!p) return FP_INVALID_PLAN;
  fir_kernel<<<(p->length + 127) / 128, 128, 0, p->stream>>>(d_in, p->d_taps, p->taps, p->d_filtered, p->length);
  return cudaGetLastError() == cudaSuccess ? FP_SUCCESS : FP_EXEC_FAILED;
}

fp_result fp_exec_decimate(fp_plan p, float *d_out) {
  if (!p) return FP_INVALID_PLAN;
  const int m = p->length / p->factor;
  decimate_kernel<<<(m + 127) / 128, 128, 0, p->stream>>>(p->d_filtered, d_out, p->factor, m);
  return cudaGetLastError() == cudaSuccess ? FP_SUCCESS : FP_EXEC_FAILED;
}

fp_result fp_exec_power(fp_plan p, const float *d_in, float *d_power) {
  if (!p) return FP_INVALID_PLAN;
  const int m = p->length / p->factor;
  power_kernel<<<(m + 127) / 128, 128, 0, p->stream>>>(d_in, d_power, m);
  return cudaGetLastError() == cudaSuccess ? FP_SUCCESS : FP_EXEC_FAILED;
}

fp_result fp_begin_record(fp_plan p) {
  if (!p) return FP_INVALID_PLAN;
  if (cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) return FP_RECORD_FAILED;
  p->recording = 1;
  return FP_SUCCESS;
}

/* 'exec' is the outcome of the executions in between; the recording is closed in any case. */
fp_result fp_end_record(fp_plan p, fp_result exec, fp_sequence *out) {
  cudaGraph_t graph = NULL;
  if (!p) return FP_INVALID_PLAN;
  if (!p->recording) return FP_RECORD_FAILED;
  cudaError_t rc = cudaStreamEndCapture(p->stream, &graph); // HAZARD scope #stream
  p->recording = 0;
  if (rc != cudaSuccess) fprintf(stderr, "fp_end_record: %s\n", cudaGetErrorName(rc));
  if (rc == cudaSuccess && exec == FP_SUCCESS) {
    *out = (fp_sequence)calloc(1, sizeof(**out));
    if (!*out) {
      exec = FP_ALLOC_FAILED;
    } else if ((rc = cudaGraphInstantiate(&(*out)->exec, graph, 0)) != cudaSuccess) {
      free(*out);
      *out = NULL;
    }
  }
  if (graph) cudaGraphDestroy(graph);
  if (exec != FP_SUCCESS) return exec;
  return rc == cudaSuccess ? FP_SUCCESS : FP_RECORD_FAILED;
}

fp_result fp_replay(fp_sequence s, cudaStream_t stream) {
  return cudaGraphLaunch(s->exec, stream) == cudaSuccess ? FP_SUCCESS : FP_EXEC_FAILED;
}

void fp_sequence_destroy(fp_sequence s) {
  if (!s) return;
  cudaGraphExecDestroy(s->exec);
  free(s);
}

static int count_wrong(const float *x, const float *taps, int ntaps, int factor, const float *y, const float *pw, int m) {
  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    float acc = 0.f;
    for (int k = 0; k < ntaps && k <= i * factor; ++k) acc += taps[k] * x[i * factor - k];
    wrong += fabsf(acc - y[i]) > 1e-3f || fabsf(acc * acc - pw[i]) > 1e-2f;
  }
  return wrong;
}

int main(void) {
  enum { N = 1024, M = N / 4, TAPS = 8, BLOCKS = 5 };
  static float x[N], y[M], pw[M];
  const float taps[TAPS] = {0.05f, 0.1f, 0.15f, 0.2f, 0.2f, 0.15f, 0.1f, 0.05f};
  float *d_in = NULL, *d_out = NULL, *d_power = NULL;
  cudaStream_t io = NULL, dsp = NULL;
  fp_plan plan = NULL;
  fp_sequence seq = NULL;
  int bad_cuda = 0, wrong = 0;
  bad_cuda |= cudaStreamCreate(&io) | cudaStreamCreate(&dsp);
  bad_cuda |= cudaMalloc((void **)&d_in, sizeof(x)) | cudaMalloc((void **)&d_out, sizeof(y)) |
              cudaMalloc((void **)&d_power, sizeof(pw));
  fp_result r = bad_cuda ? FP_ALLOC_FAILED : fp_create(&plan, N, taps, TAPS, 4, io);

  if (r == FP_SUCCESS) r = fp_begin_record(plan);
  if (r == FP_SUCCESS) {
    fp_result e = fp_exec_fir(plan, d_in);
    if (e == FP_SUCCESS) e = fp_set_stream(plan, dsp); // HAZARD scope #stream
    if (e == FP_SUCCESS) e = fp_exec_decimate(plan, d_out);
    if (e == FP_SUCCESS) e = fp_exec_power(plan, d_out, d_power);
    r = fp_end_record(plan, e, &seq);
  }
  for (int b = 0; b < BLOCKS && r == FP_SUCCESS; ++b) {
    for (int i = 0; i < N; ++i) x[i] = (float)((i * (b + 3)) % 17) - 8.f;
    bad_cuda |= cudaMemcpyAsync(d_in, x, sizeof(x), cudaMemcpyHostToDevice, io);
    r = fp_replay(seq, io);
    bad_cuda |= cudaMemcpyAsync(y, d_out, sizeof(y), cudaMemcpyDeviceToHost, io);
    bad_cuda |= cudaMemcpyAsync(pw, d_power, sizeof(pw), cudaMemcpyDeviceToHost, io);
    bad_cuda |= cudaStreamSynchronize(io);
    wrong += count_wrong(x, taps, TAPS, 4, y, pw, M);
  }
  fp_sequence_destroy(seq);
  fp_destroy(plan);
  cudaFree(d_power), cudaFree(d_out), cudaFree(d_in);
  cudaStreamDestroy(dsp), cudaStreamDestroy(io);
  printf("result %s, wrong samples %d\n", fp_result_string(r), wrong);
  puts(r == FP_RECORD_FAILED && !bad_cuda ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
