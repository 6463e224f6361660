//===- AtomicLowering.h - Values of atomic objects --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like a variable, an atomic object has the value that the program stored last.
// The calls to its methods remain operations: they may order threads, and
// another thread may have stored the value that a method returns.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_ATOMICLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_ATOMICLOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class AtomicLowering {
public:
  explicit AtomicLowering(ExprLowering &L) : L(L) {}

  /// True for std::atomic and similar classes.
  bool isOne(const clang::CXXRecordDecl *Class) const;

  /// Called when \p Object is created with the value of \p Args.
  void created(ExprId Object, llvm::ArrayRef<CallArg> Args, Span Where) const;

  /// Called after a call to \p Method for \p Object, with \p Args.
  void called(const clang::CXXMethodDecl *Method, ExprId Object,
              llvm::ArrayRef<CallArg> Args, Span Where) const;

private:
  void changed(ExprId Object, ExprId Value, Span Where) const;

  ExprLowering &L;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_ATOMICLOWERING_H
