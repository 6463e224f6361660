//===- ProgramTest.cpp - The meaning of a name in a linked program --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units consist of handwritten functions whose bodies are calls, so that a test
// specifies only their locations and callees.
//
//===----------------------------------------------------------------------===//

#include "analysis/program/Program.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace cudagraph;

namespace {

constexpr FunctionKey Main = 10, Helper = 20, Base = 30, Over = 40;

struct Body {
  FunctionKey Key;
  std::vector<FunctionKey> Calls;
  std::string Marks = ""; ///< distinguishes bodies
};

/// A unit of \p Bodies, whose source is \p File.
UnitSummary unitOf(const std::string &File, std::vector<Body> Bodies,
                   const std::string &Directory = "/p") {
  UnitSummary Unit;
  Unit.Id = Unit.MainFile = File;
  Unit.Directory = Directory;
  llvm::sort(Bodies,
             [](const Body &A, const Body &B) { return A.Key < B.Key; });
  std::vector<std::string> Bytes;
  for (const Body &B : Bodies) {
    FlowGraph G;
    G.Blocks.resize(1);
    for (unsigned I = 0; I < B.Calls.size(); ++I) {
      Op Call;
      Call.Kind = OpKind::Call;
      Call.Callee = I;
      G.Blocks[0].Ops.push_back(Call);
    }
    FunctionInfo Info;
    Info.Name = "f" + std::to_string(B.Key);
    Info.Signature = B.Marks;
    Info.HasBody = true;
    Bytes.push_back(encodeFunction(
        Info, &G, [&](FunctionId F) { return B.Calls[F]; },
        [](Span, bool) { return Site(); }));
  }
  auto Storage = std::make_shared<std::string>();
  for (const std::string &Each : Bytes)
    *Storage += Each;
  llvm::StringRef Rest(*Storage);
  for (auto [B, Each] : llvm::zip(Bodies, Bytes)) {
    SummaryEntry E;
    E.Key = B.Key;
    E.HasGraph = E.Collected = true;
    E.Bytes = Rest.take_front(Each.size());
    Rest = Rest.drop_front(Each.size());
    Unit.Order.push_back(Unit.Functions.size());
    Unit.Functions.push_back(E);
  }
  Unit.Storage = Storage;
  return Unit;
}

/// The unit that defines the callee of the first call in \p Key of \p Unit, or
/// -1.
int target(Program &P, FunctionKey Key, UnitIndex Unit) {
  for (FunctionId F : P.collected())
    if (P.key(F) == Key && P.unitOf(F) == Unit) {
      FunctionId Callee = P.graph(F)->Blocks[0].Ops[0].Callee;
      return Callee == None ? -1 : static_cast<int>(P.unitOf(Callee));
    }
  ADD_FAILURE() << "no such function";
  return -2;
}

Program link(std::vector<UnitSummary> Units) {
  return Program(std::move(Units));
}

TEST(Program, CallsWhatAnotherUnitDefines) {
  Program P = link(
      {unitOf("a.cu", {{Main, {Helper}}}), unitOf("b.cu", {{Helper, {}}})});
  EXPECT_EQ(target(P, Main, 0), 1);
  EXPECT_EQ(P.collected().size(), 2U);
}

TEST(Program, KnowsWhatNobodyDefines) {
  Program P = link({unitOf("a.cu", {{Main, {Helper}}})});
  EXPECT_EQ(target(P, Main, 0), -1);
}

TEST(Program, ReadsFreedBodiesAgain) {
  Program P = link({unitOf("a.cu", {{Main, {Helper, Base}}}),
                    unitOf("b.cu", {{Helper, {}}})});
  FunctionId F = P.collected()[0];
  auto Callees = [&] {
    std::vector<FunctionId> Result;
    for (const Op &O : P.graph(F)->Blocks[0].Ops)
      Result.push_back(O.Callee);
    return Result;
  };
  std::vector<FunctionId> Before = Callees();
  unsigned Size = P.size();
  P.freeGraphs(1 << 20);
  EXPECT_EQ(Callees(), Before);
  P.freeGraphs();
  EXPECT_TRUE(P.hasGraph(F));
  EXPECT_EQ(P.info(F).Name, "f10");
  EXPECT_EQ(Callees(), Before);
  EXPECT_EQ(P.size(), Size);
  EXPECT_EQ(Before[1], None);
  EXPECT_EQ(P.blocksIn(F), 1U);
  P.freeGraphs();
  unsigned Ops = 0;
  P.readGraph(F, [&](const FlowGraph &G) { Ops = G.Blocks[0].Ops.size(); });
  EXPECT_EQ(Ops, 2U);
  EXPECT_EQ(Callees(), Before);
}

TEST(Program, PrefersTheUnitsOwn) {
  Program P = link({unitOf("a.cu", {{Helper, {}, "1"}}),
                    unitOf("b.cu", {{Main, {Helper}}, {Helper, {}, "2"}})});
  EXPECT_EQ(target(P, Main, 1), 1);
}

TEST(Program, PrefersTheNearest) {
  Program P = link({unitOf("x/run.cu", {{Helper, {}, "1"}}),
                    unitOf("x/main.cu", {{Main, {Helper}, "1"}}),
                    unitOf("y/main.cu", {{Main, {Helper}, "2"}}),
                    unitOf("y/run.cu", {{Helper, {}, "2"}})});
  EXPECT_EQ(target(P, Main, 1), 0);
  EXPECT_EQ(target(P, Main, 2), 3);
}

TEST(Program, PrefersANeighbourToWhatStandsDeeper) {
  Program P = link({unitOf("examples/run.cu", {{Helper, {}, "1"}}),
                    unitOf("main.cu", {{Main, {Helper}}}),
                    unitOf("run.cu", {{Helper, {}, "2"}})});
  EXPECT_EQ(target(P, Main, 1), 2);
}

TEST(Program, ComparesPathsAndNotTheirSpelling) {
  Program P = link({unitOf("/p/x/run.cu", {{Helper, {}, "1"}}, "/q"),
                    unitOf("../y/run.cu", {{Helper, {}, "2"}}, "/p/x"),
                    unitOf("main.cu", {{Main, {Helper}}}, "/p/y")});
  EXPECT_EQ(target(P, Main, 2), 1);
}

TEST(Program, TakesTheFirstOfEquals) {
  Program P = link({unitOf("main.cu", {{Main, {Helper}}}),
                    unitOf("a.cu", {{Helper, {}, "1"}}),
                    unitOf("b.cu", {{Helper, {}, "2"}})});
  EXPECT_EQ(target(P, Main, 0), 1);
}

TEST(Program, MakesOneOfEqualDefinitions) {
  Program P =
      link({unitOf("a.cu", {{Helper, {}}}), unitOf("b.cu", {{Helper, {}}})});
  EXPECT_EQ(P.collected().size(), 1U);
  EXPECT_TRUE(P.sharesUnit(P.collected()[0], P.collected()[0]));
}

TEST(Program, KeepsEqualDefinitionsOfOtherDirectories) {
  // The same relative path refers to different files in the two directories.
  Program P = link({unitOf("a.cu", {{Helper, {}}}, "/p"),
                    unitOf("a.cu", {{Helper, {}}}, "/q")});
  EXPECT_EQ(P.collected().size(), 2U);
}

TEST(Program, GathersOverridesOfAllUnits) {
  UnitSummary B = unitOf("b.cu", {{Over, {}}});
  UnitSummary C = unitOf("c.cu", {{Over + 1, {}}});
  B.Overrides = {{Base, Over}};
  C.Overrides = {{Base, Over + 1}, {Base, Over + 2}}; // the last has no body
  Program P = link({unitOf("a.cu", {{Base, {}}}), B, C});
  for (FunctionId F : P.collected()) {
    if (P.key(F) != Base)
      continue;
    std::vector<FunctionKey> Keys;
    for (FunctionId O : P.info(F).Overrides)
      Keys.push_back(P.key(O));
    EXPECT_EQ(Keys, (std::vector<FunctionKey>{Over, Over + 1}));
  }
}

TEST(Program, TakesDamageForAFunctionWithoutBody) {
  UnitSummary A = unitOf("a.cu", {{Main, {}}});
  A.Functions[0].Bytes = A.Functions[0].Bytes.drop_back(3);
  Program P = link({A});
  EXPECT_EQ(P.graph(P.collected().at(0)), nullptr);
}

TEST(Program, MakesNolintPathsAbsolute) {
  UnitSummary A = unitOf("a.cu", {}), B = unitOf("b.cu", {});
  A.Nolint = {{"h.h", {{1, "// NOLINT"}}}};
  B.Nolint = {{"./h.h", {{1, "// NOLINT"}}}, {"/abs.h", {{2, "// NOLINT"}}}};
  Program P = link({A, B});
  std::vector<std::string> Files;
  for (const NolintLines &F : nolintOf(P.units()))
    Files.push_back(F.File);
  EXPECT_EQ(Files, (std::vector<std::string>{"/abs.h", "/p/h.h"}));
}

} // namespace
