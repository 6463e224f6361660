//===- FittingCallees.cpp - Callees that belong together ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object on which a call has reached a method of one class does not reach
// the methods of an unrelated class, and a table that contains one function
// does not contain those of other tables. See CallResolver.h.
//
//===----------------------------------------------------------------------===//

#include "CallResolver.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// False if the table of functions whose member is at \p Holder cannot contain
/// \p Function, because of calls through its other members.
bool CallResolver::fitsTable(const State &S, LocId Holder,
                             ValueId Function) const {
  if (D[Function].Kind != ValueKind::Function)
    return true;
  LocId Object = D.at(Holder).A;
  return llvm::all_of(S.Mem, [&](const Memory::Item &I) {
    const LocNode L = D.at(I.Key);
    return L.Kind != LocKind::Field || L.A != Object ||
           D[I.Data].Kind != ValueKind::Function ||
           Rel.tables().mayShare(D[I.Data].N, D[Function].N);
  });
}

/// True if the class of \p Method, or a class between it and that of \p Known,
/// overrides \p Known: a virtual call on its objects never reaches \p Known.
static bool overridesToo(Program &Table, const FunctionInfo &Known,
                         const FunctionInfo &Method) {
  return llvm::any_of(Known.Overrides, [&](FunctionId F) {
    const FunctionInfo &Over = Table.info(F);
    return Over.Class == Method.Class ||
           llvm::is_contained(Method.Bases, Over.Class);
  });
}

/// True if an object on which a virtual call has reached the method \p Known
/// may also have \p Method: as far as the source shows, one class derives from
/// the other.
bool CallResolver::fitsClass(FunctionId Known, FunctionId Method) const {
  const FunctionInfo &A = Table.info(Known), &B = Table.info(Method);
  if (A.Class == B.Class)
    return true;
  return (llvm::is_contained(A.Bases, B.Class) && !overridesToo(Table, B, A)) ||
         (llvm::is_contained(B.Bases, A.Class) && !overridesToo(Table, A, B));
}

/// The method of \p Targets that belongs to the class of the constructor that
/// created the object at \p This; None if that class is not known.
FunctionId
CallResolver::overriderFor(const State &S, ValueId This,
                           llvm::ArrayRef<FunctionId> Targets) const {
  if (This == None)
    return None;
  std::optional<unsigned> V =
      S.Mem.lookup(D.slotOf(Slot::DynamicClass, D.pointee(This)));
  if (!V || D[*V].Kind != ValueKind::Function)
    return None;
  const std::string &Class = Table.info(D[*V].N).Class;
  for (FunctionId T : Targets)
    if (Table.info(T).Class == Class)
      return T;
  return None;
}

/// The addresses of the objects, one of which is at \p This.
llvm::ArrayRef<ValueId> CallResolver::objectsOf(ValueId This) const {
  if (This != None && D[This].Kind == ValueKind::Addr &&
      D.at(D[This].A).Kind == LocKind::Pointee)
    This = D.at(D[This].A).A;
  return This != None && D[This].Kind == ValueKind::Phi && !D.overflowed(This)
             ? D.candidates(This)
             : llvm::ArrayRef<ValueId>();
}

/// Calls the overriders of \p To, or the one of the class with which its object
/// was constructed.
States CallResolver::callVirtual(Frame &F, const Op &O, State S,
                                 const Target &To) {
  llvm::SmallVector<FunctionId, 4> Targets{O.Callee};
  for (unsigned I = 0; I < Targets.size(); ++I)
    for (FunctionId Over : Table.info(Targets[I]).Overrides)
      if (!llvm::is_contained(Targets, Over))
        Targets.push_back(Over);
  // The object determines the method.
  if (!S.Active.empty() && Targets.size() > 2 &&
      llvm::any_of(Targets, [&](FunctionId T) { return enqueuesWork(T); }))
    Models.Retained.retainChoice(F, O, S, To.This, "function");
  Target One = To;
  if (FunctionId T = overriderFor(S, To.This, Targets); T != None) {
    One.Callee = T;
    return dispatch(F, O, std::move(S), One);
  }
  // One of several objects, as in a container, whose classes are known.
  States All;
  if (llvm::ArrayRef<ValueId> Objects = objectsOf(To.This);
      !Objects.empty() && llvm::all_of(Objects, [&](ValueId Each) {
        return overriderFor(S, Each, Targets) != None;
      })) {
    One.Uncertain = true;
    for (ValueId Each : llvm::SmallVector<ValueId, 6>(Objects)) {
      One.This = Each;
      One.Callee = overriderFor(S, Each, Targets);
      llvm::append_range(All, dispatch(F, O, S, One));
    }
    return All;
  }
  llvm::erase_if(Targets, [&](FunctionId T) {
    return T == O.Callee && !Table.info(T).HasBody && Targets.size() > 1;
  });
  // The class of an object that overrides one method also overrides others.
  LocId Reached =
      To.This == None ? None : D.slotOf(Slot::Overrider, D.pointee(To.This));
  if (Reached != None)
    if (std::optional<unsigned> V = S.Mem.lookup(Reached);
        V && D[*V].Kind == ValueKind::Function) {
      llvm::SmallVector<FunctionId, 4> Fitting;
      llvm::copy_if(Targets, std::back_inserter(Fitting),
                    [&](FunctionId T) { return fitsClass(D[*V].N, T); });
      if (!Fitting.empty())
        Targets = std::move(Fitting);
    }
  // An object that wraps another of its class runs the same code again. One
  // such call shows what is specific to the nesting. So do one or two calls of
  // wrappers, if there are several classes of them.
  constexpr unsigned FewClasses = 4;
  const unsigned Most = Targets.size() > FewClasses ? 1 : 2;
  unsigned Nested = 0;
  for (const Frame *A = &F; A; A = A->Parent)
    Nested += llvm::is_contained(Targets, A->Function);
  auto IsNested = [&](FunctionId T) {
    unsigned Times = 0;
    for (const Frame *A = &F; A; A = A->Parent)
      Times += A->Function == T;
    return Times > 1 || (Nested > Most && Rel.components().isRecursive(T));
  };
  if (!llvm::all_of(Targets, IsNested))
    llvm::erase_if(Targets, IsNested);
  One.Uncertain = Targets.size() > 1;
  for (FunctionId T : Targets) {
    One.Callee = T;
    State Before = S;
    if (One.Uncertain && Reached != None)
      Before.Mem.set(Reached, D.value(ValueKind::Function, T));
    for (State &After : dispatch(F, O, std::move(Before), One))
      All.push_back(std::move(After));
  }
  return All;
}

} // namespace cudagraph
