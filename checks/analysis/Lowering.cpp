//===- Lowering.cpp - Blocks, statements and markers ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks Clang's CFG in reverse post-order, so that a value used across blocks
// has been lowered before its use. Three shapes get special care: the failure
// branch of an error check, blocks that never return, and comment markers,
// which are anchored at the statement that follows them.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

Span spanOf(SourceRange R) {
  return {R.getBegin().getRawEncoding(), R.getEnd().getRawEncoding()};
}

std::unique_ptr<FlowGraph> lowerFunction(const FunctionDecl *Def,
                                         FunctionTable &Table) {
  auto G = std::make_unique<FlowGraph>();
  if (!Lowerer(Def, Table, *G).run())
    return nullptr;
  return G;
}

Lowerer::Lowerer(const FunctionDecl *Def, FunctionTable &Table, FlowGraph &G)
    : Def(Def), Table(Table), Ctx(Table.context()), G(G) {}

bool Lowerer::run() {
  CFG::BuildOptions Options;
  Options.AddInitializers = true;
  Options.AddImplicitDtors = true;
  Options.AddTemporaryDtors = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.setAlwaysAdd(Stmt::UnaryOperatorClass);
  Options.setAlwaysAdd(Stmt::LambdaExprClass);
  Options.setAlwaysAdd(Stmt::CXXThrowExprClass);
  std::unique_ptr<CFG> Cfg = CFG::buildCFG(Def, Def->getBody(), &Ctx, Options);
  if (!Cfg)
    return false;

  for (const ParmVarDecl *P : Def->parameters()) {
    VarIndex.try_emplace(P, G.Vars.size());
    G.Vars.push_back({P->getNameAsString(), isStreamType(P->getType()), false});
  }
  G.NumParams = G.Vars.size();
  if (const auto *M = dyn_cast<CXXMethodDecl>(Def);
      M && M->getParent()->isLambda()) {
    unsigned Index = 0;
    for (const LambdaCapture &C : M->getParent()->captures()) {
      if (C.capturesThis())
        HasThisCapture = true;
      else if (C.capturesVariable())
        CaptureIndex[C.getCapturedVar()] =
            Index << 1 | (C.getCaptureKind() == LCK_ByRef);
      ++Index;
    }
  }
  indexConstructs(Def->getBody());
  findAllowed(Def->getBody());
  placeMarkers(Def->getBody());

  // Number blocks so that the entry is 0.
  PostOrderCFGView Order(Cfg.get());
  llvm::DenseMap<const CFGBlock *, unsigned> Number;
  for (const CFGBlock *B : Order)
    Number.try_emplace(B, Number.size());
  if (!Number.count(&Cfg->getExit()))
    Number.try_emplace(&Cfg->getExit(), Number.size());
  G.Blocks.resize(Number.size());
  G.Exit = Number[&Cfg->getExit()];

  for (const CFGBlock *B : Order) {
    Block &Out = G.Blocks[Number[B]];
    Cur = &Out;
    for (const CFGElement &E : *B)
      lowerElement(E);
    lowerTerminator(B, Out);
    unsigned I = 0;
    const Stmt *Term = B->getTerminatorStmt();
    bool TwoWay = Out.Cond != None && B->succ_size() == 2;
    bool WhenTrue = false;
    const auto *CondExpr =
        dyn_cast_or_null<clang::Expr>(B->getTerminatorCondition());
    bool Fails = TwoWay && CondExpr && isFailureTest(CondExpr, WhenTrue);
    for (const CFGBlock::AdjacentBlock &Succ : B->succs()) {
      unsigned Position = I++;
      const CFGBlock *To = Succ.getReachableBlock();
      if (!To || !Number.count(To))
        continue;
      Edge E;
      E.To = Number[To];
      if (isa_and_nonnull<SwitchStmt>(Term)) {
        const auto *Case = dyn_cast_or_null<CaseStmt>(To->getLabel());
        clang::Expr::EvalResult R;
        if (Case && !Case->getRHS() && !Case->getLHS()->isValueDependent() &&
            Case->getLHS()->EvaluateAsInt(R, Ctx)) {
          E.When = 3;
          E.Case = R.Val.getInt().getExtValue();
        }
      } else if (TwoWay) {
        E.When = Position == 0 ? 1 : 0;
        E.Failure = Fails && WhenTrue == (Position == 0);
      }
      Out.Succs.push_back(E);
    }
    if (B->hasNoReturnElement())
      Out.NeverReturns = true;
  }
  findFailureShape();
  findKeptResults();
  markRanges(AllowedRanges, &Op::Allowed);
  markRanges(OnceRanges, &Op::Once);
  return true;
}

