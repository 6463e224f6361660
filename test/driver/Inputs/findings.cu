void step(cudaStream_t s) {
  cudaStreamSynchronize(s);
}

void capture(cudaStream_t s, float **p) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  step(s);
  cudaMalloc((void **)p, 4);
  cudaStreamEndCapture(s, &graph);
}
