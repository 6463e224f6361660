//===- Growth.cpp - Memory that is freed and replaced ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function may free the memory of a member or global and allocate it again
// (Scan.cpp). Several may also do so together: a function frees the memory of
// its parameter, or adds it to a pool from which others take memory; one method
// frees and another allocates; or a new object is assigned to a member whose
// destructor frees the old memory.
//
//===----------------------------------------------------------------------===//

#include "FreshObjects.h"
#include "MemoryPools.h"
#include "Places.h"
#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

namespace cudagraph {

/// The function or lambda that \p O calls, or receives to call.
static llvm::SmallVector<FunctionId, 2>
calledBy(const FlowGraph &G, const Op &O,
         const llvm::DenseMap<ExprId, FunctionId> &Lambdas) {
  llvm::SmallVector<FunctionId, 2> Called;
  if (O.Callee != None)
    Called.push_back(O.Callee);
  for (const CallArg &A : O.Args) {
    const Expr &E = G.Exprs[A.Value];
    if (E.Kind == ExprKind::Closure && E.N != static_cast<int64_t>(None))
      Called.push_back(static_cast<FunctionId>(E.N));
    else if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf)
      if (auto It = Lambdas.find(E.A); It != Lambdas.end())
        Called.push_back(It->second);
  }
  return Called;
}

/// The lambdas in variables and temporaries of \p G.
static llvm::DenseMap<ExprId, FunctionId> lambdasOf(const FlowGraph &G) {
  llvm::DenseMap<ExprId, FunctionId> Held;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign && O.Value != None &&
          G.Exprs[O.Value].Kind == ExprKind::Closure &&
          G.Exprs[O.Value].N != static_cast<int64_t>(None))
        Held[O.Place] = static_cast<FunctionId>(G.Exprs[O.Value].N);
  return Held;
}

/// Functions that free and replace the memory of a member through their
/// callees.
class Relevance::Growth {
public:
  explicit Growth(Relevance &R) : R(R) {}
  void run();

private:
  void findFreed();
  void look(const FreedMemory &Of, FunctionId By);
  void noteAssigned();
  void noteAssignedIn(FunctionId F, FunctionId Assigns,
                      llvm::ArrayRef<const FreedMemory *> Freed);
  bool gives(const FlowGraph &G, const Op &O, llvm::StringRef Name,
             unsigned Depth) const;
  bool gives(FunctionId F, llvm::StringRef Name, unsigned Depth) const;

  Relevance &R;
};

/// True if \p F gives the member or global \p Name memory; in callees up to the
/// depth \p Depth.
bool Relevance::Growth::gives(FunctionId F, llvm::StringRef Name,
                              unsigned Depth) const {
  const FlowGraph *G = R.mentions(F, Name) ? R.Table.graph(F) : nullptr;
  return G && llvm::any_of(G->Blocks, [&](const Block &B) {
           return llvm::any_of(
               B.Ops, [&](const Op &O) { return gives(*G, O, Name, Depth); });
         });
}

bool Relevance::Growth::gives(const FlowGraph &G, const Op &O,
                              llvm::StringRef Name, unsigned Depth) const {
  if (O.Kind == OpKind::Assign) {
    const std::string *Key = writeKey(G, O.Place);
    const Expr &V = G.Exprs[O.Value];
    return Key && *Key == Name && !(V.Kind == ExprKind::Int && V.N == 0);
  }
  if (O.Kind != OpKind::Call || O.Callee == None || O.How == Dispatch::Kernel)
    return false;
  const catalogue::Entry *E = R.entryFor(O.Callee);
  if (!E)
    return Depth && gives(O.Callee, Name, Depth - 1);
  std::optional<int> Out = E->arg("out", O.Args.size());
  const CallArg *To = Out ? O.arg(*Out) : nullptr;
  bool Through = false;
  const std::string *Key = To ? namedBy(G, To->Value, Through) : nullptr;
  return Key && !Through && *Key == Name;
}

