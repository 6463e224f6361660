// Host code in a capture computes with the destination of a captured copy: the
// copy has not run yet, and no replay repeats the computation.
//
// RUN: %check %s cudagraph-host-logic

#include <cuda_runtime.h>

struct Exposure {
  unsigned sum;
  unsigned gain;
};

__global__ void brightness(unsigned *sum);
__global__ void amplify(const unsigned *gain);

inline unsigned gainFor(unsigned sum) { return 12800u / (sum / 64 + 1u); }

class Controller {
public:
  Controller() { cudaMallocHost((void **)&shared_, sizeof(Exposure)); }
  static void regulate(void *self) {
    Exposure *e = static_cast<Controller *>(self)->shared_;
    e->gain = gainFor(e->sum);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'gain' changes during the capture of 's' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
  }
  static void regulateLater(void *self) {
    Exposure *e = static_cast<Controller *>(self)->shared_;
    e->gain = gainFor(e->sum);
  }
  Exposure *shared() const { return shared_; }

private:
  Exposure *shared_;
};

void measure(cudaStream_t s, Controller &c, Exposure *state) {
  brightness<<<1, 32, 0, s>>>(&state->sum);
  cudaMemcpyAsync(&c.shared()->sum, &state->sum, sizeof(unsigned),
                  cudaMemcpyDeviceToHost, s);
}

void apply(cudaStream_t s, Controller &c, Exposure *state) {
  cudaMemcpyAsync(&state->gain, &c.shared()->gain, sizeof(unsigned),
                  cudaMemcpyHostToDevice, s);
  amplify<<<1, 32, 0, s>>>(&state->gain);
}

void atCapture(cudaStream_t s, Exposure *state, cudaGraph_t *g) {
  Controller c;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  measure(s, c, state);
  Controller::regulate(&c);
  apply(s, c, state);
  cudaStreamEndCapture(s, g);
}

// As a host node, the computation runs in each replay.
void onReplay(cudaStream_t s, Exposure *state, cudaGraph_t *g) {
  static Controller c;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  measure(s, c, state);
  cudaLaunchHostFunc(s, Controller::regulateLater, &c);
  apply(s, c, state);
  cudaStreamEndCapture(s, g);
}

// Data read before the capture is available.
void before(cudaStream_t s, Exposure *state, Controller &c, cudaGraph_t *g) {
  cudaMemcpyAsync(&c.shared()->sum, &state->sum, sizeof(unsigned),
                  cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Controller::regulateLater(&c);
  apply(s, c, state);
  cudaStreamEndCapture(s, g);
}
