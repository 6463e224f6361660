//===- MissedChanges.cpp - Changes that a launch misses -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a node retains the value of a place and the place changes before a launch,
// this determines whether the launch uses the old value. See ChangeModel.h.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p L is a variable of a function that the region of \p K called: a
/// later call has a new one.
bool ChangeModel::hasEnded(const Retained &K, LocId L) const {
  const LocNode Root = D.at(D.root(L));
  return Root.Kind == LocKind::Var &&
         Root.A != Result.Captures[K.Capture].Home &&
         llvm::any_of(K.At.Chain, [&](const ChainStep &Step) {
           return Step.Callee == Root.A;
         });
}

/// True if \p L is an element of the container \p Owner, or part of one.
static bool isElementOf(const Domain &D, LocId L, LocId Owner) {
  for (; D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
       L = D.at(L).A)
    if (D.at(L).Kind == LocKind::Elem && D.at(L).A == Owner)
      return true;
  return false;
}

/// True if \p Now, the contents of a place at a launch, may be \p To, which was
/// written after the capture, although it looks like an earlier value. Values
/// that meet again at the same join, and memory that the same call allocates
/// again, look the same.
static bool mayBeWritten(const Domain &D, ValueId To, ValueId Now) {
  bool IsMemory = To != None && D[To].Kind == ValueKind::Memory;
  if (To == None || To == Now || (D[Now].Kind != ValueKind::Phi && !IsMemory))
    return false;
  // The number that identifies memory changes when its function returns.
  bool Met = false;
  D.visitTree(Now, [&](ValueId Part) {
    Met |= Part == To || (IsMemory && D[Part].Kind == ValueKind::Memory);
  });
  return Met;
}

/// True if the node \p K, which received the contents of \p Input, misses \p C.
bool ChangeModel::isStale(const Retained &K, const Retained::Input &From,
                          unsigned Id, const Launch &At) const {
  const Change &C = Changes[Id];
  LocId Input = From.Place;
  // The contents of a container's elements do not determine their number.
  if (From.Extent && !From.ByKey && Input != C.At &&
      (D.at(C.At).Kind == LocKind::Elem ||
       nameOfPlace(D, C.At) != nameOfPlace(D, Input)))
    return false;
  // An address does not depend on the contents of the memory.
  if (K.Use.IsPointer && isElementOf(D, C.At, Input))
    return false;
  // An element found by a key stays there when others are added.
  bool Element = isElementOf(D, Input, C.At);
  if (C.Adds && (Element || (From.ByKey && Input == C.At)))
    return false;
  // An address that captured code has taken out of a pool belongs to it.
  if (K.Use.IsPointer && Element && C.Container && W.isInRegion(C.In))
    return false;
  if (From.Own || !overlap(D, Input, C.At) || hasEnded(K, Input) ||
      llvm::any_of(Nodes.UpdatedPlaces,
                   [&](LocId L) { return overlap(D, L, Input); }))
    return false;
  llvm::StringRef Name = stateName(C.At);
  const WriteSummary *Writes = Name.empty() ? nullptr : Rel.writes(Name);
  if (Writes && (Writes->IsKey || Writes->Updated))
    return false;
  // One of several graphs may be for this value.
  if ((K.Use.IsPointer || Name.empty()) && mayBeChosenBy(K, Input, C))
    return false;
  if (C.Passed && Name.empty() && (isKeyed(Input) || isKeyed(C.At)))
    return false;
  // It was restored to its value at a capture before the change.
  bool Back = llvm::any_of(From.AtEnd, [&](auto Each) {
    return Each.first == At.Now && Each.second <= Id;
  });
  if (Back && mayBeWritten(D, C.To, At.Now))
    Back = llvm::any_of(Changes, [&](const Change &Other) {
      return Other.At == C.At && Other.To == At.Now;
    });
  return Input != C.At || !Back || C.Of == EarlierCapture || C.Again ||
         C.Passed || differsNextCall(At.Now) ||
         differsNextRound(At.Now, K.Capture);
}

} // namespace cudagraph
