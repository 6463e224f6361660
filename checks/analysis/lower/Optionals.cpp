//===- Optionals.cpp - Construction of optional objects -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of std::optional: element 0 of the object, and whether there is
// one.
//
//===----------------------------------------------------------------------===//

#include "ConstructLowering.h"
#include "DestroyLowering.h"
#include "MoveLowering.h"
#include "QualifiedName.h"
#include "SpanOf.h"

using namespace clang;

namespace cudagraph {

bool isTag(const clang::Expr *E, llvm::StringRef Name) {
  const auto *RD = E->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return RD && RD->getIdentifier() && RD->getName() == Name;
}

bool ConstructLowering::fillOptional(const CXXRecordDecl *RD, ExprId Place,
                                     const clang::Expr *Source,
                                     std::optional<Span> Replaced) {
  const auto *From =
      Source ? Source->getType().getNonReferenceType()->getAsCXXRecordDecl()
             : nullptr;
  bool Empty = !Source || isTag(Source, "nullopt_t");
  bool Whole = From && declaresSameEntity(From, RD);
  const CXXRecordDecl *Held = L.Names.optionalOf(RD);
  // The effects of a constructor of the contained class, and of a copy of it,
  // are unknown here.
  if (!Empty && !Whole &&
      (Held ? !From || !declaresSameEntity(From, Held) ||
                  !Held->hasTrivialDestructor()
            : From != nullptr))
    return false;
  ExprId V = Empty ? None : L.argument(Source);
  if (Replaced)
    DestroyLowering(L).destroy(RD, Place, *Replaced);
  if (Whole) {
    L.Out.assign(Place, V, {});
    return true;
  }
  ExprId Inner = Exprs.element(Place, Exprs.integer(0));
  if (!Empty)
    L.Out.assign(Inner, V, {});
  else if (Held) // no path on which it is empty has memory in it
    for (const FieldDecl *F : Held->fields())
      if (F->getType()->isPointerType())
        L.Out.assign(Exprs.field(Inner, canonicalQualifiedName(F)),
                     Exprs.integer(0), {});
  L.Out.assign(Exprs.field(Place, EngagedFlag), Exprs.integer(!Empty), {});
  return true;
}

bool ConstructLowering::emplaceOptional(
    const CXXRecordDecl *RD, ExprId Place, Span Where,
    llvm::ArrayRef<const clang::Expr *> Args) {
  const CXXRecordDecl *Held = L.Names.optionalOf(RD);
  if (!Held)
    return false;
  ExprId Inner = Exprs.element(Place, Exprs.integer(0));
  bool Same =
      Args.size() == 1 &&
      declaresSameEntity(Args[0]->getType()->getAsCXXRecordDecl(), Held);
  if (Same) {
    L.Out.assign(Inner, L.argument(Args[0]), {});
    if (Args[0]->isXValue() && !Args[0]->getType().isConstQualified())
      MoveLowering(L).move(Held, Inner, L.place(Args[0]), Where);
  } else {
    constructAt(Held, Inner, Where, Args);
  }
  L.Out.assign(Exprs.field(Place, EngagedFlag), Exprs.integer(1), {});
  return true;
}

ExprId ConstructLowering::makeOptional(const CallExpr *E) {
  ExprId Object = Exprs.temporary(E);
  const auto *RD = E->getType()->getAsCXXRecordDecl();
  return RD && emplaceOptional(RD, Object, spanOf(E->getSourceRange()),
                               {E->getArgs(), E->getNumArgs()})
             ? Exprs.load(Object)
             : None;
}

} // namespace cudagraph
