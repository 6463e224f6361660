// A handle that each call converts still points to the same object, and a
// function table hides the caller.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape

#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void filter(float *x, int n);

struct State {
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float *x;
  int block;
};

static cudaError_t compile(State *st) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(st->stream, cudaStreamCaptureModeThreadLocal);
  filter<<<(st->block + 63) / 64, 64, 0, st->stream>>>(st->x, st->block);
  cudaStreamEndCapture(st->stream, &graph);
  return cudaGraphInstantiate(&st->exec, graph, 0);
}

static void *create() {
  State *st = static_cast<State *>(calloc(1, sizeof(State)));
  st->block = 64;
  cudaStreamCreateWithFlags(&st->stream, cudaStreamNonBlocking);
  cudaMalloc(&st->x, 4096);
  return st;
}

static cudaError_t setBlock(void *self, int block) {
  State *st = static_cast<State *>(self);
  if (block <= 0)
    return cudaErrorInvalidValue;
  if (block == st->block)
    return cudaSuccess;
  st->block = block;
  if (st->exec) {
    cudaGraphExecDestroy(st->exec);
    st->exec = nullptr;
  }
  return cudaSuccess;
}

static cudaError_t process(void *self) {
  State *st = static_cast<State *>(self);
  if (!st->exec)
    compile(st);
  cudaGraphLaunch(st->exec, st->stream);
  return cudaStreamSynchronize(st->stream);
}

static const struct Plugin {
  void *(*create)();
  cudaError_t (*setBlock)(void *, int);
  cudaError_t (*process)(void *);
} plugin = {create, setBlock, process};

int main() {
  const int blocks[3] = {64, 256, 1024};
  cudaError_t rc = cudaSuccess;
  void *self = plugin.create();
  for (int b = 0; b < 3 && rc == cudaSuccess; ++b) {
    rc = plugin.setBlock(self, blocks[b]);
    if (rc == cudaSuccess)
      rc = plugin.process(self);
  }
}
