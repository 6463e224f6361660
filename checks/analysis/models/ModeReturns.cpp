//===- ModeReturns.cpp - Returns that leave an exchanged mode -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that exchanges the capture mode of its thread, and exchanges it
// again before it returns, must do so on each path.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// True if \p O exchanges the mode, or may do so.
static bool exchanges(const Relevance &Rel, const Op &O) {
  const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                  ? Rel.entryFor(O.Callee)
                                  : nullptr;
  return O.Kind == OpKind::Call && (O.Implicit || O.Callee == None ||
                                    (E && E->Does == Effect::ModeExchange));
}

void CaptureModel::noteModeLeft(const Frame &F, const Op &O,
                                const State &S) const {
  if (!F.Left || !F.Left->Exchange.Begin || S.ThreadMode == F.Left->Mode ||
      S.Active.empty() || S.OtherThread || !O.Range.Begin ||
      F.Left->OtherMode.size() > 8)
    return;
  Fact R = Facts.at(F, O, S, S.Active.back());
  auto &Mode = R.become<FactKind::ModeLeft>();
  Mode.Exchange = F.Left->Exchange;
  Mode.Mode = S.ThreadMode;
  R.restOn(Evidence::WrittenReturn);
  F.Left->OtherMode.push_back(std::move(R));
}

/// The same for the path of a failed call, which is not walked: from block \p
/// At to a return.
void CaptureModel::noteModeAfterFailure(const Frame &F, const State &S,
                                        unsigned At) const {
  if (!F.Left || !F.Left->Exchange.Begin || S.ThreadMode == F.Left->Mode)
    return;
  const FlowGraph &G = *F.Graph;
  // The exchange itself has failed.
  const std::vector<Op> &Before = G.Blocks[F.Block].Ops;
  auto Tested = llvm::find_if(llvm::reverse(Before), [](const Op &O) {
    return O.Kind == OpKind::Call;
  });
  if (Tested != Before.rend() && Tested->Range.Begin == F.Left->Exchange.Begin)
    return;
  for (unsigned Guard = 0; Guard < 8; ++Guard) {
    const Block &B = G.Blocks[At];
    if (B.NeverReturns)
      return;
    for (const Op &O : B.Ops) {
      if (exchanges(Rel, O))
        return;
      if (O.Kind == OpKind::Return)
        return noteModeLeft(F, O, S);
    }
    if (B.Succs.size() != 1)
      return;
    At = B.Succs.front().To;
  }
}

} // namespace cudagraph
