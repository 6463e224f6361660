//===- FreshContext.cpp - Prepares the AST for a parse --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreshContext.h"
#include "versions/PrivateMembers.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExternalASTSource.h"

namespace cudagraph::driver {

void prepareFreshContext(clang::ASTContext &Context) {
  reserveTypes(Context);
  // Clang always creates a reader of compiled files, for which each chain of
  // declarations reserves memory.
  Context.setExternalSource(nullptr);
}

} // namespace cudagraph::driver
