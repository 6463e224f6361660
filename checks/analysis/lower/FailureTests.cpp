//===- FailureTests.cpp - Conditions and returns of failure ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailureTests.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

/// True for a type of API results in which zero means success.
bool FailureTests::isStatusType(QualType T) const {
  const auto *ET = T.getCanonicalType()->getAs<EnumType>();
  return ET && Names.of(ET->getDecl()).has(Role::StatusResult);
}

bool FailureTests::isZero(const clang::Expr *E) const {
  clang::Expr::EvalResult V;
  return !E->isValueDependent() && E->EvaluateAsInt(V, Ctx) &&
         V.Val.getInt() == 0;
}

/// True if the name shows a failure: err == cudaErrorMemoryAllocation.
bool FailureTests::isFailureCode(const clang::Expr *E) const {
  const auto *DRE = dyn_cast<DeclRefExpr>(E);
  const auto *Code = DRE ? dyn_cast<EnumConstantDecl>(DRE->getDecl()) : nullptr;
  return Code && !Names.catalogue().is(Role::PendingStatus, Code->getName());
}

namespace {

/// The maximum depth of functions that call one another.
constexpr unsigned MaxConverters = 4;

/// The result of a small function for one argument: constants selected by
/// conditions on that argument alone and on the results of other such
/// functions.
class Answer {
public:
  Answer(const ASTContext &Ctx, const FunctionDecl *F, const clang::Expr *Arg,
         unsigned Depth = 0)
      : Ctx(Ctx), F(F), Arg(Arg), Depth(Depth) {}

  std::optional<llvm::APSInt> find() {
    return run(F->getBody()) == Returned ? Value : std::nullopt;
  }

private:
  enum Exit { Next, Broken, Returned, Lost };

  std::optional<llvm::APSInt> evaluate(const clang::Expr *E) const {
    APValue V;
    if (!E || E->isValueDependent())
      return std::nullopt;
    // The context does not change, except for cached evaluations.
    if (E->EvaluateWithSubstitution(V, const_cast<ASTContext &>(Ctx), F, {Arg}))
      return V.isInt() ? std::optional(V.getInt()) : std::nullopt;
    E = E->IgnoreParens();
    // Clang stops at a function that is not constexpr.
    if (const auto *Call = dyn_cast<CallExpr>(E))
      return ask(Call);
    if (const auto *Cast = dyn_cast<CastExpr>(E)) {
      std::optional<llvm::APSInt> Of = evaluate(Cast->getSubExpr());
      return Of && Cast->getCastKind() == CK_IntegralToBoolean ? truth(*Of != 0)
                                                               : Of;
    }
    if (const auto *Not = dyn_cast<UnaryOperator>(E);
        Not && Not->getOpcode() == UO_LNot) {
      std::optional<llvm::APSInt> Of = evaluate(Not->getSubExpr());
      return Of ? truth(*Of == 0) : std::nullopt;
    }
    if (const auto *Chosen = dyn_cast<ConditionalOperator>(E)) {
      std::optional<llvm::APSInt> Cond = evaluate(Chosen->getCond());
      return Cond ? evaluate(*Cond != 0 ? Chosen->getTrueExpr()
                                        : Chosen->getFalseExpr())
                  : std::nullopt;
    }
    const auto *Equal = dyn_cast<BinaryOperator>(E);
    if (!Equal || !Equal->isEqualityOp())
      return std::nullopt;
    std::optional<llvm::APSInt> L = evaluate(Equal->getLHS());
    std::optional<llvm::APSInt> R = evaluate(Equal->getRHS());
    return L && R ? truth(llvm::APSInt::isSameValue(*L, *R) ==
                          (Equal->getOpcode() == BO_EQ))
                  : std::nullopt;
  }

  static std::optional<llvm::APSInt> truth(bool Is) {
    return llvm::APSInt::get(Is);
  }

  /// The result of another such function.
  std::optional<llvm::APSInt> ask(const CallExpr *Call) const {
    const FunctionDecl *Callee = Call->getDirectCallee();
    Callee = Callee ? Callee->getDefinition() : nullptr;
    if (!Callee || !Callee->hasBody() || Callee->isDependentContext() ||
        isa<CXXMethodDecl>(Callee) || !Callee->getNumParams() ||
        !Call->getNumArgs() || Depth == MaxConverters)
      return std::nullopt;
    const clang::Expr *Given = Call->getArg(0);
    std::optional<llvm::APSInt> V = evaluate(Given);
    return V ? Answer(Ctx, Callee,
                      ConstantExpr::Create(
                          Ctx, const_cast<clang::Expr *>(Given), APValue(*V)),
                      Depth + 1)
                   .find()
             : std::nullopt;
  }

