//===- Exclusions.cpp - Tests that exclude a capture ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests that a search excludes where a capture begins, and those that hold
// where a call is executed. See Vetting.h.
//
//===----------------------------------------------------------------------===//

#include "CountedLoops.h"
#include "PathSearch.h"
#include "Vetting.h"
#include "analysis/ir/ExprParts.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Bound on the blocks of a function whose tests are compared.
static constexpr unsigned MaxBlocks = 400;

/// Returns true if every path of \p G to block \p To last leaves block \p At by
/// an edge other than \p Not.
static bool leadsOnlyPast(const FlowGraph &G, unsigned At, EdgeKind Not,
                          unsigned To) {
  bool Reached = false, Other = false;
  auto Sets = [](const Op &) { return true; };
  auto Takes = [&](unsigned From, const Edge &E,
                   int Mark) -> std::optional<int> {
    if (From == At)
      Mark = E.When == Not ? 1 : 2;
    if (E.To == To) {
      Reached = true;
      Other |= Mark != 2;
    }
    return Other ? std::nullopt : std::optional(Mark);
  };
  return visitPaths(G, 0, 0, {}, {Sets, Takes}) && Reached && !Other;
}

/// Returns the blocks of \p G from which some path leads to block \p To.
static llvm::BitVector blocksBefore(const FlowGraph &G, unsigned To) {
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs)
      Preds[E.To].push_back(B);
  llvm::BitVector Result(G.Blocks.size());
  std::vector<unsigned> Work{To};
  Result.set(To);
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    for (unsigned From : Preds[B])
      if (!Result.test(From)) {
        Result.set(From);
        Work.push_back(From);
      }
  }
  return Result;
}

const std::vector<TestSet> &Vetting::excludedBefore(FunctionId F, unsigned X) {
  auto [It, New] = Excluded.try_emplace({F, X});
  if (!New || !Table.hasGraph(F) || Table.blocksIn(F) > MaxBlocks)
    return It->second;
  TestedGraph S(Table, F);
  const llvm::BitVector Leads = blocksBefore(S.G, X);
  std::vector<TestSet> Result;
  auto Add = [&](llvm::ArrayRef<TestSet> Lists, const TestSet &Given) {
    auto OfElement = [](const Test &Each) {
      return llvm::StringRef(Each.first).contains('*');
    };
    for (TestSet T : Lists) {
      for (const Test &Each : Given)
        T.erase(Each);
      size_t Size = T.size();
      bool Some = llvm::any_of(T, OfElement);
      // No test in the capture can repeat that of a parameter.
      if (T = ElementTests::ofAnyObject(T); Some && T.size() == Size)
        Result.push_back(T);
    }
  };
  for (unsigned B = 0; B < S.G.Blocks.size(); ++B) {
    const Block &At = S.G.Blocks[B];
    if (At.Cond == None || At.Succs.size() < 2 || isLoopHead(S.G, B))
      continue;
    // These tests hold on all paths through the block.
    TestSet Here;
    if (loopsAround(S.G, B).empty())
      if (Cases Before = casesBefore(S, B, {}, MaxLevels);
          Before.Any.size() == 1)
        Here = Before.Any[0];
    auto OnSigns = [&](int64_t Key, const Signs &Of) {
      for (const auto &[Value, Lists] : Of) {
        std::optional<int64_t> Side = foldSign(S.G, At.Cond, Key, Value);
        std::set<int64_t> Others{0, 1, -1};
        anyPart(S.G, At.Cond, [&](const Expr &Part) {
          if (Part.Kind == ExprKind::Int)
            Others.insert({Part.N, Part.N + 1});
          return false;
        });
        bool Decides = Side && llvm::any_of(Others, [&](int64_t Other) {
                         return fold(S.G, At.Cond, {{Key, Other}}).value_or(0)
                                    ? !*Side
                                    : *Side != 0;
                       });
        if (Decides &&
            leadsOnlyPast(S.G, B, *Side ? EdgeKind::True : EdgeKind::False, X))
          Add(Lists, Here);
      }
    };
    anyPart(S.G, At.Cond, [&](const Expr &Part) {
      const SignsOf &Own = signsIn(F, MaxLevels);
      if (Part.Kind == ExprKind::Var)
        if (auto Signs = Own.find(Part.N); Signs != Own.end())
          OnSigns(Part.N, Signs->second);
      if (const Op *Call =
              Part.Kind == ExprKind::Result ? S.E.call(Part.N) : nullptr)
        OnSigns(resultKey(Part.N), signsOfCall(S.E, *Call, MaxLevels));
      if (Part.Kind == ExprKind::Field || Part.Kind == ExprKind::Global)
        OnSigns(placeKey(&Part - S.G.Exprs.data()),
                signsOfMember(Part.S, MaxLevels));
      return false;
    });
    // The search itself leaves the function.
    if (loopsAround(S.G, B).empty())
      continue;
    for (const Edge &E : At.Succs)
      if (Leads.test(B) && !Leads.test(E.To)) {
        Cases Found = casesOn(S, B, E, MaxLevels);
        Found.restrict(casesBefore(S, B, {}, MaxLevels));
        Add(Found.Any, {});
      }
  }
  return It->second = std::move(Result);
}

