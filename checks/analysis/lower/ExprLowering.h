//===- ExprLowering.h - The expressions of one block ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions follow the distinction of C++: place() lowers glvalues, value()
// lowers prvalues, and an lvalue-to-rvalue conversion is a Load. An expression
// that cannot be represented becomes an Unknown that is unique for its site, so
// that two unknowns are never treated as equal.
//
// A class lowers each kind of expression (PlaceLowering, CallLowering, and so
// on). Expressions of different kinds are nested, so these classes call each
// other, but only through this one.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_EXPRLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_EXPRLOWERING_H

#include "BodyState.h"
#include "OpSink.h"
#include "clang/AST/ExprCXX.h"

namespace cudagraph {

class ExprLowering {
public:
  /// Effects of expressions are added to \p Ops, the operations of one block.
  ExprLowering(BodyState &Body, std::vector<Op> &Ops);

  BodyState &Body;
  FunctionTable &Table;
  LibraryNames &Names;
  ExprBuilder &Exprs;
  OpSink Out;

  /// The storage that \p E denotes.
  ExprId place(const clang::Expr *E);
  /// The value of \p E; for a glvalue, the contents of its storage.
  ExprId value(const clang::Expr *E);
  /// The value of \p E as passed to parameter \p P: for a reference parameter,
  /// the address. If \p P is null, \p E is passed by value.
  ExprId argument(const clang::Expr *E, const clang::ParmVarDecl *P = nullptr);
  /// The same for a parameter of type \p Param; null: unknown.
  ExprId argument(const clang::Expr *E, clang::QualType Param);
  /// The object whose member is accessed through \p E, an object or a pointer
  /// to one.
  ExprId object(const clang::Expr *E);
  /// The number of the block to which operations are added; nothing if they
  /// belong to no block of the function.
  std::optional<unsigned> block() const;
  /// Initializes the object at \p Place from the prvalue or conversion \p Init.
  void init(ExprId Place, const clang::Expr *Init);

  // Each expression is lowered where it is first reached.
  ExprId call(const clang::CallExpr *E);
  ExprId construct(const clang::CXXConstructExpr *E);
  ExprId allocate(const clang::CXXNewExpr *E);
  ExprId lambda(const clang::LambdaExpr *E);

private:
  ExprId once(const clang::Expr *E, llvm::function_ref<ExprId()> Lower);
};

/// The member that stands for the base class with the number \p Index, if that
/// is a lambda.
inline std::string baseName(unsigned Index) {
  return "base " + std::to_string(Index);
}

/// \p E without parentheses and other parts that change neither place nor
/// value.
const clang::Expr *stripped(const clang::Expr *E);

/// Returns the expression from which \p E is created by conversions and
/// constructors with one argument.
const clang::Expr *sourceOf(const clang::Expr *E);

/// Returns the braced list from which \p E creates a container; null if there
/// is none.
const clang::CXXStdInitializerListExpr *listOf(const clang::Expr *E);

/// The call, or the braced list, that creates the temporary \p E.
const clang::Expr *madeBy(const clang::Expr *E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_EXPRLOWERING_H
