// Temporary memory of a graph returns to a pool. That is a problem if the memory
// has another user when the graph is launched.

// RUN: %check %s cudagraph-dangling-memory

#include <map>
#include <vector>

__global__ void add(const float *a, float *b);
void check(cudaError_t);

class Pool {
public:
  float *take(size_t n) {
    auto &free = free_[n];
    if (!free.empty()) {
      float *p = free.back();
      free.pop_back();
      return p;
    }
    float *p = nullptr;
    check(cudaMalloc(&p, n));
    return p;
  }
  void give(float *p, size_t n) { free_[n].push_back(p); }

private:
  std::map<size_t, std::vector<float *>> free_;
};

struct Tensor {
  Pool &pool;
  float *data;
  explicit Tensor(Pool &p) : pool(p), data(p.take(128)) {}
  ~Tensor() { pool.give(data, 128); }
};

void used_by_others(cudaStream_t s, Pool &pool, float *x, float *y) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  {
    Tensor sum(pool);
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, s>>>(x, sum.data);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'add' uses 'sum.data', which 'Pool::give' returns to a pool; every replay will use it, although it may have another user [cudagraph-dangling-memory]
    add<<<1, 32, 0, s>>>(sum.data, y);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'add' uses 'sum.data', which 'Pool::give' returns to a pool
    check(cudaStreamEndCapture(s, &graph));
    check(cudaGraphInstantiate(&exec, graph, 0));
  }
  Tensor total(pool);
  check(cudaMemset(total.data, 0, 128));
  check(cudaGraphLaunch(exec, s));
  add<<<1, 32, 0, s>>>(y, total.data);
}

// Legal: the other user has returned the memory, or there is none.
void in_turn(cudaStream_t s, Pool &pool, float *x, float *y) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  {
    Tensor sum(pool);
    check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, s>>>(x, sum.data);
    add<<<1, 32, 0, s>>>(sum.data, y);
    check(cudaStreamEndCapture(s, &graph));
    check(cudaGraphInstantiate(&exec, graph, 0));
  }
  check(cudaGraphLaunch(exec, s));
  {
    Tensor total(pool);
    add<<<1, 32, 0, s>>>(y, total.data);
  }
  check(cudaGraphLaunch(exec, s));
}

// Legal: the temporary memory lives as long as the graph.
void kept(cudaStream_t s, Pool &pool, float *x, float *y) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Tensor sum(pool);
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, s>>>(x, sum.data);
  add<<<1, 32, 0, s>>>(sum.data, y);
  check(cudaStreamEndCapture(s, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  Tensor total(pool);
  check(cudaMemset(total.data, 0, 128));
  check(cudaGraphLaunch(exec, s));
  check(cudaStreamSynchronize(s));
  check(cudaGraphExecDestroy(exec));
}
