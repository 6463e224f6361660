//===- Vetting.cpp - Elements that exclude a capture ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signs by which a program recognizes elements that it does not capture:
// return values, flags, counts, and members. See Vetting.h.
//
//===----------------------------------------------------------------------===//

#include "Vetting.h"
#include "CountedLoops.h"
#include "KeyShapes.h"
#include "PathSearch.h"
#include "analysis/ir/ExprParts.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Role;

void Vetting::addTo(Signs &To, int64_t Value, const Cases &All) const {
  constexpr size_t MaxSigns = 32;
  for (const TestSet &T : All.Any)
    if (auto &List = To[Value];
        !T.empty() && List.size() < MaxSigns && !llvm::is_contained(List, T))
      List.push_back(T);
}

llvm::ArrayRef<int64_t> Vetting::examplesOf(const int64_t &Sign) {
  static constexpr int64_t Some[] = {1, 2, 3, -1};
  if (Sign == NotZero)
    return Some;
  return Sign == Positive ? llvm::ArrayRef(Some).drop_back()
                          : llvm::ArrayRef(Sign);
}

std::optional<int64_t> Vetting::foldSign(const FlowGraph &G, ExprId E,
                                         int64_t Key, int64_t Sign) {
  std::set<int64_t> Values;
  for (int64_t Each : examplesOf(Sign)) {
    std::optional<int64_t> N = fold(G, E, {{Key, Each}});
    if (!N)
      return std::nullopt;
    Values.insert(*N);
  }
  if (Values.size() == 1)
    return *Values.begin();
  if (Values.count(0))
    return std::nullopt;
  return *Values.begin() > 0 ? Positive : NotZero;
}

/// Returns the value of the argument \p A, without the variables through which
/// it is passed.
static ExprId sourceOf(const ElementTests &E, const CallArg &A) {
  ExprId Value = A.Value;
  for (unsigned Steps = 0; Steps < 4 && Value != None; ++Steps) {
    const Expr &X = E.G.Exprs[Value];
    if ((X.Kind != ExprKind::Load && X.Kind != ExprKind::AddrOf) ||
        E.G.Exprs[X.A].Kind != ExprKind::Var)
      return Value;
    Value = E.onlyValueOf(E.G.Exprs[X.A].N);
  }
  return Value;
}

/// Returns the signs in the result of \p O, a call to a function of the
/// standard library that searches a range for elements that meet a predicate.
Vetting::Signs Vetting::signsOfSearch(const ElementTests &E, const Op &O,
                                      unsigned Levels) {
  Signs Result;
  auto CallIn = [&](const CallArg &A) {
    ExprId Value = sourceOf(E, A);
    return Value != None && E.G.Exprs[Value].Kind == ExprKind::Result
               ? E.call(E.G.Exprs[Value].N)
               : nullptr;
  };
  auto Has = [&](const Op &Call, Role R) {
    return Call.Callee != None && Rel.rolesOf(Call.Callee).has(R);
  };
  // The result for which the predicate has been true, or false.
  std::optional<std::pair<int64_t, bool>> Says;
  const Op *Search = &O;
  llvm::StringRef Name = Table.info(O.Callee).Name;
  if (Has(O, Role::FindsAny))
    Says = {Positive, true};
  else if (Has(O, Role::FindsNone))
    Says = {0, true};
  else if (Has(O, Role::FindsAll))
    Says = {0, false};
  else if (isComparison(Name))
    // The found element is compared with the end.
    for (const CallArg &A : O.Args)
      if (const Op *Found = CallIn(A);
          Found && Has(*Found, Role::FindsElement)) {
        Says = {Name.ends_with("!=") ? NotZero : 0, true};
        Search = Found;
      }
  if (!Says)
    return Result;
  FunctionId Predicate = None;
  for (CallArg A : Search->Args) {
    if (const Op *Made = CallIn(A); Made && Has(*Made, Role::WrapsMember))
      A = Made->Args.front();
    ExprId Value = sourceOf(E, A);
    if (Value != None && (E.G.Exprs[Value].Kind == ExprKind::Closure ||
                          E.G.Exprs[Value].Kind == ExprKind::Function))
      Predicate = E.G.Exprs[Value].N;
  }
  if (Predicate == None || !Table.hasGraph(Predicate))
    return Result;
  const SignsOf &Inner = signsIn(Predicate, Levels - 1);
  if (auto It = Inner.find(OfReturn); It != Inner.end())
    for (const auto &[Value, Lists] : It->second)
      if ((Value != 0) == Says->second)
        for (const TestSet &T : Lists)
          Result[Says->first].push_back(ElementTests::ofAnyObject(T));
  return Result;
}

