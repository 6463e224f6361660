// A program searches its operations before it begins a capture. Operations that
// cannot be captured run without one.

// RUN: %check %s cudagraph-sync-call --real-std

#include <algorithm>
#include <cuda_runtime.h>
#include <memory>
#include <vector>

__global__ void k(float *p);

enum class Kind { Add, Scale, Report, Save };

struct Op {
  Kind kind;
  bool slow = false;
  float *data;
  bool waits() const { return kind == Kind::Report || kind == Kind::Save; }
};
using Plan = std::vector<Op>;

// A copy of the list, captured.
template <class Run> void capture(const Plan &plan, cudaStream_t s, Run run) {
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (const Op &op : plan)
    run(op, s);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphLaunch(e, s);
}

// Legal: the search returns.
namespace returns {
bool canCapture(const Plan &plan) {
  for (const Op &op : plan)
    if (op.slow)
      return false;
  return true;
}
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.slow)
    cudaStreamSynchronize(s);
}
void start(const Plan &plan, cudaStream_t s) {
  if (!canCapture(plan)) {
    for (const Op &op : plan)
      run(op, s);
    return;
  }
  capture(plan, s, run);
}
} // namespace returns

// Legal: the search sets a flag, which another flag depends on.
namespace flags {
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.waits())
    cudaStreamSynchronize(s);
}
bool canCapture(const Plan &plan) {
  bool ok = true;
  for (size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].data == nullptr)
      continue;
    if (plan[i].data && plan[i].waits())
      ok = false;
    if (!ok)
      break;
  }
  return ok;
}
void start(const Plan &plan, cudaStream_t s) {
  bool useGraph = false;
  if (plan.size() > 4) {
    const bool ok = canCapture(plan);
    if (ok)
      useGraph = true;
  }
  if (useGraph)
    capture(plan, s, [](const Op &op, cudaStream_t t) {
      if (!op.data)
        return;
      run(op, t);
    });
}
} // namespace flags

// Legal: an algorithm.
namespace algorithms {
void run(const Op &op, cudaStream_t s) {
  switch (op.kind) {
  case Kind::Add:
  case Kind::Scale:
    k<<<1, 1, 0, s>>>(op.data);
    break;
  case Kind::Report:
  case Kind::Save:
    cudaStreamSynchronize(s);
    break;
  }
}
void start(const Plan &plan, cudaStream_t s) {
  if (std::any_of(plan.begin(), plan.end(),
                  [](const Op &op) { return op.waits(); }))
    return;
  capture(plan, s, run);
}
void startAlso(const Plan &plan, cudaStream_t s) {
  const bool fine = std::none_of(plan.begin(), plan.end(), [](const Op &op) {
    return op.kind == Kind::Report || op.kind == Kind::Save;
  });
  if (fine)
    capture(plan, s, run);
}
} // namespace algorithms

// Legal: a search in C.
namespace numbers {
struct Node {
  int op;
  float *data;
};
int countWaits(const Node *nodes, int n) {
  int found = 0;
  for (int i = 0; i < n; ++i)
    if (nodes[i].op == 7)
      ++found;
  return found;
}
int isFine(const Node *node) { return node->op != 9; }
void start(const Node *nodes, int n, cudaStream_t s) {
  int ok = 1;
  for (int i = 0; ok && i < n; ++i)
    ok = isFine(&nodes[i]);
  if (!ok || countWaits(nodes, n) > 0)
    return;
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < n; ++i) {
    const Node *node = &nodes[i];
    if (node->op == 7 || node->op == 9)
      cudaStreamSynchronize(s);
    k<<<1, 1, 0, s>>>(node->data);
  }
  cudaStreamEndCapture(s, &g);
}
} // namespace numbers

// Legal: a virtual predicate, which the class that waits overrides.
namespace classes {
struct Stage {
  virtual ~Stage() = default;
  virtual bool canCapture() const { return true; }
  virtual void run(cudaStream_t s) = 0;
};
struct Filter : Stage {
  float *data = nullptr;
  void run(cudaStream_t s) override { k<<<1, 1, 0, s>>>(data); }
};
struct Report : Stage {
  bool canCapture() const override { return false; }
  void run(cudaStream_t s) override { cudaStreamSynchronize(s); }
};
struct Chain {
  std::vector<std::unique_ptr<Stage>> stages;
  cudaStream_t stream;
  bool canCapture() const {
    for (const auto &stage : stages)
      if (!stage->canCapture())
        return false;
    return true;
  }
  void start() {
    if (!canCapture())
      return;
    cudaGraph_t g;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (auto &stage : stages)
      stage->run(stream);
    cudaStreamEndCapture(stream, &g);
  }
};
} // namespace classes

// The search tests another property.
namespace others {
bool canCapture(const Plan &plan) {
  for (const Op &op : plan)
    if (op.data == nullptr)
      return false;
  return true;
}
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.slow)
    cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
}
void start(const Plan &plan, cudaStream_t s) {
  if (canCapture(plan))
    capture(plan, s, run);
}
} // namespace others

