// A loop that visits each element of a container sets members of one object at
// a time; the graphs that its earlier iterations captured belong to other
// objects.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <vector>

__global__ void k(float *x, float scale);

// The legal users below have one instance each.
template <int> struct Worker {
  Worker() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
using ByRange = Worker<0>;
using ByIndex = Worker<1>;
using InArray = Worker<2>;
using ByPointer = Worker<3>;
using Owned = Worker<4>;
using InMap = Worker<5>;

void byRange() {
  std::vector<ByRange> all(4);
  int n = 0;
  for (auto &each : all) {
    each.rate = n++;
    each.step();
  }
  for (auto &each : all)
    each.step();
}

void byIndex(std::vector<ByIndex> &all) {
  for (size_t i = 0; i < all.size(); ++i) {
    ByIndex &each = all[i];
    each.rate = i * 2;
    for (int n = 0; n < 3; ++n)
      each.step();
  }
}

void inArray() {
  InArray all[2];
  for (int i = 0; i < 2; ++i) {
    all[i].rate = i;
    all[i].step();
  }
}

void byPointer() {
  ByPointer all[4];
  for (ByPointer *p = all; p != all + 4; ++p) {
    p->rate = p - all;
    p->step();
  }
}

void owned(std::vector<std::unique_ptr<Owned>> &all) {
  int n = 0;
  for (auto &each : all) {
    each->rate = n++;
    each->step();
  }
}

void inMap() {
  std::map<int, InMap> all;
  all[1];
  all[2];
  for (auto it = all.begin(); it != all.end(); ++it) {
    it->second.rate = it->first;
    it->second.step();
  }
}

struct Twice {
  Twice() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'twice' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
// Each element is visited again.
void twice(std::vector<Twice> &all) {
  for (int n = 0; n < 3; ++n)
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].rate = n;
      all[i].step();
    }
}

struct Again {
  Again() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'again' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
void again(std::vector<Again> &all, float rate) {
  for (auto &each : all) {
    each.rate = rate;
    each.step();
  }
}

struct Turns {
  Turns() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'turns' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
// Each iteration visits one of two elements.
void turns() {
  std::vector<Turns> all(2);
  for (int i = 0; i < 10; ++i) {
    all[i % 2].rate = i;
    all[i % 2].step();
  }
}

struct Late {
  Late() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'late' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
void late(std::vector<Late> &all) {
  for (auto &each : all) {
    for (int n = 0; n < 2; ++n)
      each.step();
    each.rate = 3;
    each.step();
  }
}

struct Inner {
  Inner() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'inner' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
void inner(std::vector<Inner> &all) {
  for (size_t i = 0; i < all.size(); ++i) {
    Inner &each = all[i];
    for (int n = 0; n < 3; ++n) {
      each.rate = n;
      each.step();
    }
  }
}

struct Alone {
  Alone() { cudaStreamCreate(&s); }
  void step() {
    if (!e) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      k<<<1, 1, 0, s>>>(nullptr, rate);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'rate' of kernel 'k' is set by 'alone' while the graph exists
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&e, g, 0);
    }
    cudaGraphLaunch(e, s);
  }
  cudaStream_t s;
  float rate = 1;
  cudaGraphExec_t e = nullptr;
};
// The loop runs over settings, not over elements.
void alone(const std::vector<float> &rates) {
  Alone one;
  for (float rate : rates) {
    one.rate = rate;
    one.step();
  }
}

int main() {
  byRange();
  std::vector<ByIndex> indexed(4);
  byIndex(indexed);
  inArray();
  byPointer();
  std::vector<std::unique_ptr<Owned>> objects;
  for (int i = 0; i < 3; ++i)
    objects.push_back(std::make_unique<Owned>());
  owned(objects);
  inMap();
  std::vector<Twice> twoTimes(4);
  twice(twoTimes);
  std::vector<Again> repeated(4);
  again(repeated, 1);
  again(repeated, 2);
  turns();
  std::vector<Late> later(4);
  late(later);
  std::vector<Inner> inside(4);
  inner(inside);
  alone({1, 2, 3});
}
