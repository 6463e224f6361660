// Numeric arguments of an operator that a graph retains, and work that an
// operator does only for some values of a parameter.
//
// RUN: %driver ops --no-cache --cuda-path=mock %s -- -isystem %mock-torch 2>/dev/null | FileCheck %s
// RUN: %driver ops --no-cache --cuda-path=mock --format=json %s -- -isystem %mock-torch 2>/dev/null > %t.json
// RUN: %python -c "import json; [print(o['name'], o['freezes'], o['cause'] and o['cause']['unless'], o['cause'] and o['cause']['always']) for o in json.load(open('%t.json'))['ops']]" | FileCheck %s --check-prefix=JSON --match-full-lines
//
// On request, an unsafe operator is a failure.
//
// RUN: %not %driver ops --no-cache --cuda-path=mock --fail-on=unsafe %s -- -isystem %mock-torch
// RUN: %driver ops --no-cache --cuda-path=mock --fail-on=unsafe %s -- -isystem %mock-torch -DONLY_SAFE
// RUN: not %driver --fail-on=unsafe %s -- 2>&1 | FileCheck %s --check-prefix=NOT-OPS
// NOT-OPS: error: --fail-on=unsafe applies only to ops
//
// A file that does not parse is named.
//
// RUN: not %driver ops --no-cache --cuda-path=mock %s -- -isystem %mock-torch -DONLY_SAFE -DBROKEN 2>/dev/null | FileCheck %s --check-prefix=BROKEN
// BROKEN: unknown {{ *}}mylib::safe
// BROKEN-NEXT: its translation unit, freezes.cu, has parse errors
// BROKEN: freezes.cu is incomplete: 1 parse error; operators in it may be missing.
//
// If a file does not parse, no reason for missing operators is given.
//
// RUN: echo '#include <torch/none.h>' > %t.cu
// RUN: not %driver ops --no-cache --cuda-path=mock %t.cu -- 2>/dev/null | FileCheck %s --check-prefix=EMPTY --implicit-check-not='found no registered operator'
// EMPTY: is incomplete: 1 parse error; operators in it may be missing.
// EMPTY-NEXT: 0 operators: 0 safe, 0 unsafe, 0 unknown. 1 translation unit, 1 incomplete.
//
// RUN: echo 'void f();' > %t.whole.cu
// RUN: %driver ops --no-cache --cuda-path=mock %t.whole.cu -- 2>/dev/null | FileCheck %s --check-prefix=WHOLE
// WHOLE: found no registered operator: the code does not use TORCH_LIBRARY

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/library.h>

__global__ void scale(float *x, float by, int n);
struct Params { float eps; int rows; };
__global__ void norm(float *x, Params p);

void safe(at::Tensor x, double alpha, int64_t n, bool log, int64_t unused) {
  cudaStream_t s = at::cuda::getCurrentCUDAStream();
  int blocks = static_cast<int>((n + 255) / 256);
  if (log)
    unused = 0;
  scale<<<blocks, 256, 0, s>>>(static_cast<float *>(x.data_ptr()), alpha, 1);
}

static void launch(cudaStream_t s, float *x, float eps, int rows) {
  Params p{eps, rows};
  norm<<<1, 32, 0, s>>>(x, p);
}
void deep(at::Tensor x, double eps, int64_t rows, bool flag) {
  launch(at::cuda::getCurrentCUDAStream(), static_cast<float *>(x.data_ptr()), eps, rows);
}

#ifndef ONLY_SAFE
void checked(at::Tensor x, bool checkErrors, int64_t level) {
  cudaStream_t s = at::cuda::getCurrentCUDAStream();
  scale<<<1, 256, 0, s>>>(static_cast<float *>(x.data_ptr()), 1.f, 1);
  if (checkErrors)
    cudaStreamSynchronize(s);
}
static void check(cudaStream_t s, bool really) {
  if (!really)
    return;
  cudaStreamSynchronize(s);
}
void through(at::Tensor x, bool checkErrors) {
  check(at::cuda::getCurrentCUDAStream(), checkErrors);
}
void by_level(at::Tensor x, int64_t level) {
  if (level > 2)
    cudaStreamSynchronize(at::cuda::getCurrentCUDAStream());
}
// Facts that hold for all arguments come first.
void both(at::Tensor x, bool checkErrors) {
  cudaStream_t s = at::cuda::getCurrentCUDAStream();
  if (checkErrors)
    cudaStreamSynchronize(s);
  cudaDeviceSynchronize();
}
// Two paths lead to the call.
void either(at::Tensor x, bool a, bool b) {
  cudaStream_t s = at::cuda::getCurrentCUDAStream();
  if (a || b)
    check(s, true);
}
#endif
#ifdef BROKEN
int x = undeclared;
#endif

TORCH_LIBRARY(mylib, m) {
  m.def("safe(Tensor x, float alpha, int n, bool log, int unused) -> ()", &safe);
  m.def("deep(Tensor x, float eps, int rows, bool flag) -> ()", &deep);
#ifndef ONLY_SAFE
  m.def("checked(Tensor x, bool checkErrors, int level) -> ()", &checked);
  m.def("through(Tensor x, bool checkErrors) -> ()", &through);
  m.def("by_level(Tensor x, int level) -> ()", &by_level);
  m.def("both(Tensor x, bool checkErrors) -> ()", &both);
  m.def("either(Tensor x, bool a, bool b) -> ()", &either);
#endif
}

// CHECK: unsafe {{ *}}mylib::both
// CHECK-NEXT: cudaDeviceSynchronize
// CHECK: unsafe {{ *}}mylib::by_level
// CHECK-NEXT: in every capture mode, unless level <= 2 [cudagraph-sync-call]
// CHECK: unsafe {{ *}}mylib::checked
// CHECK-NEXT: in every capture mode, unless checkErrors is false [cudagraph-sync-call]
// CHECK: safe {{ *}}mylib::deep {{.*}} freezes eps, rows{{$}}
// CHECK: unsafe {{ *}}mylib::either
// CHECK-NEXT: in every capture mode [cudagraph-sync-call]
// CHECK: safe {{ *}}mylib::safe {{.*}} freezes alpha, n{{$}}
// CHECK: unsafe {{ *}}mylib::through
// CHECK-NEXT: in every capture mode, unless checkErrors is false [cudagraph-sync-call]

// JSON: mylib::both [] None True
// JSON-NEXT: mylib::by_level [] level <= 2 False
// JSON-NEXT: mylib::checked [] checkErrors is false False
// JSON-NEXT: mylib::deep ['eps', 'rows'] None None
// JSON-NEXT: mylib::either [] None False
// JSON-NEXT: mylib::safe ['alpha', 'n'] None None
// JSON-NEXT: mylib::through [] checkErrors is false False
