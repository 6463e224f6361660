//===- HandleLists.h - Lists of streams and events --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are added to a vector one after the other have the numbers with
// which the program reads them. Only streams and events have identities that
// matter; a number for each element of other lists would only cost time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_HANDLELISTS_H
#define CUDAGRAPH_ANALYSIS_LOWER_HANDLELISTS_H

#include "ExprLowering.h"

namespace cudagraph {

class HandleLists {
public:
  explicit HandleLists(ExprLowering &L) : L(L) {}

  /// True for vectors of streams or events.
  bool isOne(const clang::CXXRecordDecl *Class) const;

  /// The element of \p List that is added next.
  ExprId next(ExprId List) const;
  /// The last element of \p List.
  ExprId last(ExprId List) const;

  /// Called when \p List is created empty, or cleared.
  void clear(ExprId List) const;
  /// Called after an element was added to \p List.
  void added(ExprId List) const;
  /// Called after a call to the method \p Name of \p List.
  void changed(ExprId List, llvm::StringRef Name) const;
  /// Called when the number of elements of \p List becomes unknown.
  void lost(ExprId List) const;

private:
  ExprId size(ExprId List) const;

  ExprLowering &L;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_HANDLELISTS_H