/// Propagates NeverReturns backwards: a block all of whose successors never
/// return does not return either.
void Lowerer::findFailureShape() {
  std::vector<bool> ReachesExit(G.Blocks.size(), false);
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (!G.Blocks[B].NeverReturns)
      for (const Edge &E : G.Blocks[B].Succs)
        Preds[E.To].push_back(B);
  std::vector<unsigned> Work{G.Exit};
  ReachesExit[G.Exit] = true;
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    for (unsigned P : Preds[B])
      if (!ReachesExit[P]) {
        ReachesExit[P] = true;
        Work.push_back(P);
      }
  }
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (!ReachesExit[B])
      G.Blocks[B].NeverReturns = true;
}

/// Sets \p Flag on the operations that stand in one of \p Ranges.
void Lowerer::markRanges(llvm::ArrayRef<SourceRange> Ranges, bool Op::*Flag) {
  const SourceManager &SM = Ctx.getSourceManager();
  if (Ranges.empty())
    return;
  for (Block &B : G.Blocks)
    for (Op &O : B.Ops) {
      auto Loc = SourceLocation::getFromRawEncoding(O.Range.Begin);
      for (SourceRange R : Ranges)
        O.*Flag |= Loc.isValid() &&
                   !SM.isBeforeInTranslationUnit(Loc, R.getBegin()) &&
                   !SM.isBeforeInTranslationUnit(R.getEnd(), Loc);
    }
}

/// Marks the call results that are used in another block than their own.
void Lowerer::findKeptResults() {
  std::vector<unsigned> Home(G.NumCalls, None);
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Op &O : G.Blocks[B].Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex != None)
        Home[O.ResultIndex] = B;
  G.KeptResults.assign(G.NumCalls, false);
  // Expressions are shared: visit each once a block.
  std::vector<unsigned> SeenIn(G.Exprs.size(), None);
  for (unsigned B = 0; B < G.Blocks.size(); ++B) {
    std::vector<ExprId> Work;
    auto Use = [&](ExprId E) {
      if (E != None && SeenIn[E] != B) {
        SeenIn[E] = B;
        Work.push_back(E);
      }
    };
    for (const Op &O : G.Blocks[B].Ops) {
      for (ExprId E : {O.Place, O.Value, O.CalleeValue, O.Object})
        Use(E);
      for (const CallArg &A : O.Args)
        Use(A.Value);
      for (const CallArg &A : O.Config)
        Use(A.Value);
    }
    Use(G.Blocks[B].Cond);
    while (!Work.empty()) {
      const Expr &E = G.Exprs[Work.back()];
      Work.pop_back();
      if (E.Kind == ExprKind::Result && Home[E.N] != B)
        G.KeptResults[E.N] = true;
      for (ExprId Sub : {E.A, E.B, E.C})
        Use(Sub);
    }
  }
}

/// The type of API results whose zero means success.
static bool isStatusType(QualType T) {
  const auto *ET = T.getCanonicalType()->getAs<EnumType>();
  if (!ET)
    return false;
  StringRef Name = ET->getDecl()->getName();
  return Name == "cudaError" || Name == "cudaError_enum" ||
         Name.ends_with("Status_t") || Name == "ncclResult_t" ||
         Name.ends_with("Result_t") || Name.starts_with("cufftResult") ||
         Name == "nvrtcResult";
}

