//===- Creations.cpp - Streams created in a loop, or one by one -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consecutive variables that are created in the same way become elements that a
// loop creates; a single variable becomes the first of two elements.
// Conversely, a loop with a fixed number of iterations is unrolled.
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

namespace {

bool creates(const Stmt *S) {
  bool Found = false;
  walk(S, false, [&](const Stmt *Each) {
    const auto *Call = dyn_cast<CallExpr>(Each);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    Found |= Callee && Callee->getIdentifier() &&
             (Callee->getName().starts_with("cudaStreamCreate") ||
              Callee->getName().starts_with("cuStreamCreate"));
  });
  return Found;
}

/// A statement that creates the stream of a variable.
struct Creation {
  const VarDecl *Stream;
  Range Where;
  std::vector<std::pair<Range, bool>> Mentions;
  std::string Before, After; ///< the text around the variable

  bool like(const Creation &O) const {
    return Before == O.Before && After == O.After &&
           Stream->getType() == O.Stream->getType();
  }
};

std::optional<Creation> creation(const Unit &U, const Stmt *S) {
  std::optional<Range> Where = U.statement(S);
  if (!Where || isa<DeclStmt>(S) || !creates(S) || Unit::jumps(S))
    return std::nullopt;
  for (const VarDecl *V : Unit::freeVariables(S)) {
    if (!isStream(V->getType()) || isa<ParmVarDecl>(V))
      continue;
    auto Mentions = mentions(U, S, V);
    if (!Mentions || Mentions->size() != 1)
      return std::nullopt;
    Range Name = Mentions->front().first;
    return Creation{V, *Where, *Mentions,
                    U.text({Where->Begin, Name.Begin}).str(),
                    U.text({Name.End, Where->End}).str()};
  }
  return std::nullopt;
}

/// A loop that creates streams. In the texts, %T is the type, and %C is the
/// number.
struct Loop {
  StringRef Helper, Declare, Begin, Name, End;
};

std::string filled(StringRef Form, StringRef Type, size_t Count) {
  std::string Out;
  for (; !Form.empty(); Form = Form.drop_front()) {
    if (!Form.consume_front("%"))
      Out += Form[0];
    else
      Out += Form[0] == 'T' ? Type.str() : std::to_string(Count);
  }
  return Out;
}

/// Adds one site for the creations \p Each, which are consecutive in \p S.
void together(const Unit &U, const Loop &L, const Sequence &S,
              ArrayRef<Creation> Each, Sites &Found) {
  size_t Count = std::max<size_t>(Each.size(), 2);
  std::string Type = U.declare(Each[0].Stream->getType(), "");
  Site New;
  New.Offset = Each[0].Where.Begin;
  if (!L.Helper.empty())
    New.Edits.push_back({{U.prologue(), U.prologue()}, Text(L.Helper)});

  // The declarations of the created variables must declare no others.
  size_t Declared = 0;
  for (const Stmt *Inner : S.Block->body()) {
    const auto *D = dyn_cast<DeclStmt>(Inner);
    if (!D || llvm::none_of(Each, [&](const Creation &C) {
          return llvm::is_contained(D->decls(), C.Stream);
        }))
      continue;
    std::optional<Range> R = U.statement(D);
    for (const Decl *V : D->decls()) {
      const Expr *Init = isa<VarDecl>(V) ? cast<VarDecl>(V)->getInit() : nullptr;
      if (!R || llvm::none_of(Each, [&](const Creation &C) {
            return C.Stream == V;
          }) ||
          cast<VarDecl>(V)->isStaticLocal() ||
          (Init && !Init->isNullPointerConstant(
                       const_cast<ASTContext &>(U.Context),
                       Expr::NPC_ValueDependentIsNotNull)))
        return;
    }
    Text Array;
    if (!Declared)
      Array.add(filled(L.Declare, Type, Count), R->Begin);
    New.Edits.push_back({*R, Array});
    Declared += std::distance(D->decl_begin(), D->decl_end());
  }
  if (Declared != Each.size())
    return;

  for (size_t I = 0; I < Each.size(); ++I) {
    const Creation &C = Each[I];
    Text Creates;
    if (I == 0)
      Creates.add(filled(L.Begin, Type, Count) + "\n", C.Where.Begin)
          .copy(C.Where)
          .add("\n" + L.End.str());
    New.Edits.push_back({C.Where, Creates});
    auto Mentions = mentions(U, S.In->Body, C.Stream);
    if (!Mentions)
      return;
    for (auto &[R, Reads] : *Mentions)
      New.Edits.push_back(
          {R, Text(C.Where.contains(R)
                       ? L.Name.str()
                       : "metaKeep[" + std::to_string(I) + "]")});
  }
  Found.push_back(New);
}

void inLoop(const Unit &U, const Loop &L, Sites &Found) {
  for (const Sequence &S : U.sequences()) {
    if (S.In->Dependent)
      continue;
    std::vector<Creation> Group;
    auto flush = [&] {
      if (!Group.empty())
        together(U, L, S, Group, Found);
      Group.clear();
    };
    for (const Stmt *Each : S.Block->body()) {
      std::optional<Creation> C = creation(U, Each);
      if (!C || (!Group.empty() && !C->like(Group[0])))
        flush();
      if (C)
        Group.push_back(*C);
    }
    flush();
  }
}

/// The number of iterations of \p For, if it counts from 0 to a small constant.
std::optional<unsigned> turns(const Unit &U, const ForStmt *For,
                              const VarDecl *&Counter) {
  const auto *Init = dyn_cast_or_null<DeclStmt>(For->getInit());
  const auto *Below = dyn_cast_or_null<BinaryOperator>(For->getCond());
  const auto *Next = dyn_cast_or_null<UnaryOperator>(For->getInc());
  Counter = Init && Init->isSingleDecl()
                ? dyn_cast<VarDecl>(Init->getSingleDecl())
                : nullptr;
  auto isCounter = [&](const Expr *E) {
    const auto *Named = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Named && Named->getDecl() == Counter;
  };
  Expr::EvalResult From, To;
  if (!Counter || !Counter->getType()->isIntegerType() || !Counter->getInit() ||
      !Below || (Below->getOpcode() != BO_LT && Below->getOpcode() != BO_NE) ||
      !isCounter(Below->getLHS()) || !Next || !Next->isIncrementOp() ||
      !isCounter(Next->getSubExpr()) ||
      !Counter->getInit()->EvaluateAsInt(From, U.Context) ||
      !Below->getRHS()->EvaluateAsInt(To, U.Context))
    return std::nullopt;
  int64_t Count = To.Val.getInt().getExtValue();
  if (From.Val.getInt().getExtValue() != 0 || Count < 1 || Count > 8)
    return std::nullopt;
  auto Mentions = mentions(U, For->getBody(), Counter);
  if (!Mentions || llvm::any_of(*Mentions, [](auto &M) { return !M.second; }))
    return std::nullopt;
  return Count;
}

} // namespace

