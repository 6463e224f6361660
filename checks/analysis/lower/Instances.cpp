//===- Instances.cpp - The instances of a template ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instances.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace cudagraph {

std::string instanceArguments(const Decl *D) {
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  PrintingPolicy Policy(D->getASTContext().getLangOpts());
  auto Print = [&](const TemplateArgumentList &List) {
    for (const TemplateArgument &A : List.asArray()) {
      A.print(Policy, Out, /*IncludeType=*/true);
      Out << ',';
    }
  };
  for (const auto *DC = dyn_cast<DeclContext>(D) ? dyn_cast<DeclContext>(D)
                                                 : D->getDeclContext();
       DC; DC = DC->getParent()) {
    if (const auto *FD = dyn_cast<FunctionDecl>(DC)) {
      if (const TemplateArgumentList *List =
              FD->getTemplateSpecializationArgs())
        Print(*List);
    } else if (const auto *CD = dyn_cast<ClassTemplateSpecializationDecl>(DC)) {
      Print(CD->getTemplateArgs());
    }
    Out << ';';
  }
  return Result;
}

llvm::SmallVector<const FunctionDecl *, 4>
instancesOf(const FunctionTemplateDecl *Template) {
  llvm::SmallVector<const FunctionDecl *, 4> Result;
  for (const FunctionDecl *Each : Template->specializations())
    Result.push_back(Each);
  sortInstances<const FunctionDecl *>(
      Result, [](const FunctionDecl *FD) { return FD; });
  return Result;
}

} // namespace cudagraph
