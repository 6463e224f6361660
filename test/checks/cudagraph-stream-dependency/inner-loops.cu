// Each branch enqueues its work in a loop. The branches share memory, or each has
// its own.

// RUN: %check %s cudagraph-stream-dependency

__global__ void fill(float *p) { p[threadIdx.x] = 1; }
__global__ void use(const float *p, float *out) {
  out[threadIdx.x] = p[threadIdx.x];
}

cudaStream_t origin, lane[2];
cudaEvent_t start, done[2];
float *shared, *own[2], *out[2];

void record(int rounds, cudaGraph_t *graph) {
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(start, origin);
  for (int i = 0; i < 2; ++i) {
    cudaStreamWaitEvent(lane[i], start, 0);
    for (int step = 0; step < 40; ++step) {
      fill<<<1, 32, 0, lane[i]>>>(shared);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'fill' writes to 'shared', which kernel 'fill' also writes on another stream, without waiting for it; CUDA returns success, and replays may run both at the same time [cudagraph-stream-dependency]
      use<<<1, 32, 0, lane[i]>>>(shared, out[i]);
    }
    cudaEventRecord(done[i], lane[i]);
    cudaStreamWaitEvent(origin, done[i], 0);
  }
  cudaStreamEndCapture(origin, graph);
}

// Legal.
void apart(cudaGraph_t *graph) {
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(start, origin);
  for (int i = 0; i < 2; ++i) {
    cudaStreamWaitEvent(lane[i], start, 0);
    for (int step = 0; step < 40; ++step) {
      fill<<<1, 32, 0, lane[i]>>>(own[i]);
      use<<<1, 32, 0, lane[i]>>>(own[i], out[i]);
    }
    cudaEventRecord(done[i], lane[i]);
    cudaStreamWaitEvent(origin, done[i], 0);
  }
  cudaStreamEndCapture(origin, graph);
}

// Legal: each branch waits for the one before it.
void inTurn(cudaGraph_t *graph) {
  cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 2; ++i) {
    cudaEventRecord(start, origin);
    cudaStreamWaitEvent(lane[i], start, 0);
    for (int step = 0; step < 40; ++step)
      fill<<<1, 32, 0, lane[i]>>>(shared);
    cudaEventRecord(done[i], lane[i]);
    cudaStreamWaitEvent(origin, done[i], 0);
  }
  cudaStreamEndCapture(origin, graph);
}

int main() {
  cudaGraph_t g;
  cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking);
  cudaEventCreate(&start);
  cudaMalloc(&shared, 128);
  for (int i = 0; i < 2; ++i) {
    cudaStreamCreateWithFlags(&lane[i], cudaStreamNonBlocking);
    cudaEventCreate(&done[i]);
    cudaMalloc(&own[i], 128);
    cudaMalloc(&out[i], 128);
  }
  record(2, &g);
  apart(&g);
  inTurn(&g);
}
