//===- DestroyLowering.cpp - Object destruction ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DestroyLowering.h"
#include "ConstructLowering.h"
#include "Deleters.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "VariantLowering.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

DestroyLowering::Ending DestroyLowering::endingOf(const CFGImplicitDtor &D) {
  switch (D.getKind()) {
  case CFGElement::AutomaticObjectDtor: {
    const VarDecl *VD = D.castAs<CFGAutomaticObjDtor>().getVarDecl();
    QualType T = VD->getType();
    // A reference keeps a temporary alive.
    const CXXRecordDecl *RD =
        T->isReferenceType()
            ? T.getNonReferenceType()->getAsCXXRecordDecl()
            : T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return {L.Body.Vars.placeOf(VD), RD, spanOf(VD->getLocation())};
  }
  case CFGElement::TemporaryDtor: {
    const CXXBindTemporaryExpr *E =
        D.castAs<CFGTemporaryDtor>().getBindTemporaryExpr();
    if (L.Body.Targets.isMember(E))
      return {};
    ExprId Object = L.Body.Targets.find(E->getSubExpr());
    if (auto It = L.Body.Returned.find(madeBy(E->getSubExpr()));
        Object == None && It != L.Body.Returned.end())
      Object = It->second;
    if (Object == None)
      Object = L.place(E->getSubExpr());
    return {Object, E->getType()->getAsCXXRecordDecl(),
            spanOf(E->getSourceRange())};
  }
  case CFGElement::MemberDtor: {
    const FieldDecl *FD = D.castAs<CFGMemberDtor>().getFieldDecl();
    return {Exprs.field(Exprs.deref(Exprs.self()), canonicalQualifiedName(FD)),
            FD->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl(),
            spanOf(FD->getLocation())};
  }
  case CFGElement::BaseDtor: {
    const CXXBaseSpecifier *BS = D.castAs<CFGBaseDtor>().getBaseSpecifier();
    return {Exprs.deref(Exprs.self()), BS->getType()->getAsCXXRecordDecl(),
            spanOf(BS->getSourceRange())};
  }
  default:
    return {};
  }
}

/// True for a variable that is the result of its function: the caller destroys
/// it.
static bool isResult(const CFGImplicitDtor &D) {
  auto Automatic = D.getAs<CFGAutomaticObjDtor>();
  return Automatic && Automatic->getVarDecl()->isNRVOVariable();
}

void DestroyLowering::destroyImplicitly(const CFGImplicitDtor &D) {
  if (isResult(D))
    return;
  Ending End = endingOf(D);
  bool Parameter = D.getKind() == CFGElement::TemporaryDtor &&
                   L.Body.Index.Parameters.contains(
                       D.castAs<CFGTemporaryDtor>().getBindTemporaryExpr());
  // A copy of a shared owner also ends in the caller, because owners are
  // counted there.
  if (Parameter && End.Class)
    Parameter = !L.Names.of(End.Class).has(catalogue::Role::SharedPointer);
  Ends = D.getKind() != CFGElement::TemporaryDtor;
  if (End.Class && End.Object != None && !Parameter)
    destroy(End.Class, End.Object, End.Where, /*Depth=*/0,
            D.getKind() == CFGElement::BaseDtor);
  Ends = false;
  if (D.getKind() != CFGElement::TemporaryDtor || End.Object == None ||
      Exprs[End.Object].Kind != ExprKind::Temp)
    return;
  L.Out.endLife(End.Object, End.Where);
}

void DestroyLowering::destroyByDelete(const CXXDeleteExpr *E) {
  QualType T = E->getDestroyedType();
  if (T.isNull())
    return;
  Span Where = spanOf(E->getSourceRange());
  ExprId Pointer = L.value(E->getArgument());
  if (const CXXRecordDecl *RD = T->getAsCXXRecordDecl())
    destroy(RD, Exprs.deref(Pointer), Where);
  L.Out.free(Pointer, Where);
}

void DestroyLowering::release(const clang::Expr *Owner, ExprId Holder,
                              Span Where) {
  QualType T = Owner->getType();
  if (T->isPointerType())
    T = T->getPointeeType();
  if (const CXXRecordDecl *RD = T->getAsCXXRecordDecl())
    if (L.Names.shapeOf(RD) == LibraryShape::Pointer)
      destroy(RD, Holder, Where);
}

