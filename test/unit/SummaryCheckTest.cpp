//===- SummaryCheckTest.cpp - Forged summaries ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A correct checksum proves nothing: each test changes a summary, writes it
// with its checksum, and loads it. Invalid contents are refused with the
// reason, and accepted contents can be analyzed.
//
//===----------------------------------------------------------------------===//

#include "analysis/ir/SummaryCheck.h"
#include "Parse.h"
#include "analysis/lower/Summarize.h"
#include "analysis/program/Program.h"
#include "catalogue/Catalogue.h"
#include "rules/Analyze.h"
#include "rules/Evaluate.h"
#include "llvm/ADT/STLExtras.h"
#include <random>

using namespace cudagraph;

namespace {

const char *const Sample =
    "struct Base { virtual void run(cudaStream_t); virtual ~Base(); };\n"
    "struct Derived : Base { void run(cudaStream_t) override {} };\n"
    "static void work(cudaStream_t s, int n) {\n"
    "  for (int i = 0; i < n; ++i) if (n % 2) cudaStreamSynchronize(s);\n"
    "}\n"
    "void (*table[])(cudaStream_t, int) = {work};\n"
    "void region(cudaStream_t s, float *x, Base *b, cudaGraph_t *g) {\n"
    "  static int calls = 0; ++calls;\n"
    "  int sizes[4] = {1, 2, 3, calls ? 4 : 5};\n"
    "  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) return;\n"
    "  k<<<sizes[1], 32, 0, s>>>(x);\n"
    "  auto f = [&] { b->run(s); table[calls](s, 3); };\n"
    "  f();\n"
    "  switch (calls) { case 1: work(s, -1); break; default: throw 1; }\n"
    "  cudaStreamEndCapture(s, g); // NOLINT(other)\n"
    "}\n";

/// A summary, and the parts of its functions.
struct Forgery {
  UnitSummary Unit;
  std::vector<std::string> Bytes; ///< of the functions

  explicit Forgery(const std::string &Code = Sample) {
    auto Parsed = unit::parse(Code);
    Unit = summarizeUnit(Parsed->getASTContext(), "id", false);
    Unit.Directory = "/dir";
    for (const SummaryEntry &E : Unit.Functions)
      Bytes.push_back(E.Bytes.str());
  }

  /// Changes the function named \p Name.
  template <typename Fn> void change(llvm::StringRef Name, Fn Change) {
    bool Found = false;
    for (unsigned I = 0; I < Bytes.size(); ++I) {
      std::vector<FunctionKey> Keys;
      std::vector<Site> Sites = decodeSites(Bytes[I]);
      FunctionInfo Info;
      std::unique_ptr<FlowGraph> Graph;
      ASSERT_TRUE(decodeFunction(
          Bytes[I], Info, Graph,
          [&](FunctionKey K) -> FunctionId {
            Keys.push_back(K);
            return Keys.size() - 1;
          },
          [](size_t) { return 1; }));
      if (Info.Name != Name)
        continue;
      ASSERT_FALSE(Found);
      Found = true;
      Change(*Graph, Keys);
      Bytes[I] = encodeFunction(
          Info, Graph.get(),
          [&](FunctionId F) { return F < Keys.size() ? Keys[F] : 77; },
          [&](Span S, bool) {
            return S.Begin <= Sites.size() ? Sites[S.Begin - 1] : Site();
          });
    }
    ASSERT_TRUE(Found) << Name.str();
  }