void Vetting::eachAt(FunctionId F, unsigned At,
                     llvm::function_ref<void(const Cases &)> Visit) {
  auto [It, New] = Holding.try_emplace(F);
  Held &Known = It->second;
  if (Table.blocksIn(F) > MaxBlocks)
    return;
  if (New) {
    TestedGraph S(Table, F);
    for (unsigned B = 0; B < S.G.Blocks.size(); ++B) {
      Known.Above.push_back(S.above(B));
      if (!B || isLoopHead(S.G, B))
        continue;
      Cases Here = S.casesInto(B, [&](unsigned From, const Edge &Each) {
        return isLoopHead(S.G, From) ? Cases::of({}) : S.E.casesOn(From, Each);
      });
      for (TestSet &T : Here.Any)
        T = ElementTests::ofAnyObject(T);
      if (Here.Complete && !Here.Any.empty() && !Here.hasNothing())
        Known.At.emplace(B, std::move(Here));
    }
  }
  for (unsigned B = At; B != None && B; B = Known.Above[B])
    if (auto Here = Known.At.find(B); Here != Known.At.end())
      Visit(Here->second);
}

TestSet Vetting::holdsInClassOf(FunctionId F, llvm::ArrayRef<TestSet> Lists) {
  TestSet Result;
  std::vector<std::string> Classes{Table.info(F).Class};
  llvm::append_range(Classes, Table.info(F).Bases);
  for (const TestSet &T : Lists)
    for (const Test &Each : T) {
      llvm::StringRef Text = Each.first;
      FunctionId Predicate = None;
      if (!Text.consume_front("(call ") || Text.consumeInteger(10, Predicate) ||
          Table.info(Predicate).Overrides.empty())
        continue;
      std::vector<FunctionId> All = Rel.overridersOf(Predicate);
      All.push_back(Predicate);
      for (const std::string &Class : Classes) {
        auto Own = llvm::find_if(
            All, [&](FunctionId O) { return Table.info(O).Class == Class; });
        if (Own == All.end())
          continue;
        if (Table.hasGraph(*Own)) {
          const FlowGraph &G = *Table.graph(*Own);
          std::optional<int64_t> Value;
          for (const Block &B : G.Blocks)
            for (const Op &O : B.Ops)
              if (O.Kind == OpKind::Return && O.Value != None &&
                  G.Exprs[O.Value].Kind == ExprKind::Int)
                Value = G.Exprs[O.Value].N;
          if (Value && G.Blocks.size() <= 3)
            Result.insert({Each.first, *Value != 0});
        }
        break;
      }
    }
  return Result;
}

} // namespace cudagraph
