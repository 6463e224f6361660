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
#include "clang/AST/DeclCXX.h"

namespace cudagraph::driver {

using catalogue::Catalogue;

/// True if the source up to \p F has random number generators on the device:
/// those of a library, or functions and classes whose names indicate one.
bool NeedlessBodies::seesGenerator(const clang::FunctionDecl *F) {
  if (Generators)
    return true;
  clang::ASTContext &Context = F->getASTContext();
  for (const catalogue::NamedRole *Each :
       Known.names(catalogue::Role::SeedsGenerator))
    Generators |= !Context.getTranslationUnitDecl()
                       ->lookup(&Context.Idents.get(Each->Name))
                       .empty();
  const auto *M = llvm::dyn_cast<clang::CXXMethodDecl>(F);
  const clang::NamedDecl *Named = M ? M->getParent() : nullptr;
  if (!M && F->getDeclName().isIdentifier())
    Named = F;
  Generators |= Named && Named->getDeclName().isIdentifier() &&
                Known.is(catalogue::Role::DrawsFromSeed,
                         std::string_view(Named->getName())) &&
                !isLibraryCode(F, SM, Own, Known);
  return Generators;
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

bool NeedlessBodies::contains(const clang::Decl *D) {
  const auto *F = D->getAsFunction();
  if (!F || F->isConstexpr() || F->getReturnType()->getContainedDeducedType())
    return false;
  // Only the seeding of generators matters in kernels and their callees.
  bool Kernel = F->hasAttr<clang::CUDAGlobalAttr>();
  bool Device = F->hasAttr<clang::CUDADeviceAttr>();
  if ((Kernel || Device) && !F->hasAttr<clang::CUDAHostAttr>()) {
    bool Seen = seesGenerator(F);
    return !Seen || (!Kernel && isLibraryCode(F, SM, Own, Known));
  }
  // Templates of the standard library call user code: without their bodies,
  // user templates would not be instantiated.
  if (F->isTemplated() && isStandard(F))
    return false;
  return isLibraryCode(F, SM, Own, Known);
}

} // namespace cudagraph::driver
