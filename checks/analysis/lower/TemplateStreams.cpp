//===- TemplateStreams.cpp - Streams that a template loses ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TemplateStreams.h.
//
//===----------------------------------------------------------------------===//

#include "TemplateStreams.h"
#include "ExprBuilder.h"
#include "FunctionTable.h"
#include "SpanOf.h"
#include "versions/ClangVersions.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

/// The maximum number of calls that are followed from a template to the work.
static constexpr unsigned MaxTemplateCalls = 3;

namespace {
/// How a call in a template treats a stream parameter of its callee.
struct StreamCall {
  const CallExpr *Call;
  const FunctionDecl *Callee; ///< null: a kernel
  unsigned Param;
  bool Lost; ///< it passes null instead of the caller's stream
};

/// Finds the calls in one template that involve streams.
class StreamCalls : public DynamicRecursiveASTVisitor {
public:
  StreamCalls(const FunctionDecl *Def, FunctionTable &Table);

  std::vector<StreamCall> All;
  const ParmVarDecl *Stream = nullptr;

  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool VisitCallExpr(CallExpr *E) override;

private:
  bool isStream(const clang::Expr *E) const;
  bool isNull(const clang::Expr *E) const {
    return E->isNullPointerConstant(Ctx,
                                    clang::Expr::NPC_ValueDependentIsNotNull) !=
           clang::Expr::NPCK_NotNull;
  }
  void note(const CallExpr *E, const FunctionDecl *Callee);

  FunctionTable &Table;
  ASTContext &Ctx;
  bool Asks = false; ///< whether a stream is capturing
};
} // namespace

static bool haveSameParams(const FunctionDecl *A, const FunctionDecl *B) {
  return llvm::equal(A->parameters(), B->parameters(),
                     [](const ParmVarDecl *X, const ParmVarDecl *Y) {
                       return X->getType().getCanonicalType() ==
                              Y->getType().getCanonicalType();
                     });
}

/// The function that \p E calls, as the template shows it; null if several are
/// possible. CUDA declares some functions for the host and for the device.
static const FunctionDecl *calleeIn(const CallExpr *E) {
  if (const FunctionDecl *FD = E->getDirectCallee())
    return FD;
  const auto *Names =
      dyn_cast<OverloadExpr>(E->getCallee()->IgnoreParenImpCasts());
  if (!Names)
    return nullptr;
  const FunctionDecl *Only = nullptr;
  for (const NamedDecl *D : Names->decls()) {
    const auto *FD = dyn_cast<FunctionDecl>(D->getUnderlyingDecl());
    if (!FD)
      return nullptr;
    if (E->getNumArgs() < FD->getMinRequiredArguments() ||
        (E->getNumArgs() > FD->getNumParams() && !FD->isVariadic()))
      continue;
    if (Only && !haveSameParams(Only, FD))
      return nullptr;
    Only = FD;
  }
  return Only;
}

StreamCalls::StreamCalls(const FunctionDecl *Def, FunctionTable &Table)
    : Table(Table), Ctx(Table.context()) {
  for (const ParmVarDecl *P : Def->parameters())
    if (!P->getType()->isDependentType() &&
        Table.names().isStream(P->getType())) {
      if (Stream)
        return; // it is unknown which of them is called
      Stream = P;
    }
  if (Stream)
    TraverseStmt(Def->getBody());
  if (Asks)
    All.clear();
}

bool StreamCalls::isStream(const clang::Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return Ref && Ref->getDecl() == Stream;
}

void StreamCalls::note(const CallExpr *E, const FunctionDecl *Callee) {
  for (const ParmVarDecl *P : Callee->parameters()) {
    unsigned I = P->getFunctionScopeIndex();
    if (P->getType()->isDependentType() ||
        !Table.names().isStream(P->getType()))
      continue;
    const clang::Expr *Passed = I < E->getNumArgs() ? E->getArg(I) : nullptr;
    if (!Passed || isa<CXXDefaultArgExpr>(Passed))
      Passed = P->hasDefaultArg() && !P->hasUnparsedDefaultArg() &&
                       !P->hasUninstantiatedDefaultArg()
                   ? P->getDefaultArg()
                   : nullptr;
    if (Passed && (isStream(Passed) || isNull(Passed)))
      All.push_back({E, Callee, I, isNull(Passed)});
    return;
  }
}

bool StreamCalls::VisitCallExpr(CallExpr *E) {
  if (const auto *K = dyn_cast<CUDAKernelCallExpr>(E)) {
    const CallExpr *Config = K->getConfig();
    if (Config->getNumArgs() == 4 && isStream(Config->getArg(3)))
      All.push_back({E, nullptr, 3, false});
    return true;
  }
  const FunctionDecl *Callee = calleeIn(E);
  if (!Callee)
    return true;
  if (const IdentifierInfo *Name = Callee->getIdentifier())
    Asks |= Name->getName().contains_insensitive("captur");
  note(E, Callee);
  return true;
}

