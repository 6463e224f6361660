// Host loops that wait for the device without a CUDA call: captured work
// does not run, and nothing writes to the memory that they read.

// RUN: %check %s cudagraph-sync-call

__global__ void notify(volatile int *counter, int n);
struct Buffer {
  volatile int *counter = nullptr;
  volatile int *experts = nullptr;
  int *counter_mapped = nullptr, *experts_mapped = nullptr;
  Buffer() {
    (void)cudaMallocHost((void **)&counter, sizeof(int));
    (void)cudaMallocHost((void **)&experts, 8 * sizeof(int));
    (void)cudaHostGetDevicePointer((void **)&counter_mapped, (void *)counter, 0);
    (void)cudaHostGetDevicePointer((void **)&experts_mapped, (void *)experts, 0);
  }
  int dispatch(cudaStream_t s, int local, long limit) {
    *counter = -1;
    notify<<<1, 1, 0, s>>>(counter_mapped, 3);
    int n = -1;
    for (;;) {
      n = static_cast<int>(*counter);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this loop waits for memory that the device writes while 's' (thread-local mode) captures; captured work does not run before the graph is launched, so the loop may never end [cudagraph-sync-call]
      bool ready = n >= 0;
      for (int i = 0; i < local && ready; ++i)
        ready &= experts[i] >= 0;
      if (ready)
        break;
    }
    return n;
  }
};
void member(Buffer &b, cudaStream_t s, int local, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  b.dispatch(s, local, 10);
  (void)cudaStreamEndCapture(s, g);
}
void managed(cudaStream_t s, cudaGraph_t *g) {
  int *flag;
  (void)cudaMallocManaged((void **)&flag, sizeof(int));
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  notify<<<1, 1, 0, s>>>(flag, 3);
  while (*(volatile int *)flag == 0) {
    // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: this loop waits for memory that the device writes
  }
  (void)cudaStreamEndCapture(s, g);
}
// The memory may be mapped, or belong to the caller: captured work receives its
// address and may write there.
__global__ void done(int *flag) { *flag = 1; }
__global__ void check(int *flag, int *out) { *out = *flag; }
void mapped(cudaStream_t s, cudaGraph_t *g) {
  int *flag, *on_device;
  (void)cudaHostAlloc((void **)&flag, sizeof(int), 2);
  (void)cudaHostGetDevicePointer((void **)&on_device, flag, 0);
  *flag = 0;
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  done<<<1, 1, 0, s>>>(on_device);
  while (*(volatile int *)flag == 0)
    ;
  // CHECK-MESSAGES: :[[@LINE-2]]:10: warning: this loop waits for memory that the device writes
  (void)cudaStreamEndCapture(s, g);
}
struct Channel {
  volatile int *flag;
};
void passed(Channel &c, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  done<<<1, 1, 0, s>>>((int *)c.flag);
  while (true) {
    int seen = *c.flag;
    // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: this loop waits for memory that the device writes
    if (seen > 0)
      break;
  }
  (void)cudaStreamEndCapture(s, g);
}

// Legal twins: loops after the capture, on host memory, and with an end that
// does not depend on the device.
void only_read(volatile int *flag, int *out, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  check<<<1, 1, 0, s>>>((int *)flag, out);
  while (*flag == 0) // another host thread sets it
    ;
  (void)cudaStreamEndCapture(s, g);
}
bool advance(int *state);
void steps_of_host(int *state, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  done<<<1, 1, 0, s>>>(state);
  while (*state < 8)
    advance(state);
  (void)cudaStreamEndCapture(s, g);
}
void after(Buffer &b, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  notify<<<1, 1, 0, s>>>(b.counter_mapped, 3);
  (void)cudaStreamEndCapture(s, g);
  while (*b.counter < 0) {
  }
}
void list(cudaStream_t s, const int *sizes, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; sizes[i] != 0; ++i)
    notify<<<1, 1, 0, s>>>(nullptr, 1);
  (void)cudaStreamEndCapture(s, g);
}
void fills(Buffer &b, cudaStream_t s, cudaGraph_t *g) {
  (void)cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 8; ++i)
    b.experts[i] = -1;
  notify<<<1, 1, 0, s>>>(b.experts_mapped, 3);
  (void)cudaStreamEndCapture(s, g);
}
