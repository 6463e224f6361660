//===- ModelFixture.h - Models without a parse ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of one function with a trivial body, a state, and calls to
// catalogued functions that a test constructs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_TEST_MODELFIXTURE_H
#define CUDAGRAPH_TEST_MODELFIXTURE_H

#include "analysis/interpreter/ModelSet.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

namespace cudagraph::unit {

/// Returns the summary of a unit that defines only `root(cudaStream_t s)`.
inline UnitSummary rootOnly() {
  FunctionInfo Info;
  Info.Name = "root";
  Info.HasBody = true;
  FlowGraph G;
  G.Blocks.resize(2);
  G.Blocks[0].Succs.push_back({1, EdgeKind::Default, 0, false});
  G.Exit = 1;
  G.NumParams = 1;
  G.Vars.push_back({});
  G.Vars[0].Name = "s";
  G.Vars[0].IsStream = true;
  UnitSummary U;
  U.Id = U.MainFile = "a.cu";
  auto Storage = std::make_shared<const std::string>(encodeFunction(
      Info, &G, [](FunctionId) -> FunctionKey { return 1; },
      [](Span, bool) { return Site(); }));
  SummaryEntry E;
  E.Key = 1;
  E.HasGraph = E.Collected = true;
  E.Bytes = *Storage;
  U.Functions.push_back(E);
  U.Order.push_back(0);
  U.Storage = Storage;
  return U;
}

inline std::vector<UnitSummary> oneUnit() {
  std::vector<UnitSummary> Units;
  Units.push_back(rootOnly());
  return Units;
}

class ModelTest : public testing::Test, public Invoker {
protected:
  Program Table{oneUnit()};
  const catalogue::Catalogue &Known = catalogue::Catalogue::builtin();
  Relevance Rel{Table, Known};
  GraphShapes Shapes{Table, Rel};
  Walk W{Table, Rel, Known, Shapes, WalkLimits()};
  Domain &D = W.D;
  ModelSet Models{W, *this};
  Frame F;
  State S;
  std::vector<ValueId> Invoked; ///< what models had walked

  ModelTest() {
    F.Function = Table.collected().front();
    F.Graph = Table.graph(F.Function);
  }

  // Invoker.
  LocId evalPlace(const Frame &, ExprId, State &) override { return None; }
  States callValue(Frame &, const Op &, State After, ValueId Callable,
                   llvm::ArrayRef<ValueId>, FunctionId, ValueId) override {
    Invoked.push_back(Callable);
    return {std::move(After)};
  }
  States invokeCallables(Frame &, const Op &, State After,
                         llvm::ArrayRef<ValueId> Args) override {
    Invoked.insert(Invoked.end(), Args.begin(), Args.end());
    return {std::move(After)};
  }

  LocId variable(unsigned N) { return D.loc(LocKind::Var, N, F.Function); }
  LocId member(const char *Name) {
    return D.loc(LocKind::Field, 0, D.slot(Slot::This, F.Function), None, Name);
  }
  ValueId addressOf(LocId L) { return D.value(ValueKind::Addr, 0, L); }
  ValueId held(LocId L) { return read(D, S, L); }
  ValueId
  stream(unsigned N,
         catalogue::StreamKind Kind = catalogue::StreamKind::NonBlocking) {
    return D.value(ValueKind::Stream, N, None, static_cast<unsigned>(Kind));
  }

  /// Makes a call to \p Name with \p Args.
  Call make(const char *Name, std::vector<ValueId> Args, ValueId This = None) {
    const catalogue::Entry *E = Known.lookup(Name);
    EXPECT_TRUE(E) << Name;
    Ops.emplace_back();
    Op &O = Ops.back();
    O.Kind = OpKind::Call;
    O.Range.Begin = O.ResultIndex = Ops.size();
    O.Args.resize(Args.size());
    Infos.emplace_back().Name = Name;
    Given.push_back(std::move(Args));
    Call C(F, O, *E, F.Function, &Infos.back());
    C.This = This;
    C.Args = Given.back();
    return C;
  }

  /// Makes a call and lets all models apply it to S. \returns the result of the
  /// call; S is the only state after it.
  ValueId call(const char *Name, std::vector<ValueId> Args,
               ValueId This = None) {
    Call C = make(Name, std::move(Args), This);
    States After = Models.apply(C, S);
    EXPECT_EQ(After.size(), 1u) << Name;
    if (!After.empty())
      S = After.front();
    std::optional<unsigned> Result =
        S.Mem.lookup(D.loc(LocKind::Result, C.O.ResultIndex, F.Function));
    return Result ? *Result : None;
  }

  /// Begins a capture on \p Stream in global mode.
  CaptureId begin(ValueId Stream) {
    call("cudaStreamBeginCapture", {Stream, D.integer(0)});
    EXPECT_FALSE(S.Active.empty());
    return S.Active.empty() ? None : S.Active.back();
  }

  /// The facts of \p Kind.
  std::vector<const Fact *> facts(FactKind Kind) {
    std::vector<const Fact *> Found;
    for (const Fact &Each : W.Result.Facts)
      if (Each.Kind == Kind)
        Found.push_back(&Each);
    return Found;
  }

private:
  std::deque<Op> Ops;
  std::deque<FunctionInfo> Infos;
  std::deque<std::vector<ValueId>> Given;
};

} // namespace cudagraph::unit

#endif // CUDAGRAPH_TEST_MODELFIXTURE_H
