//===- Lowering.cpp - Blocks and statements -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks Clang's CFG in reverse post-order, so that a value used across blocks
// has been lowered before its use. LowerShape.cpp recognises failure paths,
// LowerMarkers.cpp places comment markers.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "LibraryShape.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace clang;

namespace cudagraph {

Span spanOf(SourceRange R) {
  return {R.getBegin().getRawEncoding(), R.getEnd().getRawEncoding()};
}

std::unique_ptr<FlowGraph> lowerFunction(const FunctionDecl *Def,
                                         FunctionTable &Table) {
  auto G = std::make_unique<FlowGraph>();
  if (!Table.hasErrors())
    return Lowerer(Def, Table, *G).run() ? std::move(G) : nullptr;
  // Clang's CFG builder expects code that compiles. Where the host has enabled
  // crash recovery, a crash costs this function, and not the unit.
  bool Lowered = false;
  bool Survived = llvm::CrashRecoveryContext().RunSafely(
      [&] { Lowered = Lowerer(Def, Table, *G).run(); });
  if (!Survived || !Lowered) {
    (void)G.release(); // in whatever state it is
    G = std::make_unique<FlowGraph>();
    Lowerer(Def, Table, *G).lowerUnparsed();
  }
  return G;
}

LocalVar Lowerer::localOf(const VarDecl *VD) {
  LocalVar Result;
  Result.Name = VD->getNameAsString();
  Result.IsStream = Names.isStream(VD->getType());
  Result.OwnsDevice =
      Names.ownsDeviceMemory(VD->getType()->getAsCXXRecordDecl());
  const CXXRecordDecl *RD = VD->getType()->getAsCXXRecordDecl();
  Result.OwnsElements = RD && RD->hasDefinition() &&
                        Names.shapeOf(RD) == LibraryShape::Container &&
                        !RD->isAggregate() && !RD->hasTrivialDestructor();
  // The only variable of its declaration, for what an edit may say of it.
  if (VD->isLocalVarDecl() && !VD->isInvalidDecl() && !VD->isStaticLocal() &&
      VD->hasInit() && VD->getType().isConstQualified() &&
      !VD->getType()->isDependentType() && !VD->getInit()->isValueDependent() &&
      VD->getInit()->isConstantInitializer(VD->getASTContext(), false))
    Result.Constant = spanOf(VD->getSourceRange());
  QualType Pointee = VD->getType()->getPointeeType();
  Result.ReadOnly = !Pointee.isNull() && Pointee.isConstQualified() &&
                    Pointee->isRecordType();
  return Result;
}

Lowerer::Lowerer(const FunctionDecl *Def, FunctionTable &Table, FlowGraph &G)
    : Def(Def), Table(Table), Names(Table.names()), Ctx(Table.context()), G(G) {
}

bool Lowerer::run() {
  bool HasErrors = Table.hasErrors();
  if (HasErrors && !hasUsableTypes())
    return false;
  CFG::BuildOptions Options;
  Options.AddInitializers = true;
  Options.AddImplicitDtors = true;
  Options.AddTemporaryDtors = true;
  Options.AddLifetime = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.setAlwaysAdd(Stmt::UnaryOperatorClass);
  Options.setAlwaysAdd(Stmt::LambdaExprClass);
  Options.setAlwaysAdd(Stmt::CXXThrowExprClass);
  std::unique_ptr<CFG> Cfg = CFG::buildCFG(Def, Def->getBody(), &Ctx, Options);
  if (!Cfg)
    return false;

  for (const ParmVarDecl *P : Def->parameters()) {
    VarIndex.try_emplace(P, G.Vars.size());
    G.Vars.push_back(localOf(P));
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
  if (HasErrors)
    placeErrors();
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
          E.When = EdgeKind::Case;
          E.Case = R.Val.getInt().getExtValue();
        }
      } else if (TwoWay) {
        E.When = Position == 0 ? EdgeKind::True : EdgeKind::False;
        E.Failure = Fails && WhenTrue == (Position == 0);
      }
      Out.Succs.push_back(E);
    }
    if (B->hasNoReturnElement())
      Out.NeverReturns = true;
  }
  if (HasErrors)
    emitErrorsAtEntry();
  dropIdleEnds();
  findFailureShape();
  findKeptResults();
  markRanges(AllowedRanges, [](Op &O) { O.Allowed = true; });
  markOnce();
  return true;
}

void Lowerer::lowerElement(const CFGElement &E) {
  if (auto S = E.getAs<CFGStmt>()) {
    emitMarkersBefore(S->getStmt());
    lowerStmt(S->getStmt());
  } else if (auto I = E.getAs<CFGInitializer>()) {
    lowerInitializer(I->getInitializer());
  } else if (auto D = E.getAs<CFGImplicitDtor>()) {
    lowerDtor(*D);
  } else if (auto L = E.getAs<CFGLifetimeEnds>()) {
    lowerEndOfLife(L->getVarDecl());
  }
}

/// A variable goes out of scope; see dropIdleEnds().
void Lowerer::lowerEndOfLife(const VarDecl *VD) {
  if (!VD || VD->getType()->isReferenceType() || !VarIndex.count(VD))
    return;
  Op O;
  O.Kind = OpKind::EndLife;
  O.Place = varPlace(VD);
  O.Range = spanOf(VD->getLocation());
  Cur->Ops.push_back(std::move(O));
}

