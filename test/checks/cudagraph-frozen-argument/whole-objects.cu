// A kernel that receives an object by value reads all of its members, though the
// functions that pass the object on mention none of them.

// RUN: %check %s cudagraph-frozen-argument

namespace net {
struct Hyper {
  float rate;
  float decay;
};
template <typename T> struct Range {
  T low, high;
};
} // namespace net
struct Both {
  net::Hyper hyper;
  int steps;
};
__global__ void update(float *p, net::Hyper hyper);
__global__ void clamp(float *p, const net::Range<float> range);
__global__ void both(float *p, Both all);

static void launch(float *p, net::Hyper &hyper, cudaStream_t s) {
  update<<<1, 32, 0, s>>>(p, hyper);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'hyper' of kernel 'update' is set by 'Trainer::setDecay'
}
static void launchClamp(float *p, const net::Range<float> &range, cudaStream_t s) {
  clamp<<<1, 32, 0, s>>>(p, range);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'range' of kernel 'clamp' is set by 'Trainer::setDecay'
}
static void launchBoth(float *p, Both *all, cudaStream_t s) {
  both<<<1, 32, 0, s>>>(p, *all);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument '*all' of kernel 'both' is set by 'Trainer::setDecay'
}

// The structure contains only values that are set before the capture.
static void launchFixed(float *p, net::Hyper &hyper, cudaStream_t s) {
  update<<<1, 32, 0, s>>>(p, hyper);
}

class Trainer {
public:
  Trainer(cudaStream_t s, float rate) : stream_(s), rate_(rate) {}
  void setDecay(float decay) { decay_ = decay; }
  void capture(float *p) {
    cudaGraph_t graph;
    net::Hyper hyper{0.1f, decay_};
    net::Range<float> range{0, decay_};
    Both all;
    all.hyper.decay = decay_;
    net::Hyper fixed{rate_, 0.5f};
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    launch(p, hyper, stream_);
    launchClamp(p, range, stream_);
    launchBoth(p, &all, stream_);
    launchFixed(p, fixed, stream_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float rate_;
  float decay_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
