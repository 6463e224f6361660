//===- LimitsTest.cpp - Runs that reach their time limit ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clock in these tests is a counter, so that each run stops at a fixed
// point.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "analysis/ir/Summary.h"
#include "analysis/lower/Summarize.h"
#include "analysis/program/Program.h"
#include "rules/Analyze.h"
#include "rules/Evaluate.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudagraph;

namespace {

const char *const ThreeRoots =
    "void a(cudaStream_t s, cudaGraph_t *g) {\n"
    "  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n"
    "  cudaStreamSynchronize(s);\n"
    "  cudaStreamEndCapture(s, g);\n"
    "}\n"
    "void b(cudaStream_t s, cudaGraph_t *g) { a(s, g); cudaFree(0); }\n"
    "void c(cudaStream_t s, cudaGraph_t *g) {\n"
    "  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n"
    "  cudaDeviceSynchronize();\n"
    "  cudaStreamEndCapture(s, g);\n"
    "}\n";

/// Counts the stored results.
struct CountingStore : RootStore {
  unsigned Stored = 0;
  std::optional<RootResult> load(uint64_t) override { return std::nullopt; }
  void store(uint64_t, const RootResult &) override { ++Stored; }
};

/// Analyzes ThreeRoots with a clock that expires at its \p Asked-th
/// query.
UnitResult analyzed(unsigned Asked, CountingStore &Store) {
  auto Unit = unit::parse(ThreeRoots);
  std::vector<UnitSummary> Units;
  Units.push_back(summarizeUnit(Unit->getASTContext(), "id", false));
  Program Linked(std::move(Units));
  UnitSettings Settings;
  Settings.Known = &catalogue::Catalogue::builtin();
  unsigned Times = 0;
  return analyzeProgram(Linked, Settings, {}, &Store,
                        [&] { return ++Times >= Asked; });
}

unsigned waits(const UnitResult &R) {
  return llvm::count_if(R.Findings, [](const Finding &F) {
    return F.Check == "cudagraph-sync-call";
  });
}

TEST(OutOfTime, NeverComesWhenThereIsTime) {
  CountingStore Store;
  UnitResult R = analyzed(~0U, Store);
  EXPECT_TRUE(R.Cuts.empty());
  EXPECT_FALSE(R.BudgetExceeded);
  EXPECT_EQ(waits(R), 2U);
  EXPECT_GE(Store.Stored, 2U);
}

TEST(OutOfTime, NamesTheRootsThatWereNotWalked) {
  CountingStore Store;
  UnitResult R = analyzed(1, Store);
  ASSERT_EQ(R.Cuts.size(), 3U) << "nobody knows that b would have walked a";
  for (const UnitResult::Cut &Each : R.Cuts) {
    EXPECT_TRUE(Each.OutOfTime);
    EXPECT_EQ(Each.Steps, 0U);
  }
  EXPECT_EQ(R.Cuts[0].Root, "b");
  EXPECT_TRUE(R.BudgetExceeded);
  EXPECT_TRUE(R.Findings.empty());
  EXPECT_EQ(Store.Stored, 0U) << "half a result must not be kept";
}

TEST(OutOfTime, KeepsWhatWasFound) {
  CountingStore Store;
  // The time is queried before the first root, at its first step, and before
  // the second root.
  UnitResult R = analyzed(3, Store);
  ASSERT_GE(R.Cuts.size(), 1U);
  EXPECT_EQ(R.Cuts[0].Root, "c");
  EXPECT_EQ(waits(R), 1U);
  EXPECT_EQ(Store.Stored, 1U);
}

} // namespace
