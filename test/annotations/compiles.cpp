// The header costs nothing and compiles everywhere: with each standard and
// each available compiler, in the form for users and in the form for the
// analysis.

// RUN: %clangxx -std=c++14 %strict -fsyntax-only %s
// RUN: %clangxx -std=c++17 %strict -fsyntax-only %s
// RUN: %clangxx -std=c++20 %strict -fsyntax-only %s
// RUN: %clangxx -std=c++14 %strict -D__CUDAGRAPH_TIDY__ -fsyntax-only %s
// RUN: %clangxx -std=c++17 %strict -D__CUDAGRAPH_TIDY__ -fsyntax-only %s
// RUN: %clangxx -std=c++20 %strict -D__CUDAGRAPH_TIDY__ -fsyntax-only %s
// RUN: %if gxx %{ g++ -std=c++14 %strict -fsyntax-only %s %}
// RUN: %if gxx %{ g++ -std=c++17 %strict -fsyntax-only %s %}
// RUN: %if gxx %{ g++ -std=c++20 %strict -fsyntax-only %s %}
// RUN: %if nvcc %{ nvcc -std=c++17 -x cu -I%annotations -c %s -o %t.o %}

// RUN: %clangxx -std=c++17 -I%annotations -D__CUDAGRAPH_TIDY__ -fsyntax-only -Xclang -ast-dump %s > %t.ast
// RUN: %FileCheck %s < %t.ast
// RUN: %clangxx -std=c++17 -I%annotations -S -emit-llvm -O0 -o %t.ll %s
// RUN: %FileCheck %s --check-prefix=FREE < %t.ll

#include <cudagraph/annotations.h>

typedef struct CUstream_st *cudaStream_t;
int work(cudaStream_t stream);

// CHECK: FunctionDecl {{.*}} step
// CHECK: AnnotateAttr {{.*}} "cudagraph::capture_region"
CUDAGRAPH_CAPTURE_REGION int step(cudaStream_t stream) { return work(stream); }

// CHECK: FunctionDecl {{.*}} scale
// CHECK: AnnotateAttr {{.*}} "cudagraph::capture_safe"
CUDAGRAPH_CAPTURE_SAFE void scale(float *x, int n, cudaStream_t stream);

// CHECK: FunctionDecl {{.*}} loss
// CHECK: AnnotateAttr {{.*}} "cudagraph::capture_unsafe:reads the loss back"
CUDAGRAPH_CAPTURE_UNSAFE("reads the loss back") float loss();

struct Engine {
  // CHECK: CXXMethodDecl {{.*}} run
  // CHECK: AnnotateAttr {{.*}} "cudagraph::capture_region"
  CUDAGRAPH_CAPTURE_REGION virtual void run(cudaStream_t stream);
  virtual ~Engine() = default;
};

template <class F> void record(F f) { f(nullptr); }

// FREE: define {{.*}}scopes
// FREE-NOT: annotation
int scopes(cudaStream_t stream) {
  // CHECK: LambdaExpr
  // CHECK: AnnotateAttr {{.*}} "cudagraph::capture_region"
  record([](cudaStream_t s) CUDAGRAPH_CAPTURE_REGION { work(s); });
  record([=](cudaStream_t) CUDAGRAPH_CAPTURE_SAFE mutable { work(stream); });
  // CHECK: VarDecl {{.*}} 'cudagraph::capture_region_scope'
  cudagraph::capture_region_scope capturing(stream);
  CUDAGRAPH_CAPTURE_SCOPE(stream);
  // CHECK: AttributedStmt
  // CHECK: AnnotateAttr {{.*}} "cudagraph::allow"
  CUDAGRAPH_ALLOW("a statement") work(stream);
  CUDAGRAPH_ALLOW("a block") { work(stream); }
  CUDAGRAPH_ALLOW("a declaration") int result = work(stream);
  CUDAGRAPH_ALLOW("an if") if (result) return 1;
  return 0;
}

static_assert(sizeof(cudagraph::capture_region_scope) == 1, "is empty");
