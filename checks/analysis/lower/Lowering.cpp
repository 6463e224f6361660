//===- Lowering.cpp - From Clang's CFG to a FlowGraph ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks Clang's CFG in reverse post-order, so that a value used in several
// blocks is lowered before its use.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "BlockLowering.h"
#include "CommentAnchors.h"
#include "DestroyLowering.h"
#include "ErrorAnchors.h"
#include "FailureTests.h"
#include "FunctionTable.h"
#include "GraphPasses.h"
#include "OpRanges.h"
#include "SpanOf.h"
#include "UsableTypes.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace clang;

namespace cudagraph {
namespace {

using Params = llvm::SmallVector<const ParmVarDecl *, 4>;

/// Lowers the blocks of one function, and the state between them.
class GraphLowering {
public:
  GraphLowering(const CFG &Cfg, BodyState &Body, AnchoredOps &Anchored);

  void run();

private:
  void lowerBlock(const CFGBlock *B, Block &Out);
  void findExitShape(const CFGBlock *B, Block &Out) const;
  void addEdges(const CFGBlock *B, Block &Out);
  void setCase(const CFGBlock *To, Edge &E) const;
  void endParameters();
  void endParameters(const Params &All, std::vector<Op> &Ops);

  BodyState &Body;
  AnchoredOps &Anchored;
  const FailureTests Failures;
  PostOrderCFGView Order;
  llvm::DenseMap<const CFGBlock *, unsigned> Number; ///< the entry is 0
};

} // namespace

GraphLowering::GraphLowering(const CFG &Cfg, BodyState &Body,
                             AnchoredOps &Anchored)
    : Body(Body), Anchored(Anchored), Failures(Body.Ctx, Body.Names),
      Order(&Cfg) {
  for (const CFGBlock *B : Order)
    Number.try_emplace(B, Number.size());
  Number.try_emplace(&Cfg.getExit(), Number.size());
  Body.G.Blocks.resize(Number.size());
  Body.G.Exit = Number[&Cfg.getExit()];
}

void GraphLowering::run() {
  for (const CFGBlock *B : Order)
    lowerBlock(B, Body.G.Blocks[Number[B]]);
  endParameters();
}

void GraphLowering::lowerBlock(const CFGBlock *B, Block &Out) {
  BlockLowering(Body, Anchored, Out).lower(B);
  findExitShape(B, Out);
  addEdges(B, Out);
}

/// The loop after which \p B is executed, when its condition is false; null if
/// there is none.
static const Stmt *loopBefore(const CFGBlock *B) {
  for (const CFGBlock::AdjacentBlock &From : B->preds()) {
    const CFGBlock *Pred = From.getReachableBlock();
    const Stmt *S = Pred ? Pred->getTerminatorStmt() : nullptr;
    if (isa_and_nonnull<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S) &&
        Pred->succ_size() == 2 &&
        std::next(Pred->succ_begin())->getReachableBlock() == B)
      return S;
  }
  return nullptr;
}

/// True if \p S contains a return from the function.
static bool returns(const Stmt *S) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  return isa<ReturnStmt>(S) || llvm::any_of(S->children(), returns);
}

