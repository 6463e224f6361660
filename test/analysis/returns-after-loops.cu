// A return after a loop is not an early return: a status that it returns need not
// be a failure, and a message before it need not be an error message.

// RUN: %check %s cudagraph-sync-call --real-std

#include <cstdio>
#include <cuda_runtime.h>
#include <initializer_list>

__global__ void k(float *);

static cudaError_t create(cudaStream_t *s, int n) {
  cudaError_t e = cudaStreamCreate(s);
  for (int i = 0; i < n; ++i)
    k<<<1, 1>>>(nullptr);
  return e;
}

struct Sticky {
  cudaError_t first = cudaSuccess;
  Sticky &operator<<(cudaError_t e) {
    if (first == cudaSuccess)
      first = e;
    return *this;
  }
};
static cudaError_t createBoth(cudaStream_t *s, cudaEvent_t *e) {
  Sticky all;
  all << cudaStreamCreate(s) << cudaEventCreate(e);
  for (int device : {0, 1})
    all << cudaSetDevice(device);
  return all.first;
}

static int createAll(cudaStream_t *s, int n) {
  int created = 0;
  while (created < n && cudaStreamCreate(s + created) == cudaSuccess)
    ++created;
  std::printf("%d streams\n", created);
  return created;
}

static cudaError_t prepareEach(cudaStream_t s, int n) {
  cudaError_t e = cudaSuccess;
  for (int i = 0; i < n; ++i) {
    e = cudaMemsetAsync(nullptr, 0, 0, s);
    if (e != cudaSuccess)
      return e;
  }
  return e;
}

static void record(cudaStream_t s) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    return;
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's'
  if (cudaStreamEndCapture(s, &graph))
    return;
}

static void recordAgain(cudaStream_t s) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    return;
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's'
  if (cudaStreamEndCapture(s, &graph))
    return;
}

static void recordThird(cudaStream_t s) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    return;
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's'
  if (cudaStreamEndCapture(s, &graph))
    return;
}

static void recordLast(cudaStream_t s) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    return;
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's'
  if (cudaStreamEndCapture(s, &graph))
    return;
}

int main() {
  cudaStream_t s[3];
  cudaEvent_t e;
  create(&s[0], 3);
  record(s[0]);
  createBoth(&s[1], &e);
  recordAgain(s[1]);
  prepareEach(s[1], 4);
  recordThird(s[1]);
  createAll(s, 3);
  recordLast(s[2]);
}