  Exit run(const Stmt *S) {
    if (!S || isa<NullStmt>(S))
      return Next;
    if (const auto *Block = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt *Each : Block->body())
        if (Exit W = run(Each); W != Next)
          return W;
      return Next;
    }
    if (const auto *Return = dyn_cast<ReturnStmt>(S)) {
      Value = evaluate(Return->getRetValue());
      return Value ? Returned : Lost;
    }
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      std::optional<llvm::APSInt> Cond = evaluate(If->getCond());
      return Cond ? run(*Cond != 0 ? If->getThen() : If->getElse()) : Lost;
    }
    if (const auto *Switch = dyn_cast<SwitchStmt>(S))
      return choose(Switch);
    // The body of a macro.
    if (const auto *Do = dyn_cast<DoStmt>(S)) {
      if (Exit W = run(Do->getBody()); W == Returned || W == Lost)
        return W;
      std::optional<llvm::APSInt> Again = evaluate(Do->getCond());
      return Again && *Again == 0 ? Next : Lost;
    }
    // The path contains text about the failure.
    if (const auto *Call = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      return Callee && !Callee->isNoReturn() ? Next : Lost;
    }
    if (isa<DeclStmt>(S))
      return Next;
    return isa<BreakStmt>(S) ? Broken : Lost;
  }

  Exit choose(const SwitchStmt *Switch) {
    const auto *Body = dyn_cast<CompoundStmt>(Switch->getBody());
    std::optional<llvm::APSInt> Cond = evaluate(Switch->getCond());
    if (!Body || !Cond)
      return Lost;
    const Stmt *Begin = nullptr, *Default = nullptr;
    for (const Stmt *Each : Body->body())
      for (const auto *C = dyn_cast<SwitchCase>(Each); C && !Begin;
           C = dyn_cast<SwitchCase>(C->getSubStmt())) {
        const auto *Label = dyn_cast<CaseStmt>(C);
        if (!Label)
          Default = Each;
        else if (llvm::APSInt::isSameValue(
                     Label->getLHS()->EvaluateKnownConstInt(Ctx), *Cond))
          Begin = Each;
      }
    bool Runs = false;
    for (const Stmt *Each : Body->body()) {
      Runs |= Each == (Begin ? Begin : Default);
      while (const auto *C = dyn_cast<SwitchCase>(Each))
        Each = C->getSubStmt();
      if (Exit W = Runs ? run(Each) : Next; W != Next)
        return W == Broken ? Next : W;
    }
    return Next;
  }

  const ASTContext &Ctx;
  const FunctionDecl *F;
  const clang::Expr *Arg;
  unsigned Depth; ///< of functions that call one another
  std::optional<llvm::APSInt> Value;
};

} // namespace

std::optional<bool>
FailureTests::conversionFailsWhen(const clang::Expr *Converted,
                                  const llvm::APSInt &Is) const {
  const auto *Call = dyn_cast<CallExpr>(Converted);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  F = F ? F->getDefinition() : nullptr;
  if (!F || !F->hasBody() || F->isDependentContext() || isa<CXXMethodDecl>(F) ||
      F->getNumParams() == 0 || !isStatusType(F->getParamDecl(0)->getType()))
    return std::nullopt;
  const auto *Status = F->getParamDecl(0)
                           ->getType()
                           .getCanonicalType()
                           ->castAs<EnumType>()
                           ->getDecl()
                           ->getDefinition();
  EnumConstantDecl *Good = nullptr, *Bad = nullptr;
  if (Status)
    for (EnumConstantDecl *Each : Status->enumerators())
      (Each->getInitVal() == 0 ? Good : Bad) = Each;
  if (!Good || !Bad)
    return std::nullopt;
  auto answer = [&](EnumConstantDecl *To) {
    const clang::Expr *Arg =
        DeclRefExpr::Create(Ctx, NestedNameSpecifierLoc(), SourceLocation(), To,
                            /*RefersToEnclosingVariableOrCapture=*/false,
                            SourceLocation(), To->getType(), VK_PRValue);
    return Answer(Ctx, F, Arg).find();
  };
  std::optional<llvm::APSInt> IfGood = answer(Good), IfBad = answer(Bad);
  if (!IfGood || !IfBad)
    return std::nullopt;
  bool GoodIs = llvm::APSInt::isSameValue(*IfGood, Is);
  bool BadIs = llvm::APSInt::isSameValue(*IfBad, Is);
  return GoodIs != BadIs ? std::optional(BadIs) : std::nullopt;
}