/// True if \p Cond asks whether a status differs from success; \p WhenTrue
/// says which way the failure lies.
bool Lowerer::isFailureTest(const clang::Expr *Cond, bool &WhenTrue) const {
  Cond = Cond->IgnoreParenImpCasts();
  if (const auto *FE = dyn_cast<FullExpr>(Cond))
    Cond = FE->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *UO = dyn_cast<UnaryOperator>(Cond);
      UO && UO->getOpcode() == UO_LNot) {
    bool R = isFailureTest(UO->getSubExpr(), WhenTrue);
    WhenTrue = !WhenTrue;
    return R;
  }
  // __builtin_expect and friends.
  if (const auto *CE = dyn_cast<CallExpr>(Cond))
    if (const FunctionDecl *FD = CE->getDirectCallee();
        FD && FD->getBuiltinID() == Builtin::BI__builtin_expect)
      return isFailureTest(CE->getArg(0), WhenTrue);
  if (const auto *BO = dyn_cast<BinaryOperator>(Cond)) {
    if (!BO->isEqualityOp())
      return false;
    const clang::Expr *L = BO->getLHS()->IgnoreParenImpCasts();
    const clang::Expr *R = BO->getRHS()->IgnoreParenImpCasts();
    if (!isStatusType(L->getType()) && !isStatusType(R->getType()))
      return false;
    auto IsZero = [&](const clang::Expr *E) {
      clang::Expr::EvalResult V;
      return !E->isValueDependent() && E->EvaluateAsInt(V, Ctx) &&
             V.Val.getInt() == 0;
    };
    if (!IsZero(L) && !IsZero(R))
      return false;
    WhenTrue = BO->getOpcode() == BO_NE;
    return true;
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
      !BO && isStatusType(Cond->getType())) {
    WhenTrue = true;
    return true;
  }
  return false;
}

void Lowerer::lowerElement(const CFGElement &E) {
  if (auto S = E.getAs<CFGStmt>()) {
    emitMarkersBefore(S->getStmt());
    lowerStmt(S->getStmt());
  } else if (auto I = E.getAs<CFGInitializer>()) {
    lowerInitializer(I->getInitializer());
  } else if (auto D = E.getAs<CFGImplicitDtor>()) {
    lowerDtor(*D);
  }
}

void Lowerer::lowerStmt(const Stmt *S) {
  if (const auto *DS = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : DS->decls())
      if (const auto *VD = dyn_cast<VarDecl>(D))
        lowerVar(VD);
    return;
  }
  if (const auto *RS = dyn_cast<ReturnStmt>(S)) {
    Op O;
    O.Kind = OpKind::Return;
    if (const clang::Expr *V = RS->getRetValue())
      O.Value = Def->getReturnType()->isReferenceType() ? addrOf(place(V))
                : V->getType()->isVoidType()            ? None
                                                        : value(V);
    Cur->Ops.push_back(std::move(O));
    return;
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(S)) {
    if (!BO->isAssignmentOp())
      return;
    Op O;
    O.Range = spanOf(BO->getSourceRange());
    O.Kind = BO->isCompoundAssignmentOp() ? OpKind::Modify : OpKind::Assign;
    O.Value = value(BO->getRHS());
    O.ConstValue = isConstant(O.Value);
    O.Place = place(BO->getLHS());
    if (O.Kind == OpKind::Assign && contains(O.Value, load(O.Place)))
      O.Kind = OpKind::Modify; // x = x + 1
    if (BO->isCompoundAssignmentOp())
      O.Value = binary(
          BinaryOperator::getOpcodeStr(
              BinaryOperator::getOpForCompoundAssignment(BO->getOpcode()))
              .str(),
          load(O.Place), O.Value);
    Cur->Ops.push_back(std::move(O));
    return;
  }
  if (const auto *UO = dyn_cast<UnaryOperator>(S)) {
    if (!UO->isIncrementDecrementOp())
      return;
    Op O;
    O.Kind = OpKind::Modify;
    O.Range = spanOf(UO->getSourceRange());
    O.Place = place(UO->getSubExpr());
    O.Value =
        binary(UO->isIncrementOp() ? "+" : "-", load(O.Place), integer(1));
    Cur->Ops.push_back(std::move(O));
    return;
  }
  if (const auto *CE = dyn_cast<CallExpr>(S)) {
    lowerCall(CE);
    return;
  }
  if (const auto *CE = dyn_cast<CXXConstructExpr>(S)) {
    lowerConstruct(CE);
    return;
  }
  if (const auto *NE = dyn_cast<CXXNewExpr>(S)) {
    lowerNew(NE);
    return;
  }
  if (const auto *DE = dyn_cast<CXXDeleteExpr>(S)) {
    lowerDelete(DE);
    return;
  }
  if (const auto *LE = dyn_cast<LambdaExpr>(S)) {
    valueOfLambda(LE);
    return;
  }
  if (isa<CXXThrowExpr>(S))
    Cur->NeverReturns = true;
}

