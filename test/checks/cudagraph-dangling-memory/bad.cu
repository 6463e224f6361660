// A node retains an address, and the memory is released before the graph: its
// scope or statement ends, or it is freed, replaced, or moved.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <string>
#include <utility>
#include <vector>

__global__ void kernel(const float *in, float *out);

struct Params {
  float theta;
  int heads;
};

// A copy of a local variable; the caller owns the graph.
cudaGraphExec_t local_variable(cudaStream_t s, Params *device) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Params params{1.0f, 8};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(device, &params, sizeof(params), cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'params', a local variable of 'local_variable'; every replay will read 8 bytes of the stack frame of 'local_variable' [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

// An array whose lifetime ends during the capture.
void local_array(cudaStream_t s, int *device, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 4; ++i) {
    int dims[2] = {i, 2 * i};
    // CHECK-NOTES: :[[@LINE-1]]:9: note: it goes out of scope with this variable
    cudaMemcpyAsync(device + 2 * i, dims, sizeof(dims), cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'dims', a local variable of 'local_array'; every replay will read 8 bytes of the stack frame of 'local_array' [cudagraph-dangling-memory]
  }
  cudaStreamEndCapture(s, graph);
}

// The elements of a vector, and of a string.
void elements(cudaStream_t s, float **table, char *pattern, float *const *rows,
              int n, cudaGraph_t *graph) {
  std::vector<float *> pointers(n);
  std::string text("needle");
  for (int i = 0; i < n; ++i)
    pointers[i] = rows[i];
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(table, pointers.data(), n * sizeof(float *), cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from the elements of 'pointers', a local variable of 'elements'; every replay will read freed memory [cudagraph-dangling-memory]
  cudaMemcpyAsync(pattern, text.data(), text.size(), cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from the elements of 'text', a local variable of 'elements'; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// Temporaries are destroyed at the end of the statement.
std::vector<int> offsets();

void temporary(cudaStream_t s, int *device, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(device, offsets().data(), 64, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from a temporary; every replay will read 64 bytes of freed memory [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// A result copied to the stack.
void destination(cudaStream_t s, const float *loss, cudaGraph_t *graph) {
  float value = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(&value, loss, sizeof(value), cudaMemcpyDeviceToHost, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies to 'value', a local variable of 'destination'; every replay will write to 4 bytes of the stack frame of 'destination' [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// The data of a host node.
static void CUDART_CB count(void *data) { ++*static_cast<long *>(data); }

void user_data(cudaStream_t s, cudaGraph_t *graph) {
  long counter = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, count, &counter);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function of 'cudaLaunchHostFunc' uses 'counter', a local variable of 'user_data'; every replay will use the stack frame of 'user_data' [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// Device memory that is freed while the graph can still be launched.
class Scatter {
public:
  explicit Scatter(cudaStream_t s) : stream_(s) {}
  ~Scatter() { cudaGraphExecDestroy(exec_); }
  void prepare(const float *in, int n) {
    float *scratch = nullptr;
    cudaGraph_t graph;
    cudaMalloc(&scratch, n * sizeof(float));
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 32, 0, stream_>>>(in, scratch);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses 'scratch', which 'Scatter::prepare' frees; every replay will use freed memory that may have been reallocated [cudagraph-dangling-memory]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaFree(scratch);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is freed here
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The memory is freed before a launch in the same function.
void freed_before_launch(cudaStream_t s, float *x, int n) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *staging = nullptr, *out = nullptr;
  cudaMallocHost(&staging, n);
  cudaMalloc(&out, n);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(x, staging, n, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'staging', which 'freed_before_launch' frees; every replay will read freed memory [cudagraph-dangling-memory]
  kernel<<<1, 32, 0, s>>>(x, out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'out', which 'freed_before_launch' frees; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaFreeHost(staging);
  cudaFree(out);
  cudaGraphLaunch(exec, s);
  cudaGraphExecDestroy(exec);
}

// Host memory that is deleted or freed.
void host_heap(cudaStream_t s, int *x, cudaGraph_t *graph) {
  int *values = new int[16];
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(x, values, 64, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'values', which 'host_heap' frees; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
  delete[] values;
  // CHECK-NOTES: :[[@LINE-1]]:3: note: it is freed here
}

// A local variable that owns device memory.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t n) { cudaMalloc(&data_, n * sizeof(T)); }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *get() const { return data_; }

private:
  T *data_ = nullptr;
};

void owner(cudaStream_t s, float *out, cudaGraph_t *graph) {
  Buffer<float> scratch(1024);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(scratch.get(), out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'scratch.get()', which 'Buffer::~Buffer' frees; every replay will use freed memory that may have been reallocated [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// A vector whose elements move when it grows between launches.
class BlockTable {
public:
  BlockTable(int *device, cudaStream_t s) : device_(device), stream_(s) {}
  void add(int block) {
    blocks_.push_back(block);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: the elements may move here
  }
  void capture() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(device_, blocks_.data(), 64, cudaMemcpyHostToDevice, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'blocks_', which 'BlockTable::add' may move when the container grows; every replay will read 64 bytes of freed memory [cudagraph-dangling-memory]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  std::vector<int> blocks_;
  int *device_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// Copy functions other than cudaMemcpyAsync.
__constant__ float coefficients[4];

void other_copies(cudaStream_t s, float *device, cudaArray_t array,
                  cudaGraph_t *graph) {
  float row[16] = {}, taps[4] = {};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpy2DAsync(device, 64, row, 16, 16, 4, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2DAsync' copies from 'row', a local variable of 'other_copies'; {{.*}} [cudagraph-dangling-memory]
  cudaMemcpyToSymbolAsync(coefficients, taps, sizeof(taps), 0, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyToSymbolAsync' copies from 'taps', a local variable of 'other_copies'; {{.*}} [cudagraph-dangling-memory]
  cudaMemcpy2DToArrayAsync(array, 0, 0, row, 16, 16, 4, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpy2DToArrayAsync' copies from 'row', a local variable of 'other_copies'; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}
