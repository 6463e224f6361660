// The value passes through functions, members, and structures.

// RUN: %check %s cudagraph-dynamic-shape

__global__ void kernel(float *x, int n);

static int read_count(const int *device_count) {
  int n = 0;
  cudaMemcpy(&n, device_count, sizeof(n), cudaMemcpyDeviceToHost);
  return n;
}

static void launch(cudaStream_t s, float *x, int n) {
  kernel<<<(n + 127) / 128, 128, 0, s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
}

static void layer(cudaStream_t s, float *x, int n) {
  launch(s, x, n);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'launch'
}

void capture(float *x, const int *count) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  int n = read_count(count);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (blocking, global mode) begins here
  layer(s, x, n);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'layer'
  cudaStreamEndCapture(s, &graph);
}

// The value passes through an out-parameter and a structure.
struct Problem {
  float *x;
  int rows;
};

static void fetch_rows(const int *d, int *rows) {
  cudaMemcpy(rows, d, sizeof(int), cudaMemcpyDeviceToHost);
}

void through_struct(float *x, const int *d) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  Problem p{x, 0};
  fetch_rows(d, &p.rows);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<p.rows, 128, 0, s>>>(p.x, p.rows);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}

// The value passes through members of the capturing object.
class Engine {
public:
  void refresh(const int *d) {
    int n;
    cudaMemcpy(&n, d, sizeof(n), cudaMemcpyDeviceToHost);
    tokens_ += n;
  }
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    launch(tokens());
    cudaStreamEndCapture(stream_, &graph);
  }

private:
  int tokens() const { return tokens_; }
  void launch(int n) {
    kernel<<<n, 128, 0, stream_>>>(x_, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{the grid of kernel 'kernel' is computed from host state that changes between replays}}
  }
  cudaStream_t stream_;
  float *x_;
  int tokens_ = 0;
};