#define LOOP(FUNCTION, ...)                                                    \
  void cudagraph::rewrite::FUNCTION(const Unit &U, Sites &Found) {             \
    inLoop(U, {__VA_ARGS__}, Found);                                           \
  }

LOOP(createdInArray, "", "%T metaKeep[%C];",
     "for (int metaI = 0; metaI < %C; ++metaI) {", "metaKeep[metaI]", "}")
LOOP(createdInVector, "#include <vector>\n", "std::vector<%T> metaKeep(%C);",
     "for (%T &metaEach : metaKeep) {", "metaEach", "}")
LOOP(createdByPush, "#include <vector>\n", "std::vector<%T> metaKeep;",
     "for (int metaI = 0; metaI < %C; ++metaI) { %T metaEach;", "metaEach",
     "metaKeep.push_back(metaEach); }")

void cudagraph::rewrite::createdOneByOne(const Unit &U, Sites &Found) {
  for (const Function &F : U.functions())
    walk(F.Body, /*Lambdas=*/false, [&](const Stmt *S) {
      const auto *For = dyn_cast<ForStmt>(S);
      const auto *Each = dyn_cast<CXXForRangeStmt>(S);
      const Stmt *Body = For    ? For->getBody()
                         : Each ? Each->getBody()
                                : nullptr;
      std::optional<Range> Whole = Body ? U.statement(S) : std::nullopt;
      std::optional<Range> Turn = Body ? U.statement(Body) : std::nullopt;
      if (!Whole || !Turn || F.Dependent || Unit::jumps(Body) || !creates(Body))
        return;
      std::string Before, After;
      std::optional<unsigned> Count;
      if (For) {
        const VarDecl *Counter = nullptr;
        Count = turns(U, For, Counter);
        if (Count)
          Before = "const " + U.declare(Counter->getType().getUnqualifiedType(),
                                        Counter->getName()) +
                   " = ";
        After = "; ";
      } else if (const auto *Array = U.Context.getAsConstantArrayType(
                     Each->getRangeInit()->getType())) {
        const VarDecl *V = Each->getLoopVariable();
        std::optional<Range> In = U.range(Each->getRangeInit()->getSourceRange());
        if (!In || Array->getZExtSize() > 8 || !isa<DeclRefExpr>(
                                                   Each->getRangeInit()))
          return;
        Count = Array->getZExtSize();
        Before = U.declare(V->getType(), V->getName()) + " = " +
                 U.text(*In).str() + "[";
        After = "]; ";
      }
      if (!Count)
        return;
      Text New("{\n");
      for (unsigned I = 0; I < *Count; ++I)
        New.add("{ " + Before + std::to_string(I) + After)
            .copy(*Turn)
            .add(" }\n");
      New.add("}");
      Found.push_back({Whole->Begin, {{*Whole, New}}});
    });
}
