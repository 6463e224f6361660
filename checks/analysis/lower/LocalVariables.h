//===- LocalVariables.h - The variables of a function -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers local variables and parameters, and says where they are stored.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LOCALVARIABLES_H
#define CUDAGRAPH_ANALYSIS_LOWER_LOCALVARIABLES_H

#include "ExprBuilder.h"
#include "LibraryShape.h"
#include "clang/AST/Decl.h"

namespace cudagraph {

class LocalVariables {
public:
  /// Adds the variables that it meets to \p Vars, which nobody else changes.
  LocalVariables(std::vector<LocalVar> &Vars, ExprBuilder &Exprs,
                 LibraryNames &Names)
      : Vars(Vars), Exprs(Exprs), Names(Names) {}

  /// The number of \p VD, which has no static storage duration.
  unsigned number(const clang::VarDecl *VD);
  bool has(const clang::VarDecl *VD) const { return Number.count(VD); }
  /// The variable \p Name that has a number, of several the one that has come
  /// last; null if there is none.
  const clang::VarDecl *named(llvm::StringRef Name) const;

  /// What \p VD itself is stored in, which has no static storage duration.
  ExprId storageOf(const clang::VarDecl *VD);
  /// What the name of \p VD, any variable, denotes: of a local reference, what
  /// it refers to.
  ExprId placeOf(const clang::VarDecl *VD);

private:
  LocalVar describe(const clang::VarDecl *VD);

  std::vector<LocalVar> &Vars;
  ExprBuilder &Exprs;
  LibraryNames &Names;
  llvm::DenseMap<const clang::VarDecl *, unsigned> Number;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LOCALVARIABLES_H
