// The memory is named, or its lifetime ends, far from the capture: in helpers,
// in methods, in objects whose constructor begins the capture, and in owners.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <initializer_list>
#include <memory>
#include <vector>

__global__ void kernel(const float *in, float *out);

// The local variable belongs to the caller, and the copy is two calls deeper.
static void upload(void *device, const void *host, size_t n, cudaStream_t s) {
  cudaMemcpyAsync(device, host, n, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'scale', a parameter of 'set_scale'; every replay will read 4 bytes of the stack frame of 'set_scale' [cudagraph-dangling-memory]
}

static void set_scale(float *device, float scale, cudaStream_t s) {
  upload(device, &scale, sizeof(scale), s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'upload'
}

void helper(cudaStream_t s, float *device, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  set_scale(device, 2.0f, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'set_scale'
  cudaStreamEndCapture(s, graph);
}

// The lifetime of an initializer list ends with the call.
static void upload_info(int *device, std::initializer_list<int> values,
                        cudaStream_t s) {
  cudaMemcpyAsync(device, values.begin(), values.size() * sizeof(int), cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from a temporary; {{.*}} [cudagraph-dangling-memory]
}

void list(cudaStream_t s, int *device, int rows, int columns, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  upload_info(device, {rows, columns}, s);
  cudaStreamEndCapture(s, graph);
}

// Methods of a class that stores the graph.
class Decoder {
public:
  explicit Decoder(cudaStream_t s) : stream_(s) {}
  void capture(float *device) {
    begin();
    step(device);
    end();
  }
  void replay() { cudaGraphLaunch(exec_, stream_); }

private:
  void begin() { cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal); }
  void end() {
    cudaGraph_t graph;
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void step(float *device) {
    float scales[2] = {0.5f, 2.0f};
    cudaMemcpyAsync(device, scales, sizeof(scales), cudaMemcpyHostToDevice, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'scales', a local variable of 'Decoder::step'; {{.*}} [cudagraph-dangling-memory]
  }

  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The capture belongs to an object.
class Recorder {
public:
  explicit Recorder(cudaStream_t s) : stream_(s) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  cudaGraph_t finish() {
    cudaGraph_t graph;
    cudaStreamEndCapture(stream_, &graph);
    return graph;
  }

private:
  cudaStream_t stream_;
};

cudaGraph_t recorded(cudaStream_t s, int *device) {
  std::vector<int> table(16);
  Recorder recorder(s);
  cudaMemcpyAsync(device, table.data(), 64, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from the elements of 'table', a local variable of 'recorded'; every replay will read 64 bytes of freed memory [cudagraph-dangling-memory]
  return recorder.finish();
}

// Owners: a deleter that frees the memory, and a class that contains an owner.
struct DeviceDelete {
  void operator()(float *p) const { cudaFree(p); }
};
using DevicePointer = std::unique_ptr<float, DeviceDelete>;

static DevicePointer allocate(size_t n) {
  float *p = nullptr;
  cudaMalloc(&p, n);
  return DevicePointer(p);
}

void unique(cudaStream_t s, float *out, cudaGraph_t *graph) {
  DevicePointer scratch = allocate(4096);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(scratch.get(), out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'scratch.get()', which 'DeviceDelete::operator()' frees; every replay will use freed memory that may have been reallocated [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// A helper frees.
static void release(float *p) {
  cudaFree(p);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: it is freed here
}

void freed_by_helper(cudaStream_t s, float *out, cudaGraph_t *graph) {
  float *scratch;
  cudaMalloc(&scratch, 4096);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(scratch, out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'scratch', which 'release' frees; every replay will use freed memory that may have been reallocated [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
  release(scratch);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: this call frees it
}
