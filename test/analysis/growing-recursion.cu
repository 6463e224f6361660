// Recursion over many functions whose arguments grow with each call: its
// effects are found, and the analysis reaches none of its limits.

// RUN: %check %s
// RUN: not %driver --cuda-path=mock --no-cache %s -- 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: 1 translation unit, none incomplete

struct Node {
  Node *inner;
};

template <int N> void visit(Node *outer, cudaStream_t s, int depth) {
  Node here{outer};
  if (N == 20)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
  if (depth)
    visit<(N + 1) % 30>(&here, s, depth - 1);
}

void region(cudaStream_t s, cudaGraph_t *graph, int depth) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  visit<0>(nullptr, s, depth);
  cudaStreamEndCapture(s, graph);
}

void legal(cudaStream_t s, cudaGraph_t *graph, int depth) {
  visit<0>(nullptr, s, depth);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, graph);
}
