// The chain of calls from the capture to the wait, with one note for each step.

// RUN: %check %s cudagraph-sync-call

__global__ void kernel(float *x);

// Three functions deep.
static void wait_for(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}

static void layer(cudaStream_t stream, float *x) {
  kernel<<<1, 32, 0, stream>>>(x);
  wait_for(stream);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'wait_for'
}

static void forward(cudaStream_t stream, float *x) {
  layer(stream, x);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'layer'
}

void capture(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (blocking, global mode) begins here
  forward(s, x);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'forward'
  cudaStreamEndCapture(s, &graph);
}

// Methods, a member stream, and a stream accessor.
class Context {
public:
  Context() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  cudaStream_t stream() const { return stream_; }
  void sync() const {
    cudaStreamSynchronize(stream());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 'stream()', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }

private:
  cudaStream_t stream_;
};

class Engine {
public:
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(context_.stream(), cudaStreamCaptureModeThreadLocal);
    step();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Engine::step'
    cudaStreamEndCapture(context_.stream(), &graph);
  }

private:
  void step() {
    kernel<<<1, 32, 0, context_.stream()>>>(x_);
    context_.sync();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Context::sync'
  }

  Context context_;
  float *x_ = nullptr;
};

// The function is used after its definition, recursively, and through a
// destructor of a temporary.
struct ScopedTimer {
  explicit ScopedTimer(cudaStream_t s) : stream(s) {}
  ~ScopedTimer() {
    cudaStreamSynchronize(stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    // CHECK-NOTES: note: runs 'ScopedTimer::~ScopedTimer'
  }
  cudaStream_t stream;
};

static void recurse(cudaStream_t s, float *x, int depth) {
  if (depth == 0) {
    cudaStreamQuery(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    return;
  }
  kernel<<<1, 32, 0, s>>>(x);
  recurse(s, x, depth - 1);
}

void capture_timed(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    ScopedTimer timer(s);
    kernel<<<1, 32, 0, s>>>(x);
  }
  recurse(s, x, 4);
  cudaStreamEndCapture(s, &graph);
}

// Virtual calls and function pointers.
struct Operator {
  virtual ~Operator() = default;
  virtual void run(cudaStream_t s, float *x) = 0;
};

struct Blocking : Operator {
  void run(cudaStream_t s, float *x) override {
    kernel<<<1, 32, 0, s>>>(x);
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }
};

struct Polite : Operator {
  void run(cudaStream_t s, float *x) override { kernel<<<1, 32, 0, s>>>(x); }
};

void capture_operator(Operator &op, float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  op.run(s, x);
  cudaStreamEndCapture(s, &graph);
}

static void pointed_to(cudaStream_t s) {
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}

void capture_pointer() {
  void (*f)(cudaStream_t) = pointed_to;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  f(s);
  cudaStreamEndCapture(s, &graph);
}

// Begin and end calls in different functions.
static void open(cudaStream_t s) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: by 'cudaStreamBeginCapture' here
}

static cudaGraph_t close(cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void capture_split(float *x) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  open(s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (blocking, global mode) begins here
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  close(s);
  cudaStreamSynchronize(s);
}
