// A header-only library that is not in a system directory: its bodies are not
// analyzed, and the catalogue describes its functions.

// RUN: %check %s -- -I %inputs/third_party/cudnn-frontend

#include "cudnn_frontend.h"

using cudnn_frontend::graph::Graph;

void capture(Graph &graph, cudnnHandle_t h, void *w, cudaStream_t s, cudaGraph_t *g) {
  cudnnSetStream(h, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  graph.set_name(4);
  graph.execute(h, w);
  cudaStreamEndCapture(s, g);
}
void elsewhere(Graph &graph, cudnnHandle_t h, void *w, cudaStream_t s, cudaGraph_t *g) {
  cudnnSetStream(h, nullptr);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  graph.execute(h, w);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudnn_frontend::graph::Graph::execute' computes on the legacy default stream while 's' (global mode) captures
  cudaStreamEndCapture(s, g);
}
