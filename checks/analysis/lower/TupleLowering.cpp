//===- TupleLowering.cpp - Tuples, and calls with their elements ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TupleLowering.h"
#include "Instances.h"
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

/// The call operator of \p RD that takes \p Count arguments, if it is the only
/// one; else null.
static const CXXMethodDecl *operatorOf(const CXXRecordDecl *RD,
                                       unsigned Count) {
  const CXXMethodDecl *Found = nullptr;
  bool Several = false;
  auto Add = [&](const FunctionDecl *FD) {
    const auto *M = dyn_cast<CXXMethodDecl>(FD);
    if (!M || M->getOverloadedOperator() != OO_Call || !M->hasBody() ||
        M->isDependentContext() || M->getNumParams() != Count)
      return;
    Several |= Found != nullptr;
    Found = M;
  };
  for (const Decl *D : RD->decls()) {
    if (const auto *FD = dyn_cast<FunctionDecl>(D))
      Add(FD);
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
      for (const FunctionDecl *Each : instancesOf(T))
        Add(Each);
  }
  return Several ? nullptr : Found;
}

std::optional<ExprId> TupleLowering::apply(const CallExpr *E) {
  std::optional<unsigned> Size =
      E->getNumArgs() == 2 ? sizeOf(E->getArg(1)->getType()) : std::nullopt;
  if (!Size)
    return std::nullopt;
  const clang::Expr *Callable = E->getArg(0);
  const CXXRecordDecl *RD = Callable->getType()->getAsCXXRecordDecl();
  const CXXMethodDecl *Called = RD && RD->hasDefinition()
                                    ? operatorOf(RD->getDefinition(), *Size)
                                    : nullptr;
  bool IsFunction = Callable->getType()->isFunctionType() ||
                    Callable->getType()->isFunctionPointerType();
  if (!Called && !IsFunction)
    return std::nullopt;
  Op O = callAt(spanOf(E->getSourceRange()));
  const FunctionDecl *Params = Called;
  if (Called) {
    O.Callee = L.Table.idOf(Called);
    O.Object = L.place(Callable);
    if (RD->isLambda()) {
      O.How = Dispatch::Indirect;
      O.CalleeValue = L.Exprs.load(O.Object);
      O.IsLambda = true;
    }
  } else {
    O.How = Dispatch::Indirect;
    O.CalleeValue = L.value(Callable);
  }
  ExprId Tuple = L.place(E->getArg(1));
  for (unsigned I = 0; I < *Size; ++I) {
    ExprId Element =
        L.Exprs.element(Tuple, L.Exprs.integer(I), /*Within=*/true);
    QualType T = Params ? Params->getParamDecl(I)->getType() : QualType();
    CallArg Arg;
    bool Reference = !T.isNull() && T->isReferenceType();
    Arg.Value = Reference ? L.Exprs.addrOf(Element) : L.Exprs.load(Element);
    Arg.Range = spanOf(E->getArg(1)->getSourceRange());
    if (!T.isNull()) {
      Arg.IsStream = L.Names.isStream(T);
      Arg.Sort = T->isArithmeticType() ? CallArg::Scalar
                 : T->isPointerType()  ? CallArg::Pointer
                 : T->isRecordType()   ? CallArg::Class
                                       : CallArg::Other;
    }
    O.Args.push_back(Arg);
  }
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
