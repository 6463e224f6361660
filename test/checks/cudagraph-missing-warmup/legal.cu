// The first call is not captured, or does the same work as later calls. No
// check has a finding.

// RUN: %check %s

__global__ void fill(float *table);
__global__ void scale(float *x, const float *table);

// The first step runs eagerly; a later one is captured.
class Eager {
public:
  Eager(float *x, cudaStream_t s) : x_(x), stream_(s) {}
  void step() {
    if (!table_) {
      cudaMalloc(&table_, 4096);
      fill<<<1, 32, 0, stream_>>>(table_);
      enqueue();
      return;
    }
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
      enqueue();
      (void)cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void enqueue() { scale<<<1, 32, 0, stream_>>>(x_, table_); }
  float *x_;
  cudaStream_t stream_;
  float *table_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The memory is prepared before the capture begins.
class Prepared {
public:
  explicit Prepared(cudaStream_t s) : stream_(s) {}
  void prepare() {
    if (table_)
      return;
    cudaMalloc(&table_, 4096);
    fill<<<1, 32, 0, stream_>>>(table_);
  }
  void record(float *x) {
    cudaGraph_t graph;
    prepare();
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    scale<<<1, 32, 0, stream_>>>(x, table_);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *table_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The same function runs once before the capture.
class Lazy {
public:
  explicit Lazy(float *memory) : memory_(memory) {}
  void apply(float *x, cudaStream_t s) {
    if (table_ == nullptr) {
      table_ = memory_;
      fill<<<1, 32, 0, s>>>(table_);
    }
    scale<<<1, 32, 0, s>>>(x, table_);
  }

private:
  float *memory_;
  float *table_ = nullptr;
};

void warm(Lazy &lazy, float *x, cudaStream_t s, cudaGraph_t *graph) {
  lazy.apply(x, s);
  cudaStreamSynchronize(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  lazy.apply(x, s);
  (void)cudaStreamEndCapture(s, graph);
}

// The memory is created in the constructor.
class Constructed {
public:
  explicit Constructed(cudaStream_t s) : stream_(s) {
    cudaMalloc(&table_, 4096);
    fill<<<1, 32, 0, stream_>>>(table_);
  }
  void record(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    scale<<<1, 32, 0, stream_>>>(x, table_);
    (void)cudaStreamEndCapture(stream_, graph);
  }

private:
  cudaStream_t stream_;
  float *table_ = nullptr;
};

// A flag that selects a method and is not set by the work.
class Configured {
public:
  Configured(cudaStream_t s, bool clears) : stream_(s), clears_(clears) {}
  void record(float *x, float *table, cudaGraph_t *graph) {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    if (clears_)
      cudaMemsetAsync(table, 0, 4096, stream_);
    scale<<<1, 32, 0, stream_>>>(x, table);
    (void)cudaStreamEndCapture(stream_, graph);
  }

private:
  cudaStream_t stream_;
  bool clears_;
};
