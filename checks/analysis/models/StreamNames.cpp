//===- StreamNames.cpp - Names of streams and events in facts -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamView.h and StreamModel.h.
//
//===----------------------------------------------------------------------===//

#include "StreamModel.h"
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

bool StreamView::isChoice(ValueId V) const {
  return D[V].Kind == ValueKind::Phi && D[V].N != SeveralElements;
}

/// True if an active capture began on \p Stream.
bool StreamModel::isOrigin(const State &S, ValueId Stream) const {
  return llvm::any_of(S.Active, [&](CaptureId C) {
    return Result.Captures[C].Origin == Stream;
  });
}

/// The names in \p Map, S.Streams or S.Events, of \p V, which \p O uses. A loop
/// that uses each element of a container, but not by its number, also uses the
/// elements whose numbers are known.
llvm::SmallVector<ValueId, 4> StreamModel::namesFor(const State &S,
                                                    const FactMap &Map,
                                                    const Op &O, ValueId V) {
  if (isOrigin(S, V)) // it has a separate name
    return {V};
  if (Streams.isChoice(V) && !Map.contains(V)) {
    // Streams that a loop swaps are choices that contain each other.
    constexpr unsigned MaxChoices = 16;
    llvm::SmallVector<ValueId, 8> Choices{V};
    llvm::SmallVector<ValueId, 4> All;
    for (unsigned I = 0; I < Choices.size() && I < MaxChoices; ++I)
      for (ValueId Each : D.candidates(Choices[I])) {
        if (Streams.isChoice(Each) && !Map.contains(Each)) {
          if (!llvm::is_contained(Choices, Each))
            Choices.push_back(Each);
          continue;
        }
        if (!isOrigin(S, Each))
          for (ValueId Name : namesFor(S, Map, O, Each))
            if (Map.contains(Name) && !llvm::is_contained(All, Name))
              All.push_back(Name);
      }
    return All.empty() ? llvm::SmallVector<ValueId, 4>{V} : All;
  }
  llvm::SmallVector<ValueId, 4> Names = Streams.namesIn(Map, V);
  const ValueNode N = D[V];
  bool IsHandle = N.Kind == ValueKind::Init || N.Kind == ValueKind::Stream ||
                  N.Kind == ValueKind::Event;
  if (!IsHandle || N.A == None || !isOfElement(D, N.A))
    return Names;
  auto &ByNumber = UsedByNumber[&Map == &S.Events];
  if (!Streams.areSeveral(V))
    ByNumber.insert(O.Range.Begin);
  else if (!ByNumber.contains(O.Range.Begin))
    for (const FactMap::Item &I : Map)
      if (!isOrigin(S, I.Key) && !llvm::is_contained(Names, I.Key) &&
          Streams.mayBeOfOneArray(I.Key, V))
        Names.push_back(I.Key);
  return Names;
}

} // namespace cudagraph
