//===- VariantLowering.cpp - std::variant ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See VariantLowering.h.
//
//===----------------------------------------------------------------------===//

#include "VariantLowering.h"
#include "ConstructLowering.h"
#include "DestroyLowering.h"
#include "MoveLowering.h"
#include "SpanOf.h"
#include "analysis/ir/Variants.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

QualType plainType(QualType T) {
  return T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
}

AlternativeTypes alternativesOf(LibraryNames &Names, const CXXRecordDecl *RD) {
  AlternativeTypes Result;
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(RD);
  if (!Spec || !Names.of(RD).has(catalogue::Role::Variant) ||
      Spec->getTemplateArgs().size() != 1 ||
      Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Pack)
    return Result;
  for (const TemplateArgument &A : Spec->getTemplateArgs()[0].pack_elements()) {
    if (A.getKind() != TemplateArgument::Type)
      return {};
    Result.push_back(plainType(A.getAsType()));
  }
  return Result;
}

AlternativeTypes alternativesIn(LibraryNames &Names, QualType T) {
  T = T.getNonReferenceType();
  if (T->isPointerType())
    T = T->getPointeeType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  AlternativeTypes Own = alternativesOf(Names, RD);
  if (Own.empty() && RD && RD->hasDefinition())
    for (const CXXBaseSpecifier &B : RD->getDefinition()->bases())
      if (Own = alternativesOf(Names, B.getType()->getAsCXXRecordDecl());
          !Own.empty())
        break;
  return Own;
}

/// The number of the only alternative of type \p T.
static std::optional<unsigned> indexOf(const AlternativeTypes &All,
                                       QualType T) {
  T = plainType(T);
  if (llvm::count(All, T) != 1)
    return std::nullopt;
  return llvm::find(All, T) - All.begin();
}

/// The number of the alternative that \p A selects: a type or a number.
static std::optional<unsigned> indexOf(const AlternativeTypes &All,
                                       const TemplateArgument &A) {
  if (A.getKind() == TemplateArgument::Type)
    return indexOf(All, A.getAsType());
  if (A.getKind() != TemplateArgument::Integral)
    return std::nullopt;
  uint64_t N = A.getAsIntegral().getLimitedValue();
  return N < All.size() ? std::optional<unsigned>(N) : std::nullopt;
}

/// The number of the alternative that the first template argument of \p FD
/// selects.
static std::optional<unsigned> selected(const AlternativeTypes &All,
                                        const FunctionDecl *FD) {
  const TemplateArgumentList *Args =
      FD ? FD->getTemplateSpecializationArgs() : nullptr;
  return Args && Args->size() ? indexOf(All, Args->get(0)) : std::nullopt;
}

/// The number of the alternative that is created from \p Source. \p By: the
/// function that creates it, if known. It has the type of the alternative among
/// its template arguments.
static std::optional<unsigned> createdFrom(const AlternativeTypes &All,
                                           const clang::Expr *Source,
                                           const FunctionDecl *By) {
  if (std::optional<unsigned> Same = indexOf(All, Source->getType()))
    return Same;
  const TemplateArgumentList *Args =
      By ? By->getTemplateSpecializationArgs() : nullptr;
  std::optional<unsigned> Found;
  for (unsigned I = 1; Args && I < Args->size(); ++I)
    if (Args->get(I).getKind() == TemplateArgument::Type)
      if (std::optional<unsigned> N = indexOf(All, Args->get(I)))
        Found = N;
  return Found;
}

ExprId VariantLowering::alternative(ExprId Place, unsigned Index) {
  return Exprs.element(Place, Exprs.integer(Index), /*Within=*/true);
}

ExprId VariantLowering::number(ExprId Place) {
  return Exprs.field(Place, AlternativeNumber);
}

/// Creates alternative \p Index, of type \p Held, from \p Args.
void VariantLowering::set(ExprId Place, QualType Held, unsigned Index,
                          llvm::ArrayRef<const clang::Expr *> Args,
                          Span Where) {
  ExprId Inner = alternative(Place, Index);
  const CXXRecordDecl *RD = Held->getAsCXXRecordDecl();
  const clang::Expr *Only = Args.size() == 1 ? Args.front() : nullptr;
  if (Only && (!RD || plainType(Only->getType()) == Held)) {
    L.Out.assign(Inner, L.argument(Only), Where);
    if (RD && Only->isXValue() && !Only->getType().isConstQualified())
      MoveLowering(L).move(RD, Inner, L.place(Only), Where);
  } else if (Only && RD && RD->isInStdNamespace()) {
    L.Out.assign(Inner, L.argument(Only), Where); // such as a text or an owner
  } else if (RD && RD->hasDefinition()) {
    ConstructLowering(L).constructAt(RD->getDefinition(), Inner, Where, Args);
  } else if (Args.empty()) {
    L.Out.assign(Inner, Exprs.integer(0), Where);
  }
  L.Out.assign(number(Place), Exprs.integer(Index), Where);
}

