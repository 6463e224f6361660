// Another thread ends the capture: code after the program has waited for that
// thread is not captured. In relaxed mode, this is legal.

// RUN: %check %s cudagraph-host-logic,cudagraph-sync-call,cudagraph-capture-scope,cudagraph-stream-dependency --confidence=possible

#include <cstdio>
#include <future>
#include <thread>
#include <variant>

__global__ void k(float *x);

struct Sealed {
  cudaGraph_t graph;
  cudaError_t status;
};

static Sealed seal(cudaStream_t s) {
  Sealed out;
  out.status = cudaStreamEndCapture(s, &out.graph);
  return out;
}

void asynchronous(cudaStream_t s, float *x) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  std::future<Sealed> later =
      std::async(std::launch::async, [s] { return seal(s); });
  Sealed sealed = later.get();
  std::printf("%d\n", sealed.status);
  cudaStreamSynchronize(s);
}

// The future of a thread that is unrelated to the capture.
void unrelated(cudaStream_t s, float *x, std::future<Sealed> &other,
               cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  other.get();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::future::get' waits for another thread during the capture of 's'
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    return;
}

// Two threads: the joined one does not end the capture.
void another(cudaStream_t s, float *x) {
  std::thread ending([s] { seal(s); });
  std::thread counting([] { std::printf("counts\n"); });
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  counting.join();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'std::thread::join' waits for a thread during the capture of 's'
  ending.join();
  cudaStreamSynchronize(s);
}

// The thread starts after the end call: an event that only the graph has
// recorded represents no work to wait for.
void late(cudaStream_t s, cudaEvent_t done, float *x, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecord(done, s);
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    return;
  std::thread waits([done] { cudaEventSynchronize(done); });
  // CHECK-MESSAGES: :[[@LINE-1]]:30: warning: 'cudaEventSynchronize' uses event 'done' outside the capture of 's', which recorded it
  waits.join();
}

// After a launch records the event again, the event represents work.
void recordedAgain(cudaStream_t s, cudaEvent_t done, float *x, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecord(done, s);
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(x);
  cudaEventRecord(done, s);
  std::thread waits([done] { cudaEventSynchronize(done); });
  waits.join();
}

struct Record { float *x; };
struct Seal { cudaStream_t s; };

// A thread that exists before the capture and executes requests.
class Builder {
public:
  explicit Builder(cudaStream_t s)
      : stream_(s), thread_([this] { loop(); }) {}
  void record(float *x) {
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed) !=
        cudaSuccess)
      return;
    k<<<1, 1, 0, stream_>>>(x);
    thread_.join();
    std::printf("%d\n", status_);
    cudaStreamSynchronize(stream_);
  }

private:
  void loop() {
    std::variant<Record, Seal> next;
    std::visit([this](auto &each) { apply(each); }, next);
  }
  void apply(const Record &r) { k<<<1, 1, 0, stream_>>>(r.x); }
  void apply(const Seal &) { status_ = cudaStreamEndCapture(stream_, &graph_); }

  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaError_t status_ = cudaSuccess;
  std::thread thread_;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Builder builder(s);
  builder.record(nullptr);
}
