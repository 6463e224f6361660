// A registry of operators maps strings to callables. The callee of a call is
// unknown, but it is one of the functions that the program converts to the type.

// RUN: %check %s cudagraph-sync-call,cudagraph-frozen-argument --real-std

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

__global__ void k(float *x, int n);

struct Context {
  cudaStream_t stream;
  float *x;
  int position;
};

// Lambdas that initializers of globals register.
using Operator = std::function<cudaError_t(Context &)>;
class Registry {
public:
  static Registry &get() {
    static Registry r;
    return r;
  }
  bool add(std::string name, Operator o) {
    return table_.emplace(std::move(name), std::move(o)).second;
  }
  const Operator &lookup(const std::string &name) const {
    return table_.at(name);
  }

private:
  std::unordered_map<std::string, Operator> table_;
};
const bool addedWait = Registry::get().add("wait", [](Context &c) {
  return cudaStreamSynchronize(c.stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamSynchronize'
});
const bool addedAppend = Registry::get().add("append", [](Context &c) {
  k<<<1, 1, 0, c.stream>>>(c.x, c.position);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'c.position' of kernel 'k'
  return cudaGetLastError();
});
class Plan {
public:
  explicit Plan(const std::vector<std::string> &names) {
    for (const std::string &name : names)
      steps_.push_back(&Registry::get().lookup(name));
  }
  void record(Context &c) {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal);
    for (const Operator *each : steps_)
      (*each)(c);
    cudaStreamEndCapture(c.stream, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  void replay(Context &c) {
    cudaGraphLaunch(exec_, c.stream);
    ++c.position;
  }

private:
  std::vector<const Operator *> steps_;
  cudaGraphExec_t exec_ = nullptr;
};

// Functions in a table that a function returns.
struct Image {
  cudaStream_t stream;
};
using Filter = void (*)(const Image &);
void blur(const Image &i) {
  cudaStreamSynchronize(i.stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
}
void sharpen(const Image &i) { k<<<1, 1, 0, i.stream>>>(nullptr, 1); }
const std::map<std::string, Filter> &filters() {
  static const std::map<std::string, Filter> all{{"blur", blur},
                                                 {"sharpen", sharpen}};
  return all;
}
// Called but never converted.
void show(const Image &i) { cudaStreamSynchronize(i.stream); }
void showBoth(const Image &i, const Image &j) {
  show(i);
  show(j);
}
void apply(const std::string &name, const Image &i) {
  Filter filter = filters().find(name)->second;
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(i.stream, cudaStreamCaptureModeThreadLocal);
  filter(i);
  cudaStreamEndCapture(i.stream, &graph);
}

// The call reaches callables of its type, but neither of the two that wait: one
// is passed to a template, and the other has a different type.
struct Frame {
  cudaStream_t stream;
};
using Pass = std::function<void(Frame &)>;
std::map<std::string, Pass> passes;
void addPasses() {
  passes["clear"] = [](Frame &f) { k<<<1, 1, 0, f.stream>>>(nullptr, 1); };
}
template <class Visitor> void visit(Frame &f, Visitor &&each) { each(f); }
void show(Frame &f) {
  visit(f, [](Frame &each) { cudaStreamSynchronize(each.stream); });
}
std::function<void(const Frame &)> afterwards = [](const Frame &f) {
  cudaStreamSynchronize(f.stream);
};
void drawPass(const std::string &name, Frame &f) {
  const Pass &pass = passes.at(name);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(f.stream, cudaStreamCaptureModeThreadLocal);
  pass(f);
  cudaStreamEndCapture(f.stream, &graph);
}

// A type that any callable may have does not identify the callee.
std::map<std::string, std::function<void()>> jobs, other;
void addJobs(cudaStream_t s) {
  other["wait"] = [s] { cudaStreamSynchronize(s); };
}
void runJob(const std::string &name, cudaStream_t s) {
  const std::function<void()> *job = &jobs.at(name);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  (*job)();
  cudaStreamEndCapture(s, &graph);
}

int main() {
  Context c{};
  cudaStreamCreate(&c.stream);
  Plan plan({"append"});
  plan.record(c);
  for (int i = 0; i < 4; ++i)
    plan.replay(c);
}
