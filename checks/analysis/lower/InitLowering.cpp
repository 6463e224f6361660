//===- InitLowering.cpp - Initializers ------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitLowering.h"
#include "ApiPointers.h"
#include "ConstructLowering.h"
#include "QualifiedName.h"
#include "SpanOf.h"

using namespace clang;

namespace cudagraph {

/// Elements of larger arrays are not initialized one by one.
static constexpr uint64_t MaxFilled = 16;

void InitLowering::initRecord(ExprId Place, const InitListExpr *List) {
  const auto *RD = List->getType()->getAsRecordDecl();
  if (LookupRow Row = lookupRow(List, L.Table); Row.Pointer) {
    Op O;
    O.Place = L.place(Row.Pointer);
    O.Value = L.Exprs.function(L.Table.idOf(Row.Api));
    O.Range = spanOf(List->getSourceRange());
    O.ConstValue = true;
    L.Out.add(std::move(O));
  }
  // The elements of a std::array belong to it, not to a member.
  if (L.Names.shapeOf(dyn_cast<CXXRecordDecl>(RD)) == LibraryShape::Container &&
      List->getNumInits() == 1)
    if (const auto *Inner = dyn_cast<InitListExpr>(List->getInit(0)))
      return initArray(Place, Inner);
  auto Field = RD->field_begin();
  // Base classes come first.
  const auto *Class = dyn_cast<CXXRecordDecl>(RD);
  unsigned NumBases = Class ? Class->getNumBases() : 0, Index = 0;
  for (const clang::Expr *Each : List->inits()) {
    if (Index < NumBases) {
      const CXXRecordDecl *Base = Each->getType()->getAsCXXRecordDecl();
      L.init(Base && Base->isLambda() ? L.Exprs.field(Place, baseName(Index))
                                      : Place,
             Each);
      ++Index;
      continue;
    }
    if (Field == RD->field_end())
      break;
    ExprId Member = L.Exprs.field(Place, canonicalQualifiedName(*Field));
    if (Field->getType()->isReferenceType())
      L.Out.assign(Member, L.Exprs.addrOf(L.place(Each)), {});
    else
      L.init(Member, Each);
    ++Field;
  }
}

void InitLowering::initArray(ExprId Place, const InitListExpr *List) {
  const clang::Expr *Filler = List->getArrayFiller();
  // The other elements are zero.
  if (isa_and_nonnull<ImplicitValueInitExpr>(Filler)) {
    Op O;
    O.Place = Place;
    O.Value = L.Exprs.integer(0);
    O.ConstValue = true;
    O.Range = spanOf(List->getSourceRange());
    L.Out.add(std::move(O));
  }
  unsigned I = 0;
  for (const clang::Expr *Each : List->inits())
    L.init(L.Exprs.element(Place, L.Exprs.integer(I++)), Each);
  // The other elements are structures with the same members.
  const auto *Type =
      dyn_cast<ConstantArrayType>(List->getType()->getAsArrayTypeUnsafe());
  if (isa_and_nonnull<InitListExpr>(Filler) && Type &&
      Type->getZExtSize() <= MaxFilled)
    while (I < Type->getZExtSize())
      L.init(L.Exprs.element(Place, L.Exprs.integer(I++)), Filler);
}

void InitLowering::initByConstructor(ExprId Place, const CXXConstructExpr *E) {
  // The constructor runs for each element of an array.
  const auto *Type =
      dyn_cast_or_null<ConstantArrayType>(E->getType()->getAsArrayTypeUnsafe());
  const CXXRecordDecl *RD =
      Type ? Type->getElementType()->getAsCXXRecordDecl() : nullptr;
  if (RD && Type->getZExtSize() <= MaxFilled && !E->getNumArgs() &&
      L.Names.shapeOf(RD) == LibraryShape::NotLibrary) {
    for (uint64_t I = 0; I < Type->getZExtSize(); ++I)
      ConstructLowering(L).constructAt(
          RD, L.Exprs.element(Place, L.Exprs.integer(I)),
          spanOf(E->getSourceRange()), {});
    return;
  }
  L.Body.Targets.add(E, Place);
  ExprId V = L.construct(E);
  // Copies and moves are values; other constructors have filled the place.
  if (L.Exprs[V].Kind == ExprKind::Load && L.Exprs[V].A == Place)
    return;
  Op O;
  O.Place = Place;
  O.Value = V;
  O.Range = spanOf(E->getSourceRange());
  L.Out.add(std::move(O));
}

void InitLowering::init(ExprId Place, const clang::Expr *Init) {
  if (const auto *List = dyn_cast<InitListExpr>(Init)) {
    if (List->getType()->isRecordType())
      return initRecord(Place, List);
    if (List->getType()->isArrayType())
      return initArray(Place, List);
  }
  // `T x = y;` also constructs x from y.
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Init);
      Cast && Cast->getCastKind() == CK_ConstructorConversion)
    return init(Place, Cast->getSubExpr());
  if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(Init))
    return init(Place, Bound->getSubExpr());
  if (const auto *E = dyn_cast<CXXConstructExpr>(Init))
    return initByConstructor(Place, E);
  Op O;
  O.Place = Place;
  O.Value = L.value(Init);
  O.ConstValue = L.Exprs.isConstant(O.Value);
  O.Range = spanOf(Init->getSourceRange());
  L.Out.add(std::move(O));
}

} // namespace cudagraph
