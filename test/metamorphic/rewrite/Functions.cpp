//===- Functions.cpp - Moves statements between functions -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

/// Consecutive statements that can be moved together.
struct Run {
  const Function *In;
  std::vector<const Stmt *> Statements;
  Range Where;
  std::vector<const VarDecl *> Free;
};

/// Whether \p S declares a type, or a variable that exists once for all calls.
bool declaresStatic(const Stmt *S) {
  const auto *D = dyn_cast<DeclStmt>(S);
  return D && llvm::any_of(D->decls(), [](const Decl *Inner) {
           const auto *V = dyn_cast<VarDecl>(Inner);
           return !V || V->isStaticLocal();
         });
}

/// Visits runs of one to three statements, and those to the end of a block.
void eachRun(const Unit &U, llvm::function_ref<void(const Run &)> Visit) {
  for (const Sequence &S : U.sequences()) {
    if (S.In->Dependent)
      continue;
    const auto Body = S.Block->body();
    size_t Size = S.Block->size();
    for (size_t First = 0; First < Size; ++First)
      for (size_t Count : {size_t(1), size_t(2), size_t(3), Size}) {
        // The last run goes to the end, unless one of the others does.
        if (Count == Size && Size - First > 3)
          Count = Size - First;
        size_t End = First + Count;
        if (End > Size)
          break;
        Run R{S.In, {}, {}, {}};
        bool Fits = true, Declares = false, Work = false;
        for (size_t I = First; I < End; ++I) {
          const Stmt *Each = Body.begin()[I];
          R.Statements.push_back(Each);
          Fits &= !Unit::jumps(Each) && !isa<SwitchCase, NullStmt>(Each);
          Fits &= !declaresStatic(Each);
          Declares |= isa<DeclStmt>(Each);
          Work |= !isa<DeclStmt>(Each);
        }
        // A declared variable lives until the end of the block.
        if (!Fits || !Work || (Declares && End != Size))
          continue;
        std::optional<Range> From = U.statement(R.Statements.front());
        std::optional<Range> To = U.statement(R.Statements.back());
        if (!From || !To)
          continue;
        R.Where = {From->Begin, To->End};
        if (U.text(R.Where).contains("\n#"))
          continue;
        R.Free = Unit::freeVariables(R.Statements);
        Visit(R);
        if (End == Size)
          break;
      }
  }
}

bool mentionsThis(const Run &R) {
  return llvm::any_of(R.Statements,
                      [](const Stmt *S) { return Unit::mentionsThis(S); });
}

/// Whether \p R contains a type declared in the function, or code of a class,
/// whose names have a different meaning outside.
bool boundToPlace(const Run &R) {
  if (R.In->Lambda || isa<CXXMethodDecl>(R.In->Decl) || mentionsThis(R))
    return true;
  return llvm::any_of(R.Free, [](const VarDecl *V) {
    return V->isInitCapture() || isa<DecompositionDecl>(V);
  });
}

/// Moves the statements of \p R to a static function, and adds a call to it.
void extractInto(const Unit &U, const Run &R, bool ByValue, Sites &Found) {
  std::optional<unsigned> At = U.before(*R.In);
  if (boundToPlace(R) || !At)
    return;
  std::string Templates, Parameters, Arguments;
  unsigned Count = 0;
  for (const VarDecl *V : R.Free) {
    QualType Type = V->getType().getNonReferenceType();
    std::string Name = V->getName().str();
    if (!ByValue)
      Name = (Type->isArrayType() ? "(&" : "&") + Name +
             (Type->isArrayType() ? ")" : "");
    std::string Declared = U.declare(Type, Name);
    if (Declared.empty()) {
      std::string T = "MetaT" + std::to_string(Count++);
      Templates += (Templates.empty() ? "" : ", ") + ("class " + T);
      Declared = T + " " + Name;
    }
    Parameters += (Parameters.empty() ? "" : ", ") + Declared;
    Arguments += (Arguments.empty() ? "" : ", ") + V->getName().str();
  }
  Text Helper;
  if (!Templates.empty())
    Helper.add("template <" + Templates + ">\n");
  Helper.add("static void metaPart(" + Parameters + ") {\n");
  Helper.copy(R.Where).add("\n}\n");
  Text Call;
  Call.add("metaPart(" + Arguments + ");", R.Where.Begin);
  Found.push_back({R.Where.Begin, {{{*At, *At}, Helper}, {R.Where, Call}}});
}

