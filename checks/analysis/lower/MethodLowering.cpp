//===- MethodLowering.cpp - One call to a method --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MethodLowering.h"
#include "ArgumentLowering.h"
#include "AtomicLowering.h"
#include "CallableTypes.h"
#include "ConstructLowering.h"
#include "DestroyLowering.h"
#include "HandleLists.h"
#include "MoveLowering.h"
#include "SpanOf.h"
#include "TableMarking.h"
#include "VariantLowering.h"

using namespace clang;

namespace cudagraph {

std::optional<MethodCall> MethodCall::of(const CallExpr *E) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  if (!M)
    return std::nullopt;
  MethodCall Call{E, M, nullptr, {E->getArgs(), E->getNumArgs()}};
  bool Qualified = false;
  if (const auto *MC = dyn_cast<CXXMemberCallExpr>(E)) {
    Call.Object = MC->getImplicitObjectArgument();
    const auto *ME =
        dyn_cast<MemberExpr>(E->getCallee()->IgnoreParenImpCasts());
    Qualified = ME && ME->hasQualifier();
  } else if (isa<CXXOperatorCallExpr>(E) && !M->isStatic() &&
             !Call.Args.empty()) {
    Call.Object = Call.Args.front();
    Call.Args = Call.Args.drop_front();
  }
  if (M->isVirtual() && Call.Object && !Qualified) {
    if (const CXXMethodDecl *Final = M->getDevirtualizedMethod(
            Call.Object->IgnoreParenImpCasts(), /*IsAppleKext=*/false))
      Call.Method = Final;
    else
      Call.Virtual = true;
  }
  return Call.Object ? std::optional(Call) : std::nullopt;
}

MethodLowering::MethodLowering(ExprLowering &L, const MethodCall &Call)
    : L(L), Exprs(L.Exprs), Call(Call), Class(Call.Method->getParent()),
      Shape(L.Names.shapeOf(Class)),
      Name(Call.Method->getDeclName().isIdentifier() ? Call.Method->getName()
                                                     : StringRef()) {}

Span MethodLowering::where() const {
  return spanOf(Call.Call->getSourceRange());
}

bool MethodLowering::holdsValue() const {
  return Shape == LibraryShape::Holder || Shape == LibraryShape::Pointer;
}

ExprId MethodLowering::run(Op O) {
  if (Call.Virtual)
    O.How = Dispatch::Virtual;
  O.Object = L.object(Call.Object);
  O.ObjectRange = spanOf(Call.Object->getSourceRange());
  if (std::optional<ExprId> V = VariantLowering(L).method(
          Call.Call, Call.Method, O.Object, Call.Args))
    return *V;
  for (auto Kind : {&MethodLowering::assignment, &MethodLowering::insertion,
                    &MethodLowering::fillOptional, &MethodLowering::reset,
                    &MethodLowering::release})
    if (std::optional<ExprId> V = (this->*Kind)(O.Object))
      return *V;
  if (Call.Method->getOverloadedOperator() == OO_Call &&
      (Class->isLambda() || holdsValue())) {
    O.How = Dispatch::Indirect;
    O.CalleeValue = Exprs.load(O.Object);
    O.Text = callableType(Call.Object->getType(), L.Table);
    if (Class->isLambda()) {
      O.Callee = L.Table.idOf(Call.Method);
      O.IsLambda = true;
    }
  } else {
    O.Callee = L.Table.idOf(Call.Method);
  }
  if (std::optional<ExprId> V = conversion(O.Object))
    return *V;
  ArgumentLowering(L).add(O, Call.Args, Call.Method);
  const std::vector<CallArg> Args = O.Args;
  const ExprId Object = O.Object;
  ExprId V = L.Out.call(std::move(O));
  if (Name == "swap" && Args.size() == 1 && MoveLowering(L).owns(Class) &&
      Exprs[Args[0].Value].Kind == ExprKind::AddrOf) {
    ExprId Other = Exprs[Args[0].Value].A, Old = Exprs.temporary(Call.Call);
    L.Out.assign(Old, Exprs.load(Object), {});
    L.Out.assign(Object, Exprs.load(Other), {});
    L.Out.assign(Other, Exprs.load(Old), {});
  }
  if (Shape == LibraryShape::Container && Emplaced == Inserted)
    MoveLowering(L).moveInto(Inserted, Call.Args, Args, Call.Method, where());
  if (Shape == LibraryShape::Container && drops())
    DestroyLowering(L).mayDrop(Class, Object, where());
  if (Shape == LibraryShape::Container && Name == "clear")
    DestroyLowering(L).clear(Class, Object, where());
  if (HandleLists(L).isOne(Class) && !Call.Method->isConst() &&
      Call.Method->getOverloadedOperator() != OO_Subscript)
    HandleLists(L).changed(Object, Name);
  if (TableMarking Keys(L, Class);
      Keys.isOne() && Entry == None && !Call.Method->isConst() &&
      Call.Method->getOverloadedOperator() != OO_Subscript)
    Keys.changed(Object, Name, Call.Args);
  if (AtomicLowering(L).isOne(Class))
    AtomicLowering(L).called(Call.Method, Object, Args, where());
  if (Emplaced != None && Call.Call->isGLValue())
    return Exprs.addrOf(Emplaced);
  return Entry == None ? V : insertionResult(V);
}

