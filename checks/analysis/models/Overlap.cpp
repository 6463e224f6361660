//===- Overlap.cpp - Places that may be the same --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Inputs.h.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "analysis/program/ElementLoops.h"

namespace cudagraph {

namespace {
/// The path to a place, from its root inward.
struct Path {
  llvm::SmallVector<LocId, 6> Steps;
  bool Elements = false; ///< one of them is an element
};
} // namespace

static Path pathOf(const Domain &D, LocId L) {
  Path Result;
  for (;; L = D.at(L).A) {
    Result.Steps.push_back(L);
    LocKind K = D.at(L).Kind;
    Result.Elements |= K == LocKind::Elem;
    if (K != LocKind::Field && K != LocKind::Elem)
      break;
  }
  std::reverse(Result.Steps.begin(), Result.Steps.end());
  return Result;
}

bool isPairMember(llvm::StringRef Member) {
  return Member.ends_with("::first") || Member.ends_with("::second");
}

/// The number of the last name on \p Names; 0 if there is no meaningful one.
static unsigned lastName(const Domain &D, const Path &Names) {
  for (LocId L : llvm::reverse(Names.Steps)) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Elem)
      continue;
    bool Named = (N.Kind == LocKind::Field || N.Kind == LocKind::Global) &&
                 D.slotAt(L) == Slot::None;
    return Named && !isPairMember(D.text(N.S)) ? N.S : 0;
  }
  return 0;
}

/// True if two objects with different numbers may be the same object.
static bool mayBeSame(const Domain &D, LocId A, LocId B) {
  auto Known = [&](LocId Root) {
    LocKind K = D.at(Root).Kind;
    return K == LocKind::Var || K == LocKind::Temp || K == LocKind::Global;
  };
  return !Known(A) || !Known(B);
}

/// True if \p X, another path, may lead to the object at the end of \p Y, or to
/// a part of it: it contains the last name of \p Y, and is not known to be in a
/// different object.
static bool mentionsEnd(const Domain &D, const Path &X, const Path &Y) {
  unsigned Name = lastName(D, Y);
  auto IsNamed = [&](LocId L) {
    const LocNode N = D.at(L);
    return (N.Kind == LocKind::Field || N.Kind == LocKind::Global) &&
           N.S == Name;
  };
  if (!Name)
    return false;
  unsigned End = Y.Steps.size() - 1;
  while (!IsNamed(Y.Steps[End]))
    --End;
  for (unsigned I = 0; I < X.Steps.size(); ++I) {
    if (!IsNamed(X.Steps[I]))
      continue;
    // No object is a part of two different members.
    bool Differ = false;
    for (unsigned A = I, B = End; A && B && !Differ; --A, --B) {
      const LocNode M = D.at(X.Steps[A - 1]), N = D.at(Y.Steps[B - 1]);
      if (M.Kind == LocKind::Elem && N.Kind == LocKind::Elem)
        continue;
      if (M.Kind != LocKind::Field || N.Kind != LocKind::Field)
        break;
      Differ = M.S != N.S;
    }
    if (!Differ)
      return true;
  }
  return false;
}

bool overlap(const Domain &D, LocId A, LocId B) {
  Path X = pathOf(D, A), Y = pathOf(D, B);
  bool SameRoot = X.Steps.front() == Y.Steps.front();
  if (SameRoot) {
    bool Same = true;
    for (unsigned I = 0; I < X.Steps.size() && I < Y.Steps.size() && Same;
         ++I) {
      const LocNode M = D.at(X.Steps[I]), N = D.at(Y.Steps[I]);
      // Elements may be the same unless both are known.
      Same = X.Steps[I] == Y.Steps[I] ||
             (M.Kind == N.Kind && M.S == N.S && M.N == N.N &&
              (M.Kind != LocKind::Elem || !D.asInt(M.B) || !D.asInt(N.B) ||
               M.B == N.B));
      // Parts of different members of one object.
      if (!Same && M.Kind == LocKind::Field && N.Kind == LocKind::Field)
        return false;
    }
    if (Same)
      return true;
  }
  if (SameRoot ? !X.Elements && !Y.Elements
               : !mayBeSame(D, X.Steps.front(), Y.Steps.front()))
    return false;
  return mentionsEnd(D, X, Y) || mentionsEnd(D, Y, X);
}

llvm::StringRef stateName(const Domain &D, LocId L) {
  while (D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A;
  const LocNode N = D.at(L);
  bool State = N.Kind == LocKind::Field || N.Kind == LocKind::Global;
  return State ? D.text(N.S) : llvm::StringRef();
}

bool isMemberOf(const Domain &D, LocId Part, LocId Whole) {
  while (Part != Whole && D.at(Part).Kind == LocKind::Field) {
    Part = D.at(Part).A;
    if (Part == Whole)
      return true;
  }
  return false;
}

unsigned nameOfPlace(const Domain &D, LocId L) {
  return lastName(D, pathOf(D, L));
}

bool isOfVisitedObject(Domain &D, const Frame &F, ExprId Place, LocId L) {
  // A variable to which the loop copies each element is not an object.
  const FlowGraph &G = *F.Graph;
  if (Place != None && G.Exprs[Place].Kind != ExprKind::Var &&
      isOfVisitedElement(G, F.Block, Place))
    return true;
  for (const Frame *A = &F; A->Parent && A->CallSite; A = A->Parent) {
    if (A->This == None || D.root(D.pointee(A->This)) != D.root(L))
      return false;
    if (isOfVisitedElement(*A->Parent->Graph, A->Parent->Block,
                           A->CallSite->Object))
      return true;
  }
  return false;
}

} // namespace cudagraph
