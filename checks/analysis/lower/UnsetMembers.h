//===- UnsetMembers.h - Members that stay null ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream that a class declares with a null initializer, and that nothing
// sets, is the default stream. Only the members of a class that is defined in
// the main file are known: other units cannot set them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_UNSETMEMBERS_H
#define CUDAGRAPH_ANALYSIS_LOWER_UNSETMEMBERS_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace cudagraph {

class UnsetMembers {
public:
  explicit UnsetMembers(clang::ASTContext &Ctx) : Ctx(Ctx) {}

  /// True if the pointer \p Member is null whenever it is read.
  bool isNull(const clang::FieldDecl *Member);

private:
  bool isCandidate(const clang::FieldDecl *Member) const;

  clang::ASTContext &Ctx;
  /// The members that the main file sets, or whose addresses it takes.
  std::optional<llvm::DenseSet<const clang::FieldDecl *>> Set;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_UNSETMEMBERS_H
