//===- NeedlessBody.cpp - Functions whose bodies are not parsed -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeedlessBody.h"
#include "analysis/lower/LibraryCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace cudagraph::driver {

using catalogue::Catalogue;

static bool knowsGenerators(clang::ASTContext &Context,
                            const Catalogue &Known) {
  for (const catalogue::NamedRole *Each :
       Known.names(catalogue::Role::SeedsGenerator))
    if (!Context.getTranslationUnitDecl()
             ->lookup(&Context.Idents.get(Each->Name))
             .empty())
      return true;
  return false;
}

static bool isStandard(const clang::FunctionDecl *F) {
  const clang::DeclContext *Outermost = nullptr;
  for (const clang::DeclContext *DC = F->getDeclContext();
       DC && !DC->isTranslationUnit(); DC = DC->getParent())
    if (DC->isNamespace())
      Outermost = DC;
  const auto *NS = llvm::dyn_cast_or_null<clang::NamespaceDecl>(Outermost);
  return NS && NS->getDeclName().isIdentifier() &&
         (NS->getName() == "std" || NS->getName() == "__gnu_cxx");
}

bool isBodyNeedless(const clang::Decl *D, const clang::SourceManager &SM,
                    const ProjectCode &Own, const Catalogue &Known) {
  const auto *F = D->getAsFunction();
  if (!F || F->isConstexpr() || F->getReturnType()->getContainedDeducedType())
    return false;
  // Of a kernel, only how it seeds generators matters.
  if (F->hasAttr<clang::CUDAGlobalAttr>())
    return !knowsGenerators(F->getASTContext(), Known);
  if (F->hasAttr<clang::CUDADeviceAttr>() && !F->hasAttr<clang::CUDAHostAttr>())
    return true;
  // The standard library's templates call what users wrote: without their
  // bodies, templates of the user's would not be instantiated.
  if (F->isTemplated() && isStandard(F))
    return false;
  return isLibraryCode(F, SM, Own, Known);
}

} // namespace cudagraph::driver
