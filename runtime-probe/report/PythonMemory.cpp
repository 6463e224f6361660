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
/// and where Python recorded it.
PythonFindings::Use PythonFindings::useOf(const PythonMemory &M,
                                          uint64_t Block) const {
  auto Own = Traced.find(Block);
  if (Own == Traced.end())
    return {};
  TraceRange Range;
  Range.Base = M.Address;
  Range.Bytes = M.Bytes;
  for (const TraceEvent &E : P.Events) {
    if (E.Kind != EventKind::End || !is_contained(Own->second, E.Capture))
      continue;
    std::vector<Access> Uses = accessesOf(E.Nodes, Range);
    if (Uses.empty())
      continue;
    const TraceNode &N = E.Nodes[Uses.front().Node];
    auto At = N.Stack ? P.Stacks.find(*N.Stack) : P.Stacks.end();
    return {described(N, Uses.front().Node) + ", " + Uses.front().As,
            At == P.Stacks.end() ? std::vector<PythonFrame>()
                                 : At->second.Python};
  }
  return {};
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
    // A name that now refers to a different tensor is the cause, and is already
    // a finding.
    if (any_of(P.Companion.Notes, [&](const PythonNote &Other) {
          return Other.Is == PythonNote::Rebound && Other.Block == N.Block &&
                 Other.Address && M.holds(Other.Address);
        }))
      continue;
    Use How = useOf(M, N.Block);
    if (How.Text.empty())
      continue;
    Stack Made = stackOf(M.Made);
    std::string Where =
        Made.Where ? " made at " + placeOf({Made.Where->File, Made.Where->Line,
                                            Made.Where->Function})
                   : "";
    Finding &F = addPython(
        kind::FreedMemory, N.Python, N.Tid,
        (M.Pinned ? "a tensor in pinned memory" : "the tensor" + Where) +
            " no longer exists, and the graph that is replayed here uses its "
            "memory (" +
            How.Text +
            "): the replay uses whatever is at that address; keep a reference "
            "to the tensor as long as the graph exists",
        Own);
    if (F.Times > 1)
      continue;
    if (Made.Where)
      F.Others.push_back({"the tensor was created here", std::move(Made)});
    else if (Stack Recorded = stackOf(std::move(How.Recorded)); Recorded.Where)
      F.Others.push_back(
          {How.Text + ", was recorded here", std::move(Recorded)});
    if (Stack Taken = stackOf(M.Taken.value_or(std::vector<PythonFrame>()));
        Taken.Where)
      F.Others.push_back({"its memory now belongs to a tensor created here",
                          std::move(Taken)});
  }
}

/// Each replay overwrites the output, so all of the references lead to the
/// values of the last replay.
void PythonFindings::collected(const PythonNote &N, ArrayRef<unsigned> Own) {
  addPython(kind::OverwrittenOutput, N.Python, N.Tid,
            std::to_string(N.Count) + " references to the output '" + N.Name +
                "' of the graph were added in " + std::to_string(N.Replays) +
                " replays, each of which overwrote it: all of them lead to the "
                "values of the last replay; keep copies, made with clone()",
            Own);
}

} // namespace cudagraph::probe
