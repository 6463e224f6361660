// Joined forks, events that the capture recorded, and events from outside with
// the external flag: no findings.

// RUN: %check %s

#include <array>
#include <memory>
#include <vector>

__global__ void k(float *x);

void straight(float *x, cudaStream_t s, cudaStream_t side, cudaGraph_t *g) {
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  k<<<1, 1, 0, side>>>(x);
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(s, join, 0);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// One event for both directions.
void one_event(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
               cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 8; ++i) {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(side, e, 0);
    k<<<1, 1, 0, side>>>(x);
    cudaEventRecord(e, side);
    cudaStreamWaitEvent(s, e, 0);
  }
  cudaStreamEndCapture(s, g);
}

// A fork without work needs no join.
void idle_fork(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
               cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// Each stream of a chain waits for the previous one; joins from either end.
void chain(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
           cudaEvent_t e0, cudaEvent_t e1, cudaEvent_t e2, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(e0, s);
  cudaStreamWaitEvent(a, e0, 0);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(e1, a);
  cudaStreamWaitEvent(b, e1, 0);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(e2, b);
  cudaStreamWaitEvent(s, e2, 0);
  cudaStreamEndCapture(s, g);
}
void chain_backwards(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                     cudaEvent_t e0, cudaEvent_t e1, cudaEvent_t e2,
                     cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(e0, s);
  cudaStreamWaitEvent(a, e0, 0);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(e1, a);
  cudaStreamWaitEvent(b, e1, 0);
  k<<<1, 1, 0, b>>>(x);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(e2, b);
  cudaStreamWaitEvent(a, e2, 0);
  k<<<1, 1, 0, a>>>(x);
  cudaEventRecord(e1, a);
  cudaStreamWaitEvent(s, e1, 0);
  cudaStreamEndCapture(s, g);
}

// One fork is joined into the other.
void into_the_other(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
                    cudaEvent_t e, cudaEvent_t f, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(a, e, 0);
  cudaStreamWaitEvent(b, e, 0);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(f, a);
  cudaStreamWaitEvent(b, f, 0);
  cudaEventRecord(f, b);
  cudaStreamWaitEvent(s, f, 0);
  cudaStreamEndCapture(s, g);
}

// Loops over arrays and vectors.
void arrays(float *x, cudaGraph_t *g) {
  cudaStream_t s, side[4];
  cudaEvent_t fork, join[4];
  cudaStreamCreate(&s);
  cudaEventCreate(&fork);
  for (int i = 0; i < 4; ++i) {
    cudaStreamCreate(&side[i]);
    cudaEventCreate(&join[i]);
  }
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  for (int i = 0; i < 4; ++i) {
    cudaStreamWaitEvent(side[i], fork, 0);
    k<<<1, 1, 0, side[i]>>>(x + i);
  }
  for (int i = 0; i < 4; ++i) {
    cudaEventRecord(join[i], side[i]);
    cudaStreamWaitEvent(s, join[i], 0);
  }
  cudaStreamEndCapture(s, g);
}

void vectors(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  std::vector<cudaStream_t> side(n);
  std::vector<cudaEvent_t> join(n);
  cudaEvent_t fork;
  cudaEventCreate(&fork);
  for (int i = 0; i < n; ++i) {
    cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&join[i], cudaEventDisableTiming);
  }
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  for (int i = 0; i < n; ++i)
    cudaStreamWaitEvent(side[i], fork, 0);
  for (int i = 0; i < n; ++i)
    k<<<1, 1, 0, side[i]>>>(x + i);
  for (int i = 0; i < n; ++i)
    cudaEventRecord(join[i], side[i]);
  for (int i = 0; i < n; ++i)
    cudaStreamWaitEvent(s, join[i], 0);
  cudaStreamEndCapture(s, g);
}

void pointers(float *x, int n, cudaStream_t *streams, cudaEvent_t *events,
              cudaGraph_t *g) {
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(events[0], streams[0]);
  for (int i = 1; i < n; ++i)
    cudaStreamWaitEvent(streams[i], events[0], 0);
  for (int i = 0; i < n; ++i)
    k<<<1, 1, 0, streams[i]>>>(x);
  for (int i = 1; i < n; ++i) {
    cudaEventRecord(events[i], streams[i]);
    cudaStreamWaitEvent(streams[0], events[i], 0);
  }
  cudaStreamEndCapture(streams[0], g);
}

void range_for(float *x, std::vector<cudaStream_t> &side, cudaStream_t s,
               cudaEvent_t fork, cudaEvent_t join, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  for (cudaStream_t each : side) {
    cudaStreamWaitEvent(each, fork, 0);
    k<<<1, 1, 0, each>>>(x);
  }
  for (auto &each : side) {
    cudaEventRecord(join, each);
    cudaStreamWaitEvent(s, join, 0);
  }
  cudaStreamEndCapture(s, g);
}