/// Lowers an assignment of a whole object, or of the target of an owner.
std::optional<ExprId> MethodLowering::assignment(ExprId Place) {
  const CXXMethodDecl *M = Call.Method;
  bool Copies = M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator();
  if (M->getOverloadedOperator() == OO_Equal && !Copies &&
      L.Names.isOptional(Class) &&
      ConstructLowering(L).fillOptional(Class, Place, Call.Args.front(),
                                        where()))
    return Exprs.addrOf(Place);
  // A reference to device memory stands for its contents, and a thread
  // continues in the object to which it is moved.
  Copies &= !L.Names.isDeviceReference(Class) &&
            !L.Names.is(M, catalogue::Role::MovesThread);
  if (!(Copies && (M->isDefaulted() || Shape != LibraryShape::NotLibrary)) &&
      !(M->getOverloadedOperator() == OO_Equal && holdsValue()))
    return std::nullopt;
  ExprId V = firstArgument();
  DestroyLowering(L).release(Call.Object, Place, where());
  if (Shape == LibraryShape::Container)
    DestroyLowering(L).mayDrop(Class, Place, where());
  // The memory of the old elements is not used again.
  if (Shape == LibraryShape::Container && M->isMoveAssignmentOperator() &&
      llvm::any_of(Class->methods(), [](const CXXMethodDecl *Each) {
        return Each->getDeclName().isIdentifier() && Each->getName() == "clear";
      }))
    DestroyLowering(L).clear(Class, Place, where(), /*Frees=*/true);
  L.Out.assign(Place, V, where());
  if (HandleLists(L).isOne(Class))
    HandleLists(L).lost(Place);
  if (TableMarking Keys(L, Class); Keys.isOne())
    Keys.changed(Place, Name, Call.Args);
  if (!Copies)
    noteConverted(L, Call.Object->getType(), V);
  if (M->isMoveAssignmentOperator())
    MoveLowering(L).move(Class, Place, L.place(Call.Args.front()), where());
  return Exprs.addrOf(Place);
}

/// True for a method that removes elements, or may do so.
bool MethodLowering::drops() const {
  return Name == "clear" || Name == "erase" || Name == "pop" ||
         Name == "pop_back" || Name == "pop_front" || Name == "resize" ||
         Name == "assign" || Name == "swap" || Name == "extract" ||
         Name == "erase_after";
}

