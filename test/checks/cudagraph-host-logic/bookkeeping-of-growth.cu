// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=ALWAYS -- -DALWAYS
// Code that replaces a buffer only if it is too small may record the old one:
// replays do not need to repeat it.
#include <vector>

struct Context {
  cudaStream_t stream;
  void *scratch;
  size_t bytes;
  void *retired[16];
  int count;
};

struct Pool {
  cudaStream_t stream;
  void *block;
  size_t size;
  std::vector<void *> old;
};

__global__ void kernel(void *p);

static void *allocate(size_t bytes) {
  void *memory = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaMalloc(&memory, bytes);
  cudaThreadExchangeStreamCaptureMode(&mode);
  return memory;
}

// In an array, with a counter.
static void grow(Context *c, size_t bytes) {
#ifdef ALWAYS
  if (bytes == 0)
#else
  if (bytes <= c->bytes)
#endif
    return;
  void *grown = allocate(bytes);
  c->retired[c->count++] = c->scratch;
  // CHECK-MESSAGES-ALWAYS: :[[@LINE-1]]:14: warning: 'count' changes during the capture of 'c->stream'
  c->scratch = grown;
  c->bytes = bytes;
}

cudaError_t record(Context *c, size_t bytes, cudaGraph_t *graph) {
  if (cudaError_t e =
          cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeGlobal))
    return e;
  grow(c, bytes);
  kernel<<<1, 1, 0, c->stream>>>(c->scratch);
  return cudaStreamEndCapture(c->stream, graph);
}

void destroy(Context *c) {
  for (int i = 0; i < c->count; ++i)
    cudaFree(c->retired[i]);
}

// In a container, in a function that the branch calls.
static void replace(Pool *p, void *grown, size_t size) {
  p->old.push_back(p->block);
  // CHECK-MESSAGES-ALWAYS: :[[@LINE-1]]:3: warning: 'std::vector::push_back' changes the container
  p->block = grown;
  p->size = size;
}

cudaError_t record(Pool *p, size_t size, cudaGraph_t *graph) {
  if (cudaError_t e =
          cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeGlobal))
    return e;
#ifdef ALWAYS
  if (size != 0)
#else
  if (size > p->size)
#endif
    replace(p, allocate(size), size);
  kernel<<<1, 1, 0, p->stream>>>(p->block);
  return cudaStreamEndCapture(p->stream, graph);
}

void destroy(Pool *p) {
  for (void *each : p->old)
    cudaFree(each);
}
