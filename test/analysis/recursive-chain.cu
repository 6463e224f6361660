// The chain of a finding names each call once, although recursion repeats some of them.

// RUN: %check %s cudagraph-sync-call
// RUN: not %driver --cuda-path=mock --no-cache %s -- 2>&1 | FileCheck %s --check-prefix=TEXT

struct Node {
  Node *left, *right;
  int kind;
};

void finish(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
}

void visit(Node *node, cudaStream_t stream) {
  if (!node)
    return;
  visit(node->left, stream);
  visit(node->right, stream);
  if (node->kind == 1)
    finish(stream);
}

// TEXT: recursive-chain.cu:[[#]]:3: warning: 'cudaStreamSynchronize' waits
// TEXT: note: capture of 'stream'
// TEXT: note: calls 'visit'
// TEXT: note: calls 'visit'
// TEXT-NOT: note: calls 'visit'
// TEXT: note: calls 'finish'
void capture(Node *root, cudaStream_t stream, cudaGraph_t *graph) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  visit(root, stream);
  cudaStreamEndCapture(stream, graph);
}
