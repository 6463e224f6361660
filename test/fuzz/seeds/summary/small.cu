void wait(cudaStream_t s) { cudaStreamSynchronize(s); }
void capture(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  wait(s);
  cudaStreamEndCapture(s, g);
}
