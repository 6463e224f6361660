// A second begin call is refused, but not begin calls on several streams.

// RUN: %check %s

__global__ void k(float *x);
void a(cudaStream_t *ss, int n, cudaGraph_t *g) {
  for (int i = 0; i < n; i++)
    cudaStreamBeginCapture(ss[i], cudaStreamCaptureModeRelaxed);
  for (int i = 0; i < n; i++)
    k<<<1, 1, 0, ss[i]>>>(nullptr);
  for (int i = 0; i < n; i++)
    cudaStreamEndCapture(ss[i], g + i);
  cudaDeviceSynchronize();
}
void b(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamBeginCapture' begins a capture on stream 's', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode, {{.*}}[cudagraph-capture-scope]
  cudaStreamEndCapture(s, g);
  cudaDeviceSynchronize();
}
void c(cudaGraph_t *g) {
  cudaStream_t ss[2];
  cudaStreamCreate(&ss[0]);
  cudaStreamCreate(&ss[1]);
  for (auto s : ss)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  for (auto s : ss)
    cudaStreamEndCapture(s, g);
  cudaDeviceSynchronize();
}
