//===- FunctionTable.cpp - The functions of a translation unit ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionTable.h"
#include "Lowering.h"
#include "ParseErrors.h"
#include "TemplateStreams.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

static const ParseErrors &noErrors() {
  static const ParseErrors Empty;
  return Empty;
}

FunctionTable::FunctionTable(ASTContext &Ctx, const ParseErrors *Errors,
                             const catalogue::Catalogue &Known,
                             const ProjectCode *Project)
    : Ctx(Ctx), Errors(Errors ? Errors : &noErrors()), Names(Known),
      Default(Project ? ProjectCode(Ctx.getSourceManager(), "")
                      : ProjectCode(Ctx.getSourceManager())),
      Own(Project ? Project : &Default), Describer(Ctx, Names, *Own),
      Unset(Ctx),
      Markers(findCommentMarkers(Ctx.getSourceManager(), Ctx.getLangOpts())) {}
FunctionTable::~FunctionTable() = default;

bool FunctionTable::hasErrors() const {
  return !Errors->empty() || Ctx.getDiagnostics().hasErrorOccurred();
}

FunctionId FunctionTable::idOf(const FunctionDecl *FD) {
  FD = FD->getCanonicalDecl();
  auto [It, New] = Ids.try_emplace(FD, Infos.size());
  if (!New)
    return It->second;
  FunctionId Id = It->second;
  Infos.push_back(Describer.describe(FD));
  Decls.push_back(FD);
  Graphs.emplace_back();
  Lowered.push_back(false);
  return Id;
}

const FunctionDecl *FunctionTable::undeclared(StringRef Name, QualType Type) {
  const auto *Proto = Type->getAs<FunctionProtoType>();
  if (!Proto)
    return nullptr;
  const FunctionDecl *&Known = Undeclared[Name];
  if (Known)
    return Known;
  auto *FD = FunctionDecl::Create(Ctx, Ctx.getTranslationUnitDecl(),
                                  SourceLocation(), SourceLocation(),
                                  DeclarationName(&Ctx.Idents.get(Name)),
                                  QualType(Proto, 0), nullptr, SC_Extern);
  SmallVector<ParmVarDecl *, 8> Params;
  for (QualType T : Proto->param_types())
    Params.push_back(ParmVarDecl::Create(Ctx, FD, SourceLocation(),
                                         SourceLocation(), nullptr, T, nullptr,
                                         SC_None, nullptr));
  FD->setParams(Params);
  return Known = FD;
}

void FunctionTable::addOverride(const CXXMethodDecl *M,
                                const CXXMethodDecl *Base) {
  FunctionId Id = idOf(M), BaseId = idOf(Base);
  std::vector<FunctionId> &Over = Infos[BaseId].Overrides;
  if (!llvm::is_contained(Over, Id))
    Over.push_back(Id);
}

const FlowGraph *FunctionTable::graph(FunctionId Id) {
  if (Lowered[Id])
    return Graphs[Id].get();
  Lowered[Id] = true;
  const FunctionInfo &Info = Infos[Id];
  if (!Info.HasBody || Info.IsSystem || Info.IsDevice)
    return nullptr;
  const FunctionDecl *Def = nullptr;
  if (!Decls[Id]->hasBody(Def))
    return nullptr;
  Graphs[Id] = Def->isDependentContext() ? lowerTemplate(Def, *this)
                                         : lowerFunction(Def, *this);
  return Graphs[Id].get();
}

} // namespace cudagraph
