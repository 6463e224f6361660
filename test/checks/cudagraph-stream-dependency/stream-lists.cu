// Streams in containers that are copied, moved, returned, or filled from a list.
// Each stream of the container is forked, but not joined.

// RUN: %check %s cudagraph-stream-dependency,cudagraph-default-stream --real-std

#include <cuda_runtime.h>
#include <deque>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

__global__ void work(float *p) { *p = 1; }

static void fork(cudaEvent_t E, std::vector<cudaStream_t> All) {
  for (cudaStream_t S : All)
    cudaStreamWaitEvent(S, E, 0);
}

static void forkQueue(cudaEvent_t E, std::deque<cudaStream_t> All) {
  for (cudaStream_t S : All)
    cudaStreamWaitEvent(S, E, 0);
}

struct Lanes {
  std::vector<cudaStream_t> All;
  explicit Lanes(std::vector<cudaStream_t> All) : All(std::move(All)) {}
  void fork(cudaEvent_t E) {
    for (cudaStream_t S : All)
      cudaStreamWaitEvent(S, E, 0);
  }
};

static std::vector<cudaStream_t> both(cudaStream_t A, cudaStream_t B) {
  return {A, B};
}

static cudaStream_t create() {
  cudaStream_t S;
  cudaStreamCreate(&S);
  return S;
}

static void begin(cudaStream_t S, cudaEvent_t E) {
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  cudaEventRecord(E, S);
}

static void launch(cudaStream_t A, cudaStream_t B, float *P) {
  work<<<1, 1, 0, A>>>(P);
  work<<<1, 1, 0, B>>>(P + 1);
}

void braced(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  begin(S, E);
  fork(E, {A, B});
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void queued(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  begin(S, E);
  forkQueue(E, {A, B});
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void copied(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  std::vector<cudaStream_t> All{A, B};
  begin(S, E);
  fork(E, All);
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void moved(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  std::vector<cudaStream_t> All{A, B};
  begin(S, E);
  fork(E, std::move(All));
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void member(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  Lanes All({A, B});
  begin(S, E);
  All.fork(E);
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void returned(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  begin(S, E);
  fork(E, both(A, B));
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void assigned(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  std::vector<cudaStream_t> All;
  All = {A, B};
  begin(S, E);
  fork(E, All);
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

void inserted(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  std::vector<cudaStream_t> All;
  All.push_back(A);
  All.insert(All.end(), B);
  begin(S, E);
  fork(E, All);
  launch(A, B, P);
  cudaStreamEndCapture(S, G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work
}

// Only one of the streams is forked.
void one(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  std::vector<cudaStream_t> All{A};
  begin(S, E);
  fork(E, All);
  work<<<1, 1, 0, B>>>(P);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'work' is launched on stream 'B', which is not part of the capture
  cudaEventRecord(E, A);
  cudaStreamWaitEvent(S, E, 0);
  cudaStreamEndCapture(S, G);
}

// Nothing shows the contents of these containers: the streams may be forked.
void fromIterators(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t Own[] = {create(), create()};
  std::vector<cudaStream_t> All(Own, Own + 2);
  begin(S, E);
  fork(E, All);
  launch(Own[0], Own[1], P);
  for (cudaStream_t Each : All) {
    cudaEventRecord(E, Each);
    cudaStreamWaitEvent(S, E, 0);
  }
  cudaStreamEndCapture(S, G);
}

void onHeap(cudaStream_t S, cudaEvent_t E, float *P, cudaGraph_t *G) {
  cudaStream_t A = create(), B = create();
  auto All = std::make_shared<std::vector<cudaStream_t>>(
      std::initializer_list<cudaStream_t>{A, B});
  begin(S, E);
  fork(E, *All);
  launch(A, B, P);
  for (cudaStream_t Each : *All) {
    cudaEventRecord(E, Each);
    cudaStreamWaitEvent(S, E, 0);
  }
  cudaStreamEndCapture(S, G);
}
