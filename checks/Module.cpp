//===- Module.cpp - The clang-tidy plugin ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers one clang-tidy check for each line of Checks.def. The checks are
// views: the first one that runs starts the analysis, and all others read the
// same result. clang-tidy, or clangd (driver/editor), handles --checks, NOLINT
// at the call, and fix-its. This file handles NOLINT along the chain, with
// clang-tidy's own handler.
//
//===----------------------------------------------------------------------===//

#ifdef CUDAGRAPH_IN_CLANGD
#include "InClangd.h"
#endif
#include "analysis/findings/Options.h"
#include "analysis/lower/ParseErrors.h"
#include "catalogue/Catalogue.h"
#include "clang-tidy/ClangTidyCheck.h"
#include "rules/Analyze.h"
#include "rules/Suppression.h"
#include "versions/ClangVersions.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/ASTMatchers/ASTMatchersMacros.h"
#include "clang/Basic/Version.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

using namespace clang;

namespace cudagraph {
namespace {

/// A plugin for a different LLVM major version would load silently and find
/// nothing, and the result would look clean. Therefore, the plugin ends the
/// run.
struct VersionGuard {
  VersionGuard() {
    llvm::StringRef Host = "unknown";
    std::string Full = getClangFullVersion();
    size_t At = Full.find("version ");
    if (At != std::string::npos)
      Host = llvm::StringRef(Full).substr(At + 8).take_while(llvm::isDigit);
    if (Host == llvm::StringRef(CLANG_VERSION_MAJOR_STRING))
      return;
    std::fprintf(stderr,
                 "error: cudagraph-tidy plugin: built for clang-tidy %s, but "
                 "loaded into version %s; use clang-tidy-%s, or the plugin "
                 "that was built for this version\n",
                 CLANG_VERSION_MAJOR_STRING, Host.str().c_str(),
                 CLANG_VERSION_MAJOR_STRING);
    std::_Exit(1);
  }
};
const VersionGuard Guard;

#ifdef CUDAGRAPH_IN_CLANGD
/// clangd passes only the declarations of the main file to its matchers, not
/// the whole unit.
AST_MATCHER(Decl, isFirstInScope) {
  (void)Builder;
  return Finder->getASTContext().getTraversalScope().front() == &Node;
}
#endif

/// The results for the current translation unit, one for each set of options.
class SharedAnalysis {
public:
  const UnitResult &get(ASTContext &Ctx, const AnalysisOptions &Options,
                        const catalogue::Catalogue &Catalogue) {
    Suppression Nolint(Ctx.getSourceManager());
    auto Suppressed = [&](const Finding &F) {
#ifdef CUDAGRAPH_IN_CLANGD
      // clangd looks for NOLINT in the main file only.
      return Nolint.suppresses(F);
#else
      return Nolint.suppressedByChain(F);
#endif
    };
    if (Current != &Ctx) {
      Results.clear();
      Current = &Ctx;
    }
    std::string Key = Options.Roots + '\n' + spelling(Options.Least) +
                      (Options.Strict ? "\n1" : "\n0") +
                      (Options.Advice ? "1" : "0");
    for (const std::string &File : Options.CatalogueFiles)
      Key += '\n' + File;
    auto It = Results.find(Key);
    if (It == Results.end())
      It = Results
               .emplace(Key, analyzeUnit(Ctx, Catalogue, Options, Suppressed,
                                         Errors.get()))
               .first;
    return It->second;
  }
  /// Records the errors that \p Diags reports from now on.
  void watch(DiagnosticsEngine &Diags) {
    if (Watched == &Diags)
      return;
    Errors = watchErrors(Diags);
    Watched = &Diags;
  }
  void drop() {
    Results.clear();
    Current = nullptr;
    Errors.reset();
    Watched = nullptr;
  }

private:
  const ASTContext *Current = nullptr;
  const DiagnosticsEngine *Watched = nullptr;
  std::shared_ptr<const ParseErrors> Errors;
  std::map<std::string, UnitResult> Results;
};

class Check : public tidy::ClangTidyCheck {
public:
  Check(StringRef Name, tidy::ClangTidyContext *Context,
        std::shared_ptr<SharedAnalysis> Shared)
      : ClangTidyCheck(Name, Context), Id(Name.str()),
        Shared(std::move(Shared)) {
    Settings.Roots = Options.get("Roots", AnalysisOptions::DefaultRoots).str();
    Settings.Strict = Options.get("Strict", false);
    Settings.Advice = Options.get("Advice", false);
    ConfidenceText = Options.get("Confidence", "likely").str();
    CatalogueText = Options.get("Catalogue", "").str();
    std::string Error;
    RootSelection Ignored;
    if (!RootSelection::parse(Settings.Roots, Ignored, Error)) {
      configurationDiag("option '%0.Roots': %1") << Id << Error;
      Settings.Roots.clear();
    }
    if (ConfidenceText == "certain")
      Settings.Least = Confidence::Certain;
    else if (ConfidenceText == "possible")
      Settings.Least = Confidence::Possible;
    else if (ConfidenceText != "likely")
      configurationDiag("option '%0.Confidence': unknown value '%1'; valid "
                        "values are certain, likely, and possible")
          << Id << ConfidenceText;
    if (CatalogueText.empty())
      return;
    auto Extended =
        std::make_unique<catalogue::Catalogue>(catalogue::Catalogue::builtin());
    llvm::SmallVector<StringRef, 2> Files;
    StringRef(CatalogueText).split(Files, ';', -1, /*KeepEmpty=*/false);
    for (StringRef File : Files) {
      Settings.CatalogueFiles.push_back(File.trim().str());
      std::string Why = Extended->addFile(Settings.CatalogueFiles.back());
      if (!Why.empty())
        configurationDiag("option '%0.Catalogue': %1") << Id << Why;
    }
    Own = std::move(Extended);
  }

