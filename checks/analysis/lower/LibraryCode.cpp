//===- LibraryCode.cpp - Functions that are not entered -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryCode.h"
#include <utility>

using namespace clang;

namespace cudagraph {

using catalogue::Role;

bool isInLibraryNamespace(const FunctionDecl *FD,
                          const catalogue::Catalogue &Known) {
  const DeclContext *Top = nullptr, *Second = nullptr;
  for (const DeclContext *DC = FD->getDeclContext();
       DC && !DC->isTranslationUnit(); DC = DC->getParent())
    if (isa<NamespaceDecl>(DC))
      Second = std::exchange(Top, DC);
  // C interfaces of such libraries.
  if (FD->isExternC() && FD->getDeclName().isIdentifier() &&
      Known.is(Role::LibraryFunction, FD->getName()))
    return true;
  const auto *Outer = dyn_cast_or_null<NamespaceDecl>(Top);
  if (!Outer || !Outer->getIdentifier())
    return false;
  if (Known.is(Role::LibraryNamespace, Outer->getName()))
    return true;
  const auto *Inner = dyn_cast_or_null<NamespaceDecl>(Second);
  return Inner && Inner->getIdentifier() &&
         Known.is(Role::LibraryNamespace,
                  (Outer->getName() + "::" + Inner->getName()).str());
}

bool isLibraryCode(const FunctionDecl *FD, const SourceManager &SM,
                   const ProjectCode &Own, const catalogue::Catalogue &Known) {
  SourceLocation Loc = SM.getExpansionLoc(FD->getLocation());
  if (SM.isInSystemHeader(Loc))
    return !Own.owns(Loc);
  return !SM.isInMainFile(Loc) && isInLibraryNamespace(FD, Known) &&
         !Own.owns(Loc);
}

} // namespace cudagraph
