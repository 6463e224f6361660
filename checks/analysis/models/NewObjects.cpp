//===- NewObjects.cpp - Objects that a function has created ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NewObjects.h.
//
//===----------------------------------------------------------------------===//

#include "NewObjects.h"
#include "analysis/program/Reached.h"

namespace cudagraph {

bool NewObjects::fills(const Frame &F, LocId L, CaptureId C) {
  const CaptureRecord &R = Result.Captures[C];
  for (const Frame *A = &F; A->Parent && A->CallSite; A = A->Parent) {
    const Frame &Maker = *A->Parent;
    ExprId Object = A->CallSite->Object;
    if (A->This != None && Object != None && R.Home == Maker.Function &&
        D.root(D.pointee(A->This)) == D.root(L) && of(Maker).has(Object) &&
        !reachedFrom(*Maker.Graph, R.HomeBlock).test(A->CallBlock))
      return true;
  }
  return false;
}

} // namespace cudagraph
