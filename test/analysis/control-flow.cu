// Early returns, goto, loops, and exceptions between begin and end calls.

// RUN: %check %s

#include <cstdio>
#include <stdexcept>
__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
#define END(s, g) cudaStreamEndCapture(s, g)
int early(cudaStream_t s, cudaGraph_t *g, int n) {
  BEGIN(s);
  if (n < 0) {
    END(s, g);
    cudaStreamSynchronize(s);
    return -1;
  }
  k<<<1, 1, 0, s>>>(nullptr);
  END(s, g);
  cudaStreamSynchronize(s);
  return 0;
}
int leak(cudaStream_t s, cudaGraph_t *g, int n) {
  BEGIN(s);
  if (n < 0)
    return -1;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  k<<<1, 1, 0, s>>>(nullptr);
  END(s, g);
  return 0;
}
void leakCaller(cudaStream_t s, cudaGraph_t *g, int n) {
  leak(s, g, n);
  cudaStreamSynchronize(s);
}
void two(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  k<<<1, 1, 0, s>>>(nullptr);
  END(s, g);
  cudaStreamSynchronize(s);
  BEGIN(s);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  END(s, g);
  cudaStreamSynchronize(s);
}
void gotoLoop(cudaStream_t s, cudaGraph_t *g, int n) {
  int i = 0;
  BEGIN(s);
again:
  k<<<1, 1, 0, s>>>(nullptr);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  if (++i < n)
    goto again;
  END(s, g);
  cudaFree(nullptr);
}
void gotoEnd(cudaStream_t s, cudaGraph_t *g, int n) {
  cudaGraph_t gr = nullptr;
  BEGIN(s);
  if (n == 0)
    goto done;
  k<<<1, 1, 0, s>>>(nullptr);
done:
  END(s, &gr);
  cudaFree(nullptr);
}
void mayThrow(cudaStream_t s);
void tc(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  try {
    mayThrow(s);
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  } catch (const std::exception &e) {
    END(s, g);
    cudaDeviceSynchronize();
    throw;
  }
  END(s, g);
  cudaDeviceSynchronize();
}
void tc2(cudaStream_t s, cudaGraph_t *g) {
  try {
    BEGIN(s);
    mayThrow(s);
    END(s, g);
  } catch (...) {
    cudaStreamEndCapture(s, g);
    cudaGetLastError();
    cudaDeviceSynchronize();
  }
  cudaDeviceSynchronize();
}
void dowhile(cudaStream_t s, cudaGraph_t *g, int n) {
  do {
    BEGIN(s);
    k<<<1, 1, 0, s>>>(nullptr);
    if (n == 3) {
      END(s, g);
      break;
    }
    if (n == 4) {
      END(s, g);
      continue;
    }
    END(s, g);
    cudaStreamSynchronize(s);
  } while (n-- > 0);
  cudaStreamSynchronize(s);
}
void beginInLoop(cudaStream_t *ss, cudaGraph_t *gs, int n) {
  for (int i = 0; i < n; i++) {
    BEGIN(ss[i]);
    k<<<1, 1, 0, ss[i]>>>(nullptr);
    cudaStreamSynchronize(ss[i]);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{.*}}'ss[i]', which is capturing
    END(ss[i], &gs[i]);
    cudaStreamSynchronize(ss[i]);
  }
}
