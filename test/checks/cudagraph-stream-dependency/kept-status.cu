// RUN: %check %s cudagraph-stream-dependency --real-std
// RUN: %check %s cudagraph-stream-dependency --real-std --suffix=JOINED -- -DJOINED

// An object keeps the first error of many calls. The function that it calls
// for each of them neither records events nor waits for them, so the work of
// the streams remains known.

#include "cuda_runtime.h"
#include <initializer_list>

struct Status {
  cudaError_t Code = cudaSuccess;
  const char *What = "";
  bool ok() const { return Code == cudaSuccess; }
  void add(cudaError_t E, const char *Text) {
    if (Code == cudaSuccess && E != cudaSuccess) {
      Code = E;
      What = Text;
    }
  }
};
#define ADD(Call) St.add((Call), #Call)

__global__ void work(float *P) { P[threadIdx.x] += 1; }

struct Lane {
  cudaStream_t S = nullptr;
  cudaEvent_t Ready = nullptr, Updated = nullptr;
  float *A = nullptr, *B = nullptr, *C = nullptr;
};

struct Trainer {
  Lane Lanes[3];
  cudaStream_t Main = nullptr, Metrics = nullptr, Loader = nullptr;
  cudaEvent_t Start = nullptr, Reduced = nullptr, Measured = nullptr;
  float *Mean = nullptr, *Norm = nullptr;
  cudaGraphExec_t Exec = nullptr;

  Status setup() {
    Status St;
    for (cudaStream_t *S : {&Main, &Metrics, &Loader})
      ADD(cudaStreamCreateWithFlags(S, cudaStreamNonBlocking));
    for (cudaEvent_t *E : {&Start, &Reduced, &Measured})
      ADD(cudaEventCreateWithFlags(E, cudaEventDisableTiming));
    for (float **P : {&Mean, &Norm})
      ADD(cudaMalloc(P, 64));
    for (int I = 0; I < 3; ++I) {
      Lane &L = Lanes[I];
      ADD(cudaStreamCreateWithFlags(&L.S, cudaStreamNonBlocking));
      ADD(cudaEventCreateWithFlags(&L.Ready, cudaEventDisableTiming));
      ADD(cudaEventCreateWithFlags(&L.Updated, cudaEventDisableTiming));
      for (float **P : {&L.A, &L.B, &L.C})
        ADD(cudaMalloc(P, 64));
      ADD(cudaMemsetAsync(L.A, 0, 64, L.S));
      ADD(cudaMemsetAsync(L.B, 0, 64, L.S));
      ADD(cudaStreamSynchronize(L.S));
    }
    return St;
  }

  Status record() {
    Status St;
    cudaGraph_t G = nullptr;
    ADD(cudaStreamBeginCapture(Main, cudaStreamCaptureModeGlobal));
    ADD(cudaEventRecord(Start, Main));
    for (Lane &L : Lanes) {
      ADD(cudaStreamWaitEvent(L.S, Start, 0));
      work<<<1, 16, 0, L.S>>>(L.A);
      ADD(cudaEventRecord(L.Ready, L.S));
      ADD(cudaStreamWaitEvent(Main, L.Ready, 0));
    }
    work<<<1, 16, 0, Main>>>(Mean);
    ADD(cudaEventRecord(Reduced, Main));
    for (Lane &L : Lanes) {
      ADD(cudaStreamWaitEvent(L.S, Reduced, 0));
      work<<<1, 16, 0, L.S>>>(L.B);
      ADD(cudaEventRecord(L.Updated, L.S));
      ADD(cudaStreamWaitEvent(Main, L.Updated, 0));
    }
    ADD(cudaStreamWaitEvent(Metrics, Reduced, 0));
    work<<<1, 16, 0, Metrics>>>(Norm);
    ADD(cudaEventRecord(Measured, Metrics));
#ifdef JOINED
    ADD(cudaStreamWaitEvent(Main, Measured, 0));
#endif
    ADD(cudaStreamEndCapture(Main, &G));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamEndCapture' ends the capture of 'Main' with unjoined work on stream 'Metrics'; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode
    if (St.ok())
      ADD(cudaGraphInstantiate(&Exec, G, 0));
    if (G)
      ADD(cudaGraphDestroy(G));
    return St;
  }
};

int main() {
  Trainer T;
  if (!T.setup().ok())
    return 1;
  return T.record().ok() ? 0 : 1;
}
