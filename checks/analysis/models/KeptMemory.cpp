//===- KeptMemory.cpp - Owners of memory that a graph uses ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostModel.h. Captured code that stores such an owner extends the lifetime
// of the memory to that of the graph, once, at capture.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p V is, or leads through a few objects to, device memory that a
/// node of an active capture uses.
bool HostModel::leadsToGraphMemory(const State &S, ValueId V) const {
  constexpr unsigned MaxObjects = 4;
  auto IsUsed = [&](ValueId Memory) {
    auto It = Nodes.Values.find(Memory);
    return It != Nodes.Values.end() &&
           llvm::any_of(It->second, [&](unsigned I) {
             return llvm::is_contained(S.Active, Nodes.Arguments[I].Capture);
           });
  };
  llvm::SmallVector<LocId, MaxObjects> Objects;
  // Contents of the memory do not keep it.
  auto Visit = [&](ValueId Held) {
    llvm::SmallVector<ValueId, 8> Work{Held};
    while (!Work.empty()) {
      ValueId Part = Work.pop_back_val();
      const ValueNode N = D[Part];
      switch (N.Kind) {
      case ValueKind::Memory:
        if (IsUsed(Part))
          return true;
        break;
      case ValueKind::Phi:
        llvm::copy_if(D.candidates(Part), std::back_inserter(Work),
                      [&](ValueId X) { return D[X].Kind != ValueKind::Phi; });
        break;
      case ValueKind::Op:
        if (Part != Held)
          break;
        Work.append({N.A, N.B});
        break;
      case ValueKind::Addr:
      case ValueKind::CopyOf:
        if (Objects.size() < MaxObjects &&
            !llvm::is_contained(Objects, D.root(N.A)))
          Objects.push_back(D.root(N.A));
        break;
      default:
        break;
      }
    }
    return false;
  };
  if (Visit(V))
    return true;
  for (unsigned Next = 0; Next < Objects.size(); ++Next) {
    LocKind K = D.at(Objects[Next]).Kind;
    if (K != LocKind::Var && K != LocKind::Temp)
      continue;
    for (const Memory::Item &I : S.Mem)
      if (D.root(I.Key) == Objects[Next] && Visit(I.Data))
        return true;
  }
  return false;
}

} // namespace cudagraph
