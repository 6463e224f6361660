//===- QualifiedName.cpp - Names in the catalogue's spelling --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QualifiedName.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

std::string canonicalName(const NamedDecl *D) {
  if (const auto *C = dyn_cast<CXXConstructorDecl>(D))
    return C->getParent()->getNameAsString();
  if (const auto *C = dyn_cast<CXXDestructorDecl>(D))
    return "~" + C->getParent()->getNameAsString();
  if (const auto *R = dyn_cast<CXXRecordDecl>(D); R && R->isLambda())
    return "(lambda)";
  return D->getNameAsString();
}

std::string canonicalQualifiedName(const NamedDecl *D) {
  llvm::SmallVector<std::string, 4> Parts{canonicalName(D)};
  for (const DeclContext *DC = D->getDeclContext(); DC; DC = DC->getParent()) {
    if (const auto *NS = dyn_cast<NamespaceDecl>(DC)) {
      if (!NS->isInline() && !NS->isAnonymousNamespace())
        Parts.push_back(NS->getNameAsString());
    } else if (const auto *R = dyn_cast<RecordDecl>(DC)) {
      Parts.push_back(canonicalName(R));
    } else if (const auto *F = dyn_cast<FunctionDecl>(DC)) {
      Parts.push_back(canonicalName(F));
    }
  }
  std::string Result;
  for (const std::string &Part : llvm::reverse(Parts))
    Result += (Result.empty() ? "" : "::") + Part;
  return Result;
}

} // namespace cudagraph
