// Loops over containers and arrays may execute their bodies.

// RUN: %check %s

#include <vector>
#include <initializer_list>
void f1(std::vector<int> &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (v.begin() != v.end())
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
void f2(std::vector<int> &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto *b = v.begin();
  auto *e = v.end();
  if (b != e)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
void f3(std::vector<int> &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (v.size() != v.capacity())
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
void f4(std::vector<int> &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (auto *b = v.begin(), *e = v.end(); b != e; ++b)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
void f5(std::vector<int> &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i : v) {
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaStreamEndCapture(s, g);
}
void f6(std::vector<int> &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int n = 0;
  for (int i : v) {
    n += i;
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  }
  cudaStreamEndCapture(s, g);
}
void f7(cudaStream_t s, cudaGraph_t *g, double a) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  bool t = __builtin_floor(a) == 1;
  if (!t)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
void g4(int (&v)[4], cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (int l : v)
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
void g5(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  for (int l : {1, 2, 3})
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  cudaStreamEndCapture(s, g);
}
