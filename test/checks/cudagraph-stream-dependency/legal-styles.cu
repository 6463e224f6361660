// Forks and joins that are typical of programs: no findings.

// RUN: %check %s

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

__global__ void k(float *x);
void work(float *x, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(x);
  cudaMemsetAsync(x, 0, 4, s);
}

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      fprintf(stderr, "%s\n", cudaGetErrorString(status));                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define THROW(call)                                                            \
  if (cudaError_t status = (call); status != cudaSuccess)                      \
  throw std::runtime_error(cudaGetErrorString(status))

// Three streams and their events, as in simpleCudaGraphs.
void sample(float *x, float *y, float *z, float *w, cudaGraph_t *graph) {
  cudaStream_t stream1, stream2, stream3, streamForGraph;
  cudaEvent_t forkStreamEvent, memsetEvent1, memsetEvent2;
  CHECK(cudaStreamCreate(&stream1));
  CHECK(cudaStreamCreate(&stream2));
  CHECK(cudaStreamCreate(&stream3));
  CHECK(cudaStreamCreate(&streamForGraph));
  CHECK(cudaEventCreate(&forkStreamEvent));
  CHECK(cudaEventCreate(&memsetEvent1));
  CHECK(cudaEventCreate(&memsetEvent2));
  CHECK(cudaStreamBeginCapture(stream1, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(forkStreamEvent, stream1));
  CHECK(cudaStreamWaitEvent(stream2, forkStreamEvent, 0));
  CHECK(cudaStreamWaitEvent(stream3, forkStreamEvent, 0));
  CHECK(cudaMemcpyAsync(x, y, 4, cudaMemcpyDefault, stream1));
  CHECK(cudaMemsetAsync(z, 0, 4, stream2));
  CHECK(cudaEventRecord(memsetEvent1, stream2));
  CHECK(cudaMemsetAsync(w, 0, 4, stream3));
  CHECK(cudaEventRecord(memsetEvent2, stream3));
  CHECK(cudaStreamWaitEvent(stream1, memsetEvent1, 0));
  k<<<1, 1, 0, stream1>>>(x);
  CHECK(cudaStreamWaitEvent(stream1, memsetEvent2, 0));
  k<<<1, 1, 0, stream1>>>(y);
  CHECK(cudaStreamEndCapture(stream1, graph));
  CHECK(cudaStreamDestroy(stream2));
}

// Lazily created streams behind an accessor.
struct Context {
  cudaStream_t streams[16][8] = {};
  int device = 0;
  cudaStream_t stream(int d, int i) {
    if (streams[d][i] == nullptr)
      CHECK(cudaStreamCreateWithFlags(&streams[d][i], cudaStreamNonBlocking));
    return streams[d][i];
  }
  cudaStream_t stream() { return stream(device, 0); }
};
struct Concurrent {
  cudaEvent_t fork;
  std::vector<cudaEvent_t> join;
  int n;
};
void concurrent(Context *ctx, std::unordered_map<int, Concurrent> &events, int id,
                float *x, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(ctx->stream(), cudaStreamCaptureModeRelaxed));
  auto it = events.find(id);
  if (it != events.end()) {
    Concurrent &c = it->second;
    CHECK(cudaEventRecord(c.fork, ctx->stream()));
    for (int i = 1; i <= c.n; ++i)
      CHECK(cudaStreamWaitEvent(ctx->stream(ctx->device, i), c.fork, 0));
    for (int i = 1; i <= c.n; ++i)
      work(x, ctx->stream(ctx->device, i));
    for (int i = 1; i <= c.n; ++i) {
      CHECK(cudaEventRecord(c.join[i - 1], ctx->stream(ctx->device, i)));
      CHECK(cudaStreamWaitEvent(ctx->stream(), c.join[i - 1], 0));
    }
  }
  work(x, ctx->stream());
  CHECK(cudaStreamEndCapture(ctx->stream(), g));
}

