//===- SharedContents.cpp - Relevant declarations of shared headers -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedContents.h"
#include "clang/AST/DeclBase.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/ModuleFile.h"
#include "clang/Serialization/ModuleManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::driver {

std::vector<StoredContext> numbered(const ContentsLog &Log,
                                    clang::ASTWriter &Writer) {
  std::vector<StoredContext> Result;
  for (const ContentsLog::Context &Each : Log.contexts()) {
    StoredContext C;
    C.Id = Writer.getDeclID(cast<clang::Decl>(Each.Of)).getRawValue();
    for (auto [D, Contributes] : Each.Decls)
      C.Decls.push_back(Writer.getDeclID(D).getRawValue() << 1 | Contributes);
    // If a declaration was not written, each unit searches the declarations.
    if (C.Id && none_of(C.Decls, [](uint64_t N) { return N < 2; }))
      Result.push_back(std::move(C));
  }
  return Result;
}

static clang::GlobalDeclID globalId(clang::ASTReader &Reader, uint64_t Number) {
  clang::serialization::ModuleFile &Header =
      Reader.getModuleManager().getPrimaryModule();
  return Reader.getGlobalDeclID(
      Header, clang::LocalDeclID::get(Reader, Header, Number));
}

SharedContents::SharedContents(clang::ASTReader &Reader,
                               const std::vector<StoredContext> &Contexts)
    : Reader(Reader) {
  for (const StoredContext &Each : Contexts)
    ById[globalId(Reader, Each.Id).getRawValue()] = &Each;
}

std::optional<std::vector<const clang::Decl *>>
SharedContents::in(const clang::DeclContext *DC) {
  uint64_t Id = DC->isTranslationUnit()
                    ? uint64_t(clang::PREDEF_DECL_TRANSLATION_UNIT_ID)
                    : cast<clang::Decl>(DC)->getGlobalID().getRawValue();
  const StoredContext *Known = ById.lookup(Id);
  if (!Known)
    return std::nullopt;
  std::vector<const clang::Decl *> Result;
  clang::ExternalASTSource::Deserializing Together(&Reader);
  for (uint64_t Each : Known->Decls) {
    clang::GlobalDeclID Of = globalId(Reader, Each >> 1);
    if (Each & 1)
      Result.push_back(Reader.GetDecl(Of));
    else if (const clang::Decl *D = Reader.GetExistingDecl(Of))
      Result.push_back(D);
  }
  erase(Result, nullptr);
  return Result;
}

} // namespace cudagraph::driver
