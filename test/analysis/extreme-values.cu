// Sums and sites of values wrap around, as unsigned numbers do in C++; a build
// with sanitizers would stop at an overflow. Constants that do not fit in
// int64_t are known to equal themselves, and nothing else is known about them.
//
// RUN: %check %s

#include <cuda_runtime.h>

static cudaStream_t f0() { cudaStream_t s; cudaStreamCreate(&s); return s; }
static cudaStream_t f1() { return f0(); }
static cudaStream_t f2() { return f1(); }
static cudaStream_t f3() { return f2(); }
static cudaStream_t f4() { return f3(); }
static cudaStream_t f5() { return f4(); }
static cudaStream_t f6() { return f5(); }
static cudaStream_t f7() { return f6(); }
static cudaStream_t f8() { return f7(); }
static cudaStream_t f9() { return f8(); }

void nested(cudaGraph_t *g) {
  cudaStream_t s = f9();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(s, g);
}

void far(cudaStream_t *s, cudaGraph_t *g) {
  cudaStream_t *far = s + 9223372036854775807;
  cudaStreamBeginCapture(far[9223372036854775807], cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(far[9223372036854775807]);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(far[9223372036854775807], g);
}

enum Wide : unsigned long long { First = 18446744073709551615ull, Second = 5 };
constexpr unsigned long long None = 18446744073709551615ull;
constexpr __int128 Beyond = static_cast<__int128>(1) << 100;
struct Row { unsigned long long limit; int lanes; };
static const Row rows[] = {{18446744073709551615ull, 1}, {9223372036854775808ull, 2}};

void wide(cudaStream_t s, cudaGraph_t *g, unsigned long long n) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (3 < None)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(s, g);
}

void same(cudaStream_t s, cudaGraph_t *g) {
  unsigned long long index = None;
  __int128 far = Beyond;
  Wide kind = First;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (index != None || far != Beyond || kind != First)
    cudaStreamSynchronize(s); // never
  cudaStreamEndCapture(s, g);
}

void chosen(cudaStream_t s, cudaGraph_t *g, unsigned long long n) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  switch (n) {
  case 18446744073709551615ull:
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits
    break;
  case 5:
    break;
  }
  cudaStreamEndCapture(s, g);
}

void tabled(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (rows[0].limit > 7)
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits
  cudaStreamEndCapture(s, g);
}
