// --roots=function:REGEX

// RUN: %check %s --roots=function:^ns::.*step$,function:^Eng::run$

#include <cstdio>
__global__ void k(float *x);
namespace ns {
void step(cudaStream_t s, float *x) {
  k<<<1, 1, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
}
void prestep(float *x) { cudaDeviceSynchronize(); }
  // CHECK-MESSAGES: :[[@LINE-1]]:26: warning: 'cudaDeviceSynchronize'
void step2(cudaStream_t s) { cudaStreamSynchronize(s); }
static void hidden_step(cudaStream_t s, float *x) { k<<<1, 1>>>(x); }
  // CHECK-MESSAGES: :[[@LINE-1]]:53: warning: kernel 'k'
} // namespace ns
struct Eng {
  cudaStream_t s_;
  void run(float *x) { inner(x); }
  void inner(float *x) {
    cudaStreamSynchronize(s_);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize'
    cudaMalloc(&x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
    printf("x");
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf'
  }
  void run2() { cudaDeviceSynchronize(); }
};
void u(cudaStream_t s, float *x) { ns::hidden_step(s, x); }