bool VariantLowering::fill(const CXXRecordDecl *RD, ExprId Place,
                           const clang::Expr *Source, Span Where,
                           const FunctionDecl *By,
                           std::optional<Span> Replaced) {
  AlternativeTypes All = alternativesOf(L.Names, RD);
  std::optional<unsigned> Index =
      All.empty() ? std::nullopt : createdFrom(All, Source, By);
  if (!Index)
    return false;
  // The new value may be computed from the old one.
  if (Replaced) {
    L.argument(Source);
    DestroyLowering(L).destroy(RD, Place, *Replaced);
  }
  set(Place, All[*Index], *Index, {Source}, Where);
  return true;
}

bool VariantLowering::fillElement(const CallExpr *E,
                                  const CXXRecordDecl *Container,
                                  ExprId Element, const clang::Expr *Source) {
  QualType Type = elementType(Container);
  const CXXRecordDecl *RD =
      Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  ExprId Made = Exprs.temporary(E);
  if (!fill(RD, Made, Source, spanOf(E->getSourceRange())))
    return false;
  L.Out.assign(Element, Exprs.load(Made), {}); // other elements do not change
  return true;
}

bool VariantLowering::construct(const CXXRecordDecl *RD, ExprId Place,
                                const CXXConstructorDecl *C,
                                llvm::ArrayRef<const clang::Expr *> Args,
                                Span Where) {
  AlternativeTypes All = alternativesOf(L.Names, RD);
  if (All.empty() || C->isCopyOrMoveConstructor())
    return false;
  if (Args.empty()) {
    set(Place, All[0], 0, {}, Where);
    return true;
  }
  // The first parameter may select the alternative.
  const auto *Tag = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Args[0]->getType()->getAsCXXRecordDecl());
  if (Tag && (isTag(Args[0], "in_place_type_t") ||
              isTag(Args[0], "in_place_index_t"))) {
    std::optional<unsigned> Index =
        Tag->getTemplateArgs().size() == 1
            ? indexOf(All, Tag->getTemplateArgs()[0])
            : std::nullopt;
    if (Index)
      set(Place, All[*Index], *Index, Args.drop_front(), Where);
    return Index.has_value();
  }
  return Args.size() == 1 && fill(RD, Place, Args[0], Where, C);
}

std::optional<ExprId>
VariantLowering::method(const CallExpr *E, const CXXMethodDecl *M, ExprId Place,
                        llvm::ArrayRef<const clang::Expr *> Args) {
  // libstdc++ defines some members in base classes.
  StringRef Name = M->getDeclName().isIdentifier() ? M->getName() : StringRef();
  const auto *MC = dyn_cast<CXXMemberCallExpr>(E);
  AlternativeTypes All = alternativesOf(L.Names, M->getParent());
  if (All.empty() && MC)
    All = alternativesIn(L.Names, MC->getImplicitObjectArgument()->getType());
  if (All.empty())
    return std::nullopt;
  Span Where = spanOf(E->getSourceRange());
  if (Name == "index" && Args.empty())
    return Exprs.load(number(Place));
  if (Name == "valueless_by_exception")
    return Exprs.integer(0);
  const CXXRecordDecl *RD = M->getParent();
  if (Name == "emplace") {
    std::optional<unsigned> Index = selected(All, M);
    if (!Index)
      return std::nullopt;
    for (const clang::Expr *Each : Args)
      L.argument(Each);
    DestroyLowering(L).destroy(RD, Place, Where);
    set(Place, All[*Index], *Index, Args, Where);
    return Exprs.addrOf(alternative(Place, *Index));
  }
  if (M->getOverloadedOperator() == OO_Equal && Args.size() == 1 &&
      !M->isCopyAssignmentOperator() && !M->isMoveAssignmentOperator() &&
      fill(RD, Place, Args[0], Where, M, Where))
    return Exprs.addrOf(Place);
  return std::nullopt;
}

ExprId VariantLowering::element(const CallExpr *E) {
  if (E->getNumArgs() != 1)
    return None;
  AlternativeTypes All = alternativesIn(L.Names, E->getArg(0)->getType());
  std::optional<unsigned> Index =
      All.empty() ? std::nullopt : selected(All, E->getDirectCallee());
  return Index ? alternative(L.place(E->getArg(0)), *Index) : None;
}

std::optional<ExprId> VariantLowering::function(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  StringRef Name = FD->getName();
  if (Name == "visit")
    return visit(E);
  bool Pointer = Name == "get_if";
  if ((!Pointer && Name != "holds_alternative") || E->getNumArgs() != 1)
    return std::nullopt;
  const clang::Expr *Of = E->getArg(0);
  AlternativeTypes All = alternativesIn(L.Names, Of->getType());
  std::optional<unsigned> Index =
      All.empty() ? std::nullopt : selected(All, FD);
  if (!Index)
    return std::nullopt;
  ExprId Place = Pointer ? Exprs.deref(L.value(Of)) : L.place(Of);
  ExprId Holds =
      Exprs.binary("==", Exprs.load(number(Place)), Exprs.integer(*Index));
  return Pointer ? Exprs.select(Holds, Exprs.addrOf(alternative(Place, *Index)),
                                Exprs.integer(0))
                 : Holds;
}

} // namespace cudagraph
