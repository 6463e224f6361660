//===- BodyIndex.cpp - An index of a function body ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyIndex.h"
#include "versions/ClangVersions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace cudagraph {

namespace {
class Indexer : public DynamicRecursiveASTVisitor {
public:
  Indexer(BodyIndex &Index, const ASTContext &Context)
      : Index(Index), Context(Context) {}

  bool VisitCompoundStmt(CompoundStmt *S) override {
    for (const Stmt *Child : S->body())
      drop(Child);
    return true;
  }
  bool VisitIfStmt(IfStmt *S) override {
    drop(S->getThen());
    drop(S->getElse());
    return true;
  }
  bool VisitForStmt(ForStmt *S) override {
    drop(S->getInit());
    drop(S->getInc());
    drop(S->getBody());
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) override {
    drop(S->getBody());
    return true;
  }
  bool VisitWhileStmt(WhileStmt *S) override {
    drop(S->getBody());
    return true;
  }
  bool VisitDoStmt(DoStmt *S) override {
    drop(S->getBody());
    return true;
  }
  bool VisitSwitchCase(SwitchCase *S) override {
    drop(S->getSubStmt());
    return true;
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *E) override {
    leaveOut(E->getOperand());
    return true;
  }
  bool TraverseCallExpr(CallExpr *E) override {
    const FunctionDecl *FD = E->getDirectCallee();
    if (!FD || !FD->getBuiltinID() ||
        !Context.BuiltinInfo.isUnevaluated(FD->getBuiltinID()))
      return DynamicRecursiveASTVisitor::TraverseCallExpr(E);
    for (const clang::Expr *Arg : E->arguments())
      leaveOut(Arg);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) override {
    for (const clang::Expr *Arg : E->arguments())
      pass(Arg);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    for (const clang::Expr *Arg : E->arguments())
      pass(Arg);
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *E) override {
    if (!E->isArray() && E->getInitializer())
      Index.Created.push_back(E);
    return true;
  }
  bool VisitCXXTryStmt(CXXTryStmt *) override {
    Index.Catches = true;
    return true;
  }
  bool VisitLabelStmt(LabelStmt *S) override {
    drop(S->getSubStmt());
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) override {
    if (VD->getInit() && !VD->getType()->isReferenceType() &&
        VD->isLocalVarDecl() && (!VD->isStaticLocal() || isConstructed(VD)))
      Index.Initialized.push_back(VD);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool TraverseCXXRecordDecl(CXXRecordDecl *) override { return true; }

private:
  /// True if a constructor of the program initializes the static variable \p VD
  /// when control reaches it first.
  static bool isConstructed(const VarDecl *VD) {
    const auto *Made =
        dyn_cast<CXXConstructExpr>(VD->getInit()->IgnoreImplicit());
    return Made && Made->getConstructor()->isUserProvided() &&
           !Made->getConstructor()->isInStdNamespace() &&
           !VD->hasConstantInitialization();
  }

  /// Records that nothing in \p S is evaluated.
  void leaveOut(const Stmt *S) {
    if (!S || !Index.Unevaluated.insert(S).second)
      return;
    for (const Stmt *Child : S->children())
      leaveOut(Child);
  }

  /// Handles the argument \p Arg. An argument that is bound to a reference is
  /// materialized first.
  void pass(const clang::Expr *Arg) {
    while (true) {
      Arg = Arg->IgnoreParens();
      if (const auto *X = dyn_cast<CXXFunctionalCastExpr>(Arg))
        Arg = X->getSubExpr();
      else if (const auto *X = dyn_cast<ImplicitCastExpr>(Arg);
               X && (X->getCastKind() == CK_NoOp ||
                     X->getCastKind() == CK_ConstructorConversion))
        Arg = X->getSubExpr();
      else
        break;
    }
    const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(Arg);
    if (!Bound)
      return;
    Index.Parameters.insert(Bound);
    // Before C++17, the temporary is moved to the parameter, or is the
    // parameter.
    if (const auto *Copy = dyn_cast<CXXConstructExpr>(Bound->getSubExpr());
        Copy && Copy->isElidable() && Copy->getNumArgs())
      if (const auto *From = dyn_cast<MaterializeTemporaryExpr>(
              Copy->getArg(0)->IgnoreParens()))
        pass(From->getSubExpr());
  }

  /// Handles \p S, whose value is not used.
  void drop(const Stmt *S) {
    const auto *E = dyn_cast_or_null<clang::Expr>(S);
    while (E) {
      E = E->IgnoreParens();
      if (const auto *X = dyn_cast<FullExpr>(E))
        E = X->getSubExpr();
      // A cast to void shows that ignoring the value is intentional.
      else if (const auto *X = dyn_cast<BinaryOperator>(E);
               X && X->getOpcode() == BO_Comma) {
        drop(X->getLHS());
        E = X->getRHS();
      } else
        break;
    }
    if (E && isa<CallExpr>(E))
      Index.Discarded.insert(E);
  }

  BodyIndex &Index;
  const ASTContext &Context;
};
} // namespace

BodyIndex::BodyIndex(const Stmt *Body, const ASTContext &Context) {
  Indexer(*this, Context).TraverseStmt(const_cast<Stmt *>(Body));
}

} // namespace cudagraph
