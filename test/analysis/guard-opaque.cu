// Guards that are defined in another file are recognized by name.

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
extern bool isStreamCapturing(cudaStream_t s);
struct Dev {
  bool is_capturing() const;
  virtual bool inCapture() = 0;
};
void g6(cudaStream_t s, cudaGraph_t *g, Dev &d) {
  BEGIN(s);
  if (!isStreamCapturing(s))
    cudaStreamSynchronize(s);
  if (isStreamCapturing(s))
    return;
  if (!d.is_capturing())
    cudaStreamSynchronize(s);
  if (!d.inCapture())
    cudaStreamSynchronize(s);
  END(s, g);
}
