// RUN: %check %s cudagraph-default-stream
// RUN: %check %s cudagraph-default-stream --suffix=MAIN -- -DMAIN
// A constructor initializes a static variable in place, and creates a stream
// that is not part of the capture.
struct Policy {
  cudaStream_t stream;
  int block;
};

class Ambient {
public:
  static const Policy &policy() {
    static Ambient context;
    return context.own;
  }

private:
  Ambient() {
    cudaStream_t created = nullptr;
    cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking);
    own.stream = created;
    own.block = 128;
  }
  Policy own{};
};

// Other code may set this one.
class Setting {
public:
  static Setting &get() {
    static Setting one;
    return one;
  }
  void use(cudaStream_t other) { stream = other; }
  cudaStream_t stream;

private:
  Setting() { cudaStreamCreate(&stream); }
};

__global__ void kernel(float *p);

static void reduce(float *data, const Policy &p = Ambient::policy()) {
  kernel<<<1, p.block, 0, p.stream>>>(data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'p.stream', which is not part of the capture of 'p.stream'
  // CHECK-MESSAGES-MAIN: :[[@LINE-2]]:3: warning: kernel 'kernel' is launched on stream 'p.stream', which is not part of the capture of 'p.stream'
}

static cudaError_t record(float *data, const Policy &p, cudaGraph_t *graph) {
  if (cudaError_t e =
          cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeRelaxed))
    return e;
  reduce(data);
  reduce(data, p);
  kernel<<<1, 1, 0, Setting::get().stream>>>(data);
#ifdef MAIN
  // CHECK-MESSAGES-MAIN: :[[@LINE-2]]:3: warning: kernel 'kernel' is launched on stream
#endif
  return cudaStreamEndCapture(p.stream, graph);
}

#ifdef MAIN
int main() {
  Policy mine{nullptr, 64};
  float *data;
  cudaGraph_t graph;
  if (cudaStreamCreate(&mine.stream) || cudaMalloc(&data, 4))
    return 1;
  return record(data, mine, &graph) != cudaSuccess;
}
#else
cudaError_t run(float *data, const Policy &p, cudaGraph_t *graph) {
  return record(data, p, graph);
}
#endif