/// Determines whether a block under a condition leaves the function.
void GraphLowering::findExitShape(const CFGBlock *B, Block &Out) const {
  // The end of `do { ... } while (0)` is not a branch.
  auto IsBranch = [](const CFGBlock::AdjacentBlock &From) {
    const CFGBlock *Pred = From.getReachableBlock();
    return Pred && llvm::count_if(Pred->succs(), [](const auto &Succ) {
                     return Succ.isReachable();
                   }) >= 2;
  };
  if (B->pred_empty() || !llvm::all_of(B->preds(), IsBranch) ||
      llvm::none_of(Out.Ops,
                    [](const Op &O) { return O.Kind == OpKind::Return; }))
    return;
  // Every path leaves a loop, except one that returns what it searches.
  const Stmt *Loop = loopBefore(B);
  if (Loop && !returns(Loop))
    return;
  Out.EarlyReturn = true;
  if (B->pred_size() != 1) // `a || b`
    return;
  const CFGBlock *Pred = B->pred_begin()->getReachableBlock();
  const auto *Cond =
      dyn_cast_or_null<clang::Expr>(Pred->getTerminatorCondition());
  std::optional<bool> FailsWhen =
      Cond && Pred->succ_size() == 2 ? Failures.failsWhen(Cond) : std::nullopt;
  bool IsTrueBranch = Pred->succ_begin()->getReachableBlock() == B;
  std::optional<bool> Failed;
  if (Loop)
    Failed = false;
  else if (FailsWhen)
    Failed = *FailsWhen == IsTrueBranch;
  Out.EarlyExit = Failures.isFailureReturn(B, Failed);
}

void GraphLowering::addEdges(const CFGBlock *B, Block &Out) {
  bool Switch = isa_and_nonnull<SwitchStmt>(B->getTerminatorStmt());
  bool TwoWay = Out.Cond != None && B->succ_size() == 2;
  const auto *Cond = dyn_cast_or_null<clang::Expr>(B->getTerminatorCondition());
  std::optional<bool> FailsWhen;
  if (TwoWay && Cond)
    FailsWhen = Failures.failsWhen(Cond);
  unsigned Position = 0;
  for (const CFGBlock::AdjacentBlock &Succ : B->succs()) {
    bool First = Position++ == 0;
    const CFGBlock *To = Succ.getReachableBlock();
    if (!To || !Number.count(To))
      continue;
    Edge E;
    E.To = Number[To];
    if (Switch) {
      setCase(To, E);
    } else if (TwoWay) {
      E.When = First ? EdgeKind::True : EdgeKind::False;
      E.Failure = FailsWhen == First;
    }
    Out.Succs.push_back(E);
  }
}

/// Describes \p E, which leads from a switch to \p To.
void GraphLowering::setCase(const CFGBlock *To, Edge &E) const {
  const auto *Case = dyn_cast_or_null<CaseStmt>(To->getLabel());
  clang::Expr::EvalResult R;
  if (Case && !Case->getRHS() && !Case->getLHS()->isValueDependent() &&
      Case->getLHS()->EvaluateAsInt(R, Body.Ctx))
    if (std::optional<int64_t> N = R.Val.getInt().tryExtValue()) {
      E.When = EdgeKind::Case;
      E.Case = *N;
    }
}

/// The parameters with a destructor that runs, the last one first.
static Params destroyedParameters(const FunctionDecl *Def) {
  Params Result;
  for (const ParmVarDecl *P : llvm::reverse(Def->parameters())) {
    const CXXRecordDecl *RD = P->getType()->getAsCXXRecordDecl();
    if (RD && RD->hasDefinition() && !RD->hasTrivialDestructor())
      Result.push_back(P);
  }
  return Result;
}

static bool destroysParameter(const CFGBlock *B) {
  return llvm::any_of(*B, [](const CFGElement &E) {
    auto D = E.getAs<CFGAutomaticObjDtor>();
    return D && isa<ParmVarDecl>(D->getVarDecl());
  });
}

void GraphLowering::endParameters(const Params &All, std::vector<Op> &Ops) {
  ExprLowering L(Body, Ops);
  for (const ParmVarDecl *P : All)
    DestroyLowering(L).destroy(P->getType()->getAsCXXRecordDecl(),
                               Body.Vars.placeOf(P), spanOf(P->getLocation()));
}

