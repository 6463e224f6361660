//===- LambdaCaptures.h - The captures of a lambda --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside a lambda's call operator, captured variables are members of the
// closure, with names that exist only in flow graphs: `capture 0`, `capture
// this`.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LAMBDACAPTURES_H
#define CUDAGRAPH_ANALYSIS_LOWER_LAMBDACAPTURES_H

#include "ExprBuilder.h"
#include "clang/AST/Decl.h"

namespace cudagraph {

class LambdaCaptures {
public:
  /// \p Def is the lowered function: a call operator, or any other function.
  LambdaCaptures(const clang::FunctionDecl *Def, ExprBuilder &Exprs);

  /// The place of \p D if it is captured, else None.
  ExprId placeOf(const clang::ValueDecl *D);
  /// True inside a lambda that captures `this`.
  bool hasThis() const { return HasThis; }
  /// The value of `this` in the body.
  ExprId thisPointer();

  /// The member for capture \p Index of a lambda.
  static std::string nameOf(unsigned Index);
  /// The member for the captured `this`.
  static const char *nameOfThis() { return "capture this"; }

private:
  struct Capture {
    unsigned Index;
    bool ByReference;
  };

  ExprBuilder &Exprs;
  llvm::DenseMap<const clang::ValueDecl *, Capture> Captured;
  bool HasThis = false;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LAMBDACAPTURES_H