/// The definition of the template \p FD; null if \p FD is not a template.
static const FunctionDecl *templateOf(const FunctionDecl *FD) {
  const FunctionDecl *Def = nullptr;
  return FD && FD->hasBody(Def) && Def->isDependentContext() ? Def : nullptr;
}

/// The calls in \p Def that lead to work on a stream.
static std::vector<StreamCall> workOf(const FunctionDecl *Def,
                                      FunctionTable &Table, unsigned Depth) {
  std::vector<StreamCall> Result = StreamCalls(Def, Table).All;
  llvm::erase_if(Result, [&](const StreamCall &C) {
    if (!C.Callee)
      return false;
    if (const FunctionDecl *Inner = templateOf(C.Callee))
      return Depth >= MaxTemplateCalls || Inner == Def ||
             workOf(Inner, Table, Depth + 1).empty();
    return C.Lost || !Table.names().catalogue().lookup(
                         Table.info(Table.idOf(C.Callee)).Name);
  });
  return Result;
}

bool losesStream(const FunctionDecl *Def, FunctionTable &Table) {
  return llvm::any_of(workOf(Def, Table, 0),
                      [](const StreamCall &C) { return C.Lost; });
}

/// Lowers \p C, with unknown expressions from \p Exprs for everything except
/// the stream.
static Op lower(const StreamCall &C, ExprId Stream, ExprBuilder &Exprs,
                FunctionTable &Table, unsigned Number) {
  Op O;
  O.Kind = OpKind::Call;
  O.Range = spanOf(C.Call->getSourceRange());
  O.Name = spanOf(C.Call->getCallee()->getExprLoc());
  O.CloseParen = spanOf(C.Call->getRParenLoc());
  O.ResultIndex = Number;
  const CallExpr *Shown = C.Call;
  if (const auto *K = dyn_cast<CUDAKernelCallExpr>(C.Call)) {
    Shown = K->getConfig();
    O.How = Dispatch::Kernel;
    O.CalleeValue = Exprs.unknown();
    O.CloseParen = spanOf(Shown->getRParenLoc());
  } else {
    O.Callee = Table.idOf(C.Callee);
    const auto *M = dyn_cast<CXXMethodDecl>(C.Callee);
    if (M && M->isInstance())
      O.Object = Exprs.deref(Exprs.unknown());
  }
  unsigned Count = C.Callee ? C.Callee->getNumParams() : 4;
  std::vector<CallArg> Args(Count);
  for (unsigned I = 0; I < Count; ++I) {
    Args[I].Value = I != C.Param ? Exprs.unknown() : Stream;
    Args[I].IsStream = I == C.Param;
    if (I < Shown->getNumArgs() && !isa<CXXDefaultArgExpr>(Shown->getArg(I)))
      Args[I].Range = spanOf(Shown->getArg(I)->getSourceRange());
  }
  (C.Callee ? O.Args : O.Config) = std::move(Args);
  return O;
}

std::unique_ptr<FlowGraph> lowerTemplate(const FunctionDecl *Def,
                                         FunctionTable &Table) {
  std::vector<StreamCall> Calls = workOf(Def, Table, 0);
  if (Calls.empty())
    return nullptr;
  auto G = std::make_unique<FlowGraph>();
  ExprBuilder Exprs(G->Exprs);
  unsigned Stream = 0;
  for (const ParmVarDecl *P : Def->parameters()) {
    LocalVar Var;
    Var.Name = P->getNameAsString();
    Var.IsStream = !P->getType()->isDependentType() &&
                   Table.names().isStream(P->getType());
    if (Var.IsStream)
      Stream = G->Vars.size();
    G->Vars.push_back(std::move(Var));
  }
  G->NumParams = G->Vars.size();
  // Each call is skipped or made.
  G->Blocks.resize(2 * Calls.size() + 1);
  G->Exit = 2 * Calls.size();
  for (unsigned I = 0; I < Calls.size(); ++I) {
    Block &Choice = G->Blocks[2 * I], &Work = G->Blocks[2 * I + 1];
    Choice.Cond = Exprs.unknown();
    Edge Make, Skip;
    Make.To = 2 * I + 1;
    Make.When = EdgeKind::True;
    Skip.To = 2 * I + 2;
    Skip.When = EdgeKind::False;
    Choice.Succs = {Make, Skip};
    const StreamCall &C = Calls[I];
    ExprId Passed =
        C.Lost ? Exprs.integer(0) : Exprs.load(Exprs.variable(Stream));
    Work.Ops.push_back(lower(C, Passed, Exprs, Table, I));
    Edge Next;
    Next.To = 2 * I + 2;
    Work.Succs = {Next};
  }
  G->NumCalls = Calls.size();
  G->LiveResults.resize(Calls.size());
  return G;
}

} // namespace cudagraph
