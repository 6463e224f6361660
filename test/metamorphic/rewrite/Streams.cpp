//===- Streams.cpp - Other storage for a stream ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter is stored in its new place where the function begins,
// and a variable where it is declared; all later uses refer to that
// place.
//
//===----------------------------------------------------------------------===//

#include "Rewriting.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace cudagraph::rewrite;

bool cudagraph::rewrite::isStream(QualType T) {
  if (!T->isPointerType() || T.isConstQualified() || T->isDependentType())
    return false;
  const auto *Class = T->getPointeeType()->getAsRecordDecl();
  return Class && Class->getName() == "CUstream_st";
}

std::optional<std::vector<std::pair<Range, bool>>>
cudagraph::rewrite::mentions(const Unit &U, const Stmt *Body,
                             const VarDecl *V) {
  std::vector<std::pair<Range, bool>> Found;
  bool Fits = true;
  walk(Body, true, [&](const Stmt *S) {
    if (const auto *L = dyn_cast<LambdaExpr>(S))
      for (const LambdaCapture &C : L->explicit_captures())
        if (C.capturesVariable())
          Fits &= C.getCapturedVar() != V;
    const auto *E = dyn_cast<DeclRefExpr>(S);
    if (!E || E->getDecl() != V)
      return;
    SourceLocation L = E->getLocation();
    while (L.isMacroID()) {
      if (!U.SM.isMacroArgExpansion(L)) {
        Fits = false;
        return;
      }
      L = U.SM.getImmediateSpellingLoc(L);
    }
    if (!U.inMainFile(L)) {
      Fits = false;
      return;
    }
    unsigned At = U.SM.getFileOffset(L);
    Range R{At, At + static_cast<unsigned>(V->getName().size())};
    // An implicit capture has the location of the lambda.
    if (U.text(R) != V->getName())
      return;
    auto Parents = U.Context.getParents(*E);
    const auto *Cast =
        Parents.empty() ? nullptr : Parents[0].get<ImplicitCastExpr>();
    bool Reads = Cast && Cast->getCastKind() == CK_LValueToRValue;
    for (auto &[Other, OtherReads] : Found)
      if (Other == R) {
        OtherReads &= Reads;
        return;
      }
    Found.push_back({R, Reads});
  });
  if (!Fits || Found.empty())
    return std::nullopt;
  return Found;
}

static std::string filled(StringRef Form, StringRef Type, StringRef Init) {
  std::string Out;
  for (size_t I = 0; I < Form.size(); ++I) {
    if (Form[I] != '%')
      Out += Form[I];
    else
      Out += (Form[++I] == 'T' ? Type
              : Form[I] == 'I' ? Init
                               : "metaKeep")
                 .str();
  }
  return Out;
}

void cudagraph::rewrite::keep(const Holder &H, const Unit &U,
                              const LocalStream &V, ArrayRef<Edit> Around,
                              Sites &Found) {
  auto Mentions = mentions(U, V.In->Body, V.Decl);
  if (!Mentions)
    return;
  std::string Type = U.declare(V.Decl->getType(), "");
  Site New;
  New.Offset = U.SM.getFileOffset(U.SM.getExpansionLoc(V.Decl->getLocation()));
  New.Edits.assign(Around.begin(), Around.end());
  if (!H.Helper.empty())
    New.Edits.push_back({{U.prologue(), U.prologue()},
                         Text(filled(H.Helper, Type, ""))});
  Text Declared;
  Declared.add(" " + filled(H.Declare, Type, V.Init), V.Where.Begin);
  New.Edits.push_back({V.Where, Declared});
  for (auto &[R, Reads] : *Mentions)
    if (!V.Where.contains(R))
      New.Edits.push_back(
          {R, Text(filled(Reads ? H.Read : H.Write, Type, ""))});
  Found.push_back(New);
}

