// A stream that an object creates for itself is not the one that captures, even
// if the object comes from hidden code, or the stream is created after the
// constructor.

// RUN: %check %s cudagraph-default-stream --real-std

#include <memory>
#include <vector>

__global__ void k(float *x);

struct Context {
  cudaStream_t stream;
};

struct Plugin {
  virtual ~Plugin() = default;
  virtual bool prepare() = 0;
  virtual void process(const Context &c) = 0;
};

struct Gain : Plugin {
  bool prepare() override { return true; }
  void process(const Context &c) override {
    k<<<1, 1, 0, c.stream>>>(nullptr);
  }
};

struct Reverb : Plugin {
  cudaStream_t tail = nullptr;
  bool prepare() override {
    return cudaStreamCreateWithFlags(&tail, cudaStreamNonBlocking) ==
           cudaSuccess;
  }
  void process(const Context &) override {
    k<<<1, 1, 0, tail>>>(nullptr);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' is launched on stream 'tail'
  }
};

// The object's stream joins the capture.
struct Chorus : Plugin {
  cudaStream_t side = nullptr;
  cudaEvent_t fork, join;
  bool prepare() override {
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    return cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking) ==
           cudaSuccess;
  }
  void process(const Context &c) override {
    cudaEventRecord(fork, c.stream);
    cudaStreamWaitEvent(side, fork, 0);
    k<<<1, 1, 0, side>>>(nullptr);
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(c.stream, join, 0);
  }
};

// The context may be the stream of this object.
struct Echo {
  cudaStream_t own = nullptr;
  bool prepare() { return cudaStreamCreate(&own) == cudaSuccess; }
  Context context() const { return {own}; }
  void process(const Context &) { k<<<1, 1, 0, own>>>(nullptr); }
};

std::unique_ptr<Plugin> makePlugin(int id);

void record(Echo &echo) {
  Context c = echo.context();
  cudaGraph_t g;
  cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal);
  echo.process(c);
  cudaStreamEndCapture(c.stream, &g);
}

int main() {
  Context c;
  cudaStreamCreate(&c.stream);
  std::vector<std::unique_ptr<Plugin>> chain;
  for (int i = 0; i < 3; ++i)
    chain.push_back(makePlugin(i));
  for (auto &plugin : chain)
    plugin->prepare();
  cudaGraph_t g;
  cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal);
  for (auto &plugin : chain)
    plugin->process(c);
  cudaStreamEndCapture(c.stream, &g);
  Echo echo;
  echo.prepare();
  record(echo);
}
