// Loops with few iterations over the streams and events of an array: the
// analysis determines which of them each iteration uses.

// RUN: %check %s cudagraph-stream-dependency --real-std
// RUN: %check %s cudagraph-capture-scope --suffix=SCOPE --real-std

#include <array>
__global__ void k(int i);

// Fewer events than streams: a record replaces one that no stream has waited
// for.
struct Lanes {
  cudaStream_t origin;
  std::array<cudaStream_t, 4> streams{};
  std::array<cudaEvent_t, 4> events{};
  cudaEvent_t start;
  Lanes() {
    cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking);
    for (auto &s : streams)
      cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (auto &e : events)
      cudaEventCreate(&e);
    cudaEventCreate(&start);
  }
  void open() {
    cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal);
    cudaEventRecord(start, origin);
    for (auto s : streams)
      cudaStreamWaitEvent(s, start, 0);
  }
  void join(int pool) {
    for (int i = 0; i < 4; ++i)
      cudaEventRecord(events[i % pool], streams[i]);
      // CHECK-NOTES: :[[@LINE-1]]:7: note: this re-records an event before its work is joined
    for (int i = 0; i < 4; ++i)
      cudaStreamWaitEvent(origin, events[i % pool], 0);
  }
};
void twoEvents(cudaGraph_t *g) {
  Lanes l;
  l.open();
  for (int i = 0; i < 4; ++i)
    k<<<1, 1, 0, l.streams[i]>>>(i);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: this work is not joined
  l.join(2);
  cudaStreamEndCapture(l.origin, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'origin' with unjoined work
}
void fourEvents(cudaGraph_t *g) {
  Lanes l;
  l.open();
  for (int i = 0; i < 4; ++i)
    k<<<1, 1, 0, l.streams[i]>>>(i);
  l.join(4);
  cudaStreamEndCapture(l.origin, g);
}
// Two events: the origin waits for each before it is recorded again.
void inTurns(cudaGraph_t *g) {
  Lanes l;
  l.open();
  for (int i = 0; i < 4; ++i) {
    k<<<1, 1, 0, l.streams[i]>>>(i);
    cudaEventRecord(l.events[i % 2], l.streams[i]);
    cudaStreamWaitEvent(l.origin, l.events[i % 2], 0);
  }
  cudaStreamEndCapture(l.origin, g);
}
// The last stream is not joined.
void allButOne(cudaGraph_t *g) {
  Lanes l;
  l.open();
  for (int i = 0; i < 4; ++i)
    k<<<1, 1, 0, l.streams[i]>>>(i);
  for (int i = 0; i < 3; ++i) {
    cudaEventRecord(l.events[i], l.streams[i]);
    cudaStreamWaitEvent(l.origin, l.events[i], 0);
  }
  cudaStreamEndCapture(l.origin, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'origin' with unjoined work
}
// The first stream is the origin.
void firstLeads(cudaGraph_t *g) {
  cudaStream_t s[3];
  cudaEvent_t e[3];
  for (int i = 0; i < 3; ++i) {
    cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    cudaEventCreate(&e[i]);
  }
  cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(e[0], s[0]);
  for (int i = 1; i < 3; ++i)
    cudaStreamWaitEvent(s[i], e[0], 0);
  for (int i = 0; i < 3; ++i)
    k<<<1, 1, 0, s[i]>>>(i);
  for (int i = 1; i < 3; ++i) {
    cudaEventRecord(e[i], s[i]);
    cudaStreamWaitEvent(s[0], e[i], 0);
  }
  cudaStreamEndCapture(s[0], g);
}

// Each member whose address is in a braced list has its own stream.
class Braces {
public:
  Braces() {
    for (auto *s : {&copy_, &main_, &side_})
      cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
    for (auto *e : {&fork_, &join_})
      cudaEventCreate(e);
  }
  void joined(cudaGraph_t *g) {
    begin();
    cudaEventRecord(join_, side_);
    cudaStreamWaitEvent(main_, join_, 0);
    cudaStreamEndCapture(main_, g);
  }
  void left(cudaGraph_t *g) {
    begin();
    cudaStreamEndCapture(main_, g);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture of 'main_' with unjoined work
  }
  void other(cudaGraph_t *g) {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal);
    cudaStreamEndCapture(copy_, g);
    // CHECK-MESSAGES-SCOPE: :[[@LINE-1]]:5: warning: 'cudaStreamEndCapture' ends the capture on stream 'copy_'
    cudaStreamEndCapture(main_, g);
  }

private:
  void begin() {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(fork_, main_);
    cudaStreamWaitEvent(side_, fork_, 0);
    k<<<1, 1, 0, side_>>>(0);
  }
  cudaStream_t copy_ = nullptr, main_ = nullptr, side_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
};
void braces(cudaGraph_t *g) {
  Braces b;
  b.joined(g);
  b.left(g);
  b.other(g);
}

// A constant table determines the phase and the lane of each stage.
enum Lane { Main, Side, LaneCount };
enum Phase { Overlap, Post };
struct Domain {
  cudaStream_t lane[LaneCount];
  cudaEvent_t fork, join;
};
struct Stage {
  Phase phase;
  Lane lane;
  void (*emit)(Domain *d, cudaStream_t s);
};
static void interior(Domain *, cudaStream_t s) { k<<<1, 1, 0, s>>>(0); }
static void halo(Domain *, cudaStream_t s) { k<<<1, 1, 0, s>>>(1); }
static void residual(Domain *, cudaStream_t s) { k<<<1, 1, 0, s>>>(2); }
// CHECK-NOTES: :[[@LINE-1]]:50: note: this work is not joined
static const Stage late[] = {{Overlap, Main, interior},
                             {Overlap, Side, halo},
                             {Post, Side, residual}};
static const Stage timely[] = {{Overlap, Main, interior},
                               {Overlap, Side, halo},
                               {Post, Main, residual}};
template <unsigned N>
static void run(const Stage (&stages)[N], Domain *d, Phase phase) {
  for (unsigned i = 0; i < N; ++i) {
    const Stage *s = &stages[i];
    if (s->phase != phase)
      continue;
    s->emit(d, d->lane[s->lane]);
  }
}
static void forkAndJoin(Domain *d, bool join) {
  int from = join ? Side : Main;
  cudaEvent_t e = join ? d->join : d->fork;
  cudaEventRecord(e, d->lane[from]);
  cudaStreamWaitEvent(d->lane[join ? Main : Side], e, 0);
}
static void make(Domain *d) {
  for (int i = 0; i < LaneCount; ++i)
    cudaStreamCreateWithFlags(&d->lane[i], cudaStreamNonBlocking);
  cudaEventCreate(&d->fork);
  cudaEventCreate(&d->join);
}
void inTime(cudaGraph_t *g) {
  Domain d;
  make(&d);
  cudaStreamBeginCapture(d.lane[Main], cudaStreamCaptureModeGlobal);
  forkAndJoin(&d, false);
  run(timely, &d, Overlap);
  forkAndJoin(&d, true);
  run(timely, &d, Post);
  cudaStreamEndCapture(d.lane[Main], g);
}
void tooLate(cudaGraph_t *g) {
  Domain d;
  make(&d);
  cudaStreamBeginCapture(d.lane[Main], cudaStreamCaptureModeGlobal);
  forkAndJoin(&d, false);
  run(late, &d, Overlap);
  forkAndJoin(&d, true);
  run(late, &d, Post);
  cudaStreamEndCapture(d.lane[Main], g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'd.lane[Main]' with unjoined work
}
