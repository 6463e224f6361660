// Streams and events that a loop creates and appends to a vector: each element is
// distinct, and the index with which the program reads it identifies it.

// RUN: %check %s cudagraph-stream-dependency,cudagraph-default-stream,cudagraph-sync-call
// RUN: %check %s cudagraph-stream-dependency,cudagraph-default-stream,cudagraph-sync-call --real-std

#include <vector>

__global__ void kernel(float *x);

static std::vector<cudaStream_t> fewStreams() {
  std::vector<cudaStream_t> all;
  for (int i = 0; i < 2; ++i) {
    cudaStream_t each;
    cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
    all.push_back(each);
  }
  return all;
}

void outside(float *x, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  for (int i = 0; i < 2; ++i) {
    cudaStream_t each;
    cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
    all.push_back(each);
  }
  cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, all[0]>>>(x);
  kernel<<<1, 32, 0, all[1]>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'all[1]', which is not part of the capture of 'all[0]'
  kernel<<<1, 32, 0, all.back()>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'all.back()', which is not part of the capture of 'all[0]'
  cudaStreamEndCapture(all[0], graph);
  cudaStreamSynchronize(all[0]);
}

void oneByOne(float *x, cudaStream_t first, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  cudaStream_t second;
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  all.push_back(first);
  all.emplace_back(second);
  cudaStreamBeginCapture(all[1], cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, all[1]>>>(x);
  kernel<<<1, 32, 0, all.front()>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'all.front()', which is not part of the capture of 'all[1]'
  cudaStreamSynchronize(all.back());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'all.back()', which is capturing
  cudaStreamEndCapture(second, graph);
}

// The fork is joined.
void joined(float *x, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  std::vector<cudaEvent_t> events;
  for (int i = 0; i < 2; ++i) {
    cudaStream_t each;
    cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
    all.push_back(each);
    cudaEvent_t event;
    cudaEventCreate(&event);
    events.push_back(event);
  }
  cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(events[0], all[0]);
  cudaStreamWaitEvent(all[1], events[0], 0);
  kernel<<<1, 32, 0, all[1]>>>(x);
  cudaEventRecord(events[1], all[1]);
  cudaStreamWaitEvent(all[0], events[1], 0);
  cudaStreamEndCapture(all[0], graph);
  cudaStreamSynchronize(all[0]);
}

// The event is recorded at the fork, before the work on the other stream.
void unjoined(float *x, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  std::vector<cudaEvent_t> events;
  for (int i = 0; i < 2; ++i) {
    cudaStream_t each;
    cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
    all.push_back(each);
    cudaEvent_t event;
    cudaEventCreate(&event);
    events.push_back(event);
  }
  cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(events[0], all[0]);
  cudaStreamWaitEvent(all[1], events[0], 0);
  kernel<<<1, 32, 0, all[1]>>>(x);
  cudaEventRecord(events[1], all[1]);
  cudaStreamWaitEvent(all[0], events[0], 0);
  cudaStreamEndCapture(all[0], graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'all[0]' with unjoined work on stream 'all[1]'
}

// Two reads at the same index yield the same stream.
void sameElement(float *x, int n, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  for (int i = 0; i < n; ++i) {
    cudaStream_t each;
    cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
    all.push_back(each);
  }
  cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, all[0]>>>(x);
  cudaStreamEndCapture(all[0], graph);
}

// Nothing is known about elements that other code adds or removes.
void refill(std::vector<cudaStream_t> &all);
void refilled(float *x, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  cudaStream_t each;
  refill(all);
  cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  all.push_back(each);
  cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, each>>>(x);
  cudaStreamEndCapture(all[0], graph);
}
void shifted(float *x, cudaStream_t first, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  all.push_back(first);
  all.insert(all.begin(), first);
  cudaStream_t each;
  cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
  all.push_back(each);
  cudaStreamBeginCapture(all[2], cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, each>>>(x);
  cudaStreamEndCapture(all[2], graph);
}
void returned(float *x, cudaGraph_t *graph) {
  auto all = fewStreams();
  cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, all[0]>>>(x);
  cudaStreamEndCapture(all[0], graph);
}
