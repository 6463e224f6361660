//===- MadeObjects.cpp - Objects of different calls of one factory --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object of `new`, or of std::make_shared, is named after its expression, so
// two calls of a factory would create one object, and each would have the owner
// of the other. After the call, the object has a name that depends on the call.
// The same applies to the captures of a lambda.
// It keeps its name if it contains a graph, if a node uses it, or if the state
// refers to it in another way, because the name is then part of other records.
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

namespace {
/// The objects that a call has created, and their names after the call.
class Made {
public:
  Made(Domain &D, FunctionId Caller, const State &Before,
       llvm::ArrayRef<ValueId> Roots, const State &After, ValueId Returned)
      : D(D) {
    for (const Memory::Item &I : After.Mem) {
      add(D.root(I.Key));
      if (D[I.Data].Kind == ValueKind::Addr)
        add(D.root(D[I.Data].A));
      addLambda(I.Data, Caller);
    }
    addLambda(Returned, Caller);
    if (Names.empty())
      return;
    D.forgetCollected();
    auto Drop = [&](LocId Root) { Names.erase(Root); };
    for (ValueId V : Roots)
      D.storageIn(V, Drop);
    for (const Memory::Item &I : Before.Mem) {
      Drop(D.root(I.Key));
      D.storageIn(I.Data, Drop);
    }
  }

  bool empty() const { return Names.empty(); }
  void drop(LocId Root) { Names.erase(Root); }
  void dropIf(llvm::function_ref<bool(LocId)> IsUsed) {
    llvm::SmallVector<LocId, 4> Used;
    for (const auto &[Old, New] : Names)
      if (IsUsed(Old))
        Used.push_back(Old);
    for (LocId Root : Used)
      Names.erase(Root);
  }

  /// Drops the objects to which \p V refers, unless value() replaces it.
  void check(ValueId V) {
    const ValueNode N = D[V];
    if (isReplaced(N))
      return;
    D.storageIn(V, [&](LocId Root) { Names.erase(Root); });
    bool Refers = N.Kind == ValueKind::Init || N.Kind == ValueKind::Stream ||
                  N.Kind == ValueKind::Event;
    if (Refers && N.A != None)
      Names.erase(D.root(N.A));
  }

  /// Names the remaining objects after \p Site.
  void name(int64_t Site) {
    for (auto &[Old, New] : Names) {
      const LocNode N = D.at(Old);
      New = D.loc(LocKind::Temp,
                  static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 + Site),
                  N.A, N.B, D.text(N.S));
    }
  }
  llvm::SmallVector<LocId, 4> names() const {
    return llvm::to_vector<4>(llvm::make_second_range(Names));
  }

  LocId place(LocId L) const {
    if (auto It = Names.find(L); It != Names.end())
      return It->second;
    const LocNode N = D.at(L);
    if (!Names.count(D.root(L)) ||
        (N.Kind != LocKind::Field && N.Kind != LocKind::Elem))
      return L;
    return D.loc(N.Kind, N.N, place(N.A), N.B, D.text(N.S));
  }

  ValueId value(ValueId V) const {
    const ValueNode N = D[V];
    if (!isReplaced(N) || !Names.count(D.root(N.A)))
      return V;
    return D.value(N.Kind, N.N, place(N.A), N.B, D.text(N.S));
  }

private:
  void add(LocId Root) {
    const LocNode N = D.at(Root);
    if (N.Kind == LocKind::Temp && D.text(N.S) == "heap")
      Names.try_emplace(Root, Root);
  }

  /// Adds the captures of the lambda \p V, unless it is in \p Caller.
  void addLambda(ValueId V, FunctionId Caller) {
    if (D[V].Kind != ValueKind::Closure)
      return;
    LocId Root = D.root(D[V].A);
    const LocNode N = D.at(Root);
    if (N.Kind == LocKind::Temp && N.A != Caller)
      Names.try_emplace(Root, Root);
  }
  static bool isReplaced(const ValueNode &N) {
    return N.Kind == ValueKind::Addr || N.Kind == ValueKind::CopyOf ||
           N.Kind == ValueKind::Closure;
  }

  Domain &D;
  llvm::SmallDenseMap<LocId, LocId, 4> Names;
};
} // namespace

void LifetimeModel::renameObjects(const Frame &F, const Op &O,
                                  const State &Before,
                                  llvm::ArrayRef<ValueId> Roots, State &After,
                                  ValueId &Returned,
                                  llvm::function_ref<void(LocId)> Ended) {
  if (O.ResultIndex == None)
    return;
  if (After.Captured != Before.Captured || After.Active != Before.Active)
    return; // it may be the owner of a graph
  Made Objects(D, F.Function, Before, Roots, After, Returned);
  if (Objects.empty())
    return;
  D.forgetCollected();
  for (const Memory::Item &I : After.Mem) {
    Objects.check(I.Data);
    ValueKind K = D[I.Data].Kind;
    if (K == ValueKind::Graph || K == ValueKind::Exec)
      Objects.drop(D.root(I.Key));
  }
  Objects.check(Returned);
  Objects.dropIf([&](LocId Root) { return Nodes.In.count(Root); });
  for (const FactMap *Each : {&After.Stepped, &After.SteppedTo, &After.Renewed})
    for (const FactMap::Item &I : *Each)
      Objects.drop(D.root(I.Key));
  for (const FactMap::Item &I : After.Owned)
    if (D[I.Key].Kind == ValueKind::Addr)
      Objects.drop(D.root(D[I.Key].A));
  Objects.name(F.named(Domain::site(F.Function, O.ResultIndex, 14)));
  if (Objects.empty())
    return;
  // An object of an earlier iteration has the same name.
  for (LocId Name : Objects.names()) {
    Ended(Name);
    After.Mem.eraseIf(
        [&](const Memory::Item &I) { return D.root(I.Key) == Name; });
  }
  Returned = Objects.value(Returned);
  for (const Memory::Item &I : Memory(After.Mem)) {
    LocId L = Objects.place(I.Key);
    ValueId V = Objects.value(I.Data);
    if (L != I.Key)
      After.Mem.erase(I.Key);
    if (L != I.Key || V != I.Data)
      After.Mem.set(L, V);
  }
}

} // namespace cudagraph
