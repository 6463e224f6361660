// A stream with a null initializer, in a class that other units cannot use, is
// the default stream if nothing sets it.

// RUN: %check %s --roots=stream-param --roots=entry-points

__global__ void kernel(float *x);
cudaStream_t make_stream();

struct Context {
  cudaStream_t compute = nullptr;
  cudaStream_t copies = {};
  cudaStream_t set = nullptr;
  cudaStream_t listed = nullptr;
  cudaStream_t created = nullptr;
  cudaStream_t handed = nullptr;
  cudaStream_t plain;
};
static Context *context() {
  static Context c;
  return &c;
}
void fill(cudaStream_t *s);

// Nothing sets the stream, so the work is not in the graph.
extern "C" void on_unset(float *x, cudaStream_t s) {
  kernel<<<1, 1, 0, context()->compute>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' captures
  kernel<<<1, 1, 0, context()->copies>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' captures
  if (context()->compute == nullptr)
    context()->compute = nullptr;
}

// A function without source receives the stream, by value and by address.
struct Device {
  virtual void order(int id, void *from, void *to);
};
Device *device();
void order(void *from, float *x);
extern "C" void as_address(float *x, cudaStream_t s) {
  device()->order(0, context()->compute, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'Device::order' enqueues its work on the legacy default stream while 's' captures
  order(s, x);
  order(nullptr, x); // not a stream
}

// The stream is set somewhere in the file.
void start(Context *c) {
  c->set = make_stream();
  cudaStreamCreate(&c->created);
  fill(&c->handed);
}
Context *listed() { return new Context{nullptr, nullptr, nullptr, make_stream()}; }
extern "C" void on_set(float *x, cudaStream_t s) {
  Context *c = context();
  kernel<<<1, 1, 0, c->set>>>(x);
  kernel<<<1, 1, 0, c->listed>>>(x);
  kernel<<<1, 1, 0, c->handed>>>(x);
  kernel<<<1, 1, 0, c->plain>>>(x);
}

// A capture begins on the stream, so other code of the program creates it.
struct Recorder {
  cudaStream_t stream = nullptr;
  void record(float *x, cudaGraph_t *g) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    kernel<<<1, 1, 0, stream>>>(x);
    cudaStreamEndCapture(stream, g);
  }
};

// Other code creates the objects.
struct Handed {
  cudaStream_t stream = nullptr;
};
extern "C" void on_handed(float *x, Handed *h, cudaStream_t s) { kernel<<<1, 1, 0, h->stream>>>(x); }
