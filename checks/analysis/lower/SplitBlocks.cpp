//===- SplitBlocks.cpp - Branches inside one statement --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SplitBlocks.h.
//
//===----------------------------------------------------------------------===//

#include "SplitBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include <iterator>
#include <tuple>
#include <utility>

namespace cudagraph {

/// Moves the operations of \p From from number \p First to number \p End.
static std::vector<Op> take(Block &From, size_t First, size_t End) {
  return {std::make_move_iterator(From.Ops.begin() + First),
          std::make_move_iterator(From.Ops.begin() + End)};
}

/// Adds the parts of \p B, which has \p Choices, to \p Blocks. The last part
/// keeps the edges of \p B.
static void split(Block B, llvm::ArrayRef<Choice> Choices,
                  std::vector<Block> &Blocks) {
  size_t Done = 0;
  for (const Choice &Each : Choices) {
    Block Head;
    Head.Ops = take(B, Done, Each.Begin);
    Head.Cond = Each.Number;
    Head.CondRange = Each.Range;
    Head.Partial = true; // the call reports what the choice depends on
    Head.NeverReturns = B.NeverReturns;
    unsigned First = Blocks.size() + 1, Count = Each.Ends.size();
    for (unsigned I = 0; I < Count; ++I) {
      Edge E;
      E.To = First + I;
      if (I + 1 < Count) {
        E.When = EdgeKind::Case;
        E.Case = I;
      }
      Head.Succs.push_back(E);
    }
    Blocks.push_back(std::move(Head));
    Done = Each.Begin;
    for (size_t End : Each.Ends) {
      Block Alternative;
      Alternative.Ops = take(B, Done, End);
      Alternative.NeverReturns = B.NeverReturns;
      Alternative.Succs.emplace_back().To = First + Count;
      Blocks.push_back(std::move(Alternative));
      Done = End;
    }
  }
  B.Ops.erase(B.Ops.begin(), B.Ops.begin() + Done);
  Blocks.push_back(std::move(B));
}

void splitBlocks(FlowGraph &G, std::vector<Choice> Choices) {
  if (Choices.empty())
    return;
  llvm::sort(Choices, [](const Choice &A, const Choice &B) {
    return std::tie(A.Block, A.Begin) < std::tie(B.Block, B.Begin);
  });
  std::vector<Block> Old = std::exchange(G.Blocks, {});
  std::vector<unsigned> FirstOf, LastOf; // parts, by the old number
  auto Next = Choices.begin();
  for (unsigned I = 0; I < Old.size(); ++I) {
    auto First = Next;
    while (Next != Choices.end() && Next->Block == I)
      ++Next;
    FirstOf.push_back(G.Blocks.size());
    split(std::move(Old[I]), llvm::ArrayRef(&*First, Next - First), G.Blocks);
    LastOf.push_back(G.Blocks.size() - 1);
  }
  for (unsigned Last : LastOf)
    for (Edge &E : G.Blocks[Last].Succs)
      E.To = FirstOf[E.To];
  G.Exit = FirstOf[G.Exit];
}

} // namespace cudagraph
