// Other forms of a search before a capture; see searched-before.cu.

// RUN: %check %s cudagraph-sync-call --real-std

#include <algorithm>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

__global__ void k(float *p);

struct Op {
  bool slow = false;
  int kind = 0;
  float *data;
  bool waits() const { return slow; }
};
using Plan = std::vector<Op>;

void run(const Op &op, cudaStream_t s) {
  if (op.waits())
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
  k<<<1, 1, 0, s>>>(op.data);
}
template <int> void runOp(const Op &op, cudaStream_t s) {
  if (op.waits())
    cudaStreamSynchronize(s);
  k<<<1, 1, 0, s>>>(op.data);
}
void runKind(const Op &op, cudaStream_t s) {
  if (op.kind)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
  k<<<1, 1, 0, s>>>(op.data);
}
void runCounted(const Op &op, cudaStream_t s) {
  if (op.slow)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
  k<<<1, 1, 0, s>>>(op.data);
}
template <class Run> void capture(const Plan &plan, cudaStream_t s, Run run) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (const Op &op : plan)
    run(op, s);
  cudaStreamEndCapture(s, &g);
}

// Legal: an enumerator.
enum class Mode { Eager, Mixed, Graph };
Mode select(const Plan &plan) {
  for (const Op &op : plan)
    if (op.waits())
      return Mode::Eager;
  return Mode::Graph;
}
void startSelected(const Plan &plan, cudaStream_t s) {
  if (select(plan) == Mode::Graph)
    capture(plan, s, runOp<1>);
}

// Legal: a switch on an enumerator.
void startSwitched(const Plan &plan, cudaStream_t s) {
  Mode mode = Mode::Graph;
  for (const Op &op : plan)
    if (op.slow) {
      mode = Mode::Eager;
      break;
    }
  switch (mode) {
  case Mode::Graph:
    capture(plan, s, runOp<2>);
    break;
  default:
    for (const Op &op : plan)
      runOp<2>(op, s);
  }
}

// Legal: a pointer to a member function.
void startUnlessAny(const Plan &plan, cudaStream_t s) {
  if (std::any_of(plan.begin(), plan.end(), std::mem_fn(&Op::waits)))
    return;
  capture(plan, s, runOp<3>);
}

// Legal: the element that was found is compared with the end.
void startUnlessFound(const Plan &plan, cudaStream_t s) {
  auto found = std::find_if(plan.begin(), plan.end(),
                            [](const Op &op) { return op.slow; });
  if (found != plan.end())
    return;
  capture(plan, s, runOp<4>);
}

// Legal: a flag that is accumulated.
bool fits(const Plan &plan) {
  bool any = false;
  for (const Op &op : plan)
    any = any || op.slow;
  return !any;
}
void startIfFits(const Plan &plan, cudaStream_t s) {
  bool graph = fits(plan) && plan.size() > 2;
  if (graph)
    capture(plan, s, runOp<5>);
}

// Legal: a count.
bool hasNone(const Plan &plan) {
  int bad = 0;
  for (const Op &op : plan)
    bad += op.slow ? 1 : 0;
  return bad == 0;
}
void startIfNone(const Plan &plan, cudaStream_t s) {
  if (!hasNone(plan))
    throw 1;
  capture(plan, s, runOp<6>);
}

// The capture begins if an element was found.
void startIfFound(const Plan &plan, cudaStream_t s) {
  auto found = std::find_if(plan.begin(), plan.end(),
                            [](const Op &op) { return op.slow; });
  if (found == plan.end())
    return;
  capture(plan, s, run);
}

// The search excludes one of several kinds.
void startUnlessFirstKind(const Plan &plan, cudaStream_t s) {
  for (const Op &op : plan) {
    int kind = op.kind;
    if (kind == 1)
      return;
  }
  capture(plan, s, runKind);
}

// The search excludes only plans with exactly one such element.
int countSlow(const Plan &plan) {
  int n = 0;
  for (const Op &op : plan)
    if (op.slow)
      ++n;
  return n;
}
void startUnlessOne(const Plan &plan, cudaStream_t s) {
  if (countSlow(plan) == 1)
    return;
  capture(plan, s, runCounted);
}

// Legal: a count of at least one.
void startUnlessSome(const Plan &plan, cudaStream_t s) {
  int n = countSlow(plan);
  if (n >= 1)
    return;
  capture(plan, s, runOp<7>);
}
