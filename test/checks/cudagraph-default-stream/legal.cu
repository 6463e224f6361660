// All work is on capturing streams or outside captures. No check has findings.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <vector>

__global__ void kernel(float *x, int n);
__global__ void parent(float *x, int n);

// The legacy stream before and after the capture.
void around(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  kernel<<<1, 32>>>(x, n);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x, n);
  cudaStreamEndCapture(s, &graph);
  kernel<<<1, 32>>>(x, n);
}

// Copies of the handle, references, pointers, and arrays of handles.
static void by_reference(const cudaStream_t &s, float *x) {
  kernel<<<1, 32, 0, s>>>(x, 1);
}
static void by_pointer(cudaStream_t *s, float *x) {
  kernel<<<1, 32, 0, *s>>>(x, 1);
}
struct Launch {
  cudaStream_t stream;
  int blocks;
};
static void by_struct(const Launch &l, float *x) {
  kernel<<<l.blocks, 32, 0, l.stream>>>(x, 1);
}

void aliases(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStream_t copy = s;
  cudaStream_t &alias = s;
  const auto third = copy;
  Launch l{s, 4};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, copy>>>(x, 1);
  kernel<<<1, 32, 0, alias>>>(x, 1);
  kernel<<<1, 32, 0, third>>>(x, 1);
  by_reference(s, x);
  by_pointer(&s, x);
  by_struct(l, x);
  by_struct(Launch{copy, 8}, x);
  cudaStreamEndCapture(s, &graph);
}

// A pool of streams, all forked from the first one and joined to it.
struct Pool {
  cudaStream_t streams[4];
  cudaEvent_t forked, done[4];
};

void pool(Pool &p, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(p.streams[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(p.forked, p.streams[0]);
  for (int i = 1; i < 4; ++i)
    cudaStreamWaitEvent(p.streams[i], p.forked, 0);
  for (int i = 0; i < 4; ++i)
    kernel<<<1, 32, 0, p.streams[i]>>>(x, i);
  for (int i = 1; i < 4; ++i) {
    cudaEventRecord(p.done[i], p.streams[i]);
    cudaStreamWaitEvent(p.streams[0], p.done[i], 0);
  }
  cudaStreamEndCapture(p.streams[0], &graph);
}

void vector_of_streams(std::vector<cudaStream_t> &streams, std::vector<cudaEvent_t> &events, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed);
  cudaEventRecord(events[0], streams[0]);
  for (size_t i = 1; i < streams.size(); ++i) {
    cudaStreamWaitEvent(streams[i], events[0], 0);
    kernel<<<1, 32, 0, streams[i]>>>(x, 1);
    cudaEventRecord(events[i], streams[i]);
    cudaStreamWaitEvent(streams[0], events[i], 0);
  }
  kernel<<<1, 32, 0, streams[0]>>>(x, 1);
  cudaStreamEndCapture(streams[0], &graph);
}

// A stream chosen by the caller may be the capturing one.
void which_stream(cudaStream_t a, cudaStream_t b, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, a>>>(x, 1);
  cudaStreamEndCapture(a, &graph);
  kernel<<<1, 32, 0, b>>>(x, 1);
}

cudaStream_t current_stream();
void opaque(float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(current_stream(), cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, current_stream()>>>(x, 1);
  cudaStreamEndCapture(current_stream(), &graph);
}

// Member streams behind accessors, with the current one chosen at run time.
class Context {
public:
  cudaStream_t stream() const { return streams_[current_]; }
  void select(int i) { current_ = i; }

private:
  cudaStream_t streams_[8];
  int current_ = 0;
};

void context(Context &c, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(c.stream(), cudaStreamCaptureModeRelaxed);
  kernel<<<1, 32, 0, c.stream()>>>(x, 1);
  cudaMemsetAsync(x, 0, 4, c.stream());
  cudaStreamEndCapture(c.stream(), &graph);
}

// Lazily created members.
struct Lazy {
  cudaStream_t stream_ = nullptr;
  cudaStream_t stream() {
    if (stream_ == nullptr)
      cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    return stream_;
  }
  void build(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed);
    kernel<<<1, 32, 0, stream()>>>(x, 1);
    cudaStreamEndCapture(stream(), &graph);
  }
};

// Device code is not host code.
__device__ float *scratch;
__device__ void barrier_all() { __syncthreads(); }
__global__ void noisy(float *x) {
  if (threadIdx.x == 0)
    printf("%f\n", x[0]);
  barrier_all();
  scratch = x;
}

void device_code(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  noisy<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, &graph);
}

// Eager or captured, depending on the stream.
void choose(bool capture, float *x, int n) {
  cudaStream_t s = nullptr;
  cudaGraph_t graph;
  if (capture) {
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  kernel<<<1, 32, 0, s>>>(x, n);
  if (capture)
    cudaStreamEndCapture(s, &graph);
}

// Warm-up on another stream in the same loop, before the capture begins.
void warm_up(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  for (int i = 0; i < 3; ++i) {
    kernel<<<1, 32>>>(x, n);
    if (i == 2) {
      cudaDeviceSynchronize();
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      kernel<<<1, 32, 0, s>>>(x, n);
      cudaStreamEndCapture(s, &graph);
    }
  }
}