// Event and stream classes, as in TensorRT-LLM.
class CudaEvent {
public:
  using pointer = cudaEvent_t;
  explicit CudaEvent(unsigned flags = cudaEventDisableTiming) {
    pointer e;
    CHECK(cudaEventCreateWithFlags(&e, flags));
    event_ = EventPtr{e, Deleter{true}};
  }
  pointer get() const { return event_.get(); }

private:
  struct Deleter {
    bool own;
    void operator()(pointer e) const {
      if (own)
        CHECK(cudaEventDestroy(e));
    }
  };
  using element_type = CUevent_st;
  using EventPtr = std::unique_ptr<element_type, Deleter>;
  EventPtr event_;
};
class CudaStream {
public:
  explicit CudaStream(unsigned flags = cudaStreamNonBlocking) {
    CHECK(cudaStreamCreateWithFlags(&stream_, flags));
  }
  cudaStream_t get() const { return stream_; }
  void record(CudaEvent const &e) const { CHECK(cudaEventRecord(e.get(), get())); }
  void wait(CudaEvent const &e) const {
    CHECK(cudaStreamWaitEvent(get(), e.get(), 0));
  }

private:
  cudaStream_t stream_;
};
using StreamPtr = std::shared_ptr<CudaStream>;
void classes(StreamPtr const &main, StreamPtr const &side, float *x, cudaGraph_t *g) {
  CudaEvent forked, joined;
  CHECK(cudaStreamBeginCapture(main->get(), cudaStreamCaptureModeThreadLocal));
  main->record(forked);
  side->wait(forked);
  work(x, side->get());
  work(x, main->get());
  side->record(joined);
  main->wait(joined);
  CHECK(cudaStreamEndCapture(main->get(), g));
}

// One event per use, created in the capture.
void sync_streams(cudaStream_t from, cudaStream_t to) {
  cudaEvent_t e;
  CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  CHECK(cudaEventRecord(e, from));
  CHECK(cudaStreamWaitEvent(to, e, 0));
  CHECK(cudaEventDestroy(e));
}
void event_for_each(float *x, cudaStream_t s, std::vector<cudaStream_t> const &side,
                    cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  for (auto const &each : side)
    sync_streams(s, each);
  for (auto const &each : side)
    work(x, each);
  for (auto const &each : side)
    sync_streams(each, s);
  CHECK(cudaStreamEndCapture(s, g));
}

// Events from a pool without source.
cudaEvent_t next_event();
void pool_events(float *x, cudaStream_t s, cudaStream_t side, cudaGraph_t *g) {
  THROW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaEvent_t e = next_event();
  THROW(cudaEventRecord(e, s));
  THROW(cudaStreamWaitEvent(side, e, 0));
  work(x, side);
  cudaEvent_t f = next_event();
  THROW(cudaEventRecord(f, side));
  THROW(cudaStreamWaitEvent(s, f, 0));
  THROW(cudaStreamEndCapture(s, g));
}

// A ring of events.
class Ring {
public:
  explicit Ring(size_t n) : events_(n) {
    for (auto &e : events_)
      CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  }
  void order(cudaStream_t before, cudaStream_t after) {
    cudaEvent_t e = events_[next_++ % events_.size()];
    CHECK(cudaEventRecord(e, before));
    CHECK(cudaStreamWaitEvent(after, e, 0));
  }

private:
  std::vector<cudaEvent_t> events_;
  size_t next_ = 0;
};
void ring(Ring &r, float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b,
          cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  r.order(s, a);
  r.order(s, b);
  work(x, a);
  work(x, b);
  r.order(a, s);
  r.order(b, s);
  CHECK(cudaStreamEndCapture(s, g));
}

// Two streams that alternate.
void ping_pong(float *x, int n, cudaGraph_t *g) {
  cudaStream_t s[2];
  cudaEvent_t e[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming));
  }
  CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(e[0], s[0]));
  CHECK(cudaStreamWaitEvent(s[1], e[0], 0));
  for (int i = 0; i < n; ++i)
    work(x, s[i % 2]);
  CHECK(cudaEventRecord(e[1], s[1]));
  CHECK(cudaStreamWaitEvent(s[0], e[1], 0));
  CHECK(cudaStreamEndCapture(s[0], g));
}
void swapped(float *x, int n, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
             cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(e, s));
  CHECK(cudaStreamWaitEvent(side, e, 0));
  cudaStream_t now = s, then = side;
  for (int i = 0; i < n; ++i) {
    work(x, now);
    std::swap(now, then);
  }
  CHECK(cudaEventRecord(e, side));
  CHECK(cudaStreamWaitEvent(s, e, 0));
  CHECK(cudaStreamEndCapture(s, g));
}