/// Whether \p R only reads its variables, all of which are numbers or pointers.
bool readsOnly(const Unit &U, const Run &R) {
  for (const VarDecl *V : R.Free)
    if (!V->getType()->isScalarType())
      return false;
  bool Fits = true;
  for (const Stmt *Top : R.Statements)
    walk(Top, true, [&](const Stmt *S) {
      const auto *E = dyn_cast<DeclRefExpr>(S);
      if (!E || !llvm::is_contained(R.Free, E->getDecl()))
        return;
      auto Parents = U.Context.getParents(*E);
      const auto *Cast =
          Parents.empty() ? nullptr : Parents[0].get<ImplicitCastExpr>();
      Fits &= Cast && Cast->getCastKind() == CK_LValueToRValue;
    });
  return Fits;
}

void lambda(const Run &R, StringRef Before, StringRef After,
            std::optional<unsigned> At, StringRef Helper, Sites &Found) {
  for (const VarDecl *V : R.Free)
    if (isa<DecompositionDecl>(V))
      return;
  Text Call;
  Call.add(Before, R.Where.Begin).add("\n").copy(R.Where).add("\n");
  Call.add(After, R.Where.Begin);
  Site New{R.Where.Begin, {{R.Where, Call}}};
  if (At)
    New.Edits.push_back({{*At, *At}, Text(Helper)});
  Found.push_back(New);
}

} // namespace

void cudagraph::rewrite::extract(const Unit &U, Sites &Found) {
  eachRun(U, [&](const Run &R) { extractInto(U, R, false, Found); });
}

void cudagraph::rewrite::extractValues(const Unit &U, Sites &Found) {
  eachRun(U, [&](const Run &R) {
    if (readsOnly(U, R))
      extractInto(U, R, true, Found);
  });
}

void cudagraph::rewrite::extractLambda(const Unit &U, Sites &Found) {
  eachRun(U, [&](const Run &R) {
    lambda(R, "[&] {", "}();", std::nullopt, "", Found);
  });
}

void cudagraph::rewrite::extractRun(const Unit &U, Sites &Found) {
  eachRun(U, [&](const Run &R) {
    lambda(
        R, "metaRun([&] {", "});", U.prologue(),
        "template <class F> static void metaRun(F metaBody) { metaBody(); }\n",
        Found);
  });
}

void cudagraph::rewrite::inlineCall(const Unit &U, Sites &Found) {
  for (const Sequence &S : U.sequences())
    for (const Stmt *Each : S.Block->body()) {
      const auto *Call = dyn_cast<CallExpr>(Each);
      std::optional<Range> Where = U.statement(Each);
      if (!Call || !Where ||
          isa<CXXMemberCallExpr, CXXOperatorCallExpr>(Call) || S.In->Dependent)
        continue;
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee || isa<CXXMethodDecl>(Callee) || Callee->isVariadic())
        continue;
      const Function *Target = nullptr;
      for (const Function &F : U.functions())
        if (F.Decl->getCanonicalDecl() == Callee->getCanonicalDecl())
          Target = &F;
      if (!Target || Target->Dependent || Target->Lambda ||
          isa<CXXTryStmt>(Target->Decl->getBody()) ||
          Target->Body->size() > 12 || Target->Decl == S.In->Decl ||
          !Target->Decl->getReturnType()->isVoidType())
        continue;
      bool Fits = true;
      for (const Stmt *Inner : Target->Body->body()) {
        Fits &= !Unit::jumps(Inner);
        walk(Inner, true, [&](const Stmt *Deep) {
          if (const auto *D = dyn_cast<DeclStmt>(Deep))
            for (const Decl *V : D->decls())
              Fits &= !isa<VarDecl>(V) || !cast<VarDecl>(V)->isStaticLocal();
          if (const auto *C = dyn_cast<CallExpr>(Deep))
            Fits &= C->getCalleeDecl() != Target->Decl;
        });
      }
      std::optional<Range> Body = U.range(Target->Body->getSourceRange());
      if (!Fits || !Body || U.text(*Body).contains("\n#"))
        continue;
      Text New("{\n"), Second;
      unsigned I = 0;
      for (const ParmVarDecl *P : Target->Decl->parameters()) {
        std::string Inner = "metaA" + std::to_string(I);
        std::string First = U.declare(P->getType(), Inner);
        std::string Named = U.declare(P->getType(), P->getName());
        const Expr *Argument = Call->getArg(I++);
        std::optional<Range> From;
        if (!isa<CXXDefaultArgExpr>(Argument))
          From = U.range(Argument->getSourceRange());
        if (!From || First.empty() || P->getType()->isRValueReferenceType()) {
          Fits = false;
          break;
        }
        New.add(First + " = ").copy(*From).add(";\n");
        if (P->getDeclName())
          Second.add(Named + " = " + Inner + ";\n");
      }
      if (!Fits)
        continue;
      New.add("{\n").append(Second).copy(*Body).add("\n}\n}");
      Found.push_back({Where->Begin, {{*Where, New}}});
    }
}
