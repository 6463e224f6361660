// RUN: %check %s cudagraph-device-allocation,cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-device-allocation,cudagraph-host-logic --real-std --suffix=WARM -- -DWARM
// A function allocates the buffers that a table lacks, through a reference to
// the element. The code may have run before the capture.
#include <map>
#include <string>

__global__ void copy(const float *from, float *to);

static std::map<std::string, float *> buffers;

static float *buffer(const std::string &name, size_t count = 1024) {
  float *&memory = buffers[name];
  if (!memory)
    cudaMalloc(&memory, count * sizeof(float));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 'stream' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  return memory;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  auto synchronize = [&] {
    copy<<<8, 128, 0, stream>>>(buffer("weights"), buffer("teacher"));
  };
  auto iterate = [&] { copy<<<8, 128, 0, stream>>>(buffer("x"), buffer("y")); };
  auto record = [&](auto &&body) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    body();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  };
#if defined(WARM)
  for (const char *name : {"weights", "teacher"})
    buffer(name);
  iterate();
  cudaStreamSynchronize(stream);
#endif
  cudaGraphExec_t first = record(iterate), second = record(synchronize);
  for (int i = 0; i < 10; ++i) {
    buffer("x");
    cudaGraphLaunch(first, stream);
    cudaGraphLaunch(second, stream);
  }
  cudaStreamSynchronize(stream);
}