/// \p By frees the memory, or calls a function that does. Records \p By if it
/// allocates memory again afterwards.
void Relevance::Growth::look(const FreedMemory &Of, FunctionId By) {
  constexpr unsigned Deep = 2; // calls
  const FlowGraph *G = R.isConstruction(By) ? nullptr : R.Table.graph(By);
  if (!G || !R.mentions(By, Of.Name))
    return;
  const llvm::DenseMap<ExprId, FunctionId> Lambdas = lambdasOf(*G);
  const Op *Free = nullptr;
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      llvm::SmallVector<FunctionId, 2> Called;
      if (O.Kind == OpKind::Call)
        Called = calledBy(*G, O, Lambdas);
      if (!Free) {
        bool Here = By == Of.In ? O.Range.Begin == Of.Where.Begin
                                : llvm::is_contained(Called, Of.In);
        Free = Here ? &O : nullptr;
        continue;
      }
      // For a different object, the memory differs.
      if (O.Kind == OpKind::Call && By != Of.In && O.Object != Free->Object &&
          O.Object != None && Free->Object != None)
        continue;
      bool Gives = gives(*G, O, Of.Name, Deep) ||
                   llvm::any_of(Called, [&](FunctionId F) {
                     return F != O.Callee && gives(F, Of.Name, Deep);
                   });
      if (!Gives)
        continue;
      WriteSummary::Change Grows{By, Of.Where};
      Grows.Pooled = Of.Pooled;
      R.Writes[Of.Name].Growers.push_back(Grows);
      return;
    }
}

unsigned paramIn(const FlowGraph &G, ExprId Value) {
  if (Value == None)
    return None;
  const Expr &E = G.Exprs[Value];
  if (E.Kind != ExprKind::Load && E.Kind != ExprKind::AddrOf)
    return None;
  const Expr &Var = G.Exprs[E.A];
  return Var.Kind == ExprKind::Var && Var.N < G.NumParams
             ? static_cast<unsigned>(Var.N)
             : None;
}

void Relevance::noteAdded(FunctionId F, const FlowGraph &G, const Op &O,
                          const catalogue::Entry &E,
                          const FreshObjects &Fresh) {
  ExprId Container = O.Object != None && (E.arg("adds") || E.arg("storage"))
                         ? containerAt(G, O.Object)
                         : None;
  const std::string *Name =
      Container == None ? nullptr : writeKey(G, Container);
  for (const CallArg &A : O.Args) {
    if (!Name)
      return;
    bool Through = false;
    const std::string *Added = namedBy(G, A.Value, Through);
    if (Added && !isLocalPlace(G, G.Exprs[A.Value].A) &&
        !Fresh.has(G.Exprs[A.Value].A))
      AddedMembers.push_back({{F, O.Range, *Added, true}, *Name});
    if (unsigned Param = paramIn(G, A.Value); Param != None)
      FreedParams.push_back({F, Param, *Name});
  }
}

/// Finds memory that the program passes to functions that free the memory of a
/// parameter, or that add it to a pool.
void Relevance::Growth::findFreed() {
  std::optional<MemoryPools> Pools;
  auto IsPool = [&](const std::string &Name) {
    if (!Pools)
      Pools.emplace(R.Table, R);
    return Pools->isShared(Name);
  };
  for (const auto &[Of, Container] : R.AddedMembers)
    if (Of.Name != Container && IsPool(Container))
      R.FreedApart.push_back(Of);
  std::set<std::tuple<FunctionId, unsigned, bool>> Seen;
  // The callers of these functions may also free a parameter.
  for (size_t I = 0; I < R.FreedParams.size(); ++I) {
    const FreedParameter Of = R.FreedParams[I];
    if (!Seen.insert({Of.In, Of.Param, !Of.Pool.empty()}).second)
      continue;
    if (!Of.Pool.empty() && !IsPool(Of.Pool))
      continue;
    for (FunctionId By : R.callersOf(Of.In)) {
      const FlowGraph *G = R.Table.graph(By);
      for (const Block &B :
           G ? llvm::ArrayRef<Block>(G->Blocks) : llvm::ArrayRef<Block>())
        for (const Op &O : B.Ops) {
          if (O.Kind != OpKind::Call || O.Callee == None ||
              (O.Callee != Of.In &&
               (O.How != Dispatch::Virtual ||
                !llvm::is_contained(R.overridersOf(O.Callee), Of.In))))
            continue;
          const CallArg *A = O.arg(Of.Param);
          if (!A || A->Value == None)
            continue;
          bool Through = false;
          if (const std::string *Name = namedBy(*G, A->Value, Through);
              Name && !isLocalPlace(*G, G->Exprs[A->Value].A))
            R.FreedApart.push_back({By, O.Range, *Name, !Of.Pool.empty()});
          else if (unsigned Param = paramIn(*G, A->Value); Param != None)
            R.FreedParams.push_back({By, Param, Of.Pool});
        }
    }
  }
}

