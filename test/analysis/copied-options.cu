// A constructor copies a structure whose members it does not mention. The copy has the
// members of the original at that time.

// RUN: %check %s cudagraph-sync-call --real-std
// REQUIRES: gxx

#include <memory>
#include <utility>

struct Debugging {
  bool wait = false;
};
struct Options {
  Debugging debugging;
  bool check = false;
};

// Each case has its own class, so its calls are walked separately.
template <int Case> class Engine {
public:
  Engine(const Options &options, cudaStream_t stream) : options_(options), stream_(stream) {}
  void run() {
    if (options_.debugging.wait || options_.check)
      cudaStreamSynchronize(stream_);
  }

private:
  Options options_;
  cudaStream_t stream_;
};

template <int Case> struct Base {
  explicit Base(const Options &options) : options(options) {}
  Options options;
};
template <int Case> struct Derived : Base<Case> {
  Derived(const Options &options, cudaStream_t stream) : Base<Case>(options), stream(stream) {}
  void run() {
    if (this->options.check)
      cudaStreamSynchronize(stream);
  }
  cudaStream_t stream;
};

// The same classes, for the wrong cases.
class Waits {
public:
  Waits(const Options &options, cudaStream_t stream) : options_(options), stream_(stream) {}
  void run() {
    if (options_.debugging.wait)
      cudaStreamSynchronize(stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
  }

private:
  Options options_;
  cudaStream_t stream_;
};

class Checks {
public:
  Checks(const Options &options, cudaStream_t stream) : options_(options), stream_(stream) {}
  void run() {
    if (options_.check)
      cudaStreamSynchronize(stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaStreamSynchronize'
  }

private:
  Options options_;
  cudaStream_t stream_;
};

template <typename T> void capture(T &engine, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  engine.run();
  cudaStreamEndCapture(stream, &graph);
}

// Legal: nothing waits.
void defaults(cudaStream_t stream) {
  Options options;
  Engine<0> engine(options, stream);
  capture(engine, stream);
  Derived<1> derived(options, stream);
  capture(derived, stream);
  auto owned = std::make_unique<Engine<2>>(options, stream);
  capture(*owned, stream);
  Engine<3> original(options, stream), copy(original);
  capture(copy, stream);
}

// Legal: the original changes after the copy, or before another copy.
void changed(cudaStream_t stream) {
  Options options;
  Engine<4> engine(options, stream);
  options.check = true;
  capture(engine, stream);
  Options other;
  other.debugging.wait = true;
  Engine<5> first(other, stream);
  other.debugging.wait = false;
  Engine<5> second(other, stream);
  capture(second, stream);
}

// Wrong: the copy keeps what the original had.
void waits(cudaStream_t stream) {
  Options options;
  options.debugging.wait = true;
  Waits engine(options, stream);
  options.debugging.wait = false;
  capture(engine, stream);
}

// Wrong: another object has other options.
void checks(cudaStream_t stream) {
  Options options;
  Checks first(options, stream);
  options.check = true;
  auto second = std::make_unique<Checks>(options, stream);
  capture(first, stream);
  capture(*second, stream);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  defaults(stream);
  changed(stream);
  waits(stream);
  checks(stream);
}
