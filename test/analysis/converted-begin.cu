// The path on which a begin call fails does not leave a capture open, even if
// its status is converted to a different type.

// RUN: %check %s cudagraph-capture-scope

struct Device {
  cudaStream_t s;
  cudaGraph_t g;
};
enum class Code { Ok, Failed };
static Code converted(cudaError_t e) {
  return e == cudaSuccess ? Code::Ok : Code::Failed;
}
Code each_device(Device *all, int n) {
  for (int i = 0; i < n; ++i)
    if (converted(cudaStreamBeginCapture(
            all[i].s, cudaStreamCaptureModeThreadLocal)) != Code::Ok)
      return Code::Failed;
  for (int i = 0; i < n; ++i)
    if (converted(cudaStreamEndCapture(all[i].s, &all[i].g)) != Code::Ok)
      return Code::Failed;
  return Code::Ok;
}
Code one(cudaStream_t s, cudaGraph_t *g) {
  Code begun =
      converted(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  if (begun != Code::Ok)
    return begun;
  return converted(cudaStreamEndCapture(s, g));
}
Code bad(float *x, cudaStream_t s, cudaGraph_t *g) {
  if (converted(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) !=
      Code::Ok)
    return Code::Failed;
  if (cudaMemcpyAsync(x, x + 1, 4, cudaMemcpyDeviceToDevice, s) != cudaSuccess)
    return Code::Failed;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing
  return converted(cudaStreamEndCapture(s, g));
}
