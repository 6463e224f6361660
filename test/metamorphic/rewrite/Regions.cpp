//===- Regions.cpp - Other ways to begin and end a capture ----------------===//
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

/// A call that begins a capture, and the call that ends it in the same block.
struct Region {
  Range Begin, Inside, End;
  const FunctionDecl *BeginDecl, *EndDecl;
  Range Stream, Mode, EndStream, Graph;
};

const CallExpr *callOf(const Stmt *S, StringRef Suffix) {
  const auto *Call = dyn_cast<CallExpr>(S);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  if (!F || !F->getIdentifier() || F->getNumParams() != 2 ||
      Call->getNumArgs() != 2)
    return nullptr;
  StringRef Name = F->getName();
  if (!Name.consume_front("cuda") && !Name.consume_front("cu"))
    return nullptr;
  return Name.starts_with(Suffix) ? Call : nullptr;
}

bool declaresMore(const Stmt *S) {
  const auto *D = dyn_cast<DeclStmt>(S);
  if (!D)
    return false;
  for (const Decl *Inner : D->decls()) {
    const auto *V = dyn_cast<VarDecl>(Inner);
    if (!V || V->isStaticLocal() || V->getType()->isDependentType())
      return true;
    const auto *Class =
        V->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (Class && Class->hasDefinition() && !Class->hasTrivialDestructor())
      return true;
    // A temporary that lives as long as the reference.
    bool Extends = false;
    walk(V->getInit(), false, [&](const Stmt *Inner) {
      const auto *M = dyn_cast<MaterializeTemporaryExpr>(Inner);
      Extends |= M && M->getExtendingDecl() == V;
    });
    if (Extends)
      return true;
  }
  return false;
}

std::optional<Region> regionAt(const Unit &U, const Sequence &S, size_t First) {
  const auto Body = S.Block->body();
  const CallExpr *Begin = callOf(Body.begin()[First], "StreamBeginCapture");
  if (!Begin)
    return std::nullopt;
  size_t Last = First + 1;
  const CallExpr *End = nullptr;
  llvm::SmallPtrSet<const Decl *, 8> Declared;
  for (; Last < S.Block->size() && !End; ++Last) {
    const Stmt *Each = Body.begin()[Last];
    if ((End = callOf(Each, "StreamEndCapture")))
      break;
    bool Fits =
        !Unit::jumps(Each) && !declaresMore(Each) && !isa<SwitchCase>(Each);
    walk(Each, false, [&](const Stmt *Inner) {
      if (const auto *Call = dyn_cast<CallExpr>(Inner))
        Fits &= !callOf(Call, "StreamBeginCapture") &&
                !callOf(Call, "StreamEndCapture");
      if (const auto *D = dyn_cast<DeclStmt>(Inner))
        for (const Decl *V : D->decls())
          Declared.insert(V);
    });
    if (!Fits)
      return std::nullopt;
  }
  if (!End || Last == First + 1)
    return std::nullopt;
  bool Later = false;
  for (size_t I = Last; I < S.Block->size(); ++I)
    walk(Body.begin()[I], true, [&](const Stmt *Inner) {
      if (const auto *E = dyn_cast<DeclRefExpr>(Inner))
        Later |= Declared.count(E->getDecl());
    });
  std::optional<Range> B = U.statement(Begin), E = U.statement(End),
                       I = U.statement(Body.begin()[First + 1]),
                       J = U.statement(Body.begin()[Last - 1]);
  std::optional<Range> Args[4] = {U.range(Begin->getArg(0)->getSourceRange()),
                                  U.range(Begin->getArg(1)->getSourceRange()),
                                  U.range(End->getArg(0)->getSourceRange()),
                                  U.range(End->getArg(1)->getSourceRange())};
  if (Later || !B || !E || !I || !J || !Args[0] || !Args[1] || !Args[2] ||
      !Args[3])
    return std::nullopt;
  return Region{*B,
                {I->Begin, J->End},
                *E,
                Begin->getDirectCallee(),
                End->getDirectCallee(),
                *Args[0],
                *Args[1],
                *Args[2],
                *Args[3]};
}

/// The spelling of a region. In the texts, %S, %M, and %G are the types of the
/// stream, the mode, and the pointer to a graph; %B and %E are the begin call
/// and the end call, with the arguments in the brackets that follow: %B[s, m].
struct Shape {
  StringRef Includes;
  StringRef Helper;
  StringRef Before; ///< %s, %m, %t, and %g are the region's own arguments
  StringRef After;
};

