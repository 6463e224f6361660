// A moved object transfers the objects that it owns: into a container, a
// member, or a returned object. Objects that are not transferred are released
// at the end of the scope.

// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <functional>
#include <memory>
#include <utility>
#include <vector>

__global__ void scale(float *x);

class Buffer {
public:
  explicit Buffer(int n) { cudaMalloc(&data_, n); }
  ~Buffer() {
    if (data_)
      cudaFree(data_);
  }
  Buffer(Buffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  float *get() const { return data_; }

private:
  float *data_ = nullptr;
};

struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
using Owner = std::unique_ptr<float, Free>;

static cudaGraphExec_t finish(cudaStream_t s) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return exec;
}

struct Model {
  cudaStream_t s;
  cudaGraphExec_t exec;
  std::vector<Buffer> buffers;
  std::vector<std::unique_ptr<Buffer>> owners;
  std::vector<std::unique_ptr<std::function<void()>>> callbacks;

  void into_vectors() {
    Buffer one(64);
    auto two = std::make_unique<Buffer>(64);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, s>>>(one.get());
    scale<<<1, 1, 0, s>>>(two->get());
    exec = finish(s);
    buffers.push_back(std::move(one));
    owners.emplace_back(std::move(two));
  }

  void callback(void (*call)(void *)) {
    auto mine = std::make_unique<std::function<void()>>([] {});
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaLaunchHostFunc(s, call, mine.get());
    exec = finish(s);
    callbacks.push_back(std::move(mine));
  }

  void callback_ends(void (*call)(void *)) {
    auto mine = std::make_unique<std::function<void()>>([] {});
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaLaunchHostFunc(s, call, mine.get());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the host function of 'cudaLaunchHostFunc' uses 'mine.get()', which 'Model::callback_ends' frees; {{.*}} [cudagraph-dangling-memory]
    exec = finish(s);
  }

  void stays() {
    Buffer one(64);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, s>>>(one.get());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' uses 'one.get()', which 'Buffer::~Buffer' frees; {{.*}} [cudagraph-dangling-memory]
    exec = finish(s);
  }
};

struct Plan {
  Owner memory;
  std::shared_ptr<Buffer> shared;
  cudaGraphExec_t exec;
};

// Members of a returned object, and of objects constructed from it.
std::unique_ptr<Plan> plan(cudaStream_t s) {
  float *raw;
  cudaMalloc(&raw, 64);
  Owner memory(raw);
  auto shared = std::make_shared<Buffer>(64);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, s>>>(memory.get());
  scale<<<1, 1, 0, s>>>(shared->get());
  cudaGraphExec_t exec = finish(s);
  Plan made{std::move(memory), std::move(shared), exec};
  return std::make_unique<Plan>(std::move(made));
}

// An object constructed from one to which an accessor returns a reference.
class Compiled {
public:
  Plan &value() { return *plan_; }

private:
  Plan *plan_;
};

std::unique_ptr<Plan> taken(Compiled &from) {
  return std::make_unique<Plan>(std::move(from.value()));
}

std::pair<Owner, cudaGraphExec_t> pair(cudaStream_t s) {
  float *raw;
  cudaMalloc(&raw, 64);
  Owner memory(raw);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, s>>>(memory.get());
  cudaGraphExec_t exec = finish(s);
  return {std::move(memory), exec};
}

cudaGraphExec_t released(cudaStream_t s, float **out) {
  float *raw;
  cudaMalloc(&raw, 64);
  Owner memory(raw);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, s>>>(memory.get());
  cudaGraphExec_t exec = finish(s);
  *out = memory.release();
  return exec;
}

cudaGraphExec_t not_released(cudaStream_t s) {
  float *raw;
  cudaMalloc(&raw, 64);
  Owner memory(raw);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, s>>>(memory.get());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'scale' uses 'memory.get()', which 'Free::operator()' frees; {{.*}} [cudagraph-dangling-memory]
  return finish(s);
}
