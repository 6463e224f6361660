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
#include "MemberPath.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The maximum number of elements of an array that are compared, and of calls
/// to a function.
static constexpr unsigned MaxElements = 16, MaxCalls = 32;

/// The unspecified element that is \p L or contains it; None if there is none.
static LocId unspecifiedElement(const Domain &D, LocId L) {
  LocId Found = None;
  for (; D.at(L).Kind == LocKind::Elem || D.at(L).Kind == LocKind::Field;
       L = D.at(L).A)
    if (D.at(L).Kind == LocKind::Elem && D.at(L).B == None)
      Found = Found == None ? L : Found;
  return Found;
}

/// The particular elements, with known contents, of the array of \p Some.
static llvm::SmallVector<LocId, 8> elementsOf(const Domain &D, const State &S,
                                              LocId Some) {
  llvm::SmallVector<LocId, 8> Found;
  for (const Memory::Item &I : S.Mem)
    for (LocId L = I.Key;
         D.at(L).Kind == LocKind::Elem || D.at(L).Kind == LocKind::Field;
         L = D.at(L).A)
      if (D.at(L).Kind == LocKind::Elem && D.at(L).A == D.at(Some).A &&
          D.at(L).B != None && !llvm::is_contained(Found, L) &&
          Found.size() < MaxElements)
        Found.push_back(L);
  return Found;
}

/// The object that \p Arg refers to, or was copied from; None if it is neither.
static LocId objectOf(const Domain &D, const State &S, ValueId Arg) {
  if (Arg == None)
    return None;
  ValueKind K = D[Arg].Kind;
  if (K != ValueKind::Addr && K != ValueKind::CopyOf && K != ValueKind::Init)
    return None;
  LocId L = D[Arg].A;
  // A local copy of an element.
  if (std::optional<unsigned> Whole = S.Mem.lookup(L))
    if (D[*Whole].Kind == ValueKind::CopyOf ||
        D[*Whole].Kind == ValueKind::Init)
      return D[*Whole].A;
  return L;
}

std::vector<PassedNumbers>
CapturedCalls::numbersIn(const State &S, FunctionId Callee,
                         llvm::ArrayRef<ValueId> Args) const {
  LocId Some = None;
  for (ValueId Arg : Args)
    if (LocId L = objectOf(D, S, Arg); L != None && Some == None)
      Some = unspecifiedElement(D, L);
  llvm::SmallVector<LocId, 8> Elements{None};
  if (Some != None)
    if (auto All = elementsOf(D, S, Some); !All.empty())
      Elements = All;
  std::vector<PassedNumbers> Result;
  for (LocId Element : Elements) {
    PassedNumbers N;
    N.OfElement = Element != None;
    for (unsigned I = 0; I < Args.size(); ++I) {
      LocId Param = D.loc(LocKind::Var, I, Callee);
      LocId Object = objectOf(D, S, Args[I]);
      if (Object != None && Element != None)
        if (std::optional<LocId> Same = samePartOf(D, Object, Some, Element))
          Object = *Same;
      if (Args[I] != None && D.isNumbers(Args[I])) {
        N.At.push_back({Param, Args[I]});
        continue;
      }
      if (Object == None)
        continue;
      if (D[Args[I]].Kind == ValueKind::Init && Element != None) {
        // A number that was read from the element.
        if (ValueId V = read(D, S, Object); D.isNumbers(V))
          N.At.push_back({Param, V});
      }
      for (const Memory::Item &Each : S.Mem) {
        if (Each.Key == Object || !D.isNumbers(Each.Data))
          continue;
        if (std::optional<LocId> Same = samePartOf(D, Each.Key, Object, Param))
          N.At.push_back({*Same, Each.Data});
      }
    }
    Result.push_back(std::move(N));
  }
  return Result;
}

void CapturedCalls::note(const Frame &F, const State &S, CaptureId Begun) {
  for (const Frame *A = &F; A && A->Parent; A = A->Parent) {
    auto &Calls = Nodes.CapturingCalls[A->Function];
    for (PassedNumbers &N : numbersIn(S, A->Function, A->Params)) {
      std::pair<CaptureId, PassedNumbers> Call(Begun, std::move(N));
      if (!Call.second.At.empty() && Calls.size() < MaxCalls &&
          !llvm::is_contained(Calls, Call))
        Calls.push_back(std::move(Call));
    }
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

bool isOtherNumber(const Domain &D, ValueId V, llvm::ArrayRef<ValueId> Before) {
  llvm::SmallDenseSet<int64_t, 4> Known;
  for (ValueId Each : Before) {
    if (!D.isNumbers(Each) || D.overflowed(Each))
      return false; // a value that was lost may be the same
    if (std::optional<int64_t> N = D.asInt(Each))
      Known.insert(*N);
    for (ValueId Part : D.candidates(Each))
      if (std::optional<int64_t> N = D.asInt(Part))
        Known.insert(*N);
  }
  auto IsOther = [&](ValueId Each) {
    std::optional<int64_t> N = D.asInt(Each);
    return N && !Known.contains(*N);
  };
  return !Before.empty() &&
         (IsOther(V) || llvm::any_of(D.candidates(V), IsOther));
}

bool CapturedCalls::differsBesideKey(llvm::ArrayRef<PassedNumbers> Now,
                                     FunctionId Callee, CaptureId X,
                                     LocId L) const {
  const std::set<LocId> Keys = keysIn(X, Callee);
  auto It = Nodes.CapturingCalls.find(Callee);
  if (It == Nodes.CapturingCalls.end())
    return false;
  for (const auto &[Of, Before] : It->second)
    for (const PassedNumbers &Each : Now) {
      ValueId Old = Before.lookup(L), New = Each.lookup(L);
      if (!W.sameCapture(Of, X) || Old == None || New == None ||
          !isOtherNumber(D, New, Old))
        continue;
      if (llvm::all_of(Keys, [&](LocId Key) {
            ValueId One = Before.lookup(Key), Other = Each.lookup(Key);
            if (Key == L)
              return true;
            // The numbers of one element belong together.
            if (Before.OfElement || Each.OfElement)
              return One == Other && One != None && D.asInt(One);
            return One == None || Other == None || One == Other ||
                   !isOtherNumber(D, Other, One);
          }))
        return true;
    }
  return false;
}

bool CapturedCalls::mayHaveOtherSize(const State &S, LocId L, ValueId V,
                                     llvm::ArrayRef<ValueId> Before) const {
  return Nodes.PassedSizes.contains(L) && D[V].Kind == ValueKind::Addr &&
         !Before.empty() && llvm::all_of(Before, [&](ValueId Old) {
           return D[Old].Kind == ValueKind::Addr && Old != V &&
                  read(D, S, D[Old].A) != read(D, S, D[V].A);
         });
}

} // namespace cudagraph