  std::string write() {
    for (auto [E, B] : llvm::zip(Unit.Functions, Bytes))
      E.Bytes = B;
    return encodeSummary(Unit);
  }
  /// The error in the changed summary.
  std::string fault(CheckedFunctions *Checked = nullptr) {
    llvm::Expected<UnitSummary> Read = decodeSummary(write(), Checked);
    return Read ? "" : llvm::toString(Read.takeError());
  }
};

/// The error after \p Change of `region`.
template <typename Fn> std::string faultAfter(Fn Change) {
  Forgery F;
  F.change("region",
           [&](FlowGraph &G, std::vector<FunctionKey> &) { Change(G); });
  return F.fault();
}

/// The first expression of kind \p K.
Expr &firstOf(FlowGraph &G, ExprKind K) {
  auto It = llvm::find_if(G.Exprs, [&](const Expr &E) { return E.Kind == K; });
  EXPECT_NE(It, G.Exprs.end());
  return *It;
}
Op &firstOf(FlowGraph &G, OpKind K) {
  for (Block &B : G.Blocks)
    for (Op &O : B.Ops)
      if (O.Kind == K && (K != OpKind::Call || !O.Args.empty()))
        return O;
  ADD_FAILURE() << "no such operation";
  static Op None;
  return None;
}

testing::AssertionResult says(const std::string &Fault, const char *Part) {
  if (Fault.find("is damaged: ") == 0 && Fault.find(Part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << Fault << '"';
}

TEST(SummaryCheck, AcceptsWhatLoweringYields) {
  EXPECT_EQ(Forgery().fault(), "");
  EXPECT_EQ(faultAfter([](FlowGraph &G) { EXPECT_EQ(faultIn(G), ""); }), "");
}

TEST(SummaryCheck, AcceptsEveryKindOfOperation) {
  // OpKind::Unparsed is the last kind.
  EXPECT_EQ(faultAfter([](FlowGraph &G) {
              G.Blocks[0].Ops.emplace_back().Kind = OpKind::Unparsed;
            }),
            "");
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     G.Blocks[0].Ops.emplace_back().Kind =
                         static_cast<OpKind>(unsigned(OpKind::Unparsed) + 1);
                   }),
                   "has a body that cannot be read"));
}

TEST(SummaryCheck, RefusesExpressionsThatCannotBe) {
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     Expr &E = firstOf(G, ExprKind::Load);
                     E.A = &E - &G.Exprs[0]; // a cycle of one
                   }),
                   "which does not come before it"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, ExprKind::Load).A = G.Exprs.size() + 5;
                   }),
                   "which does not come before it"));
  EXPECT_TRUE(says(
      faultAfter([](FlowGraph &G) { firstOf(G, ExprKind::Load).A = None; }),
      "has the wrong operands"));
  EXPECT_TRUE(
      says(faultAfter([](FlowGraph &G) { firstOf(G, ExprKind::Int).B = 0; }),
           "has the wrong operands"));
  EXPECT_TRUE(
      says(faultAfter([](FlowGraph &G) { firstOf(G, ExprKind::Var).N = 99; }),
           "is variable 99"));
  EXPECT_TRUE(
      says(faultAfter([](FlowGraph &G) { firstOf(G, ExprKind::Var).N = -1; }),
           "is variable -1"));
  EXPECT_TRUE(says(
      faultAfter([](FlowGraph &G) { firstOf(G, ExprKind::Result).N = 9999; }),
      "is the result of call 9999"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     G.Exprs.push_back(
                         {static_cast<ExprKind>(200), None, None, None, 0, {}});
                   }),
                   "has a body that cannot be read"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     G.Exprs.push_back({ExprKind::Function,
                                        None,
                                        None,
                                        None,
                                        static_cast<int64_t>(None),
                                        {}});
                   }),
                   "is a function without a name"));
}

TEST(SummaryCheck, BoundsExpressions) {
  auto Chain = [](unsigned Length, bool Twice) {
    return faultAfter([&](FlowGraph &G) {
      for (unsigned I = 0; I < Length; ++I) {
        ExprId Last = G.Exprs.size() - 1;
        G.Exprs.push_back({ExprKind::Op, I ? Last : 0, I && Twice ? Last : None,
                           None, 0, Twice ? "+" : "!"});
      }
    });
  };
  EXPECT_EQ(Chain(MaxExprDepth - 10, false), "");
  EXPECT_TRUE(says(Chain(MaxExprDepth + 1, false), "is too large"));
  EXPECT_EQ(Chain(10, true), "");
  // Shared parts would cause two to the power of 60 visits.
  EXPECT_TRUE(says(Chain(60, true), "is too large"));
}

TEST(SummaryCheck, LoweringKeepsTheBounds) {
  std::string Sum = "a", Table = "void f(int); void (*const t[])(int) = {f";
  for (unsigned I = 0; I < 3000; ++I) {
    Sum += " + a";
    Table += ", f";
  }
  Forgery F("int sum(int a) { return " + Sum + "; }\n" + Table +
            "};\nvoid call(int a) { t[a](a); }\n");
  EXPECT_EQ(F.fault(), "");
}

