//===- LockedSections.cpp - The purpose of a lock -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State under a lock changes in several threads. If no work is enqueued before
// the lock is released, the lock protects bookkeeping: statistics, caches, and
// pools.
//
//===----------------------------------------------------------------------===//

#include "LockedSections.h"
#include "HostModel.h"
#include "llvm/ADT/BitVector.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Trait;

namespace {

/// The code from the call that takes a lock to those that release it.
struct Section {
  bool Works = false; ///< work is enqueued
  bool Holds = false; ///< the operation was found
};

class Sections {
public:
  Sections(Program &Table, const Relevance &Rel) : Table(Table), Rel(Rel) {}

  bool takes(const Op &O) const {
    const catalogue::Entry *E = entry(O);
    return E && E->Does == Effect::HostLock && !E->has(Trait::Releases) &&
           !E->has(Trait::Awaits);
  }

  /// Follows \p G from operation \p Index of block \p Block, which takes a
  /// lock, and searches for \p Sought.
  Section follow(const FlowGraph &G, unsigned Block, size_t Index,
                 Span Sought) const {
    Section Result;
    const std::string Guard = classOf(G.Blocks[Block].Ops[Index]);
    llvm::BitVector Seen(G.Blocks.size());
    llvm::SmallVector<std::pair<unsigned, size_t>, 16> Work{{Block, Index + 1}};
    while (!Work.empty()) {
      auto [At, From] = Work.pop_back_val();
      bool Released = false;
      for (size_t I = From; I < G.Blocks[At].Ops.size() && !Released; ++I) {
        const Op &O = G.Blocks[At].Ops[I];
        Result.Holds |= O.Range.Begin == Sought.Begin;
        Result.Works |= works(O);
        Released = releases(O, Guard);
      }
      if (Released)
        continue;
      for (const Edge &E : G.Blocks[At].Succs)
        if (E.To < G.Blocks.size() && !Seen.test(E.To)) {
          Seen.set(E.To);
          Work.push_back({E.To, 0});
        }
    }
    return Result;
  }

private:
  const catalogue::Entry *entry(const Op &O) const {
    return O.Kind == OpKind::Call && O.Callee != None ? Rel.entryFor(O.Callee)
                                                      : nullptr;
  }
  /// The class of the object that \p O creates, or an empty string.
  std::string classOf(const Op &O) const {
    if (O.Kind != OpKind::Call || O.Callee == None)
      return "";
    const FunctionInfo &Info = Table.info(O.Callee);
    return Info.IsConstructor ? Info.Class : "";
  }
  bool releases(const Op &O, const std::string &Guard) const {
    if (O.Kind != OpKind::Call || O.Callee == None)
      return false;
    const FunctionInfo &Info = Table.info(O.Callee);
    if (Info.IsDestructor && !Guard.empty() && Info.Class == Guard)
      return true;
    const catalogue::Entry *E = Rel.entryFor(O.Callee);
    return E && E->Does == Effect::HostLock && E->has(Trait::Releases);
  }
  bool works(const Op &O) const {
    if (O.Kind != OpKind::Call)
      return false;
    if (O.How == Dispatch::Kernel || O.Callee == None)
      return true; // the callee is unknown
    if (const catalogue::Entry *E = Rel.entryFor(O.Callee))
      return isDeviceWork(E->Does) || isForGraph(E->Does);
    return (Rel.bits(O.Callee) & Relevance::Works) != 0;
  }

  Program &Table;
  const Relevance &Rel;
};

/// The index of \p O in \p B, or the number of its operations.
size_t indexOf(const Block &B, const Op &O) {
  size_t I = 0;
  while (I < B.Ops.size() && (B.Ops[I].Kind != OpKind::Call ||
                              B.Ops[I].Range.Begin != O.Range.Begin))
    ++I;
  return I;
}

} // namespace

/// True if \p O, which takes a lock in \p F, protects bookkeeping with it.
bool HostModel::locksBooks(const Frame &F, const Op &O) const {
  const Frame *A = &F;
  const Op *Takes = &O;
  unsigned Block = F.Block;
  // A user-defined class may contain the lock.
  while (Table.info(A->Function).IsConstructor && A->Parent) {
    Takes = A->CallSite;
    Block = A->CallBlock;
    A = A->Parent;
  }
  size_t Index = indexOf(A->Graph->Blocks[Block], *Takes);
  return Index < A->Graph->Blocks[Block].Ops.size() &&
         !Sections(Table, Rel).follow(*A->Graph, Block, Index, {}).Works;
}

bool holdsLock(Program &Table, const Relevance &Rel, const FlowGraph &G,
               Span Where) {
  Sections All(Table, Rel);
  for (unsigned Block = 0; Block < G.Blocks.size(); ++Block)
    for (size_t I = 0; I < G.Blocks[Block].Ops.size(); ++I)
      if (All.takes(G.Blocks[Block].Ops[I]) &&
          All.follow(G, Block, I, Where).Holds)
        return true;
  return false;
}

/// True if \p F executes \p O under a lock that protects bookkeeping.
bool HostModel::isUnderLock(const Frame &F, const Op &O) const {
  Sections All(Table, Rel);
  const FlowGraph &G = *F.Graph;
  for (unsigned Block = 0; Block < G.Blocks.size(); ++Block)
    for (size_t I = 0; I < G.Blocks[Block].Ops.size(); ++I) {
      if (!All.takes(G.Blocks[Block].Ops[I]))
        continue;
      Section Found = All.follow(G, Block, I, O.Range);
      if (Found.Holds && !Found.Works)
        return true;
    }
  return false;
}

} // namespace cudagraph
