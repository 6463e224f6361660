// A bit mask selects the streams that a stage waits for.

// RUN: %check %s cudagraph-stream-dependency

__global__ void k(int i);

struct Lanes {
  cudaStream_t lane[3];
  cudaEvent_t mark[3];
  int current;
};

static void open(Lanes *in) {
  for (int i = 0; i < 3; ++i) {
    cudaStreamCreateWithFlags(&in->lane[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&in->mark[i], cudaEventDisableTiming);
  }
}

static void use(Lanes *in, int lane, int waits) {
  for (int i = 0; i < 3; ++i) {
    if (!(waits & 1 << i))
      continue;
    cudaEventRecord(in->mark[i], in->lane[i]);
    cudaStreamWaitEvent(in->lane[lane], in->mark[i], 0);
  }
  in->current = lane;
  k<<<1, 1, 0, in->lane[lane]>>>(lane);
}

int forked_and_joined() {
  Lanes in;
  open(&in);
  cudaGraph_t graph;
  cudaStreamBeginCapture(in.lane[0], cudaStreamCaptureModeThreadLocal);
  use(&in, 0, 0);
  use(&in, 1, 1 << 0);
  use(&in, 2, 1 << 0);
  use(&in, 0, 1 << 1 | 1 << 2);
  cudaStreamEndCapture(in.lane[0], &graph);
  return in.current;
}

// The opposite direction: the bits are shifted out.
static void use_shifted(Lanes *in, int lane, unsigned waits) {
  for (int i = 0; i < 3; ++i, waits >>= 1) {
    if (!((waits ^ 1) & 1)) {
      cudaEventRecord(in->mark[i], in->lane[i]);
      cudaStreamWaitEvent(in->lane[lane], in->mark[i], 0);
    }
  }
  k<<<1, 1, 0, in->lane[lane]>>>(lane);
}

int shifted() {
  Lanes in;
  open(&in);
  cudaGraph_t graph;
  cudaStreamBeginCapture(in.lane[0], cudaStreamCaptureModeThreadLocal);
  use_shifted(&in, 1, 1u);
  use_shifted(&in, 0, 2u);
  cudaStreamEndCapture(in.lane[0], &graph);
  return in.current;
}

// Lane 2 has never waited for an event of the capture.
static void use_wrong(Lanes *in, int lane, int waits) {
  for (int i = 0; i < 3; ++i) {
    if (!(waits & 1 << i))
      continue;
    cudaEventRecord(in->mark[i], in->lane[i]);
    cudaStreamWaitEvent(in->lane[lane], in->mark[i], 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamWaitEvent' makes stream 'in->lane[lane]' wait for event 'in->mark[i]', which was recorded outside the capture
  }
  k<<<1, 1, 0, in->lane[lane]>>>(lane);
}

int never_forked() {
  Lanes in;
  open(&in);
  cudaGraph_t graph;
  cudaStreamBeginCapture(in.lane[0], cudaStreamCaptureModeThreadLocal);
  use_wrong(&in, 1, 1 << 0);
  use_wrong(&in, 0, 1 << 1 | 1 << 2);
  cudaStreamEndCapture(in.lane[0], &graph);
  return in.current;
}
