//===- ParseErrors.cpp - The parse errors of a translation unit -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the locations of errors and finds them by source range.
//
//===----------------------------------------------------------------------===//

#include "ParseErrors.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

void ParseErrors::note(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  if (Level < DiagnosticsEngine::Error || !Info.hasSourceManager() ||
      Info.getLocation().isInvalid())
    return;
  SourceLocation At = Info.getSourceManager().getFileLoc(Info.getLocation());
  Places.push_back(At);
  if (Level == DiagnosticsEngine::Fatal && Fatal.isInvalid())
    Fatal = At;
}

llvm::SmallVector<SourceLocation, 2>
ParseErrors::in(SourceRange R, const SourceManager &SM) const {
  llvm::SmallVector<SourceLocation, 2> Result;
  SourceLocation Begin = SM.getFileLoc(R.getBegin());
  SourceLocation End = SM.getFileLoc(R.getEnd());
  if (Begin.isInvalid() || End.isInvalid())
    return Result;
  auto [File, First] = SM.getDecomposedLoc(Begin);
  auto [EndFile, Last] = SM.getDecomposedLoc(End);
  for (SourceLocation At : Places) {
    auto [In, Offset] = SM.getDecomposedLoc(At);
    if (In == File && Offset >= First && (EndFile != File || Offset <= Last))
      Result.push_back(At);
  }
  llvm::sort(Result);
  return Result;
}

bool ParseErrors::isAfterFatal(SourceLocation At,
                               const SourceManager &SM) const {
  return Fatal.isValid() && At.isValid() &&
         SM.isBeforeInTranslationUnit(Fatal, SM.getFileLoc(At));
}

namespace {
/// A consumer that forwards to the consumer of the host.
class Watcher : public DiagnosticConsumer {
public:
  Watcher(DiagnosticConsumer *Next, std::unique_ptr<DiagnosticConsumer> Owned,
          std::shared_ptr<ParseErrors> Errors)
      : Next(Next), Owned(std::move(Owned)), Errors(std::move(Errors)) {}

  void BeginSourceFile(const LangOptions &Opts,
                       const Preprocessor *PP) override {
    Next->BeginSourceFile(Opts, PP);
  }
  void EndSourceFile() override { Next->EndSourceFile(); }
  void finish() override { Next->finish(); }
  bool IncludeInDiagnosticCounts() const override {
    return Next->IncludeInDiagnosticCounts();
  }
  void clear() override {
    DiagnosticConsumer::clear();
    Next->clear();
  }
  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    Errors->note(Level, Info);
    Next->HandleDiagnostic(Level, Info);
  }

private:
  DiagnosticConsumer *Next;
  std::unique_ptr<DiagnosticConsumer> Owned; ///< Next, if it was owned
  std::shared_ptr<ParseErrors> Errors;
};
} // namespace

std::shared_ptr<const ParseErrors> watchErrors(DiagnosticsEngine &Diags) {
  auto Errors = std::make_shared<ParseErrors>();
  DiagnosticConsumer *Next = Diags.getClient();
  std::unique_ptr<DiagnosticConsumer> Owned;
  if (Diags.ownsClient())
    Owned = Diags.takeClient();
  Diags.setClient(new Watcher(Next, std::move(Owned), Errors),
                  /*ShouldOwnClient=*/true);
  return Errors;
}

} // namespace cudagraph
