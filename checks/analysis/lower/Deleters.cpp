//===- Deleters.cpp - Deleters of smart pointers --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Deleters.h.
//
//===----------------------------------------------------------------------===//

#include "Deleters.h"
#include "SpanOf.h"
#include "analysis/ir/StoredDeleter.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

/// True for function pointers, lambdas, and objects that hold a callable.
static bool isStoredCallable(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  return T->isFunctionPointerType() || T->isFunctionType() ||
         (RD &&
          (RD->isLambda() || (RD->isInStdNamespace() && RD->getIdentifier() &&
                              RD->getName() == "function")));
}

ExprId Deleters::place(ExprId Object) {
  return Exprs.field(Exprs.deref(Object), StoredDeleter);
}

void Deleters::store(ExprId Owner, llvm::ArrayRef<const clang::Expr *> Args) {
  if (Args.size() > 1 && isStoredCallable(Args[1]->getType()))
    L.Out.assign(place(Exprs.load(Owner)), L.argument(Args[1]), {});
}

bool Deleters::mayBeStored(const ClassTemplateSpecializationDecl *Owner) {
  const TemplateArgumentList &Args = Owner->getTemplateArgs();
  if (Args.size() > 1) // of std::unique_ptr
    return Args.get(1).getKind() == TemplateArgument::Type &&
           isStoredCallable(Args.get(1).getAsType());
  return llvm::any_of(Owner->decls(), [](const Decl *D) {
    const auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    return Template &&
           llvm::any_of(Template->specializations(), [](const auto *Each) {
             return isa<CXXConstructorDecl>(Each) && Each->getNumParams() > 1 &&
                    isStoredCallable(Each->getParamDecl(1)->getType());
           });
  });
}

ExprId Deleters::of(ExprId Object) { return Exprs.load(place(Object)); }

void Deleters::call(ExprId Object, Span Where) {
  Op O = callAt(Where);
  O.How = Dispatch::Indirect;
  O.CalleeValue = of(Object);
  O.Implicit = true;
  O.Value = Object;
  O.Args.push_back({Object, {}, false});
  L.Out.call(std::move(O));
}

ExprId Deleters::isDefault(ExprId Object) {
  return Exprs.select(Object, Exprs.unary("!", of(Object)), Exprs.integer(0));
}

} // namespace cudagraph
