//===- StreamNames.cpp - Names of streams and events in facts -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamView.h.
//
//===----------------------------------------------------------------------===//

#include "StreamView.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

ValueId StreamView::recordedAs(const FactMap &Map, ValueId V) const {
  if (V == None || Map.contains(V))
    return V;
  if (ValueId Some = someHandle(D, V); Map.contains(Some))
    return Some;
  const ValueNode N = D[V];
  if (N.A == None ||
      (N.Kind != ValueKind::Stream && N.Kind != ValueKind::Event))
    return V;
  ValueId Any = D.value(N.Kind, N.N, None, N.B);
  return Map.contains(Any) ? Any : V;
}

llvm::SmallVector<ValueId, 4> StreamView::namesIn(const FactMap &Map,
                                                  ValueId V) const {
  ValueId Own = recordedAs(Map, V);
  llvm::SmallVector<ValueId, 4> Names;
  std::optional<unsigned> Data = Map.lookup(Own);
  bool Unused = Data && D[Own].Kind == ValueKind::Event &&
                Recorded::decode(*Data).Where == Recorded::Never;
  if (Data && !Unused)
    return {Own};
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Phi && N.N == SeveralElements) {
    for (ValueId Each : D.candidates(V))
      for (ValueId Name : namesIn(Map, Each))
        if (!llvm::is_contained(Names, Name))
          Names.push_back(Name);
  } else if (areSeveral(V) ||
             ((N.Kind == ValueKind::Stream || N.Kind == ValueKind::Event) &&
              N.A == None)) {
    for (const FactMap::Item &I : Map)
      if (I.Key != Own && mayBeOfOneArray(I.Key, V))
        Names.push_back(I.Key);
  }
  if (Names.empty())
    Names.push_back(Own);
  return Names;
}

} // namespace cudagraph
