//===- Frontend.cpp - Parses and summarizes one translation unit ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frontend.h"
#include "ClangRun.h"
#include "FreshContext.h"
#include "MacroStack.h"
#include "NeedlessBody.h"
#include "ParseOnly.h"
#include "Preamble.h"
#include "SkippedCode.h"
#include "analysis/ir/Archive.h"
#include "analysis/lower/ParseErrors.h"
#include "analysis/lower/Summarize.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr size_t ShownErrors = 5;
/// The number of messages that are distinguished and counted in one unit.
constexpr size_t CountedKinds = 64;
/// Clang's recursion over deeply nested code needs more than the usual stack of
/// a thread, and a stack overflow cannot be caught.
constexpr unsigned StackSize = 64u << 20;

/// Counts errors and stores the first ones as text.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  ErrorCollector(UnitSummary &Unit, ParseErrors &Places)
      : Unit(Unit), Places(Places) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < clang::DiagnosticsEngine::Error)
      return;
    ++Unit.Errors;
    Places.note(Level, Info);
    SmallString<256> Message;
    Info.FormatDiagnostic(Message);
    auto [Known, New] = Kinds.try_emplace(Message, Unit.ErrorKinds.size());
    if (!New && Known->second < Unit.ErrorKinds.size())
      ++Unit.ErrorKinds[Known->second].Count;
    bool Shown = Unit.FirstErrors.size() < ShownErrors;
    bool Counted = New && Unit.ErrorKinds.size() < CountedKinds;
    if (!Shown && !Counted)
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
    Text += Message;
    if (Shown)
      Unit.FirstErrors.push_back(Text.str().str());
    if (Counted)
      Unit.ErrorKinds.push_back({Text.str().str()});
  }

private:
  UnitSummary &Unit;
  ParseErrors &Places;
  StringMap<size_t> Kinds; ///< index in ErrorKinds, by message
};

/// The state that all parts of one run share.
struct Run {
  ParsedUnit &Unit;
  const std::vector<std::string> &Args;
  StringRef UnitId, Directory;
  const catalogue::Catalogue &Known;
  const std::string &Project;
  const PreambleUse *Shared = nullptr;
  RecordingDisk *Disk = nullptr;
  ParseErrors Errors = {};
  SkippedCode Skipped = {};
  MacroStack Macros = {};
  bool Finished = false;
};

class Consumer : public clang::ASTConsumer {
public:
  Consumer(Run &R, clang::CompilerInstance &CI) : R(R), CI(CI) {}

  void Initialize(clang::ASTContext &Context) override {
    if (!R.Shared && !readsCompiled(R.Args))
      prepareFreshContext(Context);
    SM = &Context.getSourceManager();
    Own.emplace(*SM, R.Project);
    Needless.emplace(*SM, *Own, R.Known);
    if (R.Shared)
      Needless->continueAfter(R.Shared->Facts.Generators);
  }

  bool shouldSkipFunctionBody(clang::Decl *D) override {
    return Needless->contains(D);
  }

  void HandleTranslationUnit(clang::ASTContext &Context) override {
    UnitSummary &Summary = R.Unit.Summary;
    // Keep the messages about the parse.
    UnitSummary Parse = std::move(Summary);
    std::optional<SharedContents> Stored;
    if (R.Shared && CI.getASTReader())
      Stored.emplace(*CI.getASTReader(), R.Shared->Facts.Contents);
    Summary = summarizeUnit(Context, R.UnitId, /*KeepRaw=*/false, &R.Errors,
                            R.Known, &*Own, Stored ? &*Stored : nullptr);
    Summary.Errors = Parse.Errors;
    Summary.FirstErrors = std::move(Parse.FirstErrors);
    Summary.ErrorKinds = std::move(Parse.ErrorKinds);
    addShared(Summary);
    R.Finished = true;
  }

private:
  /// Adds the data that comes from the files of the unit and of its preamble.
  void addShared(UnitSummary &Summary) {
    static const Preamble None;
    const Preamble &Before = R.Shared ? R.Shared->Facts : None;
    for (const NolintLines &File : Before.Nolint)
      if (none_of(Summary.Nolint, [&](const NolintLines &Each) {
            return Each.File == File.File;
          }))
        Summary.Nolint.push_back(File);
    R.Skipped.describe(R.Skipped.files(*Own, Before.Skipped), Summary);
    R.Unit.Files = R.Disk->uses(*SM, R.Directory, Before.Files);
  }

  Run &R;
  clang::CompilerInstance &CI;
  const clang::SourceManager *SM = nullptr;
  std::optional<ProjectCode> Own;
  std::optional<NeedlessBodies> Needless;
};

class Action : public clang::ASTFrontendAction {
public:
  explicit Action(Run &R) : R(R) {}

  bool BeginSourceFileAction(clang::CompilerInstance &CI) override {
    ignoreDebugPragmas(CI.getPreprocessor());
    R.Skipped.attach(CI.getPreprocessor());
    if (R.Shared) {
      clang::Preprocessor &PP = CI.getPreprocessor();
      PP.setSkipMainFilePreamble(R.Shared->Skip, /*StartOfLine=*/true);
      R.Macros.attach(PP, R.Shared->Facts.SavedMacros);
    }
    return true;
  }
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &CI, StringRef) override {
    // A missing header causes errors where its declarations are used. As a
    // fatal error, it would keep Clang from instantiating templates, and from
    // reporting other errors.
    CI.getDiagnostics().setSeverity(clang::diag::err_pp_file_not_found,
                                    clang::diag::Severity::Error, {});
    return std::make_unique<Consumer>(R, CI);
  }