  void storeOptions(tidy::ClangTidyOptions::OptionMap &Opts) override {
    Options.store(Opts, "Roots", Settings.Roots);
    Options.store(Opts, "Strict", Settings.Strict);
    Options.store(Opts, "Advice", Settings.Advice);
    Options.store(Opts, "Confidence", ConfidenceText);
    Options.store(Opts, "Catalogue", CatalogueText);
  }

  void registerMatchers(ast_matchers::MatchFinder *Finder) override {
#ifdef CUDAGRAPH_IN_CLANGD
    Finder->addMatcher(ast_matchers::decl(isFirstInScope()), this);
#else
    Finder->addMatcher(ast_matchers::translationUnitDecl(), this);
#endif
  }

  void registerPPCallbacks(const SourceManager &, Preprocessor *PP,
                           Preprocessor *) override {
    Shared->watch(PP->getDiagnostics());
  }

  void check(const ast_matchers::MatchFinder::MatchResult &Match) override {
    const catalogue::Catalogue &Known =
        Own ? *Own : catalogue::Catalogue::builtin();
    const UnitResult &Result = Shared->get(*Match.Context, Settings, Known);
#ifdef CUDAGRAPH_IN_CLANGD
    unitAnalyzed(*Match.Context, Result, Id, Known);
#endif
    for (const Finding &F : Result.Findings)
      if (F.Check == Id)
        emit(F, *Match.SourceManager);
  }

  void onEndOfTranslationUnit() override { Shared->drop(); }

private:
  /// The location as users see it: a position in a file. clang-tidy would drop
  /// a location inside a macro of a system header (cuda.h renames half of its
  /// API).
  static SourceLocation at(const Location &L, const SourceManager &SM) {
    return SM.getFileLoc(SourceLocation::getFromRawEncoding(L.Raw));
  }

  void emit(const Finding &F, const SourceManager &SM) {
    {
      DiagnosticBuilder Warning = diag(at(F.Loc, SM), "%0") << F.Message;
      for (const Fix &X : F.Fixes) {
        FileID File = SM.getFileID(at(X.Range, SM));
        SourceLocation Begin =
            SM.translateLineCol(File, X.Range.Line, X.Range.Column);
        SourceLocation End =
            SM.translateLineCol(File, X.Range.EndLine, X.Range.EndColumn);
        Warning << FixItHint::CreateReplacement(
            CharSourceRange::getCharRange(Begin, End), X.Text);
      }
    }
    for (const auto *Steps : {&F.Chain, &F.Notes})
      for (const Step &S : *Steps)
        diag(at(S.Loc, SM), "%0", DiagnosticIDs::Note) << S.Message;
  }

  std::string Id;
  std::shared_ptr<SharedAnalysis> Shared;
  AnalysisOptions Settings;
  std::string ConfidenceText, CatalogueText;
  std::unique_ptr<catalogue::Catalogue> Own;
};

/// The analysis that the checks of one context share. clangd creates the checks
/// of several files at the same time, on separate threads.
std::shared_ptr<SharedAnalysis> analysisOf(const tidy::ClangTidyContext *C) {
  static std::mutex Lock;
  static std::map<const tidy::ClangTidyContext *, std::weak_ptr<SharedAnalysis>>
      All;
  std::lock_guard<std::mutex> Guard(Lock);
  std::shared_ptr<SharedAnalysis> Result = All[C].lock();
  if (!Result) {
    std::erase_if(All,
                  [](const auto &Known) { return Known.second.expired(); });
    Result = std::make_shared<SharedAnalysis>();
    All[C] = Result;
  }
  return Result;
}

class Module : public tidy::ClangTidyModule {
public:
  void addCheckFactories(tidy::ClangTidyCheckFactories &Factories) override {
    for (const CheckInfo &Info : allChecks())
      Factories.registerCheckFactory(
          Info.Id, [](StringRef Name, tidy::ClangTidyContext *Context) {
            return std::make_unique<Check>(Name, Context, analysisOf(Context));
          });
  }
};

const tidy::ClangTidyModuleRegistry::Add<Module>
    Registration("cudagraph-module",
                 "Finds code that breaks CUDA graph stream capture.");

} // namespace
} // namespace cudagraph
