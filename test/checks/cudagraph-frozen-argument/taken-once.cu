// RUN: %check %s cudagraph-dangling-memory --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=LEGAL -- -DONCE

// A graph uses memory that a constructor takes out of a pool. A method returns
// it, and takes other memory. (ONCE: only constructors take memory; that of a
// second object does not replace that of the first.)

#include "cuda_runtime.h"
#include <utility>
#include <vector>

__global__ void add(const float *From, float *To) {
  To[threadIdx.x] += From[threadIdx.x];
}

class Pool {
public:
  class Lease {
  public:
    Lease() = default;
    Lease(Pool *P, float *D) : From(P), Data(D) {}
    Lease(Lease &&O) noexcept
        : From(std::exchange(O.From, nullptr)), Data(O.Data) {}
    Lease &operator=(Lease &&O) noexcept {
      std::swap(From, O.From);
      std::swap(Data, O.Data);
      return *this;
    }
    ~Lease() {
      if (From)
        From->Idle.push_back(Data);
    }
    float *get() const { return Data; }

  private:
    Pool *From = nullptr;
    float *Data = nullptr;
  };
  Lease take() {
    if (Idle.empty()) {
      float *New = nullptr;
      cudaMalloc(&New, 1024);
      return Lease(this, New);
    }
    float *Last = Idle.back();
    Idle.pop_back();
    return Lease(this, Last);
  }

private:
  std::vector<float *> Idle;
};

class Adder {
public:
  explicit Adder(Pool &P) : From(P), Sum(P.take()), Input(P.take()) {
    cudaStreamCreate(&S);
    capture();
  }
  ~Adder() {
    cudaGraphExecDestroy(Exec);
    cudaStreamDestroy(S);
  }
  void renew() { Input = From.take(); }
  void run(const float *Host) {
    cudaMemcpyAsync(Input.get(), Host, 128, cudaMemcpyHostToDevice, S);
    cudaGraphLaunch(Exec, S);
    cudaStreamSynchronize(S);
  }

private:
  void capture() {
    cudaGraph_t Graph;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    add<<<1, 32, 0, S>>>(Input.get(), Sum.get());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'add' uses 'Input.get()', which 'Pool::Lease::~Lease' returns to a pool; every replay will use it, although it may have another user
    cudaStreamEndCapture(S, &Graph);
    cudaGraphInstantiate(&Exec, Graph, 0);
    cudaGraphDestroy(Graph);
  }

  Pool &From;
  Pool::Lease Sum, Input;
  cudaStream_t S = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

int main() {
  Pool P;
  float Host[32] = {};
  Adder First(P);
  First.run(Host);
#ifdef ONCE
  Adder Second(P);
  { Pool::Lease Unused = P.take(); }
  Second.run(Host);
#else
  First.renew();
#endif
  First.run(Host);
}
