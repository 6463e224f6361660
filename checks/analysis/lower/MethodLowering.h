//===- MethodLowering.h - One call to a method ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers calls to member functions. The effects of owners, containers, and
// optionals of the standard library become assignments; other calls are lowered
// as calls to the method.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_METHODLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_METHODLOWERING_H

#include "ExprLowering.h"
#include <optional>

namespace cudagraph {

/// A call with a known object and method.
struct MethodCall {
  /// Nothing if \p E has no object.
  static std::optional<MethodCall> of(const clang::CallExpr *E);

  const clang::CallExpr *Call;
  const clang::CXXMethodDecl *Method;
  const clang::Expr *Object;                ///< or a pointer to it
  llvm::ArrayRef<const clang::Expr *> Args; ///< without the object
  bool Virtual = false;                     ///< an override may be called
};

class MethodLowering {
public:
  MethodLowering(ExprLowering &L, const MethodCall &Call);

  /// Returns the value of the call. \p O is its operation, with the parts that
  /// are the same for all calls.
  ExprId run(Op O);

private:
  // Each returns nothing if the call is of another kind. Place is the object.
  std::optional<ExprId> assignment(ExprId Place);
  bool adds() const;
  bool drops() const;
  bool addsToTable() const;
  const clang::Expr *valueAtPosition() const;
  std::optional<ExprId> insertion(ExprId Place);
  ExprId insertionResult(ExprId V);
  std::optional<ExprId> fillOptional(ExprId Place);
  std::optional<ExprId> assignOptional(ExprId Place,
                                       const clang::CXXRecordDecl *Held);
  std::optional<ExprId> reset(ExprId Place);
  std::optional<ExprId> release(ExprId Place);
  std::optional<ExprId> conversion(ExprId Place);

  std::pair<const clang::Expr *, const clang::Expr *> keyAndValue() const;
  bool holdsValue() const;
  Span where() const;
  ExprId firstArgument() { return L.argument(Call.Args.front()); }

  ExprLowering &L;
  ExprBuilder &Exprs;
  const MethodCall &Call;
  const clang::CXXRecordDecl *Class;
  const LibraryShape Shape;   ///< of the class
  const llvm::StringRef Name; ///< of the method; empty for operators
  ExprId Inserted = None;     ///< the element that the argument becomes
  ExprId Emplaced = None;     ///< the element, if the method may return it
  ExprId Entry = None;        ///< the element that is added to a table
  bool EntryIsNull = false;   ///< it has no initial value, or a null pointer
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_METHODLOWERING_H
