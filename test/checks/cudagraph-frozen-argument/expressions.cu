// RUN: %check %s cudagraph-frozen-argument
//
// Kernels that take an expression by value: an object composed of objects, each
// of which retains its operands. A reference to the object and one to its base
// class refer to the same object.

#include <cuda_runtime.h>

template <class Derived> struct Expr {
  __host__ __device__ const Derived &self() const {
    return static_cast<const Derived &>(*this);
  }
};
struct Load : Expr<Load> {
  const int *p;
  explicit Load(const int *q) : p(q) {}
};
struct Level : Expr<Level> {
  int v;
  explicit Level(int x) : v(x) {}
};
template <class L, class R> struct Product : Expr<Product<L, R>> {
  L l;
  R r;
  Product(const L &a, const R &b) : l(a), r(b) {}
};
template <class L, class R>
Product<L, R> operator*(const Expr<L> &a, const Expr<R> &b) {
  return {a.self(), b.self()};
}
template <class E> __global__ void evaluate(int *out, E e);

class Knob {
public:
  explicit Knob(int v) : v_(v) { cudaMalloc(&cell_, sizeof(int)); }
  void turn(int v) { v_ = v; }
  Level level() const { return Level(v_); }
  Load cell() const { return Load(cell_); }

private:
  int v_;
  int *cell_ = nullptr;
};

class Field {
public:
  Field() { cudaMalloc(&d_, 400); }
  template <class E> void assign(const Expr<E> &e, cudaStream_t s) {
    evaluate<<<1, 100, 0, s>>>(d_, e.self());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'e.self()' of kernel 'evaluate' is set by 'Knob::turn' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  }
  // Legal: the kernel reads the value from device memory.
  template <class E> void follow(const Expr<E> &e, cudaStream_t s) {
    evaluate<<<1, 100, 0, s>>>(d_, e.self());
  }
  Load ref() const { return Load(d_); }

private:
  int *d_ = nullptr;
};

static void mix(Field &z, Field &x, Knob &wet, Knob &dry, cudaStream_t s) {
  z.assign(wet.level() * x.ref(), s);
  auto product = dry.level() * x.ref();
  auto &same = product;
  evaluate<<<1, 100, 0, s>>>(nullptr, same.self());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'same.self()' of kernel 'evaluate' is set by 'Knob::turn' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
  z.follow(wet.cell() * x.ref(), s);
}

// The value of an object long before the capture is not its current value.
class Filter {
public:
  explicit Filter(int gain) : gain_(gain) {}
  const Filter &self() const { return *this; }
  int gain() const { return gain_; }
  void capture(cudaStream_t s, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    evaluate<<<1, 100, 0, s>>>(nullptr, self().gain());
    evaluate<<<1, 100, 0, s>>>(nullptr, gain_);
    cudaStreamEndCapture(s, graph);
  }

private:
  int gain_;
};

int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Field x, z;
  Knob wet(3), dry(1);
  cudaGraph_t graph, other;
  cudaGraphExec_t exec, second;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  mix(z, x, wet, dry, s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  int gain = 4;
  Filter filter(gain);
  filter.capture(s, &other);
  cudaGraphInstantiate(&second, other, 0);
  for (int i = 0; i < 4; ++i) {
    gain = i;
    wet.turn(i);
    dry.turn(gain);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(second, s);
  }
}
