//===- Suppression.cpp - NOLINT at the call and along its chain -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin uses the handler of the clang-tidy that loads it; the driver links
// its own.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"
#include "catalogue/Cues.h"
#include "clang-tidy/NoLintDirectiveHandler.h"
#include "versions/ClangVersions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Tooling/Core/Diagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace cudagraph {

struct Suppression::Impl {
  UnreportedWarnings Warnings;
  tidy::NoLintDirectiveHandler Handler;
  // Used without the source manager of a host:
  std::unique_ptr<FileManager> Files;
  std::unique_ptr<SourceManager> Own;
  llvm::StringMap<FileID> Known; ///< files with directives

  bool at(const Location &L, const Finding &F);
  bool at(SourceLocation Loc, const Finding &F);
  bool at(const Place &P, const Finding &F);
};

Suppression::Suppression(SourceManager &SM) : P(std::make_unique<Impl>()) {
  P->Warnings.engine().setSourceManager(&SM);
}

Suppression::Suppression(const std::vector<NolintLines> &Files)
    : P(std::make_unique<Impl>()) {
  P->Files = std::make_unique<FileManager>(FileSystemOptions());
  P->Own = std::make_unique<SourceManager>(P->Warnings.engine(), *P->Files);
  P->Warnings.engine().setSourceManager(P->Own.get());
  for (const NolintLines &F : Files) {
    // Put each line at its original number, with empty lines between, because
    // directives depend on line numbers.
    std::string Text;
    unsigned Line = 1;
    for (const auto &[Number, Content] : F.Lines) {
      Text.append(Number - Line, '\n');
      Text += Content;
      Line = Number;
    }
    Text += '\n';
    FileEntryRef Entry = P->Files->getVirtualFileRef(F.File, Text.size(),
                                                     /*ModificationTime=*/0);
    P->Own->overrideFileContents(
        Entry, llvm::MemoryBuffer::getMemBufferCopy(Text, F.File));
    P->Known[F.File] =
        P->Own->createFileID(Entry, SourceLocation(), SrcMgr::C_User);
  }
}

Suppression::~Suppression() = default;

bool Suppression::Impl::at(SourceLocation Loc, const Finding &F) {
  return Warnings.at(Loc, F.Check, [&](const Diagnostic &Info) {
    llvm::SmallVector<tooling::Diagnostic, 1> Errors;
    return Handler.shouldSuppress(DiagnosticsEngine::Warning, Info, F.Check,
                                  Errors, /*AllowIO=*/true,
                                  /*EnableNoLintBlocks=*/true);
  });
}

bool Suppression::Impl::at(const Place &Where, const Finding &F) {
  auto It = Known.find(Where.File);
  if (It == Known.end())
    return false;
  SourceLocation Loc =
      Own->translateLineCol(It->second, Where.Line, Where.Column);
  return Loc.isValid() && at(Loc, F);
}

bool Suppression::Impl::at(const Location &L, const Finding &F) {
  if (!Own)
    return L.Raw && at(SourceLocation::getFromRawEncoding(L.Raw), F);
  return at(Place{L.File, L.Line, L.Column}, F) ||
         llvm::any_of(L.Written, [&](const Place &W) { return at(W, F); });
}

bool Suppression::suppresses(const Finding &F) {
  return P->at(F.Loc, F) || suppressedByChain(F);
}

bool Suppression::suppressedByChain(const Finding &F) {
  if (!F.Loc.Written.empty() && P->at(F.Loc, F))
    return true;
  for (const Step &S : F.Chain)
    if (!cue::isCue(S.Message) && P->at(S.Loc, F))
      return true;
  return false;
}

} // namespace cudagraph
