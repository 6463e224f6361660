// A function that begins captures is called again for the same stream before
// its first capture has ended.

// RUN: %check %s cudagraph-capture-scope --confidence=likely

#include <map>
#include <stdexcept>

__global__ void k(float *x);

class Capture {
public:
  explicit Capture(cudaStream_t s) : stream_(s) {
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal))
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamBeginCapture' begins a capture
      throw std::runtime_error("begin");
  }
  ~Capture() {
    cudaGraph_t graph = nullptr;
    if (!done_ && !cudaStreamEndCapture(stream_, &graph))
      cudaGraphDestroy(graph);
  }
  cudaGraph_t finish() {
    cudaGraph_t graph = nullptr;
    done_ = true;
    if (cudaStreamEndCapture(stream_, &graph))
      throw std::runtime_error("end");
    return graph;
  }

private:
  cudaStream_t stream_;
  bool done_ = false;
};

struct Session {
  cudaStream_t stream, side;
  float *x;
  std::map<int, cudaGraph_t> prologues;

  cudaGraph_t prologue(int key) {
    auto it = prologues.find(key);
    if (it != prologues.end())
      return it->second;
    Capture capture(stream);
    k<<<1, 1, 0, stream>>>(x);
    return prologues[key] = capture.finish();
  }

  // The first use of a key captures inside this capture.
  cudaGraph_t whole(int key) {
    Capture capture(stream);
    prologue(key);
    k<<<1, 1, 0, stream>>>(x);
    return capture.finish();
  }
};

struct Legal {
  cudaStream_t stream, side;
  float *x;

  cudaGraph_t once(cudaStream_t s) {
    Capture capture(s);
    k<<<1, 1, 0, s>>>(x);
    return capture.finish();
  }
  // One capture after the other.
  void sequence() {
    once(stream);
    once(stream);
  }
  void rounds(int n) {
    for (int i = 0; i < n; ++i) {
      Capture capture(stream);
      k<<<1, 1, 0, stream>>>(x);
      capture.finish();
    }
  }
};

// The end of the capture is not visible.
struct Recorder {
  virtual ~Recorder() = default;
  virtual void end() = 0;
  void begin() {
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))
      throw std::runtime_error("begin");
  }
  cudaStream_t stream;
};
struct Writer : Recorder {
  void end() override;
};
void twice(Writer &w, float *x) {
  Recorder &r = w;
  r.begin();
  k<<<1, 1, 0, r.stream>>>(x);
  r.end();
  r.begin();
  k<<<1, 1, 0, r.stream>>>(x);
  r.end();
}

void run(Session &s) {
  s.whole(3);
  Legal l{s.stream, s.side, s.x};
  l.sequence();
  l.rounds(4);
}
