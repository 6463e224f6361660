// Every call that may grow a buffer is visible in `main`. Before the capture,
// such a call makes the buffer large enough; afterwards, such a call moves it.

// RUN: %check %s cudagraph-dangling-memory

#include <cuda_runtime.h>
#include <cstdlib>
#include <cstring>

struct Staging {
  char *bytes = nullptr;
  size_t capacity = 0;
  void atLeast(size_t wanted) {
    if (wanted <= capacity)
      return;
    char *grown = static_cast<char *>(malloc(wanted));
    if (bytes) {
      memcpy(grown, bytes, capacity);
      free(bytes);
    }
    bytes = grown;
    capacity = wanted;
  }
};

struct Clip {
  cudaStream_t stream;
  char *caption;
  Staging staging;
  cudaGraphExec_t exec;
};

static void record(Clip &clip, size_t bytes) {
  cudaGraph_t graph;
  clip.staging.atLeast(bytes);
  cudaStreamBeginCapture(clip.stream, cudaStreamCaptureModeGlobal);
  clip.staging.atLeast(bytes);
  cudaMemcpyAsync(clip.caption, clip.staging.bytes, bytes,
                  cudaMemcpyHostToDevice, clip.stream);
  cudaStreamEndCapture(clip.stream, &graph);
  cudaGraphInstantiate(&clip.exec, graph, 0);
}

static void recordAndGrow(Clip &clip, size_t bytes) {
  cudaGraph_t graph;
  clip.staging.atLeast(bytes);
  cudaStreamBeginCapture(clip.stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(clip.caption, clip.staging.bytes, bytes,
                  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from
                  cudaMemcpyHostToDevice, clip.stream);
  cudaStreamEndCapture(clip.stream, &graph);
  cudaGraphInstantiate(&clip.exec, graph, 0);
  clip.staging.atLeast(2 * bytes);
}

int main() {
  Clip clip;
  cudaStreamCreate(&clip.stream);
  record(clip, 100);
  cudaGraphLaunch(clip.exec, clip.stream);
  cudaGraphLaunch(clip.exec, clip.stream);

  Clip other;
  cudaStreamCreate(&other.stream);
  recordAndGrow(other, 100);
  cudaGraphLaunch(other.exec, other.stream);
  cudaGraphLaunch(other.exec, other.stream);
}
