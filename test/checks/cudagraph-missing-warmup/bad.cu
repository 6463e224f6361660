// Initialization on first use, in code whose first call is captured.

// RUN: %check %s cudagraph-missing-warmup

__global__ void fill(float *table);
__global__ void scale(float *x, const float *table);

// The class zeroes its semaphores if a flag is set.
class Reduction {
public:
  explicit Reduction(int *semaphores) : semaphores_(semaphores) {}
  void launch(float *x, const float *table, cudaStream_t s) {
    if (!initialized_) {
      cudaMemsetAsync(semaphores_, 0, 64, s);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the initialization that 'initialized_' guards (a memset) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
      initialized_ = true;
    }
    scale<<<1, 32, 0, s>>>(x, table);
  }

private:
  int *semaphores_;
  bool initialized_ = false;
};

void reduction(Reduction &reduction, float *x, float *table, cudaStream_t s,
               cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  reduction.launch(x, table, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Reduction::launch'
  cudaStreamEndCapture(s, graph);
}

// The class fills its table on first use.
class Scaler {
public:
  explicit Scaler(float *memory) : memory_(memory) {}
  void apply(float *x, cudaStream_t s) {
    if (table_ == nullptr) {
      table_ = memory_;
      fill<<<1, 32, 0, s>>>(table_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the initialization that 'table_' guards (fill) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
    }
    scale<<<1, 32, 0, s>>>(x, table_);
  }

private:
  float *memory_;
  float *table_ = nullptr;
};

void table(Scaler &scaler, float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scaler.apply(x, s);
  cudaStreamEndCapture(s, graph);
}

// A global variable, and a static local variable.
static bool g_ready = false;

static void global_flag(float *x, float *table, cudaStream_t s) {
  if (!g_ready) {
    fill<<<1, 32, 0, s>>>(table);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the initialization that 'g_ready' guards (fill) is captured because no warm-up ran; {{.*}} [cudagraph-missing-warmup]
    g_ready = true;
  }
  scale<<<1, 32, 0, s>>>(x, table);
}

static void static_flag(float *x, float *table, cudaStream_t s) {
  static bool first = true;
  if (first) {
    first = false;
    fill<<<1, 32, 0, s>>>(table);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the initialization that 'first' guards (fill) is captured because no warm-up ran; {{.*}} [cudagraph-missing-warmup]
  }
  scale<<<1, 32, 0, s>>>(x, table);
}

void globals(float *x, float *table, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  global_flag(x, table, s);
  static_flag(x, table, s);
  cudaStreamEndCapture(s, graph);
}
