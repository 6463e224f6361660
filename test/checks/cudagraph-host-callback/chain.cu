// The host function only calls the function that frees or calls CUDA.

// RUN: %check %s cudagraph-host-callback

#include <cstdlib>

struct Note {
  int *flag;
};

static void release_note(Note *note) {
  *note->flag = 1;
  free(note);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function 'release_note' frees its data, and every replay passes the same data to it again; the second replay will use freed memory [cudagraph-host-callback]
}

static void CUDART_CB transfer_done(void *data) {
  release_note(static_cast<Note *>(data));
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'release_note'
}

// A static member function calls a method of the data.
class Watcher {
public:
  explicit Watcher(cudaStream_t side) : side_(side) {}
  void attach(cudaStream_t s) {
    cudaLaunchHostFunc(s, &Watcher::entry, this);
  }

private:
  static void CUDART_CB entry(void *self) {
    static_cast<Watcher *>(self)->on_stage();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Watcher::on_stage'
  }
  void on_stage() {
    if (cudaStreamQuery(side_) == cudaSuccess)
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamQuery' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
      ++idle_;
  }
  cudaStream_t side_;
  int idle_ = 0;
};

static void enqueue(cudaStream_t s, void *note) {
  cudaLaunchHostFunc(s, transfer_done, note);
}

void capture(cudaStream_t s, Watcher &watcher, cudaGraph_t *graph) {
  void *note = malloc(sizeof(Note));
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  enqueue(s, note);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'enqueue'
  watcher.attach(s);
  cudaStreamEndCapture(s, graph);
}

// A callback that an object enqueues in its destructor.
static void CUDART_CB finished(cudaStream_t, cudaError_t, void *) {}

struct Notifier {
  cudaStream_t stream;
  ~Notifier() {
    cudaStreamAddCallback(stream, finished, nullptr, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamAddCallback' adds a callback on stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  }
};

void scoped(cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    Notifier notifier{s};
  }
  cudaStreamEndCapture(s, graph);
}
