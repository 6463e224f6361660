// Host functions that free their data or call CUDA, and stream callbacks, which
// a graph cannot contain.

// RUN: %check %s cudagraph-host-callback
// RUN: %if gxx %{ %check %s cudagraph-host-callback --real-std %}

#include <cstdlib>
#include <memory>

__global__ void kernel(float *x);

struct Completion {
  int *pending;
  float *scratch;
  cudaStream_t side;
  cudaEvent_t mark;
};

// The data is deleted.
static void CUDART_CB on_done(void *data) {
  auto *completion = static_cast<Completion *>(data);
  --*completion->pending;
  delete completion;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function 'on_done' frees its data, and every replay passes the same data to it again; the second replay will use freed memory [cudagraph-host-callback]
}

void deletes(cudaStream_t s, int *pending, cudaGraph_t *graph) {
  auto *completion = new Completion{pending};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  cudaLaunchHostFunc(s, on_done, completion);
  cudaStreamEndCapture(s, graph);
}

// It is freed.
static void CUDART_CB release(void *data) {
  free(data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function 'release' frees its data, and every replay passes the same data to it again; {{.*}} [cudagraph-host-callback]
}

void frees(cudaStream_t s, cudaGraph_t *graph) {
  void *note = malloc(sizeof(Completion));
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, release, note);
  cudaStreamEndCapture(s, graph);
}

// A smart pointer takes ownership of the data.
static void CUDART_CB adopt(void *data) {
  std::unique_ptr<Completion> owner(static_cast<Completion *>(data));
  // CHECK-MESSAGES: :[[@LINE-1]]:31: warning: the host function 'adopt' frees its data, and every replay passes the same data to it again; {{.*}} [cudagraph-host-callback]
  --*owner->pending;
}

void adopts(cudaStream_t s, int *pending, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, adopt, new Completion{pending});
  cudaStreamEndCapture(s, graph);
}

// The callback calls CUDA for memory, work, queries, and events.
static void CUDART_CB calls_cuda(void *data) {
  auto *completion = static_cast<Completion *>(data);
  float *more = nullptr;
  cudaMalloc(&more, 4096);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
  cudaMemcpyAsync(completion->scratch, more, 64, cudaMemcpyDefault, completion->side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' is called in a host function of the graph; {{.*}} [cudagraph-host-callback]
  kernel<<<1, 32, 0, completion->side>>>(more);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a kernel is launched in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
  cudaEventRecord(completion->mark, completion->side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaEventRecord' is called in a host function of the graph; {{.*}} [cudagraph-host-callback]
  if (cudaStreamQuery(completion->side) == cudaSuccess)
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamQuery' is called in a host function of the graph; {{.*}} [cudagraph-host-callback]
    ++*completion->pending;
  cudaStreamSynchronize(completion->side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' is called in a host function of the graph; {{.*}} [cudagraph-host-callback]
  cudaFree(more);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree' is called in a host function of the graph; {{.*}} [cudagraph-host-callback]
}

static Completion g_completion;

void calls(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, calls_cuda, &g_completion);
  cudaStreamEndCapture(s, graph);
}

// The older form of the call.
static void CUDART_CB finished(cudaStream_t, cudaError_t, void *) {}

void callback(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamAddCallback(s, finished, nullptr, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamAddCallback' adds a callback on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  cudaStreamEndCapture(s, graph);
}
