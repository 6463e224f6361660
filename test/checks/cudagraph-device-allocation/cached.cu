// Memory that a graph allocates belongs to that graph: a static variable that
// retains the address passes it to work outside the graph.

// RUN: %check %s cudagraph-device-allocation

__global__ void kernel(float *x);

static float *scratch;
static size_t room;
static float *grown(size_t n, cudaStream_t s) {
  if (n > room) {
    cudaMallocAsync(&scratch, n, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocAsync' allocates graph memory that 'scratch' keeps for later work; every replay allocates it again, and no other work may use it
    room = n;
  }
  return scratch;
}
void cached(size_t n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, s>>>(grown(n, s));
  cudaStreamEndCapture(s, g);
}

float *local(size_t n, cudaStream_t s) {
  static float *memory;
  if (!memory) {
    float *made;
    cudaMallocAsync(&made, n, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocAsync' allocates graph memory that 'memory' keeps
    memory = made;
  }
  return memory;
}
void cached_in_function(size_t n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, s>>>(local(n, s));
  cudaStreamEndCapture(s, g);
}

// The memory is freed where it is allocated, or allocated before the capture.
static float *temporary;
void freed(size_t n, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&temporary, n, s);
  kernel<<<1, 1, 0, s>>>(temporary);
  cudaFreeAsync(temporary, s);
  cudaStreamEndCapture(s, g);
}
static float *early;
void before(size_t n, cudaStream_t s, cudaGraph_t *g) {
  cudaMallocAsync(&early, n, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, s>>>(early);
  cudaStreamEndCapture(s, g);
}
void own(size_t n, cudaStream_t s, cudaGraph_t *g) {
  float *mine;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&mine, n, s);
  kernel<<<1, 1, 0, s>>>(mine);
  cudaStreamEndCapture(s, g);
}
