//===- UnitContents.cpp - The definitions in a unit -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitContents.h"
#include "FunctionTable.h"
#include "Instances.h"
#include "StoredDecls.h"
#include "TemplateStreams.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExternalASTSource.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {
namespace {

class Collector {
public:
  Collector(FunctionTable &Table, StoredDecls *Stored, ContentsLog *Log)
      : Table(Table), Ctx(Table.context()), SM(Ctx.getSourceManager()),
        Stored(Stored), Log(Log) {}

  UnitContents run();

private:
  void collectIn(const DeclContext *DC);
  void collect(const Decl *D);
  template <typename T> void collectInstances(const T *Template) {
    size_t Functions = Result.Functions.size();
    size_t Globals = Result.Globals.size();
    for (const Decl *Instance : Template->specializations())
      collect(Instance);
    sortInstances<FunctionId>(
        llvm::MutableArrayRef(Result.Functions).drop_front(Functions),
        [&](FunctionId F) { return Table.decl(F); });
    sortInstances<const VarDecl *>(
        llvm::MutableArrayRef(Result.Globals).drop_front(Globals),
        [](const VarDecl *VD) { return VD; });
  }
  void collectLosing(const CXXRecordDecl *Template);
  bool isSkipped(const NamespaceDecl *NS) const;
  bool isInSystemHeader(const Decl *D) const {
    return Table.own().isForeign(D->getLocation());
  }

  FunctionTable &Table;
  const ASTContext &Ctx;
  const SourceManager &SM;
  StoredDecls *Stored;
  ContentsLog *Log;
  UnitContents Result;
  size_t Overrides = 0;

  /// Grows with everything that collect() finds.
  size_t found() const {
    return Result.Functions.size() + Result.Globals.size() + Overrides;
  }
};

UnitContents Collector::run() {
  collectIn(Ctx.getTranslationUnitDecl());
  llvm::SmallDenseSet<FunctionId> Known;
  llvm::erase_if(Result.Functions,
                 [&](FunctionId F) { return !Known.insert(F).second; });
  return std::move(Result);
}

bool Collector::isSkipped(const NamespaceDecl *NS) const {
  if (isInSystemHeader(NS))
    return true;
  // An editor analyzes the main file, with precompiled headers; library
  // contents would be loaded again after each edit.
  return NS->getDeclContext()->isTranslationUnit() && NS->getIdentifier() &&
         Table.names().catalogue().is(catalogue::Role::LibraryNamespace,
                                      NS->getName()) &&
         !SM.isInMainFile(NS->getLocation()) &&
         !Table.own().owns(NS->getLocation()) &&
         !llvm::is_contained(Ctx.getTraversalScope(),
                             Ctx.getTranslationUnitDecl());
}

/// True for the kinds of declarations that collect() does not ignore.
bool isCollected(Decl::Kind K) {
  return K == Decl::Namespace || K == Decl::LinkageSpec || K == Decl::Export ||
         K == Decl::FunctionTemplate || K == Decl::ClassTemplate ||
         VarDecl::classofKind(K) || FunctionDecl::classofKind(K) ||
         CXXRecordDecl::classofKind(K);
}

void Collector::collectIn(const DeclContext *DC) {
  ExternalASTSource *Source = Ctx.getExternalSource();
  if (!Source || !DC->hasExternalLexicalStorage()) {
    ContentsLog::Context Here{DC, {}};
    for (const Decl *D : DC->decls()) {
      size_t Before = found();
      collect(D);
      if (Log && isCollected(D->getKind()))
        Here.Decls.push_back({D, found() != Before});
    }
    if (Log)
      Log->add(std::move(Here));
    return;
  }
  // Declarations of the precompiled header come first. Those that contribute
  // nothing are not loaded.
  std::optional<std::vector<const Decl *>> Listed;
  if (Stored)
    Listed = Stored->in(DC);
  if (!Listed) {
    SmallVector<Decl *, 32> All;
    ExternalASTSource::Deserializing Together(Source);
    Source->FindExternalLexicalDecls(DC, isCollected, All);
    Listed.emplace(All.begin(), All.end());
  }
  for (const Decl *D : *Listed)
    collect(D);
  for (const Decl *D : DC->noload_decls())
    collect(D);
}

/// Collects the methods of \p Template in which a stream is lost.
void Collector::collectLosing(const CXXRecordDecl *Template) {
  if (!Template->hasDefinition() || isInSystemHeader(Template))
    return;
  for (const CXXMethodDecl *M : Template->getDefinition()->methods()) {
    const FunctionDecl *Def = nullptr;
    if (M->hasBody(Def) && Def->isDependentContext() && M->getNumParams() &&
        losesStream(Def, Table))
      Result.Functions.push_back(Table.idOf(Def));
  }
}

void Collector::collect(const Decl *D) {
  // Namespaces and linkage specifications may be reopened anywhere; for
  // everything else, the location decides.
  if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(D)) {
    const auto *NS = dyn_cast<NamespaceDecl>(D);
    bool Skipped =
        NS ? isSkipped(NS) : isa<LinkageSpecDecl>(D) && isInSystemHeader(D);
    if (!Skipped)
      collectIn(cast<DeclContext>(D));
    return;
  }
  if (const auto *FT = dyn_cast<FunctionTemplateDecl>(D)) {
    collectInstances(FT);
    return;
  }
  if (const auto *CT = dyn_cast<ClassTemplateDecl>(D)) {
    collectInstances(CT);
    collectLosing(CT->getTemplatedDecl());
    SmallVector<ClassTemplatePartialSpecializationDecl *, 4> Partial;
    const_cast<ClassTemplateDecl *>(CT)->getPartialSpecializations(Partial);
    for (const ClassTemplatePartialSpecializationDecl *Each : Partial)
      collectLosing(Each);
    return;
  }
  if (D->isInvalidDecl() || isInSystemHeader(D))
    return;
  if (const auto *VD = dyn_cast<VarDecl>(D);
      VD && VD->hasInit() && !VD->getType()->isDependentType() &&
      (!VD->isConstexpr() || !VD->getType()->isArithmeticType()))
    Result.Globals.push_back(VD);
  if (const auto *FD = dyn_cast<FunctionDecl>(D)) {
    const FunctionDecl *Def = nullptr;
    if (FD->hasBody(Def) && Def && !Def->isDependentContext())
      Result.Functions.push_back(Table.idOf(Def));
  }
  if (const auto *M = dyn_cast<CXXMethodDecl>(D))
    for (const CXXMethodDecl *Base : M->overridden_methods()) {
      Table.addOverride(M, Base);
      ++Overrides;
    }
  if (const auto *RD = dyn_cast<CXXRecordDecl>(D))
    if (RD->isThisDeclarationADefinition() && !RD->isDependentContext())
      collectIn(RD);
}

} // namespace

UnitContents collectContents(FunctionTable &Table, StoredDecls *Stored,
                             ContentsLog *Log) {
  return Collector(Table, Stored, Log).run();
}

} // namespace cudagraph
