// Captured code swaps buffers in an object that neither captures nor contains
// the stream.

// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=EVEN -- -DEVEN

#include <memory>
#include <utility>

__global__ void diffuse(const float *from, float *to);

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking); }
  cudaStream_t get() const { return handle; }
};
struct Array {
  float *data_ = nullptr;
  Array() { cudaMalloc(&data_, 4); }
  ~Array() { cudaFree(data_); }
  float *data() const { return data_; }
};
class Model {
public:
  explicit Model(const Stream &stream) : stream_(stream) {}
  void advance() {
    step(*front_, *back_);
    std::swap(front_, back_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'front_' changes during the capture of 'stream_.get()' (non-blocking, thread-local mode)
  }

private:
  void step(const Array &from, Array &to) { diffuse<<<1, 1, 0, stream_.get()>>>(from.data(), to.data()); }
  const Stream &stream_;
  std::unique_ptr<Array> front_ = std::make_unique<Array>(), back_ = std::make_unique<Array>();
};
class Replayed {
public:
  template <class Body> Replayed(const Stream &stream, Body &&body) : stream_(stream) {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal);
    body();
    cudaStreamEndCapture(stream_.get(), &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  void operator()() const { cudaGraphLaunch(exec_, stream_.get()); }

private:
  const Stream &stream_;
  cudaGraphExec_t exec_ = nullptr;
};
class Scheduler {
public:
  Scheduler(std::shared_ptr<Model> model, const Stream &stream) : model_(std::move(model)), stream_(stream) {}
  void start() {
    tick_ = std::make_unique<Replayed>(stream_, [model = model_.get()] {
      model->advance();
#ifdef EVEN
      model->advance();
#endif
    });
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i)
      (*tick_)();
  }

private:
  std::shared_ptr<Model> model_;
  const Stream &stream_;
  std::unique_ptr<Replayed> tick_;
};
int main() {
  Stream stream;
  auto model = std::make_shared<Model>(stream);
  Scheduler scheduler(model, stream);
  scheduler.start();
  scheduler.run(9);
}
