// Captured code changes host state: the change happens once, and the nodes
// retain the earlier value. State that the capture restores, that the program
// sets again for each launch, or that is not used, is legal.
//
// RUN: %check %s

#include <cuda_runtime.h>
#include <functional>
#include <vector>

__global__ void relax(const float *from, float *to);
__global__ void scale(float *p, float factor);
__global__ void fill(float *p, int n);

struct Recorder {
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  Recorder() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  void begin() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)) throw 1;
  }
  void end() {
    cudaGraph_t graph;
    if (cudaStreamEndCapture(s, &graph)) throw 1;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  void play() { cudaGraphLaunch(exec, s); }
};

struct Pair {
  float *u[2];
  int cur = 0;
  void sweep(cudaStream_t s) {
    relax<<<1, 1, 0, s>>>(u[cur], u[cur ^ 1]);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'u[cur]' of kernel 'relax'
    cur ^= 1;
  }
};

void oddSweeps(Pair &p) {
  Recorder r;
  r.begin();
  for (int i = 0; i < 3; ++i)
    p.sweep(r.s);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

struct EvenPair {
  float *u[2];
  int cur = 0;
  void sweep(cudaStream_t s) {
    relax<<<1, 1, 0, s>>>(u[cur], u[cur ^ 1]);
    cur ^= 1;
  }
};

void evenSweeps(EvenPair &p) {
  Recorder r;
  r.begin();
  for (int i = 0; i < 4; ++i)
    p.sweep(r.s);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

struct Plate {
  float *now, *next;
};

void flip(Plate *p) {
  float *held = p->now;
  p->now = p->next;
  p->next = held;
}

void swapsByHand(Plate *p) {
  Recorder r;
  r.begin();
  relax<<<1, 1, 0, r.s>>>(p->now, p->next);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the address 'p->now' of kernel 'relax'
  flip(p);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

void swapsTwice() {
  Plate p;
  cudaMalloc(&p.now, 4);
  cudaMalloc(&p.next, 4);
  Recorder r;
  r.begin();
  relax<<<1, 1, 0, r.s>>>(p.now, p.next);
  flip(&p);
  relax<<<1, 1, 0, r.s>>>(p.now, p.next);
  flip(&p);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

struct Momentum {
  float t = 1;
  void step(float *x, cudaStream_t s) {
    float next = (1 + t) * 0.5f;
    scale<<<1, 1, 0, s>>>(x, (t - 1) / next);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument '(t - 1) / next' of kernel 'scale'
    t = next;
  }
};

void computesFromItself(float *x) {
  Momentum m;
  Recorder r;
  r.begin();
  m.step(x, r.s);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

// Each launch has a separate capture.
struct FreshMomentum {
  float t = 1;
  void step(float *x, cudaStream_t s) {
    float next = (1 + t) * 0.5f;
    scale<<<1, 1, 0, s>>>(x, (t - 1) / next);
    t = next;
  }
};

void capturesEachTime(float *x) {
  FreshMomentum m;
  Recorder r;
  for (int i = 0; i < 8; ++i) {
    r.begin();
    m.step(x, r.s);
    r.end();
    r.play();
    cudaGraphExecDestroy(r.exec);
  }
}

struct Cadence {
  int elapsed = 0;
  bool due(int ms) {
    elapsed += ms;
    if (elapsed < 100)
      return false;
    elapsed -= 100;
    return true;
  }
};

void asksATimer(float *x) {
  Cadence c;
  Recorder r;
  r.begin();
  fill<<<1, 1, 0, r.s>>>(x, 1);
  if (c.due(16))
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the branch depends on host state
    fill<<<1, 1, 0, r.s>>>(x, 2);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

enum Phase { Predict, Correct };

struct Machine {
  Phase phase = Predict;
  void tick(float *p, cudaStream_t s) {
    switch (phase) {
      // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: the branch depends on host state
    case Predict:
      fill<<<1, 1, 0, s>>>(p, 1);
      phase = Correct;
      break;
    case Correct:
      scale<<<1, 1, 0, s>>>(p, 2);
      phase = Predict;
      break;
    }
  }
};

void onePhase(float *p) {
  Machine m;
  Recorder r;
  r.begin();
  m.tick(p, r.s);
  r.end();
  for (int i = 0; i < 8; ++i)
    r.play();
}

struct Session {
  int tokens = 0;
  bool done() const { return tokens >= 12; }
  void forward(float *p, cudaStream_t s) {
    fill<<<1, 1, 0, s>>>(p, 1);
    ++tokens;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'tokens' changes during the capture
  }
};

void decidesOutside(float *p) {
  Session session;
  Recorder r;
  r.begin();
  session.forward(p, r.s);
  r.end();
  while (!session.done())
    r.play();
}

struct CountedSession {
  int tokens = 0;
  bool done() const { return tokens >= 12; }
};

void countsOutside(float *p) {
  CountedSession session;
  Recorder r;
  r.begin();
  fill<<<1, 1, 0, r.s>>>(p, 1);
  r.end();
  while (!session.done()) {
    r.play();
    ++session.tokens;
  }
}

struct Edits {
  std::vector<std::function<void(cudaStream_t)>> list;
  void drain(cudaStream_t s) {
    while (!list.empty()) {
      // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'drainsAQueue' sets a value that the branch depends on
      list.back()(s);
      list.pop_back();
    }
  }
};

void drainsAQueue(float *p) {
  Edits edits;
  Recorder r;
  r.begin();
  fill<<<1, 1, 0, r.s>>>(p, 1);
  edits.drain(r.s);
  r.end();
  for (int i = 0; i < 8; ++i) {
    edits.list.push_back([=](cudaStream_t s) { scale<<<1, 1, 0, s>>>(p, 2); });
    r.play();
  }
}