void Lowerer::lowerVar(const VarDecl *VD) {
  const clang::Expr *Init = VD->getInit();
  if (VD->isStaticLocal()) {
    // Initialised once, at the first call; its contents belong to the program.
    if (Init) {
      OnceRanges.push_back(Init->getSourceRange());
      Op O;
      O.Place = varPlace(VD);
      if (!VD->getType()->isReferenceType() && !VD->getType()->isRecordType()) {
        O.Value = value(Init);
        O.ConstValue = isConstant(O.Value);
        O.Range = spanOf(Init->getSourceRange());
        O.Once = true;
        Cur->Ops.push_back(std::move(O));
      }
    }
    return;
  }
  if (!Init) {
    varPlace(VD);
    return;
  }
  unsigned Index = VarIndex.try_emplace(VD, G.Vars.size()).first->second;
  if (Index == G.Vars.size())
    G.Vars.push_back(
        {VD->getNameAsString(), isStreamType(VD->getType()), false});
  ExprId P = make({ExprKind::Var, None, None, None, Index, {}});
  if (!VD->getType()->isReferenceType())
    return initInto(P, Init);
  Op O;
  O.Place = P;
  O.Value = addrOf(place(Init));
  Cur->Ops.push_back(std::move(O));
}

void Lowerer::lowerInitializer(const CXXCtorInitializer *I) {
  ExprId Self = deref(make({ExprKind::This, None, None, None, 0, {}}));
  if (!I->isAnyMemberInitializer()) {
    initInto(Self, I->getInit()); // base class or delegation
    return;
  }
  const FieldDecl *FD = I->getAnyMember();
  ExprId P = field(Self, canonicalQualifiedName(FD));
  if (!FD->getType()->isReferenceType())
    return initInto(P, I->getInit());
  Op O;
  O.Place = P;
  O.Value = addrOf(place(I->getInit()));
  Cur->Ops.push_back(std::move(O));
}