TEST(SummaryCheck, RefusesBlocksThatCannotBe) {
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) { G.Exit = G.Blocks.size(); }),
                   "there is no exit"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     G.Exprs.clear();
                     G.Blocks.clear();
                     G.Exit = 0;
                   }),
                   "there is no exit"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     for (Block &B : G.Blocks)
                       for (Edge &E : B.Succs)
                         E.To = 1000;
                   }),
                   "leads to block 1000"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     for (Block &B : G.Blocks)
                       for (Edge &E : B.Succs)
                         E.When = static_cast<EdgeKind>(7);
                   }),
                   "a body that cannot be read"));
  EXPECT_TRUE(
      says(faultAfter([](FlowGraph &G) { G.Blocks[0].Cond = G.Exprs.size(); }),
           "the condition of block 0 does not exist"));
  EXPECT_TRUE(
      says(faultAfter([](FlowGraph &G) { G.NumParams = G.Vars.size() + 1; }),
           "more parameters than variables"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) { G.LiveResults.clear(); }),
                   "calls and 0 results"));
}

TEST(SummaryCheck, RefusesOperationsThatCannotBe) {
  auto Without = [](OpKind K, ExprId Op::*Part) {
    return faultAfter([&](FlowGraph &G) { firstOf(G, K).*Part = None; });
  };
  EXPECT_TRUE(says(Without(OpKind::Assign, &Op::Place), "lacks an operand"));
  EXPECT_TRUE(says(Without(OpKind::Assign, &Op::Value), "lacks an operand"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Assign).Value = G.Exprs.size();
                   }),
                   "refers to an expression that does not exist"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Call).Object = G.Exprs.size();
                   }),
                   "refers to an expression that does not exist"));
  EXPECT_TRUE(says(
      faultAfter([](FlowGraph &G) { firstOf(G, OpKind::Call).Callee = None; }),
      "calls no function"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Call).ResultIndex = 5000;
                   }),
                   "is call 5000"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Call).Args[0].Value = None;
                   }),
                   "has an impossible argument"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Call).Args[0].Sort = 99;
                   }),
                   "has an impossible argument"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Call).How = static_cast<Dispatch>(9);
                   }),
                   "has a body that cannot be read"));
  EXPECT_TRUE(says(faultAfter([](FlowGraph &G) {
                     firstOf(G, OpKind::Assign).Kind = static_cast<OpKind>(50);
                   }),
                   "has a body that cannot be read"));
}

TEST(SummaryCheck, RefusesUnitsThatCannotBe) {
  {
    Forgery F;
    std::swap(F.Unit.Functions[0].Key, F.Unit.Functions[1].Key);
    EXPECT_TRUE(says(F.fault(), "is out of order"));
  }
  {
    Forgery F;
    F.Unit.Functions.back().Key = ~FunctionKey(0);
    EXPECT_TRUE(says(F.fault(), "is out of order"));
  }
  {
    Forgery F;
    F.change("region", [](FlowGraph &, std::vector<FunctionKey> &Keys) {
      Keys[0] = 12345;
    });
    EXPECT_TRUE(
        says(F.fault(), "refers to a function that is not in the summary"));
  }
  {
    Forgery F;
    for (SummaryEntry &E : F.Unit.Functions)
      E.HasGraph = true;
    EXPECT_TRUE(says(F.fault(), "lacks its body"));
  }
  {
    Forgery F;
    F.Unit.Order.push_back(F.Unit.Functions.size());
    EXPECT_TRUE(says(F.fault(), "does not exist"));
  }
  {
    Forgery F;
    F.Unit.Overrides.push_back({~FunctionKey(0), 1});
    EXPECT_TRUE(says(F.fault(), "an overridden function has no name"));
  }
  {
    Forgery F;
    Registration R;
    R.Name = "op";
    R.Function = 12345;
    F.Unit.Registrations.push_back(R);
    EXPECT_TRUE(says(F.fault(), "the registration of 'op'"));
  }
  {
    Forgery F;
    F.Bytes[0] += 'x';
    EXPECT_TRUE(says(F.fault(), "cannot be read"));
  }
}

TEST(SummaryCheck, BoundsLinesWithDirectives) {
  Forgery F;
  ASSERT_EQ(F.Unit.Nolint.size(), 1U);
  auto &Lines = F.Unit.Nolint[0].Lines;
  unsigned Last = Lines.back().first;
  Lines.back().first = 4'000'000'000;
  EXPECT_TRUE(says(F.fault(), "too many lines with NOLINT"));
  Lines.back().first = 0;
  EXPECT_TRUE(says(F.fault(), "out of order"));
  Lines.back().first = Last;
  F.Unit.Nolint[0].File = "";
  EXPECT_TRUE(says(F.fault(), "has no name"));
}