std::vector<LocalStream> cudagraph::rewrite::localStreams(const Unit &U) {
  std::vector<LocalStream> Found;
  for (const Function &F : U.functions()) {
    if (F.Dependent)
      continue;
    std::optional<Range> Body = U.range(F.Body->getSourceRange());
    for (const ParmVarDecl *P : F.Decl->parameters())
      if (Body && isStream(P->getType()) && P->getDeclName() &&
          U.inMainFile(P->getLocation()))
        Found.push_back({&F, P, {Body->Begin + 1, Body->Begin + 1},
                         P->getName().str()});
    for (const Sequence &S : U.sequences()) {
      if (S.In != &F)
        continue;
      for (const Stmt *Each : S.Block->body()) {
        const auto *D = dyn_cast<DeclStmt>(Each);
        const auto *V = D && D->isSingleDecl()
                            ? dyn_cast<VarDecl>(D->getSingleDecl())
                            : nullptr;
        std::optional<Range> R = D ? U.statement(D) : std::nullopt;
        if (!V || !R || !isStream(V->getType()) || V->isStaticLocal() ||
            V->getInitStyle() != VarDecl::CInit)
          continue;
        std::string Init = "nullptr";
        if (V->getInit()) {
          std::optional<Range> I = U.range(V->getInit()->getSourceRange());
          if (!I)
            continue;
          Init = U.text(*I).str();
        }
        Found.push_back({&F, V, *R, Init});
      }
    }
  }
  return Found;
}

void cudagraph::rewrite::keepStreamIn(const Holder &H, const Unit &U,
                                      Sites &Found) {
  for (const LocalStream &V : localStreams(U))
    keep(H, U, V, {}, Found);
}

