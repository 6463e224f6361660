//===- Emplacement.cpp - Objects that containers construct ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that a container constructs in place, from the arguments of a call
// such as emplace_back().
//
//===----------------------------------------------------------------------===//

#include "ArgumentLowering.h"
#include "ConstructLowering.h"
#include "DestroyLowering.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

/// Starts a thread with \p Args in an element of \p RD, a container that
/// constructs it in place. False if its elements are not threads, or if a
/// thread is moved there.
bool ConstructLowering::startThread(const CXXRecordDecl *RD, ExprId Element,
                                    Span Where,
                                    llvm::ArrayRef<const clang::Expr *> Args) {
  const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(RD);
  if (!Spec || Args.empty() || Spec->getTemplateArgs().size() == 0 ||
      Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return false;
  const CXXRecordDecl *Thread =
      Spec->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
  if (!Thread || !Thread->hasDefinition() || !Thread->getIdentifier() ||
      declaresSameEntity(Args[0]->getType()->getAsCXXRecordDecl(), Thread))
    return false;
  std::string Name =
      canonicalQualifiedName(Thread) + "::" + Thread->getName().str();
  const catalogue::Entry *E = L.Names.catalogue().lookup(Name);
  if (!E || E->Does != catalogue::Effect::HostThread)
    return false;
  // It does not matter which instance of the constructor this is.
  for (const Decl *D : Thread->getDefinition()->decls())
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
      if (const auto *C = dyn_cast<CXXConstructorDecl>(T->getTemplatedDecl())) {
        Op O = callAt(Where);
        O.Callee = L.Table.idOf(C);
        O.Object = Element;
        ArgumentLowering(L).add(O, Args, C);
        L.Out.call(std::move(O));
        return true;
      }
  return false;
}

bool ConstructLowering::emplace(const CallExpr *E,
                                const CXXRecordDecl *Container, ExprId Element,
                                llvm::ArrayRef<const clang::Expr *> Args) {
  Span Where = spanOf(E->getSourceRange());
  if (startThread(Container, Element, Where, Args))
    return true;
  QualType Type = elementType(Container);
  const CXXRecordDecl *RD =
      Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  // An object that owns something has an identity, which a copy lacks.
  if (!RD || !RD->hasDefinition() || !RD->hasTrivialDestructor() ||
      RD->isInStdNamespace() || L.Names.shapeOf(RD) != LibraryShape::NotLibrary)
    return false;
  RD = RD->getDefinition();
  if (Args.size() == 1)
    if (const auto *From = Args[0]->getType()->getAsCXXRecordDecl();
        From && From->hasDefinition() &&
        (declaresSameEntity(From, RD) || From->isDerivedFrom(RD)))
      return false;
  // The other elements do not change.
  ExprId Made = Exprs.temporary(E);
  if (!constructAt(RD, Made, Where, Args))
    return false;
  L.Out.assign(Element, Exprs.load(Made), {});
  return true;
}

} // namespace cudagraph