/// Calls the deleter of a smart pointer of class \p Unique. Returns false if it
/// has only the default one.
bool DestroyLowering::callDeleter(const ClassTemplateSpecializationDecl *Unique,
                                  ExprId Owner, Span Where) {
  const TemplateArgumentList &Args = Unique->getTemplateArgs();
  if (Args.size() < 2 || Args.get(1).getKind() != TemplateArgument::Type)
    return false;
  const auto *Deleter = Args.get(1).getAsType()->getAsCXXRecordDecl();
  if (!Deleter || !Deleter->hasDefinition() || Deleter->isInStdNamespace())
    return false;
  for (const CXXMethodDecl *M : Deleter->methods())
    if (M->getOverloadedOperator() == OO_Call) {
      Op O = callAt(Where);
      O.Callee = L.Table.idOf(M);
      O.Object = Exprs.deref(Exprs.unknown());
      O.Implicit = true;
      O.Value = Exprs.load(Owner);
      if (Deleter->isLambda()) {
        O.How = Dispatch::Indirect;
        O.CalleeValue = Deleters(L).of(O.Value);
        O.IsLambda = true;
      }
      O.Args.push_back({O.Value, {}, false});
      L.Out.call(std::move(O));
      return true;
    }
  return false;
}

/// Ends the lifetime of a smart pointer. A shared owner destroys its object
/// only if no other owner is known: see Owners.h.
void DestroyLowering::destroyOwner(const CXXRecordDecl *RD, ExprId Owner,
                                   Span Where, unsigned Depth) {
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
  if (!Spec)
    return;
  catalogue::RoleSet Roles = L.Names.of(RD);
  bool Unique = Roles.has(catalogue::Role::UniquePointer);
  if (!Unique && !Roles.has(catalogue::Role::SharedPointer))
    return; // it refers to an object with another owner
  const bool Stored = Deleters::mayBeStored(Spec);
  if (Unique && callDeleter(Spec, Owner, Where))
    return;
  ExprId Object = Exprs.load(Owner);
  if (!Unique)
    Object = Exprs.binary(LastOwnerOp, Object, Exprs.addrOf(Owner));
  if (Stored)
    Deleters(L).call(Object, Where);
  const size_t First = L.Out.size();
  const TemplateArgument &A = Spec->getTemplateArgs().get(0);
  if (A.getKind() == TemplateArgument::Type)
    if (const CXXRecordDecl *Pointee = A.getAsType()->getAsCXXRecordDecl())
      destroy(Pointee, Exprs.deref(Object), Where, Depth + 1,
              /*IsBase=*/false);
  if (Stored)
    L.Out.guard(First, Deleters(L).isDefault(Object));
  if (OnlyCalls)
    return;
  if (Unique)
    L.Out.free(Object, Where, /*Implicit=*/true);
  else if (ExprKind K = Exprs[Owner].Kind;
           K == ExprKind::Var || K == ExprKind::Temp)
    L.Out.assign(Owner, Exprs.integer(0), Where); // it is no longer an owner
  else if (K == ExprKind::Field && Ends)
    L.Out.endLife(Owner, Where);
}

QualType elementType(const CXXRecordDecl *RD) {
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
  unsigned Index = mapsKeys(RD);
  return !Spec || Index >= Spec->getTemplateArgs().size() ||
                 Spec->getTemplateArgs()[Index].getKind() !=
                     TemplateArgument::Type
             ? QualType()
             : Spec->getTemplateArgs()[Index].getAsType();
}

void DestroyLowering::clear(const CXXRecordDecl *RD, ExprId Container,
                            Span Where, bool Frees) {
  QualType Element = elementType(RD);
  if (Element.isNull())
    return;
  Op O;
  O.Kind = OpKind::Clear;
  O.Place = Container;
  O.Range = Where;
  O.Discarded = Frees;
  // A new element of these types is null.
  if (Element->isPointerType() ||
      L.Names.shapeOf(Element->getAsCXXRecordDecl()) == LibraryShape::Pointer)
    O.Value = Exprs.integer(0);
  L.Out.add(std::move(O));
}

