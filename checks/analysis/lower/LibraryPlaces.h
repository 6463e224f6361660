//===- LibraryPlaces.h - Storage in library objects -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Library members that denote storage: the elements of containers, the targets
// of owners, and the argument of a forwarding function.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LIBRARYPLACES_H
#define CUDAGRAPH_ANALYSIS_LOWER_LIBRARYPLACES_H

#include "ExprLowering.h"

namespace cudagraph {

class LibraryPlaces {
public:
  explicit LibraryPlaces(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// The target of the result of \p E.
  ExprId ofCall(const clang::CallExpr *E);

  /// The same, if \p E calls one of these members; else None.
  ExprId ofAccessor(const clang::CallExpr *E);

private:
  ExprId find(const clang::CallExpr *E);
  ExprId deviceElements(const clang::CallExpr *E);
  ExprId pairMember(const clang::CallExpr *E);
  ExprId ofForwarding(const clang::CallExpr *E);
  ExprId ofRangeAccess(const clang::CallExpr *E, llvm::StringRef Name);
  ExprId ofElements(const clang::CallExpr *E, const clang::Expr *Object,
                    const clang::CXXRecordDecl *Class, llvm::StringRef Name);
  ExprId ofMethod(const clang::CallExpr *E, const clang::CXXMethodDecl *M);

  ExprLowering &L;
  ExprBuilder &Exprs;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LIBRARYPLACES_H
