// Host functions that retain their data and do not call CUDA, and callbacks
// that are not captured. No check reports a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

__global__ void kernel(float *x);

// The function counts in an object that lives as long as the graph.
class Sender {
public:
  explicit Sender(cudaStream_t s) : stream_(s), sink_(new std::vector<long>) {}
  ~Sender() { cudaGraphExecDestroy(exec_); }
  void prepare(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    kernel<<<1, 32, 0, stream_>>>(x);
    cudaLaunchHostFunc(stream_, &Sender::on_done, this);
    cudaLaunchHostFunc(stream_, notify, this);
    cudaLaunchHostFunc(
        stream_,
        [](void *data) { static_cast<std::vector<long> *>(data)->push_back(1); },
        sink_.get());
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void post() { cudaGraphLaunch(exec_, stream_); }

private:
  static void CUDART_CB on_done(void *self) { ++static_cast<Sender *>(self)->completed_; }
  static void CUDART_CB notify(void *data) {
    auto *self = static_cast<Sender *>(data);
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->done_ = true;
    }
    self->ready_.notify_one();
  }

  cudaStream_t stream_;
  std::unique_ptr<std::vector<long>> sink_;
  std::mutex mutex_;
  std::condition_variable ready_;
  bool done_ = false;
  long completed_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// The function deletes its own allocation.
static void CUDART_CB scratch(void *data) {
  int *temporary = new int[4];
  temporary[0] = 1;
  *static_cast<int *>(data) += temporary[0];
  delete[] temporary;
}

static int g_count;

void own_memory(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaLaunchHostFunc(s, scratch, &g_count);
  (void)cudaStreamEndCapture(s, graph);
}

// The function reads the text of an error, without a call to the driver.
static void CUDART_CB describe(void *data) {
  *static_cast<const char **>(data) = cudaGetErrorString(cudaSuccess);
}

static const char *g_text;

void error_text(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaLaunchHostFunc(s, describe, &g_text);
  (void)cudaStreamEndCapture(s, graph);
}

// The graph frees the data when it is destroyed.
static void CUDART_CB use(void *data) { ++*static_cast<int *>(data); }
static void CUDART_CB destroy(void *data) { delete static_cast<int *>(data); }

void user_object(cudaStream_t s, cudaGraph_t *graph) {
  int *counter = new int(0);
  cudaUserObject_t object;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaLaunchHostFunc(s, use, counter);
  (void)cudaStreamEndCapture(s, graph);
  cudaUserObjectCreate(&object, counter, destroy, 1, cudaUserObjectNoDestructorSync);
  cudaGraphRetainUserObject(*graph, object, 1, cudaGraphUserObjectMove);
}

// After each launch, outside the capture, one call frees one object.
using Notify = std::function<void()>;

static void CUDART_CB trampoline(void *data) {
  auto *call = static_cast<Notify *>(data);
  (*call)();
  delete call;
}
static void CUDART_CB finished(cudaStream_t, cudaError_t, void *data) {
  delete static_cast<int *>(data);
}

void after_launch(cudaStream_t s, cudaGraphExec_t exec, const Notify &notify) {
  cudaGraphLaunch(exec, s);
  cudaLaunchHostFunc(s, trampoline, new Notify(notify));
  cudaStreamAddCallback(s, finished, new int(1), 0);
}

// A pointer to a function that calls CUDA but is not a host function.
static void upload(void *data) { cudaMemset(data, 0, 64); }

void pointer(cudaStream_t s, float *x, cudaGraph_t *graph) {
  void (*prepare)(void *) = upload;
  prepare(x);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  kernel<<<1, 32, 0, s>>>(x);
  (void)cudaStreamEndCapture(s, graph);
}
