//===- HostModel.h - Effects on the host in a region ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A replay does not repeat effects on the host: it writes no log, takes no
// lock, and counts nothing. Only effects that outlive the region matter.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_HOSTMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_HOSTMODEL_H

#include "Inputs.h"
#include "Model.h"
#include "NodeTable.h"

namespace cudagraph {

class HostModel : public Model {
public:
  HostModel(Services &Use, const NodeTable &Nodes)
      : Model(Use), Nodes(Nodes), Sources(Use.W, Use.Calls) {}

  Then apply(Call &C, State &S) override;
  void after(Call &C, State &S) override;

  /// Records a change to host state that outlives the region: \p O writes \p V
  /// to \p L. Local variables and objects created in the region are
  /// bookkeeping.
  void noteWrite(Frame &F, const Op &O, const State &S, LocId L, ValueId V);

  /// Draws conclusions after the whole walk.
  void conclude();

private:
  bool isRecord(LocId L) const;
  bool isOfListener(const Frame &F, const LocNode &Root,
                    const CaptureRecord &R) const;
  bool isRegionState(const Frame &F, const State &S, LocId L);
  bool isOfWrapper(const Frame &F, const CaptureRecord &R) const;
  bool isExpected(const Call &C, const State &S);
  std::optional<Evidence> matters(Call &C, State &S, const Fact &R);
  bool announces(const Call &C, const Fact &R) const;
  bool isAside(const Call &C, const Fact &R);
  bool fillsGlobal(const Frame &F) const;
  bool isNear(const Frame &F, const Fact &R) const;
  bool isOwnLock(const Call &C, const State &S) const;
  bool isOfRegion(const State &S, ValueId V) const;
  bool readsElements(FunctionId F, llvm::StringRef Name) const;
  bool isOnlyStored(const Call &C, LocId L) const;
  bool leadsToGraphMemory(const State &S, ValueId V) const;
  bool startsOver(const State &S, LocId L);
  void noteCounted(Frame &F, const Op &O, const State &S, LocId L);
  bool isDrained(const Call &C, State &S, LocId L);
  bool locksBooks(const Frame &F, const Op &O) const;
  bool isUnderLock(const Frame &F, const Op &O) const;

  const NodeTable &Nodes;
  Inputs Sources;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_HOSTMODEL_H
