//===- SeedOrigins.cpp - The origin of a kernel's seed --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SeedOrigins.h.
//
//===----------------------------------------------------------------------===//

#include "SeedOrigins.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The location where \p G assigns a number to a member whose name denotes a
/// seed.
static Span storedIn(const FlowGraph &G, const catalogue::Catalogue &Known) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Assign || O.ConstValue || O.Value == None ||
          G.Exprs[O.Value].Kind == ExprKind::Int)
        continue;
      const Expr &To = G.Exprs[O.Place];
      llvm::StringRef Name = To.S;
      Name = Name.substr(Name.rfind(':') + 1);
      if (To.Kind == ExprKind::Field && O.Range.Begin &&
          Known.is(catalogue::Role::SeedName, Name.str()))
        return O.Range;
    }
  return {};
}

/// The argument of \p Call whose name denotes a seed.
static Span passedBy(const Op &Call, const Walk &W) {
  for (const CallArg &A : Call.Args)
    if (A.Sort == CallArg::Scalar && A.Range.Begin &&
        W.Catalogue.is(catalogue::Role::SeedName,
                       std::string(W.Table.text(A.Range))))
      return A.Range;
  return {};
}

void noteSeedOrigin(const Walk &W, const Frame &F, Fact &R) {
  FunctionId Home = W.Result.Captures[R.Capture].Home;
  llvm::SmallVector<const Frame *, 8> Frames;
  for (const Frame *A = &F; A; A = A->Parent) {
    Frames.push_back(A);
    if (A->Function == Home)
      break;
  }
  std::reverse(Frames.begin(), Frames.end());
  if (Frames.size() != R.Chain.size() + 1)
    return;
  for (unsigned I = 0; I < Frames.size(); ++I) {
    Span From = storedIn(*Frames[I]->Graph, W.Catalogue);
    unsigned At = I;
    if (!From.Begin && I + 1 < Frames.size()) {
      From = passedBy(*Frames[I + 1]->CallSite, W);
      ++At;
    }
    if (!From.Begin)
      continue;
    R.Chain.insert(R.Chain.begin() + At,
                   {From, Frames[I]->Function, /*Callee=*/None});
    return;
  }
}

} // namespace cudagraph