void expand(const Unit &U, const Region &R, StringRef Form, Text &Out) {
  auto type = [&](const FunctionDecl *F, unsigned I) {
    return U.declare(F->getParamDecl(I)->getType(), "");
  };
  std::string Literal;
  unsigned Origin = R.Begin.Begin;
  auto flush = [&] {
    Out.add(Literal, Origin);
    Literal.clear();
  };
  for (size_t I = 0; I < Form.size(); ++I) {
    if (Form[I] != '%') {
      Literal += Form[I];
      continue;
    }
    switch (Form[++I]) {
    case 'S':
      Literal += type(R.BeginDecl, 0);
      break;
    case 'M':
      Literal += type(R.BeginDecl, 1);
      break;
    case 'G':
      Literal += type(R.EndDecl, 1);
      break;
    case 'B':
    case 'E': {
      bool Begins = Form[I] == 'B';
      const FunctionDecl *F = Begins ? R.BeginDecl : R.EndDecl;
      size_t Close = Form.find(']', I);
      flush();
      Origin = Begins ? R.Begin.Begin : R.End.Begin;
      Literal = F->getNameAsString() + "(";
      flush();
      expand(U, R, Form.slice(I + 2, Close), Out);
      Literal = ")";
      I = Close;
      break;
    }
    default:
      flush();
      Out.copy(Form[I] == 's'   ? R.Stream
               : Form[I] == 'm' ? R.Mode
               : Form[I] == 't' ? R.EndStream
                                : R.Graph);
    }
  }
  flush();
}

void reshape(const Shape &How, const Unit &U, Sites &Found) {
  for (const Sequence &S : U.sequences())
    for (size_t I = 0; I < S.Block->size(); ++I) {
      std::optional<Region> R = regionAt(U, S, I);
      if (!R)
        continue;
      Text Helper(How.Includes), Before, After;
      expand(U, *R, How.Helper, Helper);
      expand(U, *R, How.Before, Before);
      expand(U, *R, How.After, After);
      unsigned At = U.prologue();
      Found.push_back(
          {R->Begin.Begin,
           {{{At, At}, Helper}, {R->Begin, Before}, {R->End, After}}});
    }
}

} // namespace

void cudagraph::rewrite::raiiGuard(const Unit &U, Sites &Found) {
  reshape({"",
           "struct MetaGuard {\n"
           "  MetaGuard(%S s, %M m, %S t, %G g) : t(t), g(g) {\n"
           "    %B[s, m];\n  }\n"
           "  ~MetaGuard() {\n    %E[t, g];\n  }\n"
           "  MetaGuard(const MetaGuard &) = delete;\n"
           "  %S t;\n  %G g;\n};\n",
           "{ MetaGuard metaGuard(%s, %m, %t, %g);", "}"},
          U, Found);
}

void cudagraph::rewrite::helperPair(const Unit &U, Sites &Found) {
  reshape({"",
           "static void metaBegin(%S s, %M m) {\n  %B[s, m];\n}\n"
           "static void metaEnd(%S s, %G g) {\n  %E[s, g];\n}\n",
           "metaBegin(%s, %m);", "metaEnd(%t, %g);"},
          U, Found);
}

void cudagraph::rewrite::memberPair(const Unit &U, Sites &Found) {
  reshape({"",
           "class MetaCapturer {\npublic:\n"
           "  explicit MetaCapturer(%S s) : stream_(s) {}\n"
           "  void begin(%M m) {\n    %B[stream_, m];\n  }\n"
           "  void end(%S s, %G g) {\n    %E[s, g];\n  }\n"
           "private:\n  %S stream_;\n};\n",
           "MetaCapturer metaCapturer(%s); metaCapturer.begin(%m);",
           "metaCapturer.end(%t, %g);"},
          U, Found);
}

void cudagraph::rewrite::virtualPair(const Unit &U, Sites &Found) {
  reshape({"#include <memory>\n",
           "struct MetaBase {\n  virtual ~MetaBase() = default;\n"
           "  virtual void begin(%S s, %M m) = 0;\n"
           "  virtual void end(%S s, %G g) = 0;\n};\n"
           "struct MetaDerived : MetaBase {\n"
           "  void begin(%S s, %M m) override {\n    %B[s, m];\n  }\n"
           "  void end(%S s, %G g) override {\n    %E[s, g];\n  }\n};\n",
           "std::unique_ptr<MetaBase> metaBase(new MetaDerived); "
           "metaBase->begin(%s, %m);",
           "metaBase->end(%t, %g);"},
          U, Found);
}

void cudagraph::rewrite::lambdaHelper(const Unit &U, Sites &Found) {
  reshape({"",
           "template <class F>\n"
           "static void metaCapture(%S s, %M m, %S t, %G g, F f) {\n"
           "  %B[s, m];\n  f();\n  %E[t, g];\n}\n",
           "metaCapture(%s, %m, %t, %g, [&] {", "});"},
          U, Found);
}