// The search excludes only some operations that wait.
namespace some {
bool canCapture(const Plan &plan) {
  for (const Op &op : plan)
    if (op.kind == Kind::Report)
      return false;
  return true;
}
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.waits())
    cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
}
void start(const Plan &plan, cudaStream_t s) {
  if (canCapture(plan))
    capture(plan, s, run);
}
} // namespace some

// The search excludes operations only under another condition.
namespace narrow {
bool canCapture(const Plan &plan) {
  for (const Op &op : plan)
    if (op.kind == Kind::Save && op.slow)
      return false;
  return true;
}
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.slow)
    cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
}
void start(const Plan &plan, cudaStream_t s) {
  if (canCapture(plan))
    capture(plan, s, run);
}
} // namespace narrow

// The search is not decisive, or it begins a capture for what it finds.
namespace ignored {
bool hasSlow(const Plan &plan) {
  for (const Op &op : plan)
    if (op.slow)
      return true;
  return false;
}
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.slow)
    cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
}
void start(const Plan &plan, cudaStream_t s) {
  if (!hasSlow(plan)) {
    for (const Op &op : plan)
      run(op, s);
    return;
  }
  capture(plan, s, run);
}
} // namespace ignored

// Another capture of the same list has no search.
namespace twice {
bool canCapture(const Plan &plan) {
  for (const Op &op : plan)
    if (op.slow)
      return false;
  return true;
}
void run(const Op &op, cudaStream_t s) {
  k<<<1, 1, 0, s>>>(op.data);
  if (op.slow)
    cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's'
}
void start(const Plan &plan, cudaStream_t s) {
  if (canCapture(plan))
    capture(plan, s, run);
}
void resize(const Plan &plan, cudaStream_t s) { capture(plan, s, run); }
} // namespace twice

// A class that waits claims that it can be captured.
namespace claims {
struct Stage {
  virtual ~Stage() = default;
  virtual bool canCapture() const { return true; }
  virtual void run(cudaStream_t s) = 0;
};
struct Host : Stage {
  bool canCapture() const override { return false; }
  void run(cudaStream_t s) override { cudaStreamSynchronize(s); }
};
struct Report : Stage {
  void run(cudaStream_t s) override { cudaStreamSynchronize(s); }
// CHECK-MESSAGES: :[[@LINE-1]]:39: warning: 'cudaStreamSynchronize' waits for stream 's'
};
void start(const std::vector<std::unique_ptr<Stage>> &stages, cudaStream_t s) {
  for (const auto &stage : stages)
    if (!stage->canCapture())
      return;
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (auto &stage : stages)
    stage->run(s);
  cudaStreamEndCapture(s, &g);
}
} // namespace claims

// Legal: a member stores the result of the search.
namespace stored {
struct Chain {
  std::vector<Op> ops;
  cudaStream_t s;
  bool fits = false;
  void build(std::vector<Op> all) {
    ops = std::move(all);
    fits = std::none_of(ops.begin(), ops.end(),
                        [](const Op &op) { return op.waits(); });
  }
  bool canCapture() const { return fits; }
  void run(cudaStream_t t) {
    for (const Op &op : ops) {
      if (op.waits())
        cudaStreamSynchronize(t);
      k<<<1, 1, 0, t>>>(op.data);
    }
  }
  void start() {
    if (!canCapture())
      return run(s);
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    run(s);
    cudaStreamEndCapture(s, &g);
  }
};
} // namespace stored

// Legal: the test happens where an element is added.
namespace added {
struct Chain {
  std::vector<Op> ops;
  cudaStream_t s;
  int slow = 0;
  void add(const Op &op) {
    if (op.slow)
      ++slow;
    ops.push_back(op);
  }
  void run(cudaStream_t t) {
    for (const Op &op : ops) {
      if (op.slow)
        cudaStreamSynchronize(t);
      k<<<1, 1, 0, t>>>(op.data);
    }
  }
  void start() {
    if (slow == 0) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      run(s);
      cudaStreamEndCapture(s, &g);
    } else {
      run(s);
    }
  }
};
} // namespace added

// A setting also determines whether the search excludes an element.
namespace settings {
struct Chain {
  std::vector<Op> ops;
  cudaStream_t s;
  bool strict = false;
  bool canCapture() const {
    for (const Op &op : ops)
      if (strict && op.slow)
        return false;
    return true;
  }
  void start() {
    if (!canCapture())
      return;
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (const Op &op : ops) {
      if (op.slow)
        cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamSynchronize' waits for stream 's'
      k<<<1, 1, 0, s>>>(op.data);
    }
    cudaStreamEndCapture(s, &g);
  }
};
bool canCapture(const Plan &plan, bool strict) {
  for (const Op &op : plan)
    if (strict && op.slow)
      return false;
  return true;
}
void start(const Plan &plan, bool strict, cudaStream_t s) {
  if (!canCapture(plan, strict))
    return;
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (const Op &op : plan) {
    if (op.slow)
      cudaStreamSynchronize(s);
// CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize' waits for stream 's'
    k<<<1, 1, 0, s>>>(op.data);
  }
  cudaStreamEndCapture(s, &g);
}
} // namespace settings
