// RUN: %check %s cudagraph-capture-scope
// RUN: %check %s cudagraph-capture-scope --suffix=LEGAL -- -DENDS

// A function captures the work of a callable that it receives. It returns
// before the end call if the callable fails. (ENDS: it first ends the capture.)

#include "cuda_runtime.h"

__global__ void scale(float *Data) { Data[threadIdx.x] *= 2; }

class Status {
public:
  Status(int Code = 0) : Code(Code) {}
  bool ok() const { return Code == 0; }

private:
  int Code;
};

static Status fromCuda(cudaError_t E) {
  return E == cudaSuccess ? Status() : Status(1);
}

template <typename Body>
Status record(cudaStream_t Stream, cudaGraph_t *Graph, Body &&Enqueue) {
  if (cudaStreamBeginCapture(Stream, cudaStreamCaptureModeThreadLocal))
    return 2;
  Status Recorded = Enqueue(Stream);
#ifdef ENDS
  Status Ended = fromCuda(cudaStreamEndCapture(Stream, Graph));
  return Recorded.ok() ? Ended : Recorded;
#else
  if (!Recorded.ok())
    return Recorded;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 'Stream' (blocking, thread-local mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900)
  return fromCuda(cudaStreamEndCapture(Stream, Graph));
#endif
}

class Service {
public:
  Status prepare(int Limit) {
    cudaGraph_t Graph = nullptr;
    Status Recorded = record(Stream, &Graph, [&](cudaStream_t S) -> Status {
      if (Limit < 0)
        return 3;
      scale<<<1, 32, 0, S>>>(Data);
      return fromCuda(cudaGetLastError());
    });
    if (!Recorded.ok())
      return Recorded;
    return fromCuda(cudaGraphInstantiate(&Exec, Graph, 0));
  }
  Status setUp() {
    cudaMalloc(&Data, 1024);
    return fromCuda(cudaStreamCreate(&Stream));
  }
  Status run() { return fromCuda(cudaGraphLaunch(Exec, Stream)); }

private:
  cudaStream_t Stream = nullptr;
  cudaGraphExec_t Exec = nullptr;
  float *Data = nullptr;
};

int main(int Count, char **) {
  Service S;
  if (!S.setUp().ok() || !S.prepare(Count - 2).ok())
    return 1;
  return S.run().ok() ? 0 : 1;
}
