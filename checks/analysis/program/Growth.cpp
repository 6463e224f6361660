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
#include "llvm/ADT/SetVector.h"
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
  void
  eachCall(FunctionId F,
           llvm::function_ref<void(const FlowGraph &, const Op &)> Visit) const;
  void findFreed();
  void passed(const FlowGraph &G, const Op &O, FunctionId By,
              const FreedParameter &Of);
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
  bool Adds = E.arg("adds") || E.arg("storage");
  bool Removes = E.arg("removes") || (!Adds && E.has(catalogue::Trait::Table));
  if ((!Adds && !Removes) || O.Object == None)
    return;
  ExprId Container = containerAt(G, O.Object);
  const std::string *Name =
      Container == None ? nullptr : writeKey(G, Container);
  if (!Name)
    return;
  if (Removes)
    Emptied.insert(*Name);
  for (const CallArg &A :
       Adds ? llvm::ArrayRef<CallArg>(O.Args) : llvm::ArrayRef<CallArg>()) {
    bool Through = false;
    const std::string *Added = namedBy(G, A.Value, Through);
    if (Added && !isLocalPlace(G, G.Exprs[A.Value].A) &&
        !Fresh.has(G.Exprs[A.Value].A))
      AddedMembers.push_back({{F, O.Range, *Added, true}, *Name});
    if (unsigned Param = paramIn(G, A.Value);
        Param != None && !G.Vars[Param].IsNumber)
      FreedParams.push_back({F, Param, *Name});
  }
}

/// Finds memory that the program passes to functions that free the memory of a
/// parameter, or that add it to a pool.
void Relevance::Growth::findFreed() {
  std::optional<MemoryPools> Pools;
  auto IsPool = [&](const std::string &Name) {
    if (!R.Emptied.contains(Name))
      return false;
    if (!Pools)
      Pools.emplace(R.Table, R);
    return Pools->isShared(Name);
  };
  for (const auto &[Of, Container] : R.AddedMembers)
    if (Of.Name != Container && IsPool(Container))
      R.FreedApart.push_back(Of);
  // The callers of these functions may also free a parameter: each iteration
  // scans each caller of the functions that the previous iteration has found.
  std::set<std::tuple<FunctionId, unsigned, bool>> Seen;
  for (size_t First = 0; First < R.FreedParams.size();) {
    llvm::DenseMap<FunctionId, llvm::SmallVector<FreedParameter, 1>> Freers;
    llvm::SetVector<FunctionId> Callers;
    for (; First < R.FreedParams.size(); ++First) {
      const FreedParameter &Of = R.FreedParams[First];
      if ((!Of.Pool.empty() && !IsPool(Of.Pool)) ||
          !Seen.insert({Of.In, Of.Param, Of.Pool.empty()}).second)
        continue;
      Freers[Of.In].push_back(Of);
      const auto &All = R.callersOf(Of.In);
      Callers.insert(All.begin(), All.end());
    }
    for (FunctionId By : Callers)
      eachCall(By, [&](const FlowGraph &G, const Op &O) {
        llvm::SmallVector<FunctionId, 4> Callees{O.Callee};
        if (O.How == Dispatch::Virtual)
          llvm::append_range(Callees, R.overridersOf(O.Callee));
        for (FunctionId Callee : Callees)
          for (const FreedParameter &Of : Freers.lookup(Callee))
            passed(G, O, By, Of);
      });
  }
}

/// \p By passes memory to \p Of in the call \p O.
void Relevance::Growth::passed(const FlowGraph &G, const Op &O, FunctionId By,
                               const FreedParameter &Of) {
  const CallArg *A = O.arg(Of.Param);
  if (!A || A->Value == None)
    return;
  bool Through = false;
  if (const std::string *Name = namedBy(G, A->Value, Through);
      Name && !isLocalPlace(G, G.Exprs[A->Value].A))
    R.FreedApart.push_back({By, O.Range, *Name, !Of.Pool.empty()});
  else if (unsigned Param = paramIn(G, A->Value); Param != None)
    R.FreedParams.push_back({By, Param, Of.Pool});
}

/// Visits the calls in \p F whose callee is known.
void Relevance::Growth::eachCall(
    FunctionId F,
    llvm::function_ref<void(const FlowGraph &, const Op &)> Visit) const {
  const FlowGraph *G = R.Table.graph(F);
  if (!G)
    return;
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.Callee != None)
        Visit(*G, O);
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
  if (R.isConstruction(F))
    return;
  eachCall(F, [&](const FlowGraph &G, const Op &O) {
    const std::string *Name = O.Callee == Assigns && O.Object != None
                                  ? writeKey(G, O.Object)
                                  : nullptr;
    if (!Name || isHandedOver(G, O.Object))
      return;
    for (const FreedMemory *Each : Freed) {
      WriteSummary::Change Grows{F, O.Range};
      Grows.Pooled = Each->Pooled;
      Grows.Part = Each->Name;
      R.Writes[*Name].Growers.push_back(Grows);
    }
  });
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
