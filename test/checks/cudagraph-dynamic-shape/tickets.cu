// A table of graphs with one graph for each pair of sizes; a ticket keeps the
// handle of its graph, and launches it later.

// RUN: %check %s cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <utility>

__global__ void score(int *x, int n);

struct Request {
  int batch, length;
};
struct Owner {
  cudaGraphExec_t exec;
  explicit Owner(cudaGraphExec_t e) : exec(e) {}
  ~Owner() { cudaGraphExecDestroy(exec); }
};
using Ref = std::shared_ptr<Owner>;
using Key = std::pair<int, int>;
static Key keyOf(const Request &r) { return {r.batch, r.length}; }

class Cache {
public:
  Ref find(const Key &k) {
    auto it = entries_.find(k);
    return it == entries_.end() ? nullptr : it->second;
  }
  void put(const Key &k, Ref e) { entries_.emplace(k, std::move(e)); }

private:
  std::map<Key, Ref> entries_;
};

struct Ticket {
  Request request;
  Ref exec;
};

class Scheduler {
public:
  Scheduler() { cudaStreamCreate(&stream_); }
  void submit(const Request &r, Ticket &ticket) {
    Ref exec = cache_.find(keyOf(r));
    if (!exec) {
      exec = std::make_shared<Owner>(capture(r));
      cache_.put(keyOf(r), exec);
    }
    ticket = Ticket{r, exec};
    cudaGraphLaunch(exec->exec, stream_);
  }
  void repeat(const Ticket &ticket) {
    cudaGraphLaunch(ticket.exec->exec, stream_);
  }

private:
  cudaGraphExec_t capture(const Request &r) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    score<<<dim3((r.length + 31) / 32, r.batch), 32, 0, stream_>>>(x_, r.length);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
  }
  Cache cache_;
  cudaStream_t stream_;
  int *x_ = nullptr;
};

int main() {
  Scheduler s;
  Ticket first{}, other{};
  s.submit({4, 40}, first);
  s.submit({8, 64}, other);
  s.repeat(first);
}
