// A function that captures stores the number for which it did, and the program captures again
// if the next number differs. The comparison may be in a callee, in a variable, or in an
// operator of a class.

// RUN: %check %s cudagraph-frozen-argument --real-std
// REQUIRES: gxx

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

__global__ void scale(float *x, int n, float gain);

struct Shape {
  int n = 0;
  float gain = 0;
  bool operator==(const Shape &o) const { return n == o.n && gain == o.gain; }
  bool operator!=(const Shape &o) const { return !(*this == o); }
};

class Base {
public:
  Base() {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&x, 4096);
  }
  void launch() { cudaGraphLaunch(exec, s); }

protected:
  void begin() { cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal); }
  void end() {
    cudaGraph_t graph;
    cudaStreamEndCapture(s, &graph);
    if (exec)
      cudaGraphExecDestroy(exec);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *x = nullptr;
};

class ByNumber : public Base {
public:
  void run(int n) {
    if (n != recorded)
      record(n);
    launch();
  }

private:
  void record(int n) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, 1.f);
    end();
    recorded = n;
  }
  int recorded = 0;
};

class OnlyOneOfTwo : public Base {
public:
  void run(int n, float gain) {
    if (n != recorded)
      record(n, gain);
    launch();
  }

private:
  void record(int n, float gain) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, gain);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'gain' of kernel 'scale' has a different value when the graph is launched
    end();
    recorded = n;
  }
  int recorded = 0;
};

class IfLarger : public Base {
public:
  void run(int n) {
    if (n > recorded)
      record(n);
    launch();
  }

private:
  void record(int n) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, 1.f);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'n' of kernel 'scale' has a different value when the graph is launched
    end();
    recorded = n;
  }
  int recorded = 0;
};

class InVariable : public Base {
public:
  void run(int n) {
    const bool fresh = exec && recorded == n;
    if (!fresh) {
      begin();
      scale<<<1, 32, 0, s>>>(x, n, 1.f);
      end();
      recorded = n;
    }
    launch();
  }

private:
  int recorded = 0;
};

class InPredicate : public Base {
public:
  void run(int n) {
    if (isStale(n))
      record(n);
    launch();
  }

private:
  bool isStale(int n) const { return !exec || recorded != n; }
  void record(int n) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, 1.f);
    end();
    recorded = n;
  }
  int recorded = 0;
};

class InWrapper : public Base {
public:
  void run(int n) {
    if (n != recorded)
      renew(n);
    launch();
  }

private:
  void renew(int n) { record(n); }
  void record(int n) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, 1.f);
    end();
    recorded = n;
  }
  int recorded = 0;
};

class BySize : public Base {
public:
  void run(const std::vector<float> &v) {
    if (recorded != static_cast<int>(v.size()))
      record(v);
    launch();
  }

private:
  void record(const std::vector<float> &v) {
    begin();
    scale<<<1, 32, 0, s>>>(x, static_cast<int>(v.size()), 1.f);
    end();
    recorded = static_cast<int>(v.size());
  }
  int recorded = 0;
};

class ByShape : public Base {
public:
  void run(Shape shape) {
    if (recorded != shape)
      record(shape);
    launch();
  }

private:
  void record(const Shape &shape) {
    begin();
    scale<<<1, 32, 0, s>>>(x, shape.n, shape.gain);
    end();
    recorded = shape;
  }
  Shape recorded;
};

class ByTuple : public Base {
public:
  void run(int n, float gain) {
    if (recorded != std::make_tuple(n, gain))
      record(n, gain);
    launch();
  }

private:
  void record(int n, float gain) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, gain);
    end();
    recorded = std::make_tuple(n, gain);
  }
  std::tuple<int, float> recorded;
};

class ByOptional : public Base {
public:
  void run(int n) {
    if (!recorded || *recorded != n)
      record(n);
    launch();
  }

private:
  void record(int n) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, 1.f);
    end();
    recorded = n;
  }
  std::optional<int> recorded;
};

// The graph of another object, without a key, misses the same number.
class WithoutKey : public Base {
public:
  void run(int n) {
    if (!exec)
      record(n);
    launch();
  }

private:
  void record(int n) {
    begin();
    scale<<<1, 32, 0, s>>>(x, n, 1.f);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'n' of kernel 'scale' has a different value when the graph is launched
    end();
  }
};

static const int sizes[] = {10, 10, 40, 5};
void use_number() {
  ByNumber number;
  for (int i = 0; i < 4; ++i)
    number.run(sizes[i]);
}
void use_both() {
  ByNumber number;
  WithoutKey other;
  for (int i = 0; i < 4; ++i) {
    number.run(sizes[i]);
    other.run(sizes[i]);
  }
}
void use_one() {
  OnlyOneOfTwo one;
  float gain = 0;
  for (int i = 0; i < 4; ++i) {
    gain += .5f;
    one.run(sizes[i], gain);
  }
}
void use_larger() {
  IfLarger larger;
  for (int i = 0; i < 4; ++i)
    larger.run(sizes[i]);
}
void use_variable() {
  InVariable variable;
  for (int i = 0; i < 4; ++i)
    variable.run(sizes[i]);
}
void use_predicate() {
  InPredicate predicate;
  for (int i = 0; i < 4; ++i)
    predicate.run(sizes[i]);
}
void use_wrapper() {
  InWrapper wrapper;
  for (int i = 0; i < 4; ++i)
    wrapper.run(sizes[i]);
}
void use_shape() {
  ByShape shape;
  float gain = 0;
  for (int i = 0; i < 4; ++i) {
    gain += .5f;
    shape.run({sizes[i], gain});
  }
}
void use_tuple() {
  ByTuple tuple;
  float gain = 0;
  for (int i = 0; i < 4; ++i) {
    gain += .5f;
    tuple.run(sizes[i], gain);
  }
}
void use_optional() {
  ByOptional optional;
  for (int i = 0; i < 4; ++i)
    optional.run(sizes[i]);
}
void use_size() {
  BySize size;
  std::vector<float> v;
  for (int i = 0; i < 4; ++i) {
    v.resize(sizes[i]);
    size.run(v);
  }
}
