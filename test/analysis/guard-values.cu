// Guards that are passed on: as arguments, lambda captures, and the program's
// own flags.

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
bool capturing(cudaStream_t s) {
  cudaStreamCaptureStatus st;
  cudaStreamIsCapturing(s, &st);
  return st != cudaStreamCaptureStatusNone;
}
// guard passed along
void maybeSync(cudaStream_t s, bool sync) {
  if (sync)
    cudaStreamSynchronize(s);
}
void g1(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  maybeSync(s, !capturing(s));
  maybeSync(s, false);
  END(s, g);
  maybeSync(s, true);
}
// Flags that are set around the capture.
static bool g_capturing = false;
static thread_local int tl_depth = 0;
void sync_global(cudaStream_t s) {
  if (g_capturing)
    return;
  cudaStreamSynchronize(s);
}
void sync_tl(cudaStream_t s) {
  if (tl_depth == 0)
    cudaStreamSynchronize(s);
}
void g2(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  g_capturing = true;
  sync_global(s);
  END(s, g);
  g_capturing = false;
  sync_global(s);
}
void g3(cudaStream_t s, cudaGraph_t *g) {
  tl_depth = 1;
  BEGIN(s);
  sync_tl(s);
  END(s, g);
  tl_depth = 0;
  sync_tl(s);
}
struct Flag {
  bool &f;
  Flag(bool &f) : f(f) { f = true; }
  ~Flag() { f = false; }
};
void g4(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  {
    Flag f(g_capturing);
    sync_global(s);
  }
  END(s, g);
}
// The lambda captures the guard.
void g5(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  bool cap = capturing(s);
  auto f = [cap, s] {
    if (!cap)
      cudaStreamSynchronize(s);
  };
  auto h = [&] {
    if (!cap)
      cudaStreamSynchronize(s);
    if (cap)
      cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFree'
  };
  f();
  h();
  END(s, g);
}
