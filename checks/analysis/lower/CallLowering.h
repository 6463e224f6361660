//===- CallLowering.h - One call expression ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most calls are operations. Some are values without an operation: builtins,
// casts of the standard library, and accessors of containers and owners. The
// source of some callees hardly shows their effect: they assign owners, swap
// objects, or set optionals.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_CALLLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_CALLLOWERING_H

#include "ExprLowering.h"
#include <optional>

namespace cudagraph {

class CallLowering {
public:
  CallLowering(ExprLowering &L, const clang::CallExpr *E)
      : L(L), Exprs(L.Exprs), E(E), FD(E->getDirectCallee()) {}

  /// Returns the value of the call.
  ExprId run();

private:
  // Each returns nothing for a call of a different kind.
  ExprId lowered();
  std::optional<ExprId> builtin();
  std::optional<ExprId> constant();
  std::optional<ExprId> ofStandardLibrary();
  std::optional<ExprId> accessor();
  std::optional<ExprId> nullComparison();
  std::optional<ExprId> forwarded();
  std::optional<ExprId> formatting();
  std::optional<ExprId> kernel();
  std::optional<ExprId> throughMemberPointer();
  std::optional<ExprId> method();

  ExprId exchange();
  ExprId swap();
  ExprId other();
  void setToZero(ExprId Address);
  Op start();
  Span where() const;
  llvm::ArrayRef<const clang::Expr *> args() const;

  ExprLowering &L;
  ExprBuilder &Exprs;
  const clang::CallExpr *E;
  const clang::FunctionDecl *FD;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_CALLLOWERING_H
