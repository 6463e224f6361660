// A local builder owns memory of the graph that it records, and ends before the graph, which
// is in an object that a function returns. A constructor may store the handle of the graph, and
// there may be several such objects. The result keeps the memory if the owners are moved or
// copied into it.

// RUN: %check %s cudagraph-dangling-memory --real-std
// REQUIRES: gxx

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

__global__ void kernel(const float *table);

struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
using Buffer = std::unique_ptr<float, Free>;

static Buffer upload(int n) {
  float *p = nullptr;
  cudaMalloc(&p, n * sizeof(float));
  return Buffer(p);
}

struct Look {
  explicit Look(cudaGraphExec_t exec) : exec(exec) {}
  void apply(cudaStream_t s) const { cudaGraphLaunch(exec, s); }
  cudaGraphExec_t exec;
};

static cudaGraphExec_t end(cudaStream_t s) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
    throw 1;
  return exec;
}

class OneTable {
public:
  void add(int n) { table = upload(n); }
  Look record(cudaStream_t s) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      throw 1;
    kernel<<<1, 1, 0, s>>>(table.get());
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses 'table.get()', which 'Free::operator()' frees
    return Look(end(s));
  }

private:
  Buffer table;
};
static Look oneTable(cudaStream_t s) {
  OneTable builder;
  builder.add(8);
  return builder.record(s);
}

class KeptLook {
public:
  KeptLook(cudaGraphExec_t exec, std::vector<Buffer> tables)
      : tables(std::move(tables)), exec(exec) {}
  void apply(cudaStream_t s) const { cudaGraphLaunch(exec, s); }

private:
  std::vector<Buffer> tables;
  cudaGraphExec_t exec;
};
class KeptTables {
public:
  void add(int n) { tables.push_back(upload(n)); }
  KeptLook record(cudaStream_t s) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      throw 1;
    kernel<<<1, 1, 0, s>>>(tables.back().get());
    return KeptLook(end(s), std::move(tables));
  }

private:
  std::vector<Buffer> tables;
};
static KeptLook keptTables(cudaStream_t s) {
  KeptTables builder;
  builder.add(8);
  return builder.record(s);
}

struct Pair {
  std::vector<Buffer> tables;
  cudaGraphExec_t exec;
};
static Pair keptInAggregate(cudaStream_t s) {
  Pair result;
  result.tables.push_back(upload(8));
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(result.tables.back().get());
  result.exec = end(s);
  return result;
}

struct Storage {
  Storage() { cudaMalloc(&data, 4096); }
  ~Storage() { cudaFree(data); }
  float *data = nullptr;
};
struct Handle {
  explicit Handle(cudaGraphExec_t exec) : exec(exec) {}
  ~Handle() { cudaGraphExecDestroy(exec); }
  cudaGraphExec_t exec;
};
template <int Kind> class Callable {
public:
  Callable(std::shared_ptr<Handle> handle, std::shared_ptr<Storage> storage)
      : handle(std::move(handle)), storage(std::move(storage)) {}
  void operator()(cudaStream_t s) const { cudaGraphLaunch(handle->exec, s); }

private:
  std::shared_ptr<Handle> handle;
  std::shared_ptr<Storage> storage;
};
static Callable<0> moved(cudaStream_t s) {
  auto storage = std::make_shared<Storage>();
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(storage->data);
  auto handle = std::make_shared<Handle>(end(s));
  return Callable<0>(handle, std::move(storage));
}
static Callable<1> copied(cudaStream_t s) {
  auto storage = std::make_shared<Storage>();
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(storage->data);
  auto handle = std::make_shared<Handle>(end(s));
  return Callable<1>(handle, storage);
}
static Callable<2> forgotten(cudaStream_t s) {
  auto storage = std::make_shared<Storage>();
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(storage->data);
// CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'storage->data', which 'Storage::~Storage' frees
  auto handle = std::make_shared<Handle>(end(s));
  return Callable<2>(handle, nullptr);
}

// The owner goes to the result by a swap, an assignment to an optional, the parameter of a
// constructor that make_unique calls, and a lambda.
struct Swapped {
  Buffer table;
  cudaGraphExec_t exec = nullptr;
};
static Swapped swapped(cudaStream_t s) {
  Buffer table = upload(8);
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(table.get());
  Swapped result;
  result.exec = end(s);
  result.table.swap(table);
  return result;
}
struct Optional {
  std::optional<Buffer> table;
  cudaGraphExec_t exec = nullptr;
};
static Optional optional(cudaStream_t s) {
  Buffer table = upload(8);
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(table.get());
  Optional result;
  result.exec = end(s);
  result.table = std::move(table);
  return result;
}
struct Passed {
  Passed(Buffer table, cudaGraphExec_t exec) : table(std::move(table)), exec(exec) {}
  Buffer table;
  cudaGraphExec_t exec;
};
static std::unique_ptr<Passed> passed(cudaStream_t s) {
  Buffer table = upload(8);
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(table.get());
  return std::make_unique<Passed>(std::move(table), end(s));
}
static std::function<void(cudaStream_t)> lambda(cudaStream_t s) {
  auto storage = std::make_shared<Storage>();
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(storage->data);
  cudaGraphExec_t exec = end(s);
  return [storage, exec](cudaStream_t on) { cudaGraphLaunch(exec, on); };
}
static std::function<void(cudaStream_t)> lambdaWithoutOwner(cudaStream_t s) {
  auto storage = std::make_shared<Storage>();
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
    throw 1;
  kernel<<<1, 1, 0, s>>>(storage->data);
// CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'storage->data', which 'Storage::~Storage' frees
  cudaGraphExec_t exec = end(s);
  return [exec](cudaStream_t on) { cudaGraphLaunch(exec, on); };
}

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  const Look first = oneTable(s), second = oneTable(s);
  const KeptLook kept = keptTables(s), other = keptTables(s);
  const Pair pair = keptInAggregate(s);
  const auto a = moved(s), b = moved(s);
  const auto c = copied(s), d = copied(s);
  const auto e = forgotten(s), f = forgotten(s);
  const Swapped g = swapped(s);
  const Optional h = optional(s);
  const auto k = passed(s);
  const auto l = lambda(s), m = lambdaWithoutOwner(s);
  for (int i = 0; i < 4; ++i) {
    cudaGraphLaunch(g.exec, s);
    cudaGraphLaunch(h.exec, s);
    cudaGraphLaunch(k->exec, s);
    l(s);
    m(s);
    first.apply(s);
    second.apply(s);
    kept.apply(s);
    other.apply(s);
    cudaGraphLaunch(pair.exec, s);
    a(s);
    b(s);
    c(s);
    d(s);
    e(s);
    f(s);
  }
}