void cudagraph::rewrite::functionHelper(const Unit &U, Sites &Found) {
  reshape({"#include <functional>\n",
           "static void metaCapture(%S s, %M m, %S t, %G g,\n"
           "                        const std::function<void()> &f) {\n"
           "  %B[s, m];\n  f();\n  %E[t, g];\n}\n",
           "metaCapture(%s, %m, %t, %g, [&] {", "});"},
          U, Found);
}

void cudagraph::rewrite::scopeExit(const Unit &U, Sites &Found) {
  reshape({"",
           "template <class F> struct MetaExit {\n"
           "  explicit MetaExit(F f) : f(f) {}\n  ~MetaExit() { f(); }\n"
           "  MetaExit(const MetaExit &) = delete;\n  F f;\n};\n",
           "{\n  %B[%s, %m]; MetaExit metaExit([&] {\n%E[%t, %g]; });", "}"},
          U, Found);
}

void cudagraph::rewrite::functionExit(const Unit &U, Sites &Found) {
  reshape({"#include <functional>\n#include <utility>\n",
           "struct MetaExit {\n"
           "  explicit MetaExit(std::function<void()> f) : f(std::move(f)) {}\n"
           "  ~MetaExit() { f(); }\n"
           "  MetaExit(const MetaExit &) = delete;\n"
           "  std::function<void()> f;\n};\n",
           "{\n  %B[%s, %m]; MetaExit metaExit([&] {\n%E[%t, %g]; });", "}"},
          U, Found);
}

void cudagraph::rewrite::raiiUnique(const Unit &U, Sites &Found) {
  reshape({"#include <memory>\n",
           "struct MetaGuard {\n"
           "  MetaGuard(%S s, %M m, %S t, %G g) : t(t), g(g) {\n"
           "    %B[s, m];\n  }\n"
           "  ~MetaGuard() {\n    %E[t, g];\n  }\n"
           "  MetaGuard(const MetaGuard &) = delete;\n"
           "  %S t;\n  %G g;\n};\n",
           "auto metaGuard = std::make_unique<MetaGuard>(%s, %m, %t, %g);",
           "metaGuard.reset();"},
          U, Found);
}

void cudagraph::rewrite::raiiOptional(const Unit &U, Sites &Found) {
  reshape({"#include <optional>\n",
           "struct MetaGuard {\n"
           "  MetaGuard(%S s, %M m, %S t, %G g) : t(t), g(g) {\n"
           "    %B[s, m];\n  }\n"
           "  ~MetaGuard() {\n    %E[t, g];\n  }\n"
           "  MetaGuard(const MetaGuard &) = delete;\n"
           "  %S t;\n  %G g;\n};\n",
           "std::optional<MetaGuard> metaGuard; "
           "metaGuard.emplace(%s, %m, %t, %g);",
           "metaGuard.reset();"},
          U, Found);
}

void cudagraph::rewrite::templateMethod(const Unit &U, Sites &Found) {
  reshape({"",
           "struct MetaBase {\n  virtual ~MetaBase() = default;\n"
           "  virtual void body() = 0;\n"
           "  void run(%S s, %M m, %S t, %G g) {\n"
           "    %B[s, m];\n    body();\n    %E[t, g];\n  }\n};\n"
           "template <class F> struct MetaDerived : MetaBase {\n"
           "  explicit MetaDerived(F f) : f(f) {}\n"
           "  void body() override { f(); }\n  F f;\n};\n"
           "template <class F>\n"
           "static void metaCapture(%S s, %M m, %S t, %G g, F f) {\n"
           "  MetaDerived<F> derived(f);\n  MetaBase &base = derived;\n"
           "  base.run(s, m, t, g);\n}\n",
           "metaCapture(%s, %m, %t, %g, [&] {", "});"},
          U, Found);
}

void cudagraph::rewrite::beginInIf(const Unit &U, Sites &Found) {
  for (const Sequence &S : U.sequences()) {
    if (!S.In->Decl->getReturnType()->isVoidType() || S.In->Lambda)
      continue;
    for (const Stmt *Each : S.Block->body()) {
      const CallExpr *Begin = callOf(Each, "StreamBeginCapture");
      std::optional<Range> R =
          Begin ? U.range(Begin->getSourceRange()) : std::nullopt;
      if (!R || Begin->getDirectCallee()->getName().starts_with("cuS"))
        continue;
      Text New;
      New.add("if (", R->Begin).copy(*R).add(" != cudaSuccess) return");
      Found.push_back({R->Begin, {{*R, New}}});
    }
  }
}
