// One line allocates many buffers: each call to a helper, each object of a class, and
// each iteration of a loop has its own. Only the freed buffer no longer exists.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

__global__ void scale(float *x);

static float *allocate(int n) {
  float *p;
  cudaMalloc(&p, n);
  return p;
}
static float *pinned(int n) {
  float *p;
  cudaMallocHost(&p, n);
  return p;
}

void helpers(cudaStream_t s) {
  float *x = allocate(64), *scratch = allocate(64), *y = allocate(64);
  float *host = pinned(64), *first = pinned(64);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(x, host, 64, cudaMemcpyHostToDevice, s);
  scale<<<1, 1, 0, s>>>(x);
  scale<<<1, 1, 0, s>>>(y);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'scale' uses 'y', which 'helpers' frees; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaFree(scratch);
  cudaFreeHost(first);
  cudaFree(y);
  cudaGraphLaunch(exec, s);
}

void elements(cudaStream_t s) {
  float *all[4];
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  for (int i = 0; i < 4; ++i)
    cudaMalloc(&all[i], 64);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scale<<<1, 1, 0, s>>>(all[0]);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaFree(all[2]);
  cudaGraphLaunch(exec, s);
}

void turns(cudaStream_t s, int n) {
  for (int i = 0; i < n; ++i) {
    float *p;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMalloc(&p, 64 * (i + 1));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, s>>>(p);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphExecDestroy(exec);
    cudaFree(p);
  }
}

// An object that owns its buffer and its graph releases both in any order.
class Engine {
public:
  explicit Engine(cudaStream_t s) : s_(s) {
    cudaGraph_t graph;
    cudaMalloc(&data_, 64);
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    scale<<<1, 1, 0, s_>>>(data_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  ~Engine() {
    cudaFree(data_);
    cudaGraphExecDestroy(exec_);
  }
  void run() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  float *data_;
  cudaGraphExec_t exec_;
};

void objects(cudaStream_t s) {
  Engine outer(s);
  {
    Engine inner(s);
    inner.run();
  }
  outer.run();
  Engine *heap = new Engine(s);
  heap->run();
  delete heap;
  outer.run();
}