// Maps.
void mapped(float *x, std::map<std::string, cudaStream_t> &streams,
            std::map<std::string, cudaEvent_t> &events, cudaGraph_t *g) {
  cudaStream_t s = streams["main"];
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(events["fork"], s));
  CHECK(cudaStreamWaitEvent(streams["side"], events["fork"], 0));
  work(x, streams["side"]);
  CHECK(cudaEventRecord(events["join"], streams["side"]));
  CHECK(cudaStreamWaitEvent(s, events["join"], 0));
  CHECK(cudaStreamEndCapture(s, g));
}

// Lambdas and callables.
template <class F>
void beside(cudaStream_t s, cudaStream_t side, cudaEvent_t e, F &&f) {
  CHECK(cudaEventRecord(e, s));
  CHECK(cudaStreamWaitEvent(side, e, 0));
  std::forward<F>(f)(side);
  CHECK(cudaEventRecord(e, side));
  CHECK(cudaStreamWaitEvent(s, e, 0));
}
void callables(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
               std::function<void(cudaStream_t)> const &f, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  beside(s, side, e, [&](cudaStream_t t) { work(x, t); });
  beside(s, side, e, f);
  auto fork = [&] {
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(side, e, 0));
  };
  auto join = [&, e] {
    CHECK(cudaEventRecord(e, side));
    CHECK(cudaStreamWaitEvent(s, e, 0));
  };
  fork();
  work(x, side);
  join();
  CHECK(cudaStreamEndCapture(s, g));
}

// A tree of forks.
struct Node {
  cudaStream_t stream;
  cudaEvent_t ready, done;
  std::vector<Node *> children;
};
void tree(Node *n, float *x) {
  CHECK(cudaEventRecord(n->ready, n->stream));
  for (Node *c : n->children) {
    CHECK(cudaStreamWaitEvent(c->stream, n->ready, 0));
    tree(c, x);
  }
  work(x, n->stream);
  for (Node *c : n->children) {
    CHECK(cudaEventRecord(c->done, c->stream));
    CHECK(cudaStreamWaitEvent(n->stream, c->done, 0));
  }
}
void recursive(Node *root, float *x, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(root->stream, cudaStreamCaptureModeGlobal));
  tree(root, x);
  CHECK(cudaStreamEndCapture(root->stream, g));
}

// An optional side stream.
void optional_stream(float *x, cudaStream_t s, std::optional<cudaStream_t> side,
                     cudaEvent_t e, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  if (side) {
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(*side, e, 0));
    work(x, *side);
  }
  work(x, s);
  if (side) {
    CHECK(cudaEventRecord(e, *side));
    CHECK(cudaStreamWaitEvent(s, e, 0));
  }
  CHECK(cudaStreamEndCapture(s, g));
}

// A condition that is evaluated twice.
struct Layer {
  bool parallel() const { return n > 1; }
  int n;
};
void asked_twice(std::vector<Layer> const &layers, float *x, cudaStream_t s,
                 cudaStream_t side, cudaEvent_t e, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  for (auto const &layer : layers) {
    if (layer.parallel()) {
      CHECK(cudaEventRecord(e, s));
      CHECK(cudaStreamWaitEvent(side, e, 0));
    }
    work(x, layer.parallel() ? side : s);
    if (layer.parallel()) {
      CHECK(cudaEventRecord(e, side));
      CHECK(cudaStreamWaitEvent(s, e, 0));
    }
  }
  CHECK(cudaStreamEndCapture(s, g));
}

// A pipeline: each stage waits for the previous one.
void pipeline(float *x, std::vector<cudaStream_t> &stage, std::vector<cudaEvent_t> &e,
              cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(stage[0], cudaStreamCaptureModeGlobal));
  work(x, stage[0]);
  for (size_t i = 1; i < stage.size(); ++i) {
    CHECK(cudaEventRecord(e[i - 1], stage[i - 1]));
    CHECK(cudaStreamWaitEvent(stage[i], e[i - 1], 0));
    work(x, stage[i]);
  }
  CHECK(cudaEventRecord(e.back(), stage.back()));
  CHECK(cudaStreamWaitEvent(stage[0], e.back(), 0));
  CHECK(cudaStreamEndCapture(stage[0], g));
}