// Repeated forks and joins, with work in each iteration.
void rounds(float *x, int layers, cudaStream_t s, std::array<cudaStream_t, 3> side,
            cudaEvent_t fork, std::array<cudaEvent_t, 3> join, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int l = 0; l < layers; ++l) {
    cudaEventRecord(fork, s);
    for (int i = 0; i < 3; ++i) {
      cudaStreamWaitEvent(side[i], fork, 0);
      k<<<1, 1, 0, side[i]>>>(x);
      cudaEventRecord(join[i], side[i]);
    }
    for (int i = 0; i < 3; ++i)
      cudaStreamWaitEvent(s, join[i], 0);
    k<<<1, 1, 0, s>>>(x);
  }
  cudaStreamEndCapture(s, g);
}

// The first stream of an array captures.
void first_captures(float *x, cudaGraph_t *g) {
  constexpr int N = 4;
  cudaStream_t st[N];
  cudaEvent_t ev[N];
  for (int i = 0; i < N; ++i) {
    cudaStreamCreateWithFlags(&st[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ev[i], cudaEventDisableTiming);
  }
  cudaStreamBeginCapture(st[0], cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(ev[0], st[0]);
  for (int i = 1; i < N; ++i)
    cudaStreamWaitEvent(st[i], ev[0], 0);
  for (int i = 0; i < N; ++i)
    k<<<1, 1, 0, st[i]>>>(x);
  for (int i = 1; i < N; ++i) {
    cudaEventRecord(ev[i], st[i]);
    cudaStreamWaitEvent(st[0], ev[i], 0);
  }
  cudaStreamEndCapture(st[0], g);
}

// Members.
class Model {
public:
  Model() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copy_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming);
  }
  void capture(cudaGraph_t *g) {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    fork();
    k<<<1, 1, 0, copy_>>>(x_);
    k<<<1, 1, 0, stream_>>>(x_);
    join();
    cudaStreamEndCapture(stream_, g);
  }

private:
  void fork() {
    cudaEventRecord(forked_, stream_);
    cudaStreamWaitEvent(copy_, forked_, 0);
  }
  void join() {
    cudaEventRecord(joined_, copy_);
    cudaStreamWaitEvent(stream_, joined_, 0);
  }
  cudaStream_t stream_, copy_;
  cudaEvent_t forked_, joined_;
  float *x_;
};

void use_model(cudaGraph_t *g) {
  Model m;
  m.capture(g);
}

// A pool in a structure.
struct Pool {
  std::vector<cudaStream_t> streams;
  std::vector<cudaEvent_t> done;
  cudaEvent_t start;
  void fork(cudaStream_t main) {
    cudaEventRecord(start, main);
    for (auto s : streams)
      cudaStreamWaitEvent(s, start, 0);
  }
  void join(cudaStream_t main) {
    for (size_t i = 0; i < streams.size(); ++i) {
      cudaEventRecord(done[i], streams[i]);
      cudaStreamWaitEvent(main, done[i], 0);
    }
  }
};
void pooled(Pool &pool, float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  pool.fork(s);
  for (size_t i = 0; i < pool.streams.size(); ++i)
    k<<<1, 1, 0, pool.streams[i]>>>(x);
  pool.join(s);
  cudaStreamEndCapture(s, g);
}

// The streams are passed to functions that fork and join.
void make_wait(cudaStream_t who, cudaStream_t whom, cudaEvent_t e) {
  cudaEventRecord(e, whom);
  cudaStreamWaitEvent(who, e, 0);
}
void handed_over(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                 cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  make_wait(side, s, e);
  k<<<1, 1, 0, side>>>(x);
  make_wait(s, side, e);
  cudaStreamEndCapture(s, g);
}

// The streams are passed to a function without source.
void join_elsewhere(cudaStream_t main, cudaStream_t side);
void fork_elsewhere(cudaStream_t main, cudaStream_t side);
void elsewhere(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
               cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  fork_elsewhere(s, side);
  k<<<1, 1, 0, side>>>(x);
  join_elsewhere(s, side);
  cudaStreamEndCapture(s, g);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  make_wait(side, s, e);
  k<<<1, 1, 0, side>>>(x);
  join_elsewhere(s, side);
  cudaStreamEndCapture(s, g);
}

// The fork, the work, and the join have the same condition.
void conditional(float *x, bool overlap, cudaStream_t s, cudaStream_t side,
                 cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (overlap) {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(side, e, 0);
  }
  k<<<1, 1, 0, overlap ? side : s>>>(x);
  k<<<1, 1, 0, s>>>(x);
  if (overlap) {
    cudaEventRecord(e, side);
    cudaStreamWaitEvent(s, e, 0);
  }
  cudaStreamEndCapture(s, g);
}
class Conditional {
public:
  void run(cudaGraph_t *g) {
    cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal);
    if (side_) {
      cudaEventRecord(e_, main_);
      cudaStreamWaitEvent(side_, e_, 0);
      k<<<1, 1, 0, side_>>>(x_);
    }
    k<<<1, 1, 0, main_>>>(x_);
    if (side_) {
      cudaEventRecord(e_, side_);
      cudaStreamWaitEvent(main_, e_, 0);
    }
    cudaStreamEndCapture(main_, g);
  }

