//===- MemoTest.cpp - Calls that share a walk -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two calls share the walk of their callee if their keys are equal. A key that
// omits a relevant fact silently causes wrong results. Therefore, in this test,
// each call that would share a walk has a separate walk, which must end with
// the same state.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "analysis/interpreter/Interpreter.h"
#include "analysis/lower/Summarize.h"

using namespace cudagraph;

namespace {

/// The findings of a run, and the number of calls that shared a walk.
struct Outcome {
  size_t Facts = 0;
  unsigned Rechecked = 0, Differing = 0;
};

Outcome run(const std::string &Code, bool Recheck) {
  auto Parsed = unit::parse(Code);
  std::vector<UnitSummary> Units;
  Units.push_back(summarizeUnit(Parsed->getASTContext(), "id", false));
  Program Table(std::move(Units));
  const catalogue::Catalogue &Known = catalogue::Catalogue::builtin();
  Relevance Rel(Table, Known);
  GraphShapes Shapes(Table, Rel);
  Outcome All;
  for (const Root &From : RootFinder(Table, Rel).outermost()) {
    WalkLimits Limits;
    Limits.Recheck = Recheck;
    Walk W(Table, Rel, Known, Shapes, Limits);
    All.Facts += Interpreter(W).run(From).Facts.size();
    All.Rechecked += W.Rechecked;
    All.Differing += W.Differing;
  }
  return All;
}

const char *const Programs[] = {
    // Helpers called before, during, and after a capture.
    "void work(cudaStream_t s, float *x) { k<<<1, 1, 0, s>>>(x); }\n"
    "void wait(cudaStream_t s) { cudaStreamSynchronize(s); }\n"
    "void f(cudaStream_t s, cudaStream_t t, float *x, cudaGraph_t *g) {\n"
    "  work(s, x); wait(s); wait(s);\n"
    "  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n"
    "  work(s, x); work(s, x); work(t, x); wait(t); wait(t);\n"
    "  cudaStreamEndCapture(s, g);\n"
    "  work(s, x); wait(s);\n"
    "}\n",
    // Flags, numbers, and memory that differ between calls.
    "struct E { cudaStream_t s; int n; bool on; };\n"
    "void step(E &e) { if (e.on) cudaMemsetAsync(0, 0, e.n, e.s);\n"
    "                  else cudaStreamSynchronize(e.s); }\n"
    "void f(E &e, cudaGraph_t *g) {\n"
    "  cudaStreamBeginCapture(e.s, cudaStreamCaptureModeGlobal);\n"
    "  for (int i = 0; i < 3; ++i) { e.n = i; e.on = i & 1; step(e); step(e); "
    "}\n"
    "  e.on = true; step(e); step(e); e.on = false; step(e); step(e);\n"
    "  cudaStreamEndCapture(e.s, g);\n"
    "}\n",
    // Forks and joins behind helpers.
    "void fork(cudaStream_t a, cudaStream_t b, cudaEvent_t e) {\n"
    "  cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0); }\n"
    "void f(cudaStream_t a, cudaStream_t b, float *x, cudaGraph_t *g) {\n"
    "  cudaEvent_t e; cudaEventCreate(&e);\n"
    "  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);\n"
    "  fork(a, b, e); fork(a, b, e); k<<<1, 1, 0, b>>>(x); fork(b, a, e);\n"
    "  fork(b, a, e); k<<<1, 1, 0, b>>>(x);\n"
    "  cudaStreamEndCapture(a, g);\n"
    "}\n",
    // Begin and end calls in helpers, callables, and host nodes.
    "void begin(cudaStream_t s) {\n"
    "  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed); }\n"
    "void end(cudaStream_t s, cudaGraph_t *g) { cudaStreamEndCapture(s, g); }\n"
    "void node(void *p) { cudaFree(p); delete static_cast<int *>(p); }\n"
    "template <typename F> void twice(F f) { f(); f(); }\n"
    "void f(cudaStream_t s, float *x, cudaGraph_t *g) {\n"
    "  for (int i = 0; i < 2; ++i) {\n"
    "    begin(s);\n"
    "    twice([&] { k<<<1, 1, 0, s>>>(x); cudaFree(x); });\n"
    "    twice([&] { cudaLaunchHostFunc(s, node, new int); });\n"
    "    end(s, g);\n"
    "  }\n"
    "  begin(s); end(s, g);\n"
    "}\n",
};

TEST(Memo, GivesWhatAWalkWouldGive) {
  unsigned Shared = 0;
  for (const char *Code : Programs) {
    Outcome With = run(Code, /*Recheck=*/true);
    EXPECT_EQ(With.Differing, 0u) << Code;
    EXPECT_EQ(With.Facts, run(Code, /*Recheck=*/false).Facts) << Code;
    EXPECT_GT(With.Facts, 0u) << Code;
    Shared += With.Rechecked;
  }
  EXPECT_GE(Shared, 5u); // otherwise, little was compared
}

} // namespace