/// Returns the signs in the result of the call \p O.
Vetting::Signs Vetting::signsOfCall(const ElementTests &E, const Op &O,
                                    unsigned Levels) {
  Signs Result;
  if (!Levels || O.Callee == None || O.How == Dispatch::Indirect)
    return Result;
  if (Table.info(O.Callee).IsSystem)
    return signsOfSearch(E, O, Levels);
  if (!Table.hasGraph(O.Callee) ||
      (O.How == Dispatch::Virtual && !Table.info(O.Callee).Overrides.empty()))
    return Result;
  const SignsOf &Inner = signsIn(O.Callee, Levels - 1);
  if (auto It = Inner.find(OfReturn); It != Inner.end())
    for (const auto &[Value, Lists] : It->second)
      for (const TestSet &T : Lists)
        Result[Value].push_back(E.inCaller(T, O));
  return Result;
}

int64_t Vetting::memberKey(const std::string &Name) {
  constexpr int64_t First = -(int64_t(1) << 40);
  return Members.try_emplace(Name, First - Members.size()).first->second;
}

/// Returns the signs in the member or global \p Name, if it determines whether
/// a capture begins, in the functions that set it.
Vetting::Signs Vetting::signsOfMember(const std::string &Name,
                                      unsigned Levels) {
  Signs Result;
  const WriteSummary *W = Rel.writes(Name);
  if (!Levels || !W || !W->IsKey)
    return Result;
  std::set<FunctionId> Setters(W->Resets.begin(), W->Resets.end());
  Setters.insert(W->Writers.begin(), W->Writers.end());
  constexpr size_t MaxSetters = 8;
  if (Setters.size() > MaxSetters)
    return Result;
  for (FunctionId F : Setters) {
    const SignsOf &In = signsIn(F, Levels - 1);
    if (auto It = In.find(memberKey(Name)); It != In.end())
      for (const auto &[Value, Lists] : It->second)
        for (const TestSet &T : Lists) {
          // The element is often a parameter: it is being added.
          TestSet OfElement = ElementTests::ofAnyObject(T, /*KeepThis=*/true);
          if (OfElement.size() == T.size())
            Result[Value].push_back(std::move(OfElement));
        }
  }
  return Result;
}

/// Returns what holds on \p Each, an edge from block \p From, including the
/// signs in the result of a call that the condition tests.
Cases Vetting::casesOn(const TestedGraph &S, unsigned From, const Edge &Each,
                       unsigned Levels) {
  Cases Result = S.E.casesOn(From, Each);
  ExprId Cond = S.G.Blocks[From].Cond;
  bool Truth = Each.When == EdgeKind::True;
  if (Cond == None || (!Truth && Each.When != EdgeKind::False))
    return Result;
  while (S.G.Exprs[Cond].Kind == ExprKind::Op && S.G.Exprs[Cond].S == "!") {
    Cond = S.G.Exprs[Cond].A;
    Truth = !Truth;
  }
  const Op *O = S.G.Exprs[Cond].Kind == ExprKind::Result
                    ? S.E.call(S.G.Exprs[Cond].N)
                    : nullptr;
  if (O)
    for (const auto &[Value, Lists] : signsOfCall(S.E, *O, Levels))
      if ((Value != 0) == Truth)
        Result.add({Lists, true});
  return Result;
}

