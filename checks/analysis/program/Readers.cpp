//===- Readers.cpp - The readers of state ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function reads a member or a global if it uses the contents to make a
// decision, to compute a value, or to pass a value to other code. A function
// that prints or returns the contents shows them; a caller that makes a
// decision with the result also reads them.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The member or global whose value or address is \p Arg.
static const std::string *shownBy(const FlowGraph &G, ExprId Arg) {
  if (Arg == None)
    return nullptr;
  const Expr &E = G.Exprs[Arg];
  bool Named = E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf;
  return Named ? writeKey(G, E.A) : nullptr;
}

/// True for functions of a library that print nothing.
static bool showsNothing(const Relevance &R, FunctionId Callee) {
  const catalogue::Entry *E = R.entryFor(Callee);
  return E && E->Does != Effect::HostIO;
}

/// Finds the state that affects the function, and the state that it only
/// returns or shows.
void Relevance::scanReaders(FunctionId F, const FlowGraph &G) {
  llvm::BitVector Decides(G.Exprs.size());
  llvm::SmallVector<ExprId, 32> Work;
  llvm::DenseMap<int64_t, FunctionId> Results;
  auto Add = [&](ExprId E) {
    if (E != None && !Decides[E]) {
      Decides.set(E);
      Work.push_back(E);
    }
  };
  for (const Block &B : G.Blocks) {
    Add(B.Cond);
    for (const Op &O : B.Ops) {
      bool Call = O.Kind == OpKind::Call;
      if (Call && O.Callee != None && O.How != Dispatch::Kernel) {
        if (O.ResultIndex != None)
          Results[O.ResultIndex] = O.Callee;
        // Printed state is shown.
        if (Table.info(O.Callee).IsSystem && !showsNothing(*this, O.Callee)) {
          for (const CallArg &A : O.Args)
            if (const std::string *Key = shownBy(G, A.Value))
              Writes[*Key].Shown = true;
          continue;
        }
      }
      if (O.Kind == OpKind::Return && O.Value != None &&
          G.Exprs[O.Value].Kind == ExprKind::Load) {
        if (const std::string *Key = writeKey(G, G.Exprs[O.Value].A)) {
          Accessors.push_back({F, *Key});
          Writes[*Key].Shown = true;
        }
        continue;
      }
      bool Step =
          O.Kind == OpKind::Modify && O.Place != None && writeKey(G, O.Place);
      if (!Step)
        Add(O.Value);
      for (const auto *List : {&O.Args, &O.Config})
        for (const CallArg &A : *List)
          Add(A.Value);
    }
  }
  while (!Work.empty()) {
    const Expr &E = G.Exprs[Work.pop_back_val()];
    for (ExprId Part : {E.A, E.B, E.C})
      Add(Part);
    if (E.Kind == ExprKind::Result)
      if (auto It = Results.find(E.N); It != Results.end())
        Deciders.insert({F, It->second});
    // Code that takes the address of an element, or passes the location of all
    // elements to other code, reads it.
    if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf)
      if (const std::string *Key = writeKey(G, E.A))
        if (std::vector<FunctionId> &Readers = Writes[*Key].Readers;
            !llvm::is_contained(Readers, F))
          Readers.push_back(F);
  }
}

/// Records the callers that make a decision with the result of a function: they
/// read the state that it returns.
void Relevance::resolveReaders() {
  for (const auto &[F, Key] : Accessors)
    for (FunctionId Caller : callersOf(F))
      if (Deciders.count({Caller, F}))
        if (std::vector<FunctionId> &Readers = Writes[Key].Readers;
            !llvm::is_contained(Readers, Caller))
          Readers.push_back(Caller);
}

} // namespace cudagraph
