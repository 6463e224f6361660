// Streams that objects create for themselves are different streams if the
// objects are different parts of one object.

// RUN: %check %s --real-std

#include <vector>
__global__ void k(float *x);
struct Stream {
  cudaStream_t s;
  Stream() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
};
class Solver {
  Stream origin;
  std::vector<Stream> side;
  cudaEvent_t start, done;
  cudaGraph_t g;

public:
  explicit Solver(int n) : side(n) {}
  void outside() {
    cudaStreamBeginCapture(origin.s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, side[0].s>>>(nullptr);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' is launched on stream 'side[0].s', which is not part of the capture of 'origin.s'
    cudaStreamEndCapture(origin.s, &g);
  }
  void not_joined() {
    cudaStreamBeginCapture(origin.s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(start, origin.s);
    cudaStreamWaitEvent(side[1].s, start, 0);
    k<<<1, 1, 0, side[1].s>>>(nullptr);
    cudaStreamEndCapture(origin.s, &g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'origin.s'
  }
  void joined() {
    cudaStreamBeginCapture(origin.s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(start, origin.s);
    cudaStreamWaitEvent(side[1].s, start, 0);
    k<<<1, 1, 0, side[1].s>>>(nullptr);
    cudaEventRecord(done, side[1].s);
    cudaStreamWaitEvent(origin.s, done, 0);
    cudaStreamEndCapture(origin.s, &g);
  }
  // Whether the indices are equal is unknown.
  void some(int i, int j) {
    cudaStreamBeginCapture(side[i].s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, side[j].s>>>(nullptr);
    cudaStreamEndCapture(side[i].s, &g);
  }
};
