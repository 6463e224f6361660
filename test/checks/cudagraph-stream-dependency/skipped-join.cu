// RUN: %check %s cudagraph-stream-dependency --real-std
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=ALL -- -DALL
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=FLAG -- -DFLAG
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=SAME -- -DSAME

// One loop forks the lanes, and a second loop joins only some of them. (ALL:
// it joins each of them. SAME: both loops skip the same lanes.)

#include "cuda_runtime.h"
#include <utility>
#include <vector>

__global__ void work(float *P) { P[threadIdx.x] += 1; }

struct Lane {
  cudaStream_t S = nullptr;
  bool Enabled = true;
  float *Data = nullptr;
};

class Desk {
public:
  explicit Desk(std::vector<Lane> Given) : Lanes(std::move(Given)) {
    cudaStreamCreateWithFlags(&Main, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&Ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&Done, cudaEventDisableTiming);
  }
  void record(bool Joins) {
    cudaGraph_t G = nullptr;
    cudaStreamBeginCapture(Main, cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(Ready, Main);
    for (Lane &L : Lanes) {
#ifdef SAME
      if (!L.Enabled)
        continue;
#endif
      cudaStreamWaitEvent(L.S, Ready, 0);
      work<<<1, 16, 0, L.S>>>(L.Data);
    }
    for (Lane &L : Lanes) {
#if defined(FLAG)
      if (!Joins)
        continue;
#elif !defined(ALL)
      if (!L.Enabled)
        continue;
#endif
      cudaEventRecord(Done, L.S);
      cudaStreamWaitEvent(Main, Done, 0);
    }
    cudaStreamEndCapture(Main, &G);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'Main' with unjoined work on stream 'L.S'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode
    // CHECK-MESSAGES-FLAG: :[[@LINE-2]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'Main' with unjoined work on stream 'L.S'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode
    cudaGraphInstantiate(&Exec, G, 0);
    cudaGraphDestroy(G);
  }
  void launch() { cudaGraphLaunch(Exec, Main); }

private:
  std::vector<Lane> Lanes;
  cudaStream_t Main = nullptr;
  cudaEvent_t Ready = nullptr, Done = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

void run(const std::vector<Lane> &Lanes, bool Joins) {
  Desk D(Lanes);
  D.record(Joins);
  D.launch();
}
