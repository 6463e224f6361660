//===- LocalVariables.h - The variables of a function -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers local variables and parameters and returns their storage.
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
  /// Adds the variables that it encounters to \p Vars, which must not be
  /// changed elsewhere.
  LocalVariables(std::vector<LocalVar> &Vars, ExprBuilder &Exprs,
                 LibraryNames &Names)
      : Vars(Vars), Exprs(Exprs), Names(Names) {}

  /// The number of \p VD, which does not have static storage duration.
  unsigned number(const clang::VarDecl *VD);
  bool has(const clang::VarDecl *VD) const { return Number.count(VD); }
  /// The last variable \p Name that has a number; null if there is none.
  const clang::VarDecl *named(llvm::StringRef Name) const;

  /// The storage of \p VD itself, which does not have static storage duration.
  ExprId storageOf(const clang::VarDecl *VD);
  /// The place that the name of \p VD denotes: the target of a local reference,
  /// or the storage of any other variable.
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
