// RUN: %check %s cudagraph-host-logic --suffix=LEGAL
// RUN: %check %s cudagraph-host-logic -- -DCHOSEN

// A pool has no block left, so the function returns an error: there is no graph
// to replay. (CHOSEN: with few blocks, it does more work.)

#include "cuda_runtime.h"

__global__ void fill(float *To) { To[threadIdx.x] = 1; }

struct Pool {
  float *Base = nullptr;
  int Free[4] = {0, 1, 2, 3};
  int NumFree = 4;
};
static Pool Blocks;

static float *take() {
  return Blocks.NumFree ? Blocks.Base + 32 * Blocks.Free[--Blocks.NumFree]
                        : nullptr;
}

struct Stage {
  cudaStream_t Stream = nullptr;
  float *Own = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

static cudaError_t enqueue(Stage &S) {
  float *Block = take();
  if (!Block)
    return cudaErrorMemoryAllocation;
#ifdef CHOSEN
  if (Blocks.NumFree < 2)
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the branch depends on host state that changes between replays during the capture of 'S.Stream' (blocking, thread-local mode); replays repeat the branch taken at capture
    fill<<<1, 32, 0, S.Stream>>>(S.Own);
#endif
  fill<<<1, 32, 0, S.Stream>>>(Block);
  return cudaGetLastError();
}

static cudaError_t capture(Stage &S) {
  cudaGraph_t Graph = nullptr;
  if (cudaError_t E =
          cudaStreamBeginCapture(S.Stream, cudaStreamCaptureModeThreadLocal))
    return E;
  cudaError_t Enqueued = enqueue(S);
  cudaError_t Ended = cudaStreamEndCapture(S.Stream, &Graph);
  if (Enqueued || Ended)
    return Enqueued ? Enqueued : Ended;
  return cudaGraphInstantiate(&S.Exec, Graph, 0);
}

int main() {
  Stage First, Second;
  if (cudaMalloc(&Blocks.Base, 512))
    return 1;
  Stage *const All[] = {&First, &Second};
  for (Stage *S : All)
    if (cudaStreamCreate(&S->Stream) || cudaMalloc(&S->Own, 128) || capture(*S))
      return 1;
  return cudaGraphLaunch(First.Exec, First.Stream) ||
         cudaGraphLaunch(Second.Exec, Second.Stream);
}