/// True if \p G passes the object at \p Place to another function, which may
/// take the memory out of it.
static bool isHandedOver(const FlowGraph &G, ExprId Place) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::Call && llvm::any_of(O.Args, [&](auto &A) {
               return A.Value != None &&
                      G.Exprs[A.Value].Kind == ExprKind::AddrOf &&
                      G.Exprs[A.Value].A == Place;
             });
    });
  });
}

/// Records the objects to which \p F assigns with \p Assigns, an operator of a
/// class whose destructor frees the memory \p Freed.
void Relevance::Growth::noteAssignedIn(
    FunctionId F, FunctionId Assigns,
    llvm::ArrayRef<const FreedMemory *> Freed) {
  const FlowGraph *G = R.isConstruction(F) ? nullptr : R.Table.graph(F);
  for (const Block &B :
       G ? llvm::ArrayRef<Block>(G->Blocks) : llvm::ArrayRef<Block>())
    for (const Op &O : B.Ops) {
      const std::string *Name =
          O.Kind == OpKind::Call && O.Callee == Assigns && O.Object != None
              ? writeKey(*G, O.Object)
              : nullptr;
      if (!Name || isHandedOver(*G, O.Object))
        continue;
      for (const FreedMemory *Each : Freed) {
        WriteSummary::Change Grows{F, O.Range};
        Grows.Pooled = Each->Pooled;
        Grows.Part = Each->Name;
        R.Writes[*Name].Growers.push_back(Grows);
      }
    }
}

/// Records objects that are replaced, and whose destructor frees memory.
void Relevance::Growth::noteAssigned() {
  std::map<llvm::StringRef, llvm::SmallVector<const FreedMemory *, 2>> Owners;
  for (const FreedMemory &Of : R.FreedApart)
    if (const FunctionInfo &Info = R.Table.info(Of.In);
        Info.IsDestructor && !Info.Class.empty())
      Owners[Info.Class].push_back(&Of);
  if (Owners.empty())
    return;
  for (FunctionId F : R.Scanned) {
    const FunctionInfo &Info = R.Table.info(F);
    auto It = Owners.find(Info.Class);
    if (It == Owners.end() ||
        !llvm::StringRef(Info.Name).ends_with("::operator="))
      continue;
    for (FunctionId By : R.callersOf(F))
      noteAssignedIn(By, F, It->second);
  }
}

void Relevance::Growth::run() {
  findFreed();
  for (const FreedMemory &Of : R.FreedApart) {
    look(Of, Of.In);
    for (FunctionId By : R.callersOf(Of.In))
      if (By != Of.In)
        look(Of, By);
  }
  noteAssigned();
}

/// Determines which elements do not move: those that are added to a container
/// whose capacity the same function, or the construction, has reserved.
void Relevance::scanRoom() {
  for (auto &Each : Writes) {
    WriteSummary &W = Each.second;
    bool Always = llvm::any_of(W.Reservers,
                               [&](FunctionId F) { return isConstruction(F); });
    for (WriteSummary::Change &C : W.Growers)
      C.Stays =
          C.Elsewhere && (Always || llvm::is_contained(W.Reservers, C.In));
  }
  Growth(*this).run();
}

} // namespace cudagraph