/// Returns tests of which each list leads to block \p At. Blocks in \p Alike
/// have the same meaning as \p At; \p Flag, if not None, is the place that it
/// sets.
Cases Vetting::casesBefore(const TestedGraph &S, unsigned At,
                           const std::set<unsigned> &Alike, unsigned Levels,
                           ExprId Flag) {
  Cases Result = Cases::of({});
  auto Loops = loopsAround(S.G, At);
  auto OnEdge = [&](unsigned From, const Edge &Each) {
    const Block &B = S.G.Blocks[From];
    // The loop continues to the element, or no earlier test has answered.
    bool Answered = llvm::any_of(B.Succs, [&](const Edge &Other) {
      return &Other != &Each && Alike.count(Other.To);
    });
    bool OfFlag = Flag != None && anyPart(S.G, B.Cond, [&](const Expr &E) {
                    return E.Kind == ExprKind::Load && E.A == Flag;
                  });
    if (B.Cond == None || isLoopHead(S.G, From) || Answered || OfFlag)
      return Cases::of({});
    Cases Here = casesOn(S, From, Each, Levels);
    bool Leaves = llvm::any_of(Loops, [&](const LoopRange &L) {
      return From >= L.Head && From <= L.Last &&
             llvm::any_of(B.Succs, [&](const Edge &Other) {
               return Other.To > L.Last || Other.To < L.Head;
             });
    });
    return Here.Any.empty() && Leaves ? Cases::of({}) : Here;
  };
  for (unsigned B = At; B != None && B; B = S.above(B)) {
    if (isLoopHead(S.G, B))
      continue;
    Cases Here = S.casesInto(B, OnEdge);
    if (!Here.hasNothing())
      Result.restrict(Here);
  }
  return Result;
}

/// Adds what \p O, in block \p At, says by setting a variable or returning.
void Vetting::addSigns(const TestedGraph &S, unsigned At, const Op &O,
                       SignsOf &To, unsigned Levels) {
  const FlowGraph &G = S.G;
  bool Sets =
      (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) && O.Place != None;
  if ((!Sets && O.Kind != OpKind::Return) || O.Value == None)
    return;
  int64_t Carrier = OfReturn;
  if (Sets && G.Exprs[O.Place].Kind == ExprKind::Var)
    Carrier = G.Exprs[O.Place].N;
  else if (const std::string *Name = Sets ? writeKey(G, O.Place) : nullptr)
    Carrier = memberKey(*Name);
  else if (Sets)
    return;
  const Expr &V = G.Exprs[O.Value];
  // Blocks that say the same.
  std::set<unsigned> Alike;
  for (unsigned B = 0; B < G.Blocks.size() && V.Kind == ExprKind::Int; ++B)
    for (const Op &Other : G.Blocks[B].Ops)
      if (Other.Kind == O.Kind && (!Sets || Other.Place == O.Place) &&
          Other.Value != None && G.Exprs[Other.Value].Kind == ExprKind::Int &&
          G.Exprs[Other.Value].N == V.N)
        Alike.insert(B);
  Cases Before = casesBefore(S, At, Alike, Levels, Sets ? O.Place : None);
  if (Before.Any.empty())
    return;
  auto Say = [&](int64_t Value, Cases Here) {
    Here.restrict(Before);
    addTo(To[Carrier], Value, Here);
  };
  if (V.Kind == ExprKind::Int)
    return Say(V.N, Cases::of({}));
  // The other operand of `ok = ok && test`, or of `ok &= test`.
  auto IsSelf = [&](ExprId E) {
    return Sets && G.Exprs[E].Kind == ExprKind::Load && G.Exprs[E].A == O.Place;
  };
  if (V.Kind == ExprKind::Op && V.B != None)
    for (auto [Self, Other] : {std::pair(V.A, V.B), std::pair(V.B, V.A)}) {
      if (!IsSelf(Self))
        continue;
      if (V.S == "&")
        return Say(0, S.E.casesOf(Other, false));
      if (V.S == "|")
        return Say(NotZero, S.E.casesOf(Other, true));
      if (V.S == "+") // a count
        return Say(Positive, Cases::of({}));
    }
  Say(0, S.E.casesOf(O.Value, false));
  Say(NotZero, S.E.casesOf(O.Value, true));
  // A flag or a result that is passed on.
  auto PassOn = [&](int64_t Key, const Signs &From) {
    for (const auto &[Value, Lists] : From)
      if (std::optional<int64_t> N = foldSign(G, O.Value, Key, Value))
        Say(*N, {Lists, true});
  };
  anyPart(G, O.Value, [&](const Expr &Part) {
    if (Part.Kind == ExprKind::Var && Part.N != Carrier)
      if (auto It = To.find(Part.N); It != To.end())
        PassOn(Part.N, Signs(It->second));
    if (const Op *Call =
            Part.Kind == ExprKind::Result ? S.E.call(Part.N) : nullptr)
      PassOn(resultKey(Part.N), signsOfCall(S.E, *Call, Levels));
    if (Part.Kind == ExprKind::Field || Part.Kind == ExprKind::Global)
      PassOn(placeKey(&Part - G.Exprs.data()), signsOfMember(Part.S, Levels));
    return false;
  });
}