TEST(SummaryCheck, BoundsTexts) {
  // A hundred uses of one text of a megabyte.
  Forgery F;
  F.change("region", [](FlowGraph &G, std::vector<FunctionKey> &) {
    G.Vars.resize(100);
    for (LocalVar &V : G.Vars)
      V.Name.assign(1 << 20, 'x');
  });
  EXPECT_TRUE(says(F.fault(), "has a body that cannot be read"));
}

/// Analyzes the summary in \p Bytes.
void analyze(UnitSummary Unit) {
  std::vector<UnitSummary> Units;
  Units.push_back(std::move(Unit));
  Program Linked(std::move(Units));
  UnitSettings Settings;
  Settings.Known = &catalogue::Catalogue::builtin();
  Settings.Analysis.Roots = "stream-param";
  (void)analyzeProgram(Linked, Settings);
  (void)nolintOf(Linked.units());
}

TEST(SummaryCheck, FunctionsOfOtherUnitsAreOnlyReadOnce) {
  CheckedFunctions Checked;
  Forgery Whole;
  EXPECT_EQ(Whole.fault(&Checked), "");
  EXPECT_EQ(Whole.fault(&Checked), "");
  // Data that depends on the unit is checked again.
  Forgery Body;
  Body.Unit.Functions.front().HasGraph = !Body.Unit.Functions.front().HasGraph;
  EXPECT_EQ(Body.fault(), Body.fault(&Checked));
  EXPECT_NE(Body.fault(&Checked), "");
  Forgery Fewer;
  Fewer.Unit.Order.clear();
  Fewer.Unit.Functions.pop_back();
  Fewer.Bytes.pop_back();
  EXPECT_TRUE(says(Fewer.fault(&Checked), "not in the summary"));
  // Units share the memory of equal functions.
  llvm::Expected<UnitSummary> First = decodeSummary(Whole.write(), &Checked);
  llvm::Expected<UnitSummary> Second = decodeSummary(Whole.write(), &Checked);
  ASSERT_TRUE(First && Second);
  for (auto [A, B] : llvm::zip_equal(First->Functions, Second->Functions))
    EXPECT_EQ(A.Bytes.data(), B.Bytes.data());
  EXPECT_EQ(encodeSummary(*First), Whole.write());
  // An invalid function is not remembered.
  Forgery Invalid;
  Invalid.change("region", [](FlowGraph &G, std::vector<FunctionKey> &) {
    G.Exit = G.Blocks.size();
  });
  EXPECT_TRUE(says(Invalid.fault(&Checked), "there is no exit"));
  EXPECT_TRUE(says(Invalid.fault(&Checked), "there is no exit"));
}

TEST(SummaryCheck, WhatIsAcceptedCanBeAnalyzed) {
  Forgery Whole;
  std::mt19937 Random(1);
  auto Below = [&](size_t N) {
    return std::uniform_int_distribution<size_t>(0, N - 1)(Random);
  };
  unsigned Accepted = 0;
  for (unsigned Try = 0; Try < 1500; ++Try) {
    Forgery F = Whole;
    std::string &Bytes = F.Bytes[Below(F.Bytes.size())];
    for (size_t Changes = 1 + Below(3); Changes && !Bytes.empty(); --Changes)
      Bytes[Below(Bytes.size())] = Below(2) ? Below(256) : Below(8);
    llvm::Expected<UnitSummary> Read = decodeSummary(F.write());
    if (!Read) {
      llvm::consumeError(Read.takeError());
      continue;
    }
    ++Accepted;
    analyze(std::move(*Read));
  }
  EXPECT_GT(Accepted, 100U);
}

TEST(RootResults, AreRefusedIfTheyCannotBe) {
  RootResult Result;
  Region &R = Result.Regions.emplace_back();
  R.Id = 1;
  Finding &F = Result.Findings.emplace_back();
  F.Check = "cudagraph-sync-call";
  F.Regions = {1};
  auto Accepted = [&] {
    return decodeResult(encodeResult(Result)).has_value();
  };
  EXPECT_TRUE(Accepted());
  F.Regions = {2};
  EXPECT_FALSE(Accepted());
  F.Regions = {};
  EXPECT_FALSE(Accepted());
  F.Regions = {1};
  F.Check = "cudagraph-none";
  EXPECT_FALSE(Accepted());
  F.Check = "cudagraph-sync-call";
  R.Id = 7;
  EXPECT_FALSE(Accepted());
  R.Id = 1;
  R.Root = static_cast<RootKind>(77);
  EXPECT_FALSE(Accepted());
  R.Root = RootKind::Wrapper;
  F.Sure = static_cast<Confidence>(77);
  EXPECT_FALSE(Accepted());
}

} // namespace
