// A failure leads to a cleanup through a pointer to a function. The cleanup may
// end the capture only if one of the functions that are stored there does.

// RUN: %check %s cudagraph-capture-scope


struct Stage {
  int Factor;
  float *Taps;
};
struct Ops {
  const char *Name;
  int (*Enqueue)(const Stage *, cudaStream_t);
  void (*Release)(Stage *);
};
__global__ void decimate(int Factor);

static int enqueue(const Stage *St, cudaStream_t S) {
  if (St->Factor % 3 != 0)
    return 4;
  decimate<<<1, 32, 0, S>>>(St->Factor);
  return 0;
}
static void releaseTaps(Stage *St) { St->Taps = nullptr; }
static void releaseNothing(Stage *) {}
static const Ops Table[] = {{"fir", enqueue, releaseTaps},
                            {"gain", enqueue, releaseNothing}};

int byConstantTable(cudaStream_t S, Stage *St, int Kind, cudaGraph_t *G) {
  int Result = 0;
  if (cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal) !=
      cudaSuccess) {
    Result = 1;
    goto out;
  }
  Result = enqueue(St, S);
  if (Result != 0)
    goto out;
// CHECK-MESSAGES: [[@LINE-1]]:5: warning: this goto leaves 'S' (thread-local mode) capturing
  Result = cudaStreamEndCapture(S, G) == cudaSuccess ? 0 : 1;
out:
  Table[Kind].Release(St);
  return Result;
}

struct Node {
  Stage St;
  const Ops *Kind;
};

int byMember(cudaStream_t S, Node *N, int Count, cudaGraph_t *G) {
  int Result = 0, I;
  for (I = 0; I < Count; ++I)
    N[I].Kind = &Table[N[I].St.Factor & 1];
  if (cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal) !=
      cudaSuccess) {
    Result = 1;
    goto out;
  }
  for (I = 0; I < Count && Result == 0; ++I)
    Result = enqueue(&N[I].St, S);
  if (Result != 0)
    goto out;
// CHECK-MESSAGES: [[@LINE-1]]:5: warning: this goto leaves 'S' (thread-local mode) capturing
  Result = cudaStreamEndCapture(S, G) == cudaSuccess ? 0 : 1;
out:
  while (Count-- > 0)
    N[Count].Kind->Release(&N[Count].St);
  return Result;
}

// One of the functions in this table ends the capture.
struct Job {
  Stage St;
  cudaStream_t Stream;
};
static void stopCapture(Job *J) {
  cudaGraph_t Dropped = nullptr;
  cudaStreamEndCapture(J->Stream, &Dropped);
  if (Dropped)
    cudaGraphDestroy(Dropped);
}
static void keep(Job *) {}
static void (*const Stops[])(Job *) = {keep, stopCapture};

int legalTable(Job *J, int Kind, cudaGraph_t *G) {
  int Result = 0;
  if (cudaStreamBeginCapture(J->Stream, cudaStreamCaptureModeThreadLocal) !=
      cudaSuccess)
    return 1;
  Result = enqueue(&J->St, J->Stream);
  if (Result != 0)
    goto out;
  return cudaStreamEndCapture(J->Stream, G) == cudaSuccess ? 0 : 1;
out:
  Stops[Kind](J);
  return Result;
}

// The caller decides.
int legalPointer(Job *J, void (*Stop)(Job *), cudaGraph_t *G) {
  int Result = 0;
  if (cudaStreamBeginCapture(J->Stream, cudaStreamCaptureModeThreadLocal) !=
      cudaSuccess)
    return 1;
  Result = enqueue(&J->St, J->Stream);
  if (Result != 0)
    goto out;
  return cudaStreamEndCapture(J->Stream, G) == cudaSuccess ? 0 : 1;
out:
  Stop(J);
  return Result;
}
