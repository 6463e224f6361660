//===- CapturedCalls.cpp - Numbers that later calls pass ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CapturedCalls.h.
//
//===----------------------------------------------------------------------===//

#include "CapturedCalls.h"
#include "Inputs.h"
#include "MemberPath.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The maximum number of calls to a function that are compared.
static constexpr unsigned MaxCalls = 32;

PassedNumbers CapturedCalls::numbersIn(const State &S, FunctionId Callee,
                                       llvm::ArrayRef<ValueId> Args,
                                       ValueId This) const {
  PassedNumbers N;
  N.This = This;
  for (unsigned I = 0; I < Args.size(); ++I) {
    LocId Param = D.loc(LocKind::Var, I, Callee);
    if (Args[I] == None)
      continue;
    if (D.isNumbers(Args[I]))
      N.At.push_back({Param, Args[I]});
    if (D[Args[I]].Kind != ValueKind::Addr &&
        D[Args[I]].Kind != ValueKind::CopyOf)
      continue;
    LocId Object = D[Args[I]].A;
    for (const Memory::Item &Each : S.Mem)
      if (Each.Key != Object && D.isNumbers(Each.Data))
        if (std::optional<LocId> Same = samePartOf(D, Each.Key, Object, Param))
          N.At.push_back({*Same, Each.Data});
  }
  return N;
}

void CapturedCalls::note(const Frame &F, const State &S, CaptureId Begun) {
  for (const Frame *A = &F; A && A->Parent; A = A->Parent) {
    auto &Calls = Nodes.CapturingCalls[A->Function];
    std::pair<CaptureId, PassedNumbers> Call(
        Begun, numbersIn(S, A->Function, A->Params, A->This));
    if (!Call.second.At.empty() && Calls.size() < MaxCalls &&
        !llvm::is_contained(Calls, Call))
      Calls.push_back(std::move(Call));
  }
}

std::set<LocId> CapturedCalls::keysIn(CaptureId X, FunctionId Callee) const {
  std::set<LocId> Found;
  for (const auto *Keys : {&Nodes.TableKeys, &Nodes.LossyKeys})
    for (const auto &Each : *Keys)
      if (W.sameCapture(Each.first, X))
        for (LocId L : Each.second) {
          if (L == None)
            continue;
          const LocNode Root = D.at(D.root(L));
          if (Root.Kind == LocKind::Var && Root.A == Callee &&
              Root.N < Table.graph(Callee)->NumParams)
            Found.insert(L);
        }
  return Found;
}

bool CapturedCalls::isOfKeyObject(CaptureId X, LocId L) const {
  auto ClassOf = [&](LocId Member) {
    llvm::StringRef Name =
        Member == None ? llvm::StringRef() : stateName(D, Member);
    size_t End = Name.rfind("::");
    return End == llvm::StringRef::npos ? llvm::StringRef()
                                        : Name.take_front(End);
  };
  const llvm::StringRef Class = ClassOf(L);
  if (Class.empty())
    return false;
  for (const auto *Keys : {&Nodes.TableKeys, &Nodes.LossyKeys})
    for (const auto &[Of, Places] : *Keys)
      if (W.sameCapture(Of, X) && llvm::any_of(Places, [&](LocId Key) {
            return ClassOf(Key) == Class;
          }))
        return true;
  return false;
}

/// True if \p A and \p B are equal numbers. Not all integers have exact
/// floating representations.
static bool areEqual(const Domain &D, ValueId A, ValueId B) {
  std::optional<int64_t> M = D.asInt(A), N = D.asInt(B);
  return M && N ? *M == *N : D.asNumber(A) == D.asNumber(B);
}

bool isOtherNumber(const Domain &D, ValueId V, llvm::ArrayRef<ValueId> Before) {
  llvm::SmallVector<ValueId, 4> Known;
  for (ValueId Each : Before) {
    if (!D.isNumbers(Each) || D.overflowed(Each))
      return false; // a value that was lost may be the same
    if (D.asNumber(Each))
      Known.push_back(Each);
    llvm::append_range(Known, D.candidates(Each));
  }
  auto IsOther = [&](ValueId Each) {
    return D.asNumber(Each) && llvm::none_of(Known, [&](ValueId Old) {
             return areEqual(D, Each, Old);
           });
  };
  return !Before.empty() &&
         (IsOther(V) || llvm::any_of(D.candidates(V), IsOther));
}

/// True if \p A and \p B are the same object: each other object, and each
/// element of a container, has its own table.
static bool isSameObject(const Domain &D, ValueId A, ValueId B) {
  if (A != B || A == None)
    return A == B;
  if (D[A].Kind != ValueKind::Addr)
    return false;
  LocId L = D[A].A;
  while (D.at(L).Kind == LocKind::Field)
    L = D.at(L).A;
  return D.at(L).Kind == LocKind::Var;
}

/// True if \p A and \p B are the addresses of different objects, each of which
/// has its own graph.
static bool areDifferentObjects(const Domain &D, ValueId A, ValueId B) {
  auto IsKnown = [&](ValueId V) {
    return V != None && D[V].Kind == ValueKind::Addr &&
           D.at(D.root(D[V].A)).Kind != LocKind::Pointee;
  };
  return IsKnown(A) && IsKnown(B) && !overlap(D, D[A].A, D[B].A);
}

bool CapturedCalls::isFirstCall(FunctionId Callee, CaptureId X,
                                ValueId This) const {
  auto It = Nodes.CapturingCalls.find(Callee);
  if (It == Nodes.CapturingCalls.end())
    return false;
  bool Known = false;
  for (const auto &[Of, Before] : It->second)
    if (W.sameCapture(Of, X)) {
      Known = true;
      if (!areDifferentObjects(D, Before.This, This))
        return false;
    }
  return Known;
}

bool CapturedCalls::selectsObject(const Frame &F, const Op &O, State &S,
                                  ExprId Arg) const {
  if (O.Object == None || Arg == None)
    return false;
  Inputs Sources(W, Calls);
  Inputs::Places Object = Sources.ofAddress(F, O.Object, S);
  return llvm::any_of(Sources.of(F, Arg, S), [&](const Inputs::Input &I) {
    return llvm::any_of(Object, [&](const Inputs::Input &Other) {
      return overlap(D, I.Place, Other.Place);
    });
  });
}

bool CapturedCalls::differ(const PassedNumbers &Now, FunctionId Callee,
                           CaptureId X, const std::set<LocId> &Keys,
                           LocId L) const {
  auto It = Nodes.CapturingCalls.find(Callee);
  ValueId New = Now.lookup(L);
  if (It == Nodes.CapturingCalls.end() || New == None)
    return false;
  return llvm::any_of(It->second, [&](const auto &Call) {
    const PassedNumbers &Before = Call.second;
    ValueId Old = Before.lookup(L);
    return W.sameCapture(Call.first, X) && Old != None &&
           isSameObject(D, Before.This, Now.This) &&
           isOtherNumber(D, New, Old) && llvm::all_of(Keys, [&](LocId Key) {
             ValueId One = Before.lookup(Key);
             return One != None && One == Now.lookup(Key) && D.asInt(One);
           });
  });
}

} // namespace cudagraph