/// Destroys the parameters where Clang's CFG does not: it destroys them at
/// return statements (except in version 19), but never at the end of the body.
void GraphLowering::endParameters() {
  Params All = destroyedParameters(Body.Def);
  if (All.empty())
    return;
  std::vector<unsigned> Branches;
  for (const CFGBlock *B : Order) {
    Block &Out = Body.G.Blocks[Number[B]];
    auto ToExit = [&](const Edge &E) { return E.To == Body.G.Exit; };
    if (Out.NeverReturns || llvm::none_of(Out.Succs, ToExit) ||
        destroysParameter(B))
      continue;
    if (Out.Succs.size() == 1)
      endParameters(All, Out.Ops);
    else
      Branches.push_back(Number[B]);
  }
  if (Branches.empty())
    return;
  // A block between the branches and the exit.
  unsigned End = Body.G.Blocks.size();
  for (unsigned B : Branches)
    for (Edge &E : Body.G.Blocks[B].Succs)
      if (E.To == Body.G.Exit)
        E.To = End;
  Block &Out = Body.G.Blocks.emplace_back();
  endParameters(All, Out.Ops);
  Out.Succs.emplace_back().To = Body.G.Exit;
}

static std::unique_ptr<CFG> buildCfg(const FunctionDecl *Def, ASTContext &Ctx) {
  CFG::BuildOptions Options;
  Options.AddInitializers = true;
  Options.AddImplicitDtors = true;
  Options.AddTemporaryDtors = true;
  Options.AddLifetime = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  // An assignment may be part of a condition or an argument.
  Options.setAlwaysAdd(Stmt::BinaryOperatorClass);
  Options.setAlwaysAdd(Stmt::CompoundAssignOperatorClass);
  Options.setAlwaysAdd(Stmt::UnaryOperatorClass);
  Options.setAlwaysAdd(Stmt::LambdaExprClass);
  Options.setAlwaysAdd(Stmt::CXXThrowExprClass);
  return CFG::buildCFG(Def, Def->getBody(), &Ctx, Options);
}

/// Null if there is no CFG.
static std::unique_ptr<FlowGraph> lowerBody(const FunctionDecl *Def,
                                            FunctionTable &Table) {
  ASTContext &Ctx = Table.context();
  const SourceManager &SM = Ctx.getSourceManager();
  if (Table.hasErrors() && !hasUsableTypes(Def))
    return nullptr;
  std::unique_ptr<CFG> Cfg = buildCfg(Def, Ctx);
  if (!Cfg)
    return nullptr;
  auto Result = std::make_unique<FlowGraph>();
  FlowGraph &G = *Result;
  BodyState Body(Def, Table, G);
  ErrorAnchors Errors;
  if (Table.hasErrors())
    Errors = ErrorAnchors(Def, Table.errors());
  CommentAnchors Comments(Table.markers(), Def->getBody(), SM);
  G.TrailingEnd = Comments.TrailingEnd;
  std::vector<AnchoredOp> All = Errors.ops();
  llvm::append_range(All, Comments.Ops);
  AnchoredOps Anchored(std::move(All), SM);

  GraphLowering(*Cfg, Body, Anchored).run();

  splitBlocks(G, std::move(Body.Choices));
  Errors.markEntry(G, Anchored.left());
  dropIdleEnds(G);
  findSteps(G);
  propagateNeverReturns(G);
  findLiveResults(G);
  markAllowed(G, Def->getBody(), SM);
  markOnce(G, Body.Once, SM);
  if (Body.Index.Catches)
    markTries(G, Def->getBody(), SM,
              [&](const FunctionDecl *FD) { return Table.idOf(FD); });
  return Result;
}

std::unique_ptr<FlowGraph> lowerFunction(const FunctionDecl *Def,
                                         FunctionTable &Table) {
  if (!Table.hasErrors())
    return lowerBody(Def, Table);
  // Clang's CFG builder expects valid code. If the host has enabled crash
  // recovery, a crash affects only this function, whose partial graph is lost,
  // and not the whole unit.
  std::unique_ptr<FlowGraph> G;
  bool Survived = llvm::CrashRecoveryContext().RunSafely(
      [&] { G = lowerBody(Def, Table); });
  return Survived && G ? std::move(G) : unparsedGraph(Def);
}

} // namespace cudagraph
