// Lidar obstacle stage of a mobile base: scan mode follows the driving state, one graph launch per revolution.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define MAX_BEAMS 512
#define RUN(expr)                                                                        \
  do {                                                                                   \
    cudaError_t err_ = (expr);                                                           \
    if (err_ != cudaSuccess) {                                                           \
      printf("%s:%d %s\nLABEL UNOBSERVED\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

enum drive_state { DRIVE_PARKED, DRIVE_CRUISE, DRIVE_DOCKING, DRIVE_STATES };
static const int beams_for[DRIVE_STATES] = {64, 128, 480};

__global__ void clearance(const float* range, float* margin, int beams, float radius) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < beams) margin[b] = range[b] - radius;
}

__global__ void nearest(const float* margin, int beams, float* out) {
  __shared__ float best[128];
  float m = 1e30f;
  for (int b = threadIdx.x; b < beams; b += blockDim.x) m = fminf(m, margin[b]);
  best[threadIdx.x] = m;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) best[threadIdx.x] = fminf(best[threadIdx.x], best[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = best[0];
}

struct scanner {
  enum drive_state state;
  int beams;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float *h_range, *h_nearest;
  float *d_range, *d_margin, *d_nearest;
};

static void scanner_record(struct scanner* s) {
  cudaGraph_t graph;
  RUN(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeRelaxed));
  RUN(cudaMemcpyAsync(s->d_range, s->h_range, s->beams * sizeof(float), cudaMemcpyHostToDevice, s->stream));
  clearance<<<(s->beams + 63) / 64, 64, 0, s->stream>>>(s->d_range, s->d_margin, s->beams, 0.25f);  // HAZARD dynamic_shape #beams
  RUN(cudaGetLastError());
  nearest<<<1, 128, 0, s->stream>>>(s->d_margin, s->beams, s->d_nearest);  // HAZARD dynamic_shape #beams
  RUN(cudaGetLastError());
  RUN(cudaMemcpyAsync(s->h_nearest, s->d_nearest, sizeof(float), cudaMemcpyDeviceToHost, s->stream));
  RUN(cudaStreamEndCapture(s->stream, &graph));
  RUN(cudaGraphInstantiate(&s->exec, graph, 0));
  RUN(cudaGraphDestroy(graph));
}

static void scanner_init(struct scanner* s) {
  s->state = DRIVE_PARKED;
  s->beams = beams_for[DRIVE_PARKED];
  s->exec = NULL;
  RUN(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
  RUN(cudaMallocHost((void**)&s->h_range, MAX_BEAMS * sizeof(float)));
  RUN(cudaMallocHost((void**)&s->h_nearest, sizeof(float)));
  RUN(cudaMalloc((void**)&s->d_range, MAX_BEAMS * sizeof(float)));
  RUN(cudaMalloc((void**)&s->d_margin, MAX_BEAMS * sizeof(float)));
  RUN(cudaMalloc((void**)&s->d_nearest, sizeof(float)));
  for (int b = 0; b < MAX_BEAMS; ++b) s->h_range[b] = 0.f;
}

static void scanner_enter(struct scanner* s, enum drive_state next) {
  if (next == s->state) return;
  s->state = next;
  s->beams = beams_for[next];  // HAZARD dynamic_shape #beams
}

static float scanner_tick(struct scanner* s) {
  if (!s->exec) scanner_record(s);
  RUN(cudaGraphLaunch(s->exec, s->stream));
  RUN(cudaStreamSynchronize(s->stream));
  return *s->h_nearest;
}

static void scanner_close(struct scanner* s) {
  RUN(cudaGraphExecDestroy(s->exec));
  RUN(cudaFree(s->d_range));
  RUN(cudaFree(s->d_margin));
  RUN(cudaFree(s->d_nearest));
  RUN(cudaFreeHost(s->h_range));
  RUN(cudaFreeHost(s->h_nearest));
  RUN(cudaStreamDestroy(s->stream));
}

/* The closest return always sits on the last beams of the sweep, as it does beside a charging dock. */
static float sense(float* range, int beams, int rev) {
  float best = 1e30f;
  for (int b = 0; b < beams; ++b) {
    range[b] = 2.0f + (float)(beams - b) * 0.05f + 0.01f * (float)rev;
    best = fminf(best, range[b] - 0.25f);
  }
  return best;
}

int main(void) {
  const enum drive_state plan[] = {DRIVE_PARKED, DRIVE_PARKED, DRIVE_CRUISE, DRIVE_DOCKING, DRIVE_DOCKING, DRIVE_PARKED};
  struct scanner s;
  int parked_wrong = 0, moving_wrong = 0, moving = 0;

  scanner_init(&s);
  for (int rev = 0; rev < (int)(sizeof plan / sizeof plan[0]); ++rev) {
    scanner_enter(&s, plan[rev]);
    float want = sense(s.h_range, s.beams, rev);
    float got = scanner_tick(&s);
    int wrong = fabsf(got - want) > 1e-3f;
    printf("rev %d state %d: nearest %.3f, expected %.3f\n", rev, (int)s.state, got, want);
    if (s.state == DRIVE_PARKED) parked_wrong += wrong;
    else { ++moving; moving_wrong += wrong; }
  }
  scanner_close(&s);
  int seen = parked_wrong == 0 && moving_wrong == moving;
  printf("wrong revolutions: %d parked, %d of %d moving\n", parked_wrong, moving_wrong, moving);
  puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
