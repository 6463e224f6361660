//===- EngineTest.cpp - From code to regions and findings -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes snippets to analyzeUnit() and compares the results as plain values:
// message texts are not compared. BEGIN, END, and SYNC are on stream s.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "analysis/findings/Options.h"
#include "rules/Analyze.h"

using namespace cudagraph;

namespace {

using Lines = std::vector<std::string>;
using catalogue::Mode;
using catalogue::StreamKind;

/// All findings in \p Code.
UnitResult analyzedInFull(const std::string &Code,
                          const AnalysisOptions &Options = {}) {
  auto Unit = unit::parse(Code, "#define BEGIN cudaStreamBeginCapture(s, "
                                "cudaStreamCaptureModeGlobal)\n"
                                "#define END cudaStreamEndCapture(s, &graph)\n"
                                "#define SYNC cudaStreamSynchronize(s)\n"
                                "cudaGraph_t graph;\n");
  UnitResult R = analyzeUnit(Unit->getASTContext(),
                             catalogue::Catalogue::builtin(), Options);
  EXPECT_FALSE(R.BudgetExceeded);
  return R;
}

/// The same without the findings about BEGIN and END, whose results are not
/// checked.
UnitResult analyzed(const std::string &Code,
                    const AnalysisOptions &Options = {}) {
  UnitResult R = analyzedInFull(Code, Options);
  std::erase_if(R.Findings, [](const Finding &F) {
    return F.Check == "cudagraph-ignored-result" &&
           F.Sure == Confidence::Possible;
  });
  return R;
}

/// "LINE CALLEE CODE" or "LINE CALLEE KIND" for each finding.
Lines findings(const UnitResult &R) {
  Lines Result;
  for (const Finding &F : R.Findings)
    Result.push_back(std::to_string(F.Loc.Line) + ' ' + F.Callee + ' ' +
                     (F.Outcome.Kind == OutcomeKind::Error
                          ? std::to_string(F.Outcome.Code.value_or(0))
                          : spelling(F.Outcome.Kind)));
  return Result;
}
Lines findings(const std::string &Code, const AnalysisOptions &Options = {}) {
  return findings(analyzed(Code, Options));
}

/// "LINE-END NAME STREAM ROOT MODE KIND" for each region.
Lines regions(const UnitResult &R) {
  Lines Result;
  for (const Region &G : R.Regions) {
    std::string Text = std::to_string(G.Begin.Line);
    for (const Location &End : G.Ends)
      Text += '-' + std::to_string(End.Line);
    Text += ' ' + G.Name + ' ' + G.Stream + ' ' + spelling(G.Root);
    Text += G.Mode ? std::string(" ") + spelling(*G.Mode) : " ?";
    Text += !G.Kind                              ? " ?"
            : *G.Kind == StreamKind::NonBlocking ? " non-blocking"
                                                 : " blocking";
    Result.push_back(Text);
  }
  return Result;
}
Lines regions(const std::string &Code, const AnalysisOptions &Options = {}) {
  return regions(analyzed(Code, Options));
}

AnalysisOptions everything() {
  AnalysisOptions Options;
  Options.Least = Confidence::Possible;
  return Options;
}

/// The confidence of the only finding in \p Code.
std::string confidence(const std::string &Code) {
  UnitResult R = analyzed(Code, everything());
  if (R.Findings.size() != 1)
    return std::to_string(R.Findings.size()) + " findings";
  return spelling(R.Findings.front().Sure);
}

const Lines Nothing;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

TEST(EngineRegions, ReachFromBeginToEnd) {
  UnitResult R = analyzed("void f(cudaStream_t s) {\n"
                          "  SYNC;\n"
                          "  cudaStreamBeginCapture(s,"
                          " cudaStreamCaptureModeGlobal);\n"
                          "  SYNC;\n"
                          "  END;\n"
                          "  SYNC;\n}");
  EXPECT_EQ(regions(R), Lines{"3-5 f s api-pair global ?"});
  EXPECT_EQ(findings(R), Lines{"4 cudaStreamSynchronize 900"});
}

TEST(EngineRegions, NeedACapture) {
  UnitResult R = analyzed("void f(cudaStream_t s) { SYNC; END; SYNC; }");
  EXPECT_EQ(regions(R), Nothing);
  EXPECT_EQ(findings(R), Nothing);
}

TEST(EngineRegions, AreNumberedByPlace) {
  UnitResult R = analyzed("void f(cudaStream_t s) {\n"
                          "  BEGIN; END;\n"
                          "  BEGIN; SYNC; END;\n}");
  ASSERT_EQ(R.Regions.size(), 2U);
  EXPECT_EQ(R.Regions[0].Id, 1U);
  EXPECT_EQ(R.Regions[1].Id, 2U);
  ASSERT_EQ(R.Findings.size(), 1U);
  EXPECT_EQ(R.Findings[0].Regions, std::vector<unsigned>{2});
}

TEST(EngineRegions, KnowTheMode) {
  auto InMode = [](const std::string &M) {
    return "void f(cudaStream_t s, cudaStreamCaptureMode m, void *p) {\n"
           "cudaStreamBeginCapture(s, " +
           M + "); cudaMalloc(&p, 1); END; }";
  };
  EXPECT_EQ(regions(InMode("cudaStreamCaptureModeThreadLocal")),
            Lines{"2-2 f s api-pair thread_local ?"});
  EXPECT_EQ(regions(InMode("m")), Lines{"2-2 f s api-pair ? ?"});
  EXPECT_EQ(findings(InMode("cudaStreamCaptureModeGlobal")),
            Lines{"2 cudaMalloc 900"});
  EXPECT_EQ(findings(InMode("cudaStreamCaptureModeRelaxed")), Nothing);
  EXPECT_EQ(findings(InMode("m")).size(), 1U);
}

TEST(EngineRegions, FollowTheExchangeOfTheMode) {
  EXPECT_EQ(findings("void f(cudaStream_t s, void *p) { BEGIN;\n"
                     "  auto m = cudaStreamCaptureModeRelaxed;\n"
                     "  cudaThreadExchangeStreamCaptureMode(&m);\n"
                     "  cudaMalloc(&p, 1);\n"
                     "  cudaThreadExchangeStreamCaptureMode(&m);\n"
                     "  cudaMalloc(&p, 1);\n"
                     "  END; }"),
            Lines{"6 cudaMalloc 900"});
}

TEST(EngineRegions, KnowTheKindOfTheirStream) {
  auto Created = [](const std::string &How) {
    return "__global__ void kernel();\nvoid f(bool b) { cudaStream_t s; " +
           How +
           ";\n  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);"
           " kernel<<<1, 1>>>(); END; }";
  };
  const std::string Blocking = Created("cudaStreamCreate(&s)");
  EXPECT_EQ(regions(Blocking), Lines{"3-3 f s api-pair global blocking"});
  EXPECT_EQ(findings(Blocking), Lines{"3 kernel 906"});
  const std::string NonBlocking =
      Created("cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)");
  EXPECT_EQ(regions(NonBlocking),
            Lines{"3-3 f s api-pair global non-blocking"});
  EXPECT_EQ(findings(NonBlocking), Lines{"3 kernel escapes"});
  const std::string Either =
      Created("cudaStreamCreateWithFlags(&s, b ? cudaStreamNonBlocking : 0)");
  EXPECT_EQ(regions(Either), Lines{"3-3 f s api-pair global ?"});
  EXPECT_EQ(findings(Either), Lines{"3 kernel depends"});
}

TEST(EngineRegions, AreOfTheCallerWhenAWrapperBegins) {
  UnitResult R = analyzed("void begin(cudaStream_t s) { BEGIN; }\n"
                          "void end(cudaStream_t s) { END; }\n"
                          "void f(cudaStream_t t) {\n"
                          "  begin(t);\n"
                          "  cudaStreamSynchronize(t);\n"
                          "  end(t);\n"
                          "  cudaStreamSynchronize(t);\n}");
  ASSERT_EQ(R.Regions.size(), 1U);
  EXPECT_EQ(R.Regions[0].Root, RootKind::Wrapper);
  EXPECT_EQ(R.Regions[0].Name, "f");
  EXPECT_EQ(R.Regions[0].Begin.Line, 4U);
  EXPECT_EQ(findings(R), Lines{"5 cudaStreamSynchronize 900"});
}

TEST(EngineRegions, LiveAsLongAsTheirObject) {
  EXPECT_EQ(findings("struct Capture { cudaStream_t s;\n"
                     "  Capture(cudaStream_t t) : s(t) { BEGIN; }\n"
                     "  ~Capture() { END; } };\n"
                     "void f(cudaStream_t s) {\n"
                     "  { Capture c(s);\n"
                     "    SYNC; }\n"
                     "  SYNC; }"),
            Lines{"6 cudaStreamSynchronize 900"});
}

TEST(EngineRegions, SurroundACallable) {
  EXPECT_EQ(findings("template <class F> void capture(cudaStream_t s, F fn) {\n"
                     "  BEGIN; fn(); END; }\n"
                     "void f(cudaStream_t s) {\n"
                     "  capture(s, [=] {\n"
                     "    SYNC; });\n"
                     "  [=] { SYNC; }(); }"),
            Lines{"5 cudaStreamSynchronize 900"});
}

TEST(EngineRegions, MayBeComments) {
  UnitResult R = analyzed("void f(cudaStream_t s) {\n"
                          "  // cudagraph: begin-capture(s)\n"
                          "  SYNC;\n"
                          "  // cudagraph: end-capture\n"
                          "  SYNC;\n}");
  EXPECT_EQ(findings(R), Lines{"3 cudaStreamSynchronize 900"});
  EXPECT_EQ(regions(R), Lines{"2-4 f s comment ? ?"});
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

TEST(EngineConditions, OfBeginAndEndAreCorrelated) {
  EXPECT_EQ(findings("void f(cudaStream_t s, bool c) {\n"
                     "  if (c) BEGIN;\n"
                     "  if (!c) SYNC;\n"
                     "  if (c) SYNC;\n"
                     "  if (c) END;\n"
                     "  SYNC; }"),
            Lines{"4 cudaStreamSynchronize 900"});
}

TEST(EngineConditions, MayBeStored) {
  EXPECT_EQ(findings("bool want(); struct C { bool on; cudaStream_t s;\n"
                     "void f() {\n"
                     "  on = want(); const bool off = !on;\n"
                     "  if (on) BEGIN;\n"
                     "  work();\n"
                     "  if (off) SYNC;\n"
                     "  if (on) END; }\n"
                     "void work() {\n"
                     "  if (!on) SYNC;\n"
                     "  if (on) SYNC; } };"),
            Lines{"10 cudaStreamSynchronize 900"});
}

TEST(EngineConditions, MayCompareWithConstants) {
  EXPECT_EQ(findings("enum E { Eager, Record, Replay };\n"
                     "void f(cudaStream_t s, E e) {\n"
                     "  if (e == Record) BEGIN;\n"
                     "  switch (e) {\n"
                     "  case Eager: SYNC; break;\n"
                     "  case Record: SYNC; break;\n"
                     "  case Replay: SYNC; }\n"
                     "  if (e == Record) END; }"),
            Lines{"6 cudaStreamSynchronize 900"});
}

TEST(EngineConditions, MayAskWhetherAStreamCaptures) {
  EXPECT_EQ(findings("bool busy(cudaStream_t s) {\n"
                     "  cudaStreamCaptureStatus st;\n"
                     "  cudaStreamIsCapturing(s, &st);\n"
                     "  return st != cudaStreamCaptureStatusNone; }\n"
                     "void f(cudaStream_t s) { BEGIN;\n"
                     "  if (!busy(s)) SYNC;\n"
                     "  if (busy(s)) SYNC;\n"
                     "  if (busy(s)) return;\n"
                     "  SYNC; }"),
            Lines{"7 cudaStreamSynchronize 900"});
}

TEST(EngineConditions, OnAnotherStreamGuardNothing) {
  EXPECT_EQ(findings("void f() { cudaStream_t s, t;\n"
                     "  cudaStreamCreate(&s); cudaStreamCreate(&t); BEGIN;\n"
                     "  cudaStreamCaptureStatus st;\n"
                     "  cudaStreamIsCapturing(t, &st);\n"
                     "  if (st == cudaStreamCaptureStatusNone) SYNC;\n"
                     "  END; }"),
            Lines{"5 cudaStreamSynchronize 900"});
}

TEST(EngineConditions, OfFailureDoNotPoisonTheRest) {
  EXPECT_EQ(findings("cudaError_t f(cudaStream_t s) {\n"
                     "  if (BEGIN != cudaSuccess) {\n"
                     "    SYNC; return cudaErrorUnknown; }\n"
                     "  END;\n"
                     "  return SYNC; }"),
            Nothing);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

TEST(EngineStreams, OutsideTheCaptureEscape) {
  UnitResult R = analyzed("void f(float *x) { cudaStream_t s, t;\n"
                          "  cudaStreamCreate(&s); cudaStreamCreate(&t);\n"
                          "  BEGIN;\n"
                          "  k<<<1, 1, 0, s>>>(x);\n"
                          "  k<<<1, 1, 0, t>>>(x);\n"
                          "  END; }");
  EXPECT_EQ(findings(R), Lines{"5 k escapes"});
  ASSERT_EQ(R.Findings.size(), 1U);
  EXPECT_EQ(R.Findings[0].Check, "cudagraph-default-stream");
}

TEST(EngineStreams, JoinByAnEvent) {
  EXPECT_EQ(findings("void f(float *x, cudaEvent_t e) { cudaStream_t s, t;\n"
                     "  cudaStreamCreate(&s); cudaStreamCreate(&t);\n"
                     "  BEGIN;\n"
                     "  cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);\n"
                     "  k<<<1, 1, 0, t>>>(x);\n"
                     "  cudaStreamSynchronize(t);\n"
                     "  END; }"),
            Lines{"6 cudaStreamSynchronize 900"});
}

TEST(EngineStreams, FromOnePlaceAreStillDifferent) {
  EXPECT_EQ(findings("cudaStream_t make() {\n"
                     "  cudaStream_t s; cudaStreamCreate(&s); return s; }\n"
                     "void f(float *x) { cudaStream_t s = make(), t = make();\n"
                     "  BEGIN;\n"
                     "  k<<<1, 1, 0, t>>>(x);\n"
                     "  END; }"),
            Lines{"5 k escapes"});
}

TEST(EngineStreams, MayHaveSeveralNames) {
  EXPECT_EQ(findings("struct C { cudaStream_t s; cudaStream_t get() {\n"
                     "    return s; } };\n"
                     "void f(C *c, float *x) { cudaStream_t s = c->get();\n"
                     "  BEGIN;\n"
                     "  k<<<1, 1, 0, c->s>>>(x);\n"
                     "  cudaStreamSynchronize(c->s);\n"
                     "  END; }"),
            Lines{"6 cudaStreamSynchronize 900"});
}

TEST(EngineStreams, ThatMayBeOutsideAreNotClaimedToBe) {
  const char *Code = "void f(cudaStream_t s, cudaStream_t t, float *x) {\n"
                     "  BEGIN;\n"
                     "  k<<<1, 1, 0, t>>>(x);\n"
                     "  END; }";
  EXPECT_EQ(findings(Code), Nothing);
  EXPECT_EQ(findings(Code, everything()).size(), 1U);
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

TEST(EngineFindings, HaveThePathFromTheBegin) {
  UnitResult R = analyzed("void inner(cudaStream_t s) {\n"
                          "  SYNC; }\n"
                          "void outer(cudaStream_t s) {\n"
                          "  inner(s); }\n"
                          "void f(cudaStream_t s) {\n"
                          "  BEGIN;\n"
                          "  outer(s);\n"
                          "  END; }");
  ASSERT_EQ(R.Findings.size(), 1U);
  const Finding &F = R.Findings[0];
  EXPECT_EQ(F.Check, "cudagraph-sync-call");
  EXPECT_EQ(F.Severity, "warning");
  EXPECT_EQ(F.Function, "inner(CUstream_st*)");
  EXPECT_EQ(F.Loc.Line, 2U);
  EXPECT_EQ(F.Loc.Column, 3U);
  EXPECT_EQ(F.Outcome.ByMode, (std::vector<int>{900, 900, 900}));
  EXPECT_FALSE(F.Outcome.Evidence.empty());
  std::vector<unsigned> Path;
  for (const Step &S : F.Chain)
    Path.push_back(S.Loc.Line);
  EXPECT_EQ(Path, (std::vector<unsigned>{6, 7, 4}));
}

TEST(EngineFindings, OfOneCalleeHaveSeparatePaths) {
  UnitResult R = analyzed("void work(cudaStream_t s) {\n"
                          "  SYNC; }\n"
                          "void a(cudaStream_t s) { BEGIN; work(s); END; }\n"
                          "void b(cudaStream_t s) { BEGIN; work(s); END; }\n"
                          "void c(cudaStream_t s) { work(s); }");
  ASSERT_EQ(R.Findings.size(), 1U) << "reported once";
  EXPECT_EQ(R.Findings[0].Regions, (std::vector<unsigned>{1, 2}));
  // The path belongs to the first region, however often work() is walked.
  ASSERT_EQ(R.Findings[0].Chain.size(), 2U);
  EXPECT_EQ(R.Findings[0].Chain[0].Loc.Line, 3U);
  EXPECT_EQ(R.Findings[0].Chain[1].Loc.Line, 3U);
}

TEST(EngineFindings, OfACalleeDependOnItsArguments) {
  EXPECT_EQ(findings("void work(cudaStream_t s, bool wait) {\n"
                     "  if (wait) SYNC; }\n"
                     "void a(cudaStream_t s) { BEGIN; work(s, false); END; }"),
            Nothing);
  EXPECT_EQ(findings("void work(cudaStream_t s, bool wait) {\n"
                     "  if (wait) SYNC; }\n"
                     "void a(cudaStream_t s) { BEGIN; work(s, false);\n"
                     "  work(s, true); END; }"),
            Lines{"2 cudaStreamSynchronize 900"});
}

TEST(EngineFindings, AreOrderedByPlace) {
  EXPECT_EQ(findings("void work(cudaStream_t s, void *p) {\n"
                     "  cudaFree(p);\n"
                     "  SYNC; }\n"
                     "void f(cudaStream_t s, void *p) { BEGIN;\n"
                     "  SYNC;\n"
                     "  work(s, p); END; }"),
            (Lines{"2 cudaFree 900", "3 cudaStreamSynchronize 900",
                   "5 cudaStreamSynchronize 900"}));
}

TEST(EngineFindings, IncludeSizesReadFromTheDevice) {
  UnitResult R =
      analyzed("void f(cudaStream_t s, float *x, int *d) { int n;\n"
               "  cudaMemcpy(&n, d, sizeof n, cudaMemcpyDeviceToHost);\n"
               "  BEGIN;\n"
               "  k<<<n, 32, 0, s>>>(x);\n"
               "  k<<<32, 32, 0, s>>>(x);\n"
               "  END; }");
  ASSERT_EQ(R.Findings.size(), 1U);
  EXPECT_EQ(R.Findings[0].Check, "cudagraph-dynamic-shape");
  EXPECT_EQ(R.Findings[0].Loc.Line, 4U);
  EXPECT_EQ(R.Findings[0].Outcome.Kind, OutcomeKind::Stale);
}

TEST(EngineFindings, IncludeHostStateThatOutlivesTheRegion) {
  const std::string Code = "extern \"C\" int rand(); int steps;\n"
                           "void f(cudaStream_t s) { BEGIN;\n"
                           "  int local = 0; ++local;\n"
                           "  ++steps;\n"
                           "  rand();\n"
                           "  END; ++steps; rand(); }";
  UnitResult R = analyzed(Code, everything());
  ASSERT_EQ(R.Findings.size(), 2U);
  for (const Finding &F : R.Findings) {
    EXPECT_EQ(F.Check, "cudagraph-host-logic");
    EXPECT_EQ(F.Outcome.Kind, OutcomeKind::Stale);
  }
  EXPECT_EQ(R.Findings[0].Loc.Line, 4U);
  EXPECT_EQ(R.Findings[1].Loc.Line, 5U);
}

TEST(EngineFindings, IncludeUncheckedBeginsAndEndsOnRequest) {
  const char *Code = "void f(cudaStream_t s) {\n"
                     "  BEGIN;\n"
                     "  END;\n}\n"
                     "cudaError_t g(cudaStream_t s) {\n"
                     "  if (BEGIN != cudaSuccess) return cudaSuccess;\n"
                     "  return END;\n}";
  EXPECT_EQ(findings(analyzedInFull(Code)), Nothing);
  UnitResult R = analyzedInFull(Code, everything());
  EXPECT_EQ(findings(R), (Lines{"2 cudaStreamBeginCapture stale",
                                "3 cudaStreamEndCapture stale"}));
  for (const Finding &F : R.Findings) {
    EXPECT_EQ(F.Check, "cudagraph-ignored-result");
    EXPECT_EQ(F.Sure, Confidence::Possible);
  }
}

TEST(EngineFindings, AreNotMadeOfDeviceCode) {
  EXPECT_EQ(findings("extern \"C\" __host__ __device__ int rand();\n"
                     "__global__ void kernel() { rand(); }\n"
                     "void f(cudaStream_t s) { BEGIN;\n"
                     "  kernel<<<1, 1, 0, s>>>(); END; }",
                     everything()),
            Nothing);
}

TEST(EngineFindings, CanBeSuppressedBeforeTheyAreMerged) {
  auto Unit = unit::parse(
      "void work(cudaStream_t s) { cudaStreamSynchronize(s); }\n"
      "void a(cudaStream_t s, cudaGraph_t *g) {"
      " cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); work(s);"
      " cudaStreamEndCapture(s, g); }\n"
      "void b(cudaStream_t s, cudaGraph_t *g) {"
      " cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); work(s);"
      " cudaStreamEndCapture(s, g); }\n");
  auto InA = [](const Finding &F) {
    return !F.Chain.empty() && F.Chain[0].Loc.Line == 2;
  };
  UnitResult R = analyzeUnit(Unit->getASTContext(),
                             catalogue::Catalogue::builtin(), {}, InA);
  ASSERT_EQ(R.Findings.size(), 1U);
  EXPECT_EQ(R.Findings[0].Regions, std::vector<unsigned>{2});
}

//===----------------------------------------------------------------------===//
// Confidence and unknown
// facts

TEST(EngineConfidence, IsCertainWhenEveryPathReachesTheCall) {
  EXPECT_EQ(confidence("void f(cudaStream_t s) { BEGIN; SYNC; END; }"),
            "certain");
  EXPECT_EQ(confidence("void w(cudaStream_t s) { SYNC; }"
                       "void f(cudaStream_t s) { BEGIN; w(s); END; }"),
            "certain");
}

TEST(EngineConfidence, IsLikelyWhenSomePathDoes) {
  EXPECT_EQ(confidence("void f(cudaStream_t s, bool b) {"
                       " BEGIN; if (b) SYNC; END; }"),
            "likely");
  EXPECT_EQ(confidence("void f(cudaStream_t s, cudaStreamCaptureMode m,"
                       " void *p) { cudaStreamBeginCapture(s, m);"
                       " cudaMalloc(&p, 1); END; }"),
            "likely");
}

TEST(EngineConfidence, IsPossibleWhenTheStreamMayBeAnother) {
  EXPECT_EQ(confidence("void f(cudaStream_t s, cudaStream_t t) {"
                       " cudaStreamBeginCapture(s,"
                       " cudaStreamCaptureModeRelaxed);"
                       " cudaStreamSynchronize(t); END; }"),
            "possible");
}

TEST(EngineConfidence, IsLimitedByTheOptions) {
  const char *Code = "void f(cudaStream_t s, bool b) { BEGIN;\n"
                     "  if (b) SYNC;\n"
                     "  SYNC;\n"
                     "  END; }";
  AnalysisOptions Options;
  EXPECT_EQ(findings(Code, Options).size(), 2U);
  Options.Least = Confidence::Certain;
  EXPECT_EQ(findings(Code, Options), Lines{"3 cudaStreamSynchronize 900"});
}

TEST(EngineConfidence, OpaqueCallsAreListedAndNotReported) {
  UnitResult R = analyzed("void unseen(cudaStream_t);\n"
                          "void f(cudaStream_t s) { unseen(s);\n"
                          "  BEGIN;\n"
                          "  unseen(s);\n"
                          "  END; }");
  EXPECT_EQ(findings(R), Nothing);
  ASSERT_EQ(R.OpaqueCalls.size(), 1U);
  EXPECT_EQ(R.OpaqueCalls[0].Callee, "unseen");
  EXPECT_EQ(R.OpaqueCalls[0].Loc.Line, 4U);
  EXPECT_EQ(R.OpaqueCalls[0].Function, "f(CUstream_st*)");
}

TEST(EngineConfidence, VirtualCallsReachEveryOverrider) {
  UnitResult R =
      analyzed("struct A { virtual void run(cudaStream_t s) = 0; };\n"
               "struct B : A { void run(cudaStream_t s) override {\n"
               "  SYNC; } };\n"
               "struct C : A { void run(cudaStream_t) override {} };\n"
               "void f(A *a, cudaStream_t s) { BEGIN; a->run(s); END; }\n"
               "void h(C c, cudaStream_t s) { BEGIN; c.run(s); END; }");
  EXPECT_EQ(findings(R), Lines{"3 cudaStreamSynchronize 900"});
  ASSERT_EQ(R.Findings.size(), 1U);
  EXPECT_EQ(R.Findings[0].Sure, Confidence::Likely) << "one of two";
  EXPECT_EQ(R.Findings[0].Regions, std::vector<unsigned>{1});
}

TEST(EngineConfidence, RecursionEnds) {
  EXPECT_EQ(findings("void f(cudaStream_t s, int n) {\n"
                     "  if (n) f(s, n - 1);\n"
                     "  SYNC; }\n"
                     "void h(cudaStream_t s) { BEGIN; f(s, 9); END; }"),
            Lines{"3 cudaStreamSynchronize 900"});
}

//===----------------------------------------------------------------------===//
// Options and catalogues
//===----------------------------------------------------------------------===//

TEST(EngineRoots, MayBeNamed) {
  AnalysisOptions Options;
  Options.Roots = "function:^n::step$";
  UnitResult R = analyzed("namespace n {\n"
                          "void step(cudaStream_t s) { SYNC; }\n"
                          "void step2(cudaStream_t s) { SYNC; } }",
                          Options);
  EXPECT_EQ(findings(R), Lines{"2 cudaStreamSynchronize 900"});
  ASSERT_EQ(R.Regions.size(), 1U);
  EXPECT_EQ(R.Regions[0].Root, RootKind::Function);
  EXPECT_EQ(R.Regions[0].Name, "n::step");
  EXPECT_EQ(R.Regions[0].Mode, std::nullopt);
}

TEST(EngineRoots, MayBeAllThatTakeAStream) {
  const char *Code = "void f(cudaStream_t s) { SYNC; }\n"
                     "void h(void *p) { cudaDeviceSynchronize(); }";
  AnalysisOptions Options;
  EXPECT_EQ(findings(Code, Options), Nothing);
  Options.Roots = "stream-param";
  UnitResult R = analyzed(Code, Options);
  EXPECT_EQ(findings(R), Lines{"1 cudaStreamSynchronize 900"});
  ASSERT_EQ(R.Regions.size(), 1U);
  EXPECT_EQ(R.Regions[0].Root, RootKind::StreamParam);
}

TEST(EngineCatalogues, DecideWhatCallsDo) {
  catalogue::Catalogue Users = catalogue::Catalogue::builtin();
  ASSERT_EQ(Users.add(R"({"library": "u", "entries": [
              {"name": "cudaStreamSynchronize", "effect": "neutral",
               "reason": "intercepted"},
              {"name": "mine", "effect": "sync-stream", "args": {"stream": 0},
               "outcome": "sync-stream", "action": "waits", "reason": "r"}]})",
                      "u.json", true),
            "");
  auto Unit =
      unit::parse("void mine(cudaStream_t);\n"
                  "void f(cudaStream_t s, cudaGraph_t *g) {"
                  " cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n"
                  "  cudaStreamSynchronize(s);\n"
                  "  mine(s);\n"
                  "  cudaStreamEndCapture(s, g); }");
  UnitResult R = analyzeUnit(Unit->getASTContext(), Users, {});
  EXPECT_EQ(findings(R), Lines{"4 mine 900"});
}

TEST(EngineCatalogues, AreShadowedByBodies) {
  EXPECT_EQ(findings("namespace n { void cudaDeviceSynchronize() {} }\n"
                     "extern \"C\" int rand() { return 4; }\n"
                     "void f(cudaStream_t s) { BEGIN;\n"
                     "  n::cudaDeviceSynchronize(); rand();\n"
                     "  END; }",
                     everything()),
            Nothing);
}

} // namespace
