// Allocations in a tensor class, a factory, and an operator; freed temporaries.

// RUN: %check %s cudagraph-device-allocation

__global__ void add(const float *a, const float *b, float *c, int n);

class Tensor {
public:
  explicit Tensor(int n) : n_(n) {
    cudaMalloc(&data_, n * sizeof(float));
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  }
  ~Tensor() {
    cudaFree(data_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  }
  static Tensor like(const Tensor &t) {
    return Tensor(t.n_);
  }
  float *data() const { return data_; }
  int size() const { return n_; }

private:
  float *data_ = nullptr;
  int n_;
};

static Tensor sum(const Tensor &a, const Tensor &b, cudaStream_t s) {
  Tensor c = Tensor::like(a);
  // CHECK-NOTES: :[[@LINE-1]]:14: note: calls 'Tensor::like'
  add<<<1, 32, 0, s>>>(a.data(), b.data(), c.data(), a.size());
  return c;
}

struct Network {
  Tensor weights{64}, input{64};
  void forward(cudaStream_t s) {
    Tensor output = sum(weights, input, s);
    // CHECK-NOTES: :[[@LINE-1]]:21: note: calls 'sum'
  }
};

void capture(Network &network) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (non-blocking, global mode) begins here
  network.forward(s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Network::forward'
  cudaStreamEndCapture(s, &graph);
}

// Default member initializers also run in the region.
static float *make() {
  float *p;
  cudaMalloc(&p, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  return p;
}
struct Scratch {
  float *p = make();
};
void default_initialiser() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Scratch scratch;
  cudaMemsetAsync(scratch.p, 0, 4, s);
  cudaStreamEndCapture(s, &graph);
}

// The first call initializes a static local variable, and may be captured.
static float *lookup_table() {
  static float *table = [] {
    float *p;
    cudaMalloc(&p, 1024);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
    return p;
  }();
  return table;
}
void first_call() {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(lookup_table(), 0, 4, s);
  cudaStreamEndCapture(s, &graph);
}
