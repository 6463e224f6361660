// A value that a function computes in each call varies, even if it is one of a
// few constants.

// RUN: %check %s cudagraph-host-logic --real-std
// RUN: %check %s cudagraph-host-logic --real-std --suffix=RENEWED -- -DRENEWED

#include <array>
#include <vector>

__global__ void a(float *x);
__global__ void b(float *x);
__global__ void c(float *x);

enum class Motion { Still, Walking, Vehicle };
struct Io {
  float *x;
  cudaStream_t s;
};
using Filter = void (*)(const Io &);
static void still(const Io &io) { a<<<1, 1, 0, io.s>>>(io.x); }
static void walking(const Io &io) { b<<<1, 1, 0, io.s>>>(io.x); }
static void vehicle(const Io &io) { c<<<1, 1, 0, io.s>>>(io.x); }
static const std::array<Filter, 3> Filters = {still, walking, vehicle};

class Classifier {
public:
  bool update(const std::vector<float> &frame) {
    float energy = 0;
    for (float v : frame)
      energy += v * v;
    Motion next = energy < 1 ? Motion::Still : energy < 16 ? Motion::Walking : Motion::Vehicle;
    bool changed = next != current_;
    current_ = next;
    return changed;
  }
  Motion current() const { return current_; }

private:
  Motion current_ = Motion::Still;
};
class Conditioner {
public:
  Conditioner(cudaStream_t s, float *x) : s_(s), x_(x) {}
  void ingest(const std::vector<float> &frame) {
#ifdef RENEWED
    if (!classifier_.update(frame))
      return;
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
#else
    classifier_.update(frame);
#endif
  }
  void process() {
    if (!exec_)
      build();
    cudaGraphLaunch(exec_, s_);
  }

private:
  void build() {
    cudaGraph_t g = nullptr;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    apply({x_, s_});
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void apply(const Io &io) {
    Filter f = Filters[static_cast<size_t>(classifier_.current())];
    f(io);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Classifier::update' sets a value that the called function depends on, while the graph exists
  }
  Classifier classifier_;
  cudaStream_t s_;
  float *const x_;
  cudaGraphExec_t exec_ = nullptr;
};
int main() {
  cudaStream_t s;
  float *x;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&x, 4);
  Conditioner conditioner(s, x);
  for (int i = 0; i < 4; ++i) {
    std::vector<float> frame(100, i);
    conditioner.ingest(frame);
    conditioner.process();
  }
}
