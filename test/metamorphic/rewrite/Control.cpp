//===- Control.cpp - Equivalent control flow ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

/// Calls \p Visit with each statement of kind \p T outside templates and with
/// its location.
template <class T, class F> void each(const Unit &U, F Visit) {
  for (const Function &In : U.functions())
    walk(In.Body, /*Lambdas=*/false, [&](const Stmt *S) {
      if (const auto *Found = dyn_cast<T>(S))
        if (std::optional<Range> R = U.statement(S))
          Visit(In, Found, *R);
    });
}

bool plain(const IfStmt *If) {
  return !If->isConstexpr() && !If->isConsteval() &&
         !If->getConditionVariable();
}

/// Whether no path reaches the end of \p S.
bool leaves(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return !Block->body_empty() && leaves(Block->body_back());
  if (const auto *If = dyn_cast<IfStmt>(S))
    return If->getElse() && leaves(If->getThen()) && leaves(If->getElse());
  return isa<ReturnStmt, BreakStmt, ContinueStmt>(S);
}

/// A label or a case in \p S that can be reached from elsewhere.
bool entered(const Stmt *S) {
  bool Found = false;
  walk(S, false, [&](const Stmt *Each) {
    Found |= isa<LabelStmt, GotoStmt>(Each) ||
             (isa<SwitchCase>(Each) && !isa<SwitchStmt>(S));
  });
  return Found;
}

} // namespace

void cudagraph::rewrite::invertIf(const Unit &U, Sites &Found) {
  each<IfStmt>(U, [&](const Function &, const IfStmt *If, Range Whole) {
    std::optional<Range> Cond = U.range(If->getCond()->getSourceRange());
    std::optional<Range> Then = U.statement(If->getThen());
    std::optional<Range> Else;
    if (If->getElse())
      Else = U.statement(If->getElse());
    if (!plain(If) || !Cond || !Then || (If->getElse() && !Else) ||
        entered(If->getThen()) || (If->getElse() && entered(If->getElse())))
      return;
    Text New;
    New.copy({Whole.Begin, Cond->Begin}).add("!(").copy(*Cond).add(")) ");
    if (Else)
      New.add("{\n").copy(*Else).add("\n} ");
    else
      New.add("{} ");
    New.add("else {\n").copy(*Then).add("\n}");
    Found.push_back({Whole.Begin, {{Whole, New}}});
  });
}

void cudagraph::rewrite::nestAfterReturn(const Unit &U, Sites &Found) {
  for (const Sequence &S : U.sequences()) {
    const auto Body = S.Block->body();
    for (auto It = Body.begin(); It != Body.end(); ++It) {
      const auto *If = dyn_cast<IfStmt>(*It);
      if (!If || If->getElse() || std::next(It) == Body.end() || !plain(If) ||
          !leaves(If->getThen()))
        continue;
      bool Fits = true;
      for (auto Rest = std::next(It); Rest != Body.end(); ++Rest)
        Fits &= !entered(*Rest) && !isa<SwitchCase>(*Rest);
      std::optional<Range> Here = U.statement(If);
      std::optional<Range> First = U.statement(*std::next(It));
      std::optional<Range> Last = U.statement(S.Block->body_back());
      if (!Fits || !Here || !First || !Last)
        continue;
      Range Rest{First->Begin, Last->End};
      Found.push_back({Here->Begin,
                       {{{Here->End, Here->End}, " else {"},
                        {{Rest.End, Rest.End}, "\n}"}}});
    }
  }
}

void cudagraph::rewrite::unnestElse(const Unit &U, Sites &Found) {
  for (const Sequence &S : U.sequences())
    for (const Stmt *Each : S.Block->body()) {
      const auto *If = dyn_cast<IfStmt>(Each);
      if (!If || !If->getElse() || !plain(If) || If->hasInitStorage() ||
          !leaves(If->getThen()))
        continue;
      std::optional<Range> Then = U.statement(If->getThen());
      std::optional<Range> Else = U.statement(If->getElse());
      if (!Then || !Else || entered(Each))
        continue;
      Found.push_back({Then->End,
                       {{{Then->End, Else->Begin}, "\n{ "},
                        {{Else->End, Else->End}, "\n}"}}});
    }
}

