//===- MoveLowering.h - Moves from one object to another --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object that is moved passes its resources to another object, so its
// destruction frees nothing afterwards. Defaulted moves have no body to
// analyze, and library moves into an element of a container are not entered.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_MOVELOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_MOVELOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class MoveLowering {
public:
  explicit MoveLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// True if an object of class \p RD, which may be null, owns a resource that
  /// a move takes.
  bool owns(const clang::CXXRecordDecl *RD) { return owns(RD, 0); }

  /// Moves the resources of the object at \p From, of class \p RD, to the
  /// object at \p To.
  void move(const clang::CXXRecordDecl *RD, ExprId To, ExprId From,
            Span Where) {
    move(RD, To, From, Where, 0);
  }

  /// Moves the object \p E, whose result is the argument of a function that
  /// takes it, to a temporary object. Returns the value of that object; None if
  /// \p E is not a moved object that owns a resource.
  ExprId take(const clang::Expr *E);

  /// Handles a library function, \p Callee, that receives \p Args, whose
  /// lowered form is \p Lowered: it takes the moved objects, and stores them at
  /// \p To; None: at an unknown place.
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
