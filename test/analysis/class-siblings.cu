// Once a virtual call on an object has reached one class, the object belongs to
// no sibling of that class.

// RUN: %check %s

__global__ void k(float *x);
class Pass {
public:
  virtual ~Pass() {}
  void run() {
    begin();
    body();
    end();
  }

protected:
  virtual void begin() = 0;
  virtual void body() = 0;
  virtual void end() = 0;
};
class Captured : public Pass {
protected:
  cudaStream_t s;
  cudaGraph_t g;
  void begin() override {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  void end() override { cudaStreamEndCapture(s, &g); }
};
class Waiting : public Captured {
  void body() override {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  }
};
class Launching : public Captured {
  void body() override { k<<<1, 1, 0, s>>>(nullptr); }
};
class Eager : public Pass {
  cudaStream_t s;
  void begin() override {}
  void body() override {
    k<<<1, 1, 0, s>>>(nullptr);
    cudaStreamSynchronize(s);
  }
  void end() override {}
};
// Overrides begin() and end() again, so no capture is active.
class Disabled : public Captured {
  void begin() override {}
  void end() override {}
  void body() override {
    k<<<1, 1, 0, s>>>(nullptr);
    cudaStreamSynchronize(s);
  }
};