// Errors are returned.
#define TRY(call)                                                              \
  if (cudaError_t status = (call); status != cudaSuccess)                      \
    return status;
cudaError_t returned(float *x, cudaStream_t s, cudaStream_t side, cudaEvent_t e,
                     cudaGraph_t *g) {
  TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaError_t status = [&] {
    TRY(cudaEventRecord(e, s));
    TRY(cudaStreamWaitEvent(side, e, 0));
    TRY(cudaMemsetAsync(x, 0, 4, side));
    TRY(cudaEventRecord(e, side));
    return cudaStreamWaitEvent(s, e, 0);
  }();
  cudaError_t end = cudaStreamEndCapture(s, g);
  return status != cudaSuccess ? status : end;
}

// Static streams that are created on first use, before the capture.
cudaStream_t side_stream() {
  static cudaStream_t side = [] {
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
  }();
  return side;
}
void statics(float *x, cudaStream_t s, cudaGraph_t *g) {
  static cudaEvent_t e = [] {
    cudaEvent_t made;
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    return made;
  }();
  side_stream();
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(e, s));
  CHECK(cudaStreamWaitEvent(side_stream(), e, 0));
  work(x, side_stream());
  CHECK(cudaEventRecord(e, side_stream()));
  CHECK(cudaStreamWaitEvent(s, e, 0));
  CHECK(cudaStreamEndCapture(s, g));
}

// All streams wait for all others.
void barrier(float *x, std::array<cudaStream_t, 4> &all, std::array<cudaEvent_t, 4> &e,
             int steps, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(all[0], cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(e[0], all[0]));
  for (int i = 1; i < 4; ++i)
    CHECK(cudaStreamWaitEvent(all[i], e[0], 0));
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 4; ++i) {
      work(x, all[i]);
      CHECK(cudaEventRecord(e[i], all[i]));
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        if (i != j)
          CHECK(cudaStreamWaitEvent(all[i], e[j], 0));
  }
  CHECK(cudaStreamEndCapture(all[0], g));
}

// A capture object that contains the streams.
class GraphCapture {
public:
  GraphCapture(cudaStream_t s, std::vector<cudaStream_t> sides)
      : s_(s), sides_(std::move(sides)) {
    CHECK(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(e_, s_));
    for (auto side : sides_)
      CHECK(cudaStreamWaitEvent(side, e_, 0));
  }
  ~GraphCapture() {
    for (auto side : sides_) {
      CHECK(cudaEventRecord(e_, side));
      CHECK(cudaStreamWaitEvent(s_, e_, 0));
    }
    CHECK(cudaStreamEndCapture(s_, &graph_));
    CHECK(cudaGraphDestroy(graph_));
    CHECK(cudaEventDestroy(e_));
  }

private:
  cudaStream_t s_;
  std::vector<cudaStream_t> sides_;
  cudaEvent_t e_;
  cudaGraph_t graph_;
};
void object(float *x, cudaStream_t s, cudaStream_t a, cudaStream_t b) {
  GraphCapture capture(s, {a, b});
  work(x, a);
  work(x, b);
}

// One event per use, created and recorded by a function.
static void recorded(cudaEvent_t &e, cudaStream_t on) {
  CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  CHECK(cudaEventRecord(e, on));
}
static void order(cudaStream_t from, cudaStream_t to) {
  cudaEvent_t e;
  recorded(e, from);
  CHECK(cudaStreamWaitEvent(to, e, 0));
  CHECK(cudaEventDestroy(e));
}
void recorded_for_each(float *x, cudaStream_t s, std::vector<cudaStream_t> const &side,
                       cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  for (auto const &each : side)
    order(s, each);
  for (auto const &each : side)
    work(x, each);
  for (auto const &each : side)
    order(each, s);
  CHECK(cudaStreamEndCapture(s, g));
}
