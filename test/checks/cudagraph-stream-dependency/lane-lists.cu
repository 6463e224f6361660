// Helpers that fork and join the streams of a list: a braced list, a vector, or
// pointers to objects that own streams.

// RUN: %check %s cudagraph-stream-dependency,cudagraph-default-stream --real-std

#include <cuda_runtime.h>
#include <initializer_list>
#include <memory>
#include <vector>

__global__ void work(float *p) { *p = 1; }

struct Lane {
  cudaStream_t Stream = nullptr;
  cudaEvent_t Done = nullptr;
  Lane() {
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&Done, cudaEventDisableTiming);
  }
};

static void fork(Lane &Trunk, std::initializer_list<Lane *> Lanes) {
  cudaEventRecord(Trunk.Done, Trunk.Stream);
  for (Lane *L : Lanes)
    cudaStreamWaitEvent(L->Stream, Trunk.Done, 0);
}

static void join(Lane &Trunk, const std::vector<Lane *> &Lanes) {
  for (Lane *L : Lanes) {
    cudaEventRecord(L->Done, L->Stream);
    cudaStreamWaitEvent(Trunk.Stream, L->Done, 0);
  }
}

struct Mixer {
  Lane Trunk, Bands[2], Monitor;
  float *A, *B, *C;

  // Legal.
  void record() {
    cudaGraph_t G;
    cudaStreamBeginCapture(Trunk.Stream, cudaStreamCaptureModeGlobal);
    fork(Trunk, {&Bands[0], &Bands[1], &Monitor});
    work<<<1, 1, 0, Bands[0].Stream>>>(A);
    work<<<1, 1, 0, Bands[1].Stream>>>(B);
    work<<<1, 1, 0, Monitor.Stream>>>(C);
    join(Trunk, {&Bands[0], &Bands[1], &Monitor});
    cudaStreamEndCapture(Trunk.Stream, &G);
  }

  void recordWithoutFork() {
    cudaGraph_t G;
    cudaStreamBeginCapture(Trunk.Stream, cudaStreamCaptureModeGlobal);
    fork(Trunk, {&Bands[0], &Bands[1]});
    work<<<1, 1, 0, Bands[0].Stream>>>(A);
    work<<<1, 1, 0, Bands[1].Stream>>>(B);
    work<<<1, 1, 0, Monitor.Stream>>>(C);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'work' is launched on stream 'Monitor.Stream', which is not part of the capture
    join(Trunk, {&Bands[0], &Bands[1]});
    cudaStreamEndCapture(Trunk.Stream, &G);
  }

  void recordWithoutJoin() {
    cudaGraph_t G;
    cudaStreamBeginCapture(Trunk.Stream, cudaStreamCaptureModeGlobal);
    fork(Trunk, {&Bands[0], &Monitor});
    work<<<1, 1, 0, Bands[0].Stream>>>(A);
    work<<<1, 1, 0, Monitor.Stream>>>(C);
    join(Trunk, {&Bands[0]});
    cudaStreamEndCapture(Trunk.Stream, &G);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'Trunk.Stream' with unjoined work
  }
};

int main() {
  Mixer M;
  cudaMalloc(&M.A, 4);
  cudaMalloc(&M.B, 4);
  cudaMalloc(&M.C, 4);
  M.record();
  M.recordWithoutFork();
  M.recordWithoutJoin();
}

// The streams themselves.
static void forkAll(cudaEvent_t E, const std::vector<cudaStream_t> &Streams) {
  for (cudaStream_t S : Streams)
    cudaStreamWaitEvent(S, E, 0);
}

void streams(cudaStream_t S, cudaEvent_t E, float *P) {
  cudaStream_t A, B;
  cudaStreamCreate(&A);
  cudaStreamCreate(&B);
  cudaGraph_t G;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  cudaEventRecord(E, S);
  forkAll(E, {A, B});
  work<<<1, 1, 0, A>>>(P);
  work<<<1, 1, 0, B>>>(P + 1);
  cudaStreamEndCapture(S, &G);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'S' with unjoined work on stream 'A' and 'B'
}

// Legal: streams that are created through the elements of a list.
struct Plain {
  cudaStream_t Stream = nullptr;
  cudaEvent_t Done = nullptr;
};

static void create(Plain *L) {
  cudaStreamCreate(&L->Stream);
  cudaEventCreate(&L->Done);
}

struct Pair {
  Plain A, B;
  void create() {
    std::vector<Plain *> Both{&A, &B};
    for (Plain *L : Both)
      ::create(L);
  }
};

void createdInList(cudaStream_t S, cudaEvent_t E, float *P) {
  Pair Lanes;
  Lanes.create();
  cudaGraph_t G;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  cudaEventRecord(E, S);
  cudaStreamWaitEvent(Lanes.A.Stream, E, 0);
  cudaStreamWaitEvent(Lanes.B.Stream, E, 0);
  work<<<1, 1, 0, Lanes.A.Stream>>>(P);
  work<<<1, 1, 0, Lanes.B.Stream>>>(P + 1);
  cudaEventRecord(Lanes.A.Done, Lanes.A.Stream);
  cudaEventRecord(Lanes.B.Done, Lanes.B.Stream);
  cudaStreamWaitEvent(S, Lanes.A.Done, 0);
  cudaStreamWaitEvent(S, Lanes.B.Done, 0);
  cudaStreamEndCapture(S, &G);
}

// Legal: each session captures on its own stream, and all use one encoder.
struct Encoder {
  cudaStream_t Stream;
  cudaEvent_t Ready;
  float *P;
  Encoder() {
    cudaStreamCreate(&Stream);
    cudaEventCreate(&Ready);
  }
  cudaEvent_t encode(cudaEvent_t After) {
    cudaStreamWaitEvent(Stream, After, 0);
    work<<<1, 1, 0, Stream>>>(P);
    cudaEventRecord(Ready, Stream);
    return Ready;
  }
};

struct Session {
  cudaStream_t Stream;
  cudaEvent_t Start;
  float *Q;
  Session() {
    cudaStreamCreate(&Stream);
    cudaEventCreate(&Start);
  }
  void begin() {
    cudaStreamBeginCapture(Stream, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(Start, Stream);
  }
  void decode(cudaEvent_t E) {
    cudaStreamWaitEvent(Stream, E, 0);
    work<<<1, 1, 0, Stream>>>(Q);
  }
  void end() {
    cudaGraph_t G;
    cudaStreamEndCapture(Stream, &G);
  }
};

void sessions(Encoder &Shared) {
  std::vector<std::unique_ptr<Session>> All;
  All.push_back(std::make_unique<Session>());
  All.push_back(std::make_unique<Session>());
  for (auto &Each : All) {
    Each->begin();
    Each->decode(Shared.encode(Each->Start));
    Each->end();
  }
}
