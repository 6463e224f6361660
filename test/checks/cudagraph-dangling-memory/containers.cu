// Containers that grow before or after the copy, and unretained objects.

// RUN: %check %s cudagraph-dangling-memory

#include <cuda_runtime.h>
#include <vector>

struct Holder {
  std::vector<int> values;
  void member(cudaStream_t s, int *d, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(d, values.data(), 64, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'values', which 'Holder::member' may move when the container grows; every replay will read 64 bytes of freed memory [cudagraph-dangling-memory]
    values.push_back(1);
    cudaStreamEndCapture(s, graph);
  }
};

void parameter(std::vector<int> &values, cudaStream_t s, int *d,
               cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(d, values.data(), 64, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from {{.*}} [cudagraph-dangling-memory]
  values.push_back(1);
  cudaMemcpyAsync(d, values.data(), 64, cudaMemcpyHostToDevice, s);
  cudaStreamEndCapture(s, graph);
}

void CUDART_CB destroy(void *data);
void not_retained(cudaStream_t s, int *d, cudaGraphExec_t *exec) {
  int *owned = new int[16];
  cudaUserObject_t object;
  cudaGraph_t graph;
  cudaUserObjectCreate(&object, owned, destroy, 1,
                       cudaUserObjectNoDestructorSync);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(d, owned, 64, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'owned', which 'not_retained' frees; every replay will read 64 bytes of freed memory [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(exec, graph, 0);
  delete[] owned;
}
