//===- Unit.cpp - A parsed file for the rewritings ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unit.h"
#include "versions/ClangVersions.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include <deque>

using namespace clang;
using namespace cudagraph::rewrite;

void cudagraph::rewrite::walk(const Stmt *S, bool Lambdas,
                              llvm::function_ref<void(const Stmt *)> Visit) {
  if (!S)
    return;
  Visit(S);
  if (const auto *L = dyn_cast<LambdaExpr>(S)) {
    for (const Expr *Init : L->capture_inits())
      walk(Init, Lambdas, Visit);
    if (Lambdas)
      walk(L->getBody(), Lambdas, Visit);
    return;
  }
  for (const Stmt *Child : S->children())
    walk(Child, Lambdas, Visit);
}

namespace {

bool onHost(const FunctionDecl *F) {
  return !F->hasAttr<CUDAGlobalAttr>() &&
         (!F->hasAttr<CUDADeviceAttr>() || F->hasAttr<CUDAHostAttr>());
}

const Decl *outermost(const Decl *D) {
  while (!D->getDeclContext()->isFileContext() ||
         isa<LinkageSpecDecl>(D->getDeclContext()))
    D = cast<Decl>(D->getDeclContext());
  if (const auto *F = dyn_cast<FunctionDecl>(D))
    if (const auto *T = F->getDescribedFunctionTemplate())
      return T;
  if (const auto *R = dyn_cast<CXXRecordDecl>(D))
    if (const auto *T = R->getDescribedClassTemplate())
      return T;
  return D;
}

class Finder : public DynamicRecursiveASTVisitor {
public:
  Finder(const Unit &U, std::vector<Function> &Functions)
      : U(U), Functions(Functions) {}

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (F->isThisDeclarationADefinition() && !F->isDefaulted() &&
        !F->isDeleted())
      add(F, false);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *L) override {
    add(L->getCallOperator(), true);
    return true;
  }

private:
  void add(const FunctionDecl *F, bool Lambda) {
    const Stmt *Whole = F->getBody();
    if (const auto *Try = dyn_cast_or_null<CXXTryStmt>(Whole))
      Whole = Try->getTryBlock();
    const auto *Body = dyn_cast_or_null<CompoundStmt>(Whole);
    if (!Body || !onHost(F) || (F->isConstexpr() && !Lambda) ||
        !U.range(Body->getSourceRange()))
      return;
    for (const DeclContext *C = F->getDeclContext(); C && Lambda;
         C = C->getParent())
      if (const auto *Around = dyn_cast<FunctionDecl>(C))
        if (!onHost(Around))
          return;
    Functions.push_back(
        {F, Body, outermost(F), F->isDependentContext(), Lambda});
  }

  const Unit &U;
  std::vector<Function> &Functions;
};

/// Whether \p S includes its own end: a brace or a semicolon.
bool endsItself(const Stmt *S) {
  while (true) {
    if (const auto *If = dyn_cast<IfStmt>(S))
      S = If->getElse() ? If->getElse() : If->getThen();
    else if (const auto *W = dyn_cast<WhileStmt>(S))
      S = W->getBody();
    else if (const auto *F = dyn_cast<ForStmt>(S))
      S = F->getBody();
    else if (const auto *R = dyn_cast<CXXForRangeStmt>(S))
      S = R->getBody();
    else if (const auto *Sw = dyn_cast<SwitchStmt>(S))
      S = Sw->getBody();
    else if (const auto *L = dyn_cast<LabelStmt>(S))
      S = L->getSubStmt();
    else if (const auto *A = dyn_cast<AttributedStmt>(S))
      S = A->getSubStmt();
    else if (const auto *C = dyn_cast<SwitchCase>(S))
      S = C->getSubStmt();
    else
      return isa<CompoundStmt, DeclStmt, NullStmt, CXXTryStmt>(S);
  }
}

} // namespace

Unit::Unit(ASTContext &Context, Preprocessor &PP)
    : Context(Context), PP(PP), SM(Context.getSourceManager()),
      Lang(Context.getLangOpts()), Old(SM.getBufferData(SM.getMainFileID())) {
  bool First = true;
  for (Decl *D : Context.getTranslationUnitDecl()->decls()) {
    SourceLocation L = SM.getExpansionLoc(D->getBeginLoc());
    if (D->isImplicit() || !inMainFile(L))
      continue;
    if (First)
      Prologue = lines({SM.getFileOffset(L), SM.getFileOffset(L)}).Begin;
    First = false;
    Finder(*this, Functions).TraverseDecl(D);
  }
  for (const Function &F : Functions)
    walk(F.Body, /*Lambdas=*/false, [&](const Stmt *S) {
      if (const auto *Block = dyn_cast<CompoundStmt>(S))
        if (range(Block->getSourceRange()))
          Sequences.push_back({&F, Block});
    });
}

bool Unit::inMainFile(SourceLocation L) const {
  return L.isValid() && SM.getFileID(L) == SM.getMainFileID();
}

std::optional<Range> Unit::range(SourceRange R) const {
  CharSourceRange Found =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(R), SM, Lang);
  if (Found.isInvalid() || !inMainFile(Found.getBegin()))
    return std::nullopt;
  return Range{SM.getFileOffset(Found.getBegin()),
               SM.getFileOffset(Found.getEnd())};
}

std::optional<Range> Unit::statement(const Stmt *S) const {
  std::optional<Range> R = range(S->getSourceRange());
  if (!R || endsItself(S))
    return R;
  SourceLocation End = SM.getComposedLoc(SM.getMainFileID(), R->End - 1);
  std::optional<Token> Next = Lexer::findNextToken(End, SM, Lang);
  if (!Next || Next->isNot(tok::semi))
    return std::nullopt;
  R->End = SM.getFileOffset(Next->getLocation()) + 1;
  return R;
}