std::optional<bool>
FailureTests::comparisonFailsWhen(const BinaryOperator *E) const {
  if (!E->isEqualityOp())
    return std::nullopt;
  const clang::Expr *L = E->getLHS()->IgnoreParenImpCasts();
  const clang::Expr *R = E->getRHS()->IgnoreParenImpCasts();
  for (auto [Call, Word] : {std::pair(L, R), std::pair(R, L)}) {
    clang::Expr::EvalResult V;
    if (!isa<CallExpr>(Call) || Word->isValueDependent() ||
        !Word->EvaluateAsInt(V, Ctx))
      continue;
    if (std::optional<bool> Fails = conversionFailsWhen(Call, V.Val.getInt()))
      return E->getOpcode() == BO_EQ ? *Fails : !*Fails;
  }
  if (!isStatusType(L->getType()) && !isStatusType(R->getType()))
    return std::nullopt;
  if (isZero(L) || isZero(R))
    return E->getOpcode() == BO_NE;
  if (isFailureCode(L) || isFailureCode(R))
    return E->getOpcode() == BO_EQ;
  return std::nullopt;
}

std::optional<bool> FailureTests::failsWhen(const clang::Expr *Cond) const {
  Cond = Cond->IgnoreParenImpCasts();
  if (const auto *FE = dyn_cast<FullExpr>(Cond))
    Cond = FE->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *UO = dyn_cast<UnaryOperator>(Cond);
      UO && UO->getOpcode() == UO_LNot) {
    std::optional<bool> Inner = failsWhen(UO->getSubExpr());
    return Inner ? std::optional(!*Inner) : std::nullopt;
  }
  // __builtin_expect and similar functions.
  if (const auto *CE = dyn_cast<CallExpr>(Cond))
    if (const FunctionDecl *FD = CE->getDirectCallee();
        FD && FD->getBuiltinID() == Builtin::BI__builtin_expect)
      return failsWhen(CE->getArg(0));
  if (const auto *BO = dyn_cast<BinaryOperator>(Cond)) {
    // The left operand of `&&` and `||` has a separate branch.
    if (BO->getOpcode() == BO_Comma || BO->getOpcode() == BO_Assign ||
        BO->isLogicalOp())
      return failsWhen(BO->getRHS());
    return comparisonFailsWhen(BO);
  }
  if (isStatusType(Cond->getType()))
    return true;
  // The tested value is a number or belongs to a different enumeration.
  llvm::APSInt None(Ctx.getTypeSize(Ctx.IntTy), /*isUnsigned=*/false);
  std::optional<bool> Fails = conversionFailsWhen(Cond, None);
  return Fails ? std::optional(!*Fails) : std::nullopt;
}

/// True if \p V is the result of another function.
static bool isResultOfCall(const clang::Expr *V) {
  const clang::Expr *E = V;
  if (const auto *Clean = dyn_cast<ExprWithCleanups>(E))
    E = Clean->getSubExpr();
  return isa<CallExpr>(E->IgnoreParenCasts());
}

bool FailureTests::isFailureReturn(const CFGBlock *B,
                                   std::optional<bool> Failed) const {
  for (const CFGElement &E : *B)
    if (auto S = E.getAs<CFGStmt>())
      if (const auto *RS = dyn_cast<ReturnStmt>(S->getStmt())) {
        const clang::Expr *V = RS->getRetValue();
        if (!V)
          return false;
        V = V->IgnoreParenImpCasts();
        clang::Expr::EvalResult R;
        if (V->isValueDependent() || V->getType()->isRecordType())
          return false;
        // A status other than success, or a negative number. Booleans, null,
        // and other enumerators are ordinary results as often as failures. A
        // function that is called for its status may also do the rest of the
        // work.
        if (isStatusType(V->getType()))
          return V->EvaluateAsInt(R, Ctx) ? R.Val.getInt() != 0
                                          : Failed.value_or(!isResultOfCall(V));
        return V->getType()->isIntegerType() && V->EvaluateAsInt(R, Ctx) &&
               R.Val.getInt().isSigned() && R.Val.getInt().isNegative();
      }
  return false;
}

} // namespace cudagraph
