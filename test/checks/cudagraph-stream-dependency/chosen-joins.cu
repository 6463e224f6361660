// A stream is forked on every path, and joined only if an input of the program
// is set.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(int *p);

struct Profile {
  bool deblock, wide;
};

class Encoder {
  cudaStream_t origin, side;
  cudaEvent_t fork, join;
  int *p;
  void forkSide() {
    cudaEventRecord(fork, origin);
    cudaStreamWaitEvent(side, fork, 0);
    k<<<1, 1, 0, side>>>(p);
  }
  void joinSide() {
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(origin, join, 0);
  }

public:
  cudaError_t select(const Profile &profile, cudaGraph_t *g) {
    cudaError_t e =
        cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
    if (e)
      return e;
    forkSide();
    if (profile.deblock)
      joinSide();
    return cudaStreamEndCapture(origin, g);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaStreamEndCapture' ends the capture of 'origin' with unjoined work of a forked stream; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
  }
  // Legal: both under the same condition.
  cudaError_t both(const Profile &profile, cudaGraph_t *g) {
    cudaError_t e =
        cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
    if (e)
      return e;
    if (profile.deblock)
      forkSide();
    k<<<1, 1, 0, origin>>>(p);
    if (profile.deblock)
      joinSide();
    return cudaStreamEndCapture(origin, g);
  }
  // Legal: each branch joins.
  cudaError_t each(const Profile &profile, cudaGraph_t *g) {
    cudaError_t e =
        cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
    if (e)
      return e;
    forkSide();
    if (profile.wide) {
      joinSide();
      k<<<1, 1, 0, origin>>>(p);
    } else {
      k<<<1, 1, 0, origin>>>(p);
      joinSide();
    }
    return cudaStreamEndCapture(origin, g);
  }
  // Legal: the flag shows whether the side has been joined.
  cudaError_t once(const Profile &profile, cudaGraph_t *g) {
    cudaError_t e =
        cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal);
    if (e)
      return e;
    forkSide();
    bool joined = false;
    if (profile.wide) {
      joinSide();
      joined = true;
    }
    k<<<1, 1, 0, origin>>>(p);
    if (!joined)
      joinSide();
    return cudaStreamEndCapture(origin, g);
  }
};
