//===- Suppression.cpp - NOLINT at the call and along its chain -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin finds clang-tidy's handler in its host, the driver links it.
//
//===----------------------------------------------------------------------===//

#include "Suppression.h"
#include "clang-tidy/NoLintDirectiveHandler.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Tooling/Core/Diagnostic.h"

using namespace clang;

namespace cudagraph {

struct Suppression::Impl {
  explicit Impl(SourceManager &SM)
      : Ids(DiagnosticIDs::create()), Engine(Ids, Options) {
    Engine.setSourceManager(&SM);
    Id = Ids->getCustomDiagID(
        DiagnosticIDs::CustomDiagDesc(diag::Severity::Warning, "%0"));
  }
  llvm::IntrusiveRefCntPtr<DiagnosticIDs> Ids;
  DiagnosticOptions Options;
  DiagnosticsEngine Engine;
  unsigned Id;
  tidy::NoLintDirectiveHandler Handler;

  bool at(const Location &L, const Finding &F);
};

Suppression::Suppression(SourceManager &SM) : P(std::make_unique<Impl>(SM)) {}
Suppression::~Suppression() = default;

bool Suppression::Impl::at(const Location &L, const Finding &F) {
  if (!L.Raw)
    return false;
  DiagnosticStorage Storage;
  Diagnostic Info(&Engine, SourceLocation::getFromRawEncoding(L.Raw), Id,
                  Storage, F.Message);
  llvm::SmallVector<tooling::Diagnostic, 1> Errors;
  return Handler.shouldSuppress(DiagnosticsEngine::Warning, Info, F.Check,
                                Errors, /*AllowIO=*/true,
                                /*EnableNoLintBlocks=*/true);
}

bool Suppression::suppresses(const Finding &F) {
  return P->at(F.Loc, F) || suppressedByChain(F);
}

bool Suppression::suppressedByChain(const Finding &F) {
  if (SourceLocation::getFromRawEncoding(F.Loc.Raw).isMacroID() &&
      P->at(F.Loc, F))
    return true;
  for (const Step &S : F.Chain)
    if (P->at(S.Loc, F))
      return true;
  return false;
}

} // namespace cudagraph
