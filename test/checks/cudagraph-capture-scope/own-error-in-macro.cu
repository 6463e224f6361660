// A macro that returns on any error: the program's own error leaves the capture
// open.

// RUN: %check %s cudagraph-capture-scope,cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void kernel(int *x);

static std::vector<int> Failures;

#define ASSERT_OK(E)                                                           \
  do {                                                                         \
    int Rc = static_cast<int>(E);                                              \
    if (Rc != 0) {                                                             \
      Failures.push_back(Rc);                                                  \
      return;                                                                  \
    }                                                                          \
  } while (0)

static int validate(int Tile) { return Tile % 32 == 0 ? 0 : 77; }

void open(cudaStream_t S, int *X, int Tile) {
  cudaGraph_t G;
  ASSERT_OK(cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal));
  kernel<<<1, 1, 0, S>>>(X);
  ASSERT_OK(validate(Tile));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this return leaves 'S' (thread-local mode) capturing
  ASSERT_OK(cudaStreamEndCapture(S, &G));
  ASSERT_OK(cudaGraphDestroy(G));
}

// Legal: the destructor ends the capture. The failure is recorded once, because
// there is no graph.
class Recording {
public:
  explicit Recording(cudaStream_t S)
      : S(S), Rc(cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal)) {}
  ~Recording() {
    cudaGraph_t G = nullptr;
    if (Rc == cudaSuccess && !Ended &&
        cudaStreamEndCapture(S, &G) == cudaSuccess && G)
      cudaGraphDestroy(G);
  }
  cudaError_t begun() const { return Rc; }
  cudaError_t finish(cudaGraph_t *G) {
    Ended = true;
    return cudaStreamEndCapture(S, G);
  }

private:
  cudaStream_t S;
  cudaError_t Rc;
  bool Ended = false;
};

void closed(cudaStream_t S, int *X, int Tile) {
  cudaGraph_t G;
  Recording R(S);
  ASSERT_OK(R.begun());
  kernel<<<1, 1, 0, S>>>(X);
  ASSERT_OK(validate(Tile));
  ASSERT_OK(R.finish(&G));
  ASSERT_OK(cudaGraphDestroy(G));
}

// On the path that continues, the change to Steps is part of the capture.
static std::vector<int> Steps;

void counted(cudaStream_t S, int *X, cudaGraphExec_t *E) {
  cudaGraph_t G;
  Recording R(S);
  ASSERT_OK(R.begun());
  kernel<<<1, 1, 0, S>>>(X);
  Steps.push_back(1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 'S'
  ASSERT_OK(R.finish(&G));
  ASSERT_OK(cudaGraphInstantiate(E, G, 0));
}
