// A library that receives an object with call operators may call each of them.

// RUN: %check %s --real-std -- -std=c++17

#include <functional>
#include <variant>
#include <vector>
__global__ void k(float *x);
struct Launch {
  float *x;
};
struct Wait {};
using Command = std::variant<Launch, Wait>;
struct Execute {
  cudaStream_t s;
  void operator()(const Launch &l) const { k<<<1, 1, 0, s>>>(l.x); }
  void operator()(const Wait &) const {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  }
};
void record(cudaStream_t s, std::vector<Command> &commands, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (Command &c : commands)
    std::visit(Execute{s}, c);
  cudaStreamEndCapture(s, g);
}
struct Prepare {
  cudaStream_t s;
  void operator()(const Launch &) const { cudaStreamSynchronize(s); }
  void operator()(const Wait &) const { cudaStreamSynchronize(s); }
};
struct Enqueue {
  cudaStream_t s;
  void operator()(const Launch &l) const { k<<<1, 1, 0, s>>>(l.x); }
  void operator()(const Wait &) const {}
};
void record_ok(cudaStream_t s, Command &c, cudaGraph_t *g) {
  std::visit(Prepare{s}, c);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::visit(Enqueue{s}, c);
  cudaStreamEndCapture(s, g);
  std::visit(Prepare{s}, c);
}
template <class... T> struct overloaded : T... {
  using T::operator()...;
};
template <class... T> overloaded(T...) -> overloaded<T...>;
void lambdas(cudaStream_t s, Command &c, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::visit(overloaded{[&](const Launch &l) { k<<<1, 1, 0, s>>>(l.x); },
                        [&](const Wait &) {
                          cudaDeviceSynchronize();
                          // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: 'cudaDeviceSynchronize'
                        }},
             c);
  cudaStreamEndCapture(s, g);
}
void lambdas_ok(cudaStream_t s, Command &c, cudaGraph_t *g) {
  overloaded both{[&](const Launch &l) { k<<<1, 1, 0, s>>>(l.x); },
                  [&](const Wait &) {}};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::visit(both, c);
  both(Wait());
  cudaStreamEndCapture(s, g);
}

// One of the callables in a container ends the capture.
class Deferred {
  std::vector<std::function<void()>> all;

public:
  ~Deferred() {
    for (auto &f : all)
      f();
  }
  void add(std::function<void()> f) { all.push_back(std::move(f)); }
};
void deferred(cudaStream_t s, float *x) {
  cudaGraph_t g;
  {
    Deferred d;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    d.add([&] { cudaStreamEndCapture(s, &g); });
    k<<<1, 1, 0, s>>>(x);
  }
  cudaStreamSynchronize(s);
}
void deferred_bad(cudaStream_t s, float *x) {
  cudaGraph_t g;
  Deferred d;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  d.add([&] { cudaStreamEndCapture(s, &g); });
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
}