#define HOLDER(FUNCTION, HELPER, DECLARE, WRITE, READ)                         \
  void cudagraph::rewrite::FUNCTION(const Unit &U, Sites &Found) {             \
    keepStreamIn({#FUNCTION, HELPER, DECLARE, WRITE, READ}, U, Found);         \
  }

HOLDER(streamReference, "", "%T metaOwn = %I; %T &%N = metaOwn;", "%N", "%N")
HOLDER(streamMember, "struct MetaKeep {\n  int id;\n  %T stream;\n};\n",
       "MetaKeep %N = {0, %I};", "%N.stream", "%N.stream")
HOLDER(streamNested,
       "struct MetaKeep {\n  struct Inner {\n    %T stream;\n  } inner;\n};\n",
       "MetaKeep %N{{%I}};", "%N.inner.stream", "%N.inner.stream")
HOLDER(streamArrow, "struct MetaKeep {\n  %T stream = nullptr;\n};\n",
       "MetaKeep metaOwn; MetaKeep *%N = &metaOwn; %N->stream = %I;",
       "%N->stream", "%N->stream")
HOLDER(streamArray, "", "%T %N[2] = {%I};", "%N[0]", "%N[0]")
HOLDER(streamStdArray, "#include <array>\n", "std::array<%T, 2> %N = {%I};",
       "%N[0]", "%N[0]")
HOLDER(streamVector, "#include <vector>\n",
       "std::vector<%T> %N; %N.push_back(%I);", "%N[0]", "%N[0]")
HOLDER(streamVectorAt, "#include <vector>\n",
       "std::vector<%T> %N(2); %N.at(1) = %I;", "%N.at(1)", "%N.at(1)")
HOLDER(streamAccessor,
       "class MetaKeep {\npublic:\n  explicit MetaKeep(%T s) : stream_(s) {}\n"
       "  %T get() const { return stream_; }\n  %T &ref() { return stream_; }\n"
       "private:\n  %T stream_;\n};\n",
       "MetaKeep %N(%I);", "%N.ref()", "%N.get()")
HOLDER(streamSubscript,
       "class MetaKeep {\npublic:\n"
       "  explicit MetaKeep(%T s) { streams_[1] = s; }\n"
       "  %T &operator[](int i) { return streams_[i]; }\n"
       "  const %T &operator[](int i) const { return streams_[i]; }\n"
       "private:\n  %T streams_[2];\n};\n",
       "MetaKeep %N(%I);", "%N[1]", "%N[1]")
HOLDER(streamConversion,
       "class MetaKeep {\npublic:\n  explicit MetaKeep(%T s) : stream_(s) {}\n"
       "  operator %T() const { return stream_; }\n"
       "  %T *address() { return &stream_; }\nprivate:\n  %T stream_;\n};\n",
       "MetaKeep %N(%I);", "(*%N.address())", "%N")
HOLDER(streamUniquePtr, "#include <memory>\n",
       "std::unique_ptr<%T> %N(new %T(%I));", "(*%N)", "*%N")
HOLDER(streamSharedPtr, "#include <memory>\n",
       "std::shared_ptr<%T> %N = std::make_shared<%T>(%I);", "(*%N)", "*%N")
HOLDER(streamUniqueObject,
       "#include <memory>\nclass MetaKeep {\npublic:\n"
       "  explicit MetaKeep(%T s) : stream_(s) {}\n"
       "  %T get() const { return stream_; }\n  %T &ref() { return stream_; }\n"
       "private:\n  %T stream_;\n};\n",
       "std::unique_ptr<MetaKeep> %N = std::make_unique<MetaKeep>(%I);",
       "%N->ref()", "%N->get()")
HOLDER(streamPair, "#include <utility>\n", "std::pair<int, %T> %N(0, %I);",
       "%N.second", "%N.second")
HOLDER(streamOptional, "#include <optional>\n", "std::optional<%T> %N = %I;",
       "(*%N)", "*%N")
HOLDER(streamMap, "#include <map>\n", "std::map<int, %T> %N; %N[3] = %I;",
       "%N[3]", "%N[3]")
HOLDER(streamTuple, "#include <tuple>\n", "std::tuple<int, %T> %N(0, %I);",
       "std::get<1>(%N)", "std::get<1>(%N)")
HOLDER(streamSetter,
       "class MetaKeep {\npublic:\n  void set(%T s) { stream_ = s; }\n"
       "  %T stream() const { return stream_; }\n"
       "  %T &stream() { return stream_; }\n"
       "private:\n  %T stream_ = nullptr;\n};\n",
       "MetaKeep %N; %N.set(%I);", "%N.stream()", "%N.stream()")
HOLDER(streamBase,
       "class MetaRoot {\npublic:\n  %T get() const { return stream_; }\n"
       "  %T &ref() { return stream_; }\nprotected:\n"
       "  explicit MetaRoot(%T s) : stream_(s) {}\n  %T stream_;\n};\n"
       "struct MetaKeep : MetaRoot {\n"
       "  explicit MetaKeep(%T s) : MetaRoot(s) {}\n};\n",
       "MetaKeep %N(%I);", "%N.ref()", "%N.get()")
HOLDER(streamVirtual,
       "struct MetaRoot {\n  virtual ~MetaRoot() = default;\n"
       "  virtual %T get() const = 0;\n  virtual %T &ref() = 0;\n};\n"
       "class MetaKeep : public MetaRoot {\npublic:\n"
       "  explicit MetaKeep(%T s) : stream_(s) {}\n"
       "  %T get() const override { return stream_; }\n"
       "  %T &ref() override { return stream_; }\n"
       "private:\n  %T stream_;\n};\n",
       "MetaKeep metaOwn(%I); MetaRoot &%N = metaOwn;", "%N.ref()", "%N.get()")
HOLDER(streamLambda, "",
       "%T metaOwn = %I; auto %N = [&metaOwn]() -> %T & "
       "{ return metaOwn; };",
       "%N()", "%N()")
HOLDER(streamVoid, "", "void *%N = %I;", "(*reinterpret_cast<%T *>(&%N))",
       "static_cast<%T>(%N)")
HOLDER(streamPointer, "", "%T metaOwn[2] = {nullptr, %I}; %T *%N = metaOwn;",
       "*(%N + 1)", "%N[1]")
HOLDER(streamVectorOfStructs,
       "#include <vector>\nstruct MetaKeep {\n  int id;\n  %T stream;\n};\n",
       "std::vector<MetaKeep> %N; %N.push_back(MetaKeep{1, %I});",
       "%N.back().stream", "%N.back().stream")
HOLDER(streamSharedObject,
       "#include <memory>\nstruct MetaKeep {\n"
       "  explicit MetaKeep(%T s) : stream(s) {}\n  %T stream;\n};\n",
       "auto %N = std::make_shared<MetaKeep>(%I);", "%N->stream", "%N->stream")
HOLDER(streamUnorderedMap, "#include <unordered_map>\n",
       "std::unordered_map<int, %T> %N; %N[3] = %I;", "%N[3]", "%N.at(3)")
HOLDER(streamIdentity,
       "static %T metaSame(%T s) { return s; }\n"
       "template <class T> static T &metaSelf(T &t) { return t; }\n",
       "%T %N = metaSame(%I);", "metaSelf(%N)", "metaSame(%N)")
