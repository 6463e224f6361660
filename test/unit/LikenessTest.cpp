//===- LikenessTest.cpp - Instances that count as one ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instances of one template that differ only in a number, or in more than that.
//
//===----------------------------------------------------------------------===//

#include "analysis/program/Likeness.h"
#include "Parse.h"
#include "analysis/lower/Summarize.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudagraph;

namespace {

/// The number of different functions named launch, and of their classes.
std::pair<size_t, size_t> countLaunches(const char *Code) {
  auto Unit = unit::parse(Code);
  std::vector<UnitSummary> Units;
  Units.push_back(summarizeUnit(Unit->getASTContext(), "id", false));
  Program Linked(std::move(Units));
  std::vector<FunctionId> All;
  for (FunctionId F : Linked.collected())
    All.push_back(F);
  for (size_t I = 0; I < All.size(); ++I)
    if (const FlowGraph *G = Linked.graph(All[I]))
      for (const Block &B : G->Blocks)
        for (const Op &O : B.Ops)
          if (O.Callee != None && !llvm::is_contained(All, O.Callee))
            All.push_back(O.Callee);
  Likeness Alike(Linked, All, [&](FunctionId F) {
    return llvm::StringRef(Linked.info(F).Name).starts_with("cuda");
  });
  std::vector<FunctionId> Launches;
  std::vector<uint64_t> Classes;
  for (FunctionId F : All)
    if (Linked.info(F).Name == "launch" && Linked.graph(F)) {
      Launches.push_back(F);
      if (!llvm::is_contained(Classes, Alike.of(F)))
        Classes.push_back(Alike.of(F));
    }
  return {Launches.size(), Classes.size()};
}

using Counts = std::pair<size_t, size_t>;

TEST(Likeness, NumbersMakeNoDifference) {
  // The numbers may or may not equal other constants in the body.
  EXPECT_EQ(
      countLaunches("template <int N> __global__ void kernel(float *);\n"
                    "template <int N> void launch(float *x, cudaStream_t s) {\n"
                    "  int blocks = 2;\n"
                    "  kernel<N><<<blocks, N, 1, s>>>(x);\n"
                    "}\n"
                    "void all(float *x, cudaStream_t s) {\n"
                    "  launch<1>(x, s); launch<2>(x, s); launch<3>(x, s);\n"
                    "}\n"),
      Counts(3, 1));
}

TEST(Likeness, BranchesAtCompileTimeDo) {
  EXPECT_EQ(countLaunches("template <int N> void launch(cudaStream_t s) {\n"
                          "  if constexpr (N > 2) cudaStreamSynchronize(s);\n"
                          "}\n"
                          "void all(cudaStream_t s) {\n"
                          "  launch<1>(s); launch<2>(s); launch<3>(s);\n"
                          "}\n"),
            Counts(3, 2));
}

TEST(Likeness, CalleesThatDifferDo) {
  // A specialization that is two calls deeper.
  EXPECT_EQ(countLaunches(
                "template <int N> void wait(cudaStream_t) {}\n"
                "template <> inline void wait<3>(cudaStream_t s) {\n"
                "  cudaStreamSynchronize(s);\n"
                "}\n"
                "template <int N> void middle(cudaStream_t s) { wait<N>(s); }\n"
                "template <int N> void launch(cudaStream_t s) {\n"
                "  middle<N>(s);\n"
                "}\n"
                "void all(cudaStream_t s) {\n"
                "  launch<1>(s); launch<2>(s); launch<3>(s);\n"
                "}\n"),
            Counts(3, 2));
}

TEST(Likeness, NumbersGivenToTheRuntimeDo) {
  EXPECT_EQ(countLaunches("template <cudaMemcpyKind K>\n"
                          "void launch(void *d, void *s, cudaStream_t st) {\n"
                          "  cudaMemcpyAsync(d, s, 4, K, st);\n"
                          "}\n"
                          "void all(void *d, void *s, cudaStream_t st) {\n"
                          "  launch<cudaMemcpyDeviceToDevice>(d, s, st);\n"
                          "  launch<cudaMemcpyDeviceToHost>(d, s, st);\n"
                          "}\n"),
            Counts(2, 2));
}

TEST(Likeness, PlacesDo) {
  EXPECT_EQ(countLaunches("namespace { void launch(cudaStream_t) {} }\n"
                          "void launch(int *, cudaStream_t) {}\n"
                          "void all(int *x, cudaStream_t s) {\n"
                          "  launch(s); launch(x, s);\n"
                          "}\n"),
            Counts(2, 2));
}

} // namespace
