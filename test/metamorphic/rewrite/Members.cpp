//===- Members.cpp - A stream as a member of the code that uses it --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The member receives the value where the parameter or the variable does. It is
// a member of the method's class, or of a new class whose method has the body
// of the function.
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

static const Holder Member = {"", "", "metaKeep = %I;", "metaKeep", "metaKeep"};

/// Whether \p F calls itself: the calls would need different values in one
/// member.
static bool recursive(const Function &F) {
  bool Found = false;
  walk(F.Body, true, [&](const Stmt *S) {
    const auto *Call = dyn_cast<CallExpr>(S);
    const auto *Callee =
        Call ? dyn_cast_or_null<FunctionDecl>(Call->getCalleeDecl()) : nullptr;
    Found |= Callee && Callee->getCanonicalDecl() == F.Decl->getCanonicalDecl();
  });
  return Found;
}

void cudagraph::rewrite::streamField(const Unit &U, Sites &Found) {
  for (const LocalStream &V : localStreams(U)) {
    const auto *Method = dyn_cast<CXXMethodDecl>(V.In->Decl);
    if (!Method || V.In->Lambda || Method->isStatic() || recursive(*V.In))
      continue;
    const CXXRecordDecl *Class = Method->getParent();
    SourceLocation End = Class->getBraceRange().getEnd();
    if (Class->isUnion() || !U.inMainFile(End))
      continue;
    unsigned At = U.SM.getFileOffset(End);
    std::string Declared = Method->isConst() ? "mutable " : "";
    Declared += U.declare(V.Decl->getType(), "metaKeep") + " = nullptr;\n";
    keep(Member, U, V, {{{At, At}, Text(Declared)}}, Found);
  }
}

void cudagraph::rewrite::streamOwner(const Unit &U, Sites &Found) {
  for (const LocalStream &V : localStreams(U)) {
    const FunctionDecl *F = V.In->Decl;
    std::optional<unsigned> At = U.before(*V.In);
    std::optional<Range> Body = U.range(V.In->Body->getSourceRange());
    std::string Result = U.declare(F->getReturnType(), "");
    if (V.In->Lambda || isa<CXXMethodDecl>(F) || F->isMain() || !At || !Body ||
        F->getBody() != V.In->Body || F->isVariadic() || Result.empty())
      continue;
    Text Class("struct MetaOwner {\n" +
               U.declare(V.Decl->getType(), "metaKeep") + " = nullptr;\n" +
               Result + " run(");
    std::string Arguments;
    bool Fits = true;
    for (const ParmVarDecl *P : F->parameters()) {
      std::string Declared = U.declare(P->getType(), P->getName());
      Fits &= P->getDeclName() && !Declared.empty();
      Class.add((Arguments.empty() ? "" : ", ") + Declared);
      Arguments += (Arguments.empty() ? "" : ", ") + P->getName().str();
    }
    if (!Fits)
      continue;
    Class.add(") ").copy(*Body).add("\n};\n");
    Text Call;
    Call.add("{ MetaOwner metaOwner; return metaOwner.run(" + Arguments + "); }",
             Body->Begin);
    keep(Member, U, V, {{{*At, *At}, Class}, {*Body, Call}}, Found);
  }
}
