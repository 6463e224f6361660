//===- TupleLowering.cpp - Tuples, and calls with their elements ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TupleLowering.h"
#include "Invocation.h"
#include "MoveLowering.h"
#include "SpanOf.h"
#include "analysis/ir/Tuples.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudagraph {

std::optional<unsigned> TupleLowering::sizeOf(QualType T) {
  const auto *Spec = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getNonReferenceType()->getAsCXXRecordDecl());
  if (!Spec || !Spec->isInStdNamespace() || !Spec->getIdentifier() ||
      Spec->getName() != "tuple" || Spec->getTemplateArgs().size() != 1 ||
      Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Pack)
    return std::nullopt;
  return Spec->getTemplateArgs()[0].pack_size();
}

ExprId TupleLowering::make(llvm::ArrayRef<const clang::Expr *> Elements,
                           bool Moves) {
  ExprId Rest = L.Exprs.integer(0);
  for (const clang::Expr *E : llvm::reverse(Elements)) {
    if (ExprId Moved = Moves ? MoveLowering(L).take(E) : None; Moved != None) {
      Rest = L.Exprs.binary(TupleOp, Moved, Rest);
      continue;
    }
    // A tuple has copies of numbers and of smart pointers.
    LibraryShape Shape = L.Names.shapeOf(E->getType()->getAsCXXRecordDecl());
    bool Copies = !E->getType()->isRecordType() ||
                  Shape == LibraryShape::Pointer ||
                  Shape == LibraryShape::Holder;
    ExprId First =
        E->isGLValue() && Copies ? L.Exprs.load(L.place(E)) : L.argument(E);
    Rest = L.Exprs.binary(TupleOp, First, Rest);
  }
  return Rest;
}

std::optional<uint64_t> TupleLowering::indexOf(const CallExpr *E) {
  const FunctionDecl *FD = E->getDirectCallee();
  const TemplateArgumentList *Args =
      FD ? FD->getTemplateSpecializationArgs() : nullptr;
  if (!Args || Args->size() == 0 ||
      Args->get(0).getKind() != TemplateArgument::Integral ||
      E->getNumArgs() != 1)
    return std::nullopt;
  return Args->get(0).getAsIntegral().getZExtValue();
}

ExprId TupleLowering::element(const CallExpr *E) {
  std::optional<uint64_t> Index = indexOf(E);
  if (!Index || !sizeOf(E->getArg(0)->getType()))
    return None;
  return L.Exprs.element(L.place(E->getArg(0)), L.Exprs.integer(*Index),
                         /*Within=*/true);
}

std::optional<ExprId> TupleLowering::apply(const CallExpr *E) {
  std::optional<unsigned> Size =
      E->getNumArgs() == 2 ? sizeOf(E->getArg(1)->getType()) : std::nullopt;
  if (!Size)
    return std::nullopt;
  const clang::Expr *Callable = E->getArg(0), *From = E->getArg(1);
  bool IsFunction = Callable->getType()->isFunctionType() ||
                    Callable->getType()->isFunctionPointerType();
  const CXXRecordDecl *RD = Callable->getType()->getAsCXXRecordDecl();
  if (!IsFunction && !RD)
    return std::nullopt;
  llvm::SmallVector<CallOperator, 8> Operators;
  if (!IsFunction)
    Operators = operatorsOf(L, RD, L.place(Callable), *Size);
  if (!IsFunction && Operators.size() != 1)
    return std::nullopt;
  ExprId Called = IsFunction ? L.value(Callable) : None;
  ExprId Tuple = L.place(From);
  llvm::SmallVector<ExprId, 8> Parts;
  for (unsigned I = 0; I < *Size; ++I)
    Parts.push_back(
        L.Exprs.element(Tuple, L.Exprs.integer(I), /*Within=*/true));
  if (!IsFunction)
    return L.Out.call(invocation(L, E, Operators.front(), Parts, From));
  Op O = callAt(spanOf(E->getSourceRange()));
  O.How = Dispatch::Indirect;
  O.CalleeValue = Called;
  addParts(L, O, nullptr, Parts, From);
  return L.Out.call(std::move(O));
}

bool TupleLowering::assignTied(const CallExpr *E) {
  const auto *OC = dyn_cast<CXXOperatorCallExpr>(E);
  if (!OC || OC->getOperator() != OO_Equal || OC->getNumArgs() != 2)
    return false;
  const auto *Tie =
      dyn_cast<CallExpr>(OC->getArg(0)->IgnoreUnlessSpelledInSource());
  const FunctionDecl *FD = Tie ? Tie->getDirectCallee() : nullptr;
  if (!FD || !FD->isInStdNamespace() || !FD->getDeclName().isIdentifier() ||
      FD->getName() != "tie" ||
      sizeOf(OC->getArg(1)->getType()) != Tie->getNumArgs())
    return false;
  ExprId Tuple = L.place(OC->getArg(1));
  for (unsigned I = 0; I < Tie->getNumArgs(); ++I)
    L.Out.assign(L.place(Tie->getArg(I)),
                 L.Exprs.load(L.Exprs.element(Tuple, L.Exprs.integer(I),
                                              /*Within=*/true)),
                 spanOf(E->getSourceRange()));
  return true;
}

} // namespace cudagraph