void Lowerer::lowerDtor(const CFGImplicitDtor &D) {
  ExprId Self = None;
  const CXXRecordDecl *RD = nullptr;
  Span Where;
  switch (D.getKind()) {
  case CFGElement::AutomaticObjectDtor: {
    const VarDecl *VD = D.castAs<CFGAutomaticObjDtor>().getVarDecl();
    if (VD->getType()->isReferenceType()) {
      RD = VD->getType().getNonReferenceType()->getAsCXXRecordDecl();
      Self = varPlace(VD);
    } else {
      RD = VD->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
      Self = varPlace(VD);
    }
    Where = spanOf(VD->getLocation());
    break;
  }
  case CFGElement::TemporaryDtor: {
    const CXXBindTemporaryExpr *E =
        D.castAs<CFGTemporaryDtor>().getBindTemporaryExpr();
    const clang::Expr *Sub = E->getSubExpr();
    RD = E->getType()->getAsCXXRecordDecl();
    auto It = Targets.find(Sub);
    Self = It != Targets.end() ? It->second : place(Sub);
    Where = spanOf(E->getSourceRange());
    break;
  }
  case CFGElement::MemberDtor: {
    const FieldDecl *FD = D.castAs<CFGMemberDtor>().getFieldDecl();
    RD = FD->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    Self = field(deref(make({ExprKind::This, None, None, None, 0, {}})),
                 canonicalQualifiedName(FD));
    Where = spanOf(FD->getLocation());
    break;
  }
  case CFGElement::BaseDtor: {
    const CXXBaseSpecifier *BS = D.castAs<CFGBaseDtor>().getBaseSpecifier();
    RD = BS->getType()->getAsCXXRecordDecl();
    Self = deref(make({ExprKind::This, None, None, None, 0, {}}));
    Where = spanOf(BS->getSourceRange());
    break;
  }
  default:
    return;
  }
  if (RD && Self != None)
    emitDtor(RD, Self, Where);
}

/// Error paths that log to stderr and leave are recognised by their shape: a
/// conditional block that ends in a return of a constant.
static bool isFailureReturn(const CFGBlock *B, const ASTContext &Ctx) {
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
        // A status that is not success, or a negative number. Booleans, null
        // and other enumerators are answers as often as failures.
        if (isStatusType(V->getType()))
          return !V->EvaluateAsInt(R, Ctx) || R.Val.getInt() != 0;
        return V->getType()->isIntegerType() && V->EvaluateAsInt(R, Ctx) &&
               R.Val.getInt().isSigned() && R.Val.getInt().isNegative();
      }
  return false;
}

void Lowerer::lowerTerminator(const CFGBlock *B, Block &Out) {
  if (B->pred_size() == 1) {
    const CFGBlock *Pred = B->pred_begin()->getReachableBlock();
    if (Pred && Pred->succ_size() > 1) {
      Out.EarlyExit = isFailureReturn(B, Ctx);
      Out.EarlyReturn = llvm::any_of(
          Out.Ops, [](const Op &O) { return O.Kind == OpKind::Return; });
    }
  }
  if (B->succ_size() < 2)
    return;
  const auto *Cond = dyn_cast_or_null<clang::Expr>(B->getTerminatorCondition());
  if (!Cond)
    return;
  emitMarkersBefore(Cond);
  Out.Cond = value(Cond);
  Out.CondRange = spanOf(Cond->getSourceRange());
}

