//===- TableMarking.h - The known keys of a table ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Notes the keys that a program adds to its tables of handles, pointers, and
// objects (see TableMarks.h). The keys of other tables would only cost time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_TABLEMARKING_H
#define CUDAGRAPH_ANALYSIS_LOWER_TABLEMARKING_H

#include "ExprLowering.h"

namespace cudagraph {

class TableMarking {
public:
  TableMarking(ExprLowering &L, const clang::CXXRecordDecl *Class)
      : L(L), Mapped(mappedType(L, Class)) {}

  /// True if the class is one of a table whose keys are noted. The others are
  /// only for such classes.
  bool isOne() const { return !Mapped.isNull(); }

  /// Called when \p Table is created empty, or cleared.
  void created(ExprId Table) const;
  /// Called when \p Element is added, unless the table has its key. \p Null: a
  /// new element is null.
  void added(ExprId Element, bool Null) const;
  /// Called after a call to the method \p Name of \p Table with \p Args that
  /// does not only add an element.
  void changed(ExprId Table, llvm::StringRef Name,
               llvm::ArrayRef<const clang::Expr *> Args) const;

  /// True if a new element without an initial value is null.
  bool startsNull() const { return Mapped->isPointerType(); }

private:
  static clang::QualType mappedType(const ExprLowering &L,
                                    const clang::CXXRecordDecl *Class);
  void lost(ExprId Table) const;
  void mark(ExprId Of, const char *Member, int64_t Value) const;

  ExprLowering &L;
  /// Of the elements; null if their keys are not noted.
  clang::QualType Mapped;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_TABLEMARKING_H
