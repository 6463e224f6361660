//===- StoredCallees.cpp - Calls through stored pointers ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that a call through a pointer may reach, and whether such a
// call may enqueue work or end a capture. See GraphShapes.h.
//
//===----------------------------------------------------------------------===//

#include "GraphShapes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The maximum number of values examined for a callable.
static constexpr unsigned MaxSources = 16;

/// In a function with more blocks, any call through a pointer may end a
/// capture: the walk asks for each branch.
static constexpr unsigned MaxBlocksForCallees = 400;

namespace {
/// Functions that a call through a pointer may reach.
struct StoredCallees {
  llvm::SmallVector<FunctionId, 4> All;
  bool Complete = true; ///< no other function is stored there
};
} // namespace

/// The functions that may be stored where \p O, of \p G, takes its callable.
static StoredCallees calleesOf(const Relevance &Rel, const FlowGraph &G,
                               const Op &O) {
  StoredCallees Result;
  llvm::SmallVector<ExprId, 4> From{O.CalleeValue};
  for (unsigned I = 0; I < From.size(); ++I) {
    if (From[I] == None || I == MaxSources) {
      Result.Complete = false;
      break;
    }
    const Expr &E = G.Exprs[From[I]];
    if (E.Kind == ExprKind::Select) {
      From.append({E.B, E.C});
      continue;
    }
    if (E.Kind == ExprKind::Int)
      continue; // a null pointer is not called
    if ((E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure) &&
        E.N != static_cast<int64_t>(None)) {
      Result.All.push_back(static_cast<FunctionId>(E.N));
      continue;
    }
    const unsigned Before = From.size();
    bool Known = false;
    if (E.Kind == ExprKind::Load) {
      const std::string *Key = writeKey(G, E.A);
      if (const WriteSummary *Writes = Key ? Rel.writes(*Key) : nullptr) {
        llvm::append_range(Result.All, Writes->Callables);
        Known = !Writes->Callables.empty() && !Writes->Other;
      }
      // The value assigned to the variable. A call may also set it.
      bool Set = false;
      if (G.Exprs[E.A].Kind == ExprKind::Var)
        for (const Block &B : G.Blocks)
          for (const Op &X : B.Ops) {
            if (X.Kind == OpKind::Assign && X.Place == E.A && X.Value != None)
              From.push_back(X.Value);
            Set |= llvm::any_of(X.Args, [&](const CallArg &A) {
              return A.Value != None &&
                     G.Exprs[A.Value].Kind == ExprKind::AddrOf &&
                     G.Exprs[A.Value].A == E.A;
            });
          }
      Known |= From.size() > Before && !Set &&
               G.Exprs[E.A].N >= int64_t(G.NumParams);
    }
    Result.Complete &= Known;
  }
  return Result;
}

/// True if \p O, of \p G, may end a capture.
static bool mayEnd(const Relevance &Rel, const FlowGraph &G, const Op &O) {
  if (O.Kind != OpKind::Call)
    return false;
  auto Ends = [&](FunctionId F) {
    const catalogue::Entry *E = Rel.entryFor(F);
    return E ? E->Does == Effect::CaptureEnd
             : (Rel.bits(F) & Relevance::Ends) != 0;
  };
  if (O.How != Dispatch::Indirect)
    return O.Callee != None && Ends(O.Callee);
  if (G.Blocks.size() > MaxBlocksForCallees)
    return true;
  StoredCallees Known = calleesOf(Rel, G, O);
  return !Known.Complete || Known.All.empty() || llvm::any_of(Known.All, Ends);
}

bool GraphShapes::endsAfter(const FlowGraph &G, unsigned From) {
  llvm::BitVector Seen(G.Blocks.size());
  std::vector<unsigned> Work{From};
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    if (Seen.test(B))
      continue;
    Seen.set(B);
    if (llvm::any_of(G.Blocks[B].Ops,
                     [&](const Op &O) { return mayEnd(Rel, G, O); }))
      return true;
    for (const Edge &E : G.Blocks[B].Succs)
      Work.push_back(E.To);
  }
  return false;
}

/// True if \p O, of \p G, takes its callable from a place where a function that
/// enqueues work is stored.
bool GraphShapes::callsStoredWork(const FlowGraph &G, const Op &O) const {
  return O.How == Dispatch::Indirect && O.CalleeValue != None &&
         llvm::any_of(calleesOf(Rel, G, O).All,
                      [&](FunctionId F) { return enqueuesWork(F); });
}

bool callsSteps(const Relevance &Rel, const FlowGraph &G, const Op &O) {
  llvm::SmallVector<FunctionId, 8> All;
  if (O.How == Dispatch::Virtual && O.Callee != None)
    llvm::append_range(All, Rel.overridersOf(O.Callee));
  else if (O.How == Dispatch::Indirect && O.CalleeValue != None)
    llvm::append_range(All, calleesOf(Rel, G, O).All);
  bool Begins = false, Ends = false;
  for (FunctionId F : All) {
    uint16_t Bits = Rel.bits(F) & (Relevance::Begins | Relevance::Ends);
    Begins |= Bits == Relevance::Begins;
    Ends |= Bits == Relevance::Ends;
  }
  return Begins && Ends;
}

} // namespace cudagraph