namespace {
/// Finds the object each construction initialises.
class ConstructIndexer : public RecursiveASTVisitor<ConstructIndexer> {
public:
  explicit ConstructIndexer(llvm::function_ref<void(const VarDecl *)> F)
      : Found(F) {}
  bool VisitVarDecl(VarDecl *VD) {
    if (VD->getInit() && !VD->getType()->isReferenceType() &&
        !VD->isStaticLocal() && VD->isLocalVarDecl())
      Found(VD);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseCXXRecordDecl(CXXRecordDecl *) { return true; }

private:
  llvm::function_ref<void(const VarDecl *)> Found;
};

/// Collects compound statements, outermost first.
class CompoundCollector : public RecursiveASTVisitor<CompoundCollector> {
public:
  std::vector<const CompoundStmt *> Found;
  bool VisitCompoundStmt(CompoundStmt *S) {
    Found.push_back(S);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
};
} // namespace

void Lowerer::targetInit(const clang::Expr *Init, ExprId Place) {
  Init = Init->IgnoreParens();
  while (true) {
    if (const auto *X = dyn_cast<FullExpr>(Init))
      Init = X->getSubExpr();
    else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(Init))
      Init = X->getSubExpr();
    else if (const auto *X = dyn_cast<CXXFunctionalCastExpr>(Init))
      Init = X->getSubExpr();
    else if (const auto *X = dyn_cast<ImplicitCastExpr>(Init);
             X && (X->getCastKind() == CK_NoOp ||
                   X->getCastKind() == CK_ConstructorConversion))
      Init = X->getSubExpr();
    else
      break;
    Init = Init->IgnoreParens();
  }
  if (isa<CXXConstructExpr, InitListExpr>(Init))
    Targets.try_emplace(Init, Place);
}

void Lowerer::indexConstructs(const Stmt *Body) {
  auto Found = [&](const VarDecl *VD) {
    if (VD->getType()->isRecordType())
      targetInit(VD->getInit(), varPlace(VD));
  };
  ConstructIndexer(Found).TraverseStmt(const_cast<Stmt *>(Body));
  if (const auto *CD = dyn_cast<CXXConstructorDecl>(Def))
    for (const CXXCtorInitializer *I : CD->inits()) {
      ExprId Self = deref(make({ExprKind::This, None, None, None, 0, {}}));
      if (I->isAnyMemberInitializer())
        targetInit(I->getInit(),
                   field(Self, canonicalQualifiedName(I->getAnyMember())));
      else
        targetInit(I->getInit(), Self);
    }
}

/// Notes the statements and declarations under CUDAGRAPH_ALLOW.
void Lowerer::findAllowed(const Stmt *Body) {
  struct Finder : RecursiveASTVisitor<Finder> {
    llvm::SmallVectorImpl<SourceRange> &Ranges;
    explicit Finder(llvm::SmallVectorImpl<SourceRange> &R) : Ranges(R) {}
    bool VisitAttributedStmt(AttributedStmt *S) {
      for (const Attr *A : S->getAttrs())
        if (const auto *AA = dyn_cast<AnnotateAttr>(A);
            AA && AA->getAnnotation() == "cudagraph::allow")
          Ranges.push_back(S->getSourceRange());
      return true;
    }
    bool VisitDeclStmt(DeclStmt *S) {
      for (const Decl *D : S->decls())
        for (const auto *AA : D->specific_attrs<AnnotateAttr>())
          if (AA->getAnnotation() == "cudagraph::allow")
            Ranges.push_back(S->getSourceRange());
      return true;
    }
  };
  Finder(AllowedRanges).TraverseStmt(const_cast<Stmt *>(Body));
}

/// Anchors each marker inside this function at the statement after it, or, at
/// the end of a block, behind the statement before it.
void Lowerer::placeMarkers(const Stmt *Body) {
  const SourceManager &SM = Ctx.getSourceManager();
  std::vector<const CompoundStmt *> Compounds;
  for (const CommentMarker &M : Table.markers()) {
    if (SM.isBeforeInTranslationUnit(M.Loc, Body->getBeginLoc()) ||
        SM.isBeforeInTranslationUnit(Body->getEndLoc(), M.Loc))
      continue;
    if (Compounds.empty()) {
      CompoundCollector C;
      C.TraverseStmt(const_cast<Stmt *>(Body));
      Compounds = std::move(C.Found);
    }
    // The statement after the marker, in the innermost block that has one.
    const Stmt *Anchor = nullptr;
    for (const CompoundStmt *C : llvm::reverse(Compounds))
      if (SM.isBeforeInTranslationUnit(C->getLBracLoc(), M.Loc) &&
          SM.isBeforeInTranslationUnit(M.Loc, C->getRBracLoc()))
        for (const Stmt *S : C->body())
          if (!Anchor && SM.isBeforeInTranslationUnit(M.Loc, S->getBeginLoc()))
            Anchor = S;
    if (!Anchor) {
      // Nothing follows: the region ends with the function.
      if (!M.Begin)
        G.TrailingEnd = spanOf(M.Loc);
      continue;
    }
    Op O;
    O.Kind = M.Begin ? OpKind::MarkerBegin : OpKind::MarkerEnd;
    O.Range = spanOf(M.Loc);
    O.Text = M.Stream;
    MarkersAt[Anchor].push_back(std::move(O));
  }
  if (MarkersAt.empty())
    return;
  // Elements reach lowerElement as parts of their statement: map every part.
  struct Mapper : RecursiveASTVisitor<Mapper> {
    llvm::DenseMap<const Stmt *, const Stmt *> &Of;
    const Stmt *Root = nullptr;
    explicit Mapper(llvm::DenseMap<const Stmt *, const Stmt *> &Of) : Of(Of) {}
    bool VisitStmt(Stmt *S) {
      Of.try_emplace(S, Root);
      return true;
    }
    bool TraverseLambdaExpr(LambdaExpr *E) { return VisitStmt(E); }
  };
  std::vector<const Stmt *> Anchors;
  for (const auto &Entry : MarkersAt)
    Anchors.push_back(Entry.first);
  // Inner anchors first, so that they win.
  llvm::sort(Anchors, [&](const Stmt *A, const Stmt *B) {
    return SM.isBeforeInTranslationUnit(B->getBeginLoc(), A->getBeginLoc());
  });
  Mapper Map(AnchorOf);
  for (const Stmt *A : Anchors) {
    Map.Root = A;
    Map.TraverseStmt(const_cast<Stmt *>(A));
  }
}

void Lowerer::emitMarkersBefore(const Stmt *S) {
  auto It = AnchorOf.find(S);
  if (It == AnchorOf.end())
    return;
  auto At = MarkersAt.find(It->second);
  if (At == MarkersAt.end())
    return;
  std::vector<Op> Ops = std::move(At->second);
  MarkersAt.erase(At);
  for (Op &O : Ops) {
    if (O.Kind == OpKind::MarkerBegin)
      O.Value = lookUpStream(O.Text);
    Cur->Ops.push_back(std::move(O));
  }
}

/// Finds the variable or member that a comment names; unknown if there is none.
ExprId Lowerer::lookUpStream(StringRef Name) {
  Name.consume_front("this->");
  // a.b and a->b: the member of that name of what `a` is.
  size_t Cut = std::min(Name.rfind('.'), Name.rfind("->"));
  if (Cut != StringRef::npos) {
    StringRef Member = Name.substr(Cut).ltrim(".->");
    for (const auto &[VD, Index] : VarIndex) {
      QualType T = VD->getType().getNonReferenceType();
      bool Pointer = T->isPointerType();
      if (VD->getName() != Name.take_front(Cut))
        continue;
      const CXXRecordDecl *RD =
          (Pointer ? T->getPointeeType() : T)->getAsCXXRecordDecl();
      for (const FieldDecl *FD :
           RD ? RD->fields() : RecordDecl::field_range({}, {}))
        if (FD->getName() == Member)
          return load(field(Pointer ? deref(load(varPlace(VD))) : varPlace(VD),
                            canonicalQualifiedName(FD)));
    }
    return unknown();
  }
  for (const auto &[VD, Index] : VarIndex)
    if (VD->getName() == Name)
      return load(varPlace(VD));
  if (const auto *M = dyn_cast<CXXMethodDecl>(Def))
    for (const FieldDecl *FD : M->getParent()->fields())
      if (FD->getName() == Name)
        return load(
            field(deref(make({ExprKind::This, None, None, None, 0, {}})),
                  canonicalQualifiedName(FD)));
  for (const Decl *D : Ctx.getTranslationUnitDecl()->decls())
    if (const auto *VD = dyn_cast<VarDecl>(D);
        VD && VD->getDeclName().isIdentifier() && VD->getName() == Name)
      return load(varPlace(VD));
  return unknown();
}

} // namespace cudagraph
