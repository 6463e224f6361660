//===- NewObjects.cpp - Methods of objects that a caller has created ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All objects that one expression creates have one name. A factory that creates
// an object, calls a method that fills it, and captures a graph that uses it
// does not change the objects of its earlier calls.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "analysis/program/Reached.h"

namespace cudagraph {

/// True if \p F, or a caller, is a method of the object with the part \p L that
/// a function of capture \p C has created and calls before it captures.
bool ChangeModel::fillsNewObject(const Frame &F, LocId L, CaptureId C) {
  for (const Frame *A = &F; A->Parent && A->CallSite; A = A->Parent) {
    const Frame &Maker = *A->Parent;
    const Op &Site = *A->CallSite;
    if (A->This == None || Site.Object == None ||
        D.root(D.pointee(A->This)) != D.root(L))
      continue;
    const CaptureRecord &R = Result.Captures[C];
    if (R.Home == Maker.Function && madeBy(Maker).has(Site.Object) &&
        !reachedFrom(*Maker.Graph, R.HomeBlock).test(A->CallBlock))
      return true;
  }
  return false;
}

} // namespace cudagraph