/// Lowers a call that gives an optional a value, or empties it.
std::optional<ExprId> MethodLowering::fillOptional(ExprId Place) {
  const CXXRecordDecl *Held = L.Names.optionalOf(Class);
  if (Held && Call.Method->getOverloadedOperator() == OO_Equal &&
      Call.Args.size() == 1)
    return assignOptional(Place, Held);
  if (!L.Names.isOptional(Class) || (Name != "emplace" && Name != "reset"))
    return std::nullopt;
  // `emplace(pool.acquire())` moves the object, as an assignment does.
  if (Held && Name == "emplace" && Call.Args.size() == 1 &&
      declaresSameEntity(Call.Args.front()->getType()->getAsCXXRecordDecl(),
                         Held))
    if (std::optional<ExprId> Assigned = assignOptional(Place, Held))
      return Exprs.addrOf(Exprs.element(Place, Exprs.integer(0)));
  DestroyLowering(L).destroy(Class, Place, where());
  ExprId Inner = Exprs.element(Place, Exprs.integer(0));
  if (Name == "emplace" && Held)
    ConstructLowering(L).constructAt(Held, Inner, where(), Call.Args);
  else if (Name == "emplace")
    L.Out.assign(Inner, Call.Args.empty() ? Exprs.integer(0) : firstArgument(),
                 where());
  ExprId Engaged = Exprs.field(Place, EngagedFlag);
  L.Out.assign(Engaged, Exprs.integer(Name == "emplace"), where());
  return Exprs.addrOf(Inner);
}

/// Lowers the assignment of a value, or of nullopt, to an optional. If the
/// source is an optional, the result is a copy of it.
std::optional<ExprId>
MethodLowering::assignOptional(ExprId Place, const CXXRecordDecl *Held) {
  const clang::Expr *Value = Call.Args.front();
  const CXXRecordDecl *Of = Value->getType()->getAsCXXRecordDecl();
  if (!Of || L.Names.optionalOf(Of))
    return std::nullopt;
  bool Same = declaresSameEntity(Of, Held);
  if (!Same && !isTag(Value, "nullopt_t"))
    return std::nullopt;
  ExprId V = firstArgument();
  DestroyLowering(L).destroy(Class, Place, where());
  ExprId Inner = Exprs.element(Place, Exprs.integer(0));
  if (Same)
    L.Out.assign(Inner, V, where());
  if (Same && Value->isXValue() && !Value->getType().isConstQualified())
    MoveLowering(L).move(Held, Inner, L.place(Value), where());
  ExprId Engaged = Exprs.field(Place, EngagedFlag);
  L.Out.assign(Engaged, Exprs.integer(Same), where());
  return Exprs.addrOf(Place);
}

/// Lowers a call that gives an owner a different pointer, or none.
std::optional<ExprId> MethodLowering::reset(ExprId Place) {
  if (Shape != LibraryShape::Pointer || Name != "reset")
    return std::nullopt;
  bool Null = Call.Args.empty() || isa<CXXDefaultArgExpr>(Call.Args.front());
  ExprId V = Null ? Exprs.integer(0) : firstArgument();
  DestroyLowering(L).release(Call.Object, Place, where());
  L.Out.assign(Place, V, where());
  return Exprs.unknown();
}

/// Lowers a call by which an owner releases its object without destroying it.
std::optional<ExprId> MethodLowering::release(ExprId Place) {
  if (Shape != LibraryShape::Pointer || Name != "release")
    return std::nullopt;
  ExprId Given = Exprs.temporary(Call.Call);
  L.Out.assign(Given, Exprs.load(Place), {});
  L.Out.assign(Place, Exprs.integer(0), where());
  return Exprs.load(Given);
}

/// Lowers a test for contents, or the conversion of a lambda.
std::optional<ExprId> MethodLowering::conversion(ExprId Place) {
  if (Name == "has_value" && L.Names.isOptional(Class))
    return Exprs.load(Exprs.field(Place, EngagedFlag));
  const auto *To = dyn_cast<CXXConversionDecl>(Call.Method);
  if (!To)
    return std::nullopt;
  if (To->getConversionType()->isBooleanType()) {
    if (L.Names.isOptional(Class))
      return Exprs.load(Exprs.field(Place, EngagedFlag));
    if (holdsValue())
      return Exprs.unary("bool", Exprs.load(Place));
  }
  // For a lambda without captures, to a function pointer.
  if (Class->isLambda())
    return Exprs.load(Place);
  return std::nullopt;
}

} // namespace cudagraph
