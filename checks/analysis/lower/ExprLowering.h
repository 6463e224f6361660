//===- ExprLowering.h - The expressions of one block ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions follow C++'s own distinction: place() lowers glvalues, value()
// prvalues, and an lvalue-to-rvalue conversion is a Load. What cannot be
// expressed becomes Unknown, unique at its site, so that two unknowns are never
// taken for the same thing.
//
// Each kind of expression has a class that lowers it (PlaceLowering,
// CallLowering and so on). The kinds contain each other, so these classes reach
// each other through this one alone.
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
  /// What expressions do goes to \p Ops, the operations of one block.
  ExprLowering(BodyState &Body, std::vector<Op> &Ops);

  BodyState &Body;
  FunctionTable &Table;
  LibraryNames &Names;
  ExprBuilder &Exprs;
  OpSink Out;

  /// The storage that \p E denotes.
  ExprId place(const clang::Expr *E);
  /// What \p E evaluates to; of a glvalue, what is stored there.
  ExprId value(const clang::Expr *E);
  /// What is passed to parameter \p P, or, where that is null, by value: of
  /// what is bound to a reference, the address.
  ExprId argument(const clang::Expr *E, const clang::ParmVarDecl *P = nullptr);
  /// The same for a parameter of type \p Param; null: not known.
  ExprId argument(const clang::Expr *E, clang::QualType Param);
  /// The object that a member of \p E, an object or a pointer to one, has.
  ExprId object(const clang::Expr *E);
  /// Initializes the object at \p Place from the prvalue or conversion \p Init.
  void init(ExprId Place, const clang::Expr *Init);

  // Each expression is lowered where it is met first.
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

/// \p E without parentheses and what else changes neither place nor value.
const clang::Expr *stripped(const clang::Expr *E);

/// Returns the expression that \p E is made from by conversions and by
/// constructors of one argument.
const clang::Expr *sourceOf(const clang::Expr *E);

/// Returns the list in braces that \p E makes a container from; null if there
/// is none.
const clang::CXXStdInitializerListExpr *listOf(const clang::Expr *E);

/// The call, or the list in braces, that makes the temporary \p E.
const clang::Expr *madeBy(const clang::Expr *E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_EXPRLOWERING_H
