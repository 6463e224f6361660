// A table of function pointers that is never changed is known, even if it is
// not constant: the loop calls the stages in order, up to the null pointer.

// RUN: %check %s cudagraph-stream-dependency,cudagraph-capture-scope

#include <cuda_runtime.h>

struct Device {
  cudaStream_t Main, Side;
  cudaEvent_t Fork, Join;
  float *X;
};

__global__ void kernel(float *x);

typedef int (*Stage)(Device *);

static int move(Device *D) {
  kernel<<<1, 1, 0, D->Main>>>(D->X);
  return 0;
}
static int start(Device *D) {
  cudaEventRecord(D->Fork, D->Main);
  cudaStreamWaitEvent(D->Side, D->Fork, 0);
  kernel<<<1, 1, 0, D->Side>>>(D->X + 1);
  return 0;
}
static int finish(Device *D) {
  cudaEventRecord(D->Join, D->Side);
  cudaStreamWaitEvent(D->Main, D->Join, 0);
  return 0;
}

struct Recipe {
  const char *Name;
  Stage Stages[4];
  cudaGraphExec_t Exec;
};

static Recipe Legal[2] = {{"move", {move, move, 0, 0}, 0},
                          {"observe", {start, move, finish, 0}, 0}};

static void build(Device *D, Recipe *R) {
  cudaGraph_t G;
  cudaStreamBeginCapture(D->Main, cudaStreamCaptureModeRelaxed);
  for (int I = 0; I < 4 && R->Stages[I]; ++I)
    if (R->Stages[I](D) != 0)
      break;
  cudaStreamEndCapture(D->Main, &G);
  cudaGraphInstantiate(&R->Exec, G, 0);
}

void legal(Device *D) {
  build(D, &Legal[0]);
  build(D, &Legal[1]);
  cudaGraphLaunch(Legal[0].Exec, D->Main);
}

static Recipe Gap[1] = {{"gap", {start, move, 0, finish}, 0}};

static void buildGap(Device *D, Recipe *R) {
  cudaGraph_t G;
  cudaStreamBeginCapture(D->Main, cudaStreamCaptureModeRelaxed);
  for (int I = 0; I < 4 && R->Stages[I]; ++I)
    if (R->Stages[I](D) != 0)
      break;
  cudaStreamEndCapture(D->Main, &G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'D->Main' with unjoined work of a forked stream; CUDA returns cudaErrorStreamCaptureUnjoined (904)
  cudaGraphInstantiate(&R->Exec, G, 0);
}

void gap(Device *D) { buildGap(D, &Gap[0]); }
