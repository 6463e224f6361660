// A member that accumulates the results of calls changes only if one fails.

// RUN: %check %s cudagraph-host-logic

#include <cuda_runtime.h>

__global__ void kernel(float *x);

class Filter {
public:
  void capture(float *Host) {
    cudaGraph_t G = nullptr;
    Status |= cudaStreamBeginCapture(S, cudaStreamCaptureModeThreadLocal);
    Status |= cudaMemcpyAsync(X, Host, 16, cudaMemcpyHostToDevice, S);
    kernel<<<1, 32, 0, S>>>(X);
    Ok &= cudaGetLastError() == cudaSuccess;
    Failures += cudaMemsetAsync(X, 0, 16, S) != cudaSuccess;
    Calls += 1;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Calls' changes during the capture of 'S'
    Status |= cudaStreamEndCapture(S, &G);
    Status |= cudaGraphInstantiate(&Exec, G, 0);
  }
  bool run() {
    Status |= cudaGraphLaunch(Exec, S);
    return Calls > 3 && Status == 0 && Ok && Failures == 0;
  }

private:
  cudaStream_t S;
  cudaGraphExec_t Exec;
  float *X;
  int Status = 0, Failures = 0, Calls = 0;
  bool Ok = true;
};

int main() {
  Filter F;
  static float Host[4];
  F.capture(Host);
  return F.run() && F.run() ? 0 : 1;
}