Range Unit::lines(Range R) const {
  size_t Begin = Old.rfind('\n', R.Begin);
  // An offset at the end of a line belongs to that line.
  if (Begin == R.Begin && Begin != StringRef::npos && Begin > 0)
    Begin = Old.rfind('\n', R.Begin - 1);
  size_t End = Old.find('\n', R.End);
  return {Begin == StringRef::npos ? 0 : static_cast<unsigned>(Begin + 1),
          static_cast<unsigned>(std::min(End, Old.size()))};
}

bool Unit::marked(Range R) const {
  R = lines(R);
  if (R.Begin > 0)
    R.Begin = lines({R.Begin - 1, R.Begin - 1}).Begin;
  StringRef Around = text(R);
  return Around.contains("NOLINT") || Around.contains("CUDAGRAPH_") ||
         Around.contains("cudagraph:");
}

std::optional<unsigned> Unit::before(const Function &F) const {
  SourceLocation L = SM.getExpansionLoc(F.Outermost->getBeginLoc());
  if (!inMainFile(L))
    return std::nullopt;
  unsigned At = SM.getFileOffset(L);
  At = lines({At, At}).Begin;
  if (At > 0 && marked({At - 1, At - 1}))
    return std::nullopt;
  // The line contains another declaration.
  if (!text({At, SM.getFileOffset(L)}).trim().empty())
    return std::nullopt;
  return At;
}

bool Unit::jumps(const Stmt *S) {
  // A break or continue stays inside if its loop or switch is inside.
  struct Walker {
    bool Found = false;
    void run(const Stmt *S, bool Loop, bool Switch) {
      if (!S || Found)
        return;
      if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt, LabelStmt, CoreturnStmt,
              CoawaitExpr, CoyieldExpr, GCCAsmStmt>(S) ||
          (isa<BreakStmt>(S) && !Loop && !Switch) ||
          (isa<ContinueStmt>(S) && !Loop) || (isa<SwitchCase>(S) && !Switch)) {
        Found = true;
        return;
      }
      if (isa<LambdaExpr>(S))
        return;
      bool IsLoop = isa<WhileStmt, DoStmt, ForStmt, CXXForRangeStmt>(S);
      for (const Stmt *C : S->children())
        run(C, Loop || IsLoop, Switch || isa<SwitchStmt>(S));
    }
  } W;
  W.run(S, false, false);
  return W.Found;
}

std::vector<const VarDecl *>
Unit::freeVariables(ArrayRef<const Stmt *> Statements) {
  llvm::SmallPtrSet<const Decl *, 16> Declared, Seen;
  std::vector<const VarDecl *> Found;
  for (const Stmt *Each : Statements)
    walk(Each, true, [&](const Stmt *S) {
      if (const auto *D = dyn_cast<DeclStmt>(S))
        for (const Decl *Inner : D->decls())
          Declared.insert(Inner);
      if (const auto *C = dyn_cast<CXXCatchStmt>(S))
        Declared.insert(C->getExceptionDecl());
      if (const auto *L = dyn_cast<LambdaExpr>(S)) {
        for (const ParmVarDecl *P : L->getCallOperator()->parameters())
          Declared.insert(P);
        for (const LambdaCapture &C : L->captures())
          if (C.capturesVariable() && L->isInitCapture(&C))
            Declared.insert(C.getCapturedVar());
      }
    });
  for (const Stmt *Each : Statements)
    walk(Each, true, [&](const Stmt *S) {
      const auto *E = dyn_cast<DeclRefExpr>(S);
      if (!E)
        return;
      const auto *V = dyn_cast<VarDecl>(E->getDecl());
      if (V && V->hasLocalStorage() && !Declared.count(V) &&
          Seen.insert(V).second)
        Found.push_back(V);
    });
  return Found;
}

bool Unit::mentionsThis(const Stmt *S) {
  bool Found = false;
  walk(S, true, [&](const Stmt *Each) {
    Found |= isa<CXXThisExpr, UnresolvedMemberExpr>(Each);
  });
  return Found;
}

std::string Unit::declare(QualType Type, StringRef Name) const {
  // Types without a name at namespace scope.
  for (QualType Bare = Type.getNonReferenceType();;) {
    if (const auto *Tag = Bare->getAsTagDecl()) {
      if (!Tag->getDeclName() || Tag->getParentFunctionOrMethod() ||
          (isa<CXXRecordDecl>(Tag) && cast<CXXRecordDecl>(Tag)->isLambda()))
        return "";
    }
    QualType Inner = Bare->getPointeeType();
    if (Inner.isNull() && Bare->isArrayType())
      Inner = QualType(Bare->getArrayElementTypeNoTypeQual(), 0);
    if (Inner.isNull())
      break;
    Bare = Inner;
  }
  if (Type->isDependentType() || Type->isUndeducedType() ||
      Type->isVariablyModifiedType() ||
      Type->getCanonicalTypeInternal().getAsString().find("(lambda at") !=
          std::string::npos)
    return "";
  PrintingPolicy Policy(Lang);
  Policy.SuppressScope = false;
  Policy.adjustForCPlusPlus();
  QualType Full = TypeName::getFullyQualifiedType(Type, Context);
  std::string Out;
  llvm::raw_string_ostream Stream(Out);
  Full.print(Stream, Policy, Name);
  return Out;
}
