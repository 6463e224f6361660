// A condition chooses between the origin and a lane that has joined the capture. The
// choice is a conditional operator on objects or on values, or an assignment.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <utility>
#include <vector>

__global__ void work(float *p, int n);
__global__ void sum(float *p, int n);

struct Lanes {
  std::vector<cudaStream_t> Streams;
  std::vector<cudaEvent_t> Done;
  cudaEvent_t Open;

  cudaStream_t get(int I) const { return Streams[I]; }
  void fork(cudaStream_t From) {
    cudaEventRecord(Open, From);
    for (cudaStream_t Each : Streams)
      cudaStreamWaitEvent(Each, Open, 0);
  }
  void join(cudaStream_t To) {
    for (size_t I = 0; I < Streams.size(); ++I) {
      cudaEventRecord(Done[I], Streams[I]);
      cudaStreamWaitEvent(To, Done[I], 0);
    }
  }
};

void object(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I)
    work<<<1, 32, 0, I ? L.Streams[I - 1] : S>>>(P + I * 32, 32);
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
// CHECK-MESSAGES: [[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work on stream 'I ? L.Streams[I - 1] : S'
}

void value(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I)
    work<<<1, 32, 0, I > 0 ? L.get(I - 1) : S>>>(P + I * 32, 32);
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
// CHECK-MESSAGES: [[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work on stream 'I > 0 ? L.get(I - 1) : S'
}

void assignment(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I) {
    cudaStream_t On = S;
    if (I)
      On = L.Streams[I - 1];
    work<<<1, 32, 0, On>>>(P + I * 32, 32);
  }
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
// CHECK-MESSAGES: [[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work on stream 'On'
}

static void enqueue(cudaStream_t On, float *P) { work<<<1, 32, 0, On>>>(P, 32); }

void argument(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I)
    enqueue(I ? L.Streams[I - 1] : S, P + I * 32);
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
// CHECK-MESSAGES: [[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work of a forked stream
}

void legalJoin(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I)
    work<<<1, 32, 0, I ? L.Streams[I - 1] : S>>>(P + I * 32, 32);
  L.join(S);
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
}

void legalArgument(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I)
    enqueue(I > 0 ? L.get(I - 1) : S, P + I * 32);
  L.join(S);
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
}

// Each lane joins after its work.
void legalAtOnce(Lanes &L, cudaStream_t S, float *P, int N, cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  L.fork(S);
  for (int I = 0; I < N; ++I) {
    cudaStream_t On = I ? L.Streams[I - 1] : S;
    work<<<1, 32, 0, On>>>(P + I * 32, 32);
    if (I) {
      cudaEventRecord(L.Done[I - 1], On);
      cudaStreamWaitEvent(S, L.Done[I - 1], 0);
    }
  }
  sum<<<1, 32, 0, S>>>(P, N);
  cudaStreamEndCapture(S, G);
}

// A loop swaps the origin and the lane.
void legalSwap(cudaStream_t S, cudaStream_t Side, cudaEvent_t E, float *P, int N,
               cudaGraph_t *G) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(E, S);
  cudaStreamWaitEvent(Side, E, 0);
  cudaStream_t Now = S, Next = Side;
  for (int I = 0; I < N; ++I) {
    work<<<1, 32, 0, Now>>>(P, 32);
    std::swap(Now, Next);
  }
  cudaEventRecord(E, Side);
  cudaStreamWaitEvent(S, E, 0);
  cudaStreamEndCapture(S, G);
}
