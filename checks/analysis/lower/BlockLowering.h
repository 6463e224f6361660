//===- BlockLowering.h - The statements of one block ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the elements of a block of Clang's CFG into operations: statements,
// initializers of members, destructors, ends of scopes, and the condition.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_BLOCKLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_BLOCKLOWERING_H

#include "AnchoredOps.h"
#include "ExprLowering.h"
#include "clang/Analysis/CFG.h"

namespace cudagraph {

/// Lowers the elements of one block of Clang's CFG, without its edges.
class BlockLowering {
public:
  /// \p Anchored contains the operations of the function that have no element.
  BlockLowering(BodyState &Body, AnchoredOps &Anchored, Block &Out)
      : Body(Body), Exprs(Body.Exprs), Anchored(Anchored), Out(Out),
        L(Body, Out.Ops) {}

  void lower(const clang::CFGBlock *B);

private:
  void lowerElement(const clang::CFGElement &E);
  void lowerStmt(const clang::Stmt *S);
  void lowerDeclaration(const clang::DeclStmt *S);
  void lowerReturn(const clang::ReturnStmt *S);
  void lowerAssignment(const clang::BinaryOperator *E);
  void lowerChoice(const clang::BinaryOperator *E,
                   const clang::AbstractConditionalOperator *Choice);
  void lowerIncrement(const clang::UnaryOperator *E);
  void lowerThrow(const clang::CXXThrowExpr *E);
  void lowerVar(const clang::VarDecl *VD);
  void lowerStaticVar(const clang::VarDecl *VD, const clang::Expr *Init);
  void lowerMemberInit(const clang::CXXCtorInitializer *I);
  void lowerEndOfLife(const clang::VarDecl *VD);
  void lowerCondition(const clang::CFGBlock *B);

  /// Initializes the variable or member of type \p T at \p Place.
  void bindOrInit(clang::QualType T, ExprId Place, const clang::Expr *Init);
  void addAnchored(const clang::Stmt *Before);

  BodyState &Body;
  ExprBuilder &Exprs;
  AnchoredOps &Anchored;
  Block &Out;
  ExprLowering L;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_BLOCKLOWERING_H
