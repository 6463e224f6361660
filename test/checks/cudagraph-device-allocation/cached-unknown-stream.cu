// Code that runs under a capture of its caller uses the current stream of a
// library, which may be the capturing stream. A static variable retains the
// memory that this code allocates.

// RUN: %check %s cudagraph-device-allocation --roots=function:^captured

__global__ void kernel(float *x);
cudaStream_t current();

static float *workspace;
static size_t room;
static float *allocated(size_t n) {
  float *memory = nullptr;
  cudaMallocAsync(&memory, n, current());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMallocAsync' allocates memory that 'workspace' keeps for later work; if the stream of the call captures, every replay allocates it again, and no other work may use it; otherwise, the allocation is not in the graph
  return memory;
}
void captured(size_t n) {
  if (n > room) {
    workspace = allocated(n);
    room = n;
  }
  kernel<<<1, 1, 0, current()>>>(workspace);
}

// The memory is freed where it is allocated, or no static variable has it.
static float *temporary;
void captured_and_freed(size_t n, cudaStream_t s) {
  cudaStream_t stream = s ? s : current();
  cudaMallocAsync(&temporary, n, stream);
  kernel<<<1, 1, 0, stream>>>(temporary);
  cudaFreeAsync(temporary, stream);
}
float *captured_and_returned(size_t n, cudaStream_t s) {
  float *memory = nullptr;
  cudaMallocAsync(&memory, n, s ? s : current());
  return memory;
}
