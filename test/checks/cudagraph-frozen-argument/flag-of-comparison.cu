// A program compares the current values with those that the graph was captured with,
// stores the result in a local variable, and captures again if they differ.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape

struct Window {
  int First, Last;
};
__global__ void update(float *P, int First);
static Window grown(Window W) { return {W.First - 2, W.Last + 2}; }

static cudaStream_t Stream;
static cudaGraphExec_t Exec;
static float *Field;
static Window Now, Built;

static bool build() {
  cudaGraph_t Graph = nullptr;
  if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
    return false;
  update<<<Now.Last - Now.First, 32, 0, Stream>>>(Field, Now.First);
  if (cudaStreamEndCapture(Stream, &Graph))
    return false;
  if (Exec)
    cudaGraphExecDestroy(Exec);
  Exec = nullptr;
  bool Made = !cudaGraphInstantiate(&Exec, Graph, 0);
  cudaGraphDestroy(Graph);
  Built = Now;
  return Made;
}

bool legalAdvance(int Sweeps) {
  for (int I = 0; I < Sweeps; ++I) {
    bool Current =
        Exec && Built.First == Now.First && Built.Last == Now.Last;
    if (!Current && !build())
      return false;
    if (cudaGraphLaunch(Exec, Stream))
      return false;
    Now = grown(Now);
  }
  return true;
}

// Another window, which the program does not compare.
static Window Other;
static cudaGraphExec_t OtherExec;

static bool buildOther() {
  cudaGraph_t Graph = nullptr;
  if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
    return false;
  update<<<64, 32, 0, Stream>>>(Field, Other.First);
// CHECK-MESSAGES: [[@LINE-1]]:3: warning: argument 'Other.First' of kernel 'update'
  if (cudaStreamEndCapture(Stream, &Graph))
    return false;
  bool Made = !cudaGraphInstantiate(&OtherExec, Graph, 0);
  cudaGraphDestroy(Graph);
  return Made;
}

bool advance(int Sweeps) {
  for (int I = 0; I < Sweeps; ++I) {
    bool Current = OtherExec != nullptr;
    if (!Current && !buildOther())
      return false;
    if (cudaGraphLaunch(OtherExec, Stream))
      return false;
    Other = grown(Other);
  }
  return true;
}
