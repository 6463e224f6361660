// Methods store values in a local object, step by step: a change to one part of
// the object does not affect the other parts.

// RUN: %check %s cudagraph-dynamic-shape,cudagraph-frozen-argument

struct Plan {
  float *to;
  const float *from;
  size_t bytes;
};
class Builder {
public:
  Builder &from(const float *p) {
    plan_.from = p;
    return *this;
  }
  Builder &to(float *p) {
    plan_.to = p;
    return *this;
  }
  Builder &rows(int n) {
    plan_.bytes = n * sizeof(float);
    return *this;
  }
  Plan build() const { return plan_; }

private:
  Plan plan_{};
};

class Gather {
public:
  void resize(int n) { n_ = n; }
  void capture(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    const Plan built = Builder().from(a_).to(b_).rows(n_).build();
    cudaMemcpyAsync(built.to, built.from, built.bytes, cudaMemcpyDeviceToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the size given to 'cudaMemcpyAsync' is computed from a value that 'Gather::resize' sets while the graph exists; replays keep the value from the capture [cudagraph-dynamic-shape]

    Plan filled{};
    filled.to = a_;
    filled.from = b_;
    filled.bytes = n_ * sizeof(float);
    cudaMemcpyAsync(filled.to, filled.from, filled.bytes, cudaMemcpyDeviceToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the size given to 'cudaMemcpyAsync' is computed from a value that 'Gather::resize' sets while the graph exists; replays keep the value from the capture [cudagraph-dynamic-shape]

    // Legal: the number of rows of this plan does not change.
    const Plan fixed = Builder().from(a_).to(b_).rows(64).build();
    cudaMemcpyAsync(fixed.to, fixed.from, fixed.bytes, cudaMemcpyDeviceToDevice, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  void play(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  float *a_ = nullptr, *b_ = nullptr;
  int n_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};
int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Gather gather;
  gather.resize(16);
  gather.capture(s);
  gather.play(s);
  gather.resize(32);
  gather.play(s);
}
