//===- MoveLowering.cpp - Moves from one object to another ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MoveLowering.h.
//
//===----------------------------------------------------------------------===//

#include "MoveLowering.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "VariantLowering.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

/// The maximum depth of nested members; deeper members are not moved.
static constexpr unsigned MaxDepth = 4;

static const CXXConstructorDecl *moveConstructorOf(const CXXRecordDecl *RD) {
  for (const CXXConstructorDecl *C : RD->ctors())
    if (C->isMoveConstructor())
      return C;
  return nullptr;
}

static bool isOwner(LibraryNames &Names, const CXXRecordDecl *RD) {
  catalogue::RoleSet Roles = Names.of(RD);
  return Roles.has(Role::UniquePointer) || Roles.has(Role::SharedPointer);
}

bool MoveLowering::owns(const CXXRecordDecl *RD, unsigned Depth) {
  if (!RD || !RD->hasDefinition() || Depth > MaxDepth)
    return false;
  RD = RD->getDefinition();
  if (isOwner(L.Names, RD))
    return true;
  if (const CXXRecordDecl *Held = L.Names.optionalOf(RD))
    return owns(Held, Depth + 1);
  if (auto All = alternativesOf(L.Names, RD); !All.empty())
    return llvm::any_of(All, [&](QualType T) {
      return owns(T->getAsCXXRecordDecl(), Depth + 1);
    });
  if (L.Names.shapeOf(RD) != LibraryShape::NotLibrary ||
      RD->hasTrivialMoveConstructor())
    return false;
  const CXXConstructorDecl *C = moveConstructorOf(RD);
  if (C && C->isUserProvided())
    return !L.Table.info(L.Table.idOf(C)).IsSystem;
  if (C ? C->isDeleted() : !RD->needsImplicitMoveConstructor())
    return false;
  return llvm::any_of(RD->fields(),
                      [&](const FieldDecl *F) {
                        return owns(F->getType()->getAsCXXRecordDecl(),
                                    Depth + 1);
                      }) ||
         llvm::any_of(RD->bases(), [&](const CXXBaseSpecifier &B) {
           return owns(B.getType()->getAsCXXRecordDecl(), Depth + 1);
         });
}

void MoveLowering::move(const CXXRecordDecl *RD, ExprId To, ExprId From,
                        Span Where, unsigned Depth) {
  if (!owns(RD, Depth))
    return;
  RD = RD->getDefinition();
  if (isOwner(L.Names, RD)) {
    L.Out.assign(To, Exprs.load(From), {});
    L.Out.assign(From, Exprs.integer(0), {});
    return;
  }
  if (const CXXRecordDecl *Held = L.Names.optionalOf(RD))
    return move(Held, Exprs.element(To, Exprs.integer(0)),
                Exprs.element(From, Exprs.integer(0)), Where, Depth + 1);
  if (auto All = alternativesOf(L.Names, RD); !All.empty()) {
    VariantLowering Parts(L);
    for (unsigned I = 0; I < All.size(); ++I)
      move(All[I]->getAsCXXRecordDecl(), Parts.alternative(To, I),
           Parts.alternative(From, I), Where, Depth + 1);
    return;
  }
  if (const CXXConstructorDecl *C = moveConstructorOf(RD);
      C && C->isUserProvided()) {
    Op O = callAt(Where);
    O.Callee = L.Table.idOf(C);
    O.Object = To;
    O.Implicit = true;
    O.Args.push_back({Exprs.addrOf(From), {}, false});
    L.Out.call(std::move(O));
    return;
  }
  for (const FieldDecl *F : RD->fields())
    if (const CXXRecordDecl *FR = F->getType()->getAsCXXRecordDecl()) {
      std::string Name = canonicalQualifiedName(F);
      move(FR, Exprs.field(To, Name), Exprs.field(From, Name), Where,
           Depth + 1);
    }
  for (const CXXBaseSpecifier &B : RD->bases())
    if (const CXXRecordDecl *BR = B.getType()->getAsCXXRecordDecl())
      move(BR, To, From, Where, Depth + 1);
}

ExprId MoveLowering::take(const clang::Expr *E) {
  const auto *RD = E->getType()->getAsCXXRecordDecl();
  if (!E->isXValue() || E->getType().isConstQualified() || !owns(RD))
    return None;
  ExprId From = L.place(E), Taken = Exprs.temporary(E);
  L.Out.assign(Taken, Exprs.load(From), {});
  move(RD, Taken, From, spanOf(E->getSourceRange()));
  return Exprs.load(Taken);
}

void MoveLowering::moveInto(ExprId To, llvm::ArrayRef<const clang::Expr *> Args,
                            const std::vector<CallArg> &Lowered,
                            const FunctionDecl *Callee, Span Where) {
  size_t Count =
      Callee ? std::min<size_t>(Args.size(), Callee->getNumParams()) : 0;
  for (size_t I = 0; I < std::min(Count, Lowered.size()); ++I) {
    const auto *RD = Args[I]->getType()->getAsCXXRecordDecl();
    const Expr &Given = Exprs[Lowered[I].Value];
    if (!Args[I]->isXValue() || Args[I]->getType().isConstQualified() ||
        !Callee->getParamDecl(I)->getType()->isRValueReferenceType() ||
        Given.Kind != ExprKind::AddrOf || !owns(RD))
      continue;
    ExprId From = Given.A;
    ExprId Target = To == None ? Exprs.temporary(Args[I], /*OnHeap=*/true) : To;
    move(RD, Target, From, Where);
  }
}

} // namespace cudagraph
