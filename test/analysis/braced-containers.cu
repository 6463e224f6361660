// Callables in containers initialized with braced lists: at namespace scope and
// in an object.

// REQUIRES: gxx
// RUN: %check %s cudagraph-sync-call --real-std

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

__global__ void work(float *x);

struct Context {
  cudaStream_t stream;
  float *x;
};
using Step = std::function<void(const Context &)>;

static const std::unordered_map<std::string, Step> OfFile = {
    {"work", [](const Context &c) { work<<<1, 1, 0, c.stream>>>(c.x); }},
    {"wait", [](const Context &c) {
       cudaStreamSynchronize(c.stream);
       // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: 'cudaStreamSynchronize' waits for stream 'c.stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
     }}};

void ofFile(const Context &c, const std::string &name, cudaGraph_t *graph) {
  cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal);
  OfFile.at(name)(c);
  cudaStreamEndCapture(c.stream, graph);
}

class OfObject {
public:
  OfObject()
      : steps_{{"wait", [](const Context &c) {
                  cudaStreamSynchronize(c.stream);
                  // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: 'cudaStreamSynchronize' waits for stream 'c.stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
                }}} {}
  void record(const Context &c, cudaGraph_t *graph) {
    cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal);
    steps_.at(mode_)(c);
    cudaStreamEndCapture(c.stream, graph);
  }

private:
  std::string mode_;
  std::map<std::string, Step> steps_;
};

// These are not called during a capture.
static const std::map<std::string, Step> Before = {
    {"wait", [](const Context &c) { cudaStreamSynchronize(c.stream); }}};

void before(const Context &c, const std::string &name, cudaGraph_t *graph) {
  Before.at(name)(c);
  cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal);
  work<<<1, 1, 0, c.stream>>>(c.x);
  cudaStreamEndCapture(c.stream, graph);
}