/// The end of a variable matters only if somebody has its address.
void Lowerer::dropIdleEnds() {
  llvm::BitVector Taken(G.Vars.size());
  for (const Expr &E : G.Exprs) {
    if (E.Kind != ExprKind::AddrOf)
      continue;
    ExprId P = E.A;
    while (G.Exprs[P].Kind == ExprKind::Field ||
           G.Exprs[P].Kind == ExprKind::Elem)
      P = G.Exprs[P].A;
    if (G.Exprs[P].Kind == ExprKind::Var)
      Taken.set(G.Exprs[P].N);
  }
  for (Block &B : G.Blocks)
    llvm::erase_if(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::EndLife && !Taken[G.Exprs[O.Place].N];
    });
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
    O.Range = spanOf(RS->getSourceRange());
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
  if (isa<CXXThrowExpr>(S)) {
    Cur->NeverReturns = true;
    if (!Catches)
      Cur->Throw = spanOf(S->getSourceRange());
  }
}

/// Marks what runs at the first call only. The temporaries of an initialiser
/// end after the declaration: they, too, come before the note that it has run.
void Lowerer::markOnce() {
  for (auto [Range, OnceOf] : OnceRanges)
    markRanges(Range, [Of = OnceOf](Op &O) {
      O.Once = true;
      if (O.Kind == OpKind::Call)
        O.OnceOf = Of;
    });
  for (Block &B : G.Blocks)
    for (size_t I = B.Ops.size(); I-- > 0;) {
      if (B.Ops[I].Kind != OpKind::Assign || B.Ops[I].OnceOf == None)
        continue;
      size_t Last = I;
      for (size_t J = I + 1; J < B.Ops.size(); ++J)
        if (B.Ops[J].Kind == OpKind::Call && B.Ops[J].OnceOf == B.Ops[I].OnceOf)
          Last = J;
      std::rotate(B.Ops.begin() + I, B.Ops.begin() + I + 1,
                  B.Ops.begin() + Last + 1);
    }
}

void Lowerer::lowerVar(const VarDecl *VD) {
  const clang::Expr *Init = VD->getInit();
  if (VD->isStaticLocal()) {
    // Initialised once, at the first call; its contents belong to the program.
    if (Init) {
      ExprId Ran = None;
      if (!VD->hasConstantInitialization())
        Ran = make({ExprKind::Global, None, None, None, 0,
                    globalName(VD) + OnceSuffix.str()});
      OnceRanges.push_back({Init->getSourceRange(), Ran});
      Op O;
      O.Place = varPlace(VD);
      // An object is constructed in place, unless a function makes it.
      bool InPlace = VD->getType()->isRecordType() &&
                     !isa<CallExpr>(Init->IgnoreImplicit());
      if (!VD->getType()->isReferenceType() && !InPlace) {
        O.Value = value(Init);
        O.ConstValue = isConstant(O.Value);
        O.Range = spanOf(Init->getSourceRange());
        O.Once = true;
        Cur->Ops.push_back(std::move(O));
      }
      if (Ran != None) {
        Op Note;
        Note.Place = Note.OnceOf = Ran;
        Note.Value = integer(1);
        Note.Once = Note.ConstValue = Note.Implicit = true;
        Cur->Ops.push_back(std::move(Note));
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
    G.Vars.push_back(localOf(VD));
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
    emitDtor(RD, Self, Where, 0, D.getKind() == CFGElement::BaseDtor);
}

namespace {
/// Finds the object each construction initialises, and the calls whose results
/// nobody looks at.
class ConstructIndexer : public DynamicRecursiveASTVisitor {
public:
  ConstructIndexer(llvm::function_ref<void(const VarDecl *)> F,
                   llvm::DenseSet<const Stmt *> &Discarded, bool &Catches)
      : Found(F), Discarded(Discarded), Catches(Catches) {}
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
  bool VisitCXXTryStmt(CXXTryStmt *) override {
    Catches = true;
    return true;
  }
  bool VisitLabelStmt(LabelStmt *S) override {
    drop(S->getSubStmt());
    return true;
  }
  bool VisitVarDecl(VarDecl *VD) override {
    if (VD->getInit() && !VD->getType()->isReferenceType() &&
        !VD->isStaticLocal() && VD->isLocalVarDecl())
      Found(VD);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool TraverseCXXRecordDecl(CXXRecordDecl *) override { return true; }

private:
  /// \p S stands as a statement.
  void drop(const Stmt *S) {
    const auto *E = dyn_cast_or_null<clang::Expr>(S);
    while (E) {
      E = E->IgnoreParens();
      if (const auto *X = dyn_cast<FullExpr>(E))
        E = X->getSubExpr();
      // A cast to void says that it is meant.
      else if (const auto *X = dyn_cast<BinaryOperator>(E);
               X && X->getOpcode() == BO_Comma) {
        drop(X->getLHS());
        E = X->getRHS();
      } else
        break;
    }
    if (E && isa<CallExpr>(E))
      Discarded.insert(E);
  }
  llvm::function_ref<void(const VarDecl *)> Found;
  llvm::DenseSet<const Stmt *> &Discarded;
  bool &Catches;
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
  ConstructIndexer(Found, Discarded, Catches)
      .TraverseStmt(const_cast<Stmt *>(Body));
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

} // namespace cudagraph
