//===- DestroyLowering.h - Object destruction -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destructors, delete, and the equivalents in the owners of the standard
// library.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_DESTROYLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_DESTROYLOWERING_H

#include "ExprLowering.h"
#include "clang/Analysis/CFG.h"

namespace cudagraph {

/// Returns the type of the elements of a container of class \p RD, or of the
/// values of a table; null if it is unknown.
clang::QualType elementType(const clang::CXXRecordDecl *RD);

class DestroyLowering {
public:
  explicit DestroyLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// Lowers the destruction of the object at \p Object, of class \p RD.
  void destroy(const clang::CXXRecordDecl *RD, ExprId Object, Span Where) {
    destroy(RD, Object, Where, /*Depth=*/0, /*IsBase=*/false);
  }
  /// Lowers the implicit destruction \p D.
  void destroyImplicitly(const clang::CFGImplicitDtor &D);
  void destroyByDelete(const clang::CXXDeleteExpr *E);

  /// Releases the object of \p Owner, if that is a smart pointer, or points to
  /// one: the destructor runs, if there is one. \p Holder is the place of the
  /// smart pointer.
  void release(const clang::Expr *Owner, ExprId Holder, Span Where);

  /// Empties the container of class \p RD at \p Container. \p Frees: the memory
  /// of its elements is freed.
  void clear(const clang::CXXRecordDecl *RD, ExprId Container, Span Where,
             bool Frees = false);

  /// Handles the container of class \p RD at \p Container, which may drop
  /// elements. The elements are unknown, so nothing is destroyed here: the
  /// destructors are called under a condition that is never true. These calls
  /// show what the function may drop.
  void mayDrop(const clang::CXXRecordDecl *RD, ExprId Container, Span Where);

private:
  /// An implicit end of a lifetime.
  struct Ending {
    ExprId Object = None;
    const clang::CXXRecordDecl *Class = nullptr;
    Span Where;
  };
  Ending endingOf(const clang::CFGImplicitDtor &D);
  void destroy(const clang::CXXRecordDecl *RD, ExprId Object, Span Where,
               unsigned Depth, bool IsBase);
  void destroyOwner(const clang::CXXRecordDecl *RD, ExprId Owner, Span Where,
                    unsigned Depth);
  bool callDeleter(const clang::ClassTemplateSpecializationDecl *Unique,
                   ExprId Owner, Span Where);
  void callDestructor(const clang::CXXDestructorDecl *D, ExprId Object,
                      Span Where, bool IsBase);

  ExprLowering &L;
  ExprBuilder &Exprs;
  bool OnlyCalls = false; ///< see mayDrop()
  bool Ends = false;      ///< the lifetime of an object ends at this point
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_DESTROYLOWERING_H