void DestroyLowering::mayDrop(const CXXRecordDecl *RD, ExprId Container,
                              Span Where) {
  QualType Type = elementType(RD);
  const CXXRecordDecl *Element =
      Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  if (!Element)
    return;
  size_t First = L.Out.size();
  OnlyCalls = true;
  destroy(Element, Exprs.element(Container, Exprs.unknown()), Where);
  OnlyCalls = false;
  L.Out.guard(First, Exprs.integer(0));
}

void DestroyLowering::callDestructor(const CXXDestructorDecl *D, ExprId Object,
                                     Span Where, bool IsBase) {
  Op O = callAt(Where);
  O.Callee = L.Table.idOf(D);
  O.Object = Object;
  O.Implicit = true;
  bool Pointed = Exprs[Object].Kind == ExprKind::Deref;
  if (Pointed)
    O.Value = Exprs[Object].A; // a null pointer has nothing to destroy
  if (D->isVirtual() && !IsBase && Pointed)
    O.How = Dispatch::Virtual;
  L.Out.call(std::move(O));
}

void DestroyLowering::destroy(const CXXRecordDecl *RD, ExprId Object,
                              Span Where, unsigned Depth, bool IsBase) {
  if (!RD->hasDefinition() || Depth > 4)
    return;
  RD = RD->getDefinition();
  if (L.Names.shapeOf(RD) == LibraryShape::Pointer)
    return destroyOwner(RD, Object, Where, Depth);
  if (const CXXRecordDecl *Held = L.Names.optionalOf(RD)) {
    ExprId Engaged = Exprs.load(Exprs.field(Object, EngagedFlag));
    ExprId Inner = Exprs.element(Object, Exprs.integer(0));
    size_t First = L.Out.size();
    destroy(Held, Inner, Where, Depth + 1, /*IsBase=*/false);
    L.Out.guard(First, Engaged);
    return;
  }
  if (auto All = alternativesOf(L.Names, RD); !All.empty()) {
    VariantLowering Parts(L);
    for (unsigned I = 0; I < All.size(); ++I) {
      const CXXRecordDecl *Each = All[I]->getAsCXXRecordDecl();
      if (!Each || !Each->hasDefinition() || Each->hasTrivialDestructor())
        continue;
      ExprId Current = Exprs.load(Parts.number(Object));
      size_t First = L.Out.size();
      destroy(Each, Parts.alternative(Object, I), Where, Depth + 1,
              /*IsBase=*/false);
      L.Out.guard(First, Exprs.binary("==", Current, Exprs.integer(I)));
    }
    return;
  }
  // Its elements, if their destructors do work.
  if (L.Names.shapeOf(RD) == LibraryShape::Container)
    if (QualType Element = elementType(RD); !Element.isNull())
      if (const CXXRecordDecl *Each = Element->getAsCXXRecordDecl();
          Each && !Each->hasTrivialDestructor() && !Each->isInStdNamespace())
        destroy(Each, Exprs.element(Object, Exprs.unknown()), Where, Depth + 1,
                /*IsBase=*/false);
  // Null if the destructor is implicit and not used.
  const CXXDestructorDecl *D = RD->getDestructor();
  if (RD->hasTrivialDestructor() || (D && D->isDeleted()))
    return;
  const FunctionDecl *Body = nullptr;
  // The implicit destructor of a pair is not walked: it ends the members.
  if (D &&
      (D->isUserProvided() || (D->hasBody(Body) && !RD->isInStdNamespace())))
    return callDestructor(D, Object, Where, IsBase);
  for (const FieldDecl *F : RD->fields())
    if (const CXXRecordDecl *FR = F->getType()->getAsCXXRecordDecl())
      destroy(FR, Exprs.field(Object, canonicalQualifiedName(F)), Where,
              Depth + 1, /*IsBase=*/false);
  for (const CXXBaseSpecifier &B : RD->bases())
    if (const CXXRecordDecl *BR = B.getType()->getAsCXXRecordDecl())
      destroy(BR, Object, Where, Depth + 1, /*IsBase=*/true);
}

} // namespace cudagraph
