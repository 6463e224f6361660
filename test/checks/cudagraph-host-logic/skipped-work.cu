// RUN: %check %s cudagraph-host-logic
// RUN: %check %s cudagraph-host-logic --suffix=LEGAL -- -DALWAYS

// Under a condition that changes between replays, a function writes a message
// and returns. The recording succeeds, without the work. (ALWAYS: there is no
// condition.)

#include "cuda_runtime.h"
extern "C" int printf(const char *, ...);

__global__ void draw(float *To) { To[threadIdx.x] += 1; }

class Renderer {
public:
  int capture() {
    cudaGraph_t Graph;
    if (cudaMalloc(&Data, 1024) || cudaStreamCreate(&Stream) ||
        cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal))
      return 1;
    draw<<<1, 32, 0, Stream>>>(Data);
    overlay();
    if (cudaStreamEndCapture(Stream, &Graph))
      return 1;
    return cudaGraphInstantiate(&Exec, Graph, 0);
  }
  int run() {
    ++Frame;
    return cudaGraphLaunch(Exec, Stream);
  }

private:
  void overlay() {
#ifndef ALWAYS
    if (Frame % 2) {
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: the branch depends on host state that changes between replays during the capture of 'Stream' (blocking, global mode); replays repeat the branch taken at capture
      printf("no overlay\n");
      return;
    }
#endif
    draw<<<1, 32, 0, Stream>>>(Data);
  }

  int Frame = 0;
  float *Data = nullptr;
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Renderer R;
  if (R.capture())
    return 1;
  for (int I = 0; I < 4; ++I)
    if (R.run())
      return 1;
}