private:
  cudaStream_t main_, side_ = nullptr;
  cudaEvent_t e_;
  float *x_;
};
void use_conditional(Conditional &c, cudaGraph_t *g) { c.run(g); }

// Events recorded outside the capture, with an external record or wait.
void external(float *x, cudaStream_t s, cudaStream_t other, cudaEvent_t e,
              cudaGraph_t *g) {
  cudaEventRecord(e, other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaStreamWaitEvent(s, e, cudaEventWaitExternal);
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecordWithFlags(e, s, cudaEventRecordExternal);
  cudaEventQuery(e);
  cudaEventSynchronize(e);
  cudaStreamEndCapture(s, g);
  cudaEventSynchronize(e);
}

// An event from outside the capture orders a stream outside it.
void both_outside(cudaStream_t s, cudaStream_t p, cudaStream_t q, cudaEvent_t e,
                  float *x, cudaGraph_t *g) {
  cudaStream_t mine, yours, ours;
  cudaStreamCreate(&mine);
  cudaStreamCreate(&yours);
  cudaStreamCreate(&ours);
  cudaEventRecord(e, yours);
  cudaStreamBeginCapture(mine, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, mine>>>(x);
  cudaStreamWaitEvent(ours, e, 0);
  cudaStreamEndCapture(mine, g);
}

// The event's last record counts.
void recorded_again(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                    cudaGraph_t *g) {
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}

// The same code runs eagerly first: warm-up, then capture.
void body(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e) {
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(side, e, 0);
  k<<<1, 1, 0, side>>>(x);
  cudaEventRecord(e, side);
  cudaStreamWaitEvent(s, e, 0);
}
void warm_up(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
             cudaGraph_t *g) {
  body(x, s, side, e);
  cudaStreamSynchronize(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body(x, s, side, e);
  cudaStreamEndCapture(s, g);
}

// A guard: the stream waits for earlier work only outside a capture.
void guarded(float *x, cudaStream_t s, cudaEvent_t before, cudaGraph_t *g) {
  cudaEventRecord(before, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusNone)
    cudaStreamWaitEvent(s, before, 0);
  k<<<1, 1, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// A scope that joins in its destructor.
class Fork {
public:
  Fork(cudaStream_t main, cudaStream_t side) : main_(main), side_(side) {
    cudaEventCreateWithFlags(&e_, cudaEventDisableTiming);
    cudaEventRecord(e_, main_);
    cudaStreamWaitEvent(side_, e_, 0);
  }
  ~Fork() {
    cudaEventRecord(e_, side_);
    cudaStreamWaitEvent(main_, e_, 0);
    cudaEventDestroy(e_);
  }

private:
  cudaStream_t main_, side_;
  cudaEvent_t e_;
};
void scoped(float *x, cudaStream_t s, cudaStream_t side, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    Fork fork(s, side);
    k<<<1, 1, 0, side>>>(x);
  }
  cudaStreamEndCapture(s, g);
}

// Event objects on the heap.
struct Event {
  Event() { cudaEventCreateWithFlags(&e, cudaEventDisableTiming); }
  ~Event() { cudaEventDestroy(e); }
  void record(cudaStream_t s) { cudaEventRecord(e, s); }
  void block(cudaStream_t s) { cudaStreamWaitEvent(s, e, 0); }
  cudaEvent_t e;
};
void objects(float *x, cudaStream_t s, cudaStream_t side, cudaGraph_t *g) {
  auto fork = std::make_shared<Event>();
  auto join = std::make_unique<Event>();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  fork->record(s);
  fork->block(side);
  k<<<1, 1, 0, side>>>(x);
  join->record(side);
  join->block(s);
  cudaStreamEndCapture(s, g);
}

// The per-thread default stream takes part like any other stream.
void per_thread(float *x, cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(cudaStreamPerThread, e, 0);
  k<<<1, 1, 0, cudaStreamPerThread>>>(x);
  cudaEventRecord(e, cudaStreamPerThread);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamEndCapture(s, g);
}

// Two independent captures.
void two_captures(float *x, cudaStream_t s, cudaStream_t t, cudaStream_t a,
                  cudaStream_t b, cudaEvent_t e, cudaEvent_t f, cudaGraph_t *g,
                  cudaGraph_t *h) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal);
  cudaEventRecord(e, s);
  cudaEventRecord(f, t);
  cudaStreamWaitEvent(a, e, 0);
  cudaStreamWaitEvent(b, f, 0);
  k<<<1, 1, 0, a>>>(x);
  k<<<1, 1, 0, b>>>(x);
  cudaEventRecord(e, a);
  cudaEventRecord(f, b);
  cudaStreamWaitEvent(s, e, 0);
  cudaStreamWaitEvent(t, f, 0);
  cudaStreamEndCapture(s, g);
  cudaStreamEndCapture(t, h);
}