private:
  Run &R;
};

/// Makes \p Invocation begin with the state after \p Shared.
void use(const PreambleUse &Shared, clang::CompilerInvocation &Invocation,
         RecordingDisk &Disk) {
  std::string Name = precompiledName(Shared.Source);
  Disk.provide(Name, Shared.Bytes);
  Disk.provide(Shared.Source.Main, Shared.Source.Text);
  for (const auto &[Path, Known] : Shared.Facts.Names)
    Disk.rename(Path, Known);
  clang::PreprocessorOptions &Options = Invocation.getPreprocessorOpts();
  Options.ImplicitPCHInclude = Name;
  // The contents of the files in it have already been compared.
  Options.DisablePCHOrModuleValidation =
      clang::DisableValidationForModuleKind::All;
}

void run(Run &R) {
  UnitSummary &Summary = R.Unit.Summary;
  auto Disk = makeIntrusiveRefCnt<RecordingDisk>();
  R.Disk = Disk.get();
  ErrorCollector Errors(Summary, R.Errors);
  auto Adjust = [&](clang::CompilerInvocation &Invocation) {
    Invocation.getFrontendOpts().SkipFunctionBodies = true; // see Consumer
    // Otherwise, Clang prints "1 error generated."
    Invocation.getDiagnosticOpts().ShowCarets = false;
    parseOnly(Invocation, R.Args);
    if (R.Shared)
      use(*R.Shared, Invocation, *Disk);
  };
  if (std::error_code EC = runClang(
          R.Args, R.Directory, Disk, Errors,
          [&] { return std::make_unique<Action>(R); }, Adjust)) {
    Summary.Failure =
        ("cannot enter " + R.Directory + ": " + EC.message()).str();
    return;
  }
  if (R.Macros.missesLost())
    Summary.Failure = "the shared headers lack a macro";
  if (!Summary.Errors && !R.Finished)
    Summary.Failure = "the command does not compile a source";
}

} // namespace

bool saysAbsent(std::error_code EC) {
  return EC == std::errc::no_such_file_or_directory ||
         EC == std::errc::not_a_directory;
}

uint64_t contentHash(StringRef Contents) {
  return std::max<uint64_t>(xxh3_64bits(Contents), FileUse::Unreadable + 1);
}

static ParsedUnit parseOnce(const std::vector<std::string> &Args,
                            const std::string &Directory, StringRef UnitId,
                            const std::string &Project,
                            const catalogue::Catalogue &Known,
                            const PreambleUse *Shared) {
  ParsedUnit Unit;
  Run R{Unit, Args, UnitId, Directory, Known, Project, Shared};
  CrashRecoveryContext::Enable();
  CrashRecoveryContext Context;
  if (!Context.RunSafelyOnThread([&] { run(R); }, StackSize)) {
    // The parse errors are kept, because they often show the reason.
    UnitSummary Parse = std::move(Unit.Summary);
    Unit = ParsedUnit();
    Unit.Summary.Errors = Parse.Errors;
    Unit.Summary.FirstErrors = std::move(Parse.FirstErrors);
    Unit.Summary.Failure = "the analysis crashed";
    if (const char *Signal = strsignal(Context.RetCode - 128))
      Unit.Summary.Failure += " (" + std::string(Signal) + ")";
  }
  CrashRecoveryContext::Disable();
  Unit.Summary.Directory = Directory;
  if (Unit.Summary.Errors || !Unit.Summary.Failure.empty())
    Unit.Summary.Command = Args;
  return Unit;
}

ParsedUnit parseUnit(const std::vector<std::string> &Args,
                     const std::string &Directory, StringRef UnitId,
                     const std::string &Project,
                     const catalogue::Catalogue &Known,
                     const PreambleUse *Shared) {
  if (Shared) {
    ParsedUnit Unit =
        parseOnce(Args, Directory, UnitId, Project, Known, Shared);
    // If there are errors, parse the whole source, so that they are reported as
    // Clang finds them there.
    if (!Unit.Summary.Errors && Unit.Summary.Failure.empty())
      return Unit;
  }
  ParsedUnit Unit = parseOnce(Args, Directory, UnitId, Project, Known, nullptr);
  Unit.Again = Shared != nullptr;
  return Unit;
}

std::string encodeUnit(const ParsedUnit &Unit) {
  ArchiveWriter Ar;
  Ar.list(Unit.Files, [&](const FileUse &F) {
    Ar.text(F.Path);
    Ar.num(F.Hash);
  });
  Ar.flags(Unit.Again);
  std::string Files = Ar.take(), Result;
  putNumber(Result, Files.size());
  return Result + Files + encodeSummary(Unit.Summary);
}

Expected<ParsedUnit> decodeUnit(StringRef Bytes, CheckedFunctions *Checked) {
  ParsedUnit Result;
  std::optional<uint64_t> Length = takeNumber(Bytes);
  if (!Length || *Length > Bytes.size())
    return createStringError(inconvertibleErrorCode(), "is damaged");
  ArchiveReader Ar(Bytes.take_front(*Length));
  Ar.list(Result.Files, [&](FileUse &F) {
    Ar.text(F.Path);
    Ar.num(F.Hash);
  });
  Ar.flags(Result.Again);
  if (Ar.failed())
    return createStringError(inconvertibleErrorCode(), "is damaged");
  Expected<UnitSummary> Summary =
      decodeSummary(Bytes.drop_front(*Length).str(), Checked);
  if (!Summary)
    return Summary.takeError();
  Result.Summary = std::move(*Summary);
  return Result;
}

} // namespace cudagraph::driver