/// Returns true if, after operation \p Index of block \p At has set a flag to
/// \p Value, a later iteration may set it to another value.
bool Vetting::mayReset(const FlowGraph &G, unsigned At, size_t Index,
                       int64_t Value) {
  if (Value == NotZero || Value == Positive)
    return llvm::any_of(examplesOf(Value), [&](int64_t Each) {
      return mayReset(G, At, Index, Each);
    });
  ExprId Place = G.Blocks[At].Ops[Index].Place;
  bool Reset = false;
  auto Sets = [&](const Op &O) {
    if (O.Place != Place)
      return true;
    bool Same = O.Value != None && G.Exprs[O.Value].Kind == ExprKind::Int &&
                G.Exprs[O.Value].N == Value;
    Same |= O.Value != None && anyPart(G, O.Value, [&](const Expr &E) {
              return E.Kind == ExprKind::Load && E.A == Place;
            });
    Reset |= !Same;
    return false;
  };
  auto Takes = [](unsigned, const Edge &, int Mark) -> std::optional<int> {
    return Mark;
  };
  return !visitPaths(G, At, Index + 1, {{G.Exprs[Place].N, Value}},
                     {Sets, Takes}) ||
         Reset;
}

const Vetting::SignsOf &Vetting::signsIn(FunctionId F, unsigned Levels) {
  constexpr unsigned MaxBlocks = 200;
  auto [It, New] = Found.try_emplace({F, Levels});
  if (!New || !Table.hasGraph(F) || Table.blocksIn(F) > MaxBlocks)
    return It->second;
  TestedGraph S(Table, F);
  SignsOf Result;
  for (unsigned B = 0; B < S.G.Blocks.size(); ++B)
    for (size_t I = 0; I < S.G.Blocks[B].Ops.size(); ++I) {
      const Op &O = S.G.Blocks[B].Ops[I];
      SignsOf Here = Result;
      addSigns(S, B, O, Here, Levels);
      if (O.Kind == OpKind::Return) {
        Result = std::move(Here);
        continue;
      }
      for (auto &[Carrier, Values] : Here)
        for (auto &[Value, Lists] : Values)
          if (Lists.size() > Result[Carrier][Value].size() &&
              (Carrier < 0 || !mayReset(S.G, B, I, Value)))
            Result[Carrier][Value] = Lists;
    }
  return It->second = std::move(Result);
}

} // namespace cudagraph
