//===- Frontend.cpp - Parses and analyses one translation unit ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frontend.h"
#include "rules/Analyze.h"
#include "rules/Suppression.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr size_t ShownErrors = 5;
/// Clang's recursion over deeply nested code needs more than a thread's usual
/// stack, and a stack overflow cannot be caught.
constexpr unsigned StackSize = 64u << 20;

/// Counts errors and keeps the first ones as text.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  ErrorCollector(ParsedUnit &Unit) : Unit(Unit) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < clang::DiagnosticsEngine::Error)
      return;
    ++Unit.Errors;
    if (Unit.FirstErrors.size() == ShownErrors)
      return;
    SmallString<256> Text;
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      clang::PresumedLoc Place =
          Info.getSourceManager().getPresumedLoc(Info.getLocation());
      if (Place.isValid())
        (Twine(Place.getFilename()) + ":" + Twine(Place.getLine()) + ":" +
         Twine(Place.getColumn()) + ": ")
            .toVector(Text);
    }
    Text += "error: ";
    Info.FormatDiagnostic(Text);
    Unit.FirstErrors.push_back(Text.str().str());
  }

private:
  ParsedUnit &Unit;
};

class Consumer : public clang::ASTConsumer {
public:
  Consumer(ParsedUnit &Unit, const UnitSettings &Settings,
           const CheckFilter &Checks)
      : Unit(Unit), Settings(Settings), Checks(Checks) {}

  /// Device code is no part of a capture, and much of it is not written for
  /// Clang's host pass: its bodies are skipped, unless something may need them.
  bool shouldSkipFunctionBody(clang::Decl *D) override {
    const auto *F = D->getAsFunction();
    if (!F || F->isConstexpr() || F->getReturnType()->getContainedDeducedType())
      return false;
    return F->hasAttr<clang::CUDAGlobalAttr>() ||
           (F->hasAttr<clang::CUDADeviceAttr>() &&
            !F->hasAttr<clang::CUDAHostAttr>());
  }

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    Suppression Silenced(Context.getSourceManager());
    Unit.Result = analyzeUnit(
        Context, *Settings.Known, Settings.Analysis, [&](const Finding &F) {
          return !Checks.enabled(F.Check) || Silenced.suppresses(F);
        });
    Unit.Analysed = true;
  }

private:
  ParsedUnit &Unit;
  const UnitSettings &Settings;
  const CheckFilter &Checks;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(ParsedUnit &Unit, const UnitSettings &Settings,
         const CheckFilter &Checks)
      : Unit(Unit), Settings(Settings), Checks(Checks) {}

  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &, StringRef) override {
    return std::make_unique<Consumer>(Unit, Settings, Checks);
  }

private:
  ParsedUnit &Unit;
  const UnitSettings &Settings;
  const CheckFilter &Checks;
};

class Factory : public clang::tooling::FrontendActionFactory {
public:
  Factory(ParsedUnit &Unit, const UnitSettings &Settings,
          const CheckFilter &Checks)
      : Unit(Unit), Settings(Settings), Checks(Checks) {}

  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<Action>(Unit, Settings, Checks);
  }

  bool
  runInvocation(std::shared_ptr<clang::CompilerInvocation> Invocation,
                clang::FileManager *Files,
                std::shared_ptr<clang::PCHContainerOperations> PCHContainerOps,
                clang::DiagnosticConsumer *DiagConsumer) override {
    // clang-tidy defines __clang_analyzer__ so, and both hosts must see the
    // same code.
    Invocation->getPreprocessorOpts().SetUpStaticAnalyzer = true;
    Invocation->getFrontendOpts().SkipFunctionBodies = true; // see Consumer
    // Otherwise Clang prints "1 error generated."
    Invocation->getDiagnosticOpts().ShowCarets = false;
    return FrontendActionFactory::runInvocation(Invocation, Files,
                                                PCHContainerOps, DiagConsumer);
  }

private:
  ParsedUnit &Unit;
  const UnitSettings &Settings;
  const CheckFilter &Checks;
};

void run(const std::vector<std::string> &Args, const std::string &Directory,
         const UnitSettings &Settings, const CheckFilter &Checks,
         ParsedUnit &Unit) {
  // A file system with a working directory of its own: the process's stays.
  IntrusiveRefCntPtr<vfs::FileSystem> Disk = vfs::createPhysicalFileSystem();
  if (std::error_code EC = Disk->setCurrentWorkingDirectory(Directory)) {
    Unit.Failure = "cannot enter " + Directory + ": " + EC.message();
    return;
  }
  auto Files = llvm::makeIntrusiveRefCnt<clang::FileManager>(
      clang::FileSystemOptions(), Disk);
  ErrorCollector Errors(Unit);
  Factory Actions(Unit, Settings, Checks);
  clang::tooling::ToolInvocation Invocation(
      Args, &Actions, Files.get(),
      std::make_shared<clang::PCHContainerOperations>());
  Invocation.setDiagnosticConsumer(&Errors);
  Invocation.run();
  if (!Unit.Errors && !Unit.Analysed)
    Unit.Failure = "the command compiles no source";
}

void makeAbsolute(Location &L, StringRef Directory) {
  if (L.File.empty())
    return;
  SmallString<256> Path(L.File);
  sys::path::make_absolute(Directory, Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  L.File = Path.str().str();
  L.Raw = 0; // means nothing without the source manager
}

void makeAbsolute(UnitResult &R, StringRef Directory) {
  auto Steps = [&](std::vector<Step> &All) {
    for (Step &S : All)
      makeAbsolute(S.Loc, Directory);
  };
  for (Region &G : R.Regions) {
    makeAbsolute(G.Begin, Directory);
    for (Location &End : G.Ends)
      makeAbsolute(End, Directory);
  }
  for (Finding &F : R.Findings) {
    makeAbsolute(F.Loc, Directory);
    Steps(F.Chain);
    Steps(F.Notes);
    for (Fix &Edit : F.Fixes)
      makeAbsolute(Edit.Range, Directory);
  }
  for (OpaqueCall &Call : R.OpaqueCalls)
    makeAbsolute(Call.Loc, Directory);
  Steps(R.SkippedBranches);
}

} // namespace

ParsedUnit analyzeCommand(const std::vector<std::string> &Args,
                          const std::string &Directory,
                          const UnitSettings &Settings,
                          const CheckFilter &Checks) {
  ParsedUnit Unit;
  CrashRecoveryContext Guard;
  if (!Guard.RunSafelyOnThread(
          [&] { run(Args, Directory, Settings, Checks, Unit); }, StackSize)) {
    // What was half done may be half written.
    unsigned Errors = Unit.Errors;
    std::vector<std::string> First = std::move(Unit.FirstErrors);
    Unit = ParsedUnit();
    Unit.Errors = Errors;
    Unit.FirstErrors = std::move(First);
    Unit.Failure = "the analysis crashed";
  }
  makeAbsolute(Unit.Result, Directory);
  return Unit;
}

} // namespace cudagraph::driver