void cudagraph::rewrite::returnEarly(const Unit &U, Sites &Found) {
  for (const Function &F : U.functions()) {
    QualType Type = F.Decl->getReturnType();
    if (F.Body->body_empty() || !Type->isVoidType() ||
        isa<CXXConstructorDecl, CXXDestructorDecl>(F.Decl))
      continue;
    const auto *If = dyn_cast<IfStmt>(F.Body->body_back());
    if (!If || If->getElse() || !plain(If) || If->hasInitStorage())
      continue;
    std::optional<Range> Whole = U.statement(If);
    std::optional<Range> Then = U.statement(If->getThen());
    std::optional<Range> Cond = U.range(If->getCond()->getSourceRange());
    if (!Whole || !Then || !Cond || entered(If->getThen()))
      continue;
    Text New;
    New.copy({Whole->Begin, Cond->Begin}).add("!(").copy(*Cond);
    New.add("))\nreturn;\n").copy(*Then);
    Found.push_back({Whole->Begin, {{*Whole, New}}});
  }
}

void cudagraph::rewrite::forToWhile(const Unit &U, Sites &Found) {
  each<ForStmt>(U, [&](const Function &, const ForStmt *For, Range Whole) {
    std::optional<Range> Body = U.statement(For->getBody());
    std::optional<Range> Init, Cond, Next;
    if (For->getInit() && !(Init = U.range(For->getInit()->getSourceRange())))
      return;
    if (For->getCond() && !(Cond = U.range(For->getCond()->getSourceRange())))
      return;
    if (For->getInc() && !(Next = U.range(For->getInc()->getSourceRange())))
      return;
    bool Fits = Body && !For->getConditionVariable();
    walk(For->getBody(), false, [&](const Stmt *S) {
      Fits &= !isa<ContinueStmt, LabelStmt, SwitchCase>(S);
    });
    if (!Fits)
      return;
    Text New("{ ");
    if (Init) {
      New.copy(*Init);
      if (!isa<DeclStmt>(For->getInit()))
        New.add(";");
    }
    New.add(" while (");
    if (Cond)
      New.copy(*Cond);
    else
      New.add("true");
    New.add(") {\n").copy(*Body);
    if (Next)
      New.add("\n").copy(*Next).add(";");
    New.add("\n}\n}");
    Found.push_back({Whole.Begin, {{Whole, New}}});
  });
}

void cudagraph::rewrite::whileToFor(const Unit &U, Sites &Found) {
  each<WhileStmt>(U, [&](const Function &, const WhileStmt *W, Range Whole) {
    std::optional<Range> Body = U.statement(W->getBody());
    std::optional<Range> Cond = U.range(W->getCond()->getSourceRange());
    if (!Body || !Cond || W->getConditionVariable())
      return;
    Text New("for (; ");
    New.copy(*Cond).add(";)\n").copy(*Body);
    Found.push_back({Whole.Begin, {{Whole, New}}});
  });
}

void cudagraph::rewrite::doOnce(const Unit &U, Sites &Found) {
  for (const Sequence &S : U.sequences())
    for (const Stmt *Each : S.Block->body()) {
      std::optional<Range> R = U.statement(Each);
      if (!R || isa<DeclStmt, NullStmt, SwitchCase>(Each) || entered(Each))
        continue;
      // A statement that leaves an outer loop must not leave the new loop
      // instead.
      bool Fits = isa<ReturnStmt>(Each) || !U.jumps(Each);
      if (!Fits)
        continue;
      Text New("do {\n");
      New.copy(*R).add("\n} while (0);");
      Found.push_back({R->Begin, {{*R, New}}});
    }
}
