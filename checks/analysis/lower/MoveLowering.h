//===- MoveLowering.h - What moves from one object to another ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object that is moved gives what it owns to another one: its end frees
// nothing afterwards. Defaulted moves have no body to look at, and what a
// library moves into an element of a container is not looked into.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_MOVELOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_MOVELOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class MoveLowering {
public:
  explicit MoveLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// True if an object of class \p RD, which may be null, owns something that
  /// a move takes from it.
  bool owns(const clang::CXXRecordDecl *RD) { return owns(RD, 0); }

  /// What the object at \p From, of class \p RD, owns becomes that of the one
  /// at \p To.
  void move(const clang::CXXRecordDecl *RD, ExprId To, ExprId From,
            Span Where) {
    move(RD, To, From, Where, 0);
  }

  /// A function of a library, \p Callee, is given \p Args, which \p Lowered
  /// says in other words: it takes what is moved to it, and keeps that at
  /// \p To; None: where nobody sees it.
  void moveInto(ExprId To, llvm::ArrayRef<const clang::Expr *> Args,
                const std::vector<CallArg> &Lowered,
                const clang::FunctionDecl *Callee, Span Where);

private:
  bool owns(const clang::CXXRecordDecl *RD, unsigned Depth);
  void move(const clang::CXXRecordDecl *RD, ExprId To, ExprId From, Span Where,
            unsigned Depth);

  ExprLowering &L;
  ExprBuilder &Exprs;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_MOVELOWERING_H
