// A copy from a local variable on a stream that may or may not be part of the
// capture: the graph reads the variable again, or lacks the copy.

// RUN: %check %s cudagraph-dangling-memory --roots=function:^update
// RUN: %check %s cudagraph-dangling-memory --roots=function:^update --confidence=possible --suffix=POSSIBLE

#include <cuda_runtime.h>

struct Grid {
  int cells;
  float width;
};
cudaStream_t g_stream;

static void upload(void *to, const void *from, size_t n) {
  cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, g_stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'grid', a local variable of 'update'; every replay will read 8 bytes of the stack frame of 'update' if the stream is part of the capture; otherwise, the copy is not in the graph [cudagraph-dangling-memory]
  // CHECK-MESSAGES-POSSIBLE: :[[@LINE-2]]:3: warning: 'cudaMemcpyAsync' copies from 'grid', a local variable of 'update'
}
void update(Grid *device, int cells) {
  Grid grid{cells, 1.0f / cells};
  upload(device, &grid, sizeof grid);
}

// The object lives as long as the program.
void update_static(Grid *device, int cells) {
  static Grid grid;
  grid.cells = cells;
  upload(device, &grid, sizeof grid);
}

// If its stream is not part of the capture, the copy has ended.
void update_and_wait(Grid *device, int cells) {
  Grid grid{cells, 1.0f / cells};
  cudaMemcpyAsync(device, &grid, sizeof grid, cudaMemcpyHostToDevice, g_stream);
  // CHECK-MESSAGES-POSSIBLE: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'grid', a local variable of 'update_and_wait'
  cudaStreamSynchronize(g_stream);
}
