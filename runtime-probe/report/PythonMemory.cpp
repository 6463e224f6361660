//===- PythonMemory.cpp - Tensors that are freed before a graph -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's allocator reclaims memory without a CUDA call. The companion
// records the memory and the line that created the tensor; the trace shows
// whether the graph uses it.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "PythonFindings.h"
#include "Stacks.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::probe {

/// "node 2, kernel 'scale(float*, int)', argument 0" of the graph of \p Block,
/// or empty if it does not use \p M.
std::string PythonFindings::useOf(const PythonMemory &M, uint64_t Block) const {
  auto Own = Traced.find(Block);
  if (Own == Traced.end())
    return "";
  TraceRange Range;
  Range.Base = M.Address;
  Range.Bytes = M.Bytes;
  for (const TraceEvent &E : P.Events)
    if (E.Kind == EventKind::End && is_contained(Own->second, E.Capture))
      if (std::vector<Access> Uses = accessesOf(E.Nodes, Range); !Uses.empty())
        return described(E.Nodes[Uses.front().Node], Uses.front().Node) + ", " +
               Uses.front().As;
  return "";
}

/// The memory of the tensor to which a name referred, if it was reclaimed.
const PythonMemory *PythonFindings::memoryOf(const PythonNote &Rebound) const {
  for (const PythonNote &N : P.Companion.Notes)
    if (N.Is == PythonNote::Gone && N.Block == Rebound.Block)
      for (const PythonMemory &M : N.Memory)
        if (Rebound.Address && M.holds(Rebound.Address))
          return &M;
  return nullptr;
}

void PythonFindings::gone(const PythonNote &N, ArrayRef<unsigned> Own) {
  for (const PythonMemory &M : N.Memory) {
    // A name that now refers to a different tensor is the cause, and is a
    // finding.
    if (any_of(P.Companion.Notes, [&](const PythonNote &Other) {
          return Other.Is == PythonNote::Rebound && Other.Block == N.Block &&
                 Other.Address && M.holds(Other.Address);
        }))
      continue;
    std::string Use = useOf(M, N.Block);
    if (Use.empty())
      continue;
    Stack Made = stackOf(M.Made);
    std::string Where =
        Made.Where ? " made at " + placeOf({Made.Where->File, Made.Where->Line,
                                            Made.Where->Function})
                   : "";
    Finding &F = addPython(
        kind::FreedMemory, N.Python, N.Tid,
        "the tensor" + Where +
            " no longer exists, and the graph that is replayed here uses its "
            "memory (" +
            Use +
            "): the replay uses whatever is at that address; keep a reference "
            "to the tensor as long as the graph",
        Own);
    if (F.Times > 1)
      continue;
    if (Made.Where)
      F.Others.push_back({"the tensor was created here", std::move(Made)});
    if (Stack Taken = stackOf(M.Taken.value_or(std::vector<PythonFrame>()));
        Taken.Where)
      F.Others.push_back({"its memory now belongs to a tensor created here",
                          std::move(Taken)});
  }
}

} // namespace cudagraph::probe
