// Facts about a flag also hold in a callee, by value and by reference.

// RUN: %check %s

__global__ void k(float *x);
bool want();
static void evaluate(cudaStream_t s, float *x, bool &useGraph, bool &update,
                     cudaGraph_t *g) {
  k<<<1, 1, 0, s>>>(x);
  if (!useGraph)
    cudaStreamSynchronize(s);
  if (useGraph && update)
    cudaStreamEndCapture(s, g);
}
void compute(cudaStream_t s, float *x, cudaGraph_t *g) {
  bool useGraph = want(), update = want();
  if (useGraph && update)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  evaluate(s, x, useGraph, update, g);
  cudaStreamSynchronize(s);
}
static void evaluate2(cudaStream_t s, float *x, const bool useGraph, const bool update,
                      cudaGraph_t *g) {
  k<<<1, 1, 0, s>>>(x);
  if (!useGraph)
    cudaStreamSynchronize(s);
  if (useGraph && update)
    cudaStreamEndCapture(s, g);
}
void compute2(cudaStream_t s, float *x, cudaGraph_t *g) {
  bool useGraph = want(), update = want();
  if (useGraph && update)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  evaluate2(s, x, useGraph, update, g);
  cudaStreamSynchronize(s);
}
void compute3(cudaStream_t s, float *x, cudaGraph_t *g) {
  bool useGraph = want(), update = false;
  if (useGraph)
    update = want();
  if (useGraph && update)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  evaluate2(s, x, useGraph, update, g);
  cudaStreamSynchronize(s);
}
void compute4(cudaStream_t s, float *x, cudaGraph_t *g) {
  bool useGraph = want(), update = false;
  if (useGraph)
    update = want();
  if (useGraph && update)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  bool done = false;
  while (!done) {
    if (useGraph && update) {
      cudaStreamEndCapture(s, g);
      done = true;
    } else
      done = true;
  }
  cudaStreamSynchronize(s);
}
