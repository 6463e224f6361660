// An object with a smart pointer that a function returns or moves still owns
// the target: the last object destroys it.

// REQUIRES: gxx
// RUN: %check %s cudagraph-dangling-memory --real-std

#include <memory>
#include <utility>

__global__ void kernel(float *x);
void check(cudaError_t);

struct Storage {
  float *data = nullptr;
  explicit Storage(size_t n) { check(cudaMalloc(&data, n)); }
  ~Storage() { cudaFree(data); }
  Storage(const Storage &) = delete;
};

struct Shared {
  std::shared_ptr<Storage> storage;
  static Shared named(size_t n) {
    Shared result;
    result.storage = std::make_shared<Storage>(n);
    return result;
  }
  static Shared unnamed(size_t n) { return Shared{std::make_shared<Storage>(n)}; }
  float *data() const { return storage->data; }
};
struct Unique {
  std::unique_ptr<Storage> storage;
  static Unique named(size_t n) {
    Unique result;
    result.storage = std::make_unique<Storage>(n);
    return result;
  }
  float *data() const { return storage->data; }
};

#define CAPTURE(MEMORY)                                                        \
  cudaGraph_t graph;                                                           \
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));               \
  kernel<<<1, 32, 0, s>>>(MEMORY.data());                                      \
  check(cudaStreamEndCapture(s, &graph));                                      \
  check(cudaGraphInstantiate(&exec, graph, 0));

void sharedNamed(cudaStream_t s) {
  cudaGraphExec_t exec;
  {
    Shared memory = Shared::named(128);
    CAPTURE(memory)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses memory, which 'Storage::~Storage' frees
  }
  check(cudaGraphLaunch(exec, s));
}
void sharedUnnamed(cudaStream_t s) {
  cudaGraphExec_t exec;
  {
    Shared memory = Shared::unnamed(128);
    CAPTURE(memory)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses memory, which 'Storage::~Storage' frees
  }
  check(cudaGraphLaunch(exec, s));
}
void uniqueNamed(cudaStream_t s) {
  cudaGraphExec_t exec;
  {
    Unique memory = Unique::named(128);
    CAPTURE(memory)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses memory, which 'Storage::~Storage' frees
  }
  check(cudaGraphLaunch(exec, s));
}
void moved(cudaStream_t s) {
  cudaGraphExec_t exec;
  Unique first;
  first.storage = std::make_unique<Storage>(128);
  {
    Unique memory = std::move(first);
    CAPTURE(memory)
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses memory, which 'Storage::~Storage' frees
  }
  check(cudaGraphLaunch(exec, s));
}

// Another owner exists when the graph is launched.
void keptShared(cudaStream_t s) {
  cudaGraphExec_t exec;
  Shared kept;
  {
    Shared memory = Shared::named(128);
    kept = memory;
    CAPTURE(memory)
  }
  check(cudaGraphLaunch(exec, s));
  check(cudaStreamSynchronize(s));
  check(cudaGraphExecDestroy(exec));
}
void keptMoved(cudaStream_t s) {
  cudaGraphExec_t exec;
  Unique kept;
  {
    Unique memory = Unique::named(128);
    CAPTURE(memory)
    kept.storage = std::move(memory.storage);
  }
  check(cudaGraphLaunch(exec, s));
  check(cudaStreamSynchronize(s));
  check(cudaGraphExecDestroy(exec));
}
class Holder {
public:
  explicit Holder(cudaStream_t s) : memory(Shared::named(128)), stream(s) {}
  ~Holder() {
    if (exec)
      (void)cudaGraphExecDestroy(exec);
  }
  void capture() {
    cudaStream_t s = stream;
    CAPTURE(memory)
  }
  void run() { check(cudaGraphLaunch(exec, stream)); }

private:
  Shared memory;
  cudaStream_t stream;
  cudaGraphExec_t exec = nullptr;
};
void member(cudaStream_t s) {
  Holder holder(s);
  holder.capture();
  holder.run();
  check(cudaStreamSynchronize(s));
}
// A function passes its owner on, and a copy of it remains in the caller.
static Shared second(const Shared &first) {
  Shared result = first;
  return result;
}
void passedOn(cudaStream_t s) {
  cudaGraphExec_t exec;
  Shared first = Shared::named(128);
  {
    Shared memory = second(first);
    CAPTURE(memory)
  }
  check(cudaGraphLaunch(exec, s));
  check(cudaStreamSynchronize(s));
  check(cudaGraphExecDestroy(exec));
}
