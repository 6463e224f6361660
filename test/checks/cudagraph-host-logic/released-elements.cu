// A container that captured code fills, and that only a destructor reads, keeps
// alive the objects that the nodes use.

// RUN: %check %s cudagraph-host-logic --real-std

#include <vector>

__global__ void scale(float *x, const float *w);

struct Model {
  cudaStream_t stream;
  cudaGraphExec_t exec = nullptr;
  float *x;
  std::vector<float *> weights;

  ~Model() {
    for (float *w : weights)
      cudaFree(w);
  }
  void build(float *const *loaded, int n) {
    cudaGraph_t g;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < n; ++i) {
      weights.push_back(loaded[i]);
      scale<<<1, 128, 0, stream>>>(x, loaded[i]);
    }
    cudaStreamEndCapture(stream, &g);
    cudaGraphInstantiate(&exec, g, 0);
  }
  void run() { cudaGraphLaunch(exec, stream); }
};

// Code between the launches reads the container.
struct Counted {
  cudaStream_t stream;
  cudaGraphExec_t exec = nullptr;
  float *x;
  std::vector<float *> used;

  ~Counted() {
    for (float *w : used)
      cudaFree(w);
  }
  void build(float *const *loaded, int n) {
    cudaGraph_t g;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < n; ++i) {
      used.push_back(loaded[i]);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 'stream' (thread-local mode)
      scale<<<1, 128, 0, stream>>>(x, loaded[i]);
    }
    cudaStreamEndCapture(stream, &g);
    cudaGraphInstantiate(&exec, g, 0);
  }
  size_t run() {
    cudaGraphLaunch(exec, stream);
    return used.size();
  }
};
