//===- Invocation.h - Calls that library functions make ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some functions of the standard library call a callable with parts of their
// other arguments: std::apply with the elements of a tuple, and std::visit with
// alternatives of variants.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_INVOCATION_H
#define CUDAGRAPH_ANALYSIS_LOWER_INVOCATION_H

#include "ExprLowering.h"

namespace cudagraph {

/// A call operator of a class.
struct CallOperator {
  const clang::CXXMethodDecl *Method = nullptr;
  bool OfLambda = false;
  ExprId Object = None; ///< the place of the object
};

/// Returns the call operators of \p RD, whose object is at \p Place, and of its
/// base classes, with \p Count parameters. Instances of templates are sorted.
llvm::SmallVector<CallOperator, 8> operatorsOf(ExprLowering &L,
                                               const clang::CXXRecordDecl *RD,
                                               ExprId Place, unsigned Count);

/// The call at \p E that the library makes to \p To with the contents of \p
/// Parts, or with references to them. The arguments have the range of \p From.
Op invocation(ExprLowering &L, const clang::CallExpr *E, const CallOperator &To,
              llvm::ArrayRef<ExprId> Parts, const clang::Expr *From);

/// Adds \p Parts as arguments to \p O. \p Params: the called function, or null.
void addParts(ExprLowering &L, Op &O, const clang::FunctionDecl *Params,
              llvm::ArrayRef<ExprId> Parts, const clang::Expr *From);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_INVOCATION_H
