// The alternatives of a std::variant have their own contents.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-sync-call,cudagraph-capture-scope,cudagraph-default-stream --real-std

#include <string>
#include <utility>
#include <variant>
#include <vector>

__global__ void scale(float *x, float by);
__global__ void clip(float *x, float low, float high);

template <class... F> struct Overload : F... {
  using F::operator()...;
};
template <class... F> Overload(F...) -> Overload<F...>;

struct Gain {
  float by;
};
struct Clip {
  float low, high;
};
struct Tap {
  cudaStream_t lane;
  float *to;
};
using Stage = std::variant<Gain, Clip, Tap>;

// A stage is changed through std::get_if, and the graph remains.
class Chain {
public:
  explicit Chain(cudaStream_t s) : s_(s) {}
  void add(Stage stage) { stages_.push_back(std::move(stage)); }
  void tune(size_t i, float by) {
    if (auto *gain = std::get_if<Gain>(&stages_[i]))
      gain->by = by;
  }
  cudaError_t run() {
    if (!exec_) {
      cudaGraph_t g = nullptr;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      for (const Stage &each : stages_)
        std::visit(
            Overload{
                [&](const Gain &gain) { scale<<<1, 1, 0, s_>>>(x_, gain.by); },
                // CHECK-MESSAGES: :[[@LINE-1]]:41: warning: argument 'gain.by' of kernel 'scale' is set by 'Chain::tune' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
                [&](const Clip &c) { clip<<<1, 1, 0, s_>>>(x_, c.low, c.high); },
                [&](const Tap &tap) { scale<<<1, 1, 0, s_>>>(tap.to, 1); }},
            each);
      cudaStreamEndCapture(s_, &g);
      cudaGraphInstantiate(&exec_, g, 0);
    }
    return cudaGraphLaunch(exec_, s_);
  }

private:
  std::vector<Stage> stages_;
  cudaStream_t s_;
  float *x_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The visitor is a class. Only one alternative waits, or uses another stream.
struct Encoder {
  cudaStream_t s;
  float *x;
  void operator()(const Gain &gain) const { scale<<<1, 1, 0, s>>>(x, gain.by); }
  void operator()(const Clip &) const {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }
  void operator()(const Tap &tap) const {
    scale<<<1, 1, 0, tap.lane>>>(tap.to, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' is launched on stream 'tap.lane', which is not part of the capture of 's'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  }
};
void encode(cudaStream_t s, float *x) {
  cudaStream_t lane = nullptr;
  cudaStreamCreateWithFlags(&lane, cudaStreamNonBlocking);
  std::vector<Stage> stages;
  stages.push_back(Clip{0, 1});
  stages.emplace_back(Tap{lane, x});
  stages.push_back(Gain{2});
  cudaGraph_t g = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (const Stage &each : stages)
    std::visit(Encoder{s, x}, each);
  cudaStreamEndCapture(s, &g);
}

// Legal: the only alternative is known.
void known(cudaStream_t s, float *x) {
  Stage stage = Gain{2};
  cudaGraph_t g = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::visit(Encoder{s, x}, stage);
  if (std::holds_alternative<Clip>(stage))
    cudaStreamSynchronize(s);
  if (stage.index() == 2)
    cudaDeviceSynchronize();
  cudaStreamEndCapture(s, &g);
}

// A function returns a value or a failure.
template <class T> class Result {
public:
  Result(T value) : v_(std::move(value)) {}
  Result(std::string why) : v_(std::in_place_index<1>, std::move(why)) {}
  explicit operator bool() const { return v_.index() == 0; }
  T &operator*() { return std::get<0>(v_); }

private:
  std::variant<T, std::string> v_;
};
Result<cudaGraph_t> record(cudaStream_t s, float *x, int n) {
  if (n == 0)
    return std::string("nothing to do");
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return std::string("cannot capture");
  scale<<<1, 1, 0, s>>>(x, n);
  cudaGraph_t g = nullptr;
  if (cudaStreamEndCapture(s, &g) != cudaSuccess)
    return std::string("no graph");
  return g;
}
cudaError_t useRecorded(cudaStream_t s, float *x, int n) {
  Result<cudaGraph_t> made = record(s, x, n);
  if (!made)
    return cudaErrorUnknown;
  cudaGraphExec_t exec = nullptr;
  return cudaGraphInstantiate(&exec, *made, 0);
}
